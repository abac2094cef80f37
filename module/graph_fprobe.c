// SPDX-License-Identifier: GPL-2.0-only
/*
 * Graphs by fprobes on all functions, one for each block of them.
 *
 * Since fprobe stands on the function graph tracer, room for a return is the calling
 * task's own (its shadow stack), and what our entry handler does not want is taken
 * back at once. So the handler may choose. What it costs tasks that are no targets
 * is the function graph tracer's way to it.
 */
#include <linux/bsearch.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "functions.h"
#include "targets.h"

#ifdef KTR_GRAPH_BY_FPROBES
#include <linux/fprobe.h>

struct block {
	struct list_head node;
	struct fprobe fp;
	struct ktr_graph *graph;
	u32 n;
	unsigned long addr[] __counted_by(n);	/* ascending; the session's mutex */
};

struct hook {
	struct list_head blocks;	/* the session's mutex */
};

/* Preemption is off in both: the function graph tracer's lock against recursion. */
static int entered(struct fprobe *fp, unsigned long ip, unsigned long parent,
		   KTR_FPROBE_REGS *regs, void *data)
{
	struct ktr_graph *g = container_of(fp, struct block, fp)->graph;

	if (likely(hlist_empty(ktr_target_bucket(current))) || unlikely(is_idle_task(current)))
		return 1;
	if (!ktr_graph_takes(g, ip))
		return 1;
	ktr_graph_entered(g, data);
	ktr_graph_done();
	return 0;
}

static void left(struct fprobe *fp, unsigned long ip, unsigned long parent,
		 KTR_FPROBE_REGS *regs, void *data)
{
	ktr_graph_left(container_of(fp, struct block, fp)->graph, ip, data);
}

int ktr_graph_hook(struct ktr_graph *g)
{
	struct hook *h;

	h = kzalloc(sizeof(*h), GFP_KERNEL_ACCOUNT);
	if (!h)
		return -ENOMEM;
	INIT_LIST_HEAD(&h->blocks);
	g->hook = h;
	return 0;
}

int ktr_graph_hook_more(struct ktr_graph *g, unsigned long *addr, u32 n)
{
	struct hook *h = g->hook;
	struct block *b;
	int ret;

	b = kvzalloc(struct_size(b, addr, n), GFP_KERNEL_ACCOUNT);
	if (!b)
		return -ENOMEM;
	b->graph = g;
	b->n = n;
	memcpy(b->addr, addr, n * sizeof(*addr));
	b->fp.entry_handler = entered;
	b->fp.exit_handler = left;
	b->fp.entry_data_size = sizeof(struct ktr_graph_data);
	ret = register_fprobe_ips(&b->fp, b->addr, n);
	if (ret) {
		kvfree(b);
		return ret == -ENOENT ? -EINVAL : ret;
	}
	list_add_tail(&b->node, &h->blocks);
	return 0;
}

/* Those of @b that are not in @addr, in front. Return: how many. */
static u32 keep_others(struct block *b, const unsigned long *addr, u32 n)
{
	u32 i, kept = 0;

	for (i = 0; i < b->n; i++)
		if (!bsearch(&b->addr[i], addr, n, sizeof(*addr), ktr_addr_cmp))
			b->addr[kept++] = b->addr[i];
	return kept;
}

/* The same fprobe again, so that calls that are inside return to it. */
static int shrink(struct block *b, const unsigned long *addr, u32 n)
{
	u32 kept = keep_others(b, addr, n);
	int ret;

	if (kept == b->n)
		return 0;
	b->graph->missed += READ_ONCE(b->fp.nmissed);
	unregister_fprobe(&b->fp);
	b->n = kept;
	ret = kept ? register_fprobe_ips(&b->fp, b->addr, kept) : 0;
	if (kept && !ret)
		return 0;
	list_del(&b->node);
	synchronize_rcu();
	kvfree(b);
	return ret;
}

/*
 * The kernel takes those of modules that go out of fprobes, but not init functions that
 * are over. What ftrace does not know any more when a fprobe ends would keep others of
 * the fprobe in ftrace's filter. So they go while it does: on 7.3 graphs miss calls of
 * a module that comes a second time without this.
 */
int ktr_graph_hook_less(struct ktr_graph *g, unsigned long *addr, u32 n)
{
	struct hook *h = g->hook;
	struct block *b, *next;
	int ret = 0;

	list_for_each_entry_safe(b, next, &h->blocks, node)
		ret = shrink(b, addr, n) ?: ret;
	return ret;
}

u64 ktr_graph_hook_missed(const struct ktr_graph *g)
{
	const struct hook *h = g->hook;
	const struct block *b;
	u64 sum = 0;

	list_for_each_entry(b, &h->blocks, node)
		sum += READ_ONCE(b->fp.nmissed);
	return sum;
}

void ktr_graph_unhook(struct ktr_graph *g)
{
	struct hook *h = g->hook;
	struct block *b, *next;

	list_for_each_entry(b, &h->blocks, node)
		unregister_fprobe(&b->fp);
	/* Returns run with preemption off, and those that come later find it gone. */
	synchronize_rcu();
	list_for_each_entry_safe(b, next, &h->blocks, node)
		kvfree(b);
	g->hook = NULL;
	kfree(h);
}
#endif
