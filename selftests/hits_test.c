// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hits of kernel functions: as many as others count who look at the same functions
 * of the same task, whoever came first and whoever goes first.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include "ktr_ksyms.h"
#include "ktr_test.h"
#include "ktr_tracefs.h"
#include "ktr_works.h"

#define ALL_MAX	80000
#define FEW_MAX	2000

/* Once for all tests: the kernel takes long to print its symbols. */
static struct ktr_fn all[ALL_MAX];
static size_t nall;

static void __attribute__((constructor)) look_up(void)
{
	nall = ktr_ksym_functions("", all, ALL_MAX);
}

static __u64 address_of(const char *name)
{
	size_t i;

	for (i = 0; i < nall; i++)
		if (!strcmp(all[i].name, name))
			return all[i].addr;
	return 0;
}

/* ---- beside a tracer of functions that sees the same ones ---- */

FIXTURE(workload) {
	struct ktr_session s;
	struct ktr_child child;
	struct ktr_instance t;
	struct ktr_fn *fn;	/* by name */
	long *ours, *theirs;
	size_t n;
};

static bool begins(const char *name, const char *prefix)
{
	return prefix && !strncmp(name, prefix, strlen(prefix));
}

static size_t choose(const char *const *prefix, struct ktr_fn *fn)
{
	size_t i, n = 0;
	int k;

	for (i = 0; i < nall && n < FEW_MAX; i++)
		for (k = 0; k < 4; k++)
			if (begins(all[i].name, prefix[k])) {
				fn[n++] = all[i];
				break;
			}
	return n;
}

FIXTURE_SETUP(workload)
{
	KTR_NEED_MODULE();
	self->s.fd = self->s.client.fd = -1;
	self->fn = calloc(FEW_MAX, sizeof(*self->fn));
	self->ours = calloc(FEW_MAX, sizeof(long));
	self->theirs = calloc(FEW_MAX, sizeof(long));
	if (!address_of("do_sys_poll"))
		SKIP(return, "the addresses of /proc/kallsyms are hidden");
}

static void all_go(FIXTURE_DATA(workload) *self)
{
	ktr_child_kill(&self->child);
	ktr_instance_close(&self->t);
	if (self->s.id)
		ktr_session_close(&self->s);
	self->s.id = 0;
}

FIXTURE_TEARDOWN(workload)
{
	all_go(self);
}

/* In the end it sleeps, so that both can be stopped while nothing happens. */
static int works_and_waits(void *arg)
{
	int (*work)(void) = arg;

	if (work())
		return 1;
	pause();
	return 0;
}

static int they_come(FIXTURE_DATA(workload) *self, const char *const *prefix)
{
	char text[192], pid[16];
	int ret, k;

	snprintf(pid, sizeof(pid), "%d", self->child.pid);
	ret = ktr_instance_open(&self->t, "ktr_hits");
	ret = ret ?: ktr_instance_write(&self->t, "buffer_size_kb", "2048");
	ret = ret ?: ktr_instance_write(&self->t, "set_ftrace_pid", pid);
	/* It takes a word at a time. */
	for (k = 0; !ret && k < 4 && prefix[k]; k++) {
		snprintf(text, sizeof(text), "%s*", prefix[k]);
		ret = ktr_instance_append(&self->t, "set_ftrace_filter", text);
	}
	return ret ?: ktr_instance_write(&self->t, "current_tracer", "function");
}

static int we_come(FIXTURE_DATA(workload) *self)
{
	__u64 addr[FEW_MAX];
	size_t i;

	for (i = 0; i < self->n; i++)
		addr[i] = self->fn[i].addr;
	return ktr_session_start(&self->s, KTR_BIT(function)) ?:
	       ktr_session_func_add(&self->s, addr, self->n, 0);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, ((const struct ktr_fn *)b)->name);
}

static void they_saw(void *arg, pid_t tid, const char *what)
{
	FIXTURE_DATA(workload) *self = arg;
	char name[120];
	struct ktr_fn *fn;

	if (sscanf(what, "%119s <-", name) != 1)
		return;
	fn = bsearch(name, self->fn, self->n, sizeof(*fn), by_name);
	if (fn)
		self->theirs[fn - self->fn]++;
}

static void we_saw(FIXTURE_DATA(workload) *self)
{
	const struct ktr_rec *rec;
	size_t at = 0, i;

	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_function, self->child.pid))) {
		const struct ktr_ev_function *ev = ktr_payload(rec);

		for (i = 0; i < self->n; i++)
			self->ours[i] += ev->ip - self->fn[i].addr < 16;
	}
}

static void compare(struct __test_metadata *_metadata, FIXTURE_DATA(workload) *self,
		    const char *name)
{
	long hits = 0, kinds = 0;
	size_t i;

	for (i = 0; i < self->n; i++) {
		EXPECT_EQ(self->theirs[i], self->ours[i])
			TH_LOG("%s: %s: %ld of theirs, %ld of ours", name, self->fn[i].name,
			       self->theirs[i], self->ours[i]);
		hits += self->ours[i];
		kinds += self->ours[i] > 0;
		self->ours[i] = self->theirs[i] = 0;
	}
	TH_LOG("%s: %zu functions, %ld of them called, %ld times", name, self->n, kinds, hits);
	EXPECT_LE(KTR_WORK_LEAST, hits);
}

static void do_work(struct __test_metadata *_metadata, FIXTURE_DATA(workload) *self, int nr)
{
	struct ktr_counts counts;

	self->n = choose(ktr_works[nr].prefix, self->fn);
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){ .buf_size = 4 << 20 }));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, works_and_waits,
				      ktr_works[nr].work));
	ASSERT_EQ(0, they_come(self, ktr_works[nr].prefix));
	ASSERT_EQ(0, we_come(self));
	ASSERT_TRUE(ktr_task_sleeps(self->child.pid, SYS_read));
	ktr_child_go(&self->child);
	ASSERT_TRUE(ktr_task_sleeps(self->child.pid, SYS_pause))
		TH_LOG("%s: it has not done its work", ktr_works[nr].name);
	ASSERT_EQ(0, ktr_instance_write(&self->t, "tracing_on", "0"));
	ASSERT_EQ(0, ktr_session_stop(&self->s));
	ASSERT_EQ(0, ktr_session_drain(&self->s));
	ASSERT_EQ(0, ktr_session_counts(&self->s, &counts));
	EXPECT_EQ(0, counts.lost);
	ASSERT_EQ(0, ktr_instance_each(&self->t, they_saw, self));
	we_saw(self);
	compare(_metadata, self, ktr_works[nr].name);
	all_go(self);
}

TEST_F(workload, hits_are_those_of_ftrace)
{
	long n = ktr_scaled(KTR_WORKS), i;

	n = n < 4 ? 4 : n;
	for (i = 0; i < n; i++)
		do_work(_metadata, self, i);
}

/* ---- four of them, one function ---- */

enum party { OURS, FTRACE, PERF, KPROBE, PARTIES };

static const char *const party_names[] = { "ktracer", "ftrace", "perf", "a kprobe" };

#define ORDERS	24		/* of four */
#define POLLS	10

FIXTURE(orders) {
	struct ktr_session s;
	struct ktr_child child;
	struct ktr_instance t[PARTIES];
	int perf;
	int ask[2], answer[2];
	__u64 poll;
	bool on[PARTIES];
	long want[PARTIES];
};

FIXTURE_SETUP(orders)
{
	KTR_NEED_MODULE();
	self->perf = self->s.fd = self->s.client.fd = -1;
	self->poll = address_of("do_sys_poll");
	if (!self->poll)
		SKIP(return, "the addresses of /proc/kallsyms are hidden");
	ASSERT_EQ(0, pipe(self->ask));
	ASSERT_EQ(0, pipe(self->answer));
}

static const struct ktr_instance top = { .dir = "/sys/kernel/tracing" };

static int ours_comes(FIXTURE_DATA(orders) *self)
{
	int ret = ktr_session_open(&self->s, &(struct ktr_setup){});

	ret = ret ?: ktr_session_start(&self->s, KTR_BIT(function));
	ret = ret ?: ktr_session_attach(&self->s, KTR_TARGET_PID, self->child.pid, 0);
	if (ret != 1)
		return ret < 0 ? ret : -ESRCH;
	return ktr_session_func_add(&self->s, &self->poll, 1, 0);
}

static int ftrace_comes(FIXTURE_DATA(orders) *self)
{
	struct ktr_instance *t = &self->t[FTRACE];
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", self->child.pid);
	return ktr_instance_open(t, "ktr_hits") ?:
	       ktr_instance_write(t, "set_ftrace_filter", "do_sys_poll") ?:
	       ktr_instance_write(t, "set_ftrace_pid", pid) ?:
	       ktr_instance_write(t, "current_tracer", "function");
}

/* Its own use of ftrace, not that of a probe. */
static int perf_comes(FIXTURE_DATA(orders) *self)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .disabled = 1,
	};
	int id = ktr_event_id("ftrace/function");

	if (id < 0)
		return id;
	attr.config = id;
	self->perf = syscall(SYS_perf_event_open, &attr, self->child.pid, -1, -1,
			     PERF_FLAG_FD_CLOEXEC);
	if (self->perf < 0 || ioctl(self->perf, PERF_EVENT_IOC_SET_FILTER, "ip == do_sys_poll") ||
	    ioctl(self->perf, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return 0;
}

static int kprobe_comes(FIXTURE_DATA(orders) *self)
{
	struct ktr_instance *t = &self->t[KPROBE];
	char mine[32];

	snprintf(mine, sizeof(mine), "common_pid == %d", self->child.pid);
	return ktr_instance_append(&top, "kprobe_events", "p:ktr_hits do_sys_poll\n") ?:
	       ktr_instance_open(t, "ktr_kprobe") ?:
	       ktr_instance_write(t, "events/kprobes/ktr_hits/filter", mine) ?:
	       ktr_instance_write(t, "events/kprobes/ktr_hits/enable", "1");
}

static int comes(FIXTURE_DATA(orders) *self, int p)
{
	static int (*const how[])(FIXTURE_DATA(orders) *self) = {
		ours_comes, ftrace_comes, perf_comes, kprobe_comes,
	};

	self->on[p] = true;
	self->want[p] = 0;
	return how[p](self);
}

static void goes(FIXTURE_DATA(orders) *self, int p)
{
	self->on[p] = false;
	switch (p) {
	case OURS:
		if (self->s.id)
			ktr_session_close(&self->s);
		self->s.id = 0;
		break;
	case PERF:
		close(self->perf);
		self->perf = -1;
		break;
	case KPROBE:
		ktr_instance_close(&self->t[p]);
		ktr_instance_append(&top, "kprobe_events", "-:ktr_hits\n");
		break;
	default:
		ktr_instance_close(&self->t[p]);
	}
}

FIXTURE_TEARDOWN(orders)
{
	int p;

	for (p = 0; p < PARTIES; p++)
		if (self->on[p])
			goes(self, p);
	ktr_child_kill(&self->child);
}

static void count_line(void *arg, pid_t tid, const char *what)
{
	++*(long *)arg;
}

static long count_of(FIXTURE_DATA(orders) *self, int p)
{
	long n = 0;
	__u64 seen;

	switch (p) {
	case OURS:
		if (ktr_session_drain(&self->s))
			return -1;
		return ktr_log_count(&self->s.log, KTR_KIND_function, self->child.pid);
	case PERF:
		return read(self->perf, &seen, sizeof(seen)) == sizeof(seen) ? (long)seen : -1;
	default:
		return ktr_instance_each(&self->t[p], count_line, &n) ?: n;
	}
}

/* So many polls for each byte it is sent. */
static int polls_when_told(void *arg)
{
	FIXTURE_DATA(orders) *self = arg;
	struct pollfd p = { .fd = -1 };
	char c;
	int i;

	while (read(self->ask[0], &c, 1) == 1) {
		for (i = 0; i < POLLS; i++)
			poll(&p, 1, 0);
		if (write(self->answer[1], &c, 1) != 1)
			break;
	}
	return 0;
}

static void all_see_all(struct __test_metadata *_metadata, FIXTURE_DATA(orders) *self,
			const char *when)
{
	char c = 0;
	int p;

	ASSERT_EQ(1, write(self->ask[1], &c, 1));
	ASSERT_EQ(1, read(self->answer[0], &c, 1));
	for (p = 0; p < PARTIES; p++) {
		if (!self->on[p])
			continue;
		self->want[p] += POLLS;
		EXPECT_EQ(self->want[p], count_of(self, p))
			TH_LOG("%s, %s", party_names[p], when);
	}
}

/* The @nr-th of the ORDERS. */
static void order(int nr, int v[PARTIES])
{
	int left[PARTIES] = { 0, 1, 2, 3 }, n, i, at;

	for (n = PARTIES, i = 0; n; n--, i++) {
		at = nr % n;
		nr /= n;
		v[i] = left[at];
		memmove(&left[at], &left[at + 1], (n - at - 1) * sizeof(*left));
	}
}

TEST_F(orders, all_see_all)
{
	int coming[PARTIES], going[PARTIES], i, k;
	long n = ktr_scaled(ORDERS);
	char when[64];

	ASSERT_EQ(0, ktr_child_start(&self->child, polls_when_told, self));
	ktr_child_go(&self->child);
	for (k = 0; k < n; k++) {
		order(k * (ORDERS / n), coming);
		order((k * 7 + 17) % ORDERS, going);
		for (i = 0; i < PARTIES; i++) {
			ASSERT_EQ(0, comes(self, coming[i]))
				TH_LOG("%s comes", party_names[coming[i]]);
			snprintf(when, sizeof(when), "after %s came", party_names[coming[i]]);
			all_see_all(_metadata, self, when);
		}
		for (i = 0; i < PARTIES; i++) {
			goes(self, going[i]);
			snprintf(when, sizeof(when), "after %s went", party_names[going[i]]);
			all_see_all(_metadata, self, when);
		}
	}
}

TEST_HARNESS_MAIN
