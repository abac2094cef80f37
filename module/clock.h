/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CLOCK_MONOTONIC in nanoseconds, from any context, for all CPUs: the value of
 * ktime_get_mono_fast_ns(), or one less, at a third of its instructions.
 *
 * Where the kernel's clock is the TSC, the kernel tells us its conversion at
 * every update (the notifier that KVM uses for its guests), and reading is a
 * few instructions in line, with no indirect call. Elsewhere the kernel's
 * function is called.
 */
#ifndef _KTR_CLOCK_H
#define _KTR_CLOCK_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#ifdef CONFIG_X86_64
#include <asm/barrier.h>
#include <asm/msr.h>
#include <asm/tsc.h>
#endif

struct ktr_clock_base {
	u64 cycle_last;
	u64 base;	/* nanoseconds; a fraction of one is left out */
	u64 mult;	/* so wide that it is multiplied by where it lies */
	u32 shift;
	u32 unused;	/* the size is a power of two */
};

/*
 * A latch: the writer, under the timekeeper's lock, changes the copy that
 * nobody is sent to, so that an NMI in the middle of it reads the other.
 */
struct ktr_clock {
	u32 seq;	/* counts in sizes of a copy, a power of two */
	unsigned long direct;	/* bit 0: the TSC may be read */
	struct ktr_clock_base copy[2];
};

extern struct ktr_clock ktr_clock;

void ktr_clock_init(void);
void ktr_clock_exit(void);

#ifdef CONFIG_X86_64
/* Whether ktr_clock_direct() may be called now. */
static __always_inline bool ktr_clock_is_direct(void)
{
	return test_bit_acquire(0, &ktr_clock.direct);	/* in one instruction, as ktr_wants() */
}

static __always_inline u64 ktr_clock_direct(void)
{
	const struct ktr_clock_base *b;
	u64 delta, ns;
	u32 seq;

	do {
		seq = READ_ONCE(ktr_clock.seq);
		smp_rmb();	/* pairs with latch_write() */
		b = (const void *)ktr_clock.copy + (seq & sizeof(*b));
		OPTIMIZER_HIDE_VAR(b);	/* in one register, not in two */
		delta = rdtsc_ordered() - b->cycle_last;
		/* Another CPU's counter may be a little behind. */
		if (unlikely((s64)delta < 0)) {
			delta = 0;
			barrier();	/* a branch, not two moves */
		}
		ns = b->base + ((delta * b->mult) >> b->shift);
		OPTIMIZER_HIDE_VAR(ns);	/* now: one register lives on, not five */
		smp_rmb();	/* pairs with latch_write() */
	} while (unlikely(seq != READ_ONCE(ktr_clock.seq)));
	return ns;
}
#else
static __always_inline bool ktr_clock_is_direct(void)
{
	return false;
}

static __always_inline u64 ktr_clock_direct(void)
{
	return 0;
}
#endif

static __always_inline u64 ktr_clock_ns(void)
{
	return likely(ktr_clock_is_direct()) ? ktr_clock_direct() : ktime_get_mono_fast_ns();
}

#endif
