// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What readers leave for those after them: over several readers of one ring,
 * read and lost add up to what was written.
 */
#include "ring_pair.h"
#include "tap.h"

#define RING 4096

struct seen {
	u64 records;
	u64 marks;
	u64 lost;
};

static void look(const struct ktr_rec *rec, void *ctx)
{
	struct seen *s = ctx;

	s->records++;
	if (rec->kind == KTR_KIND_lost)
		s->lost += ((struct ktr_ev_lost *)(rec + 1))->count;
	else
		s->marks++;
}

static void next_reader(struct ring_pair *p)
{
	if (ring_read_init(&p->read, (struct ktr_ring_prod *)p->map, p->cons,
			   p->read.data, p->size, 0, KTR_RING_DATA))
		abort();
}

static u64 emit_some(struct ring_pair *p, u64 seq, u64 n)
{
	while (n--) {
		pair_emit(p, 48 + seq % 5, seq, 64 + seq % 7 * 8, seq);
		seq++;
	}
	return seq;
}

static void readers_in_turn(u32 mode)
{
	u64 seq = 1, told = 0, marks = 0, stream = 0;
	struct ring_pair p;
	struct seen s;
	int turn;

	pair_make(&p, RING, mode);
	for (turn = 0; turn < 50; turn++) {
		next_reader(&p);
		seq = emit_some(&p, seq, tap_below(200));
		memset(&s, 0, sizeof(s));
		pair_drain(&p, look, &s);
		told += ring_lost(&p.read);
		ring_told(&p.read);
		marks += s.marks;
		stream += s.lost;
		/* Those made up for a gap are records as others. */
		CHECK_EQ(p.read.records, s.records);
		/* All that was made is read or lost, told once. */
		CHECK_EQ(marks + told, seq - 1);
	}
	/* Discard mode tells the last loss with the next record that fits. */
	CHECK(mode == KTR_MODE_DISCARD ? stream <= told : stream == told);
	pair_free(&p);
}

static void discard(void)
{
	readers_in_turn(KTR_MODE_DISCARD);
}

static void overwrite(void)
{
	readers_in_turn(KTR_MODE_OVERWRITE);
}

/* The stream goes on with a lost record; NULL: it does not. */
static const unsigned char *take_gap(struct ring_pair *p)
{
	const unsigned char *at;

	ring_snapshot(&p->read);
	CHECK(ring_settled(&p->read));
	if (!CHECK(ring_take(&p->read, p->scratch, p->cap, &at)))
		return NULL;
	return CHECK(((struct ktr_rec *)at)->kind == KTR_KIND_lost) ? at : NULL;
}

/* A lost record in the stream is the evicted ones', first and last told. */
static void gap_in_place(void)
{
	struct ktr_ev_lost *ev;
	const unsigned char *at;
	struct ring_pair p;
	struct seen s = { 0 };
	u64 seq;

	pair_make(&p, RING, KTR_MODE_OVERWRITE);
	seq = emit_some(&p, 1, 10);
	pair_drain(&p, look, &s);
	CHECK_EQ(s.marks, 10);
	seq = emit_some(&p, seq, 500);
	at = take_gap(&p);
	REQUIRE(at);
	ev = (struct ktr_ev_lost *)(at + sizeof(struct ktr_rec));
	CHECK_EQ(ev->first, 10);	/* the time of the last one read */
	CHECK_EQ(ev->reasons, 1 << KTR_LOSS_EVICTED);
	CHECK_EQ(ev->kinds, 0x1full << 48);
	CHECK_EQ(mark_seq((struct ktr_rec *)(at + RING_LOST_LEN)),
		 11 + ev->count);
	CHECK_EQ(ring_lost(&p.read), ev->count);
	pair_free(&p);
}

/* The next reader's first gap begins where the last one was. */
static void gap_of_the_next(void)
{
	struct ktr_ev_lost *ev;
	const unsigned char *at;
	struct ring_pair p;
	struct seen s = { 0 };
	u64 seq;

	pair_make(&p, RING, KTR_MODE_OVERWRITE);
	seq = emit_some(&p, 5, 10);
	pair_drain(&p, look, &s);
	emit_some(&p, seq, 500);
	next_reader(&p);
	CHECK_EQ(p.read.last_time, 14);
	at = take_gap(&p);
	REQUIRE(at);
	ev = (struct ktr_ev_lost *)(at + sizeof(struct ktr_rec));
	CHECK_EQ(ev->first, 14);
	pair_free(&p);
}

static void first_times(void)
{
	struct ring_pair p;
	struct seen s = { 0 };

	pair_make(&p, RING, KTR_MODE_DISCARD);
	CHECK_EQ(ring_first_time(&p.read), 0);
	emit_some(&p, 7, 500);
	CHECK_EQ(ring_first_time(&p.read), 7);
	pair_drain(&p, look, &s);
	CHECK_EQ(ring_first_time(&p.read), 0);
	/* Whoever had the page before may have left anything. */
	p.read.pos = 4;
	CHECK_EQ(ring_first_time(&p.read), 0);
	p.read.pos = ~0ull - 7;
	CHECK_EQ(ring_first_time(&p.read), 0);
	pair_free(&p);
}

/* Small pieces: a scratch area much shorter than the ring. */
static void in_pieces(void)
{
	struct ring_pair p;
	struct seen s = { 0 };

	pair_make(&p, RING * 512, KTR_MODE_OVERWRITE);
	p.cap = KTR_REC_MAX + RING_LOST_LEN + 8;
	emit_some(&p, 1, 20000);
	pair_drain(&p, look, &s);
	CHECK_EQ(s.marks, 20000);
	CHECK_EQ(s.lost, 0);
	pair_free(&p);
}

static void refused_layouts(void)
{
	struct ktr_ring_prod prod = {
		.version = KTR_VERSION, .struct_len = sizeof(prod), .size = RING,
	};
	unsigned char cons[KTR_PAGE] __attribute__((aligned(8))) = { 0 };
	struct ring_read r;

	CHECK_EQ(ring_read_init(&r, &prod, cons, cons, RING, 0, 0), 0);
	CHECK(ring_read_init(&r, &prod, cons, cons, 2 * RING, 0, 0));
	prod.version++;
	CHECK(ring_read_init(&r, &prod, cons, cons, RING, 0, 0));
	prod.version--;
	prod.struct_len--;
	CHECK(ring_read_init(&r, &prod, cons, cons, RING, 0, 0));
	prod.struct_len += 64;	/* a newer module's page is longer */
	CHECK_EQ(ring_read_init(&r, &prod, cons, cons, RING, 0, 0), 0);
}

int main(void)
{
	RUN(discard);
	RUN(overwrite);
	RUN(gap_in_place);
	RUN(gap_of_the_next);
	RUN(first_times);
	RUN(in_pieces);
	RUN(refused_layouts);
	return tap_done();
}
