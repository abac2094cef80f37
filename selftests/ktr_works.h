/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work of many kinds, and what the kernel's functions that do it are called. */
#ifndef _KTR_WORKS_H
#define _KTR_WORKS_H

#define KTR_WORKS	10
/* Calls of such functions at the least. */
#define KTR_WORK_LEAST	10

struct ktr_work {
	const char *name;
	int (*work)(void);	/* 0: done */
	const char *prefix[4];	/* what their names begin with; NULL: no more */
};

extern const struct ktr_work ktr_works[KTR_WORKS];

#endif
