// SPDX-License-Identifier: GPL-2.0-or-later
/* Context switches and wakeups: both halves, who, where, and for how long. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "ktr_ksyms.h"
#include "ktr_test.h"

#define SCHED (KTR_BIT(sched_out) | KTR_BIT(sched_in) | KTR_BIT(wakeup))
#define SLEEPING 1	/* the S of /proc/PID/stat */
#define MS (KTR_SECOND / 1000)
#define NAP (5 * MS)
/* Of 100 naps: on a slow machine one may be over before the task has slept. */
#define MOST 90

FIXTURE(sched) {
	struct ktr_session s;
	struct ktr_child child, busy;
	pid_t pid;
};

static int burns_for_ever(void *arg)
{
	volatile long n = 0;

	ktr_pin(0);
	for (;;)
		n++;
	return n;
}

FIXTURE_SETUP(sched)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_all_calls(&self->s));
	ASSERT_EQ(0, ktr_session_start(&self->s, SCHED | KTR_BIT(syscall)));
}

FIXTURE_TEARDOWN(sched)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_child_kill(&self->busy);
	ktr_session_close(&self->s);
}

static int run(FIXTURE_DATA(sched) *self, int (*fn)(void *), void *arg)
{
	int ret = ktr_child_traced(&self->child, &self->s, 0, fn, arg);

	if (ret)
		return ret;
	self->pid = self->child.pid;
	ktr_child_run(&self->child);
	return ktr_session_finish(&self->s);
}

static int start_busy(FIXTURE_DATA(sched) *self)
{
	int ret = ktr_child_start(&self->busy, burns_for_ever, NULL);

	if (!ret)
		ktr_child_go(&self->busy);
	return ret;
}

static int sleeps_100_times(void *arg)
{
	struct timespec ts = { .tv_nsec = NAP };
	int i;

	ktr_pin(0);
	for (i = 0; i < 100; i++)
		syscall(SYS_nanosleep, &ts, NULL);
	return 0;
}

/* Outs and ins of the task, one after the other. Return: faults in that. */
static int check_pairs(const struct ktr_log *log, __u32 tid, int *outs, int *sleeps,
		       __u64 *slept)
{
	const struct ktr_rec *out = NULL;
	int bad = 0, ins = 0;
	size_t i;

	*outs = *sleeps = 0;
	*slept = 0;
	for (i = 0; i < log->n; i++) {
		const struct ktr_rec *rec = log->v[i].rec;
		const struct ktr_ev_sched_out *o = ktr_payload(rec);
		const struct ktr_ev_sched_in *in = ktr_payload(rec);

		if (rec->tid != tid)
			continue;
		if (rec->kind == KTR_KIND_sched_out) {
			bad += out != NULL || o->cpu != log->v[i].cpu;
			out = rec;
			(*outs)++;
			*sleeps += o->state == SLEEPING && !o->flags;
		} else if (rec->kind == KTR_KIND_sched_in) {
			/* Before its first out nothing was known of it. */
			bad += !out && (ins || in->off);
			bad += out && in->off > rec->time - out->time + MS;
			bad += in->runnable > in->off;
			bad += in->cpu != log->v[i].cpu;
			if (out)
				*slept += in->off;
			out = NULL;
			ins++;
		}
	}
	/* The last out is that of its end. */
	bad += !out || !(((const struct ktr_ev_sched_out *)ktr_payload(out))->flags &
			 KTR_OUT_F_DEAD);
	return bad;
}

/* Case J-03. */
TEST_F(sched, every_out_has_its_in)
{
	int outs, sleeps;
	__u64 slept;

	ASSERT_EQ(0, start_busy(self));
	ASSERT_EQ(0, run(self, sleeps_100_times, NULL));
	EXPECT_EQ(0, check_pairs(&self->s.log, self->pid, &outs, &sleeps,
				 &slept));
	EXPECT_LE(MOST, sleeps);
	EXPECT_GE(100, sleeps);
	EXPECT_LE(MOST * NAP / 2, slept);
	EXPECT_LE(outs - 1, ktr_log_count(&self->s.log, KTR_KIND_sched_in,
					  self->pid));
	/* Each sleep was ended by one waking. */
	EXPECT_LE(sleeps, ktr_log_count(&self->s.log, KTR_KIND_wakeup, self->pid));
}

TEST_F(sched, calls_tell_their_times)
{
	struct ktr_call_view v;
	size_t at = 0;
	__u64 blocked = 0, runnable = 0, all = 0;
	int n = 0, told = 0;

	ASSERT_EQ(0, start_busy(self));
	ASSERT_EQ(0, run(self, sleeps_100_times, NULL));
	while (!ktr_log_call(&self->s.log, &at, SYS_nanosleep, self->pid, &v)) {
		EXPECT_LE(NAP, v.rec->time - v.start);
		EXPECT_LE(v.blocked + v.runnable, v.rec->time - v.start);
		all += v.rec->time - v.start;
		blocked += v.blocked;
		runnable += v.runnable;
		told += !!(v.flags & KTR_SYS_F_TIMES);
		n++;
	}
	EXPECT_EQ(100, n);
	EXPECT_LE(MOST, told);
	EXPECT_LE(MOST * NAP / 2, blocked);
	EXPECT_LE(all / 2, blocked + runnable);
	/* It is woken while another one has the CPU. */
	EXPECT_LT(0, runnable);
}

/* The same without sched records asked for: the calls still know. */
TEST_F(sched, calls_tell_their_times_alone)
{
	struct ktr_call_view v;
	size_t at = 0;
	__u64 off = 0;

	ASSERT_EQ(0, ktr_session_set(&self->s, KTR_A_EVENTS, KTR_BIT(syscall)));
	ASSERT_EQ(0, run(self, sleeps_100_times, NULL));
	while (!ktr_log_call(&self->s.log, &at, SYS_nanosleep, self->pid, &v))
		off += v.blocked + v.runnable;
	EXPECT_LE(MOST * NAP / 2, off);
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_sched_out, 0));
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_wakeup, 0));
}

static int reads_pipe(void *arg)
{
	char c;

	prctl(PR_SET_NAME, "reader");
	return read(*(int *)arg, &c, 1) == 1 ? 0 : 1;
}

/* The out of a read() on a pipe; NULL: none. */
static const struct ktr_rec *pipe_out(const FIXTURE_DATA(sched) *self, size_t *at)
{
	const struct ktr_rec *rec;

	ktr_log_next(&self->s.log, at, KTR_KIND_rename, self->pid);
	while ((rec = ktr_log_next(&self->s.log, at, KTR_KIND_sched_out,
				   self->pid))) {
		const struct ktr_ev_sched_out *ev = ktr_payload(rec);

		if (ev->state == SLEEPING)
			return rec;
	}
	return NULL;
}

TEST_F(sched, out_tells_where_and_wakeup_by_whom)
{
	const struct ktr_ev_sched_out *out;
	const struct ktr_ev_wakeup *wake;
	const struct ktr_rec *rec;
	const __u64 *stack;
	size_t at = 0, n, i;
	bool in_pipe = false;
	int fd[2];

	ASSERT_EQ(0, pipe(fd));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, reads_pipe, fd));
	self->pid = self->child.pid;
	ktr_child_go(&self->child);
	ASSERT_EQ(0, ktr_session_await(&self->s, KTR_KIND_rename, self->pid, 1));
	ASSERT_TRUE(ktr_task_sleeps(self->pid, SYS_read));
	ASSERT_EQ(1, write(fd[1], "x", 1));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));

	rec = pipe_out(self, &at);
	ASSERT_NE(NULL, rec);
	out = ktr_payload(rec);
	EXPECT_EQ(0, out->flags);
	EXPECT_NE(0, memchr(out->next_comm, 0, sizeof(out->next_comm)) != NULL);
	n = (ktr_payload_len(rec) - sizeof(*out)) / 8;
	EXPECT_LE(1, n);
	stack = (const void *)(out + 1);
	for (i = 0; i < n; i++) {
		EXPECT_LT(1ULL << 63, stack[i]);
		in_pipe |= ktr_ksym_inside(stack[i], "pipe_read");
	}
	EXPECT_TRUE(in_pipe);

	rec = ktr_log_next(&self->s.log, &at, KTR_KIND_wakeup, self->pid);
	ASSERT_NE(NULL, rec);
	wake = ktr_payload(rec);
	EXPECT_EQ(getpid(), wake->waker);
	EXPECT_EQ(getpid(), wake->waker_tgid);
	EXPECT_STREQ("sched_test", wake->waker_comm);
}

static int burns_a_second(void *arg)
{
	volatile long n = 0;
	__u64 end = ktr_now() + KTR_SECOND / 2;

	ktr_pin(0);
	while (ktr_now() < end)
		n++;
	return 0;
}

TEST_F(sched, competitor_is_named)
{
	const struct ktr_ev_sched_out *ev;
	const struct ktr_rec *rec;
	int by_busy = 0, preempted = 0;
	size_t at = 0, runnable = 0;

	ASSERT_EQ(0, start_busy(self));
	ASSERT_EQ(0, run(self, burns_a_second, NULL));
	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_sched_out,
				   self->pid))) {
		ev = ktr_payload(rec);
		if (ev->next != (__u32)self->busy.pid)
			continue;
		by_busy++;
		preempted += ev->flags & KTR_OUT_F_PREEMPT || !ev->state;
		EXPECT_STREQ("sched_test", ev->next_comm);
	}
	EXPECT_LT(0, by_busy);
	EXPECT_LT(0, preempted);
	/* Preempted, it was runnable all the time it was off. */
	at = 0;
	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_sched_in,
				   self->pid))) {
		const struct ktr_ev_sched_in *in = ktr_payload(rec);

		runnable += in->prev == (__u32)self->busy.pid && in->off &&
			    in->off == in->runnable;
	}
	EXPECT_LT(0, runnable);
}

static int waits_and_competes(void *arg)
{
	struct timespec nap = { .tv_nsec = 50 * MS };

	ktr_pin(0);
	return reads_pipe(arg) ?: burns_a_second(NULL) ?: (int)syscall(SYS_nanosleep, &nap, NULL);
}

/* Where the time of a task went. */
struct share {
	__u64 wall, on, waiting, asleep;
	int out_for;		/* preempted, for that one */
	int preempted;
	int woken_by;
};

static struct share share_of(const struct ktr_log *log, __u32 tid, __u32 rival, __u32 waker)
{
	__u64 begin = 0, since = 0;
	struct share s = { 0 };
	size_t i;

	for (i = 0; i < log->n; i++) {
		const struct ktr_rec *rec = log->v[i].rec;
		const struct ktr_ev_sched_out *out = ktr_payload(rec);
		const struct ktr_ev_sched_in *in = ktr_payload(rec);
		const struct ktr_ev_wakeup *wake = ktr_payload(rec);

		if (rec->tid != tid)
			continue;
		if (rec->kind == KTR_KIND_wakeup)
			s.woken_by += wake->waker == waker;
		if (rec->kind == KTR_KIND_sched_out && since) {
			s.on += rec->time - since;
			s.wall = rec->time - begin;
			if (!out->state || out->flags & KTR_OUT_F_PREEMPT) {
				s.preempted++;
				s.out_for += out->next == rival;
			}
		}
		if (rec->kind != KTR_KIND_sched_in)
			continue;
		since = rec->time;
		if (!begin) {
			begin = since;
			continue;
		}
		s.waiting += in->runnable;
		s.asleep += in->off - in->runnable;
	}
	return s;
}

/* Case L-15. */
TEST_F(sched, time_adds_up)
{
	struct share s;
	__u64 sum;
	int fd[2];

	ASSERT_EQ(0, pipe(fd));
	ASSERT_EQ(0, start_busy(self));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, waits_and_competes, fd));
	self->pid = self->child.pid;
	ktr_child_go(&self->child);
	ASSERT_TRUE(ktr_task_sleeps(self->pid, SYS_read));
	ASSERT_EQ(1, write(fd[1], "x", 1));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	s = share_of(&self->s.log, self->pid, self->busy.pid, getpid());
	sum = s.on + s.waiting + s.asleep;
	EXPECT_LE(s.wall - s.wall / 50, sum);
	EXPECT_GE(s.wall + s.wall / 50, sum);
	EXPECT_LT(0, s.on);
	EXPECT_LT(0, s.waiting);
	/*
	 * Most of the nap: the clock of it may start before the task, preempted by
	 * its rival on the way, comes to sleep.
	 */
	EXPECT_LE(25 * MS, s.asleep);
	EXPECT_LT(s.preempted / 2, s.out_for);
	EXPECT_LE(1, s.woken_by);
	TH_LOG("%llu ms: %llu on, %llu waiting, %llu asleep; %d of %d times for the rival",
	       s.wall / MS, s.on / MS, s.waiting / MS, s.asleep / MS, s.out_for, s.preempted);
}

TEST_F(sched, switches_of_others_are_not_recorded)
{
	size_t i;

	ASSERT_EQ(0, start_busy(self));
	ASSERT_EQ(0, run(self, burns_a_second, NULL));
	for (i = 0; i < self->s.log.n; i++)
		if (self->s.log.v[i].rec->tid)
			ASSERT_EQ(self->pid, self->s.log.v[i].rec->tid);
}

TEST_HARNESS_MAIN
