// SPDX-License-Identifier: GPL-2.0-or-later
/* Predicates: what they let through, what they cost, what is refused. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "ktr_random.h"
#include "ktr_test.h"

#define P_EQ(f, v)	{ .op = KTR_PRED_EQ, .field = KTR_FIELD_##f, .value = v }
#define P_NE(f, v)	{ .op = KTR_PRED_NE, .field = KTR_FIELD_##f, .value = v }
#define P_LT(f, v)	{ .op = KTR_PRED_LT, .field = KTR_FIELD_##f, .value = v }
#define P_GT(f, v)	{ .op = KTR_PRED_GT, .field = KTR_FIELD_##f, .value = v }
#define P_GE(f, v)	{ .op = KTR_PRED_GE, .field = KTR_FIELD_##f, .value = v }
#define P_BITS(f, v)	{ .op = KTR_PRED_BITS, .field = KTR_FIELD_##f, .value = v }
#define P_AND		{ .op = KTR_PRED_AND }
#define P_OR		{ .op = KTR_PRED_OR }
#define P_NOT		{ .op = KTR_PRED_NOT }

#define FILTER(...) ((struct ktr_pred[]){ __VA_ARGS__ })
#define SET(s, ...) ktr_session_filter(s, FILTER(__VA_ARGS__),		\
			ARRAY_SIZE(FILTER(__VA_ARGS__)))

FIXTURE(filter) {
	struct ktr_session s;
	struct ktr_child child;
	pid_t pid;
};

FIXTURE_SETUP(filter)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall) |
				       KTR_BIT(syscall_begun)));
}

FIXTURE_TEARDOWN(filter)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

static int run(FIXTURE_DATA(filter) *self, int (*fn)(void *), void *arg)
{
	int ret = ktr_child_traced(&self->child, &self->s, 0, fn, arg);

	if (ret)
		return ret;
	self->pid = self->child.pid;
	ktr_child_run(&self->child);
	return ktr_session_finish(&self->s);
}

static size_t syscalls(const FIXTURE_DATA(filter) *self)
{
	return ktr_log_count(&self->s.log, KTR_KIND_syscall, 0);
}

static long good_stats(void)
{
	return ktr_scaled(10000);
}

/* Many good calls, three ENOENT, two ENOTDIR. */
static int stats(void *arg)
{
	long n = good_stats(), i;
	struct stat st;

	for (i = 0; i < n; i++)
		syscall(SYS_stat, "/dev/null", &st);
	for (i = 0; i < 3; i++)
		syscall(SYS_stat, "/no/such/file", &st);
	for (i = 0; i < 2; i++)
		syscall(SYS_stat, "/dev/null/file", &st);
	return 0;
}

static const int stat_only[] = { SYS_stat, -1 };

/* Case K-01. */
TEST_F(filter, only_failures)
{
	ASSERT_EQ(0, ktr_session_calls(&self->s, stat_only));
	ASSERT_EQ(0, SET(&self->s, P_NE(ERRNO, 0)));
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_FILTER_LEN));
	ASSERT_EQ(0, run(self, stats, NULL));
	EXPECT_EQ(5, syscalls(self));
	EXPECT_EQ(good_stats(), ktr_session_u64(&self->s, KTR_A_REFUSED));
}

TEST_F(filter, only_one_errno)
{
	struct ktr_call_view v;
	size_t at = 0;

	ASSERT_EQ(0, ktr_session_calls(&self->s, stat_only));
	ASSERT_EQ(0, SET(&self->s, P_EQ(ERRNO, ENOTDIR)));
	ASSERT_EQ(0, run(self, stats, NULL));
	EXPECT_EQ(2, syscalls(self));
	while (!ktr_log_call(&self->s.log, &at, -2, 0, &v))
		EXPECT_EQ(-ENOTDIR, v.ret);
}

TEST_F(filter, all_but_one_errno)
{
	ASSERT_EQ(0, ktr_session_calls(&self->s, stat_only));
	ASSERT_EQ(0, SET(&self->s, P_EQ(ERRNO, ENOENT), P_NOT));
	ASSERT_EQ(0, run(self, stats, NULL));
	EXPECT_EQ(good_stats() + 2, syscalls(self));
}

/* What is refused takes no room. */
TEST_F(filter, refused_records_cost_no_ring_space)
{
	struct ktr_counts with, without;

	ASSERT_EQ(0, ktr_session_calls(&self->s, stat_only));
	ASSERT_EQ(0, SET(&self->s, P_EQ(NR, SYS_getppid)));
	ASSERT_EQ(0, run(self, stats, NULL));
	EXPECT_EQ(0, syscalls(self));
	ASSERT_EQ(0, ktr_session_counts(&self->s, &without));
	EXPECT_EQ(self->s.log.n, without.recorded);
	EXPECT_GT(4096, without.bytes);
	EXPECT_EQ(good_stats() + 5, ktr_session_u64(&self->s, KTR_A_REFUSED));
	/* An empty one lets all through. */
	ASSERT_EQ(0, ktr_session_filter(&self->s, NULL, 0));
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_FILTER_LEN));
	ASSERT_EQ(0, run(self, stats, NULL));
	EXPECT_EQ(good_stats() + 5, syscalls(self));
	ASSERT_EQ(0, ktr_session_counts(&self->s, &with));
	EXPECT_LE((good_stats() + 5) * 48, with.bytes - without.bytes);
}

static int slow_and_quick(void *arg)
{
	struct timespec ms = { .tv_nsec = 30 * 1000000 }, zero = {};
	int i;

	for (i = 0; i < 3; i++)
		syscall(SYS_nanosleep, &ms, NULL);
	for (i = 0; i < 20; i++)
		syscall(SYS_nanosleep, &zero, NULL);
	return 0;
}

TEST_F(filter, duration)
{
	static const int nrs[] = { SYS_nanosleep, -1 };
	struct ktr_call_view v;
	size_t at = 0;
	int slow = 0;

	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, SET(&self->s, P_GE(DUR, 30 * 1000000)));
	ASSERT_EQ(0, run(self, slow_and_quick, NULL));
	while (!ktr_log_call(&self->s.log, &at, -2, 0, &v)) {
		slow++;
		EXPECT_LE(30 * 1000000, v.rec->time - v.start);
	}
	/* A quick one may have met with a busy machine. */
	EXPECT_LE(3, slow);
	EXPECT_GT(23, slow);
	/* It is not known at the beginning whether it will be that long. */
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_syscall_begun, 0));
}

static int closes(void *arg)
{
	int i;

	for (i = 700; i < 720; i++)
		syscall(SYS_close, i);
	syscall(SYS_getppid, 711);
	return 0;
}

TEST_F(filter, descriptor)
{
	struct ktr_rows rows = {};
	struct ktr_call_view v;
	size_t at = 0;

	ktr_rows_add(&rows, KTR_ABI_NATIVE, SYS_close, 1, 0, NULL, 0);
	ktr_rows_add(&rows, KTR_ABI_NATIVE, SYS_getppid, 1, -1, NULL, 0);
	ASSERT_EQ(0, ktr_session_rows(&self->s, &rows, 0));
	ASSERT_EQ(0, SET(&self->s, P_EQ(FD, 711)));
	ASSERT_EQ(0, run(self, closes, NULL));
	EXPECT_EQ(1, syscalls(self));
	ASSERT_EQ(0, ktr_log_call(&self->s.log, &at, SYS_close, 0, &v));
	EXPECT_EQ(711, v.args[0]);
	/* A call without a descriptor has -1. */
	ktr_log_clear(&self->s.log);
	ASSERT_EQ(0, SET(&self->s, P_EQ(FD, -1)));
	ASSERT_EQ(0, run(self, closes, NULL));
	EXPECT_EQ(1, syscalls(self));
	at = 0;
	EXPECT_EQ(0, ktr_log_call(&self->s.log, &at, SYS_getppid, 0, &v));
}

static int reads_pipe(void *arg)
{
	const int *fd = arg;
	char c;

	syscall(SYS_getppid, fd[0]);
	return syscall(SYS_read, fd[0], &c, 1) == 1 ? 0 : 1;
}

/* A predicate on what is known at entry also decides about begun records. */
TEST_F(filter, begun_records)
{
	int fd[2], other[2];

	ASSERT_EQ(0, pipe(fd));
	ASSERT_EQ(0, pipe(other));
	ASSERT_EQ(0, ktr_session_all_calls(&self->s));
	ASSERT_EQ(0, SET(&self->s, P_EQ(NR, SYS_read), P_EQ(ARG0, fd[0]),
			 P_AND));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, reads_pipe, fd));
	ktr_child_go(&self->child);
	ASSERT_EQ(0, ktr_session_await(&self->s, KTR_KIND_syscall_begun,
				       self->child.pid, 1));
	ASSERT_EQ(1, write(fd[1], "x", 1));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	EXPECT_EQ(1, ktr_log_count(&self->s.log, KTR_KIND_syscall_begun, 0));
	EXPECT_EQ(1, syscalls(self));
}

static const struct {
	const char *why;
	int n;
	struct ktr_pred p[4];
} malformed[] = {
	{ "no such operator", 1, { { .op = __KTR_PRED_LAST } } },
	{ "no such field", 1, { { .field = __KTR_FIELD_LAST } } },
	{ "huge field", 1, { { .field = 0xffff } } },
	{ "nothing to negate", 1, { P_NOT } },
	{ "one result for two", 2, { P_EQ(RET, 0), P_AND } },
	{ "two results left", 2, { P_EQ(RET, 0), P_EQ(RET, 1) } },
	{ "reserved word", 1, { { .op = KTR_PRED_EQ, .reserved = 1 } } },
	{ "operator with a field", 3, { P_EQ(RET, 0), P_EQ(RET, 1),
		{ .op = KTR_PRED_OR, .field = 1 } } },
	{ "operator with a value", 3, { P_EQ(RET, 0), P_EQ(RET, 1),
		{ .op = KTR_PRED_AND, .value = 1 } } },
	{ "operators first", 3, { P_OR, P_EQ(RET, 0), P_EQ(RET, 0) } },
};

TEST_F(filter, malformed_ones_are_refused)
{
	struct ktr_pred good = P_EQ(NR, SYS_stat), many[65];
	struct ktr_msg m;
	int i;

	ASSERT_EQ(0, ktr_session_filter(&self->s, &good, 1));
	for (i = 0; i < ARRAY_SIZE(malformed); i++) {
		EXPECT_EQ(-EINVAL, ktr_session_filter(&self->s, malformed[i].p,
						      malformed[i].n))
			TH_LOG("%s", malformed[i].why);
		EXPECT_NE('\0', self->s.client.text[0])
			TH_LOG("%s", malformed[i].why);
	}
	/* More than 32 results wait. */
	for (i = 0; i < 33; i++)
		many[i] = good;
	for (; i < 65; i++)
		many[i] = (struct ktr_pred)P_OR;
	EXPECT_EQ(-EINVAL, ktr_session_filter(&self->s, many, 65));
	EXPECT_EQ(0, ktr_session_filter(&self->s, many + 1, 63));
	ASSERT_EQ(0, ktr_session_filter(&self->s, &good, 1));
	/* A piece of an element. */
	ktr_session_msg(&self->s, &m, KTR_CMD_SESSION_SET);
	ktr_msg_put(&m, KTR_A_FILTER, &good, sizeof(good) - 1);
	EXPECT_EQ(-EINVAL, ktr_client_call(&self->s.client, &m, NULL));
	/* The good one is still in force. */
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_FILTER_LEN));
	ASSERT_EQ(0, ktr_session_all_calls(&self->s));
	ASSERT_EQ(0, run(self, stats, NULL));
	EXPECT_EQ(good_stats() + 5, syscalls(self));
}

TEST_F(filter, too_long_ones_are_refused)
{
	static struct ktr_pred p[KTR_PREDS_MAX + 2];
	int i;

	for (i = 0; i < ARRAY_SIZE(p); i++)
		p[i] = i % 2 || !i ? (struct ktr_pred)P_EQ(NR, SYS_stat) :
				     (struct ktr_pred)P_OR;
	EXPECT_EQ(0, ktr_session_filter(&self->s, p, KTR_PREDS_MAX - 1));
	EXPECT_EQ(KTR_PREDS_MAX - 1, ktr_session_u32(&self->s, KTR_A_FILTER_LEN));
	EXPECT_NE(0, ktr_session_filter(&self->s, p, KTR_PREDS_MAX + 1));
	EXPECT_EQ(KTR_PREDS_MAX - 1, ktr_session_u32(&self->s, KTR_A_FILTER_LEN));
}

/* A failed change changes nothing, whatever came with the filter. */
TEST_F(filter, change_is_all_or_nothing)
{
	struct ktr_pred bad = P_NOT;
	__u32 before = ktr_session_u32(&self->s, KTR_A_GENERATION);
	struct ktr_msg m;

	ktr_session_msg(&self->s, &m, KTR_CMD_SESSION_SET);
	ktr_msg_u64(&m, KTR_A_EVENTS, KTR_BIT(sched_in));
	ktr_msg_u64(&m, KTR_A_SIGNALS, 1);
	ktr_msg_u32(&m, KTR_A_STATE, KTR_STATE_STOPPED);
	ktr_msg_put(&m, KTR_A_FILTER, &bad, sizeof(bad));
	EXPECT_EQ(-EINVAL, ktr_client_call(&self->s.client, &m, NULL));
	EXPECT_EQ(KTR_STATE_RUNNING, ktr_session_u32(&self->s, KTR_A_STATE));
	EXPECT_EQ(KTR_BIT(syscall) | KTR_BIT(syscall_begun),
		  ktr_session_u64(&self->s, KTR_A_EVENTS));
	EXPECT_EQ(~0ULL, ktr_session_u64(&self->s, KTR_A_SIGNALS));
	EXPECT_EQ(before, ktr_session_u32(&self->s, KTR_A_GENERATION));
}

/* Values that the arguments of a call and the constants of a filter take. */
static const __s64 values[] = {
	0, 1, -1, 2, 7, 0x7fffffff, 0x80000000LL, 0xffffffffLL,
	0x100000000LL, -0x80000000LL, 0x7fffffffffffffffLL,
	(__s64)0x8000000000000000ULL, 0x5555555555555555LL, -2,
};

#define CALLS 12

struct calls {
	__s64 arg[CALLS][6];
};

static int makes_calls(void *arg)
{
	const struct calls *c = arg;
	int i;

	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid, c->arg[i][0], c->arg[i][1], c->arg[i][2],
			c->arg[i][3], c->arg[i][4], c->arg[i][5]);
	return 0;
}

static struct ktr_random rnd;

static __s64 random_value(void)
{
	return values[ktr_random_below(&rnd, ARRAY_SIZE(values))];
}

static struct ktr_pred random_compare(void)
{
	return (struct ktr_pred){
		.op = ktr_random_below(&rnd, KTR_PRED_AND),
		.field = KTR_FIELD_ARG0 + ktr_random_below(&rnd, 6),
		.value = random_value(),
	};
}

/* A predicate that leaves one result, at @p. Return: its length. */
static int random_filter(struct ktr_pred *p, int height)
{
	int n;

	if (!height || ktr_one_in(&rnd, 4)) {
		p[0] = random_compare();
		n = 1;
	} else {
		n = random_filter(p, height - 1);
		n += random_filter(p + n, height - 1);
		p[n++] = ktr_one_in(&rnd, 2) ? (struct ktr_pred)P_AND :
					(struct ktr_pred)P_OR;
	}
	if (ktr_one_in(&rnd, 4))
		p[n++] = (struct ktr_pred)P_NOT;
	return n;
}

static bool compare(const struct ktr_pred *p, __s64 field)
{
	switch (p->op) {
	case KTR_PRED_EQ:
		return field == p->value;
	case KTR_PRED_NE:
		return field != p->value;
	case KTR_PRED_LT:
		return field < p->value;
	case KTR_PRED_LE:
		return field <= p->value;
	case KTR_PRED_GT:
		return field > p->value;
	case KTR_PRED_GE:
		return field >= p->value;
	}
	return field & p->value;
}

/* What the header says a predicate means. */
static bool evaluate(const struct ktr_pred *p, int n, const __s64 *arg)
{
	bool stack[64] = {};
	int depth = 0, i;

	for (i = 0; i < n; i++) {
		if (p[i].op < KTR_PRED_AND) {
			stack[depth++] = compare(&p[i], arg[p[i].field -
							    KTR_FIELD_ARG0]);
		} else if (p[i].op == KTR_PRED_NOT) {
			stack[depth - 1] = !stack[depth - 1];
		} else {
			bool b = stack[--depth], a = stack[--depth];

			stack[depth++] = p[i].op == KTR_PRED_AND ? a && b :
								   a || b;
		}
	}
	return stack[0];
}

TEST_F(filter, random_predicates_mean_what_the_header_says)
{
	static const int nrs[] = { SYS_getppid, -1 };
	long rounds = ktr_scaled(400), round;
	struct ktr_call_view v;
	int i, k;

	TH_LOG("KTR_SEED=%llu", ktr_seed());
	ktr_random_init(&rnd, ktr_seed());
	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	for (round = 0; round < rounds; round++) {
		struct ktr_pred p[64] = {};
		int n = random_filter(p, 4);
		struct calls c;
		size_t at = 0;

		for (i = 0; i < CALLS; i++)
			for (k = 0; k < 6; k++)
				c.arg[i][k] = random_value();
		ASSERT_EQ(0, ktr_session_filter(&self->s, p, n));
		ASSERT_EQ(0, run(self, makes_calls, &c));
		for (i = 0; i < CALLS; i++) {
			if (!evaluate(p, n, c.arg[i]))
				continue;
			ASSERT_EQ(0, ktr_log_call(&self->s.log, &at, -2, 0, &v));
			ASSERT_EQ(0, memcmp(v.args, c.arg[i], 48));
		}
		ASSERT_EQ(-ENOENT, ktr_log_call(&self->s.log, &at, -2, 0, &v));
		ktr_log_clear(&self->s.log);
	}
}

TEST_HARNESS_MAIN
