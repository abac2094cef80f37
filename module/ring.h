/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One ring of one CPU: variable-length records in a power of two of bytes.
 *
 * Pure: no per-CPU access, no time, no allocation, no wakeup, so that the very
 * same source runs in user space under the sanitizers.
 *
 * Who may run: producers on one CPU only, with preemption off. They nest
 * strictly last in, first out (task, softirq, irq, NMI). One consumer anywhere,
 * who may be hostile: it writes nothing but cons->consumed.
 */
#ifndef _KTR_RING_H
#define _KTR_RING_H

#include <linux/compiler.h>
#include <linux/atomic.h>
#include <asm/local.h>
#include "../uapi/ktracer.h"

struct ktr_ring {
	/* Set once, before the first producer. */
	unsigned char *data;		/* mapped twice in a row */
	struct ktr_ring_prod *prod;	/* users may read it; written only here */
	struct ktr_ring_cons *cons;	/* users may write it */
	u64 mask;
	u32 max_len;			/* longest record it takes */
	u32 overwrite;

	u64 room;			/* unread bytes it takes, at most its size; any CPU writes it */

	/* Written by this CPU's producers, which nest. */
	u32 nest;			/* reservations not yet committed */
	u64 limit;			/* "reserved" may go this far without another look */
	u64 wake_at;			/* committed position that wakes the reader, who sets it */

	/* Refused since the last lost record; claimed by cmpxchg of the count. */
	u64 pend_count;
	u64 pend_first;
	u64 pend_last;
	u64 pend_kinds;
	u64 pend_reasons;
};

/**
 * ktr_ring_init() - tie a ring to its memory
 * @r: zeroed
 * @prod: zeroed page
 * @cons: zeroed page
 * @data: 2 * @size bytes of address space over the same @size bytes
 * @size: a power of two, at least KTR_BUF_MIN
 * @mode: enum ktr_mode
 * @cpu: told to readers
 */
void ktr_ring_init(struct ktr_ring *r, struct ktr_ring_prod *prod,
		   struct ktr_ring_cons *cons, void *data, u64 size, u32 mode,
		   u32 cpu);

/**
 * ktr_ring_reserve() - room for a record
 * @r: the ring
 * @len: bytes of the whole record with its header, a multiple of 8
 * @kind: its kind, for the account
 * @why: 0 before; enum ktr_loss when NULL is returned; KTR_RING_LOST when a
 *	 lost record lies right in front of the returned one
 *
 * If records were refused before, a lost record is put in front of the room:
 * the caller gives it the time of his own (see ktr_ring_lost()). Every room must
 * be handed to ktr_ring_commit() on the same CPU, innermost first. Only len8
 * and kind of the header are filled in.
 *
 * Return: the record, or NULL if there is no room: tell ktr_ring_refused().
 */
struct ktr_rec *ktr_ring_reserve(struct ktr_ring *r, u32 len, u8 kind, u32 *why);

/* Count a producer in, as ktr_ring_try() does even when it fails. */
static __always_inline void ktr_ring_enter(struct ktr_ring *r)
{
	r->nest++;
	barrier();	/* nested producers must see that they are nested */
}

/* The rest of ktr_ring_reserve(), after ktr_ring_enter(). */
struct ktr_rec *ktr_ring_reserve_slow(struct ktr_ring *r, u32 len, u8 kind, u32 *why);

#define KTR_RING_LOST 0x100
#define KTR_RING_LOST_LEN (sizeof(struct ktr_rec) + sizeof(struct ktr_ev_lost))

/* The lost record in front of @rec; the data lie twice, so it never wraps. */
static inline struct ktr_rec *ktr_ring_lost(struct ktr_rec *rec)
{
	return (struct ktr_rec *)((char *)rec - KTR_RING_LOST_LEN);
}

/* Counters that nested producers of this CPU share: one instruction each. */
static __always_inline void ktr_local_count(u64 *counter)
{
	local_inc((local_t *)counter);
}

static inline struct ktr_rec *ktr_ring_at(const struct ktr_ring *r, u64 pos)
{
	return (struct ktr_rec *)(r->data + (pos & r->mask));
}

/* What every ring takes, so that a record this short need not be checked. */
#define KTR_RING_SHORT (KTR_BUF_MIN / 2)

/*
 * The common case of ktr_ring_reserve(), in line, for @len8 units of 8 bytes
 * up to KTR_RING_SHORT: there is room, and nothing was refused before (a refusal
 * sets the limit to 0). False: go on with ktr_ring_reserve_slow().
 */
static __always_inline bool ktr_ring_try(struct ktr_ring *r, u32 len8, u8 kind,
					 struct ktr_rec **where)
{
	struct ktr_ring_prod *p = r->prod;
	struct ktr_rec *rec;
	u64 head, next;

	ktr_ring_enter(r);
	head = READ_ONCE(p->reserved);
	next = head + 8ULL * len8;
	if (unlikely(next > READ_ONCE(r->limit) ||
		     cmpxchg_local(&p->reserved, head, next) != head))
		return false;
	rec = ktr_ring_at(r, head);
	rec->len8 = len8;
	rec->kind = kind;
	ktr_local_count(&p->records);
	*where = rec;
	return true;
}

/*
 * Publish all that is complete, if this is the outermost reservation.
 * Return: the position that is now committed; U64_MAX if ktr_ring_commit_slow()
 * has to go on.
 */
static __always_inline u64 ktr_ring_publish(struct ktr_ring *r)
{
	struct ktr_ring_prod *p = r->prod;
	u64 head;

	barrier();	/* the record before the count */
	if (unlikely(r->nest != 1))
		return ~0ULL;
	head = READ_ONCE(p->reserved);
	/* Pairs with the reader's acquire in user/ring_read.c. */
	smp_store_release(&p->committed, head);
	barrier();
	r->nest = 0;
	barrier();
	return likely(head == READ_ONCE(p->reserved)) ? head : ~0ULL;
}

/* Return: the position that is committed; 0: an outer reservation will publish. */
u64 ktr_ring_commit_slow(struct ktr_ring *r);

static inline u64 ktr_ring_commit(struct ktr_ring *r)
{
	u64 head = ktr_ring_publish(r);

	return likely(head != ~0ULL) ? head : ktr_ring_commit_slow(r);
}

/* Account one refused record for the next lost record. @now: its time. */
void ktr_ring_refused(struct ktr_ring *r, u8 kind, u32 why, u64 now);

/*
 * What is pending, as a lost record without its time, for a reader who has all
 * else: no producer is left. False: nothing is. @to: KTR_RING_LOST_LEN bytes.
 */
bool ktr_ring_take_lost(struct ktr_ring *r, struct ktr_rec *to);

/* Positions as the consumer's page says, clamped to what can be. */
u64 ktr_ring_consumed(const struct ktr_ring *r);

#endif
