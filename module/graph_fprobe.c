// SPDX-License-Identifier: GPL-2.0-only
/*
 * Graphs by a fprobe that stands on one function only, which nobody calls, and a
 * ftrace_ops of ours on all others.
 *
 * A fprobe takes room for a return before it asks its entry handler whether the
 * call is of interest: with all functions of all tasks there would soon be none
 * left. So ours asks first, and hands what belongs into a graph to the fprobe's own
 * handler, as if it had been hooked there.
 */
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "functions.h"
#include "stack.h"
#include "targets.h"

#ifdef KTR_GRAPH_BY_FPROBE
#include <linux/fprobe.h>

struct hook {
	struct ftrace_ops ops;
	struct fprobe fp;
	struct ktr_graph *graph;
	bool registered;
};

/* What the making of a record calls is not the task's doing; as in function_more.c. */
static DEFINE_PER_CPU(u8, busy);

static bool is_busy(void)
{
	return this_cpu_read(busy) & 1 << ktr_emit_context() || ktr_stack_walking() ||
	       ktr_function_busy();
}

static int entered(struct fprobe *fp, unsigned long ip, unsigned long parent,
		   KTR_FPROBE_REGS *regs, void *data)
{
	ktr_graph_entered(container_of(fp, struct hook, fp)->graph, data);
	return 0;
}

static void left(struct fprobe *fp, unsigned long ip, unsigned long parent,
		 KTR_FPROBE_REGS *regs, void *data)
{
	u8 ctx = 1 << ktr_emit_context();

	guard(preempt_notrace)();
	this_cpu_or(busy, ctx);
	barrier();
	ktr_graph_left(container_of(fp, struct hook, fp)->graph, ip, data);
	barrier();
	this_cpu_and(busy, ~ctx);
}

/* Out of line, so that tasks that are no targets save no registers for it. */
static noinline void called_by(struct hook *h, unsigned long ip, unsigned long parent,
			       struct ftrace_regs *fregs)
{
	u8 ctx;

	guard(preempt_notrace)();
	if (is_busy() || !ktr_graph_takes(h->graph, ip))
		return;
	ctx = 1 << ktr_emit_context();
	this_cpu_or(busy, ctx);
	barrier();
	h->fp.ops.func(ip, parent, &h->fp.ops, fregs);
	barrier();
	this_cpu_and(busy, ~ctx);
}

static void called(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		   struct ftrace_regs *fregs)
{
	/* As for functions alone: what most tasks pay. */
	if (likely(hlist_empty(ktr_target_bucket(current))) || unlikely(is_idle_task(current)))
		return;
	called_by(container_of(ops, struct hook, ops), ip, parent, fregs);
}

int ktr_graph_hook(struct ktr_graph *g)
{
	unsigned long anchor = (unsigned long)ktr_graph_anchor;
	struct hook *h;
	int ret;

	h = kzalloc(sizeof(*h), GFP_KERNEL_ACCOUNT);
	if (!h)
		return -ENOMEM;
	h->graph = g;
	h->ops.func = called;
	/* The fprobe's handler looks for them, to find the return address. */
	h->ops.flags = FTRACE_OPS_FL_SAVE_REGS;
	h->fp.entry_handler = entered;
	h->fp.exit_handler = left;
	h->fp.entry_data_size = sizeof(struct ktr_graph_data);
	ktr_fprobe_set_room(&h->fp, KTR_GRAPH_INSIDE);
	ret = register_fprobe_ips(&h->fp, &anchor, 1);
	if (ret) {
		kfree(h);
		return ret == -ENOMEM ? ret : -EOPNOTSUPP;
	}
	g->hook = h;
	return 0;
}

int ktr_graph_hook_more(struct ktr_graph *g, unsigned long *addr, u32 n)
{
	struct hook *h = g->hook;
	int ret = ftrace_set_filter_ips(&h->ops, addr, n, 0, 0);

	if (ret || h->registered)
		return ret;
	ret = register_ftrace_function(&h->ops);
	h->registered = !ret;
	return ret;
}

u64 ktr_graph_hook_missed(const struct ktr_graph *g)
{
	const struct hook *h = g->hook;

	return READ_ONCE(h->fp.nmissed);
}

void ktr_graph_unhook(struct ktr_graph *g)
{
	struct hook *h = g->hook;

	/* No call is handed on any more: it waits for callbacks. */
	if (h->registered)
		unregister_ftrace_function(&h->ops);
	ftrace_free_filter(&h->ops);
	/* Returns run with preemption off, and those that come later find it gone. */
	unregister_fprobe(&h->fp);
	synchronize_rcu();
	g->hook = NULL;
	kfree(h);
}
#else
int ktr_graph_hook(struct ktr_graph *g)
{
	return -EOPNOTSUPP;
}

int ktr_graph_hook_more(struct ktr_graph *g, unsigned long *addr, u32 n)
{
	return -EOPNOTSUPP;
}

u64 ktr_graph_hook_missed(const struct ktr_graph *g)
{
	return 0;
}

void ktr_graph_unhook(struct ktr_graph *g)
{
}
#endif
