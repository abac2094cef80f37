/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a probe sees of a session, and how it writes a record.
 *
 *	rec = ktr_emit_begin(st, KTR_RING_DATA, KTR_KIND_x, tid, len);
 *	if (rec) {
 *		... fill the payload behind *rec ...
 *		ktr_emit_end(st, KTR_RING_DATA);
 *	}
 *
 * Callers have preemption off from before they found the stream until after
 * ktr_emit_end(): that is what keeps the stream's memory alive (the session
 * waits with synchronize_rcu() before it frees) and what makes the ring this
 * CPU's own.
 */
#ifndef _KTR_EMIT_H
#define _KTR_EMIT_H

#include <asm/local.h>
#include <linux/bitops.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include "clock.h"
#include "ring.h"

struct ktr_table;
struct ktr_filter;
struct ktr_pool;
struct ktr_summary;
struct ktr_frows;
struct ktr_channel;
struct cred;

/* The pages behind a ring. */
struct ktr_ring_mem {
	struct page **pages;
	u32 npages;
	void *base;
};

/* One CPU's share of a session. */
struct ktr_cpu {
	struct ktr_ring ring[__KTR_RING_LAST];
	struct irq_work wake;		/* leads to ktr_channel_wake() */
	struct ktr_channel *channel;
	struct ktr_ring_mem mem[__KTR_RING_LAST];
	u32 cpu;
	long inside;		/* functions entered less those returned, here; added up */
	/* Refused records; counted by this CPU's nesting producers. */
	u64 loss[__KTR_RING_LAST][64][__KTR_LOSS_LAST];
};

struct ktr_stream {
	/* Read by every probe, written by the session under its mutex. */
	struct ktr_cpu __percpu *cpu;
	u64 live;			/* kinds to record now; 0 while stopped */
	u64 plain;			/* of these, those that are just recorded: no predicate, not counted, nothing more shown, no stack */
	u64 signals;			/* bit sig-1 */
	struct ktr_stack_want stack;	/* which kinds have a stack, and of what */
	u32 rec_flags;			/* generation, ready for ktr_rec.flags */
	struct ktr_table __rcu *table;
	struct ktr_filter __rcu *filter;
	struct ktr_frows __rcu *frows;	/* NULL: functions show no arguments */
	struct ktr_pool *pool;
	struct ktr_summary *summary;	/* NULL: calls are not counted; fixed */
	const struct cred *owner;	/* a plain user, who sees his own alone; NULL; fixed */
	/* Counted by probes on all CPUs, rarely. */
	atomic64_t not_followed;
	atomic64_t refused;		/* by the predicate */
};

/* test_bit_acquire(): nothing is acquired, but it tests a constant bit where it lies. */
static __always_inline bool ktr_wants(const struct ktr_stream *st, u8 kind)
{
	return test_bit_acquire(kind, (const unsigned long *)&st->live);
}

static __always_inline bool ktr_wants_plain(const struct ktr_stream *st, u8 kind)
{
	return test_bit_acquire(kind, (const unsigned long *)&st->plain);
}

static __always_inline bool ktr_wants_stack(const struct ktr_stream *st, u8 kind)
{
	return test_bit_acquire(kind, (const unsigned long *)&st->stack.kinds);
}

/* Room and header when the short way failed. NULL: lost, and accounted. */
struct ktr_rec *ktr_emit_slow(struct ktr_cpu *c, unsigned int ring, u8 kind, u32 len);

/* KTR_REC_CTX_* of the running context. */
static __always_inline u8 ktr_emit_context(void)
{
	if (likely(in_task()))
		return 0;
	return in_nmi() ? 3 : in_hardirq() ? 2 : 1;
}

/* The rings of the running CPU. */
static __always_inline struct ktr_cpu *ktr_emit_cpu(const struct ktr_stream *st)
{
	return this_cpu_ptr(st->cpu);
}

/* All but the time: it is taken after the reservation, as a reader's cut by time relies on. */
static __always_inline void ktr_emit_head(const struct ktr_stream *st, struct ktr_rec *rec, u8 ctx,
					  u32 tid)
{
	rec->flags = READ_ONCE(st->rec_flags) | ctx;
	rec->tid = tid;
}

/*
 * As ktr_emit_begin(), for those who know their CPU's share, their context
 * (KTR_REC_CTX_*) and that @len with the header is at most KTR_RING_SHORT.
 */
static __always_inline struct ktr_rec *
ktr_emit_begin_short(struct ktr_stream *st, struct ktr_cpu *c, unsigned int ring, u8 kind,
		     u8 ctx, u32 tid, u32 len)
{
	struct ktr_rec *rec;

	if (unlikely(!ktr_ring_try(&c->ring[ring], (sizeof(*rec) + len) / 8, kind, &rec))) {
		rec = ktr_emit_slow(c, ring, kind, sizeof(*rec) + len);
		if (!rec)
			return NULL;
	}
	ktr_emit_head(st, rec, ctx, tid);
	rec->time = ktr_clock_ns();
	return rec;
}

/*
 * As ktr_emit_begin_short(), for so many @words of 8 bytes, but calls nothing,
 * and the caller fills in the header: ktr_emit_head() and, as the time,
 * ktr_clock_direct(). False: more would be needed, and nothing has been done; the
 * caller makes the record in another way, at once (what a nested producer has
 * left to us is published then).
 */
static __always_inline bool
ktr_emit_begin_quick(struct ktr_cpu *c, unsigned int ring, u8 kind, u32 words,
		     struct ktr_rec **rec)
{
	if (unlikely(!ktr_clock_is_direct()))
		return false;
	if (unlikely(!ktr_ring_try(&c->ring[ring], sizeof(**rec) / 8 + words, kind, rec))) {
		c->ring[ring].nest--;
		return false;
	}
	return true;
}

/* The same for records of any length; out of line. */
struct ktr_rec *ktr_emit_begin_long(struct ktr_stream *st, unsigned int ring, u8 kind, u32 tid,
				    u32 len);
/* In a data ring, with the running task's stack behind @len; stack.c. */
struct ktr_rec *ktr_emit_begin_stack(struct ktr_stream *st, u8 kind, u32 tid, u32 len);

/**
 * ktr_emit_begin() - start a record
 * @st: the stream
 * @ring: enum ktr_ring_id
 * @kind: enum ktr_kind
 * @tid: whose record it is
 * @len: bytes behind the header, a multiple of 8
 *
 * Context: any, preemption off.
 * Return: the record with its header filled in, or NULL: lost, and accounted.
 */
static __always_inline struct ktr_rec *
ktr_emit_begin(struct ktr_stream *st, unsigned int ring, u8 kind, u32 tid, u32 len)
{
	if (ring == KTR_RING_DATA && unlikely(ktr_wants_stack(st, kind)))
		return ktr_emit_begin_stack(st, kind, tid, len);
	if (__builtin_constant_p(len) && len <= KTR_RING_SHORT - sizeof(struct ktr_rec))
		return ktr_emit_begin_short(st, ktr_emit_cpu(st), ring, kind,
					    ktr_emit_context(), tid, len);
	return ktr_emit_begin_long(st, ring, kind, tid, len);
}

/* The rest of ktr_emit_end_cpu(): others nest, or the reader is to be woken. */
void ktr_emit_end_slow(struct ktr_cpu *c, unsigned int ring);

/* Nothing of the caller's need live on: in most cases this calls nothing. */
static __always_inline void ktr_emit_end_cpu(struct ktr_cpu *c, unsigned int ring)
{
	struct ktr_ring *r = &c->ring[ring];
	u64 head = ktr_ring_publish(r);

	if (unlikely(head >= READ_ONCE(r->wake_at)))
		ktr_emit_end_slow(c, ring);
}

static __always_inline void ktr_emit_end(struct ktr_stream *st, unsigned int ring)
{
	ktr_emit_end_cpu(ktr_emit_cpu(st), ring);
}

#endif
