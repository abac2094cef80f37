// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring of one CPU, without locks. Positions are bytes since the start.
 *
 *	tail <= consumed <= committed <= reserved      (discard mode)
 *
 *	      consumed           committed    reserved
 *	         |                   |            |
 *	 [ read ][ whole and visible ][ under way ][ free ]
 *
 * A producer moves "reserved" on with a compare-and-exchange of this CPU
 * alone, fills its record and commits. An interrupt may come at any point and
 * do the same in between; since it is through before the interrupted producer
 * goes on, only the outermost commit has to publish: it copies "reserved" to
 * "committed". Nothing half-made is ever visible.
 *
 * In overwrite mode a producer first moves "tail" over whole records until
 * there is room. It never passes "committed": a record under construction
 * cannot be evicted, the new one is refused then.
 */
#include <linux/compiler.h>
#include <linux/atomic.h>
#include <linux/string.h>
#include "ring.h"

static void local_or(u64 *word, u64 bits)
{
	u64 old;

	do {
		old = READ_ONCE(*word);
	} while (cmpxchg_local(word, old, old | bits) != old);
}

static u64 local_take(u64 *word)
{
	u64 old;

	do {
		old = READ_ONCE(*word);
	} while (cmpxchg_local(word, old, 0) != old);
	return old;
}

void ktr_ring_init(struct ktr_ring *r, struct ktr_ring_prod *prod,
		   struct ktr_ring_cons *cons, void *data, u64 size, u32 mode,
		   u32 cpu)
{
	r->data = data;
	r->prod = prod;
	r->cons = cons;
	r->mask = size - 1;
	r->room = size;
	r->max_len = size / 2 < KTR_REC_MAX ? size / 2 : KTR_REC_MAX;
	r->overwrite = mode == KTR_MODE_OVERWRITE;
	r->wake_at = 1;
	prod->version = KTR_VERSION;
	prod->struct_len = sizeof(*prod);
	prod->size = size;
	prod->mode = mode;
	prod->cpu = cpu;
}

u64 ktr_ring_consumed(const struct ktr_ring *r)
{
	u64 committed = READ_ONCE(r->prod->committed);
	/* Pairs with the reader's release in user/ring_read.c. */
	u64 consumed = smp_load_acquire(&r->cons->consumed);

	/* A position that cannot be leaves the ring full: only its owner loses. */
	if (consumed > committed || committed - consumed > r->mask + 1)
		return committed > r->mask ? committed - r->mask - 1 : 0;
	return consumed;
}

/*
 * Move the tail over one record. A nested producer may have moved it
 * meanwhile: then the exchange fails and the caller looks again. The count
 * comes after the exchange; a reader who finds as many begun as finished knows
 * that what he has read in between agrees.
 */
static bool evict(struct ktr_ring *r, u64 tail)
{
	struct ktr_ring_prod *p = r->prod;
	struct ktr_rec *old = ktr_ring_at(r, tail);
	u32 len = READ_ONCE(old->len8) * 8;
	u8 kind = READ_ONCE(old->kind) & 63;

	if (tail == READ_ONCE(p->committed))
		return false;
	ktr_local_count(&p->evict_begun);
	smp_wmb();	/* pairs with load_tail() in user/ring_read.c */
	if (cmpxchg_local(&p->tail, tail, tail + len) == tail) {
		ktr_local_count(&p->evicted_kind[kind]);
		ktr_local_count(&p->evicted);
	}
	smp_wmb();	/* pairs with load_tail() in user/ring_read.c */
	ktr_local_count(&p->evict_finished);
	return true;
}

/* How far "reserved" may go now. */
static u64 look_up_limit(const struct ktr_ring *r)
{
	if (r->overwrite)
		return READ_ONCE(r->prod->tail) + r->mask + 1;
	return ktr_ring_consumed(r) + READ_ONCE(r->room);
}

/* Return: 0, or why there is no room for @len bytes at @head. */
static u32 make_room(struct ktr_ring *r, u64 head, u32 len)
{
	/* Bounded: each turn frees at least 16 of len bytes, or a nested producer did. */
	while (head + len > look_up_limit(r)) {
		if (!r->overwrite)
			return 1 + KTR_LOSS_FULL;
		if (!evict(r, READ_ONCE(r->prod->tail)))
			return 1 + KTR_LOSS_NESTED;
	}
	return 0;
}

/*
 * Take what is pending, whole: a nested refusal makes the exchange fail. Kinds
 * and reasons are taken first; those of a refusal that comes just then stay
 * for the next lost record.
 */
static void fill_lost(struct ktr_ring *r, struct ktr_rec *rec)
{
	struct ktr_ev_lost *ev = (struct ktr_ev_lost *)(rec + 1);
	u64 count;

	rec->len8 = KTR_RING_LOST_LEN / 8;
	rec->kind = KTR_KIND_lost;
	rec->flags = 0;
	rec->tid = 0;
	ev->kinds = local_take(&r->pend_kinds);
	ev->reasons = local_take(&r->pend_reasons);
	do {
		count = READ_ONCE(r->pend_count);
		ev->first = READ_ONCE(r->pend_first);
		ev->last = READ_ONCE(r->pend_last);
	} while (cmpxchg_local(&r->pend_count, count, 0) != count);
	ev->count = count;
	ktr_local_count(&r->prod->records);
}

bool ktr_ring_take_lost(struct ktr_ring *r, struct ktr_rec *to)
{
	if (!READ_ONCE(r->pend_count))
		return false;
	fill_lost(r, to);
	return true;
}

struct ktr_rec *ktr_ring_reserve_slow(struct ktr_ring *r, u32 len, u8 kind, u32 *why)
{
	struct ktr_ring_prod *p = r->prod;
	struct ktr_rec *rec;
	u32 lost, no_room;
	u64 head;

	if (len > r->max_len) {
		*why = KTR_LOSS_BIG;
		goto refuse;
	}
	do {
		/*
		 * The limit before the count: a refusal that nests here sets
		 * the limit to 0 after its count, so one of the two is seen.
		 */
		WRITE_ONCE(r->limit, look_up_limit(r));
		barrier();
		lost = READ_ONCE(r->pend_count) ? KTR_RING_LOST_LEN : 0;
		head = READ_ONCE(p->reserved);
		no_room = make_room(r, head, len + lost);
		if (no_room) {
			*why = no_room - 1;
			goto refuse;
		}
	} while (cmpxchg_local(&p->reserved, head, head + len + lost) != head);

	rec = ktr_ring_at(r, head);
	if (lost) {
		fill_lost(r, rec);
		rec = (struct ktr_rec *)((char *)rec + lost);
		*why = KTR_RING_LOST;
	}
	rec->len8 = len / 8;
	rec->kind = kind;
	ktr_local_count(&p->records);
	return rec;

refuse:
	ktr_ring_commit(r);
	return NULL;
}

struct ktr_rec *ktr_ring_reserve(struct ktr_ring *r, u32 len, u8 kind, u32 *why)
{
	ktr_ring_enter(r);
	return ktr_ring_reserve_slow(r, len, kind, why);
}

/*
 * An interrupt between reading "reserved" and clearing "nest" saw itself
 * nested and left its record to us: look again until nothing new is there.
 */
u64 ktr_ring_commit_slow(struct ktr_ring *r)
{
	struct ktr_ring_prod *p = r->prod;
	u64 head;

	if (r->nest > 1) {
		r->nest--;
		return 0;
	}
	do {
		r->nest = 1;
		barrier();
		head = READ_ONCE(p->reserved);
		/* Pairs with the reader's acquire in user/ring_read.c. */
		smp_store_release(&p->committed, head);
		barrier();
		r->nest = 0;
		barrier();
	} while (head != READ_ONCE(p->reserved));
	return head;
}

void ktr_ring_refused(struct ktr_ring *r, u8 kind, u32 why, u64 now)
{
	/* Times before the count: whoever takes the count finds both set. */
	WRITE_ONCE(r->pend_last, now);
	if (!READ_ONCE(r->pend_count))
		WRITE_ONCE(r->pend_first, now);
	local_or(&r->pend_kinds, 1ULL << (kind & 63));
	local_or(&r->pend_reasons, 1ULL << why);
	ktr_local_count(&r->pend_count);
	ktr_local_count(&r->prod->refused);
	barrier();
	WRITE_ONCE(r->limit, 0);	/* the next one must not take the short way */
}
