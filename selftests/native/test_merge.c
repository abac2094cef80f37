// SPDX-License-Identifier: GPL-2.0-or-later
/* Many streams into one: order, ties, inversion, the horizon, bad lengths. */
#include <string.h>

#include "merge.h"
#include "tap.h"

struct rec {
	struct ktr_rec h;
	uint64_t id;
};

struct got {
	uint64_t time[4096];
	uint64_t id[4096];
	unsigned int src[4096];
	size_t n;
	size_t stop_at;
};

static int take(void *arg, const struct ktr_rec *h, unsigned int src)
{
	const struct rec *r = (const struct rec *)h;
	struct got *g = arg;

	g->time[g->n] = h->time;
	g->id[g->n] = r->id;
	g->src[g->n] = src;
	return ++g->n == g->stop_at;
}

static void put(struct merge *m, unsigned int src, uint64_t time, uint64_t id)
{
	struct rec r = {
		.h = { .len8 = sizeof(r) / 8, .kind = 50, .time = time },
		.id = id,
	};

	CHECK_EQ(merge_add(m, src, &r, sizeof(r)), sizeof(r));
}

static void two_streams(void)
{
	struct got g = { .n = 0 };
	struct merge m;

	merge_init(&m);
	put(&m, 0, 10, 1);
	put(&m, 0, 30, 3);
	put(&m, 5, 20, 2);
	put(&m, 5, 40, 4);
	CHECK_EQ(merge_run(&m, UINT64_MAX, take, &g), 0);
	CHECK_EQ(g.n, 4);
	CHECK(g.id[0] == 1 && g.id[1] == 2 && g.id[2] == 3 && g.id[3] == 4);
	CHECK(g.src[1] == 5 && g.src[2] == 0);
	CHECK_EQ(m.bytes, 0);
	merge_free(&m);
}

static void ties(void)
{
	struct got g = { .n = 0 };
	struct merge m;

	merge_init(&m);
	put(&m, 2, 7, 3);
	put(&m, 1, 7, 1);
	put(&m, 1, 7, 2);
	put(&m, 2, 7, 4);
	merge_run(&m, UINT64_MAX, take, &g);
	CHECK(g.id[0] == 1 && g.id[1] == 2 && g.id[2] == 3 && g.id[3] == 4);
	merge_free(&m);
}

static void horizon(void)
{
	struct got g = { .n = 0 };
	struct merge m;

	merge_init(&m);
	put(&m, 0, 10, 1);
	put(&m, 0, 20, 2);
	put(&m, 1, 15, 3);
	CHECK_EQ(merge_run(&m, 15, take, &g), 0);
	CHECK_EQ(g.n, 1);
	CHECK_EQ(m.bytes, 2 * sizeof(struct rec));
	/* What comes later may still be older than what was kept. */
	put(&m, 1, 12, 4);
	merge_run(&m, UINT64_MAX, take, &g);
	CHECK_EQ(g.n, 4);
	CHECK(g.id[1] == 4 && g.id[2] == 3 && g.id[3] == 2);
	merge_free(&m);
}

/* An interrupt's record lies behind the one it interrupted, and is older. */
static void inversion(void)
{
	struct got g = { .n = 0 };
	struct merge m;

	merge_init(&m);
	put(&m, 0, 100, 1);
	put(&m, 0, 130, 4);
	put(&m, 0, 120, 3);
	put(&m, 0, 110, 2);
	put(&m, 0, 140, 5);
	merge_run(&m, 125, take, &g);
	CHECK_EQ(g.n, 3);
	merge_run(&m, UINT64_MAX, take, &g);
	CHECK_EQ(g.n, 5);
	CHECK(g.id[0] == 1 && g.id[1] == 2 && g.id[2] == 3 && g.id[3] == 4 &&
	      g.id[4] == 5);
	merge_free(&m);
}

/* Rounds as the reader makes them, with inversions, over many streams. */
static void at_random(void)
{
	struct got g = { .n = 0 };
	uint64_t base = 1000, id = 0;
	unsigned int round, i;
	struct merge m;
	size_t k;

	merge_init(&m);
	for (round = 0; round < 100; round++) {
		for (i = 0; i < 40; i++)
			put(&m, tap_below(9), base + tap_below(150), id++);
		base += 100;
		/* Nothing to come is older than base. */
		merge_run(&m, base, take, &g);
	}
	merge_run(&m, UINT64_MAX, take, &g);
	CHECK_EQ(g.n, 4000);
	for (k = 1; k < g.n; k++)
		if (!CHECK(g.time[k - 1] <= g.time[k]))
			break;
	CHECK_EQ(m.bytes, 0);
	merge_free(&m);
}

static void stopped(void)
{
	struct got g = { .stop_at = 1 };
	struct merge m;

	merge_init(&m);
	put(&m, 0, 1, 1);
	put(&m, 0, 2, 2);
	CHECK_EQ(merge_run(&m, UINT64_MAX, take, &g), 1);
	CHECK_EQ(g.n, 1);
	merge_run(&m, UINT64_MAX, take, &g);
	CHECK_EQ(g.n, 2);
	CHECK_EQ(g.id[1], 2);
	merge_free(&m);
}

static void bad_lengths(void)
{
	struct rec r = { .h = { .len8 = 3, .time = 1 } };
	struct merge m;

	merge_init(&m);
	CHECK_EQ(merge_add(&m, 0, &r, sizeof(r) - 8), 0);
	CHECK_EQ(merge_add(&m, 0, &r, 8), 0);
	r.h.len8 = 1;
	CHECK_EQ(merge_add(&m, 0, &r, sizeof(r)), 0);
	r.h.len8 = 0;
	CHECK_EQ(merge_add(&m, 0, &r, sizeof(r)), 0);
	CHECK(merge_add(&m, 70000, &r, sizeof(r)) < 0);
	merge_free(&m);
}

int main(void)
{
	RUN(two_streams);
	RUN(ties);
	RUN(horizon);
	RUN(inversion);
	RUN(at_random);
	RUN(stopped);
	RUN(bad_lengths);
	return tap_done();
}
