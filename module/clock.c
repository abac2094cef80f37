// SPDX-License-Identifier: GPL-2.0-only
/* Following the kernel's timekeeper. */
#include <linux/cache.h>
#include <linux/clocksource.h>
#include <linux/notifier.h>
#include "clock.h"

struct ktr_clock ktr_clock ____cacheline_aligned;

#ifdef CONFIG_X86_64
#include <linux/pvclock_gtod.h>
#include <linux/timekeeper_internal.h>

static void latch_write(const struct ktr_clock_base *new)
{
	int i;

	BUILD_BUG_ON_NOT_POWER_OF_2(sizeof(*new));
	for (i = 0; i < 2; i++) {
		smp_wmb();	/* pairs with ktr_clock_ns() */
		WRITE_ONCE(ktr_clock.seq, ktr_clock.seq + sizeof(*new));
		smp_wmb();	/* pairs with ktr_clock_ns() */
		/* Readers are at the copy of the new number: fill in the other. */
		ktr_clock.copy[!(ktr_clock.seq & sizeof(*new))] = *new;
	}
}

/* At each tick and step of the clock, with the timekeeper's lock held. */
static int clock_update(struct notifier_block *nb, unsigned long stepped, void *data)
{
	const struct timekeeper *tk = data;
	const struct tk_read_base *tkr = &tk->tkr_mono;
	struct ktr_clock_base new = {
		.cycle_last = tkr->cycle_last,
		.base = ktime_to_ns(tkr->base) + (tkr->xtime_nsec >> tkr->shift),
		.mult = tkr->mult,
		.shift = tkr->shift,
	};

	latch_write(&new);
	WRITE_ONCE(ktr_clock.direct, tkr->clock->vdso_clock_mode == VDSO_CLOCKMODE_TSC);
	return NOTIFY_OK;
}

static struct notifier_block clock_nb = { .notifier_call = clock_update };

/* Registering calls back at once, so the copies are filled in when it returns. */
void ktr_clock_init(void)
{
	pvclock_gtod_register_notifier(&clock_nb);
}

void ktr_clock_exit(void)
{
	pvclock_gtod_unregister_notifier(&clock_nb);
}
#else
void ktr_clock_init(void) { }
void ktr_clock_exit(void) { }
#endif
