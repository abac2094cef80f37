// SPDX-License-Identifier: GPL-2.0-or-later
/* What the module says that descriptors refer to, at entry and at exit. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include "ktr_test.h"

FIXTURE(fdname) {
	struct ktr_session s;
	struct ktr_child child;
	int status;
	struct ktr_call_view v;		/* of the call that was asked for */
};

FIXTURE_SETUP(fdname)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
}

FIXTURE_TEARDOWN(fdname)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

/* The last record of call @nr that @fn makes, captured by @ops. 0 or -errno. */
static int capture(FIXTURE_DATA(fdname) *self, int nr, const struct ktr_op *ops,
		   int nops, int (*fn)(void *))
{
	struct ktr_rows rows = {};
	struct ktr_call_view v;
	size_t at = 0;
	int ret;

	ktr_rows_add(&rows, KTR_ABI_NATIVE, nr, 6, -1, ops, nops);
	ret = ktr_session_rows(&self->s, &rows, 0);
	if (!ret)
		ret = ktr_child_traced(&self->child, &self->s, 0, fn, NULL);
	if (ret)
		return ret;
	self->status = ktr_child_run(&self->child);
	ret = ktr_session_finish(&self->s);
	if (ret)
		return ret;
	ret = -ENOENT;
	while (!ktr_log_call(&self->s.log, &at, nr, self->child.pid, &v)) {
		self->v = v;
		ret = 0;
	}
	return ret;
}

#define ARG(n)	{ .form = KTR_FORM_FD, .base_src = KTR_SRC_ARG, \
		  .base_ref = (n), .max = 4096 }
#define RESULT	{ .form = KTR_FORM_FD, .base_src = KTR_SRC_RET, .max = 4096, \
		  .flags = KTR_OP_F_EXIT | KTR_OP_F_IF_OK }
#define EXIT	KTR_CAP_F_EXIT

/* The nth descriptor of a section; NULL: there is none. */
static const struct ktr_fd *nth(const FIXTURE_DATA(fdname) *self, int op,
				int flags, int n)
{
	const struct ktr_section *sec = ktr_call_section(&self->v, op, flags);
	const unsigned char *p;

	if (!sec || n >= sec->head->count)
		return NULL;
	for (p = sec->bytes; n--;) {
		const struct ktr_fd *e = (const void *)p;
		size_t len = sizeof(*e) + e->len;

		if (e->kind == KTR_FD_SOCKET)
			len += sizeof(struct ktr_fd_sock);
		p += (len + 7) & ~7ul;
	}
	return (const void *)p;
}

static const struct ktr_fd_sock *sock(const struct ktr_fd *e)
{
	return e && e->kind == KTR_FD_SOCKET ? (const void *)(e + 1) : NULL;
}

static bool is_named(const struct ktr_fd *e, const char *name)
{
	const char *p = (const char *)(e + 1);

	if (!e)
		return false;
	if (e->kind == KTR_FD_SOCKET)
		p += sizeof(struct ktr_fd_sock);
	return e->len == strlen(name) && !memcmp(p, name, e->len);
}

static bool starts(const struct ktr_fd *e, const char *with)
{
	return e && e->len >= strlen(with) && !memcmp(e + 1, with, strlen(with));
}

static int closes_device(void *arg)
{
	int fd = open("/dev/null", O_RDONLY);

	return syscall(SYS_close, fd) ? errno : 0;
}

/* The name is of the entry: at exit the number means nothing any more. */
TEST_F(fdname, close)
{
	static const struct ktr_op op = ARG(0);
	const struct ktr_fd *e;
	struct stat st;

	ASSERT_EQ(0, stat("/dev/null", &st));
	ASSERT_EQ(0, capture(self, SYS_close, &op, 1, closes_device));
	e = nth(self, 0, 0, 0);
	ASSERT_TRUE(is_named(e, "/dev/null"));
	EXPECT_EQ(KTR_FD_FILE, e->kind);
	EXPECT_EQ(st.st_mode, e->mode);
	EXPECT_EQ(st.st_ino, e->ino);
	EXPECT_EQ(1 << 20 | 3, e->rdev);
	EXPECT_EQ(major(st.st_dev) << 20 | minor(st.st_dev), e->dev);
	EXPECT_EQ(1, self->v.ncaps);
}

static int opens_relative(void *arg)
{
	chdir("/proc");
	return syscall(SYS_openat, AT_FDCWD, "version", O_RDONLY) < 0;
}

TEST_F(fdname, working_directory_and_result)
{
	static const struct ktr_op ops[] = { ARG(0), RESULT };

	ASSERT_EQ(0, capture(self, SYS_openat, ops, 2, opens_relative));
	EXPECT_TRUE(is_named(nth(self, 0, 0, 0), "/proc"));
	EXPECT_TRUE(is_named(nth(self, 1, EXIT, 0), "/proc/version"));
	EXPECT_EQ(self->v.ret, nth(self, 1, EXIT, 0)->fd);
}

static int reads_what_is_not_open(void *arg)
{
	char c;

	return syscall(SYS_read, 77, &c, 1) < 0 ? errno : 0;
}

TEST_F(fdname, no_such_descriptor)
{
	static const struct ktr_op ops[] = { ARG(0), RESULT };

	ASSERT_EQ(0, capture(self, SYS_read, ops, 2, reads_what_is_not_open));
	ASSERT_NE(NULL, nth(self, 0, 0, 0));
	EXPECT_EQ(KTR_FD_NONE, nth(self, 0, 0, 0)->kind);
	EXPECT_EQ(1, self->v.ncaps);
}

static int reuses(void *arg)
{
	int one = open("/dev/zero", O_RDONLY), two = open("/dev/null", O_RDONLY);

	return syscall(SYS_dup2, two, one) == one ? 0 : errno;
}

TEST_F(fdname, a_number_that_gets_another_meaning)
{
	static const struct ktr_op ops[] = { ARG(0), ARG(1), RESULT };

	ASSERT_EQ(0, capture(self, SYS_dup2, ops, 3, reuses));
	EXPECT_TRUE(is_named(nth(self, 0, 0, 0), "/dev/null"));
	EXPECT_TRUE(is_named(nth(self, 1, 0, 0), "/dev/zero"));
	EXPECT_TRUE(is_named(nth(self, 2, EXIT, 0), "/dev/null"));
}

static int syncs_unlinked(void *arg)
{
	int fd = open("/tmp/ktracer-gone", O_RDWR | O_CREAT, 0600);

	unlink("/tmp/ktracer-gone");
	return syscall(SYS_fsync, fd) ? errno : 0;
}

TEST_F(fdname, deleted)
{
	static const struct ktr_op op = ARG(0);

	ASSERT_EQ(0, capture(self, SYS_fsync, &op, 1, syncs_unlinked));
	ASSERT_TRUE(is_named(nth(self, 0, 0, 0), "/tmp/ktracer-gone"));
	EXPECT_EQ(KTR_FD_F_DELETED, nth(self, 0, 0, 0)->flags);
}

static int syncs_not_deleted(void *arg)
{
	int fd = open("/tmp/x (deleted)", O_RDWR | O_CREAT, 0600), ret;

	ret = syscall(SYS_fsync, fd) ? errno : 0;
	unlink("/tmp/x (deleted)");
	return ret;
}

TEST_F(fdname, a_name_that_only_says_deleted)
{
	static const struct ktr_op op = ARG(0);

	ASSERT_EQ(0, capture(self, SYS_fsync, &op, 1, syncs_not_deleted));
	ASSERT_TRUE(is_named(nth(self, 0, 0, 0), "/tmp/x (deleted)"));
	EXPECT_EQ(0, nth(self, 0, 0, 0)->flags);
}

static int makes_pipe(void *arg)
{
	int fds[2];

	return syscall(SYS_pipe2, fds, 0) ? errno : 0;
}

TEST_F(fdname, words_that_the_call_wrote)
{
	static const struct ktr_op ops[] = {
		{ .form = KTR_FORM_BYTES, .base_src = KTR_SRC_ARG,
		  .len = 8, .max = 8, .flags = KTR_OP_F_EXIT },
		{ .form = KTR_FORM_FD, .base_src = KTR_SRC_U32, .elem = 4,
		  .len = 2, .max = 4096, .flags = KTR_OP_F_EXIT },
	};
	const struct ktr_fd *one, *two;

	ASSERT_EQ(0, capture(self, SYS_pipe2, ops, 2, makes_pipe));
	one = nth(self, 1, EXIT, 0);
	two = nth(self, 1, EXIT, 1);
	ASSERT_TRUE(starts(one, "pipe:["));
	ASSERT_TRUE(starts(two, "pipe:["));
	EXPECT_EQ(one->ino, two->ino);
	EXPECT_EQ(one->fd + 1, two->fd);
	EXPECT_TRUE(S_ISFIFO(one->mode));
}

static int polls(void *arg)
{
	struct pollfd p[4] = { { open("/dev/null", 0) }, { 77 }, { -1 },
			       { open("/dev/zero", 0) } };

	return syscall(SYS_poll, p, 4, 0) < 0 ? errno : 0;
}

/* Closed ones are left out of an array. */
TEST_F(fdname, an_array)
{
	static const struct ktr_op ops[] = {
		{ .form = KTR_FORM_BYTES, .base_src = KTR_SRC_ARG,
		  .len_src = KTR_SRC_ARG, .len_ref = 1, .elem = 8, .max = 800 },
		{ .form = KTR_FORM_FD, .base_src = KTR_SRC_U32, .elem = 8,
		  .len_src = KTR_SRC_ARG, .len_ref = 1, .max = 4096 },
	};

	ASSERT_EQ(0, capture(self, SYS_poll, ops, 2, polls));
	EXPECT_TRUE(is_named(nth(self, 1, 0, 0), "/dev/null"));
	EXPECT_TRUE(is_named(nth(self, 1, 0, 1), "/dev/zero"));
	EXPECT_EQ(NULL, nth(self, 1, 0, 2));
}

static int connects(void *arg)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(in);
	int server = socket(AF_INET, SOCK_STREAM, 0);
	int client = socket(AF_INET, SOCK_STREAM, 0);

	bind(server, (struct sockaddr *)&in, len);
	listen(server, 1);
	getsockname(server, (struct sockaddr *)&in, &len);
	connect(client, (struct sockaddr *)&in, len);
	return syscall(SYS_sendto, client, "x", 1, 0, NULL, 0) < 0 ? errno : 0;
}

TEST_F(fdname, tcp)
{
	static const struct ktr_op op = ARG(0);
	static const __u8 loopback[4] = { 127, 0, 0, 1 };
	const struct ktr_fd_sock *s;

	ASSERT_EQ(0, capture(self, SYS_sendto, &op, 1, connects));
	ASSERT_EQ(0, self->status);
	s = sock(nth(self, 0, 0, 0));
	ASSERT_NE(NULL, s);
	EXPECT_EQ(0, strncmp("TCP", s->proto, sizeof(s->proto)));
	EXPECT_EQ(AF_INET, s->family);
	EXPECT_EQ(SOCK_STREAM, s->type);
	EXPECT_EQ(IPPROTO_TCP, s->protocol);
	EXPECT_EQ(0, memcmp(loopback, s->src, 4));
	EXPECT_EQ(0, memcmp(loopback, s->dst, 4));
	EXPECT_NE(0, s->sport);
	EXPECT_NE(0, s->dport);
	EXPECT_NE(s->sport, s->dport);
}

static int talks_locally(void *arg)
{
	struct sockaddr_un un = { AF_UNIX, "/tmp/ktracer-sock" };
	int server = socket(AF_UNIX, SOCK_STREAM, 0);
	int client = socket(AF_UNIX, SOCK_STREAM, 0), conn;

	unlink(un.sun_path);
	bind(server, (struct sockaddr *)&un, sizeof(un));
	listen(server, 1);
	connect(client, (struct sockaddr *)&un, sizeof(un));
	conn = accept(server, NULL, NULL);
	return syscall(SYS_sendto, conn, "x", 1, 0, NULL, 0) < 0 ? errno : 0;
}

TEST_F(fdname, unix_socket)
{
	static const struct ktr_op op = ARG(0);
	const struct ktr_fd *e;

	ASSERT_EQ(0, capture(self, SYS_sendto, &op, 1, talks_locally));
	ASSERT_EQ(0, self->status);
	e = nth(self, 0, 0, 0);
	ASSERT_NE(NULL, sock(e));
	EXPECT_EQ(0, strncmp("UNIX-STREAM", sock(e)->proto, 16));
	EXPECT_NE(0, sock(e)->peer);
	EXPECT_NE(e->ino, sock(e)->peer);
	EXPECT_LE(strlen("/tmp/ktracer-sock"), e->len);
	EXPECT_EQ(0, memcmp("/tmp/ktracer-sock", sock(e) + 1, 17));
}

static int stats_pidfd(void *arg)
{
	int fd = syscall(SYS_pidfd_open, getpid(), 0);

	return syscall(SYS_fchdir, fd) ? 0 : 1;
}

TEST_F(fdname, pidfd)
{
	static const struct ktr_op op = ARG(0);

	ASSERT_EQ(0, capture(self, SYS_fchdir, &op, 1, stats_pidfd));
	ASSERT_TRUE(starts(nth(self, 0, 0, 0), "anon_inode:[pidfd]"));
	EXPECT_EQ(KTR_FD_PIDFD, nth(self, 0, 0, 0)->kind);
	EXPECT_EQ(self->v.rec->tid, nth(self, 0, 0, 0)->pid);
}

static int reads_counter(void *arg)
{
	uint64_t v;

	return syscall(SYS_read, eventfd(1, 0), &v, 8) == 8 ? 0 : 1;
}

TEST_F(fdname, anonymous)
{
	static const struct ktr_op op = ARG(0);

	ASSERT_EQ(0, capture(self, SYS_read, &op, 1, reads_counter));
	EXPECT_TRUE(is_named(nth(self, 0, 0, 0), "anon_inode:[eventfd]"));
}

/* One byte too little is not a name that is cut. */
TEST_F(fdname, no_room_for_the_name)
{
	static const struct ktr_op op = { .form = KTR_FORM_FD,
		.base_src = KTR_SRC_ARG, .max = 9 };

	ASSERT_EQ(0, capture(self, SYS_close, &op, 1, closes_device));
	ASSERT_NE(NULL, nth(self, 0, 0, 0));
	EXPECT_EQ(0, nth(self, 0, 0, 0)->len);
	EXPECT_EQ(KTR_FD_F_NO_NAME, nth(self, 0, 0, 0)->flags);
	EXPECT_EQ(KTR_FD_FILE, nth(self, 0, 0, 0)->kind);
}

/* Bases that make no sense are refused with the row. */
TEST_F(fdname, refused)
{
	static const struct ktr_op bad[] = {
		{ .form = KTR_FORM_FD, .base_src = KTR_SRC_RET, .max = 9 },
		{ .form = KTR_FORM_FD, .base_src = KTR_SRC_STACK, .max = 9 },
		{ .form = KTR_FORM_FD, .base_src = KTR_SRC_U32, .max = 9 },
		{ .form = KTR_FORM_FD, .base_src = KTR_SRC_ARG, .base_ref = 6 },
		{ .form = KTR_FORM_BYTES, .base_src = KTR_SRC_RET, .max = 9 },
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(-EINVAL, capture(self, SYS_close, &bad[i], 1,
					   closes_device));
}

TEST_HARNESS_MAIN
