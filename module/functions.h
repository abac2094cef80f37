/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel functions of one session. Those whose entries alone are recorded hang on
 * one ftrace_ops; those whose returns are too, on hooks of their own, which record
 * both. No function is in both sets.
 */
#ifndef _KTR_FUNCTIONS_H
#define _KTR_FUNCTIONS_H

#include <linux/ftrace.h>
#include "emit.h"
#include "returns.h"

struct ktr_functions {
	struct ftrace_ops ops;
	struct ktr_stream *stream;
	unsigned long *addr;	/* ascending; the session's mutex */
	u32 n;
	bool registered;
	struct ktr_returns returns;
};

enum ktr_functions_op {
	KTR_FUNCTIONS_ADD,
	KTR_FUNCTIONS_ADD_RETURNS,
	KTR_FUNCTIONS_DEL,
};

struct ktr_target;
/*
 * What is wanted of an entry: record it, or count it, unless its return will be.
 * Return: the record's time, 0: there is none. Preemption off.
 */
u64 ktr_function_entered(struct ktr_target *t, unsigned long ip, unsigned long parent,
			 bool returns, const struct pt_regs *regs);
/* The record: with what there is to show beyond the call; the call alone. */
u64 ktr_function_more(struct ktr_target *t, unsigned long ip, unsigned long parent,
		      const struct pt_regs *regs);
u64 ktr_function_bare(struct ktr_target *t, unsigned long ip, unsigned long parent);

void ktr_functions_init(struct ktr_functions *f, struct ktr_stream *st);
/*
 * All of @addr, which is put in order, or none.
 * -EINVAL: *bad is not traceable; -EEXIST: all are there.
 */
int ktr_functions_add(struct ktr_functions *f, u64 *addr, u32 n, enum ktr_functions_op op,
		      u64 *bad);
/* -ENOENT: none of them is there. @addr NULL: all. */
int ktr_functions_del(struct ktr_functions *f, u64 *addr, u32 n);
u32 ktr_functions_count(const struct ktr_functions *f);
/* Keep those of @addr that ftrace would take. */
int ktr_functions_test(u64 *addr, u32 *n);
/* No callback can run when it returns. */
void ktr_functions_close(struct ktr_functions *f);
#endif
