// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who may: opener and caller both, with CAP_SYS_ADMIN or CAP_PERFMON in the
 * initial user namespace. All others are plain users, who know of their own
 * sessions alone (case N-01); what they may do in them is in plain_test.c.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include "ktr_test.h"
#include "ktr_user.h"

#define LAST_CAP 40	/* of the oldest kernel supported */

FIXTURE(privilege) {
	struct ktr_session s;
	int pair[2];
};

FIXTURE_SETUP(privilege)
{
	KTR_NEED_MODULE();
	if (getuid())
		SKIP(return, "this starts as root");
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){
			.name = "privilege" }));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, self->pair));
}

FIXTURE_TEARDOWN(privilege)
{
	ktr_session_close(&self->s);
}

/* Every command with attributes that a privileged caller may send. */
static int send_command(struct ktr_client *c, __u8 cmd, __u32 session, bool dump)
{
	struct ktr_msg m;

	ktr_msg_init(&m, cmd);
	if (cmd == KTR_CMD_SESSION_NEW)
		ktr_msg_str(&m, KTR_A_NAME, "by-nobody");
	else if (cmd != KTR_CMD_INFO && !(dump && cmd == KTR_CMD_SESSION_GET))
		ktr_msg_u32(&m, KTR_A_SESSION, session);
	if (cmd == KTR_CMD_TARGET_ADD || cmd == KTR_CMD_TARGET_DEL) {
		ktr_msg_u32(&m, KTR_A_TARGET_KIND, KTR_TARGET_PID);
		ktr_msg_u32(&m, KTR_A_TARGET_ID, getpid());
	}
	return dump ? ktr_client_dump(c, &m, NULL, NULL) :
		      ktr_client_call(c, &m, NULL);
}

/*
 * The number of commands on @session, and of those that need none, that did not end
 * as they ought: in @named and @nameless.
 */
static int wrong_commands(struct ktr_client *c, __u32 session, int named, int nameless)
{
	static const __u8 dumps[] = { KTR_CMD_SESSION_GET, KTR_CMD_TARGET_GET,
				      KTR_CMD_SYSCALL_GET, KTR_CMD_FUNC_GET };
	int n = 0, i;
	__u8 cmd;

	for (cmd = KTR_CMD_INFO; cmd < KTR_CMD_NOTICE; cmd++) {
		if (cmd == KTR_CMD_TARGET_GET || cmd == KTR_CMD_SYSCALL_GET ||
		    cmd == KTR_CMD_FUNC_GET)
			continue;	/* dumps only */
		n += send_command(c, cmd, session, false) !=
		     (cmd <= KTR_CMD_SESSION_NEW ? nameless : named);
	}
	for (i = 0; i < ARRAY_SIZE(dumps); i++)
		n += send_command(c, dumps[i], session, true) !=
		     (dumps[i] == KTR_CMD_SESSION_GET ? nameless : named);
	return n;
}

/* Of one who may nothing at all. */
static int allowed_commands(struct ktr_client *c, __u32 session)
{
	return wrong_commands(c, session, -EPERM, -EPERM);
}

static bool is_eperm(long ret)
{
	return ret == -1 && errno == EPERM;
}

/* The number of things one may do with a descriptor that is bound, or not. */
static int allowed_on_device(int fd, __u32 session)
{
	struct ktr_bind b = { .size = sizeof(b), .session = session };
	void *p;
	int n = 0;

	n += !is_eperm(ioctl(fd, KTR_IOC_BIND, &b));
	n += !is_eperm(ioctl(fd, KTR_IOC_FLUSH));
	n += !is_eperm(ioctl(fd, 0));
	n += !is_eperm(write(fd, "x", 1));
	p = mmap(NULL, KTR_PAGE, PROT_READ, MAP_SHARED, fd,
		 KTR_MMAP_CONS(0, KTR_RING_DATA));
	n += p != MAP_FAILED || errno != EPERM;
	p = mmap(NULL, KTR_PAGE, PROT_READ, MAP_SHARED, fd, KTR_PAGE);
	n += p != MAP_FAILED || errno != EPERM;
	return n;
}

static bool fails(long ret, int error)
{
	return ret == -1 && errno == error;
}

/* Of a device that a plain user has opened. */
static int unbound_is_no_way(int fd, __u32 session)
{
	struct ktr_bind b = { .size = sizeof(b), .session = session };
	struct ktr_bind named = { .size = sizeof(named), .name = "privilege" };
	struct ktr_bind mark = { .size = sizeof(mark), .session = session,
				 .flags = KTR_BIND_F_MARK };

	KTR_WANT(fails(ioctl(fd, KTR_IOC_BIND, &b), ENOENT));
	KTR_WANT(fails(ioctl(fd, KTR_IOC_BIND, &named), ENOENT));
	KTR_WANT(fails(ioctl(fd, KTR_IOC_BIND, &mark), ENOENT));
	KTR_WANT(fails(ioctl(fd, KTR_IOC_FLUSH), ENOTCONN));
	KTR_WANT(mmap(NULL, KTR_PAGE, PROT_READ, MAP_SHARED, fd,
		      KTR_MMAP_CONS(0, KTR_RING_DATA)) == MAP_FAILED && errno == ENOTCONN);
	KTR_WANT(write(fd, "x", 1) == 1);	/* into every trace of oneself: there is none */
	return 0;
}

static int opens_and_asks(void *arg)
{
	FIXTURE_DATA(privilege) *self = arg;
	struct ktr_client c;
	int fd;

	KTR_WANT(!ktr_client_open(&c));
	fd = open(KTR_DEVICE, O_RDWR);
	KTR_WANT(fd >= 0);
	KTR_WANT(!wrong_commands(&c, self->s.id, -ENOENT, 0));
	KTR_WANT(ktr_client_listen(&c) == -EPERM);
	return unbound_is_no_way(fd, self->s.id);
}

TEST_F(privilege, plain_user_knows_nothing_of_roots)
{
	struct ktr_msg m;

	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, opens_and_asks, self));
	/* Nor did anything happen. */
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_NTARGETS));
	EXPECT_EQ(KTR_STATE_STOPPED, ktr_session_u32(&self->s, KTR_A_STATE));
	/* His own has another place for its name; by number it is root's to delete. */
	ktr_msg_init(&m, KTR_CMD_SESSION_DEL);
	ktr_msg_str(&m, KTR_A_NAME, "by-nobody");
	EXPECT_EQ(-ENOENT, ktr_client_call(&self->s.client, &m, NULL));
	ktr_msg_init(&m, KTR_CMD_SESSION_DEL);
	ktr_msg_u32(&m, KTR_A_SESSION, self->s.id + 1);
	EXPECT_EQ(0, ktr_client_call(&self->s.client, &m, NULL));
}

/* The descriptors are root's; whoever has them now is not. */
static int uses_inherited(void *arg)
{
	FIXTURE_DATA(privilege) *self = arg;
	int fresh = open(KTR_DEVICE, O_RDWR);

	if (ktr_user_become(KTR_NOBODY, 0))
		return 254;
	return allowed_commands(&self->s.client, self->s.id) +
	       allowed_on_device(self->s.fd, self->s.id) +
	       allowed_on_device(fresh, self->s.id);
}

TEST_F(privilege, inherited_descriptors_give_nothing)
{
	EXPECT_EQ(0, ktr_user_run(0, ~0ULL, uses_inherited, self));
}

static int opens_and_sends(void *arg)
{
	FIXTURE_DATA(privilege) *self = arg;
	struct ktr_client c;
	int fd;

	KTR_WANT(!ktr_client_open(&c));
	fd = open(KTR_DEVICE, O_RDWR);
	return ktr_user_send_fd(self->pair[1], c.fd) || ktr_user_send_fd(self->pair[1], fd);
}

/* A plain user has opened them; root, who was sent them, is no deputy. */
TEST_F(privilege, privileged_caller_does_not_lend_himself)
{
	struct ktr_client c = self->s.client;
	struct ktr_msg m;
	int fd;

	ASSERT_EQ(0, ktr_user_run(KTR_NOBODY, 0, opens_and_sends, self));
	c.fd = ktr_user_receive_fd(self->pair[0]);
	fd = ktr_user_receive_fd(self->pair[0]);
	ASSERT_LE(0, c.fd);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, allowed_commands(&c, self->s.id));
	c.no_address = true;
	EXPECT_EQ(0, allowed_commands(&c, self->s.id));
	EXPECT_EQ(0, allowed_on_device(fd, self->s.id));
	/* Nor may it be given a session over a socket of root's. */
	ktr_msg_init(&m, KTR_CMD_SESSION_NEW);
	ktr_msg_u32(&m, KTR_A_FD, fd);
	EXPECT_EQ(-EPERM, ktr_client_call(&self->s.client, &m, NULL));
}

/* 0: may trace as root does; 1: as a plain user; else not as either should. */
static int can_trace(void *unused)
{
	struct ktr_setup setup = { .buf_size = 65536 };
	struct ktr_child child = { .go = -1 };
	struct ktr_session s;
	int ret;

	if (ktr_session_open(&s, &setup))
		return 2;
	ret = ktr_session_set(&s, KTR_A_EVENTS_ADD, KTR_BIT(function));
	if (ret != (s.plain ? -EPERM : 0) || ktr_session_all_calls(&s) ||
	    ktr_session_start(&s, KTR_BIT(syscall)))
		return 3;
	child.pid = fork();
	if (!child.pid) {
		pause();
		_exit(0);
	}
	ret = ktr_session_attach(&s, KTR_TARGET_PID, child.pid, 0);
	kill(child.pid, SIGKILL);
	waitpid(child.pid, NULL, 0);
	if (ret != 1 || ktr_session_finish(&s) ||
	    !ktr_log_count(&s.log, KTR_KIND_exit, child.pid) ||
	    write(s.fd, "mark", 4) != 4)
		return 4;
	ktr_session_close(&s);
	return s.plain;
}

static int tries_each_capability(void)
{
	int cap, ret, wrong = 0;

	for (cap = 0; cap <= LAST_CAP; cap++) {
		bool may = cap == CAP_SYS_ADMIN || cap == CAP_PERFMON;

		ret = ktr_user_run(KTR_NOBODY, 1ULL << cap, can_trace, NULL);
		if (ret != !may) {
			fprintf(stderr, "# capability %d: result %d\n", cap, ret);
			wrong++;
		}
	}
	return wrong;
}

TEST_F(privilege, one_of_two_capabilities_is_enough)
{
	EXPECT_EQ(0, tries_each_capability());
}

static int root_of_own_namespace(void *unused)
{
	if (unshare(CLONE_NEWUSER))
		return 77;
	return can_trace(NULL);
}

static int root_of_own_network(void *unused)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return 77;
	return can_trace(NULL);
}

TEST_F(privilege, root_of_another_namespace_is_not_root)
{
	int ret = ktr_user_run(KTR_NOBODY, 0, root_of_own_namespace, NULL);

	if (ret == 77)
		SKIP(return, "no user namespaces here");
	EXPECT_EQ(1, ret);
	EXPECT_EQ(1, ktr_user_run(KTR_NOBODY, 0, root_of_own_network, NULL));
}

/* Rights that were lost are lost for what is mapped and bound, too. */
static int loses_rights_later(void *unused)
{
	struct ktr_session s;

	if (ktr_session_open(&s, &(struct ktr_setup){}))
		return 252;
	if (ktr_user_become(KTR_NOBODY, 0))
		return 251;
	return allowed_commands(&s.client, s.id) +
	       allowed_on_device(s.fd, s.id);
}

TEST_F(privilege, is_asked_every_time)
{
	EXPECT_EQ(0, ktr_user_run(0, ~0ULL, loses_rights_later, NULL));
}

TEST_HARNESS_MAIN
