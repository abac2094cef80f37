// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interrupts on a CPU nest strictly last in, first out, and so do signals on a
 * thread. Here two timers interrupt a producer, and each other, at any
 * instruction, thousands of times; every handler writes a record too.
 *
 * Each level numbers its own records. At the end what was produced on a level is
 * what was read of it plus what was refused or evicted, in order, whole.
 */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "ring_pair.h"
#include "tap.h"

#define RING (16 << 10)
#define LEVELS 3
#define HANDLERS 4000		/* in each case, at least */
#define DEADLINE 120		/* seconds of which a loaded machine needs few */

static struct ring_pair pair;
static u64 now;			/* every look at it is another time */

static struct level {
	u64 produced, refused;
	u64 next;		/* lowest number the reader may see */
	u64 got;
} level[LEVELS];

static struct {
	u64 lost, lost_records, kinds, reasons;
	u64 torn, backwards, bad_times;
} seen;

static u64 tick(void)
{
	return __atomic_add_fetch(&now, 1, __ATOMIC_RELAXED);
}

/* Lengths differ and the pattern is long, so that a torn record shows. */
static void produce(unsigned int n)
{
	struct level *l = &level[n];
	u64 seq = l->produced++;
	u32 len = MARK_MIN + (seq * 40 + n * 8) % 320;
	struct ktr_rec *rec = pair_begin(&pair, 50 + n, len, tick());

	if (!rec) {
		l->refused++;
		return;
	}
	mark_write(rec, seq, len);
	ktr_ring_commit(&pair.ring);
}

static void interrupt(int sig)
{
	int saved = errno;

	produce(sig == SIGUSR1 ? 1 : 2);
	errno = saved;
}

static void look(const struct ktr_rec *rec, void *ctx)
{
	const struct ktr_ev_lost *lost = (const void *)(rec + 1);
	struct level *l;

	if (rec->kind == KTR_KIND_lost) {
		seen.lost_records++;
		seen.lost += lost->count;
		seen.kinds |= lost->kinds;
		seen.reasons |= lost->reasons;
		return;
	}
	if (rec->kind < 50 || rec->kind >= 50 + LEVELS || !mark_whole(rec)) {
		seen.torn++;
		return;
	}
	l = &level[rec->kind - 50];
	if (mark_seq(rec) < l->next)
		seen.backwards++;
	l->next = mark_seq(rec) + 1;
	l->got++;
}

static timer_t start_timer(int sig, long ns)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig };
	struct itimerspec spec = { { 0, ns }, { 0, ns } };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &ev, &timer) ||
	    timer_settime(timer, 0, &spec, NULL))
		abort();
	return timer;
}

/* SIGUSR2 may interrupt the handler of SIGUSR1. */
static void set_handlers(void)
{
	struct sigaction action = { .sa_handler = interrupt };

	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	sigaddset(&action.sa_mask, SIGUSR1);
	sigaction(SIGUSR2, &action, NULL);
}

static bool enough(time_t start)
{
	return (level[1].produced >= HANDLERS && level[2].produced >= HANDLERS) ||
	       time(NULL) - start > DEADLINE;
}

/* Reads every so often, so that the ring is empty, half full and overfull. */
static void storm(u32 mode)
{
	timer_t one, two;
	time_t start;
	u64 i;

	memset(level, 0, sizeof(level));
	memset(&seen, 0, sizeof(seen));
	pair_make(&pair, RING, mode);
	set_handlers();
	start = time(NULL);
	one = start_timer(SIGUSR1, 61000);
	two = start_timer(SIGUSR2, 47000);
	for (i = 0; !enough(start); i++) {
		produce(0);
		if (!(i % 64) && (i / 4096) % 2)
			pair_drain(&pair, look, NULL);
	}
	timer_delete(one);
	timer_delete(two);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
}

static u64 sum_produced(void)
{
	return level[0].produced + level[1].produced + level[2].produced;
}

static u64 sum_refused(void)
{
	return level[0].refused + level[1].refused + level[2].refused;
}

static u64 sum_got(void)
{
	return level[0].got + level[1].got + level[2].got;
}

static void all_add_up(u32 mode)
{
	struct { struct ktr_rec rec; struct ktr_ev_lost lost; } last;

	storm(mode);
	pair_drain(&pair, look, NULL);
	if (ring_trailing(&pair.read, true, tick(), &last))
		look(&last.rec, NULL);
	CHECK(level[1].produced >= HANDLERS && level[2].produced >= HANDLERS);
	CHECK_EQ(sum_got() + seen.lost, sum_produced());
	CHECK_EQ(seen.torn, 0);
	CHECK_EQ(seen.backwards, 0);
	CHECK(!pair.read.broken);
	CHECK(sum_got() > 1000);
	CHECK_EQ(pair.ring.nest, 0);
	CHECK_EQ(pair.ring.prod->committed, pair.ring.prod->reserved);
	CHECK_EQ(pair.ring.prod->refused, sum_refused());
	printf("# %llu, %llu, %llu records on three levels; %llu lost\n",
	       level[0].produced, level[1].produced, level[2].produced,
	       seen.lost);
}

static void discard(void)
{
	all_add_up(KTR_MODE_DISCARD);
	CHECK_EQ(seen.lost, sum_refused());
	CHECK(seen.lost > 1000);
	CHECK_EQ(seen.reasons, 1 << KTR_LOSS_FULL);
	pair_free(&pair);
}

static void overwrite(void)
{
	all_add_up(KTR_MODE_OVERWRITE);
	CHECK(seen.lost > 1000);
	CHECK(seen.reasons & 1 << KTR_LOSS_EVICTED);
	pair_free(&pair);
}

int main(void)
{
	RUN(discard);
	RUN(overwrite);
	return tap_done();
}
