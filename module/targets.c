// SPDX-License-Identifier: GPL-2.0-only
/*
 * The set of tasks under trace.
 *
 * Readers are probes: they walk a bucket with preemption off, which is an RCU
 * read side. Writers hold targets_lock, a plain spinlock: they run in process
 * context or in task_newtask, never in an interrupt.
 *
 * A target holds a reference to its task, so the address that is hashed cannot
 * be another task's. It leaves
 *  - at its final switch-out: sched_switch may not unhash (run queue lock
 *    held), so it puts the target on a list that work goes through;
 *  - by command, or with its session.
 * Whoever clears "hashed" under the lock does the rest: wait for a grace
 * period, so that no probe is at it any more, write its last record, free.
 */
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/sched/cputime.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "channel.h"
#include "narrow.h"
#include "snapshot.h"
#include "targets.h"

struct hlist_head ktr_targets[1 << KTR_TARGET_BITS] __cacheline_aligned;

static DEFINE_SPINLOCK(targets_lock);
static struct kmem_cache *target_cache;
static LLIST_HEAD(dead_list);
static struct irq_work dead_kick;
static struct work_struct dead_work;

void ktr_target_set_init(struct ktr_target_set *set, struct ktr_stream *st)
{
	INIT_LIST_HEAD(&set->list);
	set->stream = st;
}

static struct ktr_target *target_new(struct ktr_target_set *set,
				     struct task_struct *task, u32 flags, gfp_t gfp)
{
	struct ktr_target *t = kmem_cache_zalloc(target_cache, gfp);

	if (!t)
		return NULL;
	t->task = get_task_struct(task);
	t->stream = set->stream;
	t->set = set;
	t->flags = flags;
	kref_init(&t->ref);
	return t;
}

/* Nobody can find it any more; the task's own probes are over. */
static void target_release(struct kref *ref)
{
	struct ktr_target *t = container_of(ref, struct ktr_target, ref);

	kfree(t->call.buf);
	put_task_struct(t->task);
	kmem_cache_free(target_cache, t);
}

/* Return: 0, -EEXIST, or -ESHUTDOWN. targets_lock held. */
static int target_insert(struct ktr_target *t)
{
	struct ktr_target_set *set = t->set;
	struct ktr_target *o;

	lockdep_assert_held(&targets_lock);
	if (set->closed)
		return -ESHUTDOWN;
	hlist_for_each_entry(o, ktr_target_bucket(t->task), hash)
		if (o->task == t->task && o->set == set)
			return -EEXIST;
	hlist_add_head_rcu(&t->hash, ktr_target_bucket(t->task));
	list_add_tail(&t->in_set, &set->list);
	t->hashed = true;
	set->count++;
	set->had = true;
	atomic_inc(&set->unfinished);
	return 0;
}

/* Return: true if the caller is the one who must finish it. targets_lock held. */
static bool target_unhash(struct ktr_target *t)
{
	lockdep_assert_held(&targets_lock);
	if (!t->hashed)
		return false;
	t->hashed = false;
	hlist_del_rcu(&t->hash);
	list_del(&t->in_set);
	t->set->count--;
	return true;
}

/* "set" is alive: its session goes through ktr_targets_close(), which waits. */
static void target_finish(struct ktr_target *t, enum ktr_end why)
{
	struct ktr_target_set *set = t->set;
	struct ktr_ev_target_end *ev;
	u32 tid = task_pid_nr(t->task);
	struct ktr_rec *rec;

	preempt_disable();
	rec = ktr_emit_begin(t->stream, KTR_RING_CONTROL, KTR_KIND_target_end, tid, sizeof(*ev));
	if (rec) {
		ev = (void *)(rec + 1);
		ev->reason = why;
		ev->tgid = task_tgid_nr(t->task);
		ev->recorded = local_read(&t->recorded) +
			       atomic64_read(&t->recorded_by_others);
		ev->lost = local_read(&t->lost) + atomic64_read(&t->lost_by_others);
		ev->syscalls_lost = local_read(&t->syscalls_lost);
		ktr_emit_end(t->stream, KTR_RING_CONTROL);
	}
	preempt_enable();
	ktr_narrow_target_out(t->task);
	kref_put(&t->ref, target_release);
	set->ended(set, tid, why, atomic_dec_and_test(&set->unfinished));
}

void ktr_target_dead(struct ktr_target *t)
{
	t->dying = true;
	kref_get(&t->ref);
	llist_add(&t->dead, &dead_list);
	irq_work_queue(&dead_kick);
}

static void dead_kick_fn(struct irq_work *work)
{
	queue_work(ktr_wq, &dead_work);
}

static void dead_work_fn(struct work_struct *work)
{
	struct llist_node *list = llist_del_all(&dead_list);
	struct ktr_target *t, *next;
	LIST_HEAD(mine);

	list = llist_reverse_order(list);
	llist_for_each_entry_safe(t, next, list, dead) {
		bool ours;

		spin_lock(&targets_lock);
		ours = target_unhash(t);
		if (ours)
			list_add_tail(&t->in_set, &mine);
		spin_unlock(&targets_lock);
		if (!ours)
			kref_put(&t->ref, target_release);
	}
	if (list_empty(&mine))
		return;
	synchronize_rcu();
	while ((t = list_first_entry_or_null(&mine, struct ktr_target, in_set))) {
		list_del(&t->in_set);
		kref_put(&t->ref, target_release);	/* the dead list's; the hash's is left */
		target_finish(t, KTR_END_EXIT);
	}
}

int ktr_target_follow(struct ktr_target *parent, struct task_struct *child)
{
	struct ktr_target *t;
	int ret;

	t = target_new(parent->set, child, parent->flags, GFP_NOWAIT | __GFP_NOWARN);
	if (!t)
		goto not_followed;
	t->state = KTR_T_FRESH;
	spin_lock(&targets_lock);
	ret = target_insert(t);
	spin_unlock(&targets_lock);
	if (!ret)
		return 1;
	kref_put(&t->ref, target_release);
	if (ret == -EEXIST)
		return 1;
not_followed:
	atomic64_inc(&parent->stream->not_followed);
	return 2;
}

void ktr_target_facts(struct ktr_target *t, u32 more_flags)
{
	struct task_struct *task = t->task;
	const struct cred *cred;
	struct ktr_ev_task *ev;
	struct ktr_rec *rec;

	rec = ktr_emit_begin(t->stream, KTR_RING_CONTROL, KTR_KIND_task,
			     task_pid_nr(task), sizeof(*ev));
	if (!rec)
		return;
	ev = (void *)(rec + 1);
	rcu_read_lock();
	cred = __task_cred(task);
	ev->uid = from_kuid(&init_user_ns, cred->euid);
	ev->gid = from_kgid(&init_user_ns, cred->egid);
	ev->tgid = task_tgid_nr(task);
	ev->ppid = task_tgid_nr(rcu_dereference(task->real_parent));
	ev->inner_tid = task_pid_nr_ns(task, task_active_pid_ns(task));
	rcu_read_unlock();
	ev->flags = more_flags | (thread_group_leader(task) ? 0 : KTR_TASK_F_THREAD) |
		    (task->flags & PF_KTHREAD ? KTR_TASK_F_KTHREAD : 0) |
		    (test_tsk_thread_flag(task, TIF_ADDR32) ? KTR_TASK_F_COMPAT : 0);
	ev->started = task->start_time;
	memcpy(ev->comm, task->comm, sizeof(ev->comm));
	ktr_emit_end(t->stream, KTR_RING_CONTROL);
}

static bool is_target(struct ktr_target_set *set, const struct task_struct *task)
{
	struct ktr_target *t;
	bool found = false;

	preempt_disable();
	ktr_for_each_target(t, task)
		found |= t->set == set;
	preempt_enable();
	return found;
}

/*
 * Attach one task. Its probes may find the target before this returns.
 * Return: 1, 0 if it is one already, or an error.
 */
static int attach_task(struct ktr_target_set *set, struct task_struct *task, u32 flags)
{
	struct ktr_target *t;
	bool gone = false;
	int ret;

	if (is_target(set, task))
		return 0;
	if (set->reader_tgid && task_tgid_nr(task) == set->reader_tgid)
		return -EPERM;
	t = target_new(set, task, flags, GFP_KERNEL_ACCOUNT);
	if (!t)
		return -ENOMEM;
	t->state = set->arm ? KTR_T_ARMED : 0;
	t->batch = set->batch;
	/* The facts come before anything else of it. */
	preempt_disable();
	ktr_target_facts(t, KTR_TASK_F_ATTACHED);
	preempt_enable();
	if (!set->arm)
		ktr_snapshot_take(t);
	spin_lock(&targets_lock);
	ret = target_insert(t);
	/*
	 * A task that sets PF_EXITING after this look meets us at its final
	 * switch-out; one that has set it may be past it.
	 */
	smp_mb();
	if (!ret && READ_ONCE(task->flags) & PF_EXITING)
		gone = target_unhash(t);
	spin_unlock(&targets_lock);
	if (gone) {
		synchronize_rcu();
		atomic_dec(&set->unfinished);
		ret = -ESRCH;
	}
	if (!ret) {
		ktr_narrow_target_in(task);
		return 1;
	}
	kref_put(&t->ref, target_release);
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

static bool in_list(const struct tasks *list, u32 n, const struct task_struct *leader)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (list->v[i]->group_leader == leader)
			return true;
	return false;
}

/* All descendants, generation by generation: a process whose parent is in. */
static void add_descendants(struct tasks *list)
{
	u32 before;

	do {
		struct task_struct *p;

		before = list->n;
		for_each_process(p) {
			struct task_struct *parent = rcu_dereference(p->real_parent);

			if (!in_list(list, list->n, p) &&
			    in_list(list, list->n, parent->group_leader))
				add_threads(list, p);
			if (list->full)
				return;
		}
	} while (list->n != before);
}

static void collect(struct tasks *list, const struct ktr_attach *a)
{
	struct pid *pid = find_vpid(a->id);
	struct task_struct *task;

	if (!pid)
		return;
	switch (a->kind) {
	case KTR_TARGET_TID:
		task = pid_task(pid, PIDTYPE_PID);
		if (task)
			tasks_add(list, task);
		break;
	case KTR_TARGET_PID:
		task = pid_task(pid, PIDTYPE_PID);
		if (task)
			add_threads(list, task->group_leader);
		break;
	default:
		do_each_pid_task(pid, PIDTYPE_PGID, task) {
			add_threads(list, task);
		} while_each_pid_task(pid, PIDTYPE_PGID, task);
	}
	if (a->flags & KTR_TARGET_F_DESCEND)
		add_descendants(list);
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

/* One pass. *failed: the last reason why a task was not attached. */
static int attach_pass(struct ktr_target_set *set, const struct ktr_attach *a,
		       u32 *room, int *failed)
{
	u32 flags = a->flags | (a->kind == KTR_TARGET_TID ? 0 : KTR_TARGET_F_THREADS);
	struct tasks list = { .room = *room };
	int ret, done = 0;
	u32 i;

	ret = collect_all(&list, a);
	*room = list.room;
	for (i = 0; !ret && i < list.n; i++) {
		int one = attach_task(set, list.v[i], flags);

		if (one < 0)
			*failed = one;
		else
			done += one;
		if (one == -ENOMEM || one == -ESHUTDOWN)
			ret = one;
		cond_resched();
	}
	tasks_free(&list);
	return ret ?: done;
}

/* In @list; NULL: made by attach @batch; 0: any. */
static bool wanted(const struct ktr_target *t, const struct tasks *list, u32 batch)
{
	u32 i;

	if (!list)
		return !batch || t->batch == batch;
	for (i = 0; i < list->n; i++)
		if (list->v[i] == t->task)
			return true;
	return false;
}

/* Take those that are wanted out of the hash, onto @mine. */
static int unhash_some(struct ktr_target_set *set, const struct tasks *list, u32 batch,
		       struct list_head *mine)
{
	struct ktr_target *t, *next;
	int n = 0;

	spin_lock(&targets_lock);
	list_for_each_entry_safe(t, next, &set->list, in_set) {
		if (!wanted(t, list, batch) || !target_unhash(t))
			continue;
		list_add_tail(&t->in_set, mine);
		n++;
	}
	spin_unlock(&targets_lock);
	return n;
}

static void finish_all(struct list_head *mine, enum ktr_end why)
{
	struct ktr_target *t;

	synchronize_rcu();
	while ((t = list_first_entry_or_null(mine, struct ktr_target, in_set))) {
		list_del(&t->in_set);
		target_finish(t, why);
	}
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
	if (ret == -ENOMEM || ret == -ESHUTDOWN) {
		if (unhash_some(set, NULL, set->batch, &mine))
			finish_all(&mine, KTR_END_DETACH);
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
	n = unhash_some(set, a ? &list : NULL, 0, &mine);
	tasks_free(&list);
	if (!n)
		return -ESRCH;
	finish_all(&mine, why);
	return n;
}

void ktr_targets_close(struct ktr_target_set *set)
{
	LIST_HEAD(mine);

	spin_lock(&targets_lock);
	set->closed = true;
	spin_unlock(&targets_lock);
	if (unhash_some(set, NULL, 0, &mine))
		finish_all(&mine, KTR_END_SESSION);
	/* Targets of this set that died just before are in the work's hands. */
	irq_work_sync(&dead_kick);
	flush_work(&dead_work);
}

void ktr_targets_exclude(struct ktr_target_set *set, pid_t tgid)
{
	struct ktr_target *t, *next;
	LIST_HEAD(mine);

	set->reader_tgid = tgid;
	spin_lock(&targets_lock);
	list_for_each_entry_safe(t, next, &set->list, in_set) {
		if (task_tgid_nr(t->task) == tgid && target_unhash(t))
			list_add_tail(&t->in_set, &mine);
	}
	spin_unlock(&targets_lock);
	if (!list_empty(&mine))
		finish_all(&mine, KTR_END_DETACH);
}

bool ktr_targets_info(struct ktr_target_set *set, u32 index, struct ktr_target_info *info)
{
	struct ktr_target *t;
	bool found = false;

	spin_lock(&targets_lock);
	list_for_each_entry(t, &set->list, in_set) {
		if (index--)
			continue;
		info->tid = task_pid_nr(t->task);
		info->tgid = task_tgid_nr(t->task);
		info->flags = t->flags;
		memcpy(info->comm, t->task->comm, sizeof(info->comm));
		info->comm[sizeof(info->comm) - 1] = 0;
		info->recorded = local_read(&t->recorded) +
				 atomic64_read(&t->recorded_by_others);
		info->lost = local_read(&t->lost) + atomic64_read(&t->lost_by_others);
		info->syscalls_lost = local_read(&t->syscalls_lost);
		found = true;
		break;
	}
	spin_unlock(&targets_lock);
	return found;
}

int ktr_targets_init(void)
{
	target_cache = KMEM_CACHE(ktr_target, SLAB_ACCOUNT);
	if (!target_cache)
		return -ENOMEM;
	init_irq_work(&dead_kick, dead_kick_fn);
	INIT_WORK(&dead_work, dead_work_fn);
	return 0;
}

/* All sets are closed and all probes gone. */
void ktr_targets_exit(void)
{
	irq_work_sync(&dead_kick);
	flush_work(&dead_work);
	kmem_cache_destroy(target_cache);
}
