// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "events.h"
#include "ring_read.h"

/* Pairs with the producer's releases in module/ring.c. */
static uint64_t load(const __u64 *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

int ring_read_init(struct ring_read *r, const struct ktr_ring_prod *prod,
		   void *cons, const unsigned char *data, uint64_t size,
		   unsigned int cpu, unsigned int ring)
{
	unsigned int k;

	memset(r, 0, sizeof(*r));
	if (prod->version != KTR_VERSION ||
	    prod->struct_len < sizeof(*prod))
		return -EPROTO;
	if (prod->size != size || !size || size & (size - 1))
		return -EINVAL;
	r->prod = prod;
	r->cons = cons;
	r->notes = (struct ring_notes *)((char *)cons + RING_NOTES_OFFSET);
	r->data = data;
	r->size = size;
	r->cpu = cpu;
	r->ring = ring;
	r->overwrite = prod->mode == KTR_MODE_OVERWRITE;
	r->pos = load(&r->cons->consumed);
	if (r->notes->magic != RING_NOTES_MAGIC) {
		memset(r->notes, 0, sizeof(*r->notes));
		r->notes->magic = RING_NOTES_MAGIC;
		r->notes->pos = r->pos;
	}
	if (r->notes->pos != r->pos)
		r->notes->drained = 1;
	for (k = 0; k < 64; k++)
		r->evicted_before += r->notes->evicted_kind[k];
	r->refused_before = r->notes->refused_told;
	r->last_time = r->notes->last_time;
	return 0;
}

uint64_t ring_first_time(const struct ring_read *r)
{
	uint64_t end = load(&r->prod->committed);

	/* A position that cannot be leads nowhere. */
	if (r->overwrite || r->pos >= end || end - r->pos > r->size || r->pos & 7)
		return 0;
	return ((const struct ktr_rec *)(r->data + (r->pos & (r->size - 1))))->time;
}

void ring_snapshot(struct ring_read *r)
{
	r->limit = load(&r->prod->reserved);
}

bool ring_settled(struct ring_read *r)
{
	r->end = load(&r->prod->committed);
	return r->end >= r->limit;
}

static void note(struct ring_read *r, const struct ktr_rec *rec)
{
	const struct ktr_ev_lost *lost = EV_AS(lost, rec);
	unsigned int kind = rec->kind & 63;

	if (lost)
		r->notes->lost_seen += lost->count;
	r->notes->read_kind[kind]++;
	r->kinds[kind]++;
	r->records++;
	r->last_time = rec->time;
}

/*
 * Count the whole records in len bytes. Something shorter than a header is
 * never written: that would be a broken ring, and what follows is given up.
 */
static size_t walk(struct ring_read *r, const unsigned char *p, size_t len)
{
	const struct ktr_rec *rec;
	size_t done = 0;

	while (len - done >= sizeof(*rec)) {
		rec = (const struct ktr_rec *)(p + done);
		if (rec->len8 < 2) {
			r->broken = true;
			break;
		}
		if (rec->len8 * 8u > len - done)
			break;
		note(r, rec);
		done += rec->len8 * 8u;
	}
	return done;
}

/* Nothing could be read although bytes are there: give them up, noticeably. */
static void give_up(struct ring_read *r)
{
	r->broken = true;
	r->pos = r->end;
}

static size_t take_in_place(struct ring_read *r, size_t cap,
			    const unsigned char **p)
{
	uint64_t avail = r->end - r->pos;
	size_t n;

	/* Only a scribbled position is further behind than a ring is long. */
	if (r->end < r->pos || avail > r->size) {
		give_up(r);
		return 0;
	}
	*p = r->data + (r->pos & (r->size - 1));
	n = walk(r, *p, avail < cap ? avail : cap);
	if (!n && avail)
		give_up(r);
	r->pos += n;
	return n;
}

/* One that was never in the ring: those who are told of it count it, the notes do not. */
static void count_made(struct ring_read *r)
{
	r->kinds[KTR_KIND_lost]++;
	r->records++;
}

/* The tail and what was evicted to get there. */
struct tail {
	uint64_t pos;
	uint64_t evicted[64];
};

/*
 * The tail moves before the counts do. They agree if no eviction was under way
 * while they were read: as many had finished before as had begun after. A
 * producer is under way for a few instructions, so this ends soon; if he should
 * be stopped there for good, what he has told so far must do.
 */
static void load_tail(const struct ring_read *r, struct tail *t)
{
	uint64_t finished;
	unsigned int k, tries = 0;

	do {
		finished = load(&r->prod->evict_finished);
		t->pos = load(&r->prod->tail);
		for (k = 0; k < 64; k++)
			t->evicted[k] = load(&r->prod->evicted_kind[k]);
	} while (load(&r->prod->evict_begun) != finished && ++tries < 100000);
}

/* Evicted records that were neither read nor told; they are told now. */
static uint64_t tell_evicted(struct ring_read *r, const struct tail *t,
			     uint64_t *kinds)
{
	struct ring_notes *n = r->notes;
	uint64_t count = 0, here;
	unsigned int k;

	*kinds = 0;
	for (k = 0; k < 64; k++) {
		here = n->read_kind[k] + n->evicted_kind[k];
		if (t->evicted[k] <= here)
			continue;
		count += t->evicted[k] - here;
		*kinds |= 1ULL << k;
		n->evicted_kind[k] += t->evicted[k] - here;
	}
	return count;
}

static void make_lost(void *p, uint64_t count, uint64_t kinds, uint64_t why,
		      uint64_t first, uint64_t last, uint64_t time)
{
	struct ktr_rec rec = {
		.len8 = RING_LOST_LEN / 8, .kind = KTR_KIND_lost, .time = time,
	};
	struct ktr_ev_lost ev = {
		.count = count, .first = first, .last = last, .kinds = kinds,
		.reasons = why,
	};

	memcpy(p, &rec, sizeof(rec));
	memcpy((char *)p + sizeof(rec), &ev, sizeof(ev));
}

/*
 * Copy first, look at the tail afterwards: what lies below it now may have
 * been overwritten during the copy. False: the copy was overtaken as a whole.
 * A turn ends where it ended when it began, however fast the producer is, but
 * for one that has been overtaken.
 */
static bool copy_out(struct ring_read *r, unsigned char *dst, size_t cap,
		     uint64_t *start, size_t *n, struct tail *t)
{
	uint64_t tail = load(&r->prod->tail);

	*start = tail > r->pos ? tail : r->pos;
	if (*start >= r->end)
		r->end = load(&r->prod->committed);
	/* The producer went once around between the two looks. */
	if (r->end - *start > r->size)
		return false;
	*n = r->end - *start;
	if (*n > cap)
		*n = cap;
	memcpy(dst, r->data + (*start & (r->size - 1)), *n);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	load_tail(r, t);
	return t->pos < *start + *n || !*n;
}

/* The lost record is made in front of the first whole one. */
static size_t take_copy(struct ring_read *r, unsigned char *scratch, size_t cap,
			const unsigned char **p)
{
	unsigned char *body = scratch + RING_LOST_LEN;
	uint64_t start, kinds, count = 0, before = r->last_time;
	const struct ktr_rec *first;
	unsigned int tries = 0;
	struct tail t;
	size_t n, skip;

	while (!copy_out(r, body, cap - RING_LOST_LEN, &start, &n, &t))
		if (++tries == 1000)
			return 0;
	skip = t.pos > start ? t.pos - start : 0;
	start += skip;
	body += skip;
	first = (const struct ktr_rec *)body;
	if (start > r->pos)
		count = tell_evicted(r, &t, &kinds);
	n = walk(r, body, n - skip);
	if (!n) {
		if (r->end != start)
			give_up(r);
		return 0;
	}
	r->pos = start + n;
	*p = body;
	if (!count)
		return n;
	*p = body - RING_LOST_LEN;
	make_lost(body - RING_LOST_LEN, count, kinds, 1ULL << KTR_LOSS_EVICTED,
		  before, first->time, first->time);
	count_made(r);
	return n + RING_LOST_LEN;
}

size_t ring_take(struct ring_read *r, unsigned char *scratch, size_t cap,
		 const unsigned char **p)
{
	if (r->end == r->pos)
		return 0;
	/* No record begins there: the position was scribbled on. */
	if (r->pos & 7) {
		give_up(r);
		return 0;
	}
	return r->overwrite ? take_copy(r, scratch, cap, p) :
			      take_in_place(r, cap, p);
}

void ring_done(struct ring_read *r)
{
	r->notes->pos = r->pos;
	r->notes->last_time = r->last_time;
	__atomic_store_n(&r->cons->consumed, r->pos, __ATOMIC_RELEASE);
}

bool ring_trailing(struct ring_read *r, bool over, uint64_t now, void *rec)
{
	uint64_t kinds = 0, why = 0, count = 0;
	uint64_t refused = load(&r->prod->refused);
	struct tail t;

	load_tail(r, &t);
	if (r->overwrite)
		count = tell_evicted(r, &t, &kinds);
	if (count)
		why |= 1ULL << KTR_LOSS_EVICTED;
	if (over && refused > r->notes->lost_seen) {
		count += refused - r->notes->lost_seen;
		why |= 1ULL << KTR_LOSS_FULL;
		r->notes->lost_seen = refused;
	}
	if (!count)
		return false;
	make_lost(rec, count, kinds, why, r->last_time, now, now);
	count_made(r);
	return true;
}

uint64_t ring_lost(const struct ring_read *r)
{
	uint64_t refused = load(&r->prod->refused), evicted = 0;
	unsigned int k;

	for (k = 0; k < 64; k++)
		evicted += r->notes->evicted_kind[k];
	return refused - r->refused_before + evicted - r->evicted_before;
}

void ring_told(struct ring_read *r)
{
	r->notes->refused_told = load(&r->prod->refused);
}
