// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which probe hangs on which tracepoint, and which kind of event needs which.
 * The second comes from the event table; only needs beyond a row's own
 * tracepoint are written here.
 */
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include "../uapi/ktracer.h"
#include "narrow.h"
#include "probe_fns.h"
#include "probes.h"

struct probe {
	const char *name;
	void *fn;
	struct tracepoint *tp;	/* set once at init */
	u32 users;		/* probes_lock */
};

#define PROBE(name_) { .name = #name_, .fn = ktr_probe_##name_ }

static struct probe probes[] = {
	PROBE(sys_enter),
	PROBE(sys_exit),
	PROBE(sched_switch),
	PROBE(sched_waking),
	PROBE(signal_generate),
	PROBE(signal_deliver),
	PROBE(task_newtask),
	PROBE(task_rename),
	PROBE(sched_process_exec),
	PROBE(sched_process_exit),
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
#include "../uapi/ktracer_events.h"
};

static DEFINE_MUTEX(probes_lock);

/* Beyond the tracepoint that its row names. */
static bool needs_more(const struct kind *k, const char *tp)
{
	if (!strcmp(k->source, "sys_exit"))
		return !strcmp(tp, "sys_enter");
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

int ktr_probes_get(u64 events)
{
	bool was;
	int i, ret = 0;

	mutex_lock(&probes_lock);
	was = syscalls_traced();
	for (i = 0; !ret && i < ARRAY_SIZE(probes); i++)
		if (needed(&probes[i], events))
			ret = probe_get(&probes[i]);
	if (ret)
		put_some(events, i - 1);
	else if (!was && syscalls_traced())
		ktr_narrow_begin();
	mutex_unlock(&probes_lock);
	return ret;
}

void ktr_probes_put(u64 events)
{
	mutex_lock(&probes_lock);
	put_some(events, ARRAY_SIZE(probes));
	mutex_unlock(&probes_lock);
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

int ktr_probes_init(void)
{
	int i;

	for_each_kernel_tracepoint(match, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (probes[i].tp)
			continue;
		pr_err("this kernel has no tracepoint %s\n", probes[i].name);
		return -ENOENT;
	}
	return ktr_narrow_init(probes[0].tp, probes[0].fn, probes[1].tp, probes[1].fn);
}

void ktr_probes_exit(void)
{
	ktr_narrow_exit();
	/*
	 * From 7.0 on the first no longer implies the second: probes run under
	 * SRCU or RCU tasks trace, but hold targets with preemption off.
	 */
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}
