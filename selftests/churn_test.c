// SPDX-License-Identifier: GPL-2.0-or-later
/* Many functions hooked and let go, again and again, while all CPUs call them. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include "ktr_ksyms.h"
#include "ktr_test.h"
#include "ktr_works.h"

#define MANY	80000
#define BLOCK	KTR_FUNCS_MSG_MAX

static __u64 addr[MANY];

FIXTURE(churn) {
	struct ktr_session s;
	struct ktr_child child, other;
	volatile long *turns;	/* of the traced one and the other */
};

/* The first kind of work is TCP on the loopback interface. */
static int works_on(void *arg)
{
	volatile long *turns = arg;
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		for (i = 0; i < 3; i++) {
			if (ktr_works[i].work())
				return 1;
			++*turns;
		}
	return 0;
}

FIXTURE_SETUP(churn)
{
	KTR_NEED_MODULE();
	self->turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->turns);
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(function) |
				       KTR_BIT(function_return)));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, works_on,
				      (void *)&self->turns[0]));
	ASSERT_EQ(0, ktr_child_start(&self->other, works_on, (void *)&self->turns[1]));
	ktr_child_go(&self->child);
	ktr_child_go(&self->other);
}

FIXTURE_TEARDOWN(churn)
{
	ktr_child_kill(&self->other);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

struct tally {
	long n[64];
};

static int count(void *arg, __u32 cpu, int ring, __u64 pos, const struct ktr_rec *rec)
{
	struct tally *t = arg;

	if (rec->kind < 64)
		t->n[rec->kind]++;
	return 0;
}

/*
 * As many at a time as a message takes: each time the kernel makes the filter anew, from
 * its beginning, which its checks make dear.
 */
static int hook(struct ktr_session *s, size_t n, __u32 flags)
{
	size_t at, some;
	int ret = 0;

	for (at = 0; !ret && at < n; at += some) {
		some = n - at < BLOCK ? n - at : BLOCK;
		ret = ktr_session_func_add(s, addr + at, some, flags);
	}
	return ret;
}

/* Hooked @times times; each time something is recorded, and nothing afterwards. */
static void churn(struct __test_metadata *_metadata, FIXTURE_DATA(churn) *self, size_t n,
		  __u32 flags, long times)
{
	struct tally t;
	long i, kind = flags ? KTR_KIND_function_return : KTR_KIND_function;

	for (i = 0; i < times; i++) {
		ASSERT_EQ(0, hook(&self->s, n, flags)) {
			TH_LOG("%s", self->s.client.text);
		}
		memset(&t, 0, sizeof(t));
		ASSERT_TRUE(ktr_wait_for(!ktr_reader_round(&self->s.reader, count, &t) &&
					 t.n[kind]));
		ASSERT_EQ(0, ktr_session_func_del(&self->s, NULL, 0));
		ASSERT_EQ(0, ktr_session_u32(&self->s, KTR_A_NFUNCS));
		ASSERT_EQ(0, ktr_reader_round(&self->s.reader, count, &t));
	}
	memset(&t, 0, sizeof(t));
	self->turns[0] = self->turns[1] = 0;
	ASSERT_TRUE(ktr_wait_for(self->turns[0] > 1 && self->turns[1] > 1));
	ASSERT_EQ(0, ktr_reader_round(&self->s.reader, count, &t));
	EXPECT_EQ(0, t.n[KTR_KIND_function] + t.n[KTR_KIND_function_return]);
}

TEST_F(churn, hundreds_of_functions)
{
	size_t n = ktr_ksym_traceable("tcp_", addr, MANY);

	if (!n)
		SKIP(return, "the addresses of /proc/kallsyms are hidden");
	churn(_metadata, self, n, 0, ktr_scaled(200));
}

TEST_F(churn, hundreds_of_functions_that_return)
{
	size_t n = ktr_ksym_traceable("tcp_", addr, MANY);

	if (!n)
		SKIP(return, "the addresses of /proc/kallsyms are hidden");
	churn(_metadata, self, n, KTR_FUNCS_F_RET, ktr_scaled(40));
}

/* Takes minutes on a kernel with all its checks. */
TEST_F(churn, all_functions)
{
	size_t n;

	if (ktr_scaled(5) < 5)
		SKIP(return, "at full size only");
	n = ktr_ksym_traceable("", addr, MANY);
	if (!n)
		SKIP(return, "the addresses of /proc/kallsyms are hidden");
	TH_LOG("%zu functions", n);
	churn(_metadata, self, n, 0, 5);
}

TEST_HARNESS_MAIN
