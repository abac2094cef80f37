// SPDX-License-Identifier: GPL-2.0-or-later
/* Graphs of kernel functions: what is called below one, how it nests, who is inside. */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "ktr_ksyms.h"
#include "ktr_module.h"
#include "ktr_test.h"

#define KINDS (KTR_BIT(graph) | KTR_BIT(syscall))

/* Called one below the other by a poll that waits. */
enum { POLL, RANGE, CLOCK, PIPE, NFUNCS };

static const char *const names[NFUNCS] = {
	"do_sys_poll", "schedule_hrtimeout_range", "schedule_hrtimeout_range_clock", "pipe_poll",
};

static __u64 entries[NFUNCS];

/* Once for all tests: the kernel takes long to print its symbols. */
static void __attribute__((constructor)) look_up(void)
{
	int i;

	for (i = 0; i < NFUNCS; i++)
		entries[i] = ktr_ksym_addr(names[i]);
}

FIXTURE(graph) {
	struct ktr_session s;
	struct ktr_child child;
	int wake[2];		/* whoever polls it sleeps until it is written to */
	__u64 fn[NFUNCS];
};

/* -EOPNOTSUPP: not on this kernel. */
static int hook(FIXTURE_DATA(graph) *self, __u32 depth)
{
	return ktr_session_func_add(&self->s, self->fn, NFUNCS, KTR_FUNCS_F_BELOW) ?:
	       ktr_session_graph_add(&self->s, &self->fn[POLL], 1, depth);
}

FIXTURE_SETUP(graph)
{
	int i, ret;

	KTR_NEED_MODULE();
	for (i = 0; i < NFUNCS; i++) {
		self->fn[i] = entries[i];
		if (!self->fn[i])
			SKIP(return, "no %s in /proc/kallsyms", names[i]);
	}
	ASSERT_EQ(0, pipe(self->wake));
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){
		.buf_size = 4 << 20,
	}));
	ASSERT_EQ(0, ktr_session_all_calls(&self->s));
	ASSERT_EQ(0, ktr_session_start(&self->s, KINDS));
	ret = hook(self, 0);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "this kernel has no graphs");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(graph)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	if (self->s.id)
		ktr_session_close(&self->s);
	close(self->wake[0]);
	close(self->wake[1]);
}

static size_t graphs(const struct ktr_session *s)
{
	return ktr_log_count(&s->log, KTR_KIND_graph, 0);
}

/* Where ftrace is called an endbr may stand in front. */
static bool is(const struct ktr_ev_graph *ev, __u64 fn)
{
	return ev->ip >= fn && ev->ip <= fn + 4;
}

static size_t calls_of(const struct ktr_session *s, __u64 fn)
{
	const struct ktr_rec *rec;
	size_t at = 0, n = 0;

	while ((rec = ktr_log_next(&s->log, &at, KTR_KIND_graph, 0)))
		n += is(ktr_payload(rec), fn);
	return n;
}

/* Also what is hooked, but called by something else. */
static int polls(void *arg)
{
	int fds[2], i, n = (long)arg;
	struct pollfd p;

	if (pipe(fds))
		return 1;
	p = (struct pollfd){ .fd = fds[0], .events = POLLIN };
	for (i = 0; i < n; i++) {
		poll(&p, 1, 1);
		select(0, NULL, NULL, NULL, &(struct timeval){ .tv_usec = 1 });
	}
	return 0;
}

static int traced_polls(FIXTURE_DATA(graph) *self, long n)
{
	int ret = ktr_child_traced(&self->child, &self->s, 0, polls, (void *)n);

	if (ret)
		return ret;
	ktr_child_run(&self->child);
	return ktr_session_finish(&self->s);
}

/* All records between the one's entry and its return are of calls below it. */
static void check_below(struct __test_metadata *_metadata, const struct ktr_session *s,
			const struct ktr_rec *top)
{
	const struct ktr_ev_graph *t = ktr_payload(top), *ev;
	const struct ktr_rec *rec;
	__u64 sum = 0;
	size_t at = 0, n = 0;

	while ((rec = ktr_log_next(&s->log, &at, KTR_KIND_graph, 0))) {
		ev = ktr_payload(rec);
		if (ev->number <= t->number || ev->number > t->number + t->calls)
			continue;
		n++;
		EXPECT_LT(t->depth, ev->depth);
		EXPECT_LE(t->start, ev->start);
		EXPECT_LE(rec->time, top->time);
		EXPECT_GE(t->number + t->calls, ev->number + ev->calls);
		if (ev->depth == t->depth + 1)
			sum += rec->time - ev->start;
	}
	EXPECT_EQ(t->calls, n);
	EXPECT_LE(sum, top->time - t->start);
}

TEST_F(graph, calls_nest)
{
	const struct ktr_ev_graph *ev;
	const struct ktr_rec *rec;
	size_t at = 0;
	__u32 last = 0;

	ASSERT_EQ(0, traced_polls(self, 20));
	EXPECT_EQ(20, calls_of(&self->s, self->fn[POLL]));
	EXPECT_EQ(20, calls_of(&self->s, self->fn[RANGE]));
	EXPECT_EQ(20, calls_of(&self->s, self->fn[CLOCK]));
	EXPECT_LE(20, calls_of(&self->s, self->fn[PIPE]));
	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_graph, 0))) {
		ev = ktr_payload(rec);
		EXPECT_EQ(is(ev, self->fn[POLL]) ? 0 : is(ev, self->fn[CLOCK]) ? 2 : 1, ev->depth);
		EXPECT_EQ(SYS_poll, ev->nr);
		EXPECT_EQ(KTR_ABI_NATIVE, ev->abi);
		EXPECT_LE(ev->start, rec->time);
		check_below(_metadata, &self->s, rec);
		if (ev->depth)
			continue;
		EXPECT_LT(last, ev->number);
		last = ev->number + ev->calls;
	}
	EXPECT_EQ(0, ktr_session_u64(&self->s, KTR_A_GRAPH_MISSED));
}

TEST_F(graph, is_told)
{
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_NGRAPHS));
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_NFUNCS));
	EXPECT_EQ(NFUNCS, ktr_session_u32(&self->s, KTR_A_NBELOW));
	EXPECT_EQ(-EEXIST, ktr_session_graph_add(&self->s, self->fn, 1, 0));
	/* Hooking more than once hooks once. */
	EXPECT_EQ(0, ktr_session_func_add(&self->s, self->fn, NFUNCS, KTR_FUNCS_F_BELOW));
	EXPECT_EQ(NFUNCS, ktr_session_u32(&self->s, KTR_A_NBELOW));
	EXPECT_EQ(0, ktr_session_graph_add(&self->s, self->fn, NFUNCS, 0));
	EXPECT_EQ(NFUNCS, ktr_session_u32(&self->s, KTR_A_NGRAPHS));
	EXPECT_EQ(0, ktr_session_func_del(&self->s, &self->fn[RANGE], NFUNCS - 1));
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_NGRAPHS));
	EXPECT_EQ(-ENOENT, ktr_session_func_del(&self->s, &self->fn[RANGE], 1));
	EXPECT_EQ(0, ktr_session_func_del(&self->s, self->fn, 1));
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_NGRAPHS));
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_NBELOW));
}

TEST_F(graph, what_is_no_function_is_refused)
{
	__u64 mixed[] = { self->fn[POLL], (unsigned long)&polls };

	EXPECT_EQ(-EINVAL, ktr_session_func_add(&self->s, mixed, 2, KTR_FUNCS_F_BELOW));
	EXPECT_EQ(-EINVAL, ktr_session_graph_add(&self->s, mixed, 2, 0));
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_NGRAPHS));
	EXPECT_EQ(0, ktr_session_func_del(&self->s, NULL, 0));
	EXPECT_EQ(-EINVAL, ktr_session_graph_add(&self->s, mixed, 2, 0));
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_NBELOW));
}

TEST_F(graph, no_deeper_than_asked)
{
	ASSERT_EQ(0, ktr_session_func_del(&self->s, NULL, 0));
	ASSERT_EQ(0, hook(self, 2));
	ASSERT_EQ(0, traced_polls(self, 10));
	EXPECT_EQ(10, calls_of(&self->s, self->fn[POLL]));
	EXPECT_EQ(10, calls_of(&self->s, self->fn[RANGE]));
	EXPECT_EQ(0, calls_of(&self->s, self->fn[CLOCK]));
	ktr_log_clear(&self->s.log);
	ASSERT_EQ(0, ktr_session_func_del(&self->s, NULL, 0));
	ASSERT_EQ(0, hook(self, 1));
	ASSERT_EQ(0, traced_polls(self, 10));
	EXPECT_EQ(10, graphs(&self->s));
}

/* A call that has returned tells that its caller is there. */
TEST_F(graph, five_hundred_inside_at_once)
{
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, KTR_TARGET_F_FOLLOW, ktr_many_sleep,
				      self->wake));
	ktr_child_go(&self->child);
	ASSERT_EQ(0, ktr_session_await(&self->s, KTR_KIND_graph, 0, KTR_MANY));
	EXPECT_EQ(0, calls_of(&self->s, self->fn[POLL]));
	ASSERT_EQ(1, write(self->wake[1], "x", 1));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	EXPECT_EQ(KTR_MANY, calls_of(&self->s, self->fn[POLL]));
	EXPECT_EQ(KTR_MANY, calls_of(&self->s, self->fn[CLOCK]));
	EXPECT_EQ(0, ktr_session_u64(&self->s, KTR_A_GRAPH_MISSED));
}

/* Whatever ended the graph, the call inside leaves nothing, and the next is whole. */
static void ends_inside(struct __test_metadata *_metadata, FIXTURE_DATA(graph) *self,
			int (*end)(FIXTURE_DATA(graph) *self))
{
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, ktr_sleep_in_poll, self->wake));
	ktr_child_go(&self->child);
	ASSERT_EQ(0, ktr_session_await(&self->s, KTR_KIND_graph, 0, 1));
	ASSERT_EQ(0, end(self));
	ASSERT_EQ(0, ktr_session_drain(&self->s));
	ktr_log_clear(&self->s.log);
	ASSERT_EQ(1, write(self->wake[1], "x", 1));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_EQ(0, traced_polls(self, 10));
	EXPECT_EQ(10, calls_of(&self->s, self->fn[POLL]));
	EXPECT_EQ(10, calls_of(&self->s, self->fn[CLOCK]));
}

static int detach(FIXTURE_DATA(graph) *self)
{
	return ktr_session_detach(&self->s, KTR_TARGET_PID, self->child.pid, 0) == 1 ? 0 : -1;
}

TEST_F(graph, detach_while_inside)
{
	ends_inside(_metadata, self, detach);
}

static int attach_again(FIXTURE_DATA(graph) *self)
{
	return detach(self) ?:
	       ktr_session_attach(&self->s, KTR_TARGET_PID, self->child.pid, 0) == 1 ? 0 : -1;
}

TEST_F(graph, attach_again_while_inside)
{
	ends_inside(_metadata, self, attach_again);
}

static int hook_again(FIXTURE_DATA(graph) *self)
{
	return ktr_session_func_del(&self->s, NULL, 0) ?: hook(self, 0);
}

TEST_F(graph, hooked_again_while_inside)
{
	ends_inside(_metadata, self, hook_again);
}

static int reopen(FIXTURE_DATA(graph) *self)
{
	return ktr_session_open(&self->s, &(struct ktr_setup){}) ?:
	       ktr_session_start(&self->s, KINDS) ?: hook(self, 0);
}

static void shut(FIXTURE_DATA(graph) *self)
{
	ktr_session_close(&self->s);
	self->s.id = 0;
}

/* All goes while a task sleeps inside; then it wakes. */
TEST_F(graph, module_goes_while_tasks_sleep_inside)
{
	long n = ktr_scaled(50), i;
	char c;

	n = n < 5 ? 5 : n;
	if (access(ktr_module_path(), R_OK))
		SKIP(return, "no module file at %s", ktr_module_path());
	shut(self);
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, ktr_child_start(&self->child, ktr_sleep_in_poll, self->wake));
		ASSERT_EQ(0, reopen(self));
		ASSERT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_PID, self->child.pid, 0));
		ktr_child_go(&self->child);
		ASSERT_EQ(0, ktr_session_await(&self->s, KTR_KIND_graph, 0, 1));
		shut(self);
		ASSERT_TRUE(ktr_wait_for(!ktr_module_unload()));
		ASSERT_EQ(1, write(self->wake[1], "x", 1));
		EXPECT_EQ(0, ktr_child_wait(&self->child));
		ASSERT_EQ(1, read(self->wake[0], &c, 1));
		ASSERT_EQ(0, ktr_module_load());
	}
}

TEST_HARNESS_MAIN
