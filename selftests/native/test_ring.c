// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One ring, one thread: what is reserved, committed, read, lost and evicted adds
 * up, whatever lengths and positions are.
 */
#include "ring_pair.h"
#include "tap.h"

#define RING 4096
#define KINDS 20

/* What came out, to be held against what was put in. */
struct seen {
	u64 records;		/* without lost records */
	u64 lost_records;
	u64 lost;		/* sum of their counts */
	u64 kinds;		/* bits of lost kinds */
	u64 reasons;
	u64 next_seq;		/* lowest one that may come */
	u64 gaps;		/* sequence numbers passed over */
	u64 first, last;	/* times of the newest lost record */
	bool torn, backwards;
};

static void look(const struct ktr_rec *rec, void *ctx)
{
	const struct ktr_ev_lost *lost = (const void *)(rec + 1);
	struct seen *s = ctx;

	if (rec->kind == KTR_KIND_lost) {
		s->lost_records++;
		s->lost += lost->count;
		s->kinds |= lost->kinds;
		s->reasons |= lost->reasons;
		s->first = lost->first;
		s->last = lost->last;
		return;
	}
	s->records++;
	if (!mark_whole(rec)) {
		s->torn = true;
		return;
	}
	if (mark_seq(rec) < s->next_seq)
		s->backwards = true;
	s->gaps += mark_seq(rec) - s->next_seq;
	s->next_seq = mark_seq(rec) + 1;
}

static u32 some_len(u32 max)
{
	return MARK_MIN + tap_below((max - MARK_MIN) / 8 + 1) * 8;
}

static u8 some_kind(void)
{
	return 40 + tap_below(KINDS);
}

static void in_order(void)
{
	struct seen s = {};
	struct ring_pair p;
	u64 seq;

	pair_make(&p, RING, KTR_MODE_DISCARD);
	for (seq = 0; seq < 20000; seq++) {
		CHECK(pair_emit(&p, some_kind(), seq, some_len(900), seq));
		if (tap_below(2) || p.ring.prod->reserved -
		    READ_ONCE(p.ring.cons->consumed) > RING - 1000)
			pair_drain(&p, look, &s);
	}
	pair_drain(&p, look, &s);
	CHECK_EQ(s.records, 20000);
	CHECK_EQ(s.gaps, 0);
	CHECK_EQ(s.lost_records, 0);
	CHECK(!s.torn && !s.backwards && !p.read.broken);
	CHECK_EQ(p.ring.prod->records, 20000);
	CHECK_EQ(p.ring.prod->refused, 0);
	pair_free(&p);
}

/* A record of every length at every position, also across the end. */
static void every_offset(void)
{
	struct ring_pair p;
	u64 start, seq = 0;
	u32 len;

	pair_make(&p, RING, KTR_MODE_DISCARD);
	for (start = 0; start < RING; start += 8) {
		for (len = MARK_MIN; len <= RING / 2; len += 264) {
			struct seen s = { .next_seq = seq };

			p.ring.prod->reserved = start + RING * seq;
			p.ring.prod->committed = p.ring.prod->reserved;
			p.ring.cons->consumed = p.ring.prod->reserved;
			p.read.pos = p.ring.prod->reserved;
			p.ring.limit = 0;
			CHECK(pair_emit(&p, 50, seq, len, 1));
			pair_drain(&p, look, &s);
			CHECK_EQ(s.records, 1);
			CHECK(!s.torn);
			CHECK_EQ(p.ring.cons->consumed,
				 start + RING * seq + len);
			seq++;
		}
	}
	pair_free(&p);
}

/* Full: the oldest stay, each refused one is in exactly one lost record. */
static void discard_full(void)
{
	u64 seq, written = 0, refused = 0, kinds = 0, turn;
	struct seen s = {};
	struct ring_pair p;

	pair_make(&p, RING, KTR_MODE_DISCARD);
	for (turn = 0, seq = 0; turn < 500; turn++) {
		u64 n = tap_below(100), refused_before = refused;
		u64 first = 0, last = 0;

		for (; n; n--, seq++) {
			u8 kind = some_kind();

			if (pair_emit(&p, kind, seq, some_len(600), seq)) {
				written++;
				continue;
			}
			if (refused++ == refused_before)
				first = seq;
			last = seq;
			kinds |= 1ULL << kind;
		}
		pair_drain(&p, look, &s);
		CHECK(pair_emit(&p, 50, seq, MARK_MIN, seq));
		seq++;
		written++;
		pair_drain(&p, look, &s);
		CHECK_EQ(s.lost, refused);
		/* A record that got through in between has split the loss. */
		if (refused > refused_before && s.first != first)
			CHECK(s.first > first);
		if (refused > refused_before)
			CHECK(s.last == last);
	}
	CHECK(refused > 1000);
	CHECK_EQ(s.records, written);
	CHECK_EQ(s.gaps, refused);
	CHECK_EQ(s.kinds, kinds);
	CHECK_EQ(s.reasons, 1 << KTR_LOSS_FULL);
	CHECK(!s.torn && !s.backwards && !p.read.broken);
	CHECK_EQ(p.ring.prod->records, s.records + s.lost_records);
	CHECK_EQ(p.ring.prod->refused, refused);
	CHECK_EQ(ring_lost(&p.read), refused);
	pair_free(&p);
}

/* What is lost at the very end has no lost record: the reader makes one. */
static void trailing_loss(void)
{
	struct { struct ktr_rec rec; struct ktr_ev_lost lost; } last;
	u64 seq, refused = 0;
	struct seen s = {};
	struct ring_pair p;

	pair_make(&p, RING, KTR_MODE_DISCARD);
	for (seq = 0; seq < 500; seq++)
		refused += !pair_emit(&p, 50, seq, 64, seq);
	CHECK(refused > 400);
	pair_drain(&p, look, &s);
	CHECK_EQ(s.lost, 0);
	REQUIRE(ring_trailing(&p.read, true, 1000, &last));
	CHECK_EQ(last.lost.count, refused);
	CHECK_EQ(last.rec.kind, KTR_KIND_lost);
	CHECK_EQ(last.rec.len8 * 8, sizeof(last));
	CHECK(!ring_trailing(&p.read, true, 1001, &last));
	pair_free(&p);
}

static void too_big(void)
{
	static const u64 sizes[] = { RING, 1 << 16, 1 << 22 };
	struct ring_pair p;
	u32 why, most;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		pair_make(&p, sizes[i], i & 1);
		most = sizes[i] / 2 < KTR_REC_MAX ? sizes[i] / 2 : KTR_REC_MAX;
		CHECK(pair_emit(&p, 50, 0, most, 1));
		why = 0;
		CHECK(!ktr_ring_reserve(&p.ring, most + 8, 50, &why));
		CHECK_EQ(why, KTR_LOSS_BIG);
		why = 0;
		CHECK(!ktr_ring_reserve(&p.ring, 0xfffffff8, 50, &why));
		CHECK_EQ(why, KTR_LOSS_BIG);
		CHECK_EQ(p.ring.nest, 0);
		CHECK_EQ(p.ring.prod->reserved, most);
		CHECK_EQ(p.ring.prod->committed, most);
		pair_free(&p);
	}
}

/* Nobody reads: the newest stay, the others are counted by kind. */
static void evictions(void)
{
	u64 put[64] = {}, have[64] = {}, seq, pos, end, evicted = 0;
	struct ring_pair p;
	int k;

	pair_make(&p, RING, KTR_MODE_OVERWRITE);
	for (seq = 0; seq < 30000; seq++) {
		u8 kind = some_kind();

		REQUIRE(pair_emit(&p, kind, seq, some_len(2048), seq));
		put[kind]++;
		if (seq % 97)
			continue;
		end = p.ring.prod->committed;
		CHECK(end - p.ring.prod->tail <= RING);
		memset(have, 0, sizeof(have));
		for (pos = p.ring.prod->tail; pos < end;) {
			struct ktr_rec *rec =
				(void *)(p.ring.data + (pos & (RING - 1)));

			CHECK(mark_whole(rec));
			have[rec->kind]++;
			pos += rec->len8 * 8;
		}
		CHECK_EQ(pos, end);
		for (k = 0, evicted = 0; k < 64; k++) {
			CHECK_EQ(p.ring.prod->evicted_kind[k], put[k] - have[k]);
			evicted += put[k] - have[k];
		}
		CHECK_EQ(p.ring.prod->evicted, evicted);
	}
	CHECK_EQ(p.ring.prod->records, 30000);
	pair_free(&p);
}

/* The reader of an overwritten ring sees the newest, and what it missed. */
static void overwritten_unread(void)
{
	struct { struct ktr_rec rec; struct ktr_ev_lost lost; } last;
	struct seen s = {};
	struct ring_pair p;
	u64 seq = 0, turn;

	pair_make(&p, RING, KTR_MODE_OVERWRITE);
	for (turn = 0; turn < 2000; turn++) {
		u64 n = tap_below(60);

		for (; n; n--, seq++)
			CHECK(pair_emit(&p, some_kind(), seq, some_len(500),
					seq));
		pair_drain(&p, look, &s);
		CHECK_EQ(s.records + s.lost, seq);
		CHECK_EQ(s.gaps, s.lost);
	}
	CHECK(s.lost > 1000);
	CHECK_EQ(s.reasons, 1 << KTR_LOSS_EVICTED);
	CHECK(!s.torn && !s.backwards && !p.read.broken);
	CHECK(!ring_trailing(&p.read, true, seq, &last));
	CHECK_EQ(ring_lost(&p.read), s.lost);
	pair_free(&p);
}

/* A record under construction hides all behind it and cannot be evicted. */
static void under_construction(void)
{
	struct seen s = {};
	u32 why = 0, mode;
	struct ring_pair p;
	struct ktr_rec *outer;
	u64 written = 0, refused = 0, seq;

	for (mode = 0; mode < 2; mode++, written = refused = 0) {
		memset(&s, 0, sizeof(s));
		pair_make(&p, RING, mode);
		outer = ktr_ring_reserve(&p.ring, 512, 50, &why);
		REQUIRE(outer);
		for (seq = 1; seq < 200; seq++) {
			if (pair_emit(&p, 50, seq, 64, seq))
				written++;
			else
				refused++;
			CHECK_EQ(p.ring.prod->committed, 0);
			CHECK_EQ(p.ring.prod->tail, 0);
			CHECK_EQ(p.ring.nest, 1);
		}
		pair_drain(&p, look, &s);
		CHECK_EQ(s.records, 0);
		CHECK_EQ(written, (RING - 512) / 64);
		CHECK_EQ(refused, 199 - written);
		outer->time = 0;
		mark_write(outer, 0, 512);
		ktr_ring_commit(&p.ring);
		CHECK_EQ(p.ring.nest, 0);
		CHECK_EQ(p.ring.prod->committed, RING);
		pair_drain(&p, look, &s);
		CHECK_EQ(s.records, written + 1);
		CHECK(!s.torn);
		CHECK(pair_emit(&p, 50, 200, 64, 200));
		pair_drain(&p, look, &s);
		CHECK_EQ(s.lost, refused);
		CHECK_EQ(s.reasons, 1 << (mode ? KTR_LOSS_NESTED :
					  KTR_LOSS_FULL));
		pair_free(&p);
	}
}

/*
 * The reader's page is anybody's. Whatever it says, the producer stays in its
 * memory (the hole behind it would end the test), gives out no room twice
 * between two positions it has been told, and counts every record.
 */
static u64 hostile_position(const struct ring_pair *p)
{
	u64 committed = p->ring.prod->committed;

	switch (tap_below(8)) {
	case 0: return tap_random();
	case 1: return ~0ULL - tap_below(3 * RING);
	case 2: return committed + 1 + tap_below(RING);
	case 3: return committed - tap_below(3 * RING);
	case 4: return 0;
	case 5: return committed - RING;
	case 6: return 1ULL << 63;
	default: return committed;
	}
}

static void hostile_reader(void)
{
	u64 seq, written = 0, refused = 0, before;
	struct ring_pair p;
	int mode;

	for (mode = 0; mode < 2; mode++, written = refused = 0) {
		pair_make(&p, RING, mode);
		for (seq = 0; seq < 200000; seq++) {
			p.ring.cons->consumed = hostile_position(&p);
			before = p.ring.prod->committed;
			if (pair_emit(&p, some_kind(), seq, some_len(700), seq))
				written++;
			else
				refused++;
			CHECK(p.ring.prod->committed - before <=
			      700 + KTR_RING_LOST_LEN);
			CHECK_EQ(p.ring.prod->committed, p.ring.prod->reserved);
			CHECK(ktr_ring_consumed(&p.ring) <=
			      p.ring.prod->committed);
			CHECK(p.ring.prod->committed -
			      ktr_ring_consumed(&p.ring) <= RING);
			CHECK_EQ(p.ring.nest, 0);
		}
		CHECK(written > 1000);
		CHECK(mode || refused > 1000);
		CHECK_EQ(p.ring.prod->refused, refused);
		CHECK(p.ring.prod->records >= written);
		pair_free(&p);
	}
}

/* Nor does a scribbled page lead the shipped reader out of the mapping. */
static void scribbled_for_reader(void)
{
	struct seen s = {};
	struct ring_pair p;
	u64 turn, i;

	pair_make(&p, RING, KTR_MODE_DISCARD);
	for (turn = 0; turn < 3000; turn++) {
		for (i = 0; i < 10; i++)
			pair_emit(&p, 50, i, some_len(300), i);
		for (i = 0; i < KTR_PAGE / 8; i++)
			if (!tap_below(8))
				((u64 *)p.cons)[i] = tap_random();
		p.ring.cons->consumed = hostile_position(&p);
		if (!ring_read_init(&p.read, p.ring.prod, p.cons, p.ring.data,
				    RING, 0, 0)) {
			memset(&s, 0, sizeof(s));
			pair_drain(&p, look, &s);
			CHECK(s.records + s.lost_records <= RING / 16);
		}
	}
	pair_free(&p);
}

int main(void)
{
	RUN(in_order);
	RUN(every_offset);
	RUN(discard_full);
	RUN(trailing_loss);
	RUN(too_big);
	RUN(evictions);
	RUN(overwritten_unread);
	RUN(under_construction);
	RUN(hostile_reader);
	RUN(scribbled_for_reader);
	return tap_done();
}
