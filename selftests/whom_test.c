// SPDX-License-Identifier: GPL-2.0-or-later
/* Many targets by one command: of a group, a user, a cgroup, and all there are. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "ktr_targets.h"
#include "ktr_test.h"
#include "ktr_tracefs.h"

#define FOLLOW	KTR_TARGET_F_FOLLOW
#define SOME_UID 4711
#define CGROUP	"/sys/fs/cgroup/ktr-whom"
#define INNER	CGROUP "/inner"
#define FILE_OF_IT "/tmp/whom.ktr"

FIXTURE(whom) {
	struct ktr_session s;
	struct ktr_child child[3];
	struct ktr_targets all;
};

FIXTURE_SETUP(whom)
{
	KTR_NEED_MODULE();
	if (getuid())
		SKIP(return, "this starts as root");
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_calls(&self->s, (int[]){ SYS_getppid, -1 }));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
}

FIXTURE_TEARDOWN(whom)
{
	int i;

	KTR_EXPLAIN(&self->s);
	for (i = 0; i < 3; i++)
		ktr_child_kill(&self->child[i]);
	ktr_session_close(&self->s);
	rmdir(INNER);
	rmdir(CGROUP);
}

/* Itself, and by a child. */
static int calls(void *unused)
{
	syscall(SYS_getppid);
	if (!fork()) {
		syscall(SYS_getppid);
		_exit(0);
	}
	return wait(NULL) < 0;
}

static int ends(void *unused)
{
	return 0;
}

/* The real user stays root: it is the effective one that counts. */
static int becomes_somebody(void *fd)
{
	char c;

	if (seteuid(SOME_UID) || write(((int *)fd)[1], "x", 1) != 1 ||
	    read(((int *)fd)[2], &c, 1) != 1)
		return 1;
	return calls(NULL);
}

/* He waits until he is attached: go[3] lets him on. */
static int somebody(struct ktr_child *c, int go[4])
{
	char x;
	int ret;

	if (pipe(go) || pipe(go + 2))
		return -errno;
	ret = ktr_child_start(c, becomes_somebody, go);
	if (ret)
		return ret;
	ktr_child_go(c);
	return read(go[0], &x, 1) == 1 ? 0 : -EIO;
}

TEST_F(whom, all_of_a_user)
{
	pid_t pid;
	int go[4];

	ASSERT_EQ(0, ktr_child_start(&self->child[0], calls, NULL));
	EXPECT_EQ(-ESRCH, ktr_session_attach(&self->s, KTR_TARGET_UID, SOME_UID, 0));
	ASSERT_EQ(0, somebody(&self->child[1], go));
	pid = self->child[1].pid;
	ASSERT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_UID, SOME_UID, FOLLOW));
	EXPECT_EQ(-EEXIST, ktr_session_attach(&self->s, KTR_TARGET_UID, SOME_UID, 0));
	ASSERT_EQ(1, write(go[3], "x", 1));
	EXPECT_EQ(0, ktr_child_wait(&self->child[1]));
	EXPECT_EQ(0, ktr_child_run(&self->child[0]));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	EXPECT_EQ(2, ktr_log_count(&self->s.log, KTR_KIND_syscall, 0));
	EXPECT_EQ(1, ktr_log_count(&self->s.log, KTR_KIND_syscall, pid));
}

TEST_F(whom, let_go_by_user)
{
	int go[4];

	ASSERT_EQ(0, somebody(&self->child[1], go));
	ASSERT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_PID, self->child[1].pid, FOLLOW));
	EXPECT_EQ(-ESRCH, ktr_session_detach(&self->s, KTR_TARGET_UID, SOME_UID + 1, 0));
	EXPECT_EQ(1, ktr_session_detach(&self->s, KTR_TARGET_UID, SOME_UID, 0));
	ASSERT_EQ(1, write(go[3], "x", 1));
	EXPECT_EQ(0, ktr_child_wait(&self->child[1]));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_syscall, 0));
}

/* Root's kernel threads are not a user's. */
TEST_F(whom, root_has_no_kernel_threads)
{
	ASSERT_LT(0, ktr_session_attach(&self->s, KTR_TARGET_UID, 0, 0));
	ASSERT_EQ(0, ktr_targets_get(&self->s, &self->all));
	EXPECT_TRUE(ktr_targets_has(&self->all, 1));
	EXPECT_FALSE(ktr_targets_has(&self->all, 2));
	EXPECT_FALSE(ktr_targets_has(&self->all, getpid()));
}

/* 0 or -errno */
static int into(const char *dir, pid_t pid)
{
	char path[64], text[16];

	if (mkdir(dir, 0755) && errno != EEXIST)
		return -errno;
	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	snprintf(text, sizeof(text), "%d", pid);
	return ktr_put(path, text);
}

TEST_F(whom, all_in_a_cgroup_and_below)
{
	int i, fd;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, ktr_child_start(&self->child[i], calls, NULL));
	if (into(CGROUP, self->child[0].pid))
		SKIP(return, "no cgroups here");
	ASSERT_EQ(0, into(INNER, self->child[1].pid));
	fd = open(CGROUP, O_RDONLY | O_DIRECTORY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(2, ktr_session_attach(&self->s, KTR_TARGET_CGROUP, fd, FOLLOW));
	close(fd);
	fd = open(INNER, O_RDONLY | O_DIRECTORY);
	EXPECT_EQ(1, ktr_session_detach(&self->s, KTR_TARGET_CGROUP, fd, 0));
	close(fd);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, ktr_child_run(&self->child[i]));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	EXPECT_EQ(2, ktr_log_count(&self->s.log, KTR_KIND_syscall, 0));
}

TEST_F(whom, no_such_id)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY);

	EXPECT_EQ(-EINVAL, ktr_session_attach(&self->s, KTR_TARGET_UID, -1, 0));
	EXPECT_EQ(-ERANGE, ktr_session_attach(&self->s, KTR_TARGET_PID, 0, 0));
	EXPECT_EQ(-ERANGE, ktr_session_attach(&self->s, KTR_TARGET_PGRP, -1, 0));
	EXPECT_EQ(-EBADF, ktr_session_attach(&self->s, KTR_TARGET_CGROUP, -1, 0));
	EXPECT_EQ(-EBADF, ktr_session_attach(&self->s, KTR_TARGET_CGROUP, fd, 0));
	EXPECT_EQ(-ERANGE, ktr_session_attach(&self->s, KTR_TARGET_ALL + 1, 1, 0));
	close(fd);
}

/* A session that a thread of the module writes to a file. */
static int written(struct ktr_session *s)
{
	int fd = open(FILE_OF_IT, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600), ret;
	struct ktr_msg m;

	if (fd < 0)
		return -errno;
	ret = ktr_session_new(s, &(struct ktr_setup){ .name = "whom" });
	ktr_session_msg(s, &m, KTR_CMD_FILE);
	ktr_msg_u32(&m, KTR_A_FD, fd);
	if (!ret)
		ret = ktr_client_call(&s->client, &m, NULL);
	close(fd);
	return ret;
}

/* Whoever is there, kernel threads too, but neither the reader nor a writer. */
TEST_F(whom, all_tasks)
{
	struct ktr_session other = { .fd = -1 };
	int i, writers = 0;
	pid_t pid;

	ASSERT_EQ(0, written(&other));
	ASSERT_EQ(0, ktr_child_start(&self->child[0], calls, NULL));
	pid = self->child[0].pid;
	ASSERT_LT(2, ktr_session_attach(&self->s, KTR_TARGET_ALL, 0, FOLLOW));
	ASSERT_EQ(0, ktr_targets_get(&self->s, &self->all));
	EXPECT_TRUE(ktr_targets_has(&self->all, 1));
	EXPECT_TRUE(ktr_targets_has(&self->all, 2));
	EXPECT_TRUE(ktr_targets_has(&self->all, pid));
	EXPECT_FALSE(ktr_targets_has(&self->all, getpid()));
	for (i = 0; i < self->all.n; i++)
		writers += !strncmp(self->all.v[i].comm, "ktracer-writer", 14);
	EXPECT_EQ(0, writers);
	EXPECT_EQ(0, ktr_child_run(&self->child[0]));
	/* One that did not exist then, of a maker that is left out. */
	ASSERT_EQ(0, ktr_child_start(&self->child[1], ends, NULL));
	EXPECT_EQ(0, ktr_child_run(&self->child[1]));
	ASSERT_LT(2, ktr_session_detach(&self->s, KTR_TARGET_ALL, 0, 0));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	EXPECT_EQ(2, ktr_log_count(&self->s.log, KTR_KIND_syscall, 0));
	ktr_session_close(&other);
	unlink(FILE_OF_IT);
}

/* A writer that is made later is the child of a thread that is a target. */
TEST_F(whom, kernel_threads_are_not_followed)
{
	struct ktr_session other = { .fd = -1 };
	int i;

	ASSERT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_PID, 2, FOLLOW));
	ASSERT_EQ(0, written(&other));
	ASSERT_EQ(0, ktr_targets_get(&self->s, &self->all));
	EXPECT_EQ(1, self->all.n);
	for (i = 0; i < self->all.n; i++)
		EXPECT_EQ(2, self->all.v[i].tid);
	ktr_session_close(&other);
	unlink(FILE_OF_IT);
}

TEST_HARNESS_MAIN
