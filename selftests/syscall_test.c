// SPDX-License-Identifier: GPL-2.0-or-later
/* One record for each call: what it holds, whatever becomes of the call. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include "ktr_test.h"

#define CALLS (KTR_BIT(syscall) | KTR_BIT(syscall_begun))

FIXTURE(syscall) {
	struct ktr_session s;
	struct ktr_child child;
	pid_t pid;
	int status;
};

FIXTURE_SETUP(syscall)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&self->s, CALLS));
}

FIXTURE_TEARDOWN(syscall)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

/* Run @fn in a traced child to its end; the log has it all. 0 or -errno. */
static int run(FIXTURE_DATA(syscall) *self, int (*fn)(void *), void *arg)
{
	int ret;

	ret = ktr_child_traced(&self->child, &self->s, 0, fn, arg);
	if (ret)
		return ret;
	self->pid = self->child.pid;
	self->status = ktr_child_run(&self->child);
	return ktr_session_finish(&self->s);
}

static int call(const FIXTURE_DATA(syscall) *self, int nr, struct ktr_call_view *v)
{
	size_t at = 0;

	return ktr_log_call(&self->s.log, &at, nr, self->pid, v);
}

static size_t calls(const FIXTURE_DATA(syscall) *self, int nr)
{
	struct ktr_call_view v;
	size_t at = 0, n = 0;

	while (!ktr_log_call(&self->s.log, &at, nr, self->pid, &v))
		n++;
	return n;
}

static int six_arguments(void *arg)
{
	syscall(SYS_getppid, 11, 12, 13, 14, 15, 16);
	syscall(SYS_close, 987654);
	return 0;
}

TEST_F(syscall, record_is_merged)
{
	static const int nrs[] = { SYS_getppid, SYS_close, -1 };
	struct ktr_call_view v;
	int i;

	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, run(self, six_arguments, NULL));
	ASSERT_EQ(0, call(self, SYS_getppid, &v));
	EXPECT_EQ(KTR_ABI_NATIVE, v.abi);
	EXPECT_EQ(0, v.flags & ~KTR_SYS_F_TIMES);
	ASSERT_EQ(6, v.nargs);
	for (i = 0; i < 6; i++)
		EXPECT_EQ(11 + i, v.args[i]);
	EXPECT_EQ(0, v.ncaps);
	EXPECT_EQ(getpid(), v.ret);
	EXPECT_LT(0, v.start);
	EXPECT_LE(v.start, v.rec->time);
	EXPECT_EQ(0, v.rec->flags & KTR_REC_CTX_MASK);
	EXPECT_EQ(1, calls(self, SYS_getppid));
}

TEST_F(syscall, failure_is_told)
{
	static const int nrs[] = { SYS_close, -1 };
	struct ktr_call_view v;
	size_t at = 0;
	bool found = false;

	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, run(self, six_arguments, NULL));
	while (!ktr_log_call(&self->s.log, &at, SYS_close, self->pid, &v))
		found |= v.args[0] == 987654 && v.ret == -EBADF;
	EXPECT_TRUE(found);
}

TEST_F(syscall, row_says_how_many_arguments)
{
	struct ktr_rows rows = {};
	struct ktr_call_view v;

	ktr_rows_add(&rows, KTR_ABI_NATIVE, SYS_getppid, 2, -1, NULL, 0);
	ASSERT_EQ(0, ktr_session_rows(&self->s, &rows, 0));
	ASSERT_EQ(0, run(self, six_arguments, NULL));
	ASSERT_EQ(0, call(self, SYS_getppid, &v));
	ASSERT_EQ(2, v.nargs);
	EXPECT_EQ(11, v.args[0]);
	EXPECT_EQ(12, v.args[1]);
}

TEST_F(syscall, only_what_has_a_row_is_recorded)
{
	static const int nrs[] = { SYS_getppid, -1 };
	struct ktr_counts sum;

	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, run(self, six_arguments, NULL));
	EXPECT_EQ(1, ktr_log_count(&self->s.log, KTR_KIND_syscall, 0));
	ASSERT_EQ(0, ktr_session_counts(&self->s, &sum));
	EXPECT_EQ(self->s.log.n, sum.recorded);
}

TEST_F(syscall, nothing_of_other_processes)
{
	size_t i;

	ASSERT_EQ(0, ktr_session_all_calls(&self->s));
	ASSERT_EQ(0, run(self, six_arguments, NULL));
	EXPECT_LT(1, self->s.log.n);
	for (i = 0; i < self->s.log.n; i++)
		if (self->s.log.v[i].rec->tid)
			EXPECT_EQ(self->pid, self->s.log.v[i].rec->tid);
}

static int odd_numbers(void *arg)
{
	syscall(-1, 1, 2, 3, 4, 5, 6);
	syscall(9999, 1, 2, 3, 4, 5, 6);
	syscall(0x7fffffff, 1, 2, 3, 4, 5, 6);
	syscall(0x40000000 | SYS_getpid, 1, 2, 3, 4, 5, 6);
	syscall(SYS_getppid);
	return 0;
}

/* Cases C-04 and C-06. */
TEST_F(syscall, numbers_outside_the_table)
{
	static const int odd[] = { -1, 9999, 0x7fffffff,
				   0x40000000 | SYS_getpid };
	struct ktr_call_view v;
	int i, k;

	ASSERT_EQ(0, ktr_session_all_calls(&self->s));
	ASSERT_EQ(0, run(self, odd_numbers, NULL));
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		EXPECT_EQ(1, calls(self, odd[i]));
		ASSERT_EQ(0, call(self, odd[i], &v));
		EXPECT_EQ(-ENOSYS, v.ret);
		ASSERT_EQ(6, v.nargs);
		for (k = 0; k < 6; k++)
			EXPECT_EQ(k + 1, v.args[k]);
	}
	EXPECT_EQ(1, calls(self, SYS_getppid));
}

TEST_F(syscall, selection_by_row_matches_no_number_outside)
{
	struct ktr_rows rows = {};
	int nr;

	for (nr = 0; nr < KTR_SYSCALLS_MAX; nr++)
		ktr_rows_add(&rows, KTR_ABI_NATIVE, nr, 6, -1, NULL, 0);
	ASSERT_EQ(0, ktr_session_rows(&self->s, &rows, 0));
	ASSERT_EQ(0, run(self, odd_numbers, NULL));
	EXPECT_EQ(0, calls(self, -1));
	EXPECT_EQ(0, calls(self, 9999));
	EXPECT_EQ(0, calls(self, 0x7fffffff));
	EXPECT_EQ(0, calls(self, 0x40000000 | SYS_getpid));
	EXPECT_EQ(1, calls(self, SYS_getppid));
}

#ifdef __x86_64__
static long int80(long nr, long a, long b, long c)
{
	long ret;

	asm volatile("int $0x80" : "=a" (ret)
		     : "a" (nr), "b" (a), "c" (b), "d" (c)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

/* Returns what write() did, in a process of 64 bits. */
static int calls_of_32_bits(void *arg)
{
	char *low = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	int fd = open("/dev/null", O_WRONLY);

	strcpy(low, "i386 write\n");
	if (int80(20, 0, 0, 0) != getpid())
		return 99;
	return int80(4, fd, (long)low, 11);
}

/* Case C-01. */
TEST_F(syscall, int80_is_of_the_other_abi)
{
	static const struct ktr_op buf = { .form = KTR_FORM_BYTES,
		.base_src = KTR_SRC_ARG, .base_ref = 1,
		.len_src = KTR_SRC_ARG, .len_ref = 2, .max = 64 };
	const struct ktr_section *sec;
	struct ktr_rows rows = {};
	struct ktr_call_view v;

	ktr_rows_add(&rows, KTR_ABI_COMPAT, 4, 3, 0, &buf, 1);
	ktr_rows_add(&rows, KTR_ABI_COMPAT, 20, 0, -1, NULL, 0);
	ASSERT_EQ(0, ktr_session_rows(&self->s, &rows, 0));
	ASSERT_EQ(0, run(self, calls_of_32_bits, NULL));
	if (WIFSIGNALED(self->status) || WEXITSTATUS(self->status) == 99)
		SKIP(return, "this kernel does not run 32-bit calls");
	ASSERT_EQ(11, WEXITSTATUS(self->status));
	ASSERT_EQ(0, call(self, 4, &v));
	EXPECT_EQ(KTR_ABI_COMPAT, v.abi);
	EXPECT_EQ(3, v.nargs);
	EXPECT_EQ(0x10000000, v.args[1]);
	EXPECT_EQ(11, v.ret);
	sec = ktr_call_section(&v, 0, 0);
	ASSERT_NE(NULL, sec);
	ASSERT_EQ(11, sec->head->len);
	EXPECT_EQ(0, memcmp(sec->bytes, "i386 write\n", 11));
	ASSERT_EQ(0, call(self, 20, &v));
	EXPECT_EQ(KTR_ABI_COMPAT, v.abi);
	EXPECT_EQ(self->pid, v.ret);
	/* The native calls in between have no row. */
	EXPECT_EQ(2, ktr_log_count(&self->s.log, KTR_KIND_syscall, 0));
}

static int ends_as_of_32_bits(void *arg)
{
	int80(1, 5, 0, 0);
	return 0;
}

TEST_F(syscall, exit_tells_of_the_other_abi)
{
	const struct ktr_ev_exit *ev;
	const struct ktr_rec *rec;

	ASSERT_EQ(0, run(self, ends_as_of_32_bits, NULL));
	if (WIFSIGNALED(self->status))
		SKIP(return, "this kernel does not run 32-bit calls");
	rec = ktr_log_only(&self->s.log, KTR_KIND_exit, self->pid);
	ASSERT_NE(NULL, rec);
	ev = ktr_payload(rec);
	EXPECT_EQ(5 << 8, ev->code);
	EXPECT_EQ(1, ev->nr);
	EXPECT_EQ(KTR_ABI_COMPAT, ev->abi);
}
#endif

static int ends_with_3(void *arg)
{
	return 3;
}

/* Case D-01. */
TEST_F(syscall, exit_group_is_recorded)
{
	struct ktr_call_view v;
	const struct ktr_rec *rec;

	ASSERT_EQ(0, ktr_session_all_calls(&self->s));
	ASSERT_EQ(0, run(self, ends_with_3, NULL));
	ASSERT_EQ(0, call(self, SYS_exit_group, &v));
	EXPECT_EQ(KTR_SYS_F_NO_EXIT, v.flags & ~KTR_SYS_F_TIMES);
	EXPECT_EQ(3, v.args[0]);
	rec = ktr_log_only(&self->s.log, KTR_KIND_exit, self->pid);
	ASSERT_NE(NULL, rec);
	EXPECT_EQ(3 << 8, ((const struct ktr_ev_exit *)ktr_payload(rec))->code);
	EXPECT_EQ(SYS_exit_group, ((const struct ktr_ev_exit *)ktr_payload(rec))->nr);
	EXPECT_LE(v.rec->time, rec->time);
}

static int sleeps(void *arg)
{
	syscall(SYS_pause);
	return 0;
}

TEST_F(syscall, killed_inside_a_call)
{
	static const int nrs[] = { SYS_pause, -1 };
	struct ktr_call_view v;
	const struct ktr_rec *rec;

	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, sleeps, NULL));
	self->pid = self->child.pid;
	ktr_child_go(&self->child);
	ASSERT_TRUE(ktr_task_sleeps(self->pid, SYS_pause));
	kill(self->pid, SIGKILL);
	EXPECT_EQ(SIGKILL, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	ASSERT_EQ(0, call(self, SYS_pause, &v));
	EXPECT_NE(0, v.flags & KTR_SYS_F_BEGUN);
	EXPECT_EQ(1, calls(self, SYS_pause));
	rec = ktr_log_only(&self->s.log, KTR_KIND_exit, self->pid);
	ASSERT_NE(NULL, rec);
	EXPECT_EQ(SIGKILL, ((const struct ktr_ev_exit *)ktr_payload(rec))->code);
}

static int reads_pipe(void *arg)
{
	const int *pipe_fd = arg;
	char c;

	return read(pipe_fd[0], &c, 1) == 1 ? c : 99;
}

TEST_F(syscall, blocking_call_shows_as_begun)
{
	static const int nrs[] = { SYS_read, -1 };
	struct ktr_call_view begun, end;
	const struct ktr_rec *rec;
	int fd[2];
	size_t at = 0;

	ASSERT_EQ(0, pipe(fd));
	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, reads_pipe, fd));
	self->pid = self->child.pid;
	ktr_child_go(&self->child);
	/* That of the attach, and that of this call, before it is over. */
	ASSERT_EQ(0, ktr_session_await(&self->s, KTR_KIND_syscall_begun,
				       self->pid, 2));
	ktr_log_next(&self->s.log, &at, KTR_KIND_syscall_begun, self->pid);
	rec = ktr_log_next(&self->s.log, &at, KTR_KIND_syscall_begun, self->pid);
	ASSERT_EQ(0, ktr_call_parse(rec, &begun));
	EXPECT_EQ(SYS_read, begun.nr);
	EXPECT_EQ(fd[0], begun.args[0]);
	EXPECT_EQ(1, begun.args[2]);
	EXPECT_EQ(1, ktr_log_count(&self->s.log, KTR_KIND_syscall, self->pid));
	EXPECT_EQ(1, write(fd[1], "\7", 1));
	EXPECT_EQ(7 << 8, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	/* The one of the go pipe, then ours. */
	EXPECT_EQ(2, calls(self, SYS_read));
	at = 0;
	ktr_log_call(&self->s.log, &at, SYS_read, self->pid, &end);
	ASSERT_EQ(0, ktr_log_call(&self->s.log, &at, SYS_read, self->pid, &end));
	EXPECT_NE(0, end.flags & KTR_SYS_F_BEGUN);
	EXPECT_EQ(begun.start, end.start);
	EXPECT_EQ(fd[0], end.args[0]);
	EXPECT_EQ(1, end.ret);
	EXPECT_EQ(2, ktr_log_count(&self->s.log, KTR_KIND_syscall_begun, 0));
}

TEST_F(syscall, call_that_does_not_block_is_not_begun)
{
	static const int nrs[] = { SYS_getppid, SYS_close, -1 };

	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, run(self, six_arguments, NULL));
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_syscall_begun, 0));
	EXPECT_LE(2, ktr_log_count(&self->s.log, KTR_KIND_syscall, 0));
}

#define DENIED "/tmp/ktracer-denied"

/* Returns errno of mkdir(*arg). */
static int denied_mkdir(void *arg)
{
	const char *path = arg;
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mkdir, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = 4, .filter = insns };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 98;
	syscall(SYS_getppid);
	return syscall(SYS_mkdir, path, 0700) ? errno : 0;
}

static int trace_denied(FIXTURE_DATA(syscall) *self, char *path)
{
	static const struct ktr_op op = { .form = KTR_FORM_STR,
		.base_src = KTR_SRC_ARG, .base_ref = 0, .max = 4096 };
	struct ktr_rows rows = {};

	ktr_rows_add(&rows, KTR_ABI_NATIVE, SYS_mkdir, 2, -1, &op, 1);
	ktr_rows_add(&rows, KTR_ABI_NATIVE, SYS_getppid, 0, -1, NULL, 0);
	return ktr_session_rows(&self->s, &rows, 0) ?:
	       run(self, denied_mkdir, path);
}

/* Case D-16: the entry hook does not run, the exit hook does. */
TEST_F(syscall, seccomp_denies_it)
{
	const struct ktr_section *sec;
	struct ktr_call_view v;
	char path[] = DENIED;

	ASSERT_EQ(0, trace_denied(self, path));
	if (self->status == 98 << 8)
		SKIP(return, "no seccomp filters here");
	ASSERT_EQ(EPERM << 8, self->status);
	EXPECT_EQ(2, ktr_log_count(&self->s.log, KTR_KIND_syscall, 0));
	ASSERT_EQ(0, call(self, SYS_mkdir, &v));
	EXPECT_EQ(KTR_SYS_F_NO_ENTRY, v.flags & ~KTR_SYS_F_TIMES);
	EXPECT_EQ(-EPERM, v.ret);
	EXPECT_EQ(0700, v.args[1]);
	sec = ktr_call_section(&v, 0, KTR_CAP_F_EXIT | KTR_CAP_F_LATE);
	ASSERT_NE(NULL, sec);
	EXPECT_EQ(strlen(DENIED), sec->head->len);
	EXPECT_EQ(0, memcmp(sec->bytes, DENIED, strlen(DENIED)));
	/* The next call is not mixed up with it. */
	ASSERT_EQ(0, call(self, SYS_getppid, &v));
	EXPECT_EQ(0, v.flags & ~KTR_SYS_F_TIMES);
}

/* Nobody has read it: neither the program nor, since it was denied, the kernel. */
TEST_F(syscall, seccomp_denied_path_that_was_never_touched)
{
	void *path = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ktr_call_view v;

	ASSERT_EQ(0, trace_denied(self, path));
	if (self->status == 98 << 8)
		SKIP(return, "no seccomp filters here");
	ASSERT_EQ(EPERM << 8, self->status);
	ASSERT_EQ(0, call(self, SYS_mkdir, &v));
	ASSERT_EQ(1, v.ncaps);
	EXPECT_NE(0, v.cap[0].head->flags & KTR_CAP_F_UNREADABLE);
	EXPECT_EQ(0, v.cap[0].head->len);
}

static void handler(int sig)
{
	syscall(SYS_getppid);
}

static int restarted_read(void *arg)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };
	const int *fd = arg;
	char c;

	sigaction(SIGUSR1, &sa, NULL);
	return read(fd[0], &c, 1) == 1 ? 0 : 1;
}

/* Case E-01, with the calls of a handler nested in the interrupted one. */
TEST_F(syscall, restarted_read_is_two_calls)
{
	static const int nrs[] = { SYS_read, SYS_getppid, SYS_rt_sigreturn, -1 };
	static const int order[] = { SYS_read, SYS_read, SYS_getppid,
				     SYS_rt_sigreturn, SYS_read };
	struct ktr_call_view v;
	size_t at = 0;
	int fd[2], i;

	ASSERT_EQ(0, pipe(fd));
	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0,
				      restarted_read, fd));
	self->pid = self->child.pid;
	ktr_child_go(&self->child);
	ASSERT_EQ(0, ktr_session_await(&self->s, KTR_KIND_syscall_begun,
				       self->pid, 2));
	kill(self->pid, SIGUSR1);
	ASSERT_EQ(0, ktr_session_await(&self->s, KTR_KIND_syscall_begun,
				       self->pid, 3));
	EXPECT_EQ(1, write(fd[1], "x", 1));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		ASSERT_EQ(0, ktr_log_call(&self->s.log, &at, -2, self->pid, &v));
		EXPECT_EQ(order[i], v.nr);
		if (i == 1)
			EXPECT_EQ(-512, v.ret);	/* ERESTARTSYS */
		if (i == 4)
			EXPECT_EQ(1, v.ret);
	}
	EXPECT_EQ(-ENOENT, ktr_log_call(&self->s.log, &at, -2, self->pid, &v));
}

static int interrupted_sleep(void *arg)
{
	struct sigaction sa = { .sa_handler = handler };
	struct timespec ts = { .tv_sec = 1000 };

	sigaction(SIGUSR1, &sa, NULL);
	return syscall(SYS_nanosleep, &ts, NULL) == -1 && errno == EINTR ? 0 : 1;
}

TEST_F(syscall, interrupted_nanosleep_keeps_the_kernels_code)
{
	static const int nrs[] = { SYS_nanosleep, -1 };
	struct ktr_call_view v;

	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0,
				      interrupted_sleep, NULL));
	self->pid = self->child.pid;
	ktr_child_go(&self->child);
	ASSERT_EQ(0, ktr_session_await(&self->s, KTR_KIND_syscall_begun,
				       self->pid, 1));
	kill(self->pid, SIGUSR1);
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	ASSERT_EQ(0, call(self, SYS_nanosleep, &v));
	EXPECT_EQ(-516, v.ret);		/* ERESTART_RESTARTBLOCK */
	EXPECT_EQ(1, calls(self, SYS_nanosleep));
	/* The time it slept is told with it. */
	EXPECT_NE(0, v.flags & KTR_SYS_F_TIMES);
	EXPECT_LT(0, v.blocked);
	EXPECT_LE(v.blocked + v.runnable, v.rec->time - v.start);
}

static int many_calls(void *arg)
{
	long n = *(long *)arg, i;

	for (i = 0; i < n; i++)
		syscall(SYS_getppid, i);
	return 0;
}

TEST_F(syscall, stream_is_complete_and_in_order)
{
	static const int nrs[] = { SYS_getppid, -1 };
	long n = ktr_scaled(100000), i;
	struct ktr_call_view v;
	size_t at = 0;

	/* A ring that holds it all. */
	ktr_session_close(&self->s);
	ASSERT_EQ(0, ktr_session_open(&self->s,
				      &(struct ktr_setup){ .buf_size = 32 << 20 }));
	ASSERT_EQ(0, ktr_session_start(&self->s, CALLS));
	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, run(self, many_calls, &n));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, ktr_log_call(&self->s.log, &at, SYS_getppid,
					  self->pid, &v));
		ASSERT_EQ(i, v.args[0]);
		ASSERT_EQ(0, v.flags & (KTR_SYS_F_NO_ENTRY | KTR_SYS_F_NO_EXIT));
	}
	EXPECT_EQ(-ENOENT, ktr_log_call(&self->s.log, &at, SYS_getppid, 0, &v));
}

TEST_HARNESS_MAIN
