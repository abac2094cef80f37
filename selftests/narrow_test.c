// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Only traced threads pay: who takes the slow way into a syscall, at each event
 * of a task's and a session's life. A function of the slow way is watched.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "ktr_crew.h"
#include "ktr_ksyms.h"
#include "ktr_module.h"
#include "ktr_test.h"
#include "ktr_tracefs.h"

#define CALLS	20
#define PARAM	"/sys/module/ktracer/parameters/narrow"
#define SWITCH	"/proc/sys/kernel/ftrace_enabled"

/* What children tell of themselves. */
struct told {
	pid_t child, thread;
	bool enough;		/* to them: no more children */
};

FIXTURE(narrow) {
	struct ktr_watch watch;
	struct ktr_session s;
	struct ktr_crew crew;
	struct ktr_child child;
	struct told *told;
};

FIXTURE_SETUP(narrow)
{
	int ret;

	KTR_NEED_MODULE();
	ret = ktr_watch_open(&self->watch);
	if (ret == -ENOENT)
		SKIP(return, "no function of the slow way is known here");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, ktr_put(PARAM, "Y"));
	self->told = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_EQ(0, ktr_crew_start(&self->crew, 3));
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_calls(&self->s, (int[]){ SYS_getppid, -1 }));
}

FIXTURE_TEARDOWN(narrow)
{
	KTR_EXPLAIN(&self->s);
	ktr_crew_end(&self->crew);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
	ktr_watch_close(&self->watch);
	ktr_put(PARAM, "Y");
}

/* Threads of the crew that go the slow way, as bits; -1: some by halves. */
static int flagged(FIXTURE_DATA(narrow) *self)
{
	int bits = 0, i;
	long n;

	if (ktr_watch_begin(&self->watch) ||
	    !ktr_crew_work(&self->crew, CALLS) || ktr_watch_end(&self->watch))
		return -1;
	for (i = 0; i < self->crew.n; i++) {
		n = ktr_watch_hits(&self->watch, self->crew.tid[i]);
		if (n && n < CALLS)
			return -1;
		bits |= !!n << i;
	}
	return bits;
}

static int pauses(void *arg)
{
	return pause();
}

/* The session traces syscalls, of a process that does none. */
static int trace_another(FIXTURE_DATA(narrow) *self)
{
	return ktr_child_traced(&self->child, &self->s, 0, pauses, NULL) ?:
	       ktr_session_start(&self->s, KTR_BIT(syscall));
}

TEST_F(narrow, untraced_threads_pay_nothing)
{
	EXPECT_EQ(KTR_NARROW_IDLE, ktr_info_u32(NULL, KTR_A_NARROW));
	EXPECT_EQ(0, flagged(self));
	ASSERT_EQ(0, trace_another(self));
	EXPECT_EQ(KTR_NARROW_ON, ktr_info_u32(NULL, KTR_A_NARROW));
	EXPECT_EQ(0, flagged(self));
	ktr_session_close(&self->s);
	EXPECT_EQ(KTR_NARROW_IDLE, ktr_info_u32(NULL, KTR_A_NARROW));
	EXPECT_EQ(0, flagged(self));
}

/* Traces a process, calls and a function, until it is killed. */
static void reader_of(pid_t pid)
{
	__u64 addr = ktr_ksym_addr("do_sys_poll");
	struct ktr_session s;
	struct ktr_msg m;

	if (ktr_session_open(&s, &(struct ktr_setup){}) ||
	    ktr_session_all_calls(&s) ||
	    ktr_session_start(&s, KTR_BIT(syscall) | KTR_BIT(sched_out) |
			      KTR_BIT(function)))
		return;
	ktr_session_msg(&s, &m, KTR_CMD_FUNC_ADD);
	ktr_msg_put(&m, KTR_A_ADDRS, &addr, sizeof(addr));
	if (!ktr_client_call(&s.client, &m, NULL) &&
	    ktr_session_attach(&s, KTR_TARGET_PID, pid, 0) > 0)
		pause();
}

/* Does anybody have a hook in do_sys_poll()? */
static bool is_hooked(void)
{
	FILE *f = fopen("/sys/kernel/tracing/enabled_functions", "re");
	bool found = false;
	char line[512];

	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, "do_sys_poll ", 12);
	if (f)
		fclose(f);
	return found;
}

/* Case H-09: whom he traced is as fast as if he had never been. */
TEST_F(narrow, killed_reader_leaves_full_speed)
{
	int status;
	pid_t pid;

	ASSERT_FALSE(is_hooked());
	pid = fork();
	if (!pid) {
		reader_of(self->crew.pid);
		_exit(1);
	}
	EXPECT_TRUE(ktr_wait_for(ktr_info_u32(NULL, KTR_A_NARROW) == KTR_NARROW_ON && flagged(self) == 7 &&
				 is_hooked()));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(SIGKILL, status);
	EXPECT_TRUE(ktr_wait_for(ktr_info_u32(NULL, KTR_A_NARROW) == KTR_NARROW_IDLE && !is_hooked()));
	EXPECT_EQ(0, flagged(self));
}

TEST_F(narrow, parameter_leaves_it_wide)
{
	ASSERT_EQ(0, trace_another(self));
	EXPECT_EQ(0, flagged(self));
	ASSERT_EQ(0, ktr_put(PARAM, "N"));
	EXPECT_TRUE(ktr_wait_for(ktr_info_u32(NULL, KTR_A_NARROW) == KTR_NARROW_OFF_PARAM));
	EXPECT_EQ(7, flagged(self));
	ASSERT_EQ(0, ktr_put(PARAM, "Y"));
	EXPECT_TRUE(ktr_wait_for(ktr_info_u32(NULL, KTR_A_NARROW) == KTR_NARROW_ON));
	EXPECT_TRUE(ktr_wait_for(flagged(self) == 0));
	ASSERT_EQ(0, ktr_put(PARAM, "N"));
	EXPECT_TRUE(ktr_wait_for(ktr_info_u32(NULL, KTR_A_NARROW) == KTR_NARROW_OFF_PARAM));
	ktr_session_close(&self->s);
	EXPECT_EQ(KTR_NARROW_IDLE, ktr_info_u32(NULL, KTR_A_NARROW));
	EXPECT_EQ(0, flagged(self));
}

TEST_F(narrow, parameter_from_the_start)
{
	ASSERT_EQ(0, ktr_put(PARAM, "N"));
	ASSERT_EQ(0, trace_another(self));
	EXPECT_EQ(KTR_NARROW_OFF_PARAM, ktr_info_u32(NULL, KTR_A_NARROW));
	EXPECT_EQ(7, flagged(self));
}

/* What held when the last session ended is forgotten. */
TEST_F(narrow, parameter_set_between_sessions)
{
	ASSERT_EQ(0, trace_another(self));
	EXPECT_EQ(KTR_NARROW_ON, ktr_info_u32(NULL, KTR_A_NARROW));
	ASSERT_EQ(0, ktr_session_stop(&self->s));
	EXPECT_EQ(KTR_NARROW_IDLE, ktr_info_u32(NULL, KTR_A_NARROW));
	ASSERT_EQ(0, ktr_put(PARAM, "N"));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
	EXPECT_EQ(KTR_NARROW_OFF_PARAM, ktr_info_u32(NULL, KTR_A_NARROW));
	EXPECT_EQ(7, flagged(self));
}

TEST_F(narrow, attach_and_detach)
{
	static const int rounds[] = { 1, 3, 2 };
	struct ktr_session *s = &self->s;
	pid_t *tid = self->crew.tid;
	int i;

	ASSERT_EQ(0, trace_another(self));
	ASSERT_EQ(1, ktr_session_attach(s, KTR_TARGET_TID, tid[1], 0));
	EXPECT_EQ(2, flagged(self));
	ASSERT_EQ(2, ktr_session_attach(s, KTR_TARGET_PID, tid[0], 0));
	EXPECT_EQ(7, flagged(self));
	ASSERT_EQ(1, ktr_session_detach(s, KTR_TARGET_TID, tid[0], 0));
	EXPECT_EQ(6, flagged(self));
	ASSERT_EQ(2, ktr_session_detach(s, KTR_TARGET_PID, tid[0], 0));
	EXPECT_EQ(0, flagged(self));
	EXPECT_EQ(KTR_NARROW_ON, ktr_info_u32(NULL, KTR_A_NARROW));
	/* What they did while they were targets is there, and no more. */
	ASSERT_EQ(0, ktr_session_drain(s));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(rounds[i] * CALLS,
			  ktr_log_count(&s->log, KTR_KIND_syscall, tid[i]));
}

/* Attached first, its calls selected only later. */
TEST_F(narrow, targets_from_before_the_probes)
{
	ASSERT_EQ(3, ktr_session_attach(&self->s, KTR_TARGET_PID,
					self->crew.pid, 0));
	EXPECT_EQ(0, flagged(self));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
	EXPECT_EQ(KTR_NARROW_ON, ktr_info_u32(NULL, KTR_A_NARROW));
	EXPECT_EQ(7, flagged(self));
	ASSERT_EQ(0, ktr_session_drain(&self->s));
	EXPECT_EQ(3 * CALLS, ktr_log_count(&self->s.log, KTR_KIND_syscall, 0));
}

TEST_F(narrow, two_sessions_on_one_target)
{
	struct ktr_session other;
	pid_t pid = self->crew.pid;

	ASSERT_EQ(0, ktr_session_open(&other, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_calls(&other, (int[]){ SYS_getppid, -1 }));
	ASSERT_EQ(3, ktr_session_attach(&self->s, KTR_TARGET_PID, pid, 0));
	ASSERT_EQ(3, ktr_session_attach(&other, KTR_TARGET_PID, pid, 0));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
	ASSERT_EQ(0, ktr_session_start(&other, KTR_BIT(syscall)));
	EXPECT_EQ(7, flagged(self));
	ktr_session_close(&self->s);
	EXPECT_EQ(7, flagged(self));
	EXPECT_EQ(KTR_NARROW_ON, ktr_info_u32(NULL, KTR_A_NARROW));
	ASSERT_EQ(0, ktr_session_drain(&other));
	EXPECT_EQ(6 * CALLS, ktr_log_count(&other.log, KTR_KIND_syscall, 0));
	ktr_session_close(&other);
	EXPECT_EQ(0, flagged(self));
	EXPECT_EQ(KTR_NARROW_IDLE, ktr_info_u32(NULL, KTR_A_NARROW));
}

static void *thread_calls(void *arg)
{
	struct told *told = arg;
	int i;

	told->thread = gettid();
	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return NULL;
}

/* A child that executes a program, then a thread, both waited for. */
static int family(void *arg)
{
	struct told *told = arg;
	pid_t pid = fork();
	pthread_t t;

	if (!pid)
		execl("/bin/true", "true", NULL);
	told->child = pid;
	waitpid(pid, NULL, 0);
	if (pthread_create(&t, NULL, thread_calls, told))
		return 1;
	pthread_join(t, NULL);
	return 0;
}

/* Runs family() as a target of that kind and with these flags. */
static int run_family(FIXTURE_DATA(narrow) *self, int kind, __u32 flags)
{
	int ret = ktr_child_start(&self->child, family, self->told);

	ret = ret ?: ktr_session_start(&self->s, KTR_BIT(syscall));
	if (!ret && ktr_session_attach(&self->s, kind, self->child.pid,
				       flags) != 1)
		ret = -ECHILD;
	ret = ret ?: ktr_watch_begin(&self->watch);
	ret = ret ?: ktr_child_run(&self->child);
	ret = ret ?: ktr_watch_end(&self->watch);
	return ret ?: self->told->child && self->told->thread ? 0 : -ESRCH;
}

TEST_F(narrow, children_that_are_not_followed)
{
	ASSERT_EQ(0, run_family(self, KTR_TARGET_TID, 0));
	EXPECT_EQ(0, ktr_watch_hits(&self->watch, self->told->child));
	EXPECT_EQ(0, ktr_watch_hits(&self->watch, self->told->thread));
}

TEST_F(narrow, threads_of_a_process_are_followed)
{
	ASSERT_EQ(0, run_family(self, KTR_TARGET_PID, 0));
	EXPECT_EQ(0, ktr_watch_hits(&self->watch, self->told->child));
	EXPECT_LE(CALLS, ktr_watch_hits(&self->watch, self->told->thread));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	EXPECT_EQ(CALLS, ktr_log_count(&self->s.log, KTR_KIND_syscall,
				       self->told->thread));
}

TEST_F(narrow, children_are_followed_through_exec)
{
	static const int nrs[] = { SYS_getppid, SYS_exit_group, -1 };

	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, run_family(self, KTR_TARGET_PID, KTR_TARGET_F_FOLLOW));
	EXPECT_LE(CALLS, ktr_watch_hits(&self->watch, self->told->thread));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	/* Its last call, in the new program. */
	EXPECT_EQ(1, ktr_log_count(&self->s.log, KTR_KIND_syscall,
				   self->told->child));
}

static int calls(void *unused)
{
	int i;

	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return 0;
}

static int makes_children(void *arg)
{
	volatile struct told *told = arg;
	static char stack[16384];
	int status;

	while (!told->enough)
		if (clone(calls, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL) < 0 ||
		    wait(&status) < 0 || status)
			return 1;
	return 0;
}

/* Children that were followed from birth and did not do all their calls. */
static int born_blind(FIXTURE_DATA(narrow) *self, int *followed)
{
	const struct ktr_rec *rec;
	size_t at = 0;
	int n = 0;

	*followed = 0;
	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_task_new, 0))) {
		const struct ktr_ev_task_new *ev = ktr_payload(rec);

		if (ev->followed != 1)
			continue;
		++*followed;
		n += ktr_log_count(&self->s.log, KTR_KIND_syscall, ev->child) != CALLS;
	}
	return n;
}

/* A child takes its maker's flag over, who may become a target just then. */
TEST_F(narrow, born_while_its_maker_is_attached)
{
	__u64 end = ktr_now() + KTR_SECOND * ktr_scaled(60);
	int followed, rounds = 0, kind = KTR_TARGET_PID;

	self->told->enough = false;
	ASSERT_EQ(0, ktr_child_start(&self->child, makes_children, self->told));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
	ktr_child_go(&self->child);
	while (ktr_now() < end) {
		pid_t pid = self->child.pid;

		ASSERT_EQ(1, ktr_session_attach(&self->s, kind, pid, KTR_TARGET_F_FOLLOW));
		usleep(300);
		ASSERT_EQ(1, ktr_session_detach(&self->s, kind, pid, 0));
		ASSERT_EQ(0, ktr_session_drain(&self->s));
		rounds++;
	}
	self->told->enough = true;
	ASSERT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	EXPECT_EQ(0, born_blind(self, &followed));
	TH_LOG("%d rounds, %d children followed", rounds, followed);
	EXPECT_LT(0, followed);
}

static int many_trues(void *arg)
{
	int i;

	for (i = 0; i < 10; i++)
		if (!fork())
			execl("/bin/true", "true", NULL);
	while (wait(NULL) > 0)
		;
	return 0;
}

/* Not only the crew: nobody on the machine. */
TEST_F(narrow, nobody_else_pays)
{
	struct ktr_child storm;

	ASSERT_EQ(0, trace_another(self));
	ASSERT_EQ(0, ktr_child_start(&storm, many_trues, NULL));
	ASSERT_EQ(0, ktr_watch_begin(&self->watch));
	EXPECT_EQ(0, ktr_child_run(&storm));
	ASSERT_EQ(0, ktr_watch_end(&self->watch));
	EXPECT_EQ(0, ktr_watch_others(&self->watch, &self->child.pid, 1));
}

TEST_F(narrow, stopped_session_and_no_syscalls_selected)
{
	pid_t pid = self->crew.pid;

	ASSERT_EQ(3, ktr_session_attach(&self->s, KTR_TARGET_PID, pid, 0));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
	EXPECT_EQ(7, flagged(self));
	ASSERT_EQ(0, ktr_session_set(&self->s, KTR_A_EVENTS,
				     KTR_BIT(sched_in)));
	EXPECT_EQ(0, flagged(self));
	EXPECT_EQ(KTR_NARROW_IDLE, ktr_info_u32(NULL, KTR_A_NARROW));
	ASSERT_EQ(0, ktr_session_set(&self->s, KTR_A_EVENTS, KTR_BIT(syscall)));
	EXPECT_EQ(7, flagged(self));
	EXPECT_EQ(KTR_NARROW_ON, ktr_info_u32(NULL, KTR_A_NARROW));
}

/* Module out and in, with threads that were there before. */
TEST_F(narrow, module_goes_and_comes)
{
	if (access(ktr_module_path(), R_OK))
		SKIP(return, "no module file at %s", ktr_module_path());
	ASSERT_EQ(3, ktr_session_attach(&self->s, KTR_TARGET_PID,
					self->crew.pid, 0));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
	EXPECT_EQ(7, flagged(self));
	ktr_session_close(&self->s);
	ASSERT_TRUE(ktr_wait_for(!ktr_module_unload()));
	EXPECT_EQ(0, flagged(self));
	ASSERT_EQ(0, ktr_module_load());
	EXPECT_EQ(0, flagged(self));
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_calls(&self->s, (int[]){ SYS_getppid, -1 }));
	ASSERT_EQ(0, trace_another(self));
	EXPECT_EQ(KTR_NARROW_ON, ktr_info_u32(NULL, KTR_A_NARROW));
	EXPECT_EQ(0, flagged(self));
}

/* Newer kernels do not let anybody do that, whatever is loaded. */
static bool refused(int ret)
{
	return ret == -EBUSY || ret == -EOPNOTSUPP;
}

TEST_F(narrow, ftrace_cannot_be_switched_off_under_it)
{
	EXPECT_TRUE(refused(ktr_put(SWITCH, "0")));
	ASSERT_EQ(0, trace_another(self));
	EXPECT_TRUE(refused(ktr_put(SWITCH, "0")));
	EXPECT_EQ(KTR_NARROW_ON, ktr_info_u32(NULL, KTR_A_NARROW));
}

/* Without ftrace nobody can be seen to come. The watch needs ftrace too. */
TEST_F(narrow, ftrace_is_off_when_it_is_loaded)
{
	int ret;

	if (access(ktr_module_path(), R_OK))
		SKIP(return, "no module file at %s", ktr_module_path());
	ktr_session_close(&self->s);
	ASSERT_TRUE(ktr_wait_for(!ktr_module_unload()));
	ret = ktr_put(SWITCH, "0");
	EXPECT_EQ(0, ktr_module_load());
	if (ret == -EOPNOTSUPP)
		SKIP(return, "this kernel's ftrace cannot be switched off");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, ktr_put(SWITCH, "1"));
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_calls(&self->s, (int[]){ SYS_getppid, -1 }));
	ASSERT_EQ(0, trace_another(self));
	EXPECT_EQ(KTR_NARROW_OFF_HOOK, ktr_info_u32(NULL, KTR_A_NARROW));
	EXPECT_EQ(7, flagged(self));
	ktr_session_close(&self->s);
	EXPECT_EQ(0, flagged(self));
	/* It has copies of our descriptors. */
	ktr_child_kill(&self->child);
	ASSERT_TRUE(ktr_wait_for(!ktr_module_unload()));
	ASSERT_EQ(0, ktr_module_load());
}

TEST_HARNESS_MAIN
