// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bsearch.h>
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include "call.h"
#include "frows.h"
#include "functions.h"
#include "graph.h"
#include "kmod_text.h"
#include "returns.h"
#include "stack.h"
#include "targets.h"

/* What graphs begin with, and how deep they are. Never changes once probes see it. */
struct ktr_graph_begins {
	u32 n;
	u32 depth;		/* 0: any */
	unsigned long addr[] __counted_by(n);	/* ascending */
};

/* Of graphs, and of targets in them; what is kept of a call tells if it is stale. */
static atomic_t ids = ATOMIC_INIT(0);

static __always_inline int addr_cmp(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* In line: bsearch() is a function that may be hooked. */
static __always_inline bool has(const struct ktr_graph_begins *b, unsigned long addr)
{
	return __inline_bsearch(&addr, b->addr, b->n, sizeof(addr), addr_cmp);
}

/* By where ftrace is called. */
static bool begins_with(const struct ktr_graph_begins *b, unsigned long ip)
{
	return has(b, ip) || has(b, ip - KTR_ENDBR_SIZE);
}

static struct ktr_target *find(const struct ktr_graph *g)
{
	struct ktr_target *t;

	ktr_for_each_privileged(t, current)
		if (t->stream == g->stream)
			return t;
	return NULL;
}

/*
 * The bit is its CPU's and context's own; preemption is off. As in function_more.c.
 */
static DEFINE_PER_CPU(u8, busy);

static __always_inline bool is_busy(u8 ctx)
{
	return this_cpu_read(busy) & ctx || ktr_stack_walking() || ktr_function_busy();
}

static __always_inline void begin(u8 ctx)
{
	this_cpu_or(busy, ctx);
	barrier();
}

static __always_inline void end(u8 ctx)
{
	barrier();
	this_cpu_and(busy, ~ctx);
}

static bool belongs(struct ktr_graph *g, unsigned long ip)
{
	const struct ktr_graph_begins *b = rcu_dereference_raw(g->begins);
	struct ktr_target *t = find(g);
	u32 depth;

	if (!b || !t || !ktr_wants(g->stream, KTR_KIND_graph) || ktr_call_too_early(t))
		return false;
	depth = t->graph.graph == g->id ? t->graph.depth : 0;
	if (!depth)
		return begins_with(b, ip);
	if (b->depth && depth >= b->depth)
		return false;
	if (likely(depth < KTR_GRAPH_DEEPEST))
		return true;
	atomic64_inc(&g->no_room);
	return false;
}

bool ktr_graph_takes(struct ktr_graph *g, unsigned long ip)
{
	u8 ctx = 1 << ktr_emit_context();

	if (is_busy(ctx) || !belongs(g, ip))
		return false;
	begin(ctx);
	return true;
}

void ktr_graph_done(void)
{
	end(1 << ktr_emit_context());
}

void ktr_graph_entered(struct ktr_graph *g, struct ktr_graph_data *data)
{
	struct ktr_target *t = find(g);
	struct ktr_graph_place *p;

	*data = (struct ktr_graph_data){};
	/* Another CPU may just have detached it. */
	if (!t)
		return;
	p = &t->graph;
	if (p->graph != g->id) {
		p->graph = g->id;
		p->serial = atomic_inc_return(&ids);
		p->depth = 0;
	}
	if (!p->depth)
		p->overrun = ktr_shadow_overrun();
	data->serial = p->serial;
	data->depth = p->depth++;
	data->number = local_inc_return(&p->number);
	data->cpu = raw_smp_processor_id();
	data->start = ktr_clock_ns();
}

/* Somebody else may start to count anew in between. */
static void count_overrun(struct ktr_graph *g, const struct ktr_graph_place *p)
{
	u32 now = ktr_shadow_overrun();

	if (now > p->overrun)
		atomic64_add(now - p->overrun, &g->no_room);
}

static void emit(struct ktr_target *t, unsigned long ip, const struct ktr_graph_data *data)
{
	bool active = t->state & KTR_T_ACTIVE;
	struct ktr_ev_graph *ev;
	struct ktr_rec *rec;

	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_graph, task_pid_nr(t->task),
			     sizeof(*ev));
	if (unlikely(!ktr_target_count(t, rec)))
		return;
	ev = (void *)(rec + 1);
	ev->ip = ip;
	ev->start = data->start;
	ev->number = data->number;
	ev->calls = (u32)local_read(&t->graph.number) - data->number;
	ev->depth = data->depth;
	ev->entry_cpu = data->cpu;
	ev->nr = active ? t->call.ev.nr : -1;
	ev->abi = active ? t->call.ev.abi : 0;
	ktr_emit_end(t->stream, KTR_RING_DATA);
}

static void leave(struct ktr_graph *g, unsigned long ip, const struct ktr_graph_data *data)
{
	struct ktr_target *t = find(g);

	/* Entered for another target, which is gone. */
	if (!t || !data->serial || t->graph.serial != data->serial)
		return;
	/* Not one less: the return of a call below may have been missed. */
	t->graph.depth = data->depth;
	if (!data->depth)
		count_overrun(g, &t->graph);
	if (ktr_wants(g->stream, KTR_KIND_graph))
		emit(t, ip, data);
}

void ktr_graph_left(struct ktr_graph *g, unsigned long ip, const struct ktr_graph_data *data)
{
	u8 ctx = 1 << ktr_emit_context();

	begin(ctx);
	leave(g, ip, data);
	end(ctx);
}

void ktr_graph_init(struct ktr_graph *g, struct ktr_stream *st)
{
	g->stream = st;
}

static struct ktr_graph_begins *begins_of(const struct ktr_graph *g)
{
	return rcu_dereference_protected(g->begins, 1);
}

/* @addr and @fresh, each ascending, without what is in both; *n: how many. */
static u32 merge(unsigned long *to, const unsigned long *addr, u32 n, const u64 *fresh, u32 m)
{
	u32 i = 0, j = 0, k = 0;

	while (i < n || j < m) {
		unsigned long one;

		if (j == m || (i < n && addr[i] <= fresh[j]))
			one = addr[i++];
		else
			one = fresh[j++];
		if (!k || to[k - 1] != one)
			to[k++] = one;
	}
	return k;
}

static int hook(struct ktr_graph *g)
{
	int ret;

	if (g->hook)
		return 0;
	ret = ktr_graph_hook(g);
	if (!ret)
		WRITE_ONCE(g->id, atomic_inc_return(&ids));
	return ret;
}

static void unhook(struct ktr_graph *g)
{
	if (!g->hook)
		return;
	g->missed += ktr_graph_hook_missed(g);
	ktr_graph_unhook(g);
	kvfree(g->addr);
	g->addr = NULL;
	g->n = 0;
}

/* Those of @addr that are not hooked yet; how many. */
static u32 pick_fresh(const struct ktr_graph *g, unsigned long *to, const u64 *addr, u32 n)
{
	u32 i, k = 0;

	for (i = 0; i < n; i++)
		if (!bsearch(&addr[i], g->addr, g->n, sizeof(*addr), ktr_addr_cmp))
			to[k++] = addr[i];
	return k;
}

static int hook_more(struct ktr_graph *g, const u64 *addr, u32 n)
{
	unsigned long *all, *fresh;
	int ret = -ENOMEM;
	u32 m;

	all = kvmalloc_array(g->n + n, sizeof(*all), GFP_KERNEL_ACCOUNT);
	fresh = kvmalloc_array(n, sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	if (all && fresh) {
		m = pick_fresh(g, fresh, addr, n);
		ret = m ? ktr_graph_hook_more(g, fresh, m) : 0;
	}
	if (!ret) {
		g->n = merge(all, g->addr, g->n, addr, n);
		swap(g->addr, all);
	}
	kvfree(fresh);
	kvfree(all);
	return ret;
}

int ktr_graph_add_below(struct ktr_graph *g, const u64 *addr, u32 n)
{
	int ret = hook(g) ?: hook_more(g, addr, n);

	if (!g->n)
		unhook(g);
	return ret;
}

/* What was there is freed when no probe can see it. */
static void set_begins(struct ktr_graph *g, struct ktr_graph_begins *b)
{
	struct ktr_graph_begins *old = begins_of(g);

	rcu_assign_pointer(g->begins, b);
	synchronize_rcu();
	kvfree(old);
}

static struct ktr_graph_begins *new_begins(u32 n)
{
	struct ktr_graph_begins *b;

	b = kvzalloc(struct_size(b, addr, n), GFP_KERNEL_ACCOUNT);
	if (b)
		b->n = n;
	return b;
}

int ktr_graph_add(struct ktr_graph *g, const u64 *addr, u32 n, u32 depth)
{
	const struct ktr_graph_begins *old = begins_of(g);
	u32 before = old ? old->n : 0;
	struct ktr_graph_begins *b = new_begins(before + n);
	int ret;

	if (!b)
		return -ENOMEM;
	b->depth = depth;
	b->n = merge(b->addr, old ? old->addr : NULL, before, addr, n);
	ret = b->n == before ? -EEXIST : ktr_graph_add_below(g, addr, n);
	if (ret) {
		kvfree(b);
		return ret;
	}
	g->depth = depth;
	set_begins(g, b);
	return 0;
}

void ktr_graph_expect(struct ktr_graph *g, bool yes)
{
	g->expects = yes;
	if (!yes && !begins_of(g))
		unhook(g);
}

int ktr_graph_del(struct ktr_graph *g, const u64 *addr, u32 n)
{
	const struct ktr_graph_begins *old = begins_of(g);
	struct ktr_graph_begins *b;
	u32 i, kept = 0;

	if (!old) {
		/* What was hooked for a graph that did not come about. */
		ktr_graph_expect(g, g->expects);
		return 0;
	}
	b = new_begins(old->n);
	if (!b)
		return -ENOMEM;
	for (i = 0; i < old->n; i++)
		if (!bsearch(&old->addr[i], addr, n, sizeof(*addr), ktr_addr_cmp))
			b->addr[kept++] = old->addr[i];
	b->n = kept;
	b->depth = old->depth;
	if (kept) {
		set_begins(g, b);
		return 0;
	}
	kvfree(b);
	set_begins(g, NULL);
	ktr_graph_expect(g, g->expects);
	return 0;
}

static int sweep_below(struct ktr_graph *g, const struct ktr_span *span)
{
	u32 at, n = ktr_span_find(span, g->addr, g->n, &at);
	int ret;

	if (!n)
		return 0;
	ret = n == g->n ? -ENOENT : ktr_graph_hook_less(g, g->addr + at, n);
	if (ret)
		return ret;
	g->n -= n;
	memmove(g->addr + at, g->addr + at + n, (g->n - at) * sizeof(*g->addr));
	return 0;
}

void ktr_graph_sweep(struct ktr_graph *g, const struct ktr_span *span)
{
	const struct ktr_graph_begins *b = begins_of(g);
	int ret = g->hook ? sweep_below(g, span) : 0;
	u32 at, n;

	n = b ? ktr_span_find(span, b->addr, b->n, &at) : 0;
	if (!ret && n)
		ret = ktr_graph_del(g, (const u64 *)b->addr + at, n);
	if (ret)
		ktr_graph_close(g);
}

u32 ktr_graph_count(const struct ktr_graph *g)
{
	return begins_of(g) ? begins_of(g)->n : 0;
}

u32 ktr_graph_list(const struct ktr_graph *g, u32 skip, u64 *addr, u32 n)
{
	const struct ktr_graph_begins *b = begins_of(g);
	u32 got = 0;

	while (b && skip < b->n && got < n)
		addr[got++] = b->addr[skip++];
	return got;
}

u64 ktr_graph_missed(const struct ktr_graph *g)
{
	return g->missed + (g->hook ? ktr_graph_hook_missed(g) : 0) +
	       atomic64_read(&g->no_room);
}

void ktr_graph_close(struct ktr_graph *g)
{
	g->expects = false;
	if (begins_of(g))
		set_begins(g, NULL);
	unhook(g);
}
