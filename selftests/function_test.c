// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel functions, entered for chosen tasks only. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include "ktr_ksyms.h"
#include "ktr_test.h"

FIXTURE(function) {
	struct ktr_session s;
	struct ktr_child child;
	pid_t pid;
	__u64 poll;		/* do_sys_poll */
};

FIXTURE_SETUP(function)
{
	KTR_NEED_MODULE();
	self->poll = ktr_ksym_addr("do_sys_poll");
	if (!self->poll)
		SKIP(return, "the addresses of /proc/kallsyms are hidden");
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(function)));
}

FIXTURE_TEARDOWN(function)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

/* A record's address is the call in the function's first bytes. */
static bool is_entry_of(const struct ktr_rec *rec, __u64 addr)
{
	const struct ktr_ev_function *ev = ktr_payload(rec);

	return ev->ip - addr < 16;
}

static size_t count_of(const struct ktr_log *log, __u64 addr, __u32 tid)
{
	const struct ktr_rec *rec;
	size_t at = 0, n = 0;

	while ((rec = ktr_log_next(log, &at, KTR_KIND_function, tid)))
		n += is_entry_of(rec, addr);
	return n;
}

static int polls_50_times(void *arg)
{
	struct pollfd p = { .fd = -1 };
	int i;

	for (i = 0; i < 50; i++)
		poll(&p, 1, 0);
	return 0;
}

static int run(FIXTURE_DATA(function) *self, int (*fn)(void *), void *arg)
{
	int ret = ktr_child_traced(&self->child, &self->s, 0, fn, arg);

	if (ret)
		return ret;
	self->pid = self->child.pid;
	ktr_child_run(&self->child);
	return ktr_session_finish(&self->s);
}

TEST_F(function, hooked_for_one_process)
{
	const struct ktr_ev_function *ev;
	const struct ktr_rec *rec;
	struct ktr_child other;
	size_t at = 0;

	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, 0));
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_NFUNCS));
	ASSERT_EQ(0, ktr_child_start(&other, polls_50_times, NULL));
	EXPECT_EQ(0, ktr_child_run(&other));
	ASSERT_EQ(0, run(self, polls_50_times, NULL));
	EXPECT_EQ(50, ktr_log_count(&self->s.log, KTR_KIND_function, 0));
	EXPECT_EQ(50, count_of(&self->s.log, self->poll, self->pid));
	rec = ktr_log_next(&self->s.log, &at, KTR_KIND_function, 0);
	ASSERT_NE(NULL, rec);
	ev = ktr_payload(rec);
	EXPECT_EQ(0, rec->flags & KTR_REC_CTX_MASK);
	EXPECT_TRUE(ktr_ksym_inside(ev->parent, "poll"));
}

TEST_F(function, added_and_taken_away_while_it_runs)
{
	__u64 pipe_addr = ktr_ksym_addr("do_pipe2");
	__u64 both[] = { self->poll, pipe_addr };

	ASSERT_NE(0, pipe_addr);
	EXPECT_EQ(-ENOENT, ktr_session_func_del(&self->s, both, 2));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, both, 1, 0));
	EXPECT_EQ(-EEXIST, ktr_session_func_add(&self->s, both, 1, 0));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, both, 2, 0));
	EXPECT_EQ(2, ktr_session_u32(&self->s, KTR_A_NFUNCS));
	ASSERT_EQ(0, ktr_session_func_del(&self->s, both, 1));
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_NFUNCS));
	ASSERT_EQ(0, run(self, polls_50_times, NULL));
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_function, 0));
	ASSERT_EQ(0, ktr_session_func_del(&self->s, NULL, 0));
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_NFUNCS));
	EXPECT_EQ(-ENOENT, ktr_session_func_del(&self->s, NULL, 0));
	/* And once more after the last one has gone. */
	ASSERT_EQ(0, ktr_session_func_add(&self->s, both, 1, 0));
	ktr_log_clear(&self->s.log);
	ASSERT_EQ(0, run(self, polls_50_times, NULL));
	EXPECT_EQ(50, ktr_log_count(&self->s.log, KTR_KIND_function, 0));
}

static bool text_has_address(struct ktr_session *s, __u64 addr)
{
	char hex[32];

	snprintf(hex, sizeof(hex), "%llx", (unsigned long long)addr);
	return strstr(s->client.text, hex);
}

TEST_F(function, what_is_no_function_is_refused)
{
	__u64 mixed[] = { self->poll, self->poll + 33 };
	__u64 user = (unsigned long)&polls_50_times;
	__u64 zero = 0;

	EXPECT_EQ(-EINVAL, ktr_session_func_add(&self->s, &mixed[1], 1, 0));
	EXPECT_TRUE(text_has_address(&self->s, mixed[1]));
	/* All or nothing. */
	EXPECT_EQ(-EINVAL, ktr_session_func_add(&self->s, mixed, 2, 0));
	EXPECT_TRUE(text_has_address(&self->s, mixed[1]));
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_NFUNCS));
	EXPECT_EQ(-EINVAL, ktr_session_func_add(&self->s, &user, 1, 0));
	EXPECT_EQ(-EINVAL, ktr_session_func_add(&self->s, &zero, 1, 0));
	ASSERT_EQ(0, run(self, polls_50_times, NULL));
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_function, 0));
	/* What was there stays as it was. */
	ASSERT_EQ(0, ktr_session_func_add(&self->s, mixed, 1, 0));
	EXPECT_EQ(-EINVAL, ktr_session_func_add(&self->s, &mixed[1], 1, 0));
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_NFUNCS));
	ktr_log_clear(&self->s.log);
	ASSERT_EQ(0, run(self, polls_50_times, NULL));
	EXPECT_EQ(50, ktr_log_count(&self->s.log, KTR_KIND_function, 0));
}

TEST_F(function, malformed_lists_are_refused)
{
	struct ktr_msg m;

	ktr_session_msg(&self->s, &m, KTR_CMD_FUNC_ADD);
	EXPECT_EQ(-EINVAL, ktr_client_call(&self->s.client, &m, NULL));
	ktr_session_msg(&self->s, &m, KTR_CMD_FUNC_ADD);
	ktr_msg_put(&m, KTR_A_ADDRS, &self->poll, 7);
	EXPECT_EQ(-EINVAL, ktr_client_call(&self->s.client, &m, NULL));
	EXPECT_EQ(-EINVAL, ktr_session_func_add(&self->s, &self->poll, 0, 0));
}

/* Polls and opens until it is told to end. */
static int busy_with_functions(void *arg)
{
	volatile int *stop = arg;
	struct pollfd p = { .fd = -1 };

	while (!*stop) {
		poll(&p, 1, 0);
		close(open("/dev/null", O_RDONLY));
		getppid();
	}
	return 0;
}

struct only {
	__u64 addr[2];
	long ours, others;
};

static int count_only(void *arg, __u32 cpu, int ring, __u64 pos,
		      const struct ktr_rec *rec)
{
	struct only *only = arg;

	if (rec->kind != KTR_KIND_function)
		return 0;
	if (is_entry_of(rec, only->addr[0]) || is_entry_of(rec, only->addr[1]))
		only->ours++;
	else
		only->others++;
	return 0;
}

/* Case G-09: at no moment of a change is anything else hooked. */
TEST_F(function, changes_let_no_other_function_in)
{
	volatile int *stop = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct only only = { .addr = { self->poll, ktr_ksym_addr("vfs_open") } };
	long n = ktr_scaled(200), i;

	n = n < 20 ? 20 : n;
	ASSERT_NE(0, only.addr[1]);
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0,
				      busy_with_functions, (void *)stop));
	ktr_child_go(&self->child);
	for (i = 0; i < n; i++) {
		long before = only.ours;

		ASSERT_EQ(0, ktr_session_func_add(&self->s, only.addr, 2, 0));
		ASSERT_TRUE(ktr_wait_for(!ktr_reader_round(&self->s.reader,
				count_only, &only) && only.ours > before));
		if (i & 1)
			ASSERT_EQ(0, ktr_session_func_del(&self->s, only.addr, 1));
		ASSERT_EQ(0, ktr_session_func_del(&self->s, NULL, 0));
		ASSERT_EQ(0, ktr_reader_round(&self->s.reader, count_only,
					      &only));
		ASSERT_EQ(0, only.others);
	}
	*stop = 1;
	EXPECT_EQ(0, ktr_child_wait(&self->child));
}

/* Nothing of a function that was taken away, from then on. */
TEST_F(function, deleted_function_is_silent)
{
	volatile int *stop = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct only only = { .addr = { self->poll, self->poll } };
	__u64 open_addr = ktr_ksym_addr("vfs_open");

	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, 0));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &open_addr, 1, 0));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0,
				      busy_with_functions, (void *)stop));
	ktr_child_go(&self->child);
	ASSERT_TRUE(ktr_wait_for(!ktr_reader_round(&self->s.reader, count_only,
						   &only) && only.ours));
	ASSERT_EQ(0, ktr_session_func_del(&self->s, &self->poll, 1));
	/* Some that had begun may still be on their way; then none comes. */
	ASSERT_EQ(0, ktr_reader_round(&self->s.reader, count_only, &only));
	usleep(10000);
	ASSERT_EQ(0, ktr_reader_round(&self->s.reader, count_only, &only));
	only.ours = only.others = 0;
	ASSERT_TRUE(ktr_wait_for(!ktr_reader_round(&self->s.reader, count_only,
						   &only) && only.others > 100));
	EXPECT_EQ(0, only.ours);
	*stop = 1;
	EXPECT_EQ(0, ktr_child_wait(&self->child));
}

#define MANY 400

static int count_addrs(const struct ktr_answer *part, void *arg)
{
	if (part->attr[KTR_A_ADDRS])
		*(size_t *)arg += ktr_attr_len(part->attr[KTR_A_ADDRS]) / 8;
	return 0;
}

TEST_F(function, hundreds_at_once)
{
	static __u64 addr[MANY];
	size_t n = ktr_ksym_traceable("vfs_", addr, MANY), listed = 0;
	struct ktr_msg m;
	__u64 begin;

	n += ktr_ksym_traceable("tcp_", addr + n, MANY - n);
	if (n < 100)
		SKIP(return, "only %zu functions to be found", n);
	begin = ktr_now();
	ASSERT_EQ(0, ktr_session_func_add(&self->s, addr, n, 0));
	EXPECT_GT(20 * KTR_SECOND, ktr_now() - begin);
	EXPECT_EQ(n, ktr_session_u32(&self->s, KTR_A_NFUNCS));
	ktr_session_msg(&self->s, &m, KTR_CMD_FUNC_GET);
	ASSERT_EQ(0, ktr_client_dump(&self->s.client, &m, count_addrs, &listed));
	EXPECT_EQ(n, listed);
	ASSERT_EQ(0, run(self, polls_50_times, NULL));
	begin = ktr_now();
	ASSERT_EQ(0, ktr_session_func_del(&self->s, NULL, 0));
	EXPECT_GT(20 * KTR_SECOND, ktr_now() - begin);
}

static int burns(void *arg)
{
	__u64 end = ktr_now() + KTR_SECOND / 2;

	while (ktr_now() < end)
		;
	return 0;
}

/* Case G-10: what ran in an interrupt of the task says so. */
TEST_F(function, interrupts_are_marked)
{
	__u64 addr = ktr_ksym_addr("update_process_times");
	const struct ktr_rec *rec;
	size_t at = 0, n = 0;

	ASSERT_NE(0, addr);
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &addr, 1, 0));
	ASSERT_EQ(0, run(self, burns, NULL));
	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_function, 0))) {
		EXPECT_EQ(2, rec->flags & KTR_REC_CTX_MASK);
		n++;
	}
	EXPECT_LT(0, n);
}

TEST_F(function, stopped_session_records_none)
{
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, 0));
	ASSERT_EQ(0, ktr_session_stop(&self->s));
	ASSERT_EQ(0, run(self, polls_50_times, NULL));
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_function, 0));
}

TEST_F(function, two_sessions_have_their_own)
{
	__u64 open_addr = ktr_ksym_addr("vfs_open");
	struct ktr_session other;

	ASSERT_EQ(0, ktr_session_open(&other, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&other, KTR_BIT(function)));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, 0));
	ASSERT_EQ(0, ktr_session_func_add(&other, &open_addr, 1, 0));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, polls_50_times,
				      NULL));
	ASSERT_EQ(1, ktr_session_attach(&other, KTR_TARGET_PID,
					self->child.pid, 0));
	EXPECT_EQ(0, ktr_child_run(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	ASSERT_EQ(0, ktr_session_finish(&other));
	EXPECT_EQ(50, ktr_log_count(&self->s.log, KTR_KIND_function, 0));
	EXPECT_EQ(50, count_of(&self->s.log, self->poll, 0));
	EXPECT_EQ(0, count_of(&other.log, self->poll, 0));
	ktr_session_close(&other);
}

TEST_HARNESS_MAIN
