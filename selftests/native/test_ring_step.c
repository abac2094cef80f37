// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An interrupt at every single instruction of a producer: the processor's trap
 * flag stops it after each, and the handler does at one of them what an
 * interrupt would do, and a second time soon after. What timers hit by chance is
 * gone through here in order.
 */
#include "tap.h"

#if defined(__x86_64__) && defined(SHIM_PLAIN)
#include <signal.h>
#include <ucontext.h>

#include "ring_pair.h"

#define RING 4096
#define TRAP_FLAG 0x100
#define STEPS_MAX 100000

static struct ring_pair pair;
/* Of the interrupted and of those who interrupt. */
static u64 made[2], refused[2];
static u64 step;		/* instructions done */
static u64 strike, again;	/* interrupt there, and once more there */
static unsigned int burst;		/* records of the interrupt */
static u32 burst_len;

static void produce(int who, u32 len)
{
	u64 seq = made[who]++;

	if (!pair_emit(&pair, 50 + who, seq, len, seq))
		refused[who]++;
}

static void trapped(int sig, siginfo_t *info, void *uc)
{
	unsigned int i;

	step++;
	if (step == strike)
		for (i = 0; i < burst; i++)
			produce(1, burst_len);
	if (step < again)
		return;
	produce(1, burst_len);
	/* On at full speed. */
	((ucontext_t *)uc)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

/* Not in line, so that what is stepped through is one known stretch. */
static noinline void stepped_produce(u32 len)
{
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
	produce(0, len);
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq"
			 ::: "memory", "cc");
}

struct seen {
	u64 records, lost;
	bool torn;
};

static void look(const struct ktr_rec *rec, void *ctx)
{
	struct seen *s = ctx;

	if (rec->kind == KTR_KIND_lost)
		s->lost += ((const struct ktr_ev_lost *)(rec + 1))->count;
	else if ((rec->kind & ~1) != 50 || !mark_whole(rec))
		s->torn = true;
	else
		s->records++;
}

struct start {
	const char *name;
	u32 mode;
	unsigned int fill;	/* records of 64 bytes that are there before */
	unsigned int drained;	/* 1: read again; so the position is not 0 */
};

static const struct start starts[] = {
	{ "empty", KTR_MODE_DISCARD, 0, 0 },
	{ "wraps", KTR_MODE_DISCARD, 63, 1 },
	{ "room for one", KTR_MODE_DISCARD, 62, 0 },
	{ "room for itself", KTR_MODE_DISCARD, 63, 0 },
	{ "full", KTR_MODE_DISCARD, 64, 0 },
	{ "lost before", KTR_MODE_DISCARD, 70, 1 },
	{ "overwrite, empty", KTR_MODE_OVERWRITE, 0, 0 },
	{ "overwrite, full", KTR_MODE_OVERWRITE, 64, 0 },
	{ "overwrite, wraps", KTR_MODE_OVERWRITE, 100, 1 },
};

/* Return: whether the strike came, that is, whether there are more steps. */
static bool once(const struct start *start, u64 at)
{
	struct { struct ktr_rec rec; struct ktr_ev_lost lost; } last;
	struct seen s = {};
	unsigned int i;

	pair_make(&pair, RING, start->mode);
	memset(made, 0, sizeof(made));
	memset(refused, 0, sizeof(refused));
	step = 0;
	for (i = 0; i < start->fill; i++)
		produce(0, 64);
	if (start->drained)
		pair_drain(&pair, look, &s);
	strike = at;
	again = at + 1 + tap_below(40);
	stepped_produce(64);
	/* One more, as the outermost: nothing may be left unpublished. */
	CHECK_EQ(pair.ring.prod->committed, pair.ring.prod->reserved);
	CHECK_EQ(pair.ring.nest, 0);
	produce(0, 64);
	pair_drain(&pair, look, &s);
	produce(0, 64);
	pair_drain(&pair, look, &s);
	if (ring_trailing(&pair.read, true, 1000, &last))
		look(&last.rec, &s);
	CHECK(!s.torn && !pair.read.broken);
	CHECK_EQ(s.records + s.lost, made[0] + made[1]);
	CHECK_EQ(pair.ring.prod->refused, refused[0] + refused[1]);
	if (tap.complaints)
		printf("# %s, interrupt of %u at instruction %llu\n",
		       start->name, burst, at);
	pair_free(&pair);
	return step >= at;
}

static void every_instruction(void)
{
	static const struct { unsigned int burst; u32 len; } kinds[] = {
		{ 1, 64 }, { 3, 1024 }, { 80, 64 },
	};
	struct sigaction action = { .sa_sigaction = trapped,
				    .sa_flags = SA_SIGINFO };
	u64 at, all = 0;
	size_t i, k;

	sigaction(SIGTRAP, &action, NULL);
	for (i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		for (k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
			burst = kinds[k].burst;
			burst_len = kinds[k].len;
			for (at = 1; at < STEPS_MAX && !tap.complaints &&
			     once(&starts[i], at); at++)
				all++;
		}
	}
	signal(SIGTRAP, SIG_DFL);
	printf("# %llu interrupts\n", all);
	CHECK(all > 1000);
}

#else

static void every_instruction(void)
{
	tap_skip("single steps belong to the plain build on x86-64");
}

#endif

int main(void)
{
	RUN(every_instruction);
	return tap_done();
}
