// SPDX-License-Identifier: GPL-2.0-or-later
/* A producer and a reader on two threads: the orderings between them. */
#include <pthread.h>
#include <sched.h>

#include "ring_pair.h"
#include "tap.h"

#ifdef __SANITIZE_THREAD__
#define TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TSAN
#endif
#endif

#ifdef TSAN
#define RECORDS 40000
#else
#define RECORDS 200000
#endif
#define READ_MIN 2000		/* until then the producer goes on */

static struct ring_pair pair;
static struct {
	u64 records, lost, gaps, next;
	u64 torn, backwards;
} seen;
static u64 made, refused;
static int finished;
static bool paced;		/* the producer waits for room */

static void look(const struct ktr_rec *rec, void *ctx)
{
	if (rec->kind == KTR_KIND_lost) {
		seen.lost += ((const struct ktr_ev_lost *)(rec + 1))->count;
		return;
	}
	__atomic_fetch_add(&seen.records, 1, __ATOMIC_RELAXED);
	if (rec->kind != 50 || !mark_whole(rec)) {
		seen.torn++;
		return;
	}
	if (mark_seq(rec) < seen.next)
		seen.backwards++;
	seen.gaps += mark_seq(rec) - seen.next;
	seen.next = mark_seq(rec) + 1;
}

static bool room_is_short(void)
{
	return pair.ring.prod->reserved - ktr_ring_consumed(&pair.ring) >
	       pair.size / 2;
}

static void *producer(void *unused)
{
	u64 seq;

	for (seq = 0; seq < RECORDS || READ_ONCE(seen.records) < READ_MIN;
	     seq++) {
		while (paced && room_is_short())
			sched_yield();
		if (!pair_emit(&pair, 50, seq, MARK_MIN + seq % 31 * 8, seq))
			refused++;
	}
	made = seq;
	__atomic_store_n(&finished, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void together(u64 size, u32 mode)
{
	struct { struct ktr_rec rec; struct ktr_ev_lost lost; } last;
	pthread_t thread;

	memset(&seen, 0, sizeof(seen));
	made = refused = finished = 0;
	pair_make(&pair, size, mode);
	REQUIRE(!pthread_create(&thread, NULL, producer, NULL));
	while (!__atomic_load_n(&finished, __ATOMIC_ACQUIRE))
		pair_drain(&pair, look, NULL);
	pthread_join(thread, NULL);
	pair_drain(&pair, look, NULL);
	if (ring_trailing(&pair.read, true, made, &last))
		look(&last.rec, NULL);
	CHECK_EQ(seen.torn, 0);
	CHECK_EQ(seen.backwards, 0);
	CHECK(!pair.read.broken);
	CHECK_EQ(seen.records + seen.lost, made);
	CHECK_EQ(seen.gaps + made - seen.next, seen.lost);
	CHECK_EQ(pair.ring.prod->refused, refused);
	printf("# read %llu, lost %llu\n", seen.records, seen.lost);
	pair_free(&pair);
}

static void discard(void)
{
	paced = false;
	together(8192, KTR_MODE_DISCARD);
	CHECK_EQ(seen.lost, refused);
}

static void discard_paced(void)
{
	paced = true;
	together(8192, KTR_MODE_DISCARD);
	CHECK_EQ(seen.lost, 0);
}

static void overwrite(void)
{
	paced = false;
	together(8192, KTR_MODE_OVERWRITE);
	CHECK_EQ(refused, 0);
}

static void overwrite_large(void)
{
	paced = false;
	together(1 << 20, KTR_MODE_OVERWRITE);
	CHECK_EQ(refused, 0);
}

int main(void)
{
	RUN(discard);
	RUN(discard_paced);
	RUN(overwrite);
	RUN(overwrite_large);
	return tap_done();
}
