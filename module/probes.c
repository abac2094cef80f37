// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which probe hangs on which tracepoint, and which kind of event needs which.
 * The second comes from the event table; only needs beyond a row's own
 * tracepoint are written here.
 */
#include <linux/build_bug.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include "../uapi/ktracer.h"
#include "hooked.h"
#include "narrow.h"
#include "probe_fns.h"
#include "probes.h"

struct probe {
	const char *name;
	void *fn;
	struct tracepoint *tp;	/* set once at init */
	u32 users;		/* probes_lock */
};

#ifdef KTR_PREPARE_EXEC
#define KTR_PROBES_NEWER(row, arg)	row(sched_prepare_exec, arg)
#else
#define KTR_PROBES_NEWER(row, arg)
#endif

#define KTR_PROBES(row, arg)		\
	row(sys_enter, arg)		\
	row(sys_exit, arg)		\
	row(sched_switch, arg)		\
	row(sched_waking, arg)		\
	row(signal_generate, arg)	\
	row(signal_deliver, arg)	\
	row(task_newtask, arg)		\
	row(task_rename, arg)		\
	row(sched_process_exec, arg)	\
	row(sched_process_exit, arg)	\
	KTR_PROBES_NEWER(row, arg)

static struct probe probes[] = {
#define PROBE(name_, unused) { .name = #name_, .fn = ktr_probe_##name_ },
	KTR_PROBES(PROBE, 0)
};

struct kind {
	const char *name;
	const char *source;
	bool control;
};

static const struct kind kinds[64] = {
#define KTR_EVENT(number, name_, group, ring, source_) \
	[number] = { #name_, source_, KTR_GROUP_##group },
#define KTR_GROUP_CONTROL	true
#define KTR_GROUP_PROCESS	true
#define KTR_GROUP_MARKER	true
#define KTR_GROUP_SYSCALL	false
#define KTR_GROUP_SIGNAL	false
#define KTR_GROUP_SCHED		false
#define KTR_GROUP_FUNCTION	false
#define KTR_GROUP_LOOKUP	false
#define KTR_GROUP_FAULT		false
#define KTR_GROUP_SYSCTL	false
#define KTR_GROUP_DENIED	false
#define KTR_GROUP_MAP		false
#include "../uapi/ktracer_events.h"
};

static DEFINE_MUTEX(probes_lock);

/* Kinds that come by hooked functions, not by tracepoints. */
static struct hooked {
	u64 kinds;
	struct ktr_hook *hook;	/* NULL: entered only, by the next two */
	int (*begin)(void);
	void (*end)(void);
	u32 users;		/* probes_lock */
} hooked[] = {
	{ .kinds = 1ULL << KTR_KIND_namei, .begin = ktr_namei_hook, .end = ktr_namei_unhook },
	{ .kinds = 1ULL << KTR_KIND_mapped, .begin = ktr_mapped_hook, .end = ktr_mapped_unhook },
	{ 1ULL << KTR_KIND_fault | 1ULL << KTR_KIND_fault_end, &ktr_hook_fault },
	{ 1ULL << KTR_KIND_sysctl, &ktr_hook_sysctl },
	{ 1ULL << KTR_KIND_cap_fail, &ktr_hook_cap_fail },
	{ 1ULL << KTR_KIND_denied, &ktr_hook_denied },
};

/* Beyond the tracepoint that its row names. */
static bool needs_more(const struct kind *k, const char *tp)
{
	if (!strcmp(k->source, "sys_exit"))
		return !strcmp(tp, "sys_enter") || !strcmp(tp, "sched_prepare_exec");
	/* A sched_in tells how long the task was runnable: since its waking. */
	if (!strcmp(k->name, "sched_in"))
		return !strcmp(tp, "sched_waking");
	return false;
}

/* To follow targets: births, deaths (the final switch), names, programs. */
static bool base_needs(const char *tp)
{
	return !strcmp(tp, "task_newtask") || !strcmp(tp, "sched_switch") ||
	       !strcmp(tp, "task_rename") || !strcmp(tp, "sched_process_exec") ||
	       !strcmp(tp, "sched_process_exit");
}

static bool needed(const struct probe *p, u64 events)
{
	int k;

	if (base_needs(p->name))
		return true;
	for (k = 0; k < 64; k++)
		if (events & (1ULL << k) && kinds[k].name &&
		    (!strcmp(kinds[k].source, p->name) || needs_more(&kinds[k], p->name)))
			return true;
	return false;
}

/* The first two rows: with both on, the flag they cost all threads is ours to narrow. */
static bool syscalls_traced(void)
{
	return probes[0].users && probes[1].users;
}

static int probe_get(struct probe *p)
{
	int ret;

	if (!p->users) {
		ktr_narrow_own(true);
		ret = tracepoint_probe_register(p->tp, p->fn, NULL);
		ktr_narrow_own(false);
		if (ret)
			return ret;
	}
	p->users++;
	return 0;
}

static void probe_put(struct probe *p)
{
	if (!--p->users)
		tracepoint_probe_unregister(p->tp, p->fn, NULL);
}

static int hook(struct hooked *h)
{
	return h->hook ? ktr_hook_add(h->hook) : h->begin();
}

static void unhook(struct hooked *h)
{
	if (h->hook)
		ktr_hook_remove(h->hook);
	else
		h->end();
}

/* Take away a user of each hook that @events need, of the first @n. */
static void unhook_some(u64 events, int n)
{
	while (--n >= 0)
		if (events & hooked[n].kinds && !--hooked[n].users)
			unhook(&hooked[n]);
}

static int hook_all(u64 events)
{
	int i, ret = 0;

	for (i = 0; i < ARRAY_SIZE(hooked); i++) {
		if (!(events & hooked[i].kinds))
			continue;
		if (!hooked[i].users)
			ret = hook(&hooked[i]);
		if (ret)
			break;
		hooked[i].users++;
	}
	if (ret)
		unhook_some(events, i);
	return ret;
}

/* Take away a user of each that @events need, of the first @n. */
static void put_some(u64 events, int n)
{
	bool was = syscalls_traced();

	while (--n >= 0)
		if (needed(&probes[n], events))
			probe_put(&probes[n]);
	if (was && !syscalls_traced())
		ktr_narrow_end();
}

/* Attach what the kinds in @events need; 0 is what every session needs. */
static int get(u64 events)
{
	bool was = syscalls_traced();
	int i = 0, ret = hook_all(events);

	if (ret)
		return ret;
	for (; !ret && i < ARRAY_SIZE(probes); i++)
		if (needed(&probes[i], events))
			ret = probe_get(&probes[i]);
	if (ret) {
		put_some(events, i - 1);
		unhook_some(events, ARRAY_SIZE(hooked));
	} else if (!was && syscalls_traced()) {
		ktr_narrow_begin();
	}
	return ret;
}

static void put(u64 events)
{
	put_some(events, ARRAY_SIZE(probes));
	unhook_some(events, ARRAY_SIZE(hooked));
}

static u64 missed(u64 events)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(hooked); i++)
		if (events & hooked[i].kinds && hooked[i].hook)
			sum += ktr_hook_missed(hooked[i].hook);
	return sum;
}

int ktr_probes_begin(struct ktr_probes *p)
{
	guard(mutex)(&probes_lock);
	*p = (struct ktr_probes){};
	return get(0);
}

int ktr_probes_change(struct ktr_probes *p, u64 kinds)
{
	int ret;

	guard(mutex)(&probes_lock);
	ret = get(kinds);
	if (ret)
		return ret;
	p->missed += missed(p->kinds) - p->missed_before;
	put(p->kinds);
	p->kinds = kinds;
	p->missed_before = missed(kinds);
	return 0;
}

void ktr_probes_end(struct ktr_probes *p)
{
	guard(mutex)(&probes_lock);
	put(p->kinds);
}

u64 ktr_probes_missed(const struct ktr_probes *p)
{
	guard(mutex)(&probes_lock);
	return p->missed + missed(p->kinds) - p->missed_before;
}

u64 ktr_probes_attached(void)
{
	u64 mask = 0;
	int i, k;

	mutex_lock(&probes_lock);
	for (i = 0; i < ARRAY_SIZE(probes); i++)
		for (k = 0; probes[i].users && k < 64; k++)
			if (kinds[k].name && !strcmp(kinds[k].source, probes[i].name))
				mask |= 1ULL << k;
	for (i = 0; i < ARRAY_SIZE(hooked); i++)
		if (hooked[i].users)
			mask |= hooked[i].kinds;
	mutex_unlock(&probes_lock);
	return mask;
}

u64 ktr_probes_kinds(void)
{
	u64 mask = 0;
	int k;

	for (k = 0; k < 64; k++)
		if (kinds[k].name)
			mask |= 1ULL << k;
	return mask;
}

u64 ktr_probes_control_kinds(void)
{
	u64 mask = 0;
	int k;

	for (k = 0; k < 64; k++)
		if (kinds[k].name && kinds[k].control)
			mask |= 1ULL << k;
	return mask;
}

static void match(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tp->name, probes[i].name))
			probes[i].tp = tp;
}

/* A row that names a tracepoint without a probe does not compile. */
static void check_sources(void)
{
#define IS(name_, source_) || !__builtin_strcmp(source_, #name_)
#define KTR_EVENT(number, name_, group, ring, source_)				\
	BUILD_BUG_ON_MSG((source_)[0] != '(' && !(0 KTR_PROBES(IS, source_)),	\
			 "event " #name_ ": there is no probe for " source_);
#include "../uapi/ktracer_events.h"
}

int ktr_probes_init(void)
{
	int i;

	check_sources();
	for_each_kernel_tracepoint(match, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (probes[i].tp)
			continue;
		pr_err("this kernel has no tracepoint %s\n", probes[i].name);
		return -ENOENT;
	}
	return ktr_narrow_init(probes[0].tp, probes[0].fn, probes[1].tp, probes[1].fn);
}

void ktr_probes_wait(void)
{
	/*
	 * From 7.0 on the first no longer implies the second: probes run under
	 * SRCU or RCU tasks trace, but hold targets with preemption off.
	 */
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

void ktr_probes_exit(void)
{
	ktr_narrow_exit();
	ktr_probes_wait();
}
