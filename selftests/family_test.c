// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaching to more than one task: threads, groups, descendants, subtrees. */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "ktr_targets.h"
#include "ktr_test.h"

#define FOLLOW	KTR_TARGET_F_FOLLOW
#define DESCEND	KTR_TARGET_F_DESCEND

FIXTURE(family) {
	struct ktr_session s;
	struct ktr_child child;
};

FIXTURE_SETUP(family)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_all_calls(&self->s));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall) |
				       KTR_BIT(syscall_begun)));
}

FIXTURE_TEARDOWN(family)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

static void *waits_in_thread(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static int three_threads(void *arg)
{
	pthread_t t[2];
	int i;

	for (i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, waits_in_thread, NULL))
			return 1;
	waits_in_thread(NULL);
	return 0;
}

static int count_tasks(pid_t pid)
{
	char path[64];
	DIR *dir;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n - 2;
}

TEST_F(family, pid_is_all_threads_and_tid_is_one)
{
	pid_t pid;

	ASSERT_EQ(0, ktr_child_start(&self->child, three_threads, NULL));
	pid = self->child.pid;
	ktr_child_go(&self->child);
	ASSERT_TRUE(ktr_wait_for(count_tasks(pid) == 3));
	EXPECT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_TID, pid, 0));
	/* Those that are targets already are not counted. */
	EXPECT_EQ(2, ktr_session_attach(&self->s, KTR_TARGET_PID, pid, 0));
	EXPECT_EQ(3, ktr_session_u32(&self->s, KTR_A_NTARGETS));
	EXPECT_EQ(1, ktr_session_detach(&self->s, KTR_TARGET_TID, pid, 0));
	EXPECT_EQ(2, ktr_session_u32(&self->s, KTR_A_NTARGETS));
	EXPECT_EQ(2, ktr_session_detach(&self->s, KTR_TARGET_PID, pid, 0));
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_NTARGETS));
}

/* Four processes of three threads in a group of their own. */
static int four_processes(void *arg)
{
	int i;

	setpgid(0, 0);
	for (i = 0; i < 3; i++) {
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			return three_threads(NULL);
		}
	}
	return three_threads(NULL);
}

/* Threads of all processes of a group. */
static int count_group(pid_t pgid)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	int n = 0;

	while ((d = readdir(proc))) {
		pid_t pid = atoi(d->d_name);

		if (pid && getpgid(pid) == pgid)
			n += count_tasks(pid);
	}
	closedir(proc);
	return n;
}

/* Case K-05, its first half. */
TEST_F(family, descendants_and_groups)
{
	pid_t pid;

	ASSERT_EQ(0, ktr_child_start(&self->child, four_processes, NULL));
	pid = self->child.pid;
	ktr_child_go(&self->child);
	ASSERT_TRUE(ktr_wait_for(count_group(pid) == 12));
	EXPECT_EQ(12, ktr_session_attach(&self->s, KTR_TARGET_PID, pid, DESCEND));
	EXPECT_EQ(12, ktr_session_u32(&self->s, KTR_A_NTARGETS));
	EXPECT_EQ(-EEXIST, ktr_session_attach(&self->s, KTR_TARGET_PID, pid,
					      DESCEND));
	EXPECT_EQ(12, ktr_session_detach(&self->s, KTR_TARGET_PGRP, pid, 0));
	EXPECT_EQ(12, ktr_session_attach(&self->s, KTR_TARGET_PGRP, pid, 0));
	EXPECT_EQ(12, ktr_session_detach(&self->s, KTR_TARGET_PID, pid, DESCEND));
	EXPECT_EQ(3, ktr_session_attach(&self->s, KTR_TARGET_PID, pid, 0));
}

/* Keeps making children that live for a while. */
static int forks_for_ever(void *arg)
{
	int alive = 0, i;

	setpgid(0, 0);
	for (;;) {
		if (!fork()) {
			for (i = 0; i < 20; i++)
				sched_yield();
			_exit(0);
		}
		for (alive++; alive > 5; alive--)
			waitpid(-1, NULL, 0);
	}
}

/* All of a group stand still. */
static bool group_stopped(pid_t pgid)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	bool all = true;

	while ((d = readdir(proc))) {
		pid_t pid = atoi(d->d_name);
		char state = pid && getpgid(pid) == pgid ?
			     ktr_task_state(pid) : 0;

		if (state && state != 'T' && state != 'Z')
			all = false;
	}
	closedir(proc);
	return all;
}

/* The number of tasks of the group that should be targets and are not. */
static int missed(struct ktr_session *s, pid_t pgid)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	struct ktr_targets all;
	int n = 0;

	if (ktr_targets_get(s, &all))
		return -1;
	while ((d = readdir(proc))) {
		pid_t pid = atoi(d->d_name);

		if (pid && getpgid(pid) == pgid && ktr_task_state(pid) == 'T')
			n += !ktr_targets_has(&all, pid);
	}
	closedir(proc);
	return n;
}

/* Case K-05, its second half: a child that is born while we attach. */
TEST_F(family, no_child_is_missed)
{
	long n = ktr_scaled(100), i;
	pid_t pid;

	n = n < 10 ? 10 : n;
	ASSERT_EQ(0, ktr_session_stop(&self->s));
	ASSERT_EQ(0, ktr_child_start(&self->child, forks_for_ever, NULL));
	pid = self->child.pid;
	ktr_child_go(&self->child);
	ASSERT_TRUE(ktr_wait_for(getpgid(pid) == pid && count_group(pid) > 1));
	for (i = 0; i < n; i++) {
		ASSERT_LE(1, ktr_session_attach(&self->s, KTR_TARGET_PID, pid,
						FOLLOW | DESCEND));
		kill(-pid, SIGSTOP);
		ASSERT_TRUE(ktr_wait_for(group_stopped(pid)));
		ASSERT_EQ(0, missed(&self->s, pid));
		kill(-pid, SIGCONT);
		ASSERT_LE(1, ktr_session_detach(&self->s, KTR_TARGET_PID, pid,
						DESCEND));
		/* Orphans that were being reaped. */
		while (ktr_session_detach(&self->s, KTR_TARGET_PGRP, pid, 0) > 0)
			;
	}
	kill(-pid, SIGKILL);
}

/* A > B > C > D, with a double fork and a new session in between. */
static int chain(void *arg)
{
	int depth;

	for (depth = 1; depth <= 4; depth++) {
		pid_t pid = fork();

		if (pid) {
			/* The second does not wait: its child is an orphan. */
			if (depth != 2)
				waitpid(pid, NULL, 0);
			return 0;
		}
		if (depth == 3)
			setsid();
	}
	syscall(SYS_getppid, 4711);
	_exit(0);
}

static int sibling(void *arg)
{
	syscall(SYS_getppid, 815);
	return 0;
}

/* Case K-07. */
TEST_F(family, whole_subtree_is_followed_and_no_sibling)
{
	struct ktr_child other;
	struct ktr_call_view v;
	size_t at = 0, found = 0;

	ASSERT_EQ(0, ktr_child_start(&other, sibling, NULL));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, FOLLOW, chain,
				      NULL));
	EXPECT_EQ(0, ktr_child_run(&self->child));
	EXPECT_EQ(0, ktr_child_run(&other));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	while (!ktr_log_call(&self->s.log, &at, SYS_getppid, 0, &v)) {
		EXPECT_NE(815, v.args[0]);
		found += v.args[0] == 4711;
	}
	EXPECT_EQ(1, found);
	EXPECT_EQ(4, ktr_log_count(&self->s.log, KTR_KIND_task_new, 0));
	EXPECT_EQ(5, ktr_log_count(&self->s.log, KTR_KIND_target_end, 0));
}

TEST_HARNESS_MAIN
