// SPDX-License-Identifier: GPL-2.0-or-later
/* What a record costs the ring, in nanoseconds: `make bench` in this folder. */
#include <stdio.h>
#include <time.h>

#include "ring_pair.h"

#define RECORDS 5000000
#define LEN 64
#define RING (1 << 20)

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* The record is filled as a probe fills it: a few words. */
static inline void one(struct ring_pair *p, u64 i)
{
	struct ktr_rec *rec = pair_begin(p, 50, LEN, i);

	if (!rec)
		return;
	((u64 *)(rec + 1))[0] = i;
	((u64 *)(rec + 1))[1] = i;
	ktr_ring_commit(&p->ring);
}

static void in_order(struct ring_pair *p, u64 i)
{
	one(p, i);
	if (!(i % 4096))
		p->ring.cons->consumed = p->ring.prod->committed;
}

/* Every second one comes while another is under construction. */
static void nested(struct ring_pair *p, u64 i)
{
	struct ktr_rec *rec;

	if (i & 1)
		return;
	rec = pair_begin(p, 50, LEN, i);
	one(p, i + 1);
	if (rec)
		ktr_ring_commit(&p->ring);
	if (!(i % 4096))
		p->ring.cons->consumed = p->ring.prod->committed;
}

static void unread(struct ring_pair *p, u64 i)
{
	one(p, i);
}

static void measure(const char *name, u32 mode,
		    void (*fn)(struct ring_pair *p, u64 i))
{
	struct ring_pair p;
	double start, took;
	u64 i;

	pair_make(&p, RING, mode);
	for (i = 0; i < RECORDS / 10; i++)
		fn(&p, i);
	start = now_ns();
	for (i = 0; i < RECORDS; i++)
		fn(&p, i);
	took = now_ns() - start;
	printf("%-28s %6.1f ns a record\n", name, took / RECORDS);
	pair_free(&p);
}

int main(void)
{
	measure("in order", KTR_MODE_DISCARD, in_order);
	measure("nested", KTR_MODE_DISCARD, nested);
	measure("refused (full)", KTR_MODE_DISCARD, unread);
	measure("overwriting", KTR_MODE_OVERWRITE, unread);
	return 0;
}
