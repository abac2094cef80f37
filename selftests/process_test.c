// SPDX-License-Identifier: GPL-2.0-or-later
/* Process life: births, programs, names, deaths, and what is followed. */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "ktr_test.h"

#define FOLLOW KTR_TARGET_F_FOLLOW

FIXTURE(process) {
	struct ktr_session s;
	struct ktr_child child;
	pid_t pid;
	int status;
};

FIXTURE_SETUP(process)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){
			.ctl_size = 4 << 20 }));
	ASSERT_EQ(0, ktr_session_all_calls(&self->s));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall) |
				       KTR_BIT(syscall_begun)));
}

FIXTURE_TEARDOWN(process)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

static int run(FIXTURE_DATA(process) *self, __u32 flags, int (*fn)(void *),
	       void *arg)
{
	int ret;

	ret = ktr_child_traced(&self->child, &self->s, flags, fn, arg);
	if (ret)
		return ret;
	self->pid = self->child.pid;
	self->status = ktr_child_run(&self->child);
	return ktr_session_finish(&self->s);
}

/* NULL unless there is exactly one. */
static const struct ktr_ev_exit *exit_of(const FIXTURE_DATA(process) *self)
{
	const struct ktr_rec *rec = ktr_log_only(&self->s.log, KTR_KIND_exit, self->pid);

	return rec ? ktr_payload(rec) : NULL;
}

/* The child's first record of a call, and the birth that its parent tells. */
struct birth {
	const struct ktr_rec *born;	/* task_new, of the parent */
	const struct ktr_rec *facts;	/* task, of the child */
	struct ktr_call_view first;
	struct ktr_call_view made;	/* the parent's call */
};

/* 0, or the number of the step that failed. */
static int find_birth(const FIXTURE_DATA(process) *self, int nr, struct birth *b)
{
	const struct ktr_ev_task_new *ev;
	__u32 child;
	size_t at = 0;

	b->born = ktr_log_only(&self->s.log, KTR_KIND_task_new, self->pid);
	if (!b->born)
		return 1;
	ev = ktr_payload(b->born);
	child = ev->child;
	if (ev->followed != 1 || ev->parent_tgid != (__u32)self->pid)
		return 2;
	b->facts = ktr_log_only(&self->s.log, KTR_KIND_task, child);
	if (!b->facts || b->facts->time < b->born->time)
		return 3;
	if (ktr_log_call(&self->s.log, &at, -2, child, &b->first))
		return 4;
	at = 0;
	if (ktr_log_call(&self->s.log, &at, nr, self->pid, &b->made) ||
	    b->made.ret != child)
		return 5;
	return 0;
}

static void child_calls(void)
{
	syscall(SYS_getppid, 4711);
	_exit(0);
}

static int forks(void *arg)
{
	pid_t pid = syscall(SYS_fork);

	if (!pid)
		child_calls();
	return waitpid(pid, NULL, 0) == pid ? 0 : 1;
}

static int vforks(void *arg)
{
	pid_t pid = vfork();

	if (!pid)
		child_calls();
	return waitpid(pid, NULL, 0) == pid ? 0 : 1;
}

static int clones3(void *arg)
{
	struct clone_args ca = { .exit_signal = SIGCHLD };
	pid_t pid = syscall(SYS_clone3, &ca, sizeof(ca));

	if (!pid)
		child_calls();
	return waitpid(pid, NULL, 0) == pid ? 0 : 1;
}

static int clones(void *arg)
{
	pid_t pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (!pid)
		child_calls();
	return waitpid(pid, NULL, 0) == pid ? 0 : 1;
}

FIXTURE(birth) { FIXTURE_DATA(process) p; };

FIXTURE_VARIANT(birth) {
	int nr;
	int (*fn)(void *arg);
	__u64 flags;
};

FIXTURE_VARIANT_ADD(birth, fork) {
	.nr = SYS_fork, .fn = forks,
};

FIXTURE_VARIANT_ADD(birth, vfork) {
	.nr = SYS_vfork, .fn = vforks, .flags = CLONE_VFORK | CLONE_VM,
};

FIXTURE_VARIANT_ADD(birth, clone) {
	.nr = SYS_clone, .fn = clones,
};

FIXTURE_VARIANT_ADD(birth, clone3) {
	.nr = SYS_clone3, .fn = clones3,
};

FIXTURE_SETUP(birth)
{
	process_setup(_metadata, &self->p, NULL);
}

FIXTURE_TEARDOWN(birth)
{
	process_teardown(_metadata, &self->p, NULL);
}

/* Case D-08: the child's stream begins with its birth, not with a half call. */
TEST_F(birth, child_begins_with_its_own_first_call)
{
	const struct ktr_ev_task_new *ev;
	const struct ktr_ev_task *facts;
	struct birth b;

	ASSERT_EQ(0, run(&self->p, FOLLOW, variant->fn, NULL));
	EXPECT_EQ(0, self->p.status);
	ASSERT_EQ(0, find_birth(&self->p, variant->nr, &b));
	ev = ktr_payload(b.born);
	EXPECT_EQ(variant->flags, ev->clone_flags &
		  (CLONE_VFORK | CLONE_VM | CLONE_THREAD));
	EXPECT_EQ(ev->child, ev->child_tgid);
	EXPECT_EQ(SYS_getppid, b.first.nr);
	EXPECT_EQ(4711, b.first.args[0]);
	EXPECT_EQ(self->p.pid, b.first.ret);
	EXPECT_EQ(0, b.first.flags & KTR_SYS_F_NO_ENTRY);
	EXPECT_LE(b.born->time, b.first.start);
	facts = ktr_payload(b.facts);
	EXPECT_EQ(ev->child, facts->tgid);
	EXPECT_EQ(self->p.pid, facts->ppid);
	EXPECT_EQ(0, facts->flags & (KTR_TASK_F_ATTACHED | KTR_TASK_F_THREAD));
	EXPECT_EQ(1, ktr_log_count(&self->p.s.log, KTR_KIND_target_end,
				   ev->child));
}

static void *thread_calls(void *arg)
{
	syscall(SYS_getppid, 4711);
	return arg;
}

static int makes_thread(void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, thread_calls, NULL))
		return 1;
	return pthread_join(t, NULL);
}

/* Threads to come belong to a process, asked for or not. */
TEST_F(process, new_thread_of_a_target)
{
	const struct ktr_ev_task_new *ev;
	const struct ktr_rec *rec;
	struct ktr_call_view v;
	size_t at = 0;

	ASSERT_EQ(0, run(self, 0, makes_thread, NULL));
	rec = ktr_log_only(&self->s.log, KTR_KIND_task_new, self->pid);
	ASSERT_NE(NULL, rec);
	ev = ktr_payload(rec);
	EXPECT_EQ(1, ev->followed);
	EXPECT_EQ(self->pid, ev->child_tgid);
	EXPECT_NE(0, ev->clone_flags & CLONE_THREAD);
	ASSERT_EQ(0, ktr_log_call(&self->s.log, &at, SYS_getppid, ev->child, &v));
	EXPECT_EQ(4711, v.args[0]);
	rec = ktr_log_only(&self->s.log, KTR_KIND_task, ev->child);
	ASSERT_NE(NULL, rec);
	EXPECT_NE(0, ((const struct ktr_ev_task *)ktr_payload(rec))->flags &
		  KTR_TASK_F_THREAD);
	/* Two tasks end, one of them with its process. */
	EXPECT_EQ(2, ktr_log_count(&self->s.log, KTR_KIND_exit, 0));
	ASSERT_NE(NULL, exit_of(self));
	EXPECT_EQ(KTR_EXIT_F_GROUP, exit_of(self)->flags);
}

TEST_F(process, child_is_not_followed_unless_asked)
{
	const struct ktr_ev_task_new *ev;
	const struct ktr_rec *rec;

	ASSERT_EQ(0, run(self, 0, forks, NULL));
	rec = ktr_log_only(&self->s.log, KTR_KIND_task_new, self->pid);
	ASSERT_NE(NULL, rec);
	ev = ktr_payload(rec);
	EXPECT_EQ(0, ev->followed);
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_syscall, ev->child));
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_task, ev->child));
}

static int execs_true(void *arg)
{
	char *argv[] = { "true", NULL };

	execv("/bin/true", argv);
	return 9;
}

TEST_F(process, exec_is_told)
{
	const struct ktr_ev_exec *ev;
	const struct ktr_rec *rec;
	struct ktr_call_view v;
	size_t at = 0;

	ASSERT_EQ(0, run(self, 0, execs_true, NULL));
	EXPECT_EQ(0, self->status);
	rec = ktr_log_only(&self->s.log, KTR_KIND_exec, self->pid);
	ASSERT_NE(NULL, rec);
	ev = ktr_payload(rec);
	EXPECT_EQ(self->pid, ev->tgid);
	EXPECT_EQ(self->pid, ev->old_tid);
	EXPECT_EQ(0, ev->uid);
	EXPECT_STREQ("true", ev->comm);
	EXPECT_STREQ("/bin/true", (const char *)(ev + 1));
	EXPECT_EQ(0, ktr_log_call(&self->s.log, &at, SYS_execve, self->pid, &v));
	EXPECT_EQ(0, v.ret);
	EXPECT_LE(v.start, rec->time);
	EXPECT_LE(rec->time, v.rec->time);
	/* The new program's calls follow. */
	EXPECT_EQ(0, ktr_log_call(&self->s.log, &at, SYS_exit_group, self->pid,
				  &v));
}

static void *execs_from_thread(void *arg)
{
	*(pid_t *)arg = syscall(SYS_gettid);
	if (ktr_task_sleeps(getpid(), SYS_pause))
		execs_true(NULL);
	return NULL;
}

static int pauses_while_thread_execs(void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, execs_from_thread, arg))
		return 1;
	for (;;)
		syscall(SYS_pause);
}

/* The record that says that @tid has begun the call @nr. */
static const struct ktr_rec *began(const FIXTURE_DATA(process) *self, int nr,
				   pid_t tid)
{
	const struct ktr_rec *rec;
	size_t at = 0;

	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_syscall_begun,
				   tid))) {
		const struct ktr_ev_syscall_begun *ev = ktr_payload(rec);

		if (ev->nr == nr)
			break;
	}
	return rec;
}

/* Case D-03. */
TEST_F(process, exec_from_a_thread_that_is_not_the_leader)
{
	pid_t *tid = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct ktr_rec *rec, *begun, *end;
	const struct ktr_ev_exec *ev;
	struct ktr_call_view v;
	size_t at = 0, n = 0, after;

	ASSERT_EQ(0, run(self, 0, pauses_while_thread_execs, tid));
	EXPECT_EQ(0, self->status);
	EXPECT_NE(self->pid, *tid);
	rec = ktr_log_only(&self->s.log, KTR_KIND_exec, 0);
	ASSERT_NE(NULL, rec);
	ev = ktr_payload(rec);
	EXPECT_EQ(self->pid, rec->tid);
	EXPECT_EQ(*tid, ev->old_tid);
	/* One whole record of the call, under the new id. */
	while (!ktr_log_call(&self->s.log, &at, SYS_execve, 0, &v)) {
		n++;
		EXPECT_EQ(self->pid, v.rec->tid);
		EXPECT_EQ(0, v.ret);
		EXPECT_EQ(0, v.flags & (KTR_SYS_F_NO_ENTRY | KTR_SYS_F_NO_EXIT));
		EXPECT_LE(v.start, rec->time);
	}
	EXPECT_EQ(1, n);
	/* That it began, under the old id, also if it never waited. */
	begun = began(self, SYS_execve, *tid);
	ASSERT_NE(NULL, begun);
	EXPECT_LE(begun->time, rec->time);
	after = at = 0;
	/* The old leader's pause never returned. */
	ASSERT_EQ(0, ktr_log_call(&self->s.log, &at, SYS_pause, 0, &v));
	EXPECT_NE(0, v.flags & KTR_SYS_F_BEGUN);
	EXPECT_EQ(-ENOENT, ktr_log_call(&self->s.log, &at, SYS_pause, 0, &v));
	/* Following of the id goes on to its end. */
	EXPECT_EQ(0, ktr_log_call(&self->s.log, &after, SYS_exit_group,
				  self->pid, &v));
	EXPECT_LT(rec->time, v.rec->time);
	at = 0;
	n = 0;
	while ((end = ktr_log_next(&self->s.log, &at, KTR_KIND_target_end, 0)))
		n++;
	EXPECT_EQ(2, n);
}

#define HOSTILE "a) b\n[pid 1]"

static int renames(void *arg)
{
	prctl(PR_SET_NAME, HOSTILE);
	syscall(SYS_getppid);
	prctl(PR_SET_NAME, "second");
	syscall(SYS_getppid);
	return 0;
}

/* Case D-13. */
TEST_F(process, names_as_they_change)
{
	const struct ktr_rec *one, *two;
	struct ktr_call_view v;
	size_t at = 0, calls = 0;

	ASSERT_EQ(0, run(self, 0, renames, NULL));
	one = ktr_log_next(&self->s.log, &at, KTR_KIND_rename, self->pid);
	two = ktr_log_next(&self->s.log, &at, KTR_KIND_rename, self->pid);
	ASSERT_NE(NULL, one);
	ASSERT_NE(NULL, two);
	EXPECT_EQ(0, memcmp(HOSTILE, ktr_payload(one), sizeof(HOSTILE)));
	EXPECT_EQ(0, memcmp("second", ktr_payload(two), 7));
	ktr_log_call(&self->s.log, &calls, SYS_getppid, self->pid, &v);
	EXPECT_LT(one->time, v.start);
	EXPECT_LT(v.rec->time, two->time);
}

static int dies_by_signal(void *arg)
{
	signal(SIGTERM, SIG_DFL);
	kill(getpid(), SIGTERM);
	return 0;
}

static int dies_by_a_fault(void *arg)
{
	signal(SIGSEGV, SIG_DFL);
	*(volatile char *)arg = 0;	/* NULL */
	return 0;
}

FIXTURE(death) { FIXTURE_DATA(process) p; };

FIXTURE_VARIANT(death) {
	int (*fn)(void *arg);
	__s32 nr;
};

FIXTURE_VARIANT_ADD(death, by_signal) { dies_by_signal, SYS_kill };
FIXTURE_VARIANT_ADD(death, by_fault) { dies_by_a_fault, -1 };

FIXTURE_SETUP(death)
{
	process_setup(_metadata, &self->p, NULL);
}

FIXTURE_TEARDOWN(death)
{
	process_teardown(_metadata, &self->p, NULL);
}

TEST_F(death, tells_the_signal_and_the_last_call)
{
	const struct ktr_ev_exit *ev;

	ASSERT_EQ(0, run(&self->p, 0, variant->fn, NULL));
	ev = exit_of(&self->p);
	ASSERT_NE(NULL, ev);
	EXPECT_EQ(self->p.status, ev->code);
	EXPECT_EQ(variant->nr, ev->nr);
}

static int burns(void *arg)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 10;

	while (clock() < end)
		;
	return 0;
}

TEST_F(process, exit_tells_the_times)
{
	const struct ktr_ev_exit *ev;

	ASSERT_EQ(0, run(self, 0, burns, NULL));
	ev = exit_of(self);
	ASSERT_NE(NULL, ev);
	EXPECT_LT(KTR_SECOND / 50, ev->utime + ev->stime);
	EXPECT_GT(60 * KTR_SECOND, ev->utime + ev->stime);
}

/* The last record of a target counts what came before it. */
TEST_F(process, target_end_counts_its_records)
{
	const struct ktr_ev_target_end *ev;
	const struct ktr_rec *rec;
	__u64 n = 0, newest = 0;
	size_t i;

	ASSERT_EQ(0, run(self, 0, makes_thread, NULL));
	rec = ktr_log_only(&self->s.log, KTR_KIND_target_end, self->pid);
	ASSERT_NE(NULL, rec);
	ev = ktr_payload(rec);
	for (i = 0; i < self->s.log.n; i++) {
		const struct ktr_rec *one = self->s.log.v[i].rec;

		if (one->tid != (__u32)self->pid)
			continue;
		newest = one->time;
		/* Facts and the account itself are not in the account. */
		n += one->kind != KTR_KIND_task &&
		     one->kind != KTR_KIND_target_end;
	}
	EXPECT_EQ(n, ev->recorded);
	EXPECT_EQ(0, ev->lost);
	EXPECT_EQ(KTR_END_EXIT, ev->reason);
	EXPECT_EQ(newest, rec->time);
}

/* A thousand at full size; fewer than two hundred are no burst. */
static long burst_size(void)
{
	long n = ktr_scaled(1000);

	return n < 200 ? 200 : n;
}

static int burst(void *arg)
{
	long n = burst_size(), i, ok = 0;

	for (i = 0; i < n; i++) {
		if (!fork()) {
			syscall(SYS_getppid, i);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		ok++;
	return ok == n ? 0 : 1;
}

/* Case D-06. */
TEST_F(process, burst_of_children_each_with_its_first_call)
{
	const struct ktr_rec *rec;
	struct ktr_call_view v;
	size_t at = 0;
	int n = 0;

	ktr_session_close(&self->s);
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){
			.ctl_size = 4 << 20, .buf_size = 16 << 20 }));
	ASSERT_EQ(0, ktr_session_all_calls(&self->s));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
	ASSERT_EQ(0, run(self, FOLLOW, burst, NULL));
	ASSERT_EQ(0, self->status);
	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_task_new, 0))) {
		const struct ktr_ev_task_new *ev = ktr_payload(rec);
		size_t from = at;

		ASSERT_EQ(1, ev->followed);
		/* Behind the birth in the merged order. */
		ASSERT_EQ(0, ktr_log_call(&self->s.log, &from, -2, ev->child, &v));
		ASSERT_LE(rec->time, v.start);
		from = 0;
		ASSERT_EQ(0, ktr_log_call(&self->s.log, &from, SYS_getppid,
					  ev->child, &v));
		ASSERT_EQ(n, v.args[0]);
		n++;
	}
	EXPECT_EQ(burst_size(), n);
	EXPECT_EQ(n + 1, ktr_log_count(&self->s.log, KTR_KIND_exit, 0));
	EXPECT_EQ(0, ktr_session_u64(&self->s, KTR_A_NOT_FOLLOWED));
}

static int storm(void *arg)
{
	long n = *(long *)arg, i;

	for (i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
	}
	syscall(SYS_getppid, 4711);
	return 0;
}

static int discard_record(void *arg, __u32 cpu, int ring, __u64 pos,
			  const struct ktr_rec *rec)
{
	struct ktr_call_view v;

	if (rec->kind == KTR_KIND_syscall && !ktr_call_parse(rec, &v) &&
	    v.nr == SYS_getppid && v.args[0] == 4711)
		*(int *)arg += 1;
	return 0;
}

/* Case A-08: tables do not fill up. */
TEST_F(process, storm_of_children_leaves_no_targets)
{
	long n = ktr_scaled(20000);
	int last = 0;

	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, FOLLOW, storm, &n));
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_NTARGETS));
	ktr_child_go(&self->child);
	while (ktr_task_state(self->child.pid) != 'Z') {
		ASSERT_EQ(0, ktr_reader_round(&self->s.reader, discard_record,
					      &last));
		EXPECT_GT(1000, ktr_session_u32(&self->s, KTR_A_NTARGETS));
		usleep(5000);
	}
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	EXPECT_TRUE(ktr_wait_for(!ktr_session_u32(&self->s, KTR_A_NTARGETS)));
	ASSERT_EQ(0, ktr_reader_round(&self->s.reader, discard_record, &last));
	EXPECT_EQ(1, last);
	EXPECT_EQ(0, ktr_session_u64(&self->s, KTR_A_NOT_FOLLOWED));
}

TEST_HARNESS_MAIN
