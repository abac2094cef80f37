// SPDX-License-Identifier: GPL-2.0-or-later
/* The capture engine: what of the caller's memory comes with a record. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "ktr_test.h"

#define LATE (KTR_CAP_F_EXIT | KTR_CAP_F_LATE)

FIXTURE(capture) {
	struct ktr_session s;
	struct ktr_child child;
	pid_t pid;
	int status;
	struct ktr_call_view v;		/* of the call that was asked for */
};

FIXTURE_SETUP(capture)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
}

FIXTURE_TEARDOWN(capture)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

/* The last record of call @nr that @fn makes, captured by @ops. 0 or -errno. */
static int capture(FIXTURE_DATA(capture) *self, int nr, const struct ktr_op *ops,
		   int nops, int (*fn)(void *), void *arg)
{
	struct ktr_rows rows = {};
	struct ktr_call_view v;
	size_t at = 0;
	int ret;

	ktr_rows_add(&rows, KTR_ABI_NATIVE, nr, 6, -1, ops, nops);
	ret = ktr_session_rows(&self->s, &rows, 0);
	if (ret)
		return ret;
	ret = ktr_child_traced(&self->child, &self->s, 0, fn, arg);
	if (ret)
		return ret;
	self->pid = self->child.pid;
	self->status = ktr_child_run(&self->child);
	ret = ktr_session_finish(&self->s);
	if (ret)
		return ret;
	ret = -ENOENT;
	while (!ktr_log_call(&self->s.log, &at, nr, self->pid, &v)) {
		self->v = v;
		ret = 0;
	}
	return ret;
}

/* Is that section there, with just these bytes? */
static bool has(const FIXTURE_DATA(capture) *self, int op, int flags,
		const void *bytes, size_t len)
{
	const struct ktr_section *sec = ktr_call_section(&self->v, op, flags);

	return sec && sec->head->len == len && !memcmp(sec->bytes, bytes, len);
}

static const struct ktr_op path_op = { .form = KTR_FORM_STR,
	.base_src = KTR_SRC_ARG, .base_ref = 1, .max = 4096 };

static int opens(void *path)
{
	/* So that it can be read at entry. */
	if (path > (void *)4096)
		*(volatile char *)path;
	return syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0) < 0 ? errno : 0;
}

TEST_F(capture, path)
{
	char path[] = "/dev/null";

	ASSERT_EQ(0, capture(self, SYS_openat, &path_op, 1, opens, path));
	EXPECT_EQ(1, self->v.ncaps);
	EXPECT_TRUE(has(self, 0, 0, "/dev/null", 9));
}

static int opens_empty(void *path)
{
	memset(path, 0, 16);
	return syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0) < 0 ? errno : 0;
}

TEST_F(capture, empty_path)
{
	char page[64];

	ASSERT_EQ(0, capture(self, SYS_openat, &path_op, 1, opens_empty, page));
	EXPECT_EQ(ENOENT << 8, self->status);
	EXPECT_EQ(1, self->v.ncaps);
	EXPECT_TRUE(has(self, 0, 0, "", 0));
}

#define LATE_FILE "/tmp/ktracer-late"

/* The page is in the file's mapping and nobody has touched it. */
static int opens_untouched(void *arg)
{
	int fd = open(LATE_FILE, O_RDONLY);
	char *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

	close(fd);
	return syscall(SYS_openat, AT_FDCWD, map, O_RDONLY, 0) < 0 ? errno : 0;
}

/* Case B-01. */
TEST_F(capture, path_whose_page_was_not_there_at_entry)
{
	int fd = open(LATE_FILE, O_RDWR | O_CREAT | O_TRUNC, 0600);

	ASSERT_EQ(10, write(fd, "/dev/null", 10));
	close(fd);
	ASSERT_EQ(0, capture(self, SYS_openat, &path_op, 1, opens_untouched,
			     NULL));
	unlink(LATE_FILE);
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(2, self->v.ncaps);
	EXPECT_TRUE(has(self, 0, KTR_CAP_F_UNREADABLE, "", 0));
	EXPECT_TRUE(has(self, 0, LATE, "/dev/null", 9));
}

/* Case B-04: it can be told from the one above. */
TEST_F(capture, bad_pointer)
{
	ASSERT_EQ(0, capture(self, SYS_openat, &path_op, 1, opens, (void *)8));
	EXPECT_EQ(-EFAULT, self->v.ret);
	EXPECT_EQ(1, self->v.ncaps);
	EXPECT_TRUE(has(self, 0, KTR_CAP_F_UNREADABLE, "", 0));
	EXPECT_EQ(8, self->v.args[1]);
}

TEST_F(capture, null_pointer)
{
	ASSERT_EQ(0, capture(self, SYS_openat, &path_op, 1, opens, NULL));
	EXPECT_EQ(1, self->v.ncaps);
	EXPECT_TRUE(has(self, 0, KTR_CAP_F_NULL, "", 0));
}

/* Case B-05. */
TEST_F(capture, path_of_4095_bytes_is_whole)
{
	static char path[4096];
	int i;

	for (i = 0; i < 4095; i++)
		path[i] = i % 200 ? 'a' + i % 26 : '/';
	ASSERT_EQ(0, capture(self, SYS_openat, &path_op, 1, opens, path));
	EXPECT_TRUE(has(self, 0, 0, path, 4095));
}

TEST_F(capture, cut_is_told)
{
	static const struct ktr_op op = { .form = KTR_FORM_STR,
		.base_src = KTR_SRC_ARG, .base_ref = 1, .max = 6 };
	char path[] = "/dev/null";

	ASSERT_EQ(0, capture(self, SYS_openat, &op, 1, opens, path));
	EXPECT_TRUE(has(self, 0, KTR_CAP_F_CUT, "/dev/n", 6));
}

/* A string that ends with its page, in front of a page that is not there. */
TEST_F(capture, string_in_front_of_a_hole)
{
	char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(map + 4096, 4096);
	strcpy(map + 4096 - 10, "/dev/null");
	ASSERT_EQ(0, capture(self, SYS_openat, &path_op, 1, opens,
			     map + 4096 - 10));
	EXPECT_TRUE(has(self, 0, 0, "/dev/null", 9));
}

TEST_F(capture, string_that_runs_into_a_hole)
{
	char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(map + 4096, 4096);
	memset(map + 4096 - 10, 'x', 10);
	ASSERT_EQ(0, capture(self, SYS_openat, &path_op, 1, opens,
			     map + 4096 - 10));
	EXPECT_EQ(EFAULT << 8, self->status);
	EXPECT_TRUE(has(self, 0, KTR_CAP_F_UNREADABLE, "xxxxxxxxxx", 10));
}

static const struct ktr_op buf_op = { .form = KTR_FORM_BYTES,
	.base_src = KTR_SRC_ARG, .base_ref = 1,
	.len_src = KTR_SRC_ARG, .len_ref = 2, .max = 4096 };

static int writes_3(void *arg)
{
	char buf[64];
	int fd = open("/dev/null", O_WRONLY);

	memset(buf, 'A', sizeof(buf));
	return syscall(SYS_write, fd, buf, 3) == 3 ? 0 : 1;
}

/* Case B-07. */
TEST_F(capture, bytes_as_many_as_the_length_says)
{
	ASSERT_EQ(0, capture(self, SYS_write, &buf_op, 1, writes_3, NULL));
	EXPECT_EQ(1, self->v.ncaps);
	EXPECT_TRUE(has(self, 0, 0, "AAA", 3));
}

static int reads_3(void *arg)
{
	char buf[64];
	int fd[2];

	memset(buf, 'B', sizeof(buf));
	if (pipe(fd) || write(fd[1], "abc", 3) != 3)
		return 1;
	return syscall(SYS_read, fd[0], buf, sizeof(buf)) == 3 ? 0 : 1;
}

TEST_F(capture, bytes_as_many_as_the_result_says)
{
	static const struct ktr_op op = { .form = KTR_FORM_BYTES,
		.flags = KTR_OP_F_EXIT, .base_src = KTR_SRC_ARG, .base_ref = 1,
		.len_src = KTR_SRC_RET, .max = 4096 };

	ASSERT_EQ(0, capture(self, SYS_read, &op, 1, reads_3, NULL));
	EXPECT_EQ(3, self->v.ret);
	EXPECT_EQ(64, self->v.args[2]);
	EXPECT_TRUE(has(self, 0, KTR_CAP_F_EXIT, "abc", 3));
}

static int writes_long(void *arg)
{
	int fd = open("/dev/null", O_WRONLY);

	return syscall(SYS_write, fd, arg, 300000) == 300000 ? 0 : 1;
}

TEST_F(capture, bytes_up_to_the_maximum)
{
	struct ktr_op op = buf_op;
	unsigned char *buf = malloc(300000);
	int i;

	for (i = 0; i < 300000; i++)
		buf[i] = i * 7;
	op.max = 100000;
	ASSERT_EQ(0, capture(self, SYS_write, &op, 1, writes_long, buf));
	EXPECT_TRUE(has(self, 0, KTR_CAP_F_CUT, buf, 100000));
}

static int waits(void *arg)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(5);
	return syscall(SYS_wait4, pid, &status, 0, NULL) == pid ? 0 : 1;
}

TEST_F(capture, struct_filled_by_the_kernel)
{
	static const struct ktr_op op = { .form = KTR_FORM_BYTES,
		.flags = KTR_OP_F_EXIT | KTR_OP_F_IF_OK,
		.base_src = KTR_SRC_ARG, .base_ref = 1,
		.len_src = KTR_SRC_CONST, .len = 4, .max = 4 };
	int status = 5 << 8;

	ASSERT_EQ(0, capture(self, SYS_wait4, &op, 1, waits, NULL));
	EXPECT_TRUE(has(self, 0, KTR_CAP_F_EXIT, &status, 4));
}

static int waits_for_nobody(void *arg)
{
	int status;

	return syscall(SYS_wait4, -1, &status, 0, NULL) < 0 ? errno : 0;
}

TEST_F(capture, nothing_if_the_call_failed)
{
	static const struct ktr_op op = { .form = KTR_FORM_BYTES,
		.flags = KTR_OP_F_EXIT | KTR_OP_F_IF_OK,
		.base_src = KTR_SRC_ARG, .base_ref = 1,
		.len_src = KTR_SRC_CONST, .len = 4, .max = 4 };

	ASSERT_EQ(0, capture(self, SYS_wait4, &op, 1, waits_for_nobody, NULL));
	EXPECT_EQ(-ECHILD, self->v.ret);
	EXPECT_EQ(0, self->v.ncaps);
}

/* Element @i of a vector section; NULL: no such one. */
static const struct ktr_elem *elem(const struct ktr_section *sec, int i)
{
	size_t at = 0;

	while (sec && i >= 0) {
		const struct ktr_elem *e = (const void *)(sec->bytes + at);

		if (at + sizeof(*e) > sec->head->len ||
		    at + sizeof(*e) + e->len > sec->head->len)
			return NULL;
		if (!i--)
			return e;
		at += sizeof(*e) + ((e->len + 7) & ~7);
	}
	return NULL;
}

static bool elem_is(const struct ktr_elem *e, const void *bytes, size_t len,
		    __u32 flags)
{
	return e && e->len == len && e->flags == flags &&
	       !memcmp(e + 1, bytes, len);
}

static int execs_nothing(void *arg)
{
	char *argv[] = { "one", "", "three", (char *)8, NULL };
	int i;

	for (i = 0; i < 3; i++)		/* so that they can be read at entry */
		*(volatile char *)argv[i];
	return syscall(SYS_execve, "/no/such/file", argv, NULL) ? errno : 0;
}

/* Cases A-05 and B-10: the failed one too, and each string on its own. */
TEST_F(capture, argv)
{
	static const struct ktr_op ops[] = {
		{ .form = KTR_FORM_STR, .base_src = KTR_SRC_ARG, .max = 4096 },
		{ .form = KTR_FORM_STRV, .base_src = KTR_SRC_ARG, .base_ref = 1,
		  .len_src = KTR_SRC_CONST, .len = 100, .max = 256,
		  .total = 4096 },
	};
	const struct ktr_section *sec;

	ASSERT_EQ(0, capture(self, SYS_execve, ops, 2, execs_nothing, NULL));
	/* Kernels differ in what they look at first. */
	EXPECT_TRUE(self->v.ret == -ENOENT || self->v.ret == -EFAULT);
	sec = ktr_call_section(&self->v, 1, 0);
	ASSERT_NE(NULL, sec);
	EXPECT_EQ(4, sec->head->count);
	EXPECT_TRUE(elem_is(elem(sec, 0), "one", 3, 0));
	EXPECT_TRUE(elem_is(elem(sec, 1), "", 0, 0));
	EXPECT_TRUE(elem_is(elem(sec, 2), "three", 5, 0));
	EXPECT_TRUE(elem_is(elem(sec, 3), "", 0, KTR_CAP_F_UNREADABLE));
	EXPECT_EQ(8, elem(sec, 3)->addr);
	EXPECT_EQ(NULL, elem(sec, 4));
	EXPECT_TRUE(has(self, 0, 0, "/no/such/file", 13) ||
		    has(self, 0, LATE, "/no/such/file", 13));
}

TEST_F(capture, argv_that_has_no_room)
{
	static const struct ktr_op op = { .form = KTR_FORM_STRV,
		.base_src = KTR_SRC_ARG, .base_ref = 1,
		.len_src = KTR_SRC_CONST, .len = 2, .max = 2, .total = 16 };
	const struct ktr_section *sec;

	ASSERT_EQ(0, capture(self, SYS_execve, &op, 1, execs_nothing, NULL));
	sec = ktr_call_section(&self->v, 0, KTR_CAP_F_CUT);
	ASSERT_NE(NULL, sec);
	EXPECT_EQ(4, sec->head->count);		/* all are counted */
	EXPECT_TRUE(elem_is(elem(sec, 0), "on", 2, KTR_CAP_F_CUT));
	EXPECT_TRUE(elem_is(elem(sec, 1), "", 0, 0));
	EXPECT_EQ(NULL, elem(sec, 2));
}

static int writes_vector(void *arg)
{
	char a[] = "hello", b[] = " ", c[] = "world";
	struct iovec iov[] = { { a, 5 }, { b, 1 }, { (void *)8, 0 }, { c, 5 } };

	return syscall(SYS_writev, open("/dev/null", O_WRONLY), iov, 4) == 11 ?
	       0 : 1;
}

TEST_F(capture, iovec_that_is_written)
{
	static const struct ktr_op op = { .form = KTR_FORM_IOV,
		.base_src = KTR_SRC_ARG, .base_ref = 1,
		.len_src = KTR_SRC_ARG, .len_ref = 2, .max = 4, .total = 100 };
	const struct ktr_section *sec;

	ASSERT_EQ(0, capture(self, SYS_writev, &op, 1, writes_vector, NULL));
	EXPECT_EQ(11, self->v.ret);
	sec = ktr_call_section(&self->v, 0, 0);
	ASSERT_NE(NULL, sec);
	EXPECT_EQ(4, sec->head->count);
	EXPECT_TRUE(elem_is(elem(sec, 0), "hell", 4, KTR_CAP_F_CUT));
	EXPECT_EQ(5, elem(sec, 0)->size);
	EXPECT_TRUE(elem_is(elem(sec, 1), " ", 1, 0));
	EXPECT_TRUE(elem_is(elem(sec, 2), "", 0, 0));
	EXPECT_TRUE(elem_is(elem(sec, 3), "worl", 4, KTR_CAP_F_CUT));
}

static int writes_untouched_vector(void *arg)
{
	int fd = open(LATE_FILE, O_RDONLY);
	char *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	char a[] = "here";
	struct iovec iov[] = { { a, 4 }, { map, 4 } };
	int out[2];

	/* A pipe's end reads the bytes, /dev/null would not. */
	if (pipe(out))
		return 1;
	return syscall(SYS_writev, out[1], iov, 2) == 8 ? 0 : 1;
}

/* The vector could be read, an element could not: that too is tried again. */
TEST_F(capture, iovec_with_a_page_that_was_not_there_at_entry)
{
	static const struct ktr_op op = { .form = KTR_FORM_IOV,
		.base_src = KTR_SRC_ARG, .base_ref = 1,
		.len_src = KTR_SRC_ARG, .len_ref = 2, .max = 64 };
	int fd = open(LATE_FILE, O_RDWR | O_CREAT | O_TRUNC, 0600);
	const struct ktr_section *sec;

	ASSERT_EQ(4, write(fd, "late", 4));
	close(fd);
	ASSERT_EQ(0, capture(self, SYS_writev, &op, 1, writes_untouched_vector,
			     NULL));
	unlink(LATE_FILE);
	ASSERT_EQ(0, self->status);
	EXPECT_EQ(2, self->v.ncaps);
	EXPECT_TRUE(elem_is(elem(&self->v.cap[0], 1), "", 0,
			    KTR_CAP_F_UNREADABLE));
	sec = ktr_call_section(&self->v, 0, LATE);
	ASSERT_NE(NULL, sec);
	EXPECT_TRUE(elem_is(elem(sec, 0), "here", 4, 0));
	EXPECT_TRUE(elem_is(elem(sec, 1), "late", 4, 0));
}

static int reads_vector(void *arg)
{
	char a[4] = "????", b[10] = "??????????", c[4] = "????";
	struct iovec iov[] = { { a, 4 }, { b, 10 }, { c, 4 } };
	int fd[2];

	if (pipe(fd) || write(fd[1], "abcdef", 6) != 6)
		return 1;
	return syscall(SYS_readv, fd[0], iov, 3) == 6 ? 0 : 1;
}

/* Only what the result says was filled. */
TEST_F(capture, iovec_that_is_read)
{
	static const struct ktr_op op = { .form = KTR_FORM_IOV,
		.flags = KTR_OP_F_EXIT, .base_src = KTR_SRC_ARG, .base_ref = 1,
		.len_src = KTR_SRC_ARG, .len_ref = 2, .max = 100 };
	const struct ktr_section *sec;

	ASSERT_EQ(0, capture(self, SYS_readv, &op, 1, reads_vector, NULL));
	sec = ktr_call_section(&self->v, 0, KTR_CAP_F_EXIT);
	ASSERT_NE(NULL, sec);
	EXPECT_EQ(3, sec->head->count);
	EXPECT_TRUE(elem_is(elem(sec, 0), "abcd", 4, 0));
	EXPECT_TRUE(elem_is(elem(sec, 1), "ef", 2, 0));
	EXPECT_EQ(10, elem(sec, 1)->size);
	EXPECT_TRUE(elem_is(elem(sec, 2), "", 0, 0));
}

static int sends_message(void *arg)
{
	char name[] = "peer", text[] = "payload";
	struct iovec iov = { text, 7 };
	struct msghdr m = { .msg_name = name, .msg_namelen = 4,
			    .msg_iov = &iov, .msg_iovlen = 1 };

	return syscall(SYS_sendmsg, -1, &m, 0) < 0 ? errno : 0;
}

/* Bases and lengths that lie in what was captured before. */
TEST_F(capture, words_of_an_earlier_capture)
{
	static const struct ktr_op ops[] = {
		{ .form = KTR_FORM_BYTES, .base_src = KTR_SRC_ARG, .base_ref = 1,
		  .len_src = KTR_SRC_CONST, .len = 56, .max = 56 },
		{ .form = KTR_FORM_BYTES, .base_src = KTR_SRC_WORD,
		  .base_off = offsetof(struct msghdr, msg_name),
		  .len_src = KTR_SRC_U32,
		  .len_off = offsetof(struct msghdr, msg_namelen), .max = 128 },
		{ .form = KTR_FORM_IOV, .base_src = KTR_SRC_WORD,
		  .base_off = offsetof(struct msghdr, msg_iov),
		  .len_src = KTR_SRC_WORD,
		  .len_off = offsetof(struct msghdr, msg_iovlen), .max = 128 },
		{ .form = KTR_FORM_BYTES, .base_src = KTR_SRC_WORD,
		  .base_off = offsetof(struct msghdr, msg_control),
		  .len_src = KTR_SRC_CONST, .len = 8, .max = 8 },
	};

	ASSERT_EQ(0, capture(self, SYS_sendmsg, ops, 4, sends_message, NULL));
	EXPECT_EQ(EBADF << 8, self->status);
	EXPECT_TRUE(has(self, 1, 0, "peer", 4));
	EXPECT_TRUE(elem_is(elem(ktr_call_section(&self->v, 2, 0), 0),
			    "payload", 7, 0));
	/* A null pointer in a struct needs no section. */
	EXPECT_EQ(3, self->v.ncaps);
}

static int clones_and_wipes(void *arg)
{
	struct clone_args *ca = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	long pid;

	ca->flags = CLONE_FS;
	ca->exit_signal = SIGCHLD;
	pid = syscall(SYS_clone3, ca, sizeof(*ca));
	if (!pid) {
		memset(ca, 0, sizeof(*ca));
		_exit(0);
	}
	return pid > 0 && waitpid(pid, NULL, 0) == pid ? 0 : 1;
}

/* Case B-14: as it was at the call, not as the child has left it. */
TEST_F(capture, arguments_that_change_meanwhile)
{
	static const struct ktr_op op = { .form = KTR_FORM_BYTES,
		.base_src = KTR_SRC_ARG, .len_src = KTR_SRC_ARG, .len_ref = 1,
		.max = 256 };
	const struct ktr_section *sec;
	struct clone_args ca;

	ASSERT_EQ(0, capture(self, SYS_clone3, &op, 1, clones_and_wipes, NULL));
	ASSERT_EQ(0, self->status);
	sec = ktr_call_section(&self->v, 0, 0);
	ASSERT_NE(NULL, sec);
	ASSERT_EQ(sizeof(ca), sec->head->len);
	memcpy(&ca, sec->bytes, sizeof(ca));
	EXPECT_EQ(CLONE_FS, ca.flags);
	EXPECT_EQ(SIGCHLD, ca.exit_signal);
}

TEST_HARNESS_MAIN
