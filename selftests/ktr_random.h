/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers that repeat: the seed is KTR_SEED of the environment, or 1. */
#ifndef _KTR_RANDOM_H
#define _KTR_RANDOM_H

#include <linux/types.h>
#include <stddef.h>
#include <stdlib.h>

struct ktr_random {
	__u64 state;
};

static inline __u64 ktr_seed(void)
{
	return strtoull(getenv("KTR_SEED") ?: "1", NULL, 0);
}

static inline void ktr_random_init(struct ktr_random *r, __u64 seed)
{
	r->state = seed * 0x9e3779b97f4a7c15ULL + 1;
}

/* Shifts and exclusive ors: quick, and good enough to hit everything. */
static inline __u64 ktr_random(struct ktr_random *r)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return r->state;
}

static inline __u64 ktr_random_below(struct ktr_random *r, __u64 n)
{
	return ktr_random(r) % n;
}

static inline int ktr_one_in(struct ktr_random *r, __u64 n)
{
	return !ktr_random_below(r, n);
}

/* Numbers near which things go wrong. */
static inline __u64 ktr_random_edge(struct ktr_random *r)
{
	__u64 bit = 1ULL << ktr_random_below(r, 64);

	switch (ktr_random_below(r, 6)) {
	case 0:
		return ktr_random(r);
	case 1:
		return ktr_random_below(r, 8);
	case 2:
		return -ktr_random_below(r, 8);
	case 3:
		return bit - 1;
	case 4:
		return bit;
	}
	return bit + 1;
}

static inline void ktr_random_fill(struct ktr_random *r, void *p, size_t len)
{
	unsigned char *c = p;

	while (len--)
		*c++ = ktr_random(r) >> 5;
}

#endif
