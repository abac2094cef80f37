// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaching to what runs already, and letting go of it. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include "ktr_targets.h"
#include "ktr_test.h"

#define FOLLOW KTR_TARGET_F_FOLLOW

FIXTURE(attach) {
	struct ktr_session s;
	struct ktr_child child;
};

FIXTURE_SETUP(attach)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_all_calls(&self->s));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall) |
				       KTR_BIT(syscall_begun)));
}

FIXTURE_TEARDOWN(attach)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

static int sleeps_long(void *arg)
{
	struct timespec ts = { .tv_sec = 5000, .tv_nsec = 77 };

	signal(SIGUSR1, SIG_DFL);
	return syscall(SYS_nanosleep, &ts, arg);
}

static int reads_number(void *arg)
{
	char c;

	return read(*(int *)arg, &c, 1) == 1 ? c : 99;
}

static int running(FIXTURE_DATA(attach) *self, int (*fn)(void *), void *arg,
		   int nr)
{
	int ret = ktr_child_start(&self->child, fn, arg);

	if (ret)
		return ret;
	ktr_child_go(&self->child);
	return ktr_task_sleeps(self->child.pid, nr) ? 0 : -ETIME;
}

TEST_F(attach, sleeping_call_is_shown_with_what_it_was_given)
{
	static const struct ktr_op op = { .form = KTR_FORM_BYTES,
		.base_src = KTR_SRC_ARG, .len_src = KTR_SRC_CONST, .len = 16,
		.max = 16 };
	const struct ktr_rec *rec;
	struct ktr_rows rows = {};
	struct ktr_call_view v;
	struct timespec ts;
	__u64 before;

	ktr_rows_add(&rows, KTR_ABI_NATIVE, SYS_nanosleep, 2, -1, &op, 1);
	ASSERT_EQ(0, ktr_session_rows(&self->s, &rows, 0));
	ASSERT_EQ(0, running(self, sleeps_long, (void *)0x1234, SYS_nanosleep));
	before = ktr_now();
	ASSERT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_PID,
					self->child.pid, 0));
	/* At once: nothing has to happen first. */
	ASSERT_EQ(0, ktr_session_drain(&self->s));
	rec = ktr_log_only(&self->s.log, KTR_KIND_syscall_begun, self->child.pid);
	ASSERT_NE(NULL, rec);
	ASSERT_EQ(0, ktr_call_parse(rec, &v));
	EXPECT_EQ(SYS_nanosleep, v.nr);
	EXPECT_NE(0, v.flags & KTR_SYS_F_ATTACHED);
	EXPECT_LE(before, v.start);
	ASSERT_EQ(2, v.nargs);
	EXPECT_EQ(0x1234, v.args[1]);
	ASSERT_EQ(1, v.ncaps);
	ASSERT_EQ(16, v.cap[0].head->len);
	memcpy(&ts, v.cap[0].bytes, 16);
	EXPECT_EQ(5000, ts.tv_sec);
	EXPECT_EQ(77, ts.tv_nsec);
	EXPECT_EQ('S', ktr_task_state(self->child.pid));
	kill(self->child.pid, SIGUSR1);
	EXPECT_EQ(SIGUSR1, ktr_child_wait(&self->child));
}

TEST_F(attach, call_that_was_begun_ends_in_one_record)
{
	static const int nrs[] = { SYS_read, -1 };
	const struct ktr_rec *rec;
	struct ktr_call_view begun, end;
	int fd[2];

	ASSERT_EQ(0, pipe(fd));
	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, running(self, reads_number, fd, SYS_read));
	ASSERT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_PID,
					self->child.pid, 0));
	ASSERT_EQ(1, write(fd[1], "\5", 1));
	EXPECT_EQ(5 << 8, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	rec = ktr_log_only(&self->s.log, KTR_KIND_syscall_begun, 0);
	ASSERT_NE(NULL, rec);
	ASSERT_EQ(0, ktr_call_parse(rec, &begun));
	rec = ktr_log_only(&self->s.log, KTR_KIND_syscall, 0);
	ASSERT_NE(NULL, rec);
	ASSERT_EQ(0, ktr_call_parse(rec, &end));
	EXPECT_EQ(SYS_read, end.nr);
	EXPECT_EQ(fd[0], end.args[0]);
	EXPECT_EQ(1, end.ret);
	EXPECT_EQ(begun.start, end.start);
	EXPECT_EQ(KTR_SYS_F_ATTACHED | KTR_SYS_F_BEGUN,
		  end.flags & (KTR_SYS_F_ATTACHED | KTR_SYS_F_BEGUN));
}

TEST_F(attach, call_under_way_has_what_it_read)
{
	static const struct ktr_op op = { .form = KTR_FORM_BYTES,
		.flags = KTR_OP_F_EXIT | KTR_OP_F_IF_OK, .base_src = KTR_SRC_ARG,
		.base_ref = 1, .len_src = KTR_SRC_RET, .max = 16 };
	const struct ktr_rec *rec;
	struct ktr_rows rows = {};
	struct ktr_call_view v;
	int fd[2];

	ASSERT_EQ(0, pipe(fd));
	ktr_rows_add(&rows, KTR_ABI_NATIVE, SYS_read, 3, -1, &op, 1);
	ASSERT_EQ(0, ktr_session_rows(&self->s, &rows, 0));
	ASSERT_EQ(0, running(self, reads_number, fd, SYS_read));
	ASSERT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_PID,
					self->child.pid, 0));
	ASSERT_EQ(1, write(fd[1], "\5", 1));
	EXPECT_EQ(5 << 8, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	rec = ktr_log_only(&self->s.log, KTR_KIND_syscall, 0);
	ASSERT_NE(NULL, rec);
	ASSERT_EQ(0, ktr_call_parse(rec, &v));
	EXPECT_EQ(SYS_read, v.nr);
	EXPECT_NE(0, v.flags & KTR_SYS_F_ATTACHED);
	ASSERT_EQ(1, v.ncaps);
	ASSERT_EQ(1, v.cap[0].head->len);
	EXPECT_EQ(5, v.cap[0].bytes[0]);
}

TEST_F(attach, facts_are_told)
{
	const struct ktr_ev_task *ev;
	const struct ktr_rec *rec;
	struct ktr_targets all;

	ASSERT_EQ(0, running(self, sleeps_long, NULL, SYS_nanosleep));
	ASSERT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_PID,
					self->child.pid, FOLLOW));
	ASSERT_EQ(0, ktr_session_drain(&self->s));
	rec = ktr_log_only(&self->s.log, KTR_KIND_task, self->child.pid);
	ASSERT_NE(NULL, rec);
	ev = ktr_payload(rec);
	EXPECT_EQ(self->child.pid, ev->tgid);
	EXPECT_EQ(getpid(), ev->ppid);
	EXPECT_EQ(getuid(), ev->uid);
	EXPECT_EQ(self->child.pid, ev->inner_tid);
	EXPECT_EQ(KTR_TASK_F_ATTACHED, ev->flags);
	EXPECT_STREQ("attach_test", ev->comm);
	EXPECT_LT(0, ev->started);
	EXPECT_LT(ev->started, rec->time);
	ASSERT_EQ(0, ktr_targets_get(&self->s, &all));
	ASSERT_EQ(1, all.n);
	EXPECT_EQ(self->child.pid, all.v[0].tid);
	EXPECT_EQ(self->child.pid, all.v[0].tgid);
	EXPECT_STREQ("attach_test", all.v[0].comm);
	EXPECT_EQ(FOLLOW | KTR_TARGET_F_THREADS, all.v[0].flags);
}

TEST_F(attach, errors)
{
	struct ktr_session *s = &self->s;
	struct ktr_msg m;
	pid_t pid;

	ASSERT_EQ(0, running(self, sleeps_long, NULL, SYS_nanosleep));
	pid = self->child.pid;
	EXPECT_EQ(1, ktr_session_attach(s, KTR_TARGET_PID, pid, 0));
	EXPECT_EQ(-EEXIST, ktr_session_attach(s, KTR_TARGET_PID, pid, 0));
	EXPECT_EQ(-EEXIST, ktr_session_attach(s, KTR_TARGET_TID, pid, FOLLOW));
	EXPECT_EQ(-ESRCH, ktr_session_attach(s, KTR_TARGET_PID, 0x7ffffff0, 0));
	EXPECT_EQ(-ESRCH, ktr_session_attach(s, KTR_TARGET_PGRP, pid, 0));
	EXPECT_EQ(-ERANGE, ktr_session_attach(s, KTR_TARGET_PID, 0, 0));
	EXPECT_EQ(-ERANGE, ktr_session_attach(s, KTR_TARGET_PID, -1, 0));
	EXPECT_EQ(-ERANGE, ktr_session_attach(s, __KTR_TARGET_LAST, pid, 0));
	EXPECT_EQ(-EOPNOTSUPP, ktr_session_attach(s, KTR_TARGET_PID, pid,
						  KTR_TARGET_F_THREADS));
	EXPECT_EQ(-ESRCH, ktr_session_detach(s, KTR_TARGET_PID, getppid(), 0));
	ktr_session_msg(s, &m, KTR_CMD_TARGET_ADD);
	EXPECT_EQ(-EINVAL, ktr_client_call(&s->client, &m, NULL));
	EXPECT_EQ(1, ktr_session_u32(s, KTR_A_NTARGETS));
	EXPECT_EQ(1, ktr_session_detach(s, KTR_TARGET_PID, pid, 0));
	EXPECT_EQ(-ESRCH, ktr_session_detach(s, KTR_TARGET_PID, pid, 0));
	EXPECT_EQ(0, ktr_session_u32(s, KTR_A_NTARGETS));
	kill(pid, SIGKILL);
	/* A zombie is no task to trace. */
	ASSERT_TRUE(ktr_wait_for(ktr_task_state(pid) == 'Z'));
	EXPECT_EQ(-ESRCH, ktr_session_attach(s, KTR_TARGET_PID, pid, 0));
}

static int counts_for_ever(void *arg)
{
	volatile int *stop = arg;
	long i;

	for (i = 0; !*stop; i++)
		syscall(SYS_getppid, i);
	syscall(SYS_getpid, i);
	return 0;
}

TEST_F(attach, detach_ends_the_stream)
{
	static const int nrs[] = { SYS_getppid, -1 };
	volatile int *stop = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct ktr_ev_target_end *ev;
	const struct ktr_rec *rec;
	size_t i;

	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0,
				      counts_for_ever, (void *)stop));
	ktr_child_go(&self->child);
	ASSERT_EQ(0, ktr_session_await(&self->s, KTR_KIND_syscall, 0, 100));
	ASSERT_EQ(1, ktr_session_detach(&self->s, KTR_TARGET_PID,
					self->child.pid, 0));
	/* The account is written by now; nothing comes after it. */
	*stop = 1;
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	rec = ktr_log_only(&self->s.log, KTR_KIND_target_end, 0);
	ASSERT_NE(NULL, rec);
	ev = ktr_payload(rec);
	EXPECT_EQ(KTR_END_DETACH, ev->reason);
	EXPECT_EQ(ev->recorded,
		  ktr_log_count(&self->s.log, KTR_KIND_syscall, 0));
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_exit, 0));
	for (i = 0; i < self->s.log.n; i++)
		if (self->s.log.v[i].rec->kind == KTR_KIND_syscall)
			EXPECT_LE(self->s.log.v[i].rec->time, rec->time);
	ktr_log_clear(&self->s.log);
}

/* Returns the number of times that it was disturbed. */
static int waits_for_event(void *arg)
{
	int ep = epoll_create1(0), disturbed = 0;
	const int *fd = arg;
	struct epoll_event ev = { .events = EPOLLIN };

	epoll_ctl(ep, EPOLL_CTL_ADD, fd[0], &ev);
	while (epoll_wait(ep, &ev, 1, -1) != 1)
		disturbed++;
	return disturbed;
}

/* Case E-03. */
TEST_F(attach, does_not_disturb)
{
	struct ktr_pred pred = { .op = KTR_PRED_NE, .field = KTR_FIELD_RET };
	struct ktr_session *s = &self->s;
	int fd[2], i;

	ASSERT_EQ(0, pipe(fd));
	ASSERT_EQ(0, running(self, waits_for_event, fd, -1));
	ASSERT_TRUE(ktr_wait_for(ktr_task_state(self->child.pid) == 'S'));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(1, ktr_session_attach(s, KTR_TARGET_PID,
						self->child.pid, 0));
		ASSERT_EQ('S', ktr_task_state(self->child.pid));
		pred.value = i;
		ASSERT_EQ(0, ktr_session_filter(s, &pred, 1));
		ASSERT_EQ(1, ktr_session_detach(s, KTR_TARGET_PID,
						self->child.pid, 0));
		ASSERT_EQ('S', ktr_task_state(self->child.pid));
	}
	EXPECT_EQ(0, waitpid(self->child.pid, NULL, WNOHANG | WUNTRACED));
	EXPECT_EQ(1, write(fd[1], "x", 1));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
}

static int ends_at_once(void *arg)
{
	return 0;
}

TEST_F(attach, task_that_exits_meanwhile)
{
	long n = ktr_scaled(2000), i, got = 0;

	for (i = 0; i < n; i++) {
		int ret;

		ASSERT_EQ(0, ktr_child_start(&self->child, ends_at_once, NULL));
		ktr_child_go(&self->child);
		sched_yield();
		ret = ktr_session_attach(&self->s, KTR_TARGET_PID,
					 self->child.pid, 0);
		ASSERT_TRUE(ret == 1 || ret == -ESRCH);
		got += ret == 1;
		ASSERT_EQ(0, ktr_child_wait(&self->child));
		ASSERT_EQ(0, ktr_session_drain(&self->s));
	}
	EXPECT_TRUE(ktr_wait_for(!ktr_session_u32(&self->s, KTR_A_NTARGETS)));
	if (got)
		ASSERT_EQ(0, ktr_session_finish(&self->s));
	/* Each that was attached has its account, the others have none. */
	EXPECT_EQ(got, ktr_log_count(&self->s.log, KTR_KIND_target_end, 0));
	ktr_log_clear(&self->s.log);
}

TEST_F(attach, reader_itself_is_left_out)
{
	EXPECT_EQ(-EPERM, ktr_session_attach(&self->s, KTR_TARGET_PID,
					     getpid(), 0));
	/* His child is another process. */
	ASSERT_EQ(0, running(self, sleeps_long, NULL, SYS_nanosleep));
	EXPECT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_PID,
					self->child.pid, 0));
}

TEST_F(attach, reader_who_wants_to_be_traced)
{
	struct ktr_setup setup = { .flags = KTR_SESSION_F_KEEP_SELF };
	struct ktr_call_view v;
	struct ktr_session s;
	size_t at = 0;

	ASSERT_EQ(0, ktr_session_open(&s, &setup));
	ASSERT_EQ(0, ktr_session_all_calls(&s));
	ASSERT_EQ(0, ktr_session_start(&s, KTR_BIT(syscall)));
	ASSERT_EQ(1, ktr_session_attach(&s, KTR_TARGET_PID, getpid(), 0));
	syscall(SYS_getppid, 4711);
	ASSERT_EQ(1, ktr_session_detach(&s, KTR_TARGET_PID, getpid(), 0));
	ASSERT_EQ(0, ktr_session_drain(&s));
	ASSERT_EQ(0, ktr_log_call(&s.log, &at, SYS_getppid, getpid(), &v));
	EXPECT_EQ(4711, v.args[0]);
	ktr_session_close(&s);
}

static int calls_then_execs(void *arg)
{
	char *argv[] = { "true", NULL };

	syscall(SYS_getppid, 4711);
	execv("/bin/true", argv);
	return 1;
}

TEST_F(attach, armed_target_starts_with_its_execve)
{
	struct ktr_setup setup = { .flags = KTR_SESSION_F_EXEC_ARM };
	struct ktr_call_view v;
	struct ktr_session s;
	size_t at = 0, i;

	ASSERT_EQ(0, ktr_session_open(&s, &setup));
	ASSERT_EQ(0, ktr_session_all_calls(&s));
	ASSERT_EQ(0, ktr_session_start(&s, KTR_BIT(syscall) |
				       KTR_BIT(syscall_begun) |
				       KTR_BIT(sched_in) | KTR_BIT(sched_out)));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &s, 0, calls_then_execs,
				      NULL));
	EXPECT_EQ(0, ktr_child_run(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&s));
	ASSERT_EQ(0, ktr_log_call(&s.log, &at, -2, 0, &v));
	EXPECT_EQ(SYS_execve, v.nr);
	EXPECT_EQ(0, v.ret);
	for (i = 0; i < s.log.n; i++)
		if (s.log.v[i].ring == KTR_RING_DATA)
			EXPECT_LE(v.start, s.log.v[i].rec->time);
	EXPECT_EQ(0, ktr_log_call(&s.log, &at, SYS_exit_group, 0, &v));
	ktr_session_close(&s);
}

/* In a pid namespace of its own: attach to "1" there. Tells whom it got. */
static int attaches_inside(void *arg)
{
	__u32 *got = arg;
	struct ktr_targets all;
	struct ktr_session s;

	if (ktr_session_open(&s, &(struct ktr_setup){}) ||
	    ktr_session_attach(&s, KTR_TARGET_PID, 1, 0) != 1 ||
	    ktr_targets_get(&s, &all) || all.n != 1)
		return 1;
	*got = all.v[0].tid;
	ktr_session_close(&s);
	return 0;
}

/* Case D-10. */
TEST_F(attach, ids_are_those_of_the_callers_namespace)
{
	__u32 *got = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct ktr_rec *rec;
	pid_t inside, status;

	ASSERT_EQ(0, unshare(CLONE_NEWPID));
	/* The next child is its init; the one after that is inside too. */
	ASSERT_EQ(0, running(self, sleeps_long, NULL, SYS_nanosleep));
	inside = fork();
	if (!inside)
		_exit(attaches_inside(got));
	ASSERT_EQ(inside, waitpid(inside, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(self->child.pid, *got);
	/* From outside it has the outer id, and its own is told too. */
	ASSERT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_PID,
					self->child.pid, 0));
	ASSERT_EQ(0, ktr_session_drain(&self->s));
	rec = ktr_log_only(&self->s.log, KTR_KIND_task, self->child.pid);
	ASSERT_NE(NULL, rec);
	EXPECT_EQ(1, ((const struct ktr_ev_task *)ktr_payload(rec))->inner_tid);
}

TEST_HARNESS_MAIN
