// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hostile user without privilege: what is not his must neither be seen nor
 * changed nor hindered by him, whatever he passes, races, or exhausts.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "ktr_test.h"
#include "ktr_user.h"

FIXTURE(hostile) {
	char path[64];		/* of a set-id program */
	int pair[2];		/* sockets: one end for each of two users */
	struct ktr_session roots;
};

FIXTURE_SETUP(hostile)
{
	KTR_NEED_MODULE();
	if (getuid())
		SKIP(return, "this starts as root");
	ASSERT_EQ(0, ktr_user_program(self->path, sizeof(self->path), 04755));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, self->pair));
	ASSERT_EQ(0, ktr_session_open(&self->roots, &(struct ktr_setup){ .name = "x" }));
}

FIXTURE_TEARDOWN(hostile)
{
	/* It is as it was. */
	EXPECT_EQ(0, ktr_session_u32(&self->roots, KTR_A_NTARGETS));
	EXPECT_EQ(1, ktr_session_u32(&self->roots, KTR_A_READER));
	ktr_session_close(&self->roots);
	if (self->path[0])
		unlink(self->path);
}

static int open_mem(pid_t pid)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int begin(struct ktr_session *s)
{
	KTR_WANT(!ktr_session_open(s, &(struct ktr_setup){ .buf_size = 1 << 20 }));
	KTR_WANT(!ktr_session_all_calls(s));
	KTR_WANT(!ktr_session_start(s, KTR_BIT(syscall) | KTR_BIT(syscall_begun) |
				    KTR_BIT(namei)));
	return 0;
}

static int waits(void *unused)
{
	return 0;
}

static int by_fd(struct ktr_session *s, pid_t pid, int fd)
{
	int ret = ktr_session_attach_by(s, KTR_TARGET_PID, pid, 0, fd);

	close(fd);
	return ret;
}

/* Whatever is not the /proc/PID/mem of that very program. */
static int shows_other_files(void *unused)
{
	struct ktr_child mine, dead;
	struct ktr_session s;
	int fd;

	KTR_WANT(!begin(&s));
	KTR_WANT(!ktr_child_start(&mine, waits, NULL));
	KTR_WANT(ktr_session_attach_by(&s, KTR_TARGET_PID, mine.pid, 0, -1) == -EPERM);
	KTR_WANT(ktr_session_attach_by(&s, KTR_TARGET_PID, mine.pid, 0, 1 << 20) == -EBADF);
	KTR_WANT(by_fd(&s, mine.pid, open("/dev/null", O_RDWR)) == -EBADF);
	KTR_WANT(by_fd(&s, mine.pid, open("/proc/self/maps", O_RDONLY)) == -EBADF);
	KTR_WANT(by_fd(&s, mine.pid, open("/proc/self/environ", O_RDONLY)) == -EBADF);
	KTR_WANT(by_fd(&s, mine.pid, open("/proc/self/status", O_RDONLY)) == -EBADF);
	KTR_WANT(by_fd(&s, mine.pid, open(KTR_DEVICE, O_RDWR)) == -EBADF);
	KTR_WANT(by_fd(&s, mine.pid, memfd_create("mem", 0)) == -EBADF);
	KTR_WANT(by_fd(&s, mine.pid, open("/proc/self/mem", O_PATH)) == -EBADF);
	/* One that is real, but of another process. */
	KTR_WANT(by_fd(&s, mine.pid, open_mem(getpid())) == -ESTALE);
	KTR_WANT(by_fd(&s, 1, open_mem(mine.pid)) == -ESTALE);
	/* Of one that is dead. */
	KTR_WANT(!ktr_child_start(&dead, waits, NULL));
	fd = open_mem(dead.pid);
	ktr_child_run(&dead);
	KTR_WANT(fd >= 0 && ktr_session_attach_by(&s, KTR_TARGET_PID, 1, 0, fd) == -ESTALE);
	close(fd);
	KTR_WANT(by_fd(&s, mine.pid, open_mem(mine.pid)) == 1);
	/* Root's he cannot even open. */
	KTR_WANT(open_mem(1) < 0 && errno == EACCES);
	KTR_WANT(open_mem(getppid()) < 0 && errno == EACCES);
	ktr_child_kill(&mine);
	ktr_session_close(&s);
	return 0;
}

TEST_F(hostile, other_files_are_no_right)
{
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, shows_other_files, NULL));
}

/* Opened before its exec; the program that runs then is none of his business. */
static int keeps_old_descriptors(void *arg)
{
	FIXTURE_DATA(hostile) *self = arg;
	int go[2], fd, ret, status, tries = 0;
	struct ktr_session s;
	pid_t pid;
	char c;

	KTR_WANT(!begin(&s));
	KTR_WANT(!pipe(go));
	pid = fork();
	if (!pid) {
		if (read(go[0], &c, 1) == 1)
			ktr_user_exec(self->path);
		_exit(1);
	}
	fd = open_mem(pid);
	KTR_WANT(fd >= 0);
	KTR_WANT(write(go[1], "g", 1) == 1);
	/* Before, in the middle, after: never more than what the old program did. */
	do {
		ret = ktr_session_attach_by(&s, KTR_TARGET_PID, pid, 0, fd);
		KTR_WANT(ret == 1 || ret == -EEXIST || ret == -ESTALE || ret == -ESRCH ||
			 ret == -EACCES);
	} while (++tries < 1000 && !waitpid(pid, &status, WNOHANG));
	KTR_WANT(tries < 1000 || waitpid(pid, &status, 0) == pid);
	KTR_WANT(status == KTR_ACT_ROOT << 8);
	KTR_WANT(ktr_wait_for(!ktr_session_u32(&s, KTR_A_NTARGETS)));
	KTR_WANT(!ktr_session_drain(&s) && !ktr_user_acts_seen(&s));
	close(fd);
	ktr_session_close(&s);
	return 0;
}

static int races_exec(void *arg)
{
	int i, ret = 0;

	for (i = 0; i < ktr_scaled(400) && !ret; i++)
		ret = keeps_old_descriptors(arg);
	return ret;
}

TEST_F(hostile, racing_an_exec_sees_nothing_of_it)
{
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, races_exec, self));
}

/* What another user was granted, root or not, is passed on. */
static int shows_a_gift(void *arg)
{
	FIXTURE_DATA(hostile) *self = arg;
	struct ktr_child mine;
	struct ktr_session s;
	int fd, sock;

	KTR_WANT(!begin(&s));
	KTR_WANT(!ktr_child_start(&mine, waits, NULL));
	KTR_WANT(write(self->pair[1], &mine.pid, sizeof(pid_t)) == sizeof(pid_t));
	fd = ktr_user_receive_fd(self->pair[1]);
	KTR_WANT(fd >= 0 && by_fd(&s, mine.pid, fd) == -EPERM);
	fd = ktr_user_receive_fd(self->pair[1]);	/* of the giver himself */
	KTR_WANT(fd >= 0 && by_fd(&s, getppid(), fd) == -EPERM);
	/* Nor is root's descriptor of the device or socket, bound or not. */
	fd = ktr_user_receive_fd(self->pair[1]);
	KTR_WANT(ioctl(fd, KTR_IOC_FLUSH) < 0 && errno == EPERM);
	KTR_WANT(write(fd, "x", 1) < 0 && errno == EPERM);
	KTR_WANT(mmap(NULL, KTR_PAGE, PROT_READ, MAP_SHARED, fd,
		      KTR_MMAP_CONS(0, 0)) == MAP_FAILED && errno == EPERM);
	sock = s.client.fd;
	s.client.fd = ktr_user_receive_fd(self->pair[1]);
	KTR_WANT(ktr_session_stop(&s) == -EPERM);
	close(s.client.fd);
	s.client.fd = sock;
	ktr_child_kill(&mine);
	ktr_session_close(&s);
	return 0;
}

TEST_F(hostile, gifts_are_no_right)
{
	int status;
	pid_t user = fork(), pid;

	if (!user)
		_exit(ktr_user_become(KTR_NOBODY, 0) ? 254 : shows_a_gift(self));
	ASSERT_EQ(sizeof(pid), read(self->pair[0], &pid, sizeof(pid)));
	EXPECT_EQ(0, ktr_user_send_fd(self->pair[0], open_mem(pid)));
	EXPECT_EQ(0, ktr_user_send_fd(self->pair[0], open_mem(getpid())));
	EXPECT_EQ(0, ktr_user_send_fd(self->pair[0], self->roots.fd));
	EXPECT_EQ(0, ktr_user_send_fd(self->pair[0], self->roots.client.fd));
	waitpid(user, &status, 0);
	EXPECT_EQ(0, status);
}

/* One user has a session of a name, and lets another have its descriptors. */
static int owns(void *arg)
{
	FIXTURE_DATA(hostile) *self = arg;
	struct ktr_session s;
	char c;

	KTR_WANT(!ktr_session_open(&s, &(struct ktr_setup){ .name = "x" }));
	KTR_WANT(!ktr_session_all_calls(&s) && !ktr_session_start(&s, KTR_BIT(syscall)));
	KTR_WANT(write(self->pair[0], &s.id, sizeof(s.id)) == sizeof(s.id));
	KTR_WANT(!ktr_user_send_fd(self->pair[0], s.fd));
	KTR_WANT(!ktr_user_send_fd(self->pair[0], s.client.fd));
	KTR_WANT(read(self->pair[0], &c, 1) == 1);
	/* Nothing happened to it. */
	KTR_WANT(ktr_session_u32(&s, KTR_A_STATE) == KTR_STATE_RUNNING);
	KTR_WANT(ktr_session_u32(&s, KTR_A_NTARGETS) == 0);
	KTR_WANT(ktr_session_u32(&s, KTR_A_READER) == 1);
	ktr_session_close(&s);
	return 0;
}

static int count(const struct ktr_answer *part, void *n)
{
	++*(int *)n;
	return 0;
}

static int intrudes(FIXTURE_DATA(hostile) *self)
{
	struct ktr_bind b = { .size = sizeof(b) };
	struct ktr_session his = { .fd = -1 }, mine;
	int fd, sock, n = 0;
	struct ktr_msg m;

	KTR_WANT(read(self->pair[1], &his.id, sizeof(his.id)) == sizeof(his.id));
	his.fd = ktr_user_receive_fd(self->pair[1]);
	sock = ktr_user_receive_fd(self->pair[1]);
	KTR_WANT(!ktr_client_open(&his.client));
	/* By number: it is not there. By name: his own is meant. */
	KTR_WANT(ktr_session_stop(&his) == -ENOENT);
	KTR_WANT(ktr_session_set(&his, KTR_A_DRAIN, 1) == -ENOENT);
	KTR_WANT(ktr_session_attach_by(&his, KTR_TARGET_PID, getpid(), 0,
				       open_mem(getpid())) == -ENOENT);
	ktr_session_msg(&his, &m, KTR_CMD_SESSION_DEL);
	KTR_WANT(ktr_client_call(&his.client, &m, NULL) == -ENOENT);
	ktr_msg_init(&m, KTR_CMD_SESSION_DEL);
	ktr_msg_str(&m, KTR_A_NAME, "x");
	KTR_WANT(ktr_client_call(&his.client, &m, NULL) == -ENOENT);
	ktr_msg_init(&m, KTR_CMD_SESSION_GET);
	KTR_WANT(!ktr_client_dump(&his.client, &m, count, &n) && n == 0);
	fd = open(KTR_DEVICE, O_RDWR);
	b.session = his.id;
	KTR_WANT(ioctl(fd, KTR_IOC_BIND, &b) < 0 && errno == ENOENT);
	KTR_WANT(!ktr_session_new(&mine, &(struct ktr_setup){ .name = "x" }));
	KTR_WANT(mine.id != his.id);
	ktr_session_close(&mine);
	/* With the owner's own descriptors: another has opened them. */
	KTR_WANT(ioctl(his.fd, KTR_IOC_FLUSH) < 0 && errno == EPERM);
	KTR_WANT(write(his.fd, "x", 1) < 0 && errno == EPERM);
	KTR_WANT(mmap(NULL, KTR_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, his.fd,
		      KTR_MMAP_CONS(0, 0)) == MAP_FAILED && errno == EPERM);
	close(his.client.fd);
	his.client.fd = sock;
	KTR_WANT(ktr_session_stop(&his) == -EPERM);
	return 0;
}

TEST_F(hostile, users_are_apart)
{
	int status, other;
	pid_t owner = fork(), intruder;

	if (!owner)
		_exit(ktr_user_become(KTR_NOBODY, 0) ? 254 : owns(self));
	intruder = fork();
	if (!intruder)
		_exit(ktr_user_become(KTR_SOMEBODY, 0) ? 254 : intrudes(self));
	waitpid(intruder, &other, 0);
	EXPECT_EQ(0, other);
	ASSERT_EQ(1, write(self->pair[1], "d", 1));
	waitpid(owner, &status, 0);
	EXPECT_EQ(0, status);
}

/* The same user id, but all-powerful in a namespace of his own. */
static int asks_from_namespace(FIXTURE_DATA(hostile) *self, __u32 outside, int mem)
{
	struct ktr_session s = { .id = outside, .fd = -1 }, own;
	struct ktr_msg m;
	int n = 0;

	if (unshare(CLONE_NEWUSER))
		return 77;
	KTR_WANT(!ktr_client_open(&s.client));
	KTR_WANT(ktr_session_stop(&s) == -ENOENT);
	ktr_msg_init(&m, KTR_CMD_SESSION_GET);
	KTR_WANT(!ktr_client_dump(&s.client, &m, count, &n) && n == 0);
	KTR_WANT(!ktr_session_open(&own, &(struct ktr_setup){ .name = "x" }));
	KTR_WANT(own.plain);
	KTR_WANT(ktr_session_set(&own, KTR_A_EVENTS_ADD, KTR_BIT(function)) == -EPERM);
	/* What is outside is above him. */
	KTR_WANT(open_mem(getppid()) < 0);
	KTR_WANT(ktr_session_attach_by(&own, KTR_TARGET_PID, getppid(), 0, mem) == -EPERM);
	KTR_WANT(ktr_session_attach(&own, KTR_TARGET_PID, getpid(), 0) == -EPERM);	/* reader */
	ktr_session_close(&own);
	return 0;
}

static int makes_namespace(void *arg)
{
	struct ktr_session s;
	int status;
	pid_t pid;

	KTR_WANT(!begin(&s));
	pid = fork();
	if (!pid)
		_exit(asks_from_namespace(arg, s.id, open_mem(getppid())));
	waitpid(pid, &status, 0);
	KTR_WANT(ktr_session_u32(&s, KTR_A_STATE) == KTR_STATE_RUNNING);
	ktr_session_close(&s);
	return status >> 8;
}

TEST_F(hostile, namespaces_are_apart)
{
	int ret = ktr_user_run(KTR_NOBODY, 0, makes_namespace, self);

	if (ret == 77)
		SKIP(return, "no user namespaces here");
	EXPECT_EQ(0, ret);
}

/* A process gets the number of one that he had a right to. */
static pid_t fork_as(pid_t wanted)
{
	struct clone_args args = { .exit_signal = SIGCHLD, .set_tid = (__u64)&wanted,
				   .set_tid_size = 1 };

	return syscall(SYS_clone3, &args, sizeof(args));
}

static int reuses_number(void *arg)
{
	FIXTURE_DATA(hostile) *self = arg;
	struct ktr_child mine;
	struct ktr_session s;
	pid_t pid;
	int fd, ret;
	char c;

	KTR_WANT(!begin(&s));
	KTR_WANT(!ktr_child_start(&mine, waits, NULL));
	pid = mine.pid;
	fd = open_mem(pid);
	KTR_WANT(fd >= 0);
	ktr_child_run(&mine);
	KTR_WANT(write(self->pair[1], &pid, sizeof(pid)) == sizeof(pid));
	KTR_WANT(read(self->pair[1], &c, 1) == 1);
	ret = ktr_session_attach_by(&s, KTR_TARGET_PID, pid, 0, fd);
	KTR_WANT(c == 'n' || ret == -ESTALE);
	ktr_session_close(&s);
	return c == 'n' ? 77 : 0;
}

TEST_F(hostile, a_reused_number_is_another_process)
{
	int status;
	pid_t user = fork(), pid, new;

	if (!user)
		_exit(ktr_user_become(KTR_NOBODY, 0) ? 254 : reuses_number(self));
	ASSERT_EQ(sizeof(pid), read(self->pair[0], &pid, sizeof(pid)));
	new = fork_as(pid);
	if (!new)
		_exit(pause());
	EXPECT_EQ(1, write(self->pair[0], new == pid ? "y" : "n", 1));
	waitpid(user, &status, 0);
	if (new > 0) {
		kill(new, SIGKILL);
		waitpid(new, NULL, 0);
	}
	if (status == 77 << 8)
		SKIP(return, "no clone3 with a number here");
	EXPECT_EQ(0, status);
}

static long parameter(const char *name)
{
	char path[96], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/module/ktracer/parameters/%s", name);
	fd = open(path, O_RDONLY);
	if (read(fd, text, sizeof(text) - 1) < 1)
		text[0] = 0;
	close(fd);
	return atol(text);
}

/* As many as he may; what is refused leaves nothing behind. */
static int takes_all(void *arg)
{
	FIXTURE_DATA(hostile) *self = arg;
	static struct ktr_session s[64];
	struct ktr_setup small = { .buf_size = 4096, .ctl_size = 4096 };
	struct ktr_setup large = { .buf_size = ktr_info_u64(NULL, KTR_A_MAX_BYTES) / 8, .ctl_size = 4096 };
	int n, ret = 0;
	char c;

	for (n = 0; n < 64 && !ret; n++)
		ret = ktr_session_new(&s[n], &small);
	KTR_WANT(ret == -EUSERS && n - 1 == parameter("user_sessions"));
	KTR_WANT(write(self->pair[1], "f", 1) == 1 && read(self->pair[1], &c, 1) == 1);
	while (--n > 0)
		ktr_session_close(&s[n - 1]);
	KTR_WANT(ktr_info_u64(NULL, KTR_A_USED_BYTES) == 0);
	for (ret = n = 0; n < 64 && !ret; n++)
		ret = ktr_session_new(&s[n], &large);
	KTR_WANT(ret == -EDQUOT && n > 1);
	KTR_WANT(ktr_info_u64(NULL, KTR_A_USED_BYTES) <= ktr_info_u64(NULL, KTR_A_MAX_BYTES));
	while (--n > 0)
		ktr_session_close(&s[n - 1]);
	KTR_WANT(ktr_info_u64(NULL, KTR_A_USED_BYTES) == 0);
	return 0;
}

static int takes_one(void *unused)
{
	struct ktr_session s;

	KTR_WANT(!ktr_session_new(&s, &(struct ktr_setup){ .buf_size = 65536 }));
	ktr_session_close(&s);
	return 0;
}

TEST_F(hostile, one_cannot_take_it_all)
{
	pid_t user = fork();
	int status;
	char c;

	if (!user)
		_exit(ktr_user_become(KTR_NOBODY, 0) ? 254 : takes_all(self));
	ASSERT_EQ(1, read(self->pair[0], &c, 1));
	/* There is enough for others, plain or not. */
	EXPECT_EQ(0, takes_one(NULL));
	EXPECT_EQ(0, ktr_user_run(KTR_SOMEBODY, 0, takes_one, NULL));
	ASSERT_EQ(1, write(self->pair[0], "d", 1));
	waitpid(user, &status, 0);
	EXPECT_EQ(0, status);
}

static int set_targets(long n)
{
	char text[32];
	int fd = open("/sys/module/ktracer/parameters/user_targets", O_WRONLY), ret;

	snprintf(text, sizeof(text), "%ld", n);
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

static int has_many(void *unused)
{
	int i;

	for (i = 0; i < 20; i++)
		if (!fork())
			_exit(0);
	while (wait(NULL) > 0)
		;
	return 0;
}

static int follows_many(void *unused)
{
	struct ktr_child a, b[8];
	struct ktr_session s;
	int i, ret = 0;

	KTR_WANT(!begin(&s));
	for (i = 0; i < 8 && !ret; i++)
		ret = ktr_child_traced(&b[i], &s, 0, waits, NULL);
	KTR_WANT(ret == -EDQUOT && i == 5);
	for (i = 0; i < 4; i++)
		ktr_child_kill(&b[i]);
	KTR_WANT(ktr_wait_for(ktr_session_u32(&s, KTR_A_NTARGETS) == 0));
	ktr_session_close(&s);
	KTR_WANT(!begin(&s));
	KTR_WANT(!ktr_child_traced(&a, &s, KTR_TARGET_F_FOLLOW, has_many, NULL));
	KTR_WANT(!ktr_child_run(&a));
	KTR_WANT(!ktr_session_finish(&s));
	KTR_WANT(ktr_log_count(&s.log, KTR_KIND_task_new, 0) == 20);
	KTR_WANT(ktr_log_count(&s.log, KTR_KIND_target_end, 0) - 1 +
		 ktr_session_u64(&s, KTR_A_NOT_FOLLOWED) == 20);
	ktr_session_close(&s);
	return 0;
}

TEST_F(hostile, targets_are_bounded)
{
	long before = parameter("user_targets");

	ASSERT_EQ(0, set_targets(4));
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, follows_many, NULL));
	EXPECT_EQ(0, set_targets(before));
}

TEST_HARNESS_MAIN
