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
#include <linux/ftrace.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "functions.h"
#include "rethook.h"
#include "targets.h"

#ifdef KTR_GRAPH_BY_HANDLER
#include <linux/fprobe.h>

struct hook {
	struct ftrace_ops ops;
	struct fprobe fp;
	struct ktr_graph *graph;
	bool registered;
};

static int entered(struct fprobe *fp, unsigned long ip, unsigned long parent,
		   KTR_FPROBE_REGS *regs, void *data)
{
	ktr_graph_entered(container_of(fp, struct hook, fp)->graph, data);
	return 0;
}

static void left(struct fprobe *fp, unsigned long ip, unsigned long parent,
		 KTR_FPROBE_REGS *regs, void *data)
{
	guard(preempt_notrace)();
	ktr_graph_left(container_of(fp, struct hook, fp)->graph, ip, data);
}

/* Out of line, so that tasks that are no targets save no registers for it. */
static noinline void called_by(struct hook *h, unsigned long ip, unsigned long parent,
			       struct ftrace_regs *fregs)
{
	guard(preempt_notrace)();
	if (!ktr_graph_takes(h->graph, ip))
		return;
	h->fp.ops.func(ip, parent, &h->fp.ops, fregs);
	ktr_graph_done();
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
	int ret;

	n = ktr_rethook_pick(addr, n);
	ret = n ? ftrace_set_filter_ips(&h->ops, addr, n, 0, 0) : -EINVAL;
	if (ret || h->registered)
		return ret;
	ret = register_ftrace_function(&h->ops);
	h->registered = !ret;
	return ret;
}

int ktr_graph_hook_less(struct ktr_graph *g, unsigned long *addr, u32 n)
{
	struct hook *h = g->hook;

	return ftrace_set_filter_ips(&h->ops, addr, n, 1, 0);
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
#endif
