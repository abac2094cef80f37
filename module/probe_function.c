// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel functions: one ftrace_ops a session, whose filter is never empty while
 * it is registered (an empty one would mean every function).
 *
 * The callback runs wherever the kernel calls a function: any context, any
 * lock held. It needs no lock against its own recursion: all that it runs is
 * this module's, which is built without ftrace's calls, or in line; the one
 * exception is irq_work_queue(), which is called only while its ring's wake_at
 * has been put out of reach, so that a record made inside does not call it again.
 * What shows arguments calls more and guards itself: function_more.c.
 */
#include <linux/bsearch.h>
#include <linux/err.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include "call.h"
#include "functions.h"
#include "stack.h"
#include "summary.h"
#include "targets.h"

static __always_inline u64 hit(struct ktr_target *t, unsigned long ip, unsigned long parent)
{
	struct ktr_ev_function *ev;
	struct ktr_rec *rec;
	u64 time;

	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_function,
			     task_pid_nr(t->task), sizeof(*ev));
	if (unlikely(!ktr_target_count(t, rec)))
		return 0;
	ev = (void *)(rec + 1);
	ev->ip = ip;
	ev->parent = parent;
	time = rec->time;
	ktr_emit_end(t->stream, KTR_RING_DATA);
	return time;
}

u64 ktr_function_bare(struct ktr_target *t, unsigned long ip, unsigned long parent)
{
	ktr_stack_from(t->stream, KTR_KIND_function, ip);
	return hit(t, ip, parent);
}

u64 ktr_function_entered(struct ktr_target *t, unsigned long ip, unsigned long parent,
			 bool returns, const struct pt_regs *regs)
{
	struct ktr_summary *sum = t->stream->summary;

	if (!ktr_wants(t->stream, KTR_KIND_function))
		return 0;
	if (ktr_summary_functions(sum)) {
		if (!returns)
			ktr_summary_function(sum, t, ip, -1);
		if (ktr_summary_only(sum))
			return 0;
	}
	return ktr_function_more(t, ip, parent, regs);
}

/* Out of line, so that tasks that are no targets save no registers for it. */
static noinline void entered_by(struct task_struct *task, const struct ktr_stream *st,
				unsigned long ip, unsigned long parent, struct ftrace_regs *fregs)
{
	struct ktr_target *t;

	guard(preempt_notrace)();
	ktr_for_each_privileged(t, task) {
		if (t->stream != st || ktr_call_too_early(t))
			continue;
		if (likely(ktr_wants_plain(st, KTR_KIND_function)))
			hit(t, ip, parent);
		else
			ktr_function_entered(t, ip, parent, false, ktr_fregs_pt(fregs));
	}
}

static void entered(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		    struct ftrace_regs *fregs)
{
	struct ktr_functions *f = container_of(ops, struct ktr_functions, ops);

	/*
	 * Most tasks are no targets: this is all they pay. An idle CPU's
	 * functions may run where RCU does not look.
	 */
	if (likely(hlist_empty(ktr_target_bucket(current))) || unlikely(is_idle_task(current)))
		return;
	entered_by(current, f->stream, ip, parent, fregs);
}

/* ftrace frees a filter but goes on pointing at it: begin with a fresh ops. */
static void reset_ops(struct ktr_functions *f)
{
	memset(&f->ops, 0, sizeof(f->ops));
	f->ops.func = entered;
}

void ktr_functions_init(struct ktr_functions *f, struct ktr_stream *st)
{
	f->stream = st;
	reset_ops(f);
	ktr_returns_init(&f->returns, st);
	ktr_graph_init(&f->graph, st);
}

static bool has(const unsigned long *addr, u32 n, u64 one)
{
	return n && bsearch(&one, addr, n, sizeof(one), ktr_addr_cmp);
}

int ktr_functions_test(u64 *addr, u32 *n)
{
	struct ftrace_ops probe = { .func = entered };
	u32 i, kept = 0;
	int ret = 0;

	for (i = 0; i < *n && ret != -ENOMEM; i++) {
		ret = ftrace_set_filter_ip(&probe, addr[i], 0, 1);
		if (!ret)
			addr[kept++] = addr[i];
		cond_resched();
	}
	ftrace_free_filter(&probe);
	*n = kept;
	return ret == -ENOMEM ? ret : 0;
}

/* The first address that ftrace does not take, for the message. */
static u64 find_bad(const unsigned long *addr, u32 n)
{
	u32 i, good;
	u64 one;

	for (i = 0; i < n; i++) {
		one = addr[i];
		good = 1;
		if (ktr_functions_test(&one, &good) || !good)
			return addr[i];
	}
	return 0;
}

/*
 * Put @addr in order and leave of it those that are new: for entries, in neither
 * set; for returns, not among those with returns.
 */
static u32 only_fresh(const struct ktr_functions *f, u64 *addr, u32 n, bool rets)
{
	u32 i, fresh = 0;
	u64 last = 0;

	sort(addr, n, sizeof(*addr), ktr_addr_cmp, NULL);
	for (i = 0; i < n; i++) {
		u64 one = addr[i];

		if ((i && one == last) || ktr_returns_has(&f->returns, one) ||
		    (!rets && has(f->addr, f->n, one)))
			continue;
		last = one;
		addr[fresh++] = one;
	}
	return fresh;
}

/* @all: what is there and, behind it, @fresh new ones. */
static int add_entries(struct ktr_functions *f, unsigned long *all, u32 fresh)
{
	int ret = ftrace_set_filter_ips(&f->ops, all + f->n, fresh, 0, 0);

	if (ret)
		return ret;
	if (!f->registered) {
		ret = register_ftrace_function(&f->ops);
		if (ret) {
			ftrace_free_filter(&f->ops);
			reset_ops(f);
			return ret;
		}
		f->registered = true;
	}
	kvfree(f->addr);
	f->addr = all;
	f->n += fresh;
	sort(f->addr, f->n, sizeof(*f->addr), ktr_addr_cmp, NULL);
	return 0;
}

static int del_entries(struct ktr_functions *f, const u64 *addr, u32 n);

/* Entries that were there alone are recorded by the new hook from now on. */
static int add_returns(struct ktr_functions *f, const unsigned long *addr, u32 n)
{
	struct ktr_return_block *b = ktr_returns_hook(&f->returns, addr, n);
	int ret;

	if (IS_ERR(b))
		return PTR_ERR(b);
	ret = del_entries(f, (const u64 *)addr, n);
	if (ret < 0)
		ktr_returns_drop(b);
	else
		ktr_returns_start(&f->returns, b);
	return min(ret, 0);
}

static int add(struct ktr_functions *f, u64 *addr, u32 n, struct ktr_functions_ask *ask)
{
	bool rets = ask->op == KTR_FUNCTIONS_ADD_RETURNS;
	unsigned long *all;
	u32 fresh = only_fresh(f, addr, n, rets);
	int ret;

	if (!fresh)
		return -EEXIST;
	all = kvmalloc_array(f->n + fresh, sizeof(*all), GFP_KERNEL_ACCOUNT);
	if (!all)
		return -ENOMEM;
	if (f->n)
		memcpy(all, f->addr, f->n * sizeof(*all));
	memcpy(all + f->n, addr, fresh * sizeof(*all));
	ret = rets ? add_returns(f, (unsigned long *)addr, fresh) : add_entries(f, all, fresh);
	if (ret || rets)
		kvfree(all);
	if (!ret || ret == -ENOMEM || ret == -E2BIG)
		return ret;
	ask->bad = find_bad((unsigned long *)addr, fresh);
	return -EINVAL;
}

static int add_graph(struct ktr_functions *f, u64 *addr, u32 n, struct ktr_functions_ask *ask)
{
	int ret;

	sort(addr, n, sizeof(*addr), ktr_addr_cmp, NULL);
	if (ask->op == KTR_FUNCTIONS_ADD_BELOW)
		ret = ktr_graph_add_below(&f->graph, addr, n);
	else
		ret = ktr_graph_add(&f->graph, addr, n, ask->depth);
	if (ret == -EINVAL)
		ask->bad = find_bad((unsigned long *)addr, n);
	return ret;
}

static void close_entries(struct ktr_functions *f)
{
	if (f->registered) {
		/* Waits for callbacks, also those preempted in a trampoline. */
		unregister_ftrace_function(&f->ops);
		f->registered = false;
	}
	ftrace_free_filter(&f->ops);
	reset_ops(f);
	kvfree(f->addr);
	f->addr = NULL;
	f->n = 0;
}

void ktr_functions_close(struct ktr_functions *f)
{
	close_entries(f);
	ktr_returns_close(&f->returns);
	ktr_graph_close(&f->graph);
}

u32 ktr_functions_count(const struct ktr_functions *f)
{
	return f->n + f->returns.n + ktr_graph_count(&f->graph);
}

/* One step: the new filter replaces the old, never an empty one. */
static int keep(struct ktr_functions *f, unsigned long *kept, u32 n)
{
	int ret = ftrace_set_filter_ips(&f->ops, kept, n, 0, 1);

	if (ret)
		return ret;
	memcpy(f->addr, kept, n * sizeof(*kept));
	f->n = n;
	return 0;
}

/* @addr in order. Return: how many were there, or an error. */
static int del_entries(struct ktr_functions *f, const u64 *addr, u32 n)
{
	unsigned long *kept;
	u32 i, nkept = 0, gone;
	int ret = 0;

	if (!f->n)
		return 0;
	kept = kvmalloc_array(f->n, sizeof(*kept), GFP_KERNEL);
	if (!kept)
		return -ENOMEM;
	for (i = 0; i < f->n; i++)
		if (!bsearch(&f->addr[i], addr, n, sizeof(*addr), ktr_addr_cmp))
			kept[nkept++] = f->addr[i];
	gone = f->n - nkept;
	if (!nkept)
		close_entries(f);
	else if (gone)
		ret = keep(f, kept, nkept);
	kvfree(kept);
	return ret ?: gone;
}

/* They stand together, so that what ftrace is to take away needs no room of ours. */
static void sweep_entries(struct ktr_functions *f, const struct ktr_span *span)
{
	u32 at, n = ktr_span_find(span, f->addr, f->n, &at);

	if (!n)
		return;
	if (n == f->n || ftrace_set_filter_ips(&f->ops, f->addr + at, n, 1, 0)) {
		close_entries(f);
		return;
	}
	f->n -= n;
	memmove(f->addr + at, f->addr + at + n, (f->n - at) * sizeof(*f->addr));
}

u32 ktr_functions_sweep(struct ktr_functions *f, const struct ktr_span *span)
{
	u32 before = ktr_functions_count(f);

	sweep_entries(f, span);
	ktr_returns_sweep(&f->returns, span);
	ktr_graph_sweep(&f->graph, span);
	return before - ktr_functions_count(f);
}

static int del_all_kinds(struct ktr_functions *f, const u64 *addr, u32 n)
{
	int ret = del_entries(f, addr, n);

	if (ret >= 0)
		ret = ktr_returns_del(&f->returns, addr, n);
	if (ret >= 0)
		ret = ktr_graph_del(&f->graph, addr, n);
	return ret;
}

static int del(struct ktr_functions *f, u64 *addr, u32 n, bool graphs)
{
	u32 before = ktr_functions_count(f);
	int ret = 0;

	if (addr)
		sort(addr, n, sizeof(*addr), ktr_addr_cmp, NULL);
	if (!addr && graphs)
		ktr_graph_close(&f->graph);
	else if (!addr)
		ktr_functions_close(f);
	else if (graphs)
		ret = ktr_graph_del(&f->graph, addr, n);
	else
		ret = del_all_kinds(f, addr, n);
	if (ret < 0)
		return ret;
	return ktr_functions_count(f) < before ? 0 : -ENOENT;
}

int ktr_functions_change(struct ktr_functions *f, u64 *addr, u32 n,
			 struct ktr_functions_ask *ask)
{
	switch (ask->op) {
	case KTR_FUNCTIONS_DEL:
	case KTR_FUNCTIONS_DEL_GRAPHS:
		return del(f, addr, n, ask->op == KTR_FUNCTIONS_DEL_GRAPHS);
	case KTR_FUNCTIONS_ADD_BELOW:
	case KTR_FUNCTIONS_ADD_GRAPHS:
		return add_graph(f, addr, n, ask);
	default:
		return add(f, addr, n, ask);
	}
}
