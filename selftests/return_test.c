// SPDX-License-Identifier: GPL-2.0-or-later
/* Returns of kernel functions: results, durations, and who is inside when all ends. */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/wait.h>
#include "ktr_ksyms.h"
#include "ktr_module.h"
#include "ktr_test.h"

FIXTURE(returns) {
	struct ktr_session s;
	struct ktr_child child;
	int wake[2];		/* whoever polls it sleeps until it is written to */
	__u64 poll;		/* do_sys_poll */
};

FIXTURE_SETUP(returns)
{
	KTR_NEED_MODULE();
	self->poll = ktr_ksym_addr("do_sys_poll");
	if (!self->poll)
		SKIP(return, "the addresses of /proc/kallsyms are hidden");
	ASSERT_EQ(0, pipe(self->wake));
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){
		.buf_size = 4 << 20,
	}));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(function) |
				       KTR_BIT(function_return)));
}

FIXTURE_TEARDOWN(returns)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	if (self->s.id)
		ktr_session_close(&self->s);
	close(self->wake[0]);
	close(self->wake[1]);
}

static size_t entries(const struct ktr_session *s)
{
	return ktr_log_count(&s->log, KTR_KIND_function, 0);
}

static size_t returned(const struct ktr_session *s)
{
	return ktr_log_count(&s->log, KTR_KIND_function_return, 0);
}

static int polls(void *arg)
{
	struct pollfd p = { .fd = -1 };
	long i;

	for (i = 0; i < (long)arg; i++)
		poll(&p, 1, 0);
	return 0;
}

static int traced_polls(FIXTURE_DATA(returns) *self, long n)
{
	int ret = ktr_child_traced(&self->child, &self->s, 0, polls, (void *)n);

	if (ret)
		return ret;
	ktr_child_run(&self->child);
	return ktr_session_finish(&self->s);
}

TEST_F(returns, each_call_enters_and_returns)
{
	const struct ktr_ev_function_return *ret;
	const struct ktr_ev_function *fn;
	const struct ktr_rec *in, *out;
	size_t at_in = 0, at_out = 0, n = 0;

	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, KTR_FUNCS_F_RET));
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_NFUNCS));
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_NRETS));
	/* Tasks that are no targets leave nothing. */
	polls((void *)20L);
	ASSERT_EQ(0, traced_polls(self, 50));
	while ((in = ktr_log_next(&self->s.log, &at_in, KTR_KIND_function, 0))) {
		out = ktr_log_next(&self->s.log, &at_out,
				   KTR_KIND_function_return, 0);
		ASSERT_NE(NULL, out);
		fn = ktr_payload(in);
		ret = ktr_payload(out);
		EXPECT_EQ(in->time, ret->start);
		EXPECT_LE(ret->start, out->time);
		EXPECT_EQ(in->tid, out->tid);
		EXPECT_EQ(fn->ip, ret->ip);
		EXPECT_EQ(fn->parent, ret->parent);
		EXPECT_EQ(0, (int)ret->ret);
		n++;
	}
	EXPECT_EQ(50, n);
	EXPECT_EQ(50, returned(&self->s));
	EXPECT_EQ(0, ktr_session_u64(&self->s, KTR_A_RETS_MISSED));
}

TEST_F(returns, alone_if_asked_for)
{
	ASSERT_EQ(0, ktr_session_set(&self->s, KTR_A_EVENTS,
				     KTR_BIT(function_return)));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, KTR_FUNCS_F_RET));
	ASSERT_EQ(0, traced_polls(self, 50));
	EXPECT_EQ(0, entries(&self->s));
	EXPECT_EQ(50, returned(&self->s));
}

/* One function is recorded once, whichever way it came. */
TEST_F(returns, take_over_what_was_there)
{
	__u64 both[] = { self->poll, ktr_ksym_addr("do_pipe2") };

	ASSERT_NE(0, both[1]);
	ASSERT_EQ(0, ktr_session_func_add(&self->s, both, 2, 0));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, both, 1, KTR_FUNCS_F_RET));
	EXPECT_EQ(-EEXIST, ktr_session_func_add(&self->s, both, 2, 0));
	EXPECT_EQ(-EEXIST, ktr_session_func_add(&self->s, both, 1, KTR_FUNCS_F_RET));
	EXPECT_EQ(2, ktr_session_u32(&self->s, KTR_A_NFUNCS));
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_NRETS));
	ASSERT_EQ(0, traced_polls(self, 50));
	EXPECT_EQ(50, entries(&self->s));
	EXPECT_EQ(50, returned(&self->s));
}

TEST_F(returns, some_of_a_block_go)
{
	__u64 two[] = { self->poll, ktr_ksym_addr("do_pipe2") };

	ASSERT_NE(0, two[1]);
	ASSERT_EQ(0, ktr_session_func_add(&self->s, two, 2, KTR_FUNCS_F_RET));
	ASSERT_EQ(0, ktr_session_func_del(&self->s, &two[1], 1));
	EXPECT_EQ(-ENOENT, ktr_session_func_del(&self->s, &two[1], 1));
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_NRETS));
	ASSERT_EQ(0, traced_polls(self, 50));
	EXPECT_EQ(50, returned(&self->s));
	ASSERT_EQ(0, ktr_session_func_del(&self->s, two, 2));
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_NFUNCS));
	ktr_log_clear(&self->s.log);
	ASSERT_EQ(0, traced_polls(self, 50));
	EXPECT_EQ(0, entries(&self->s) + returned(&self->s));
}

TEST_F(returns, what_is_no_function_is_refused)
{
	__u64 mixed[] = { self->poll, (unsigned long)&polls };

	EXPECT_EQ(-EINVAL, ktr_session_func_add(&self->s, mixed, 2, KTR_FUNCS_F_RET));
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_NFUNCS));
}

TEST_F(returns, five_hundred_inside_at_once)
{
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, KTR_FUNCS_F_RET));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s,
				      KTR_TARGET_F_FOLLOW, ktr_many_sleep,
				      self->wake));
	ktr_child_go(&self->child);
	ASSERT_EQ(0, ktr_session_await(&self->s, KTR_KIND_function, 0, KTR_MANY));
	EXPECT_EQ(0, returned(&self->s));
	ASSERT_EQ(1, write(self->wake[1], "x", 1));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	EXPECT_EQ(KTR_MANY, entries(&self->s));
	EXPECT_EQ(KTR_MANY, returned(&self->s));
	EXPECT_EQ(0, ktr_session_u64(&self->s, KTR_A_RETS_MISSED));
}

static int on_every_cpu(void *arg)
{
	int i, status, bad = 0, ncpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (i = 0; i < ncpus; i++)
		if (!fork()) {
			ktr_pin(i);
			_exit(polls((void *)((long)arg / ncpus)));
		}
	for (i = 0; i < ncpus; i++)
		bad += wait(&status) < 0 || status;
	return !!bad;
}

struct tally {
	long in, out;
	__u64 lost;
};

static int count(void *arg, __u32 cpu, int ring, __u64 pos,
		 const struct ktr_rec *rec)
{
	struct tally *t = arg;

	t->in += rec->kind == KTR_KIND_function;
	t->out += rec->kind == KTR_KIND_function_return;
	return 0;
}

/* Ten million at full size. */
TEST_F(returns, none_is_missed_on_any_cpu)
{
	long n = ktr_scaled(10000000), ncpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct ktr_counts counts;
	struct tally t = { 0 };
	int status;

	if (n < 10000000)
		n /= 5;
	n -= n % ncpus;
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, KTR_FUNCS_F_RET));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s,
				      KTR_TARGET_F_FOLLOW, on_every_cpu,
				      (void *)n));
	ktr_child_go(&self->child);
	while (!waitpid(self->child.pid, &status, WNOHANG))
		ASSERT_EQ(0, ktr_reader_round(&self->s.reader, count, &t));
	self->child.pid = 0;
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, ktr_reader_round(&self->s.reader, count, &t));
	ASSERT_EQ(0, ktr_session_counts(&self->s, &counts));
	TH_LOG("%ld calls, %ld entries, %ld returns, %llu lost", n, t.in, t.out,
	       (unsigned long long)counts.lost);
	EXPECT_EQ(n, t.in + (long)counts.lost_kind[KTR_KIND_function]);
	EXPECT_EQ(n, t.out + (long)counts.lost_kind[KTR_KIND_function_return]);
	EXPECT_EQ(0, ktr_session_u64(&self->s, KTR_A_RETS_MISSED));
}

/* Detached inside: no return, and the next target has its own. */
TEST_F(returns, detach_while_inside)
{
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, KTR_FUNCS_F_RET));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, ktr_sleep_in_poll,
				      self->wake));
	ktr_child_go(&self->child);
	ASSERT_EQ(0, ktr_session_await(&self->s, KTR_KIND_function, 0, 1));
	ASSERT_EQ(1, ktr_session_detach(&self->s, KTR_TARGET_PID,
					self->child.pid, 0));
	ASSERT_EQ(1, write(self->wake[1], "x", 1));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_EQ(0, traced_polls(self, 10));
	EXPECT_EQ(11, entries(&self->s));
	EXPECT_EQ(10, returned(&self->s));
}

static int reopen(FIXTURE_DATA(returns) *self)
{
	return ktr_session_open(&self->s, &(struct ktr_setup){}) ?:
	       ktr_session_start(&self->s, KTR_BIT(function) |
				 KTR_BIT(function_return)) ?:
	       ktr_session_func_add(&self->s, &self->poll, 1, KTR_FUNCS_F_RET);
}

static void shut(FIXTURE_DATA(returns) *self)
{
	ktr_session_close(&self->s);
	self->s.id = 0;
}

/*
 * Case H-01: all goes while a task sleeps inside; then it wakes. It is made while
 * there is no session, so that it has no copy of its descriptors.
 */
TEST_F(returns, module_goes_while_tasks_sleep_inside)
{
	long n = ktr_scaled(50), i;
	char c;

	n = n < 5 ? 5 : n;
	if (access(ktr_module_path(), R_OK))
		SKIP(return, "no module file at %s", ktr_module_path());
	shut(self);
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, ktr_child_start(&self->child, ktr_sleep_in_poll,
					     self->wake));
		ASSERT_EQ(0, reopen(self));
		ASSERT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_PID,
						self->child.pid, 0));
		ktr_child_go(&self->child);
		ASSERT_EQ(0, ktr_session_await(&self->s, KTR_KIND_function, 0,
					       1));
		shut(self);
		ASSERT_TRUE(ktr_wait_for(!ktr_module_unload()));
		ASSERT_EQ(1, write(self->wake[1], "x", 1));
		EXPECT_EQ(0, ktr_child_wait(&self->child));
		ASSERT_EQ(1, read(self->wake[0], &c, 1));
		ASSERT_EQ(0, ktr_module_load());
	}
}

TEST_HARNESS_MAIN
