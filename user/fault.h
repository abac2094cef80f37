/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What went wrong, in words for the user, with the exit status it means. The
 * parts fill it in, only cmd_*.c prints it.
 */
#ifndef KTR_FAULT_H
#define KTR_FAULT_H

enum {
	ST_OK,
	ST_LOST,	/* the trace is incomplete */
	ST_USAGE,	/* wrong use */
	ST_DAMAGED,	/* a damaged or cut file */
	ST_ABSENT,	/* no module, or a kernel feature is missing */
	ST_DENIED,	/* not permitted */
};

struct fault {
	int status;
	char text[400];
};

/* Return: -EINVAL, so that callers can hand it on. */
int fault_set(struct fault *f, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
