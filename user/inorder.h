/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inorder.h - records in the order in which kdump tells of things.
 *
 * A call's record comes when it is over, but what tells of it begins with its
 * beginning: what happens inside waits for that. So does a birth, and with it all of
 * the child, which may have run on another CPU by then. What of a thread comes after
 * the SIGKILL that ends it waits for its exit (kills.h).
 */
#ifndef KTR_INORDER_H
#define KTR_INORDER_H

#include "fmt_syscall.h"
#include "procs.h"

struct inorder_fns {
	/* A call's beginning, and its end. */
	void (*begin)(void *arg, struct proc *p, const struct sys_rec *r, unsigned int cpu);
	void (*end)(void *arg, struct proc *p, const struct sys_rec *r, unsigned int cpu);
	/* Whatever else there is, records of calls that are broken included. */
	void (*tell)(void *arg, struct proc *p, const struct ktr_rec *rec, unsigned int cpu);
};

struct inorder {
	struct procs *procs;
	const uint64_t *recorded;	/* kinds that are recorded at the time */
	uint64_t silent;	/* kinds of which nothing is told */
	const struct inorder_fns *fns;
	void *arg;		/* theirs */
};

/* Each record, after procs_note() and before procs_after(). */
void inorder_take(const struct inorder *in, const struct ktr_rec *rec, unsigned int cpu);

/* Waits no longer for what should have come within 0.3 s; of a file that grows. */
void inorder_late(const struct inorder *in, uint64_t now);
/* Nothing more will come, or nobody knows what. */
void inorder_all(const struct inorder *in);

#endif
