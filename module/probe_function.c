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
 */
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "functions.h"
#include "targets.h"

static __always_inline void hit(struct ktr_target *t, unsigned long ip, unsigned long parent)
{
	struct ktr_ev_function *ev;
	struct ktr_rec *rec;

	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_function,
			     task_pid_nr(t->task), sizeof(*ev));
	if (unlikely(!ktr_target_count(t, rec)))
		return;
	ev = (void *)(rec + 1);
	ev->ip = ip;
	ev->parent = parent;
	ktr_emit_end(t->stream, KTR_RING_DATA);
}

static void entered(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		    struct ftrace_regs *fregs)
{
	struct ktr_functions *f = container_of(ops, struct ktr_functions, ops);
	struct task_struct *task = current;
	struct ktr_target *t;

	/*
	 * Most tasks are no targets: this is all they pay. An idle CPU's
	 * functions may run where RCU does not look.
	 */
	if (likely(hlist_empty(ktr_target_bucket(task))) || unlikely(is_idle_task(task)))
		return;
	guard(preempt_notrace)();
	ktr_for_each_target(t, task)
		if (t->stream == f->stream && !ktr_target_armed(t) &&
		    ktr_wants(t->stream, KTR_KIND_function))
			hit(t, ip, parent);
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
}

static bool has(const struct ktr_functions *f, unsigned long addr)
{
	u32 i;

	for (i = 0; i < f->n; i++)
		if (f->addr[i] == addr)
			return true;
	return false;
}

/* The first address that ftrace does not take, for the message. */
static u64 find_bad(struct ktr_functions *f, unsigned long *addr, u32 n)
{
	struct ftrace_ops probe = { .func = entered };
	u64 bad = 0;
	u32 i;

	for (i = 0; i < n && !bad; i++)
		if (ftrace_set_filter_ip(&probe, addr[i], 0, 0))
			bad = addr[i];
	ftrace_free_filter(&probe);
	return bad;
}

int ktr_functions_add(struct ktr_functions *f, const u64 *addr, u32 n, u64 *bad)
{
	unsigned long *all;
	u32 i, fresh = 0;
	int ret;

	all = kvmalloc_array(f->n + n, sizeof(*all), GFP_KERNEL_ACCOUNT);
	if (!all)
		return -ENOMEM;
	if (f->n)
		memcpy(all, f->addr, f->n * sizeof(*all));
	for (i = 0; i < n; i++)
		if (!has(f, addr[i]))
			all[f->n + fresh++] = addr[i];
	ret = -EEXIST;
	if (!fresh)
		goto err_free;
	ret = ftrace_set_filter_ips(&f->ops, all + f->n, fresh, 0, 0);
	if (ret) {
		if (ret != -ENOMEM)
			*bad = find_bad(f, all + f->n, fresh);
		ret = ret == -ENOMEM ? ret : -EINVAL;
		goto err_free;
	}
	if (!f->registered) {
		ret = register_ftrace_function(&f->ops);
		if (ret)
			goto err_unfilter;
		f->registered = true;
	}
	kvfree(f->addr);
	f->addr = all;
	f->n += fresh;
	return 0;

err_unfilter:
	ftrace_free_filter(&f->ops);
	reset_ops(f);
err_free:
	kvfree(all);
	return ret;
}

void ktr_functions_close(struct ktr_functions *f)
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

int ktr_functions_del(struct ktr_functions *f, const u64 *addr, u32 n)
{
	u32 i, j, kept = 0, before = f->n;

	if (!addr) {
		ktr_functions_close(f);
		return before ? 0 : -ENOENT;
	}
	for (i = 0; i < f->n; i++) {
		for (j = 0; j < n && addr[j] != f->addr[i]; j++)
			;
		if (j == n)
			f->addr[kept++] = f->addr[i];
	}
	if (kept == before)
		return -ENOENT;
	f->n = kept;
	if (!kept) {
		ktr_functions_close(f);
		return 0;
	}
	/* One step: the new filter replaces the old, never an empty one. */
	return ftrace_set_filter_ips(&f->ops, f->addr, kept, 0, 1);
}
