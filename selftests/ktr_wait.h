/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for conditions, and how much of a test to do. */
#ifndef _KTR_WAIT_H
#define _KTR_WAIT_H

#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <linux/types.h>

#define KTR_SECOND	1000000000ULL
/* For what must come: an emulated machine on a busy host is slow. */
#define KTR_PATIENCE	(120 * KTR_SECOND)

static inline __u64 ktr_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * KTR_SECOND + ts.tv_nsec;
}

/* Wait until @condition holds. Value: whether it does. */
#define ktr_wait_for(condition) ({					\
	__u64 ktr_end = ktr_now() + KTR_PATIENCE;			\
	int ktr_ok;							\
									\
	while (!(ktr_ok = !!(condition)) && ktr_now() < ktr_end)	\
		usleep(1000);						\
	ktr_ok;								\
})

/* @full times KTR_SCALE (a twentieth unless the environment says), at least 1. */
static inline long ktr_scaled(long full)
{
	const char *scale = getenv("KTR_SCALE");
	double n = full * (scale ? atof(scale) : 0.05);

	return n < 1 ? 1 : (long)n;
}

static inline int ktr_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

#endif
