// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls counted in the kernel: nothing is missing, nothing is counted twice. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ktr_test.h"

FIXTURE(summary) {
	struct ktr_session s;
	struct ktr_child child;
	struct ktr_sums *sums;
	pid_t pid;		/* of the child that ran */
};

FIXTURE_SETUP(summary)
{
	KTR_NEED_MODULE();
	self->s.fd = -1;
	self->s.client.fd = -1;
	self->sums = malloc(sizeof(*self->sums));
	ASSERT_NE(NULL, self->sums);
}

FIXTURE_TEARDOWN(summary)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
	free(self->sums);
}

static int begin(FIXTURE_DATA(summary) *self, __u32 flags, __u32 slots)
{
	struct ktr_setup setup = { .count = true, .summary = flags, .slots = slots };
	int ret = ktr_session_open(&self->s, &setup);

	return ret ?: ktr_session_start(&self->s, KTR_BIT(syscall)) ?:
	       ktr_session_all_calls(&self->s);
}

/* Run @fn in a child under trace; what was counted is in self->sums then. */
static int run(FIXTURE_DATA(summary) *self, int (*fn)(void *), void *arg)
{
	int ret = ktr_child_traced(&self->child, &self->s, KTR_TARGET_F_FOLLOW, fn, arg);

	if (ret)
		return ret;
	self->pid = self->child.pid;
	ktr_child_run(&self->child);
	return ktr_session_finish(&self->s) ?: ktr_session_sums(&self->s, self->sums);
}

/* The sum of all rows for a number; tid 0: of all threads. */
static struct ktr_sum_row sum_of(const struct ktr_sums *s, int nr, __u32 tid)
{
	struct ktr_sum_row sum = { .wall_min = ~0ULL };
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (s->row[i].nr != nr || (tid && s->row[i].tid != tid))
			continue;
		sum.calls += s->row[i].calls;
		sum.errors += s->row[i].errors;
		sum.wall += s->row[i].wall;
		sum.cpu += s->row[i].cpu;
		if (s->row[i].wall_min < sum.wall_min)
			sum.wall_min = s->row[i].wall_min;
		if (s->row[i].wall_max > sum.wall_max)
			sum.wall_max = s->row[i].wall_max;
	}
	return sum;
}

static size_t rows_of(const struct ktr_sums *s, int nr)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		n += s->row[i].nr == nr;
	return n;
}

static long many(void)
{
	return ktr_scaled(20000);
}

/* Good ones and bad ones, half on each CPU. */
static int on_two_cpus(void *arg)
{
	int cpu;
	long i;

	for (cpu = 0; cpu < 2; cpu++) {
		ktr_pin(cpu);
		for (i = 0; i < many(); i++) {
			syscall(SYS_getppid);
			if (i < 7)
				close(-1);
		}
	}
	return 0;
}

TEST_F(summary, counts_exactly_over_cpus)
{
	struct ktr_sum_row sum;

	ASSERT_EQ(0, begin(self, KTR_SUM_F_ONLY, 0));
	ASSERT_EQ(0, run(self, on_two_cpus, NULL));
	EXPECT_EQ(1, rows_of(self->sums, SYS_getppid));
	sum = sum_of(self->sums, SYS_getppid, 0);
	EXPECT_EQ(2 * many(), sum.calls);
	EXPECT_EQ(0, sum.errors);
	EXPECT_LE(sum.wall_min * sum.calls, sum.wall);
	EXPECT_GE(sum.wall_max * sum.calls, sum.wall);
	EXPECT_LE(sum.cpu, sum.wall);
	EXPECT_GT(sum.cpu, 0);
	EXPECT_EQ(14, sum_of(self->sums, SYS_close, 0).errors);
	/* What does not return is not counted. */
	EXPECT_EQ(0, rows_of(self->sums, SYS_exit_group));
	EXPECT_EQ(0, ktr_session_u64(&self->s, KTR_A_SUM_MISSED));
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_syscall, 0));
}

/* Memory that a child writes and we read. */
static pid_t *shared_tids(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void *loop(void *tid)
{
	long i;

	*(pid_t *)tid = syscall(SYS_gettid);
	for (i = 0; i < many(); i++)
		syscall(SYS_getppid);
	return NULL;
}

static int four_threads(void *tids)
{
	pthread_t t[4];
	int i;

	for (i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, loop, (pid_t *)tids + i))
			return 1;
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}

TEST_F(summary, counts_each_thread)
{
	pid_t *tid = shared_tids();
	int i;

	ASSERT_NE(NULL, tid);
	ASSERT_EQ(0, begin(self, KTR_SUM_F_ONLY | KTR_SUM_F_TID, 0));
	ASSERT_EQ(0, run(self, four_threads, tid));
	EXPECT_EQ(4, rows_of(self->sums, SYS_getppid));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(many(), sum_of(self->sums, SYS_getppid, tid[i]).calls);
	for (i = 0; i < (int)self->sums->n; i++)
		EXPECT_EQ(self->pid, self->sums->row[i].tgid);
}

TEST_F(summary, counts_each_process)
{
	pid_t *tid = shared_tids();

	ASSERT_EQ(0, begin(self, KTR_SUM_F_ONLY | KTR_SUM_F_TGID, 0));
	ASSERT_EQ(0, run(self, four_threads, tid));
	EXPECT_EQ(1, rows_of(self->sums, SYS_getppid));
	EXPECT_EQ(4 * many(), sum_of(self->sums, SYS_getppid, 0).calls);
}

#define NUMBERS 100

static int many_numbers(void *arg)
{
	int i, k;

	ktr_pin(0);
	for (i = 0; i < 3; i++)
		for (k = 0; k < NUMBERS; k++)
			syscall(5000 + k);
	return 0;
}

TEST_F(summary, full_table_says_what_it_could_not_count)
{
	__u64 counted = 0, missed;
	size_t i;

	ASSERT_EQ(0, begin(self, KTR_SUM_F_ONLY, KTR_SUM_SLOTS_MIN));
	EXPECT_EQ(KTR_SUM_SLOTS_MIN, ktr_session_u32(&self->s, KTR_A_SUM_SLOTS));
	ASSERT_EQ(0, run(self, many_numbers, NULL));
	for (i = 0; i < self->sums->n; i++)
		if (self->sums->row[i].nr >= 5000)
			counted += self->sums->row[i].calls;
	missed = ktr_session_u64(&self->s, KTR_A_SUM_MISSED);
	EXPECT_GE(KTR_SUM_SLOTS_MIN * 3, counted);
	EXPECT_LE((KTR_SUM_SLOTS_MIN - 6) * 3, counted);
	EXPECT_LE(3 * NUMBERS, counted + missed);
	EXPECT_GE(3 * NUMBERS + 6, counted + missed);
}

/* Those that block: the time asleep is no time on a CPU. */
static int sleeps(void *arg)
{
	struct timespec ts = { .tv_nsec = 30000000 };
	int i;

	for (i = 0; i < 5; i++)
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, NULL);
	return 0;
}

TEST_F(summary, time_asleep_is_not_cpu_time)
{
	struct ktr_sum_row sum;

	ASSERT_EQ(0, begin(self, KTR_SUM_F_ONLY, 0));
	ASSERT_EQ(0, run(self, sleeps, NULL));
	sum = sum_of(self->sums, SYS_clock_nanosleep, 0);
	EXPECT_EQ(5, sum.calls);
	EXPECT_LE(30000000, sum.wall_min);
	EXPECT_LE(150000000, sum.wall);
	EXPECT_LT(sum.cpu, 100000000);
}

TEST_F(summary, histogram_has_every_call)
{
	__u64 n = 0, late = 0;
	size_t i;
	int b;

	ASSERT_EQ(0, begin(self, KTR_SUM_F_ONLY | KTR_SUM_F_HIST, 0));
	ASSERT_EQ(0, run(self, sleeps, NULL));
	for (i = 0; i < self->sums->n; i++) {
		__u64 sum = 0;

		for (b = 0; b < KTR_SUM_BUCKETS; b++)
			sum += self->sums->hist[i][b];
		EXPECT_EQ(self->sums->row[i].calls, sum);
		if (self->sums->row[i].nr != SYS_clock_nanosleep)
			continue;
		n = sum;
		for (b = 24; b < KTR_SUM_BUCKETS; b++)	/* from 17 ms on */
			late += self->sums->hist[i][b];
	}
	EXPECT_EQ(5, n);
	EXPECT_EQ(5, late);
}

/* Records and counts of the same calls: the same sums, to the nanosecond. */
TEST_F(summary, agrees_with_the_records)
{
	struct ktr_sum_row sum, rec = { 0 };
	struct ktr_call_view v;
	size_t at = 0;

	ASSERT_EQ(0, begin(self, 0, 0));
	ASSERT_EQ(0, run(self, sleeps, NULL));
	sum = sum_of(self->sums, SYS_clock_nanosleep, 0);
	while (!ktr_log_call(&self->s.log, &at, SYS_clock_nanosleep, 0, &v)) {
		rec.calls++;
		rec.wall += v.rec->time - v.start;
		rec.cpu += v.rec->time - v.start - v.blocked - v.runnable;
	}
	EXPECT_EQ(5, rec.calls);
	EXPECT_EQ(rec.calls, sum.calls);
	EXPECT_EQ(rec.wall, sum.wall);
	EXPECT_EQ(rec.cpu, sum.cpu);
}

TEST_F(summary, predicate_decides_what_counts)
{
	struct ktr_pred failed = { .op = KTR_PRED_NE, .field = KTR_FIELD_ERRNO };

	ASSERT_EQ(0, begin(self, KTR_SUM_F_ONLY, 0));
	ASSERT_EQ(0, ktr_session_filter(&self->s, &failed, 1));
	ASSERT_EQ(0, run(self, on_two_cpus, NULL));
	EXPECT_EQ(14, sum_of(self->sums, SYS_close, 0).calls);
	EXPECT_EQ(0, rows_of(self->sums, SYS_getppid));
}

TEST_F(summary, draining_begins_anew)
{
	struct ktr_setup setup = { .name = "counts", .count = true,
				   .summary = KTR_SUM_F_ONLY };

	ASSERT_EQ(0, ktr_session_new(&self->s, &setup));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
	ASSERT_EQ(0, ktr_session_all_calls(&self->s));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, on_two_cpus, NULL));
	ktr_child_run(&self->child);
	ASSERT_EQ(0, ktr_session_sums(&self->s, self->sums));
	EXPECT_EQ(2 * many(), sum_of(self->sums, SYS_getppid, 0).calls);
	ASSERT_EQ(0, ktr_session_set(&self->s, KTR_A_DRAIN, 1));
	ASSERT_EQ(0, ktr_session_sums(&self->s, self->sums));
	EXPECT_EQ(0, self->sums->n);
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, on_two_cpus, NULL));
	ktr_child_run(&self->child);
	ASSERT_EQ(0, ktr_session_sums(&self->s, self->sums));
	EXPECT_EQ(2 * many(), sum_of(self->sums, SYS_getppid, 0).calls);
}

/* A thread that lives on while another runs a new program in its place. */
static void *run_true(void *arg)
{
	loop(arg);
	execl("/bin/true", "true", NULL);
	return NULL;
}

static int exec_beside(void *tid)
{
	pthread_t t;

	if (pthread_create(&t, NULL, run_true, tid))
		return 1;
	pause();
	return 2;
}

TEST_F(summary, exec_of_a_thread_loses_nothing)
{
	pid_t *tid = shared_tids();

	ASSERT_EQ(0, begin(self, KTR_SUM_F_ONLY | KTR_SUM_F_TID, 0));
	ASSERT_EQ(0, run(self, exec_beside, tid));
	EXPECT_EQ(many(), sum_of(self->sums, SYS_getppid, *tid).calls);
	EXPECT_EQ(1, sum_of(self->sums, SYS_execve, 0).calls);
	/* Its leader was killed in there: nobody saw that return. */
	EXPECT_EQ(0, rows_of(self->sums, SYS_pause));
}

static int pauses(void *arg)
{
	signal(SIGALRM, SIG_DFL);
	ualarm(20000, 0);
	pause();
	return 0;
}

TEST_F(summary, deadly_signal_of_its_own_ends_a_call)
{
	struct ktr_sum_row sum;

	ASSERT_EQ(0, begin(self, KTR_SUM_F_ONLY, 0));
	ASSERT_EQ(0, run(self, pauses, NULL));
	sum = sum_of(self->sums, SYS_pause, 0);
	EXPECT_EQ(1, sum.calls);
	EXPECT_EQ(1, sum.errors);
}

static int is_killed(void *arg)
{
	pid_t me = getpid();

	if (!fork()) {
		while (!ktr_task_sleeps(me, SYS_pause))
			;
		kill(me, SIGKILL);
		_exit(0);
	}
	pause();
	return 0;
}

TEST_F(summary, sigkill_does_not)
{
	ASSERT_EQ(0, begin(self, KTR_SUM_F_ONLY, 0));
	ASSERT_EQ(0, run(self, is_killed, NULL));
	EXPECT_EQ(0, rows_of(self->sums, SYS_pause));
}

static int refused(const struct ktr_setup *setup)
{
	struct ktr_session s;
	int ret = ktr_session_open(&s, setup);

	if (!ret)
		ktr_session_close(&s);
	return ret;
}

TEST(bad_sizes_and_flags_are_refused)
{
	struct ktr_setup s = { .count = true, .slots = KTR_SUM_SLOTS_MIN - 1 };

	KTR_NEED_MODULE();
	EXPECT_EQ(-ERANGE, refused(&s));
	s.slots = KTR_SUM_SLOTS_MAX + 1;
	EXPECT_EQ(-ERANGE, refused(&s));
	s.slots = ~0U;
	EXPECT_EQ(-ERANGE, refused(&s));
	s.slots = KTR_SUM_SLOTS_MAX;
	s.summary = KTR_SUM_F_HIST;
	EXPECT_EQ(0, refused(&s));
	s.summary = KTR_SUM_F__ALL + 1;
	EXPECT_EQ(-EOPNOTSUPP, refused(&s));
	s.summary = 0;
	s.count = false;
	EXPECT_EQ(-EINVAL, refused(&s));
}

TEST_F(summary, session_that_does_not_count_says_so)
{
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	EXPECT_EQ(-EINVAL, ktr_session_sums(&self->s, self->sums));
}

TEST_HARNESS_MAIN
