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
#include "graph.h"
#include "kmod_text.h"
#include "returns.h"

struct ktr_functions {
	struct ftrace_ops ops;
	struct ktr_stream *stream;
	unsigned long *addr;	/* ascending; the session's mutex */
	u32 n;
	bool registered;
	struct ktr_returns returns;
	struct ktr_graph graph;
};

enum ktr_functions_op {
	KTR_FUNCTIONS_ADD,
	KTR_FUNCTIONS_ADD_RETURNS,
	KTR_FUNCTIONS_ADD_BELOW,	/* hooked for graphs */
	KTR_FUNCTIONS_ADD_GRAPHS,	/* graphs begin with them */
	KTR_FUNCTIONS_DEL,
	KTR_FUNCTIONS_DEL_GRAPHS,
};

struct ktr_functions_ask {
	enum ktr_functions_op op;
	u32 depth;			/* of graphs, at most; 0: any */
	u64 bad;			/* the answer, with -EINVAL; 0: all are traceable */
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
/* What is called just now is the tracer's doing. Preemption off. */
bool ktr_function_busy(void);
u64 ktr_function_bare(struct ktr_target *t, unsigned long ip, unsigned long parent);

void ktr_functions_init(struct ktr_functions *f, struct ktr_stream *st);
/*
 * Add all of @addr, which is put in order, or none; or take them away, @addr NULL: all.
 * -EINVAL: ask->bad is not traceable; -EEXIST: all are there; -ENOENT: none of them is.
 */
int ktr_functions_change(struct ktr_functions *f, u64 *addr, u32 n,
			 struct ktr_functions_ask *ask);
/*
 * Take away all in the span, whose text is about to be freed. What cannot be kept
 * without it, for want of memory, goes too. Return: how many went.
 */
u32 ktr_functions_sweep(struct ktr_functions *f, const struct ktr_span *span);
u32 ktr_functions_count(const struct ktr_functions *f);
/* Keep those of @addr that ftrace would take. */
int ktr_functions_test(u64 *addr, u32 *n);
/* No callback can run when it returns. */
void ktr_functions_close(struct ktr_functions *f);
#endif
