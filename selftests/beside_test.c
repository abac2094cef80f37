// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Other users of the syscall tracepoints beside ktracer, in all orders of coming
 * and going: each sees every call, of threads that ktracer does not trace.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include "ktr_module.h"
#include "ktr_stranger.h"
#include "ktr_test.h"

#define PARAM	"/sys/module/ktracer/parameters/narrow"
#define CALLS	100
#define CREW	3

FIXTURE(beside) {
	struct ktr_watch watch;
	struct ktr_session s;
	struct ktr_crew crew, target;
	struct ktr_stranger other;
	long seen, traced;
};

FIXTURE_VARIANT(beside) {
	enum ktr_stranger_kind kind;
};

FIXTURE_VARIANT_ADD(beside, ftrace) { .kind = KTR_FTRACE };
FIXTURE_VARIANT_ADD(beside, perf_task) { .kind = KTR_PERF_TASK };
FIXTURE_VARIANT_ADD(beside, perf_cpu) { .kind = KTR_PERF_CPU };
FIXTURE_VARIANT_ADD(beside, bpf) { .kind = KTR_BPF };

FIXTURE_SETUP(beside)
{
	int ret;

	KTR_NEED_MODULE();
	memset(self->other.fd, -1, sizeof(self->other.fd));
	self->s.fd = self->s.client.fd = -1;
	ret = ktr_watch_open(&self->watch);
	if (ret == -ENOENT)
		SKIP(return, "no function of the slow way is known here");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, ktr_put(PARAM, "Y"));
	ASSERT_EQ(0, ktr_crew_start(&self->crew, CREW));
	ASSERT_EQ(0, ktr_crew_start(&self->target, 1));
}

FIXTURE_TEARDOWN(beside)
{
	ktr_stranger_stop(&self->other);
	ktr_crew_end(&self->crew);
	ktr_crew_end(&self->target);
	if (self->s.id)
		ktr_session_close(&self->s);
	ktr_watch_close(&self->watch);
}

/* Threads of the crew that go the slow way. */
static int flagged(FIXTURE_DATA(beside) *self)
{
	int n = 0, i;

	if (ktr_watch_begin(&self->watch) || !ktr_crew_work(&self->crew, 10) ||
	    ktr_watch_end(&self->watch))
		return -1;
	for (i = 0; i < CREW; i++)
		n += ktr_watch_hits(&self->watch, self->crew.tid[i]) > 0;
	return n;
}

static int we_come(FIXTURE_DATA(beside) *self)
{
	int ret = ktr_session_open(&self->s, &(struct ktr_setup){});

	self->traced = 0;
	ret = ret ?: ktr_session_calls(&self->s, (int[]){ SYS_getppid, -1 });
	if (!ret && ktr_session_attach(&self->s, KTR_TARGET_PID,
				       self->target.pid, 0) != 1)
		ret = -ESRCH;
	return ret ?: ktr_session_start(&self->s, KTR_BIT(syscall));
}

static void we_go(FIXTURE_DATA(beside) *self)
{
	ktr_session_close(&self->s);
}

static int he_comes(FIXTURE_DATA(beside) *self, enum ktr_stranger_kind kind)
{
	self->seen = 0;
	return ktr_stranger_start(&self->other, kind, &self->crew);
}

static void he_goes(FIXTURE_DATA(beside) *self)
{
	ktr_stranger_stop(&self->other);
}

/* Both crews work; what does he say of his, and we of ours? */
#define WORK(he_is, we_are) do {					\
	long count[2];							\
									\
	ASSERT_TRUE(ktr_crew_work(&self->crew, CALLS));			\
	ASSERT_TRUE(ktr_crew_work(&self->target, CALLS));		\
	if (he_is) {							\
		self->seen += CREW * CALLS;				\
		ASSERT_EQ(0, ktr_stranger_count(&self->other, self->seen, count)); \
		ASSERT_EQ(self->seen, count[0]);			\
		ASSERT_EQ(self->seen, count[1]);			\
	}								\
	if (we_are) {							\
		self->traced += CALLS;					\
		ASSERT_EQ(0, ktr_session_drain(&self->s));		\
		ASSERT_EQ(self->traced, ktr_log_count(&self->s.log,	\
						      KTR_KIND_syscall,	\
						      self->target.pid)); \
	}								\
} while (0)

TEST_F(beside, he_is_there_before)
{
	ASSERT_EQ(0, he_comes(self, variant->kind));
	WORK(1, 0);
	ASSERT_EQ(0, we_come(self));
	EXPECT_EQ(KTR_NARROW_OFF_OTHERS, ktr_info_u32(NULL, KTR_A_NARROW));
	WORK(1, 1);
	we_go(self);
	WORK(1, 0);
	he_goes(self);
	EXPECT_EQ(0, flagged(self));
}

TEST_F(beside, he_goes_before)
{
	ASSERT_EQ(0, he_comes(self, variant->kind));
	ASSERT_EQ(0, we_come(self));
	WORK(1, 1);
	he_goes(self);
	WORK(0, 1);
	EXPECT_TRUE(ktr_wait_for(ktr_info_u32(NULL, KTR_A_NARROW) == KTR_NARROW_ON));
	EXPECT_TRUE(ktr_wait_for(flagged(self) == 0));
	WORK(0, 1);
	we_go(self);
	EXPECT_EQ(0, flagged(self));
}

TEST_F(beside, he_comes_in_the_middle)
{
	int i;

	ASSERT_EQ(0, we_come(self));
	ASSERT_EQ(KTR_NARROW_ON, ktr_info_u32(NULL, KTR_A_NARROW));
	for (i = 0; i < 3; i++) {
		WORK(0, 1);
		ASSERT_EQ(0, flagged(self));
		ASSERT_EQ(0, he_comes(self, variant->kind));
		ASSERT_EQ(KTR_NARROW_OFF_OTHERS, ktr_info_u32(NULL, KTR_A_NARROW));
		WORK(1, 1);
		he_goes(self);
		WORK(0, 1);
		ASSERT_TRUE(ktr_wait_for(ktr_info_u32(NULL, KTR_A_NARROW) == KTR_NARROW_ON));
		ASSERT_TRUE(ktr_wait_for(flagged(self) == 0));
	}
	we_go(self);
}

TEST_F(beside, we_come_and_go_under_him)
{
	int i;

	ASSERT_EQ(0, we_come(self));
	ASSERT_EQ(0, he_comes(self, variant->kind));
	for (i = 0; i < 3; i++) {
		WORK(1, 1);
		we_go(self);
		WORK(1, 0);
		ASSERT_EQ(0, we_come(self));
		EXPECT_EQ(KTR_NARROW_OFF_OTHERS, ktr_info_u32(NULL, KTR_A_NARROW));
	}
	WORK(1, 1);
	he_goes(self);
	EXPECT_TRUE(ktr_wait_for(ktr_info_u32(NULL, KTR_A_NARROW) == KTR_NARROW_ON));
	we_go(self);
}

static void *looks_again(void *stop)
{
	while (!*(volatile bool *)stop)
		ktr_put(PARAM, "Y");
	return NULL;
}

/* Whether the flag may be narrow is asked all the time, also between hook and list. */
TEST_F(beside, he_is_looked_for_while_he_comes)
{
	bool stop = false;
	pthread_t looker;
	int i, n = 3 + ktr_scaled(400);

	ASSERT_EQ(0, we_come(self));
	ASSERT_EQ(0, pthread_create(&looker, NULL, looks_again, &stop));
	for (i = 0; i < n; i++) {
		if (he_comes(self, variant->kind) || flagged(self) != CREW)
			break;
		he_goes(self);
	}
	stop = true;
	pthread_join(looker, NULL);
	EXPECT_EQ(n, i);
}

/* Longer than the pause between two looks at who is there. */
TEST_F(beside, he_stays)
{
	__u64 end;

	ASSERT_EQ(0, we_come(self));
	ASSERT_EQ(0, he_comes(self, variant->kind));
	for (end = ktr_now() + 4 * KTR_SECOND; ktr_now() < end; ) {
		WORK(1, 1);
		ASSERT_EQ(KTR_NARROW_OFF_OTHERS, ktr_info_u32(NULL, KTR_A_NARROW));
	}
}

TEST_F(beside, module_goes_and_comes_under_him)
{
	if (access(ktr_module_path(), R_OK))
		SKIP(return, "no module file at %s", ktr_module_path());
	ASSERT_EQ(0, we_come(self));
	ASSERT_EQ(0, he_comes(self, variant->kind));
	WORK(1, 1);
	we_go(self);
	ASSERT_TRUE(ktr_wait_for(!ktr_module_unload()));
	WORK(1, 0);
	ASSERT_EQ(0, ktr_module_load());
	WORK(1, 0);
	ASSERT_EQ(0, we_come(self));
	EXPECT_EQ(KTR_NARROW_OFF_OTHERS, ktr_info_u32(NULL, KTR_A_NARROW));
	WORK(1, 1);
}

TEST_HARNESS_MAIN
