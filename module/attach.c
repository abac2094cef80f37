// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making tasks targets by command, and taking them away again. Process
 * context; the session's mutex is held.
 */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/jobctl.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "attach.h"
#include "narrow.h"
#include "snapshot.h"
#include "writer.h"

/* Who is one already and shall be followed is so from now on. */
static bool is_target(struct ktr_target_set *set, const struct task_struct *task, u32 flags)
{
	struct ktr_target *t;
	bool found = false;

	preempt_disable();
	ktr_for_each_any(t, task) {
		if (t->set != set)
			continue;
		found = true;
		if (flags & ~READ_ONCE(t->flags) & KTR_TARGET_F_FOLLOW)
			WRITE_ONCE(t->flags, t->flags | KTR_TARGET_F_FOLLOW);
	}
	preempt_enable();
	return found;
}

/* What job control has stopped it with, as far as it stays so; 0: it is not stopped. */
static u32 stop_signal(const struct task_struct *task)
{
	unsigned long jobctl = READ_ONCE(task->jobctl);

	return jobctl & JOBCTL_STOPPED ? jobctl & JOBCTL_STOP_SIGMASK : 0;
}

/*
 * Attach one task. Its probes may find the target before this returns.
 * Return: 1, 0 if it is one already, or an error.
 */
static int attach_task(struct ktr_target_set *set, struct task_struct *task,
		       const struct ktr_attach *a, u32 flags)
{
	const struct cred *owner = set->stream->owner;
	bool arm = set->arm || a->flags & KTR_TARGET_F_EXEC_ARM;
	struct ktr_target *t;
	u64 exec_id = 0;
	int ret;

	if (is_target(set, task, flags))
		return 0;
	if ((set->reader_tgid && task_tgid_nr(task) == set->reader_tgid) ||
	    ktr_is_writer(task))
		return -EPERM;
	ret = owner ? ktr_permit_attach(owner, task, a->mm, &exec_id) : 0;
	if (ret)
		return ret;
	t = ktr_target_new(set, task, flags, GFP_KERNEL_ACCOUNT);
	if (!t)
		return set->user ? -EDQUOT : -ENOMEM;
	t->exec_id = exec_id;
	t->state = arm ? KTR_T_ARMED : 0;
	t->batch = set->batch;
	/* The facts come before anything else of it. */
	preempt_disable();
	ktr_target_facts(t, KTR_TASK_F_ATTACHED | stop_signal(task) << KTR_TASK_STOP_SHIFT);
	preempt_enable();
	if (!arm)
		ktr_snapshot_take(t, a->mm);
	ret = ktr_target_insert(t);
	/*
	 * A task that sets PF_EXITING after this look meets us at its final
	 * switch-out; one that has set it may be past it.
	 */
	smp_mb();
	if (!ret && READ_ONCE(task->flags) & PF_EXITING && ktr_target_take_back(t))
		ret = -ESRCH;
	if (!ret) {
		ktr_narrow_target_in(task);
		return 1;
	}
	ktr_target_put(t);
	return ret == -EEXIST ? 0 : ret;
}

/* A growing list of referenced tasks, filled under RCU. */
struct tasks {
	struct task_struct **v;
	u32 n, room;
	bool full;
};

static void tasks_add(struct tasks *list, struct task_struct *task)
{
	if (list->n == list->room) {
		list->full = true;
		return;
	}
	list->v[list->n++] = get_task_struct(task);
}

static void tasks_put(struct tasks *list)
{
	while (list->n)
		put_task_struct(list->v[--list->n]);
}

static void add_threads(struct tasks *list, struct task_struct *leader)
{
	struct task_struct *t;

	for_each_thread(leader, t)
		tasks_add(list, t);
}

/*
 * Does @a name the process of @leader? @first: the process or the group that it
 * gives by number. A kernel thread runs no program of a user or of a container.
 */
static bool names(const struct ktr_attach *a, struct pid *first, struct task_struct *leader)
{
	bool kernel = leader->flags & PF_KTHREAD;

	switch (a->kind) {
	case KTR_TARGET_PGRP:
		return task_pgrp(leader) == first;
	case KTR_TARGET_UID:
		return !kernel && uid_eq(task_cred_xxx(leader, euid), a->uid);
	case KTR_TARGET_CGROUP:
		return !kernel && task_under_cgroup_hierarchy(leader, a->cgroup);
	case KTR_TARGET_ALL:
		return true;
	default:
		return task_tgid(leader) == first;
	}
}

/* Up to the process that has no parent. */
static bool descends(const struct ktr_attach *a, struct pid *first, struct task_struct *leader)
{
	struct task_struct *parent;

	for (;; leader = parent) {
		parent = rcu_dereference(leader->real_parent)->group_leader;
		if (parent == leader)
			return false;
		if (names(a, first, parent))
			return true;
	}
}

/* A thread stands for itself, and its descendants for its process. */
static void add_processes(struct tasks *list, const struct ktr_attach *a, struct pid *first)
{
	struct task_struct *p;

	for_each_process(p)
		if ((a->kind != KTR_TARGET_TID && names(a, first, p)) ||
		    (a->flags & KTR_TARGET_F_DESCEND && descends(a, first, p)))
			add_threads(list, p);
}

/* The common case looks at one process, and not at all there are. */
static void collect(struct tasks *list, const struct ktr_attach *a)
{
	bool number = a->kind <= KTR_TARGET_PGRP;
	struct pid *first = number ? find_vpid(a->id) : NULL;
	struct task_struct *task = NULL;

	if (number && !first)
		return;
	if (a->kind <= KTR_TARGET_TID) {
		task = pid_task(first, PIDTYPE_PID);
		if (!task)
			return;
		first = task_tgid(task);
	}
	if (a->kind == KTR_TARGET_TID)
		tasks_add(list, task);
	if (!task || a->flags & KTR_TARGET_F_DESCEND)
		add_processes(list, a, first);
	else if (a->kind == KTR_TARGET_PID)
		add_threads(list, task->group_leader);
}

/* Fills @list; again with more room until all fit. */
static int collect_all(struct tasks *list, const struct ktr_attach *a)
{
	list->room = list->room ?: 64;
	for (;;) {
		list->v = kvmalloc_array(list->room, sizeof(*list->v), GFP_KERNEL);
		if (!list->v)
			return -ENOMEM;
		list->full = false;
		rcu_read_lock();
		collect(list, a);
		rcu_read_unlock();
		if (!list->full)
			return list->n ? 0 : -ESRCH;
		tasks_put(list);
		kvfree(list->v);
		list->room *= 2;
	}
}

static void tasks_free(struct tasks *list)
{
	tasks_put(list);
	kvfree(list->v);
	list->v = NULL;
}

/* Errors after which nothing is attached. */
static bool is_final(int ret)
{
	return ret == -ENOMEM || ret == -EDQUOT || ret == -ESHUTDOWN;
}

/* One pass. *failed: the last reason why a task was not attached. */
static int attach_pass(struct ktr_target_set *set, const struct ktr_attach *a,
		       u32 *room, int *failed)
{
	u32 flags = (a->flags & ~KTR_TARGET_F_EXEC_ARM) |
		    (a->kind == KTR_TARGET_TID ? 0 : KTR_TARGET_F_THREADS);
	struct tasks list = { .room = *room };
	int ret, done = 0;
	u32 i;

	ret = collect_all(&list, a);
	*room = list.room;
	for (i = 0; !ret && i < list.n; i++) {
		int one = attach_task(set, list.v[i], a, flags);

		if (one < 0)
			*failed = one;
		else
			done += one;
		if (is_final(one))
			ret = one;
		cond_resched();
	}
	tasks_free(&list);
	return ret ?: done;
}

static bool match_all(const struct ktr_target *t, const void *unused)
{
	return true;
}

static bool match_batch(const struct ktr_target *t, const void *batch)
{
	return t->batch == *(const u32 *)batch;
}

static bool match_reader(const struct ktr_target *t, const void *tgid)
{
	return task_tgid_nr(t->task) == *(const pid_t *)tgid;
}

static bool match_list(const struct ktr_target *t, const void *tasks)
{
	const struct tasks *list = tasks;
	u32 i;

	for (i = 0; i < list->n; i++)
		if (list->v[i] == t->task)
			return true;
	return false;
}

/*
 * A thread made by one that is not attached yet is not followed. It is in the
 * lists by then, so a pass that begins after its maker was attached sees it:
 * passes go on until one finds nothing new.
 */
int ktr_targets_attach(struct ktr_target_set *set, const struct ktr_attach *a)
{
	int ret, failed = 0, total = 0, passes = 0;
	LIST_HEAD(mine);
	u32 room = 0;

	set->batch = set->batch + 1 ?: 1;
	do {
		ret = attach_pass(set, a, &room, &failed);
		if (ret > 0)
			total += ret;
	} while (ret > 0 && a->kind != KTR_TARGET_TID && ++passes < 1000 &&
		 !fatal_signal_pending(current));
	if (is_final(ret)) {
		ktr_targets_take(set, match_batch, &set->batch, &mine);
		ktr_targets_finish(&mine, KTR_END_DETACH);
		return ret;
	}
	return total ?: failed ?: ret ?: -EEXIST;
}

int ktr_targets_detach(struct ktr_target_set *set, const struct ktr_attach *a,
		       enum ktr_end why)
{
	struct tasks list = {};
	LIST_HEAD(mine);
	int ret = 0, n;

	if (a)
		ret = collect_all(&list, a);
	if (ret) {
		tasks_free(&list);
		return ret;
	}
	n = ktr_targets_take(set, a ? match_list : match_all, &list, &mine);
	tasks_free(&list);
	ktr_targets_finish(&mine, why);
	return n ?: -ESRCH;
}

void ktr_targets_close(struct ktr_target_set *set)
{
	LIST_HEAD(mine);

	ktr_targets_shut(set);
	ktr_targets_take(set, match_all, NULL, &mine);
	ktr_targets_finish(&mine, KTR_END_SESSION);
	/* Targets of this set that died just before are in the work's hands. */
	ktr_targets_flush();
}

void ktr_targets_exclude(struct ktr_target_set *set, pid_t tgid)
{
	LIST_HEAD(mine);

	set->reader_tgid = tgid;
	ktr_targets_take(set, match_reader, &tgid, &mine);
	ktr_targets_finish(&mine, KTR_END_DETACH);
}
