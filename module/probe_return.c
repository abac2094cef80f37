// SPDX-License-Identifier: GPL-2.0-only
/*
 * Returns of kernel functions: a record at the return, which also tells when the
 * call began. The entry has its own record, as that of any function.
 *
 * The callbacks run wherever the kernel calls a function, and only for tasks that
 * are targets is anything kept between the two. A target that is detached
 * meanwhile leaves no return: the second looks it up again.
 */
#include <linux/bsearch.h>
#include <linux/err.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "call.h"
#include "functions.h"
#include "kmod_text.h"
#include "returns.h"
#include "stack.h"
#include "summary.h"
#include "targets.h"

bool ktr_return_entered(const struct ktr_return_block *b, unsigned long ip,
			unsigned long parent, const struct pt_regs *regs,
			struct ktr_return_data *data)
{
	struct task_struct *task = current;
	struct ktr_target *t;
	bool returns;

	if (likely(hlist_empty(ktr_target_bucket(task))) || unlikely(is_idle_task(task)))
		return false;
	guard(preempt_notrace)();
	if (!READ_ONCE(b->live))
		return false;
	ktr_for_each_privileged(t, task) {
		if (t->stream != b->stream || ktr_call_too_early(t))
			continue;
		/* A walk's own calls are no calls of the task's. */
		if (b->stream->stack.kinds && ktr_stack_walking())
			return false;
		returns = ktr_wants(b->stream, KTR_KIND_function_return);
		data->start = ktr_function_entered(t, ip, parent, returns, regs) ?: ktr_clock_ns();
		if (!returns)
			return false;
		this_cpu_inc(b->stream->cpu->inside);
		return true;
	}
	return false;
}

static void hit(struct ktr_target *t, unsigned long ip, unsigned long parent,
		unsigned long value, u64 start)
{
	struct ktr_summary *sum = t->stream->summary;
	struct ktr_ev_function_return *ev;
	struct ktr_rec *rec;

	if (ktr_summary_functions(sum) && ktr_summary_only(sum)) {
		ktr_summary_function(sum, t, ip, ktr_clock_ns() - start);
		return;
	}
	ktr_stack_from(t->stream, KTR_KIND_function_return, parent);
	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_function_return,
			     task_pid_nr(t->task), sizeof(*ev));
	/* With the record's own time, so that sums over records are the same. */
	if (ktr_summary_functions(sum))
		ktr_summary_function(sum, t, ip, (rec ? rec->time : ktr_clock_ns()) - start);
	if (unlikely(!ktr_target_count(t, rec)))
		return;
	ev = (void *)(rec + 1);
	ev->ip = ip;
	ev->parent = parent;
	ev->ret = value;
	ev->start = start;
	ktr_emit_end(t->stream, KTR_RING_DATA);
}

void ktr_return_left(const struct ktr_return_block *b, unsigned long ip, unsigned long parent,
		     unsigned long value, const struct ktr_return_data *data)
{
	struct ktr_target *t;

	guard(preempt_notrace)();
	this_cpu_dec(b->stream->cpu->inside);
	ktr_for_each_privileged(t, current)
		if (t->stream == b->stream && ktr_wants(t->stream, KTR_KIND_function_return))
			hit(t, ip, parent, value, data->start);
}

void ktr_returns_init(struct ktr_returns *r, struct ktr_stream *st)
{
	r->stream = st;
	INIT_LIST_HEAD(&r->blocks);
}

struct ktr_return_block *ktr_returns_hook(struct ktr_returns *r, const unsigned long *addr, u32 n)
{
	struct ktr_return_block *b;
	int ret = -ENOMEM;

	b = kzalloc(sizeof(*b), GFP_KERNEL_ACCOUNT);
	if (!b)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&b->node);
	b->stream = r->stream;
	b->n = n;
	b->addr = kvmalloc_array(n, sizeof(*addr), GFP_KERNEL_ACCOUNT);
	if (!b->addr)
		goto err_free;
	memcpy(b->addr, addr, n * sizeof(*addr));
	ret = ktr_return_hook(b);
	if (ret)
		goto err_free_addr;
	return b;

err_free_addr:
	kvfree(b->addr);
err_free:
	kfree(b);
	return ERR_PTR(ret);
}

void ktr_returns_start(struct ktr_returns *r, struct ktr_return_block *b)
{
	list_add_tail(&b->node, &r->blocks);
	r->n += b->n;
	WRITE_ONCE(b->live, true);
}

void ktr_returns_drop(struct ktr_return_block *b)
{
	ktr_return_unhook(b);
	kvfree(b->addr);
	kfree(b);
}

static void end_block(struct ktr_returns *r, struct ktr_return_block *b)
{
	WRITE_ONCE(b->live, false);
	list_del(&b->node);
	r->n -= b->n;
	r->missed += ktr_return_hook_missed(b);
	ktr_returns_drop(b);
}

int ktr_addr_cmp(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

bool ktr_returns_has(const struct ktr_returns *r, u64 addr)
{
	const struct ktr_return_block *b;

	list_for_each_entry(b, &r->blocks, node)
		if (bsearch(&addr, b->addr, b->n, sizeof(addr), ktr_addr_cmp))
			return true;
	return false;
}

/*
 * What is kept of a block gets one of its own before the block goes. Calls that
 * are inside then return unseen.
 */
static int shrink(struct ktr_returns *r, struct ktr_return_block *b, const u64 *addr, u32 n)
{
	struct ktr_return_block *rest = NULL;
	unsigned long *kept;
	u32 i, nkept = 0, gone;

	kept = kvmalloc_array(b->n, sizeof(*kept), GFP_KERNEL);
	if (!kept)
		return -ENOMEM;
	for (i = 0; i < b->n; i++)
		if (!bsearch(&b->addr[i], addr, n, sizeof(*addr), ktr_addr_cmp))
			kept[nkept++] = b->addr[i];
	gone = b->n - nkept;
	if (gone && nkept)
		rest = ktr_returns_hook(r, kept, nkept);
	kvfree(kept);
	if (IS_ERR(rest))
		return PTR_ERR(rest);
	if (!gone)
		return 0;
	WRITE_ONCE(b->live, false);
	if (rest)
		ktr_returns_start(r, rest);
	end_block(r, b);
	return gone;
}

int ktr_returns_del(struct ktr_returns *r, const u64 *addr, u32 n)
{
	struct ktr_return_block *b, *next, *last;
	int ret = 0, gone = 0;

	if (list_empty(&r->blocks))
		return 0;
	/* What shrinking appends needs no second look. */
	last = list_last_entry(&r->blocks, struct ktr_return_block, node);
	list_for_each_entry_safe(b, next, &r->blocks, node) {
		bool end = b == last;

		ret = shrink(r, b, addr, n);
		if (ret < 0)
			return ret;
		gone += ret;
		if (end)
			break;
	}
	return gone;
}

/* The new block is made of the old one's addresses: what is to go stands at the end. */
static void sweep_block(struct ktr_returns *r, struct ktr_return_block *b,
			const struct ktr_span *span)
{
	struct ktr_return_block *rest = NULL;
	unsigned long *addr = b->addr;
	u32 at, n = ktr_span_find(span, addr, b->n, &at), kept = b->n - n;

	if (!n)
		return;
	/* Nobody looks for one of them any more: the hook has its own list. */
	memmove(addr + at, addr + at + n, (kept - at) * sizeof(*addr));
	if (kept)
		rest = ktr_returns_hook(r, addr, kept);
	WRITE_ONCE(b->live, false);
	if (!IS_ERR_OR_NULL(rest))
		ktr_returns_start(r, rest);
	end_block(r, b);
}

void ktr_returns_sweep(struct ktr_returns *r, const struct ktr_span *span)
{
	struct ktr_return_block *b, *next, *last;
	bool end;

	if (list_empty(&r->blocks))
		return;
	/* What is appended meanwhile needs no second look. */
	last = list_last_entry(&r->blocks, struct ktr_return_block, node);
	list_for_each_entry_safe(b, next, &r->blocks, node) {
		end = b == last;
		sweep_block(r, b, span);
		if (end)
			break;
	}
}

u32 ktr_returns_list(const struct ktr_returns *r, u32 skip, u64 *addr, u32 n)
{
	const struct ktr_return_block *b;
	u32 i, got = 0;

	list_for_each_entry(b, &r->blocks, node) {
		for (i = skip; i < b->n && got < n; i++)
			addr[got++] = b->addr[i];
		skip -= min(skip, b->n);
	}
	return got;
}

u64 ktr_returns_missed(const struct ktr_returns *r)
{
	const struct ktr_return_block *b;
	u64 missed = r->missed;

	list_for_each_entry(b, &r->blocks, node)
		missed += ktr_return_hook_missed(b);
	return missed;
}

u64 ktr_returns_inside(const struct ktr_returns *r)
{
	long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(r->stream->cpu, cpu)->inside);
	return max(sum, 0L);
}

void ktr_returns_close(struct ktr_returns *r)
{
	struct ktr_return_block *b, *next;

	list_for_each_entry_safe(b, next, &r->blocks, node)
		end_block(r, b);
}
