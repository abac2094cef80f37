// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks in records: the kernel's, and those of programs by their frame pointers. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "ktr_ksyms.h"
#include "ktr_test.h"
#include "ktr_user.h"

/* Far enough from each other to be told apart. */
#define FUNCTION_MAX 256
#define APART noinline, noclone, aligned(FUNCTION_MAX)
#define CHAINED __attribute__((APART, optimize("no-omit-frame-pointer")))

struct view {
	struct ktr_stack_end end;
	const __u64 *kernel, *user, *regs, *copied;
	size_t before;		/* bytes of the record in front of it */
};

/* False: the record has none, or it does not add up. */
static bool look(const struct ktr_rec *rec, struct view *v)
{
	const __u64 *words = (const void *)rec;

	if (!(rec->flags & KTR_REC_STACK))
		return false;
	memcpy(&v->end, words + rec->len8 - 1, 8);
	v->kernel = words + rec->len8 - v->end.words;
	v->before = (v->kernel - words) * 8;
	v->user = v->kernel + v->end.kernel;
	v->regs = v->user + v->end.user;
	v->copied = v->regs + v->end.regs;
	return v->copied + v->end.copied + 1 == words + rec->len8 && v->before > sizeof(*rec);
}

static int ask(struct ktr_session *s, __u64 kinds, int kernel, int user, int copy)
{
	struct ktr_stack_want want = { kinds, kernel, user, copy };
	struct ktr_msg m;

	ktr_session_msg(s, &m, KTR_CMD_SESSION_SET);
	ktr_msg_put(&m, KTR_A_STACK, &want, sizeof(want));
	return ktr_client_call(&s->client, &m, NULL);
}

/* ---- a chain of calls that is known ---- */

/* A leaf, as a C library's: it has no frame. */
static long __attribute__((APART)) call(long nr)
{
	long ret;

	asm volatile("syscall" : "=a"(ret) : "a"(nr) : "rcx", "r11", "memory");
	return ret;
}

static long CHAINED inner(long nr)
{
	long ret = call(nr);

	asm volatile("" ::: "memory");
	return ret;
}

static long CHAINED outer(long nr)
{
	long ret = inner(nr);

	asm volatile("" ::: "memory");
	return ret;
}

static bool is_in(__u64 addr, void *fn)
{
	return addr - (unsigned long)fn < FUNCTION_MAX;
}

static int __attribute__((APART)) calls(void *arg)
{
	int i;

	for (i = 0; i < 20; i++)
		outer(SYS_getppid);
	return 0;
}

FIXTURE(stack) {
	struct ktr_session s;
	struct ktr_child child;
	pid_t pid;
};

FIXTURE_SETUP(stack)
{
	static const int nrs[] = { SYS_getppid, -1 };

	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
}

FIXTURE_TEARDOWN(stack)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

static int run(FIXTURE_DATA(stack) *self, int (*fn)(void *), void *arg)
{
	int ret = ktr_child_traced(&self->child, &self->s, 0, fn, arg);

	if (ret)
		return ret;
	self->pid = self->child.pid;
	if (ktr_child_run(&self->child))
		return -ECHILD;
	return ktr_session_finish(&self->s);
}

static bool is_the_chain(const struct view *v)
{
	return v->end.user >= 4 && v->end.flags & KTR_STACK_F_TOP && is_in(v->user[0], call) &&
	       is_in(v->user[1], inner) && is_in(v->user[2], outer) && is_in(v->user[3], calls);
}

TEST_F(stack, of_programs_by_frame_pointers)
{
	const struct ktr_rec *rec;
	size_t at = 0, n = 0;
	struct view v;

	ASSERT_EQ(0, ask(&self->s, KTR_BIT(syscall), 0, 16, 0));
	ASSERT_EQ(0, run(self, calls, NULL));
	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_syscall, self->pid))) {
		ASSERT_TRUE(look(rec, &v));
		EXPECT_EQ(0, v.end.kernel);
		EXPECT_EQ(0, v.end.regs);
		EXPECT_TRUE(is_the_chain(&v));
		EXPECT_EQ(sizeof(*rec) + sizeof(struct ktr_ev_syscall) + 6 * 8, v.before);
		n++;
	}
	EXPECT_EQ(20, n);
}

TEST_F(stack, cut_at_what_was_asked_for)
{
	struct view v;

	ASSERT_EQ(0, ask(&self->s, KTR_BIT(syscall), 2, 3, 0));
	ASSERT_EQ(0, run(self, calls, NULL));
	for (size_t at = 0, n = 0; n < 20; n++) {
		ASSERT_TRUE(look(ktr_log_next(&self->s.log, &at, KTR_KIND_syscall, 0), &v));
		EXPECT_EQ(2, v.end.kernel);
		EXPECT_EQ(3, v.end.user);
		EXPECT_EQ(KTR_STACK_F_KERNEL_CUT | KTR_STACK_F_USER_CUT,
			  v.end.flags & (KTR_STACK_F_KERNEL_CUT | KTR_STACK_F_USER_CUT));
	}
}

TEST_F(stack, off_again)
{
	struct ktr_answer a;
	size_t at = 0, n = 0;
	const struct ktr_rec *rec;

	ASSERT_EQ(0, ask(&self->s, KTR_BIT(syscall), 8, 8, 0));
	ASSERT_EQ(0, ktr_session_get(&self->s, &a));
	EXPECT_NE(NULL, a.attr[KTR_A_STACK]);
	ASSERT_EQ(0, ask(&self->s, 0, 0, 0, 0));
	ASSERT_EQ(0, ktr_session_get(&self->s, &a));
	EXPECT_EQ(NULL, a.attr[KTR_A_STACK]);
	ASSERT_EQ(0, run(self, calls, NULL));
	for (; (rec = ktr_log_next(&self->s.log, &at, KTR_KIND_syscall, 0)); n++)
		EXPECT_EQ(0, rec->flags & KTR_REC_STACK);
	EXPECT_EQ(20, n);
}

/* ---- frame pointers that lead nowhere ---- */

/* A call with this stack and frame pointer. */
static void CHAINED call_with(void *sp, __u64 fp)
{
	asm volatile("mov %%rsp, %%rbx\n\tmov %%rbp, %%r12\n\t"
		     "mov %1, %%rsp\n\tmov %2, %%rbp\n\tsyscall\n\t"
		     "mov %%rbx, %%rsp\n\tmov %%r12, %%rbp"
		     : : "a"(SYS_getppid), "r"(sp), "r"(fp)
		     : "rcx", "r11", "rbx", "r12", "memory");
}

/* Behind a page for the stack: one that is there, one that is not. */
static char *odd_stack;
static __u64 *odd_page;

static const struct odd {
	__u64 add;
	bool absolute;
	int user, flags;
} odd[] = {
	{ 0, true, 2, 0 },				/* the end */
	{ 16, false, 4, KTR_STACK_F_USER_BAD },		/* points to itself, behind another */
	{ 4, false, 2, KTR_STACK_F_USER_BAD },		/* not aligned */
	{ 4096, false, 2, KTR_STACK_F_USER_BAD },	/* not mapped */
	{ 4096 - 8, false, 2, KTR_STACK_F_USER_BAD },	/* half of it is */
	{ 64, false, 3, 0 },				/* the last one */
	{ 80, false, 3, KTR_STACK_F_USER_BAD },		/* leads downwards */
	{ 96, false, 16, KTR_STACK_F_USER_CUT },	/* a chain without end */
	{ 0xffffffff81000000, true, 2, KTR_STACK_F_USER_BAD },
	{ 0x8000000000000000, true, 2, KTR_STACK_F_USER_BAD },
	{ 0x00007ffffffffff0, true, 2, KTR_STACK_F_USER_BAD },
	{ ~0ULL - 7, true, 2, KTR_STACK_F_USER_BAD },
};

#define ODD_N (sizeof(odd) / sizeof(odd[0]))

static void fill_odd(void)
{
	__u64 base = (unsigned long)odd_page;
	int i;

	odd_page[2] = base + 32;	/* at 16 */
	odd_page[3] = 0x1111;
	odd_page[4] = base + 32;	/* at 32: itself */
	odd_page[5] = 0x2222;
	odd_page[8] = 0;		/* at 64 */
	odd_page[9] = 0x3333;
	odd_page[10] = base + 16;	/* at 80 */
	odd_page[11] = 0x4444;
	for (i = 12; i < 500; i += 2) {
		odd_page[i] = base + (i + 2) * 8;
		odd_page[i + 1] = 0x5555;
	}
}

static int calls_oddly(void *arg)
{
	size_t i;

	for (i = 0; i < ODD_N; i++)
		call_with(odd_stack + 2048, odd[i].add + (odd[i].absolute ? 0 : (unsigned long)odd_page));
	return 0;
}

TEST_F(stack, broken_frame_pointers_end_the_walk)
{
	size_t at = 0, i;
	struct view v;

	odd_stack = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
			 MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, odd_stack);
	odd_page = (__u64 *)(odd_stack + 4096);
	ASSERT_EQ(0, munmap(odd_stack + 2 * 4096, 4096));
	fill_odd();
	ASSERT_EQ(0, ask(&self->s, KTR_BIT(syscall), 0, 16, 0));
	ASSERT_EQ(0, run(self, calls_oddly, NULL));
	for (i = 0; i < ODD_N; i++) {
		ASSERT_TRUE(look(ktr_log_next(&self->s.log, &at, KTR_KIND_syscall, 0), &v));
		EXPECT_TRUE(is_in(v.user[0], call_with));
		EXPECT_EQ(odd[i].user, v.end.user) {
			TH_LOG("frame pointer %zu", i);
		}
		EXPECT_EQ(odd[i].flags | KTR_STACK_F_TOP, v.end.flags) {
			TH_LOG("frame pointer %zu", i);
		}
	}
}

/* ---- the kernel's ---- */

static int add_func(struct ktr_session *s, const __u64 *addr, size_t n, __u32 flags)
{
	struct ktr_msg m;

	ktr_session_msg(s, &m, KTR_CMD_FUNC_ADD);
	ktr_msg_put(&m, KTR_A_ADDRS, addr, n * sizeof(*addr));
	ktr_msg_u32(&m, KTR_A_FLAGS, flags);
	return ktr_client_call(&s->client, &m, NULL);
}

static int polls(void *arg)
{
	struct pollfd p = { .fd = -1 };
	int i;

	for (i = 0; i < 20; i++)
		poll(&p, 1, 0);
	return 0;
}

/* The place of the next frame in such a function; -1: there is none. */
static int find(const struct view *v, int from, const char *name)
{
	for (; from < v->end.kernel; from++)
		if (ktr_ksym_inside(v->kernel[from], name))
			return from;
	return -1;
}

TEST_F(stack, of_the_kernel_in_its_order)
{
	__u64 addr = ktr_ksym_addr("do_sys_poll");
	const struct ktr_rec *rec;
	size_t at = 0, n = 0;
	struct view v, first = {};
	int i;

	if (!addr)
		SKIP(return, "the addresses of /proc/kallsyms are hidden");
	ASSERT_EQ(0, add_func(&self->s, &addr, 1, 0));
	ASSERT_EQ(0, ask(&self->s, KTR_BIT(function), 32, 0, 0));
	ASSERT_EQ(0, ktr_session_set(&self->s, KTR_A_EVENTS, KTR_BIT(function)));
	ASSERT_EQ(0, run(self, polls, NULL));
	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_function, self->pid))) {
		ASSERT_TRUE(look(rec, &v));
		EXPECT_EQ(0, v.end.user);
		/* Names take long: of the others it is enough that they are the same. */
		if (n++) {
			EXPECT_EQ(first.end.kernel, v.end.kernel);
			EXPECT_EQ(0, memcmp(first.kernel, v.kernel, 8 * v.end.kernel));
			continue;
		}
		first = v;
		i = find(&v, 0, "do_sys_poll");
		EXPECT_LE(0, i);
		EXPECT_GE(3, i);
		EXPECT_EQ(i + 1, find(&v, i, "__x64_sys_poll"));
		EXPECT_LT(i + 1, find(&v, i, "do_syscall_64"));
		EXPECT_EQ(-1, find(&v, 0, "ktr_"));
	}
	EXPECT_EQ(20, n);
}

/* Entries of the function at @addr; its records have the call in its first bytes. */
static size_t entries_of(const struct ktr_log *log, __u64 addr)
{
	const struct ktr_rec *rec;
	size_t at = 0, n = 0;

	while ((rec = ktr_log_next(log, &at, KTR_KIND_function, 0))) {
		const struct ktr_ev_function *ev = ktr_payload(rec);

		n += ev->ip - addr < 16;
	}
	return n;
}

/* The unwinder's own functions, traced with stacks: what a walk does is not recorded. */
TEST_F(stack, walks_do_not_walk_themselves)
{
	__u64 addr[64];
	size_t n = 1 + ktr_ksym_traceable("unwind_", addr + 1, 20);

	n += ktr_ksym_traceable("stack_trace_", addr + n, 20);
	n += ktr_ksym_traceable("arch_stack_", addr + n, 20);
	addr[0] = ktr_ksym_addr("do_sys_poll");
	if (!addr[0])
		SKIP(return, "the addresses of /proc/kallsyms are hidden");
	ASSERT_EQ(0, add_func(&self->s, addr, n, KTR_FUNCS_F_RET));
	ASSERT_EQ(0, ask(&self->s, KTR_BIT(function) | KTR_BIT(function_return), 32, 32, 512));
	ASSERT_EQ(0, ktr_session_set(&self->s, KTR_A_EVENTS, KTR_BIT(function) |
				     KTR_BIT(function_return)));
	ASSERT_EQ(0, run(self, polls, NULL));
	if (ktr_ksym_addr("kasan_save_stack"))
		SKIP(return, "this kernel walks stacks for itself all the time");
	EXPECT_EQ(20, entries_of(&self->s.log, addr[0]));
	/* KFENCE walks now and then; ours would be one more for each record at least. */
	EXPECT_GT(30, ktr_log_count(&self->s.log, KTR_KIND_function, 0));
	EXPECT_GT(30, ktr_log_count(&self->s.log, KTR_KIND_function_return, 0));
}

/* ---- copies, for unwinding later ---- */

static long CHAINED marked(void)
{
	volatile __u64 words[4] = { 0x6b747261, 0x63657231, 0x6b747262, 0x63657232 };
	long ret = call(SYS_getppid);

	return ret + words[0] - words[3];
}

static int __attribute__((APART)) calls_marked(void *arg)
{
	int i;

	for (i = 0; i < 5; i++)
		marked();
	return 0;
}

TEST_F(stack, copied_with_registers)
{
	const struct ktr_rec *rec;
	size_t at = 0, n = 0, i;
	struct view v;

	ASSERT_EQ(0, ask(&self->s, KTR_BIT(syscall), 0, 0, 4096));
	ASSERT_EQ(0, run(self, calls_marked, NULL));
	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_syscall, self->pid))) {
		ASSERT_TRUE(look(rec, &v));
		ASSERT_EQ(17, v.end.regs);
		EXPECT_TRUE(is_in(v.regs[16], call));
		ASSERT_LT(16, v.end.copied);
		for (i = 0; i < v.end.copied && v.copied[i] != 0x6b747261; i++)
			;
		ASSERT_LT(i + 3, v.end.copied);
		EXPECT_EQ(0x63657232, v.copied[i + 3]);
		/* The frame of the one that calls is found where its pointer says. */
		i = (v.regs[6] - v.regs[7]) / 8;
		ASSERT_LT(i + 1, v.end.copied);
		EXPECT_TRUE(is_in(v.copied[i + 1], calls_marked));
		EXPECT_TRUE(is_in(v.copied[0], marked));
		n++;
	}
	EXPECT_EQ(5, n);
}

/* A ring that takes the record takes it without its stack. */
TEST(stack_that_does_not_fit_is_left_out)
{
	static const int nrs[] = { SYS_getppid, -1 };
	struct ktr_counts counts;
	struct ktr_session s;
	struct ktr_child c;

	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){ .buf_size = 4096 }));
	ASSERT_EQ(0, ktr_session_calls(&s, nrs));
	ASSERT_EQ(0, ktr_session_start(&s, KTR_BIT(syscall)));
	ASSERT_EQ(0, ask(&s, KTR_BIT(syscall), 64, 64, 16384));
	ASSERT_EQ(0, ktr_child_traced(&c, &s, 0, calls, NULL));
	EXPECT_EQ(0, ktr_child_run(&c));
	ASSERT_EQ(0, ktr_session_finish(&s));
	ASSERT_EQ(0, ktr_session_counts(&s, &counts));
	EXPECT_EQ(0, counts.lost_why[KTR_LOSS_BIG]);
	EXPECT_NE(0, ktr_log_count(&s.log, KTR_KIND_syscall, 0));
	ktr_session_close(&s);
}

/* ---- what they cost: case L-13 ---- */

enum { WITHOUT, WITH, NEITHER };

struct costs {
	volatile int which;		/* NEITHER: the session is being changed */
	volatile long batches[2];
	volatile __u64 least[2];	/* nanoseconds of a batch */
	long calls;			/* of a batch */
};

static __u64 cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * KTR_SECOND + ts.tv_nsec;
}

static int __attribute__((APART)) calls_for_ever(void *arg)
{
	struct costs *c = arg;
	__u64 start, took;
	int which;
	long i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		which = c->which;
		start = cpu_time();
		for (i = 0; i < c->calls; i++)
			outer(SYS_getppid);
		took = cpu_time() - start;
		/* Not of one that was begun in another state. */
		if (which == NEITHER || which != c->which)
			continue;
		if (!c->batches[which] || took < c->least[which])
			c->least[which] = took;
		c->batches[which]++;
	}
	return 0;
}

/* The least of many batches, which take turns: a busy machine slows both. */
TEST(calls_take_at_most_three_times_as_long)
{
	static const int nrs[] = { SYS_getppid, -1 };
	struct ktr_session s;
	struct ktr_child child;
	struct costs *c;
	long turn, want;
	int which;

	KTR_NEED_MODULE();
	if (!access("/sys/kernel/debug/kmemleak", F_OK))
		SKIP(return, "what the checks of this kernel cost is not ours");
	c = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, c);
	c->which = NEITHER;
	c->calls = ktr_scaled(10000);
	ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){ .mode = KTR_MODE_OVERWRITE }));
	ASSERT_EQ(0, ktr_session_calls(&s, nrs));
	ASSERT_EQ(0, ktr_session_start(&s, KTR_BIT(syscall)));
	ASSERT_EQ(0, ktr_child_traced(&child, &s, 0, calls_for_ever, c));
	ktr_child_go(&child);
	for (turn = 0; turn < 20; turn++) {
		which = turn % 2 ? WITH : WITHOUT;
		ASSERT_EQ(0, ask(&s, which == WITH ? KTR_BIT(syscall) : 0, 0, 32, 0));
		want = c->batches[which] + 3;
		c->which = which;
		ASSERT_TRUE(ktr_wait_for(c->batches[which] >= want));
		c->which = NEITHER;
	}
	ktr_child_kill(&child);
	TH_LOG("%ld calls: %llu us, with stacks %llu us", c->calls, c->least[WITHOUT] / 1000,
	       c->least[WITH] / 1000);
	EXPECT_LT(c->least[WITHOUT], c->least[WITH]);
	EXPECT_LE(c->least[WITH], 3 * c->least[WITHOUT]);
	ktr_session_close(&s);
	munmap(c, 4096);
}

/* ---- who may what ---- */

TEST_F(stack, told_with_bounds)
{
	EXPECT_EQ(-EINVAL, ask(&self->s, KTR_BIT(syscall), 65, 0, 0));
	EXPECT_EQ(-EINVAL, ask(&self->s, KTR_BIT(syscall), 0, 65, 0));
	EXPECT_EQ(-EINVAL, ask(&self->s, KTR_BIT(syscall), 0, 0, 16392));
	EXPECT_EQ(-EINVAL, ask(&self->s, KTR_BIT(syscall), 0, 0, 12));
	EXPECT_EQ(-EOPNOTSUPP, ask(&self->s, KTR_BIT(lost), 1, 0, 0));
	EXPECT_EQ(-EOPNOTSUPP, ask(&self->s, KTR_BIT(sched_in), 1, 0, 0));
	EXPECT_EQ(-EOPNOTSUPP, ask(&self->s, KTR_BIT(exec), 1, 0, 0));
	EXPECT_EQ(-EOPNOTSUPP, ask(&self->s, 1ULL << 62, 1, 0, 0));
	EXPECT_EQ(0, ask(&self->s, KTR_BIT(syscall), 64, 64, 16384));
}

/* Of what he may record: his own frames and no address of the kernel. */
static int plain_sees_his_own(void *unused)
{
	static const int nrs[] = { SYS_getppid, -1 };
	const struct ktr_rec *rec;
	struct ktr_session s;
	struct ktr_child c;
	size_t at, n = 0;
	struct view v;
	int i;

	KTR_WANT(!ktr_session_open(&s, &(struct ktr_setup){ .buf_size = 1 << 20 }));
	KTR_WANT(!ktr_session_calls(&s, nrs));
	KTR_WANT(!ktr_session_start(&s, KTR_BIT(syscall) | KTR_BIT(sched_out) |
				    KTR_BIT(signal_generate) | KTR_BIT(wakeup)));
	KTR_WANT(ask(&s, KTR_BIT(syscall), 1, 8, 0) == -EPERM);
	KTR_WANT(strstr(s.client.text, "CAP_PERFMON"));
	KTR_WANT(!ask(&s, KTR_BIT(syscall) | KTR_BIT(sched_out) | KTR_BIT(wakeup), 0, 8, 1024));
	KTR_WANT(!ktr_child_traced(&c, &s, 0, calls, NULL));
	KTR_WANT(!ktr_child_run(&c));
	KTR_WANT(!ktr_session_finish(&s));
	for (at = 0; at < s.log.n; at++) {
		rec = s.log.v[at].rec;
		if (!look(rec, &v))
			continue;
		KTR_WANT(!v.end.kernel);
		for (i = 0; i < v.end.words - 1; i++)
			KTR_WANT(v.kernel[i] < 0xffff800000000000 || v.kernel[i] > ~0ULL - 4096);
		if (rec->kind != KTR_KIND_syscall)
			continue;
		KTR_WANT(is_the_chain(&v));
		n++;
	}
	KTR_WANT(n == 20);
	ktr_session_close(&s);
	return 0;
}

TEST_F(stack, plain_users_see_none_of_the_kernel)
{
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, plain_sees_his_own, NULL));
}

TEST_HARNESS_MAIN
