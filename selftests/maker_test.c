// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions that end by themselves, and those who made them and went. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "ktr_test.h"
#include "ktr_user.h"

#define UNTIL_IDLE	KTR_SESSION_F_UNTIL_IDLE

FIXTURE(maker) {
	struct ktr_session s;
	struct ktr_client other;	/* another socket */
};

FIXTURE_SETUP(maker)
{
	KTR_NEED_MODULE();
	self->s.fd = -1;
	ASSERT_EQ(0, ktr_client_open(&self->other));
}

FIXTURE_TEARDOWN(maker)
{
	struct ktr_msg m;

	/* By its name: the socket may have gone. */
	ktr_msg_init(&m, KTR_CMD_SESSION_DEL);
	ktr_msg_str(&m, KTR_A_NAME, "made");
	ktr_client_call(&self->other, &m, NULL);
	ktr_client_close(&self->other);
}

static int make(struct ktr_session *s, __u32 flags)
{
	return ktr_session_new(s, &(struct ktr_setup){ .name = "made", .flags = flags });
}

static bool is_there(FIXTURE_DATA(maker) *self)
{
	struct ktr_listed l = { .id = self->s.id };

	return !ktr_session_listed(&self->other, &l) && l.n;
}

TEST_F(maker, takes_it_along)
{
	ASSERT_EQ(0, make(&self->s, UNTIL_IDLE));
	EXPECT_TRUE(is_there(self));
	ktr_client_close(&self->s.client);
	EXPECT_TRUE(ktr_wait_for(!is_there(self)));
}

/* It is named, and was to stay. */
TEST_F(maker, leaves_others_behind)
{
	struct ktr_session s;

	ASSERT_EQ(0, make(&self->s, 0));
	ktr_client_close(&self->s.client);
	/* One that goes behind it has gone. */
	ASSERT_EQ(0, ktr_session_new(&s, &(struct ktr_setup){
		.name = "later", .flags = UNTIL_IDLE }));
	ktr_client_close(&s.client);
	while (ktr_client_open(&s.client))
		;
	EXPECT_TRUE(ktr_wait_for(ktr_session_u32(&s, KTR_A_SESSION) == ~0U));
	EXPECT_TRUE(is_there(self));
	ktr_client_close(&s.client);
}

/* Whoever has the socket is its maker, until the last has gone, however he goes. */
TEST_F(maker, is_who_has_the_socket)
{
	pid_t child;

	ASSERT_EQ(0, make(&self->s, UNTIL_IDLE));
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	ASSERT_LT(0, child);
	ktr_client_close(&self->s.client);
	ASSERT_EQ(0, ktr_client_open(&self->s.client));
	EXPECT_EQ(KTR_STATE_STOPPED, ktr_session_u32(&self->s, KTR_A_STATE));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	EXPECT_TRUE(ktr_wait_for(!is_there(self)));
	ktr_client_close(&self->s.client);
}

/* An execve closes it: it was not meant for the program. */
TEST_F(maker, is_not_the_next_program)
{
	int go[2], status;
	char byte;
	pid_t child;

	ASSERT_EQ(0, pipe(go));
	child = fork();
	if (!child) {
		dup2(go[0], 0);
		close(go[0]);
		close(go[1]);
		if (make(&self->s, UNTIL_IDLE))
			_exit(99);
		execl("/bin/sh", "sh", "-c", "read x", NULL);
		_exit(98);
	}
	ASSERT_LT(0, child);
	close(go[0]);
	/* The shell waits for a line: it runs. */
	EXPECT_TRUE(ktr_wait_for(ktr_task_sleeps(child, SYS_read)));
	self->s.id = 0;
	EXPECT_TRUE(ktr_wait_for(!is_there(self)));
	EXPECT_EQ(0, waitpid(child, &status, WNOHANG));
	byte = '\n';
	EXPECT_EQ(1, write(go[1], &byte, 1));
	close(go[1]);
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

/* From its first target on it is that one's, until the last has gone. */
TEST_F(maker, may_go_once_there_is_a_target)
{
	struct ktr_child child;

	ASSERT_EQ(0, make(&self->s, UNTIL_IDLE));
	ASSERT_EQ(0, ktr_child_start(&child, ktr_sleep_in_poll, NULL));
	ASSERT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_PID, child.pid, 0));
	ktr_client_close(&self->s.client);
	ASSERT_EQ(0, ktr_client_open(&self->s.client));
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_NTARGETS));
	ktr_child_kill(&child);
	EXPECT_TRUE(ktr_wait_for(!is_there(self)));
	ktr_client_close(&self->s.client);
}

/*
 * Another attaches while the maker goes: either he is told that the session ends, or
 * it goes on with his process, whatever the order was.
 */
TEST_F(maker, goes_while_another_attaches)
{
	int i, ret, won = 0, lost = 0, n = ktr_scaled(200);
	struct ktr_session s = { .fd = -1 };
	struct ktr_child child;
	pid_t maker;

	ASSERT_EQ(0, ktr_child_start(&child, ktr_sleep_in_poll, NULL));
	ASSERT_EQ(0, ktr_client_open(&s.client));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, make(&self->s, UNTIL_IDLE));
		s.id = self->s.id;
		maker = fork();
		if (!maker) {
			/* The socket's last user, once we have closed it. */
			usleep(i * 37 % 1500);
			_exit(0);
		}
		ktr_client_close(&self->s.client);
		usleep(i * 91 % 1500);
		ret = ktr_session_attach(&s, KTR_TARGET_PID, child.pid, 0);
		waitpid(maker, NULL, 0);
		if (ret == 1) {
			won++;
			EXPECT_EQ(1, ktr_session_u32(&s, KTR_A_NTARGETS));
			EXPECT_EQ(1, ktr_session_detach(&s, KTR_TARGET_PID, child.pid, 0));
		} else {
			lost++;
			EXPECT_TRUE(ret == -ENOENT || ret == -ESHUTDOWN) TH_LOG("%d", ret);
		}
		EXPECT_TRUE(ktr_wait_for(!is_there(self)));
	}
	TH_LOG("attached %d times, too late %d times", won, lost);
	ktr_client_close(&s.client);
	ktr_child_kill(&child);
}

/* The last target goes while another comes: the same. */
TEST_F(maker, last_target_goes_while_another_comes)
{
	int i, ret, n = ktr_scaled(200);
	struct ktr_child first, second;
	struct ktr_session s = { .fd = -1 };

	ASSERT_EQ(0, ktr_client_open(&s.client));
	ASSERT_EQ(0, ktr_child_start(&second, ktr_sleep_in_poll, NULL));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, make(&self->s, UNTIL_IDLE));
		s.id = self->s.id;
		ASSERT_EQ(0, ktr_child_start(&first, ktr_sleep_in_poll, NULL));
		ASSERT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_PID, first.pid, 0));
		ktr_child_kill(&first);
		usleep(i * 91 % 2500);
		ret = ktr_session_attach(&s, KTR_TARGET_PID, second.pid, 0);
		if (ret == 1) {
			/* Whatever ended has done so by now. */
			EXPECT_EQ(1, ktr_session_detach(&s, KTR_TARGET_PID, second.pid, 0));
		} else {
			EXPECT_TRUE(ret == -ENOENT || ret == -ESHUTDOWN) TH_LOG("%d", ret);
		}
		EXPECT_TRUE(ktr_wait_for(!is_there(self)));
		ktr_client_close(&self->s.client);
	}
	ktr_client_close(&s.client);
	ktr_child_kill(&second);
}

#define KILLED 40	/* more than a user may have sessions, or memory */

static int is_killed_often(void *unused)
{
	struct ktr_listed l = {};
	struct ktr_session s;
	struct ktr_client c;
	pid_t child;
	int i, status;

	KTR_WANT(!ktr_client_open(&c));
	for (i = 0; i < KILLED; i++) {
		child = fork();
		if (!child) {
			if (make(&s, UNTIL_IDLE))
				_exit(1);
			raise(SIGKILL);
		}
		KTR_WANT(waitpid(child, &status, 0) == child);
		KTR_WANT(WIFSIGNALED(status));
		KTR_WANT(ktr_wait_for(!ktr_session_listed(&c, &l) && !l.n));
	}
	return 0;
}

TEST_F(maker, that_is_killed_locks_no_user_out)
{
	if (getuid())
		SKIP(return, "this starts as root");
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, is_killed_often, NULL));
}

TEST_HARNESS_MAIN
