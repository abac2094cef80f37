/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One system call is tried again and again: its first allocation fails, then
 * its second, and so on until none does. Each failure must leave everything as
 * it was, and the call must work in the end.
 */
#ifndef _KTR_SWEEP_H
#define _KTR_SWEEP_H

#include "ktr_fault.h"
#include "ktr_look.h"

struct ktr_sweep {
	struct ktr_fault nth;
	struct ktr_client client;
	const char *session;	/* its name: whose lists are looked at */
	void *arg;		/* for the functions below */
};

/* A message, or another system call. All return 0 or -errno. */
struct ktr_operation {
	const char *name;
	void (*put)(void *arg, struct ktr_msg *m);
	int (*call)(void *arg);
	int (*ready)(void *arg);	/* before each try, or NULL */
	int (*undo)(void *arg);		/* after it was done, or NULL */
	int also;			/* another error that says so, or 0 */
	bool unseen;			/* it does nothing that shows */
};

/* -ENOENT: this kernel cannot make allocations fail. */
int ktr_sweep_open(struct ktr_sweep *w, const char *session, void *arg);
void ktr_sweep_close(struct ktr_sweep *w);
/* 0, or -errno after saying on standard error what went wrong. */
int ktr_sweep(struct ktr_sweep *w, const struct ktr_operation *op);
/* The next to fail: all at full scale, else the first, then one in so many. */
int ktr_sweep_next(int n);

#endif
