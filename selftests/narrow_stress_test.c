// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracers that come and go at random, also two at once, while tasks are born and
 * die on all CPUs and the module goes and comes. Whoever is there counts every
 * call of a crew; at the end nobody pays, and it begins anew. bpftrace itself is
 * in tool_beside_test: it needs longer to come than a round may last here.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "ktr_module.h"
#include "ktr_random.h"
#include "ktr_stranger.h"
#include "ktr_test.h"

#define CREW	3
#define STORMS	3
#define say(fmt, ...)	fprintf(stderr, "# " fmt "\n", ##__VA_ARGS__)
#define PARAM	"/sys/module/ktracer/parameters/narrow"

FIXTURE(stress) {
	struct ktr_watch watch;
	struct ktr_random rnd;
	struct ktr_crew crew, target;
	struct ktr_stranger other[KTR_STRANGERS];
	long seen[KTR_STRANGERS];	/* -1: he is not there */
	struct ktr_session s;
	bool ours;
	long traced;
	pid_t strace, storm[STORMS];
	char strace_log[32];
	long straced;			/* calls of the crew's first thread since it came */
	long rounds, changes;
};

static void *lives_briefly(void *arg)
{
	syscall(SYS_getppid);
	return arg;
}

static void storm_threads(void)
{
	pthread_t t[4];
	int i, n;

	for (n = 0; n < 4; n++)
		if (pthread_create(&t[n], NULL, lives_briefly, NULL))
			break;
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

/* Births and deaths without end: children, threads, programs. */
static void storm(int cpu)
{
	int turn;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	ktr_pin(cpu % sysconf(_SC_NPROCESSORS_ONLN));
	for (turn = 0;; turn++) {
		pid_t pid = fork();

		if (!pid) {
			if (turn % 3 == 0)
				execl("/bin/true", "true", NULL);
			if (turn % 3 == 1)
				storm_threads();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

FIXTURE_SETUP(stress)
{
	int ret, i;

	KTR_NEED_MODULE();
	ret = ktr_watch_open(&self->watch);
	if (ret == -ENOENT)
		SKIP(return, "no function of the slow way is known here");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, ktr_put(PARAM, "Y"));
	ktr_random_init(&self->rnd, ktr_seed());
	say("seed %llu", (unsigned long long)ktr_seed());
	ASSERT_EQ(0, ktr_crew_start(&self->crew, CREW));
	ASSERT_EQ(0, ktr_crew_start(&self->target, 1));
	for (i = 0; i < KTR_STRANGERS; i++)
		self->seen[i] = -1;
	for (i = 0; i < STORMS; i++) {
		self->storm[i] = fork();
		if (!self->storm[i])
			storm(i);
	}
}

static long lines_with(const char *path, const char *start)
{
	FILE *f = fopen(path, "re");
	char line[256];
	long n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !strncmp(line, start, strlen(start));
	if (f)
		fclose(f);
	return n;
}

/* Has it written every call of the thread that it traced? */
static int end_strace(FIXTURE_DATA(stress) *self)
{
	long got;

	if (self->strace <= 0)
		return 0;
	kill(self->strace, SIGTERM);
	waitpid(self->strace, NULL, 0);
	self->strace = 0;
	got = lines_with(self->strace_log, "getppid(");
	unlink(self->strace_log);
	if (got == self->straced)
		return 0;
	say("round %ld: strace: %ld of %ld", self->rounds, got, self->straced);
	return -EIO;
}

FIXTURE_TEARDOWN(stress)
{
	int i;

	for (i = 0; i < STORMS; i++) {
		kill(self->storm[i], SIGKILL);
		waitpid(self->storm[i], NULL, 0);
	}
	end_strace(self);
	for (i = 0; i < KTR_STRANGERS; i++)
		if (self->seen[i] >= 0)
			ktr_stranger_stop(&self->other[i]);
	if (self->ours)
		ktr_session_close(&self->s);
	ktr_crew_end(&self->crew);
	ktr_crew_end(&self->target);
	ktr_watch_close(&self->watch);
}

static int toggle_ours(FIXTURE_DATA(stress) *self)
{
	int ret;

	self->ours = !self->ours;
	self->traced = 0;
	if (!self->ours) {
		ktr_session_close(&self->s);
		return 0;
	}
	ret = ktr_session_open(&self->s, &(struct ktr_setup){});
	if (ret) {
		self->ours = false;
		return ret;
	}
	ret = ktr_session_calls(&self->s, (int[]){ SYS_getppid, -1 });
	if (!ret && ktr_session_attach(&self->s, KTR_TARGET_PID,
				       self->target.pid, 0) != 1)
		ret = -ESRCH;
	return ret ?: ktr_session_start(&self->s, KTR_BIT(syscall));
}

static int toggle_other(FIXTURE_DATA(stress) *self, int kind)
{
	int ret;

	if (self->seen[kind] >= 0) {
		ktr_stranger_stop(&self->other[kind]);
		self->seen[kind] = -1;
		return 0;
	}
	ret = ktr_stranger_start(&self->other[kind], kind, &self->crew);
	if (ret == -ENOENT || ret == -ENOSYS)
		return 0;
	self->seen[kind] = ret ? -1 : 0;
	return ret;
}

static bool status_has(pid_t pid, const char *line)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	return lines_with(path, line);
}

/* It has got hold of the thread, has let it go on, and waits for its calls. */
static bool strace_waits(FIXTURE_DATA(stress) *self)
{
	return !status_has(self->crew.pid, "TracerPid:\t0") &&
	       status_has(self->strace, "State:\tS") &&
	       status_has(self->crew.pid, "State:\tS");
}

static int toggle_strace(FIXTURE_DATA(stress) *self)
{
	char pid[16];

	if (self->strace > 0)
		return end_strace(self);
	if (access("/usr/bin/strace", X_OK))
		return 0;
	snprintf(pid, sizeof(pid), "%d", self->crew.pid);
	snprintf(self->strace_log, sizeof(self->strace_log), "/tmp/strace.%d",
		 getpid());
	self->straced = 0;
	self->strace = fork();
	if (!self->strace) {
		execl("/usr/bin/strace", "strace", "-q", "-e", "trace=getppid",
		      "-o", self->strace_log, "-p", pid, NULL);
		_exit(127);
	}
	return ktr_wait_for(strace_waits(self)) ? 0 : -ETIME;
}

/* The strangers stay. It does not go while a session of ours is there. */
static int cycle_module(FIXTURE_DATA(stress) *self)
{
	if (access(ktr_module_path(), R_OK))
		return 0;
	if (self->ours)
		return ktr_module_unload() ? 0 : -EINVAL;
	if (!ktr_wait_for(!ktr_module_unload()))
		return -EBUSY;
	return ktr_module_load();
}

struct errand {
	FIXTURE_DATA(stress) *self;
	int kind, cpu, ret;
};

static void *run_errand(void *arg)
{
	struct errand *e = arg;

	ktr_pin(e->cpu);
	e->ret = toggle_other(e->self, e->kind);
	return NULL;
}

/* A stranger and we, at once, on any CPUs. */
static int toggle_both(FIXTURE_DATA(stress) *self)
{
	struct errand e = {
		.self = self,
		.kind = ktr_random_below(&self->rnd, KTR_STRANGERS),
		.cpu = ktr_random_below(&self->rnd, sysconf(_SC_NPROCESSORS_ONLN)),
	};
	pthread_t t;
	int ret;

	if (pthread_create(&t, NULL, run_errand, &e))
		return -EAGAIN;
	ret = toggle_ours(self);
	pthread_join(t, NULL);
	return ret ?: e.ret;
}

static int change(FIXTURE_DATA(stress) *self)
{
	int what = ktr_random_below(&self->rnd, 16);

	self->changes++;
	if (what < KTR_STRANGERS)
		return toggle_other(self, what);
	if (what == KTR_STRANGERS)
		return toggle_strace(self);
	if (what == KTR_STRANGERS + 1)
		return cycle_module(self);
	return what % 2 ? toggle_ours(self) : toggle_both(self);
}

/* All work; everybody who is there has seen all of it. */
static int work(FIXTURE_DATA(stress) *self)
{
	long calls = 1 + ktr_random_below(&self->rnd, 50), got[2];
	int i, bad = 0;

	if (!ktr_crew_work(&self->crew, calls) ||
	    !ktr_crew_work(&self->target, calls))
		return -ETIME;
	self->straced += calls;
	for (i = 0; i < KTR_STRANGERS; i++) {
		if (self->seen[i] < 0)
			continue;
		self->seen[i] += calls * CREW;
		if (ktr_stranger_count(&self->other[i], self->seen[i], got) ||
		    got[0] != self->seen[i] || got[1] != self->seen[i]) {
			say("round %ld: %s: %ld and %ld of %ld",
			       self->rounds, ktr_stranger_name(i), got[0],
			       got[1], self->seen[i]);
			bad++;
		}
	}
	self->rounds++;
	if (!self->ours)
		return bad;
	self->traced += calls;
	if (ktr_session_drain(&self->s) ||
	    ktr_log_count(&self->s.log, KTR_KIND_syscall, 0) != self->traced) {
		say("round %ld: ktracer: %zu of %ld", self->rounds,
		       ktr_log_count(&self->s.log, KTR_KIND_syscall, 0),
		       self->traced);
		bad++;
	}
	return bad;
}

/* For a while in which everybody works and storms. */
static long who_pays(FIXTURE_DATA(stress) *self, const pid_t *except, int n)
{
	int i;

	if (ktr_watch_begin(&self->watch))
		return -1;
	for (i = 0; i < 20; i++)
		if (!ktr_crew_work(&self->crew, 20))
			return -1;
	if (ktr_watch_end(&self->watch))
		return -1;
	return ktr_watch_others(&self->watch, except, n);
}

static int everybody_goes(FIXTURE_DATA(stress) *self)
{
	int ret = end_strace(self), i;

	for (i = 0; i < KTR_STRANGERS; i++)
		if (self->seen[i] >= 0)
			ret = ret ?: toggle_other(self, i);
	return ret;
}

static int run(FIXTURE_DATA(stress) *self, __u64 ns)
{
	__u64 end = ktr_now() + ns;
	int ret = 0;

	while (!ret && ktr_now() < end) {
		ret = change(self);
		if (ret)
			say("change %ld: %s", self->changes, strerror(-ret));
		ret = ret ?: work(self);
	}
	return ret;
}

static void run_twice(struct __test_metadata *_metadata,
		      FIXTURE_DATA(stress) *self, __u64 ns)
{
	int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, run(self, ns));
		ASSERT_EQ(0, everybody_goes(self));
		/* Ours alone: only the target pays, as soon as that is noticed. */
		if (!self->ours)
			ASSERT_EQ(0, toggle_ours(self));
		EXPECT_TRUE(ktr_wait_for(!who_pays(self, &self->target.pid, 1)));
		ASSERT_EQ(0, work(self));
		ASSERT_EQ(0, toggle_ours(self));
		EXPECT_EQ(0, who_pays(self, NULL, 0));
		ns /= 4;
	}
	say("%ld rounds, %ld changes", self->rounds, self->changes);
	EXPECT_LT(2, self->rounds);
}

TEST_F(stress, tracers_come_and_go)
{
	run_twice(_metadata, self, KTR_SECOND * ktr_scaled(60));
}

#define FAILSLAB "/sys/kernel/debug/failslab"

/* Our @n-th allocation from now on fails; 0: none. */
static int fail_nth(int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", n);
	return ktr_put("/proc/thread-self/fail-nth", text);
}

static int prepare_faults(void)
{
	return ktr_put(FAILSLAB "/ignore-gfp-wait", "N") ?:
	       ktr_put(FAILSLAB "/verbose", "0") ?: fail_nth(0);
}

/*
 * A change that runs out of memory somewhere; it may fail, or go on without.
 * A stranger's going is not tried: he might not be gone.
 */
static int change_without_memory(FIXTURE_DATA(stress) *self)
{
	int kind = ktr_random_below(&self->rnd, KTR_STRANGERS), ret;
	int n = 1 + ktr_random_below(&self->rnd, 120);
	bool us = ktr_one_in(&self->rnd, 3);

	if (!us && self->seen[kind] >= 0)
		return toggle_other(self, kind);
	ret = fail_nth(n);
	if (ret)
		return ret;
	if (us)
		toggle_ours(self);
	else
		toggle_other(self, kind);
	ret = fail_nth(0);
	/*
	 * The n-th may have been one of those that this takes, of a page fault of its own
	 * too; then it is done with.
	 */
	return ret ? fail_nth(0) : 0;
}

/* What came up by halves has not seen all, and goes before it is asked. */
static bool whole(FIXTURE_DATA(stress) *self)
{
	return !self->ours ||
	       (ktr_session_u32(&self->s, KTR_A_STATE) == KTR_STATE_RUNNING &&
		ktr_session_u32(&self->s, KTR_A_NTARGETS) == 1);
}

TEST_F(stress, memory_fails)
{
	long tries = ktr_scaled(400), i;
	int ret = prepare_faults();

	if (ret)
		SKIP(return, "this kernel cannot make allocations fail");
	ASSERT_EQ(0, toggle_ours(self));
	for (i = 0; i < tries; i++) {
		ASSERT_EQ(0, change_without_memory(self));
		if (!whole(self))
			ASSERT_EQ(0, toggle_ours(self));
		ASSERT_EQ(0, work(self));
	}
	ASSERT_EQ(0, everybody_goes(self));
	if (self->ours)
		ASSERT_EQ(0, toggle_ours(self));
	EXPECT_EQ(0, who_pays(self, NULL, 0));
	/* It may be unsure for ever; a new one is not. */
	ASSERT_EQ(0, cycle_module(self));
	ASSERT_EQ(0, toggle_ours(self));
	EXPECT_TRUE(ktr_wait_for(!who_pays(self, &self->target.pid, 1)));
	ASSERT_EQ(0, work(self));
}

TEST_HARNESS_MAIN
