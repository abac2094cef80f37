// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions counted in the kernel: as many as are recorded beside. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "ktr_ksyms.h"
#include "ktr_test.h"

FIXTURE(funcsum) {
	struct ktr_session s;		/* counts */
	struct ktr_session beside;	/* records the same */
	struct ktr_child child;
	struct ktr_sums *sums;
	int wake[2];
	__u64 poll;
};

FIXTURE_SETUP(funcsum)
{
	KTR_NEED_MODULE();
	self->s.fd = self->s.client.fd = -1;
	self->beside.fd = self->beside.client.fd = -1;
	self->poll = ktr_ksym_addr("do_sys_poll");
	if (!self->poll)
		SKIP(return, "the addresses of /proc/kallsyms are hidden");
	self->sums = malloc(sizeof(*self->sums));
	ASSERT_NE(NULL, self->sums);
	ASSERT_EQ(0, pipe(self->wake));
}

FIXTURE_TEARDOWN(funcsum)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
	ktr_session_close(&self->beside);
	free(self->sums);
}

static int begin(struct ktr_session *s, const struct ktr_setup *setup, __u64 events)
{
	return ktr_session_open(s, setup) ?: ktr_session_start(s, events);
}

#define BOTH (KTR_BIT(function) | KTR_BIT(function_return))

static int begin_counting(struct ktr_session *s, __u32 flags, __u32 slots)
{
	struct ktr_setup setup = {
		.count = true, .slots = slots,
		.summary = flags | KTR_SUM_F_ONLY | KTR_SUM_F_FUNCS,
	};

	return begin(s, &setup, BOTH);
}

static int take(FIXTURE_DATA(funcsum) *self)
{
	return ktr_session_finish(&self->s) ?: ktr_session_sums(&self->s, self->sums);
}

/* The function whose entry is at @addr, or a little behind it, where ftrace is called. */
static struct ktr_sum_row row_of(const struct ktr_sums *s, __u64 addr)
{
	struct ktr_sum_row none = { 0 };
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->row[i].ip - addr <= 16)
			return s->row[i];
	return none;
}

static __u64 buckets_of(const struct ktr_sums *s, __u64 addr)
{
	__u64 sum = 0;
	size_t i, b;

	for (i = 0; i < s->n; i++)
		for (b = 0; s->row[i].ip - addr <= 16 && b < KTR_SUM_BUCKETS; b++)
			sum += s->hist[i][b];
	return sum;
}

static size_t recorded(const struct ktr_session *s, int kind, __u64 addr)
{
	const struct ktr_rec *rec;
	size_t at = 0, n = 0;

	while ((rec = ktr_log_next(&s->log, &at, kind, 0)))
		n += *(const __u64 *)ktr_payload(rec) - addr <= 16;
	return n;
}

static int polls(void *arg)
{
	struct pollfd p = { .fd = -1 };
	long i;

	for (i = 0; i < (long)arg; i++)
		poll(&p, 1, 0);
	return 0;
}

static int on_every_cpu(void *arg)
{
	int i, status, bad = 0, ncpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (i = 0; i < ncpus; i++)
		if (!fork()) {
			ktr_pin(i);
			_exit(polls(arg));
		}
	for (i = 0; i < ncpus; i++)
		bad += wait(&status) < 0 || status;
	return !!bad;
}

/* Each call entered is one that returned, is inside, or was missed. */
TEST_F(funcsum, none_is_missed_on_any_cpu)
{
	long n = ktr_scaled(2000000), ncpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct ktr_sum_row row;

	ASSERT_EQ(0, begin_counting(&self->s, KTR_SUM_F_HIST, 0));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, KTR_FUNCS_F_RET));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, KTR_TARGET_F_FOLLOW,
				      on_every_cpu, (void *)n));
	EXPECT_EQ(0, ktr_child_run(&self->child));
	ASSERT_EQ(0, take(self));
	row = row_of(self->sums, self->poll);
	EXPECT_EQ(1, self->sums->n);
	EXPECT_EQ(n * ncpus, row.calls + ktr_session_u64(&self->s, KTR_A_RETS_MISSED));
	EXPECT_EQ(row.calls, buckets_of(self->sums, self->poll));
	EXPECT_LE(row.wall_min * row.calls, row.wall);
	EXPECT_GE(row.wall_max * row.calls, row.wall);
	EXPECT_EQ(0, row.errors);
	EXPECT_EQ(0, ktr_session_u64(&self->s, KTR_A_RETS_INSIDE));
	EXPECT_EQ(0, ktr_session_u64(&self->s, KTR_A_SUM_MISSED));
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_function, 0));
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_function_return, 0));
}

static __u64 missed(struct ktr_session *a, struct ktr_session *b)
{
	return ktr_session_u64(a, KTR_A_RETS_MISSED) + ktr_session_u64(b, KTR_A_RETS_MISSED);
}

/* @flags: how both sessions hook what the child calls, and what interrupts it. */
static void beside(struct __test_metadata *_metadata, FIXTURE_DATA(funcsum) *self,
		   __u32 flags, int kind)
{
	__u64 addr[] = { self->poll, ktr_ksym_addr("update_process_times") };
	struct ktr_setup setup = { .buf_size = 16 << 20 };
	__u64 apart;
	size_t i, n;

	ASSERT_NE(0, addr[1]);
	ASSERT_EQ(0, begin_counting(&self->s, 0, 0));
	ASSERT_EQ(0, begin(&self->beside, &setup, BOTH));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, addr, 2, flags));
	ASSERT_EQ(0, ktr_session_func_add(&self->beside, addr, 2, flags));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, polls,
				      (void *)ktr_scaled(400000)));
	ASSERT_EQ(1, ktr_session_attach(&self->beside, KTR_TARGET_PID, self->child.pid, 0));
	EXPECT_EQ(0, ktr_child_run(&self->child));
	ASSERT_EQ(0, take(self));
	ASSERT_EQ(0, ktr_session_finish(&self->beside));
	for (i = 0; i < 2; i++) {
		n = recorded(&self->beside, kind, addr[i]);
		apart = llabs((long long)(n - row_of(self->sums, addr[i]).calls));
		EXPECT_LE(apart, missed(&self->s, &self->beside));
	}
	EXPECT_EQ(ktr_scaled(400000), recorded(&self->beside, kind, self->poll));
	EXPECT_GT(row_of(self->sums, addr[1]).calls, 0) TH_LOG("no interrupt came");
	EXPECT_EQ(0, ktr_session_u64(&self->s, KTR_A_SUM_MISSED));
}

TEST_F(funcsum, returns_are_those_recorded_beside)
{
	beside(_metadata, self, KTR_FUNCS_F_RET, KTR_KIND_function_return);
	EXPECT_NE(~0ULL, row_of(self->sums, self->poll).wall_min);
}

TEST_F(funcsum, entries_are_those_recorded_beside)
{
	beside(_metadata, self, 0, KTR_KIND_function);
	EXPECT_EQ(~0ULL, row_of(self->sums, self->poll).wall_min);
	EXPECT_EQ(0, row_of(self->sums, self->poll).wall);
}

TEST_F(funcsum, recorded_too_if_not_only_counted)
{
	struct ktr_setup setup = { .count = true, .summary = KTR_SUM_F_FUNCS };
	const struct ktr_rec *rec;
	__u64 wall = 0;
	size_t at = 0;

	ASSERT_EQ(0, begin(&self->s, &setup, BOTH));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, KTR_FUNCS_F_RET));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, polls, (void *)50L));
	EXPECT_EQ(0, ktr_child_run(&self->child));
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(50, ktr_log_count(&self->s.log, KTR_KIND_function, 0));
	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_function_return, 0)))
		wall += rec->time -
			((const struct ktr_ev_function_return *)ktr_payload(rec))->start;
	EXPECT_EQ(50, row_of(self->sums, self->poll).calls);
	EXPECT_EQ(wall, row_of(self->sums, self->poll).wall);
}

/* Without the flag functions are recorded beside calls that are counted. */
TEST_F(funcsum, not_counted_unless_asked_for)
{
	struct ktr_setup setup = { .count = true, .summary = KTR_SUM_F_ONLY };

	ASSERT_EQ(0, begin(&self->s, &setup, BOTH));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, KTR_FUNCS_F_RET));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, polls, (void *)50L));
	EXPECT_EQ(0, ktr_child_run(&self->child));
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(0, self->sums->n);
	EXPECT_EQ(50, ktr_log_count(&self->s.log, KTR_KIND_function_return, 0));
}

#define MANY 50

static int many_sleep(void *arg)
{
	struct pollfd p = { .fd = *(int *)arg, .events = POLLIN };
	int i, status, bad = 0;

	for (i = 0; i < MANY; i++)
		if (!fork())
			_exit(poll(&p, 1, -1) != 1);
	for (i = 0; i < MANY; i++)
		bad += wait(&status) < 0 || status;
	return !!bad;
}

TEST_F(funcsum, those_inside_are_told_and_not_counted)
{
	ASSERT_EQ(0, begin_counting(&self->s, KTR_SUM_F_TGID, 0));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, KTR_FUNCS_F_RET));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, KTR_TARGET_F_FOLLOW,
				      many_sleep, self->wake));
	ktr_child_go(&self->child);
	ASSERT_TRUE(ktr_wait_for(ktr_session_u64(&self->s, KTR_A_RETS_INSIDE) == MANY));
	ASSERT_EQ(0, ktr_session_sums(&self->s, self->sums));
	EXPECT_EQ(0, self->sums->n);
	ASSERT_EQ(1, write(self->wake[1], "x", 1));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_EQ(0, take(self));
	EXPECT_EQ(0, ktr_session_u64(&self->s, KTR_A_RETS_INSIDE));
	EXPECT_EQ(MANY, self->sums->n) TH_LOG("a row for each process");
	EXPECT_EQ(0, ktr_session_u64(&self->s, KTR_A_RETS_MISSED));
}

/* More keys than slots: what is in no row is told. */
TEST_F(funcsum, without_room_they_are_missed)
{
	struct ktr_setup setup = { .buf_size = 4 << 20 };
	__u64 calls = 0;
	size_t i;

	ASSERT_EQ(0, begin_counting(&self->s, KTR_SUM_F_TGID, KTR_SUM_SLOTS_MIN));
	ASSERT_EQ(0, begin(&self->beside, &setup, BOTH));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, 0));
	ASSERT_EQ(0, ktr_session_func_add(&self->beside, &self->poll, 1, 0));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, KTR_TARGET_F_FOLLOW, many_sleep,
				      self->wake));
	ASSERT_EQ(1, ktr_session_attach(&self->beside, KTR_TARGET_PID, self->child.pid,
					KTR_TARGET_F_FOLLOW));
	ASSERT_EQ(1, write(self->wake[1], "x", 1));
	EXPECT_EQ(0, ktr_child_run(&self->child));
	ASSERT_EQ(0, take(self));
	ASSERT_EQ(0, ktr_session_finish(&self->beside));
	for (i = 0; i < self->sums->n; i++)
		calls += self->sums->row[i].calls;
	EXPECT_EQ(MANY, ktr_log_count(&self->beside.log, KTR_KIND_function, 0));
	EXPECT_EQ(MANY, calls + ktr_session_u64(&self->s, KTR_A_SUM_MISSED));
	EXPECT_LT(0, ktr_session_u64(&self->s, KTR_A_SUM_MISSED));
}

TEST_HARNESS_MAIN
