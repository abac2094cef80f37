// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who may: opener and caller both, with CAP_SYS_ADMIN or CAP_PERFMON in the
 * initial user namespace. All others get EPERM from everything (case N-01).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "ktr_test.h"

#define NOBODY	65534
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

/* Become nobody, with just @caps. */
static int drop(__u64 caps)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {};
	int i;

	if (prctl(PR_SET_KEEPCAPS, 1) || syscall(SYS_setgid, NOBODY) ||
	    syscall(SYS_setuid, NOBODY))
		return -errno;
	for (i = 0; i < 2; i++)
		data[i].permitted = data[i].effective = caps >> (32 * i);
	return syscall(SYS_capset, &head, data) ? -errno : 0;
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

/* The number of commands that did not end in EPERM. */
static int allowed_commands(struct ktr_client *c, __u32 session)
{
	static const __u8 dumps[] = { KTR_CMD_SESSION_GET, KTR_CMD_TARGET_GET,
				      KTR_CMD_SYSCALL_GET, KTR_CMD_FUNC_GET };
	int n = 0, i;
	__u8 cmd;

	for (cmd = KTR_CMD_INFO; cmd < KTR_CMD_NOTICE; cmd++) {
		if (cmd == KTR_CMD_TARGET_GET || cmd == KTR_CMD_SYSCALL_GET ||
		    cmd == KTR_CMD_FUNC_GET)
			continue;	/* dumps only */
		n += send_command(c, cmd, session, false) != -EPERM;
	}
	for (i = 0; i < ARRAY_SIZE(dumps); i++)
		n += send_command(c, dumps[i], session, true) != -EPERM;
	return n;
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

/* In a child, so that the rights are lost there only. Return: its result. */
static int as_child(int (*fn)(FIXTURE_DATA(privilege) *),
		    FIXTURE_DATA(privilege) *self)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(fn(self));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static int opens_and_asks(FIXTURE_DATA(privilege) *self)
{
	struct ktr_client c;
	int fd;

	if (drop(0) || ktr_client_open(&c))
		return 254;
	fd = open(KTR_DEVICE, O_RDWR);
	if (fd < 0)
		return 253;
	return allowed_commands(&c, self->s.id) +
	       allowed_on_device(fd, self->s.id);
}

TEST_F(privilege, plain_user_may_nothing)
{
	EXPECT_EQ(0, as_child(opens_and_asks, self));
	/* Nor did anything happen. */
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_NTARGETS));
	EXPECT_EQ(KTR_STATE_STOPPED, ktr_session_u32(&self->s, KTR_A_STATE));
}

/* The descriptors are root's; whoever has them now is not. */
static int uses_inherited(FIXTURE_DATA(privilege) *self)
{
	int fresh = open(KTR_DEVICE, O_RDWR);

	if (drop(0))
		return 254;
	return allowed_commands(&self->s.client, self->s.id) +
	       allowed_on_device(self->s.fd, self->s.id) +
	       allowed_on_device(fresh, self->s.id);
}

TEST_F(privilege, inherited_descriptors_give_nothing)
{
	EXPECT_EQ(0, as_child(uses_inherited, self));
}

static int send_fd(int sock, int fd)
{
	char space[CMSG_SPACE(sizeof(int))] = {}, c = 'f';
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			    .msg_control = space, .msg_controllen = sizeof(space) };
	struct cmsghdr *cm = CMSG_FIRSTHDR(&m);

	cm->cmsg_level = SOL_SOCKET;
	cm->cmsg_type = SCM_RIGHTS;
	cm->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cm), &fd, sizeof(int));
	return sendmsg(sock, &m, 0) == 1 ? 0 : -1;
}

static int receive_fd(int sock)
{
	char space[CMSG_SPACE(sizeof(int))], c;
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			    .msg_control = space, .msg_controllen = sizeof(space) };
	int fd = -1;

	if (recvmsg(sock, &m, 0) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int));
	return fd;
}

static int opens_and_sends(FIXTURE_DATA(privilege) *self)
{
	struct ktr_client c;
	int fd;

	if (drop(0) || ktr_client_open(&c))
		return 254;
	fd = open(KTR_DEVICE, O_RDWR);
	return send_fd(self->pair[1], c.fd) || send_fd(self->pair[1], fd);
}

/* A plain user has opened them; root, who was sent them, is no deputy. */
TEST_F(privilege, privileged_caller_does_not_lend_himself)
{
	struct ktr_client c = self->s.client;
	struct ktr_msg m;
	int fd;

	ASSERT_EQ(0, as_child(opens_and_sends, self));
	c.fd = receive_fd(self->pair[0]);
	fd = receive_fd(self->pair[0]);
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

/* 0: may trace; 1: EPERM everywhere; else half of it. */
static int can_trace(void)
{
	struct ktr_session s;
	struct ktr_client c;
	struct ktr_child child = { .go = -1 };
	int ret;

	if (ktr_client_open(&c))
		return 254;
	ret = ktr_session_open(&s, &(struct ktr_setup){ .buf_size = 65536 });
	if (ret == -EPERM)
		return allowed_commands(&c, 0) ? 2 : 1;
	if (ret || ktr_session_all_calls(&s) ||
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
	return 0;
}

static int tries_each_capability(FIXTURE_DATA(privilege) *self)
{
	int cap, wrong = 0;

	for (cap = 0; cap <= LAST_CAP; cap++) {
		bool may = cap == CAP_SYS_ADMIN || cap == CAP_PERFMON;
		pid_t pid = fork();
		int status;

		if (!pid)
			_exit(drop(1ULL << cap) ? 253 : can_trace());
		waitpid(pid, &status, 0);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != !may) {
			fprintf(stderr, "# capability %d: result %d\n", cap,
				WEXITSTATUS(status));
			wrong++;
		}
	}
	return wrong;
}

TEST_F(privilege, one_of_two_capabilities_is_enough)
{
	EXPECT_EQ(0, as_child(tries_each_capability, self));
}

static int root_of_own_namespace(FIXTURE_DATA(privilege) *self)
{
	if (unshare(CLONE_NEWUSER))
		return 77;
	return can_trace();
}

static int root_of_own_network(FIXTURE_DATA(privilege) *self)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return 77;
	return can_trace();
}

TEST_F(privilege, root_of_another_namespace_is_not_root)
{
	int ret = as_child(root_of_own_namespace, self);

	if (ret == 77)
		SKIP(return, "no user namespaces here");
	EXPECT_EQ(1, ret);
	EXPECT_EQ(1, as_child(root_of_own_network, self));
}

/* Rights that were lost are lost for what is mapped and bound, too. */
static int loses_rights_later(FIXTURE_DATA(privilege) *self)
{
	struct ktr_session s;

	if (ktr_session_open(&s, &(struct ktr_setup){}))
		return 254;
	if (drop(0))
		return 253;
	return allowed_commands(&s.client, s.id) +
	       allowed_on_device(s.fd, s.id);
}

TEST_F(privilege, is_asked_every_time)
{
	EXPECT_EQ(0, as_child(loses_rights_later, self));
}

TEST_HARNESS_MAIN
