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
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "call.h"
#include "channel.h"
#include "narrow.h"
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

struct ktr_target *ktr_target_new(struct ktr_target_set *set, struct task_struct *task,
				  u32 flags, gfp_t gfp)
{
	struct ktr_target *t;

	if (!ktr_user_add_target(set->user))
		return NULL;
	t = kmem_cache_zalloc(target_cache, gfp);
	if (!t) {
		ktr_user_del_target(set->user);
		return NULL;
	}
	t->task = get_task_struct(task);
	t->key = set->stream->owner ? NULL : task;
	t->exec_id = READ_ONCE(task->self_exec_id);
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

	ktr_pool_free(t->stream->pool, t->call.buf);
	ktr_user_del_target(t->set->user);
	put_task_struct(t->task);
	kmem_cache_free(target_cache, t);
}

void ktr_target_put(struct ktr_target *t)
{
	kref_put(&t->ref, target_release);
}

static int insert(struct ktr_target *t)
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

int ktr_target_insert(struct ktr_target *t)
{
	int ret;

	spin_lock(&targets_lock);
	ret = insert(t);
	spin_unlock(&targets_lock);
	return ret;
}

/* Return: true if the caller is the one who must finish it. */
static bool unhash(struct ktr_target *t)
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

bool ktr_target_take_back(struct ktr_target *t)
{
	bool ours;

	spin_lock(&targets_lock);
	ours = unhash(t);
	spin_unlock(&targets_lock);
	if (!ours)
		return false;
	synchronize_rcu();
	atomic_dec(&t->set->unfinished);
	return true;
}

/* "set" is alive: its session goes through ktr_targets_close(), which waits. */
static void target_finish(struct ktr_target *t, enum ktr_end why)
{
	struct ktr_target_set *set = t->set;
	struct ktr_ev_target_end *ev;
	u32 tid = t->end_tid ?: task_pid_nr(t->task);
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
	ktr_target_put(t);
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
		ours = unhash(t);
		if (ours)
			list_add_tail(&t->in_set, &mine);
		spin_unlock(&targets_lock);
		if (!ours)
			ktr_target_put(t);
	}
	if (list_empty(&mine))
		return;
	synchronize_rcu();
	while ((t = list_first_entry_or_null(&mine, struct ktr_target, in_set))) {
		list_del(&t->in_set);
		ktr_target_put(t);	/* the dead list's; the hash's is left */
		target_finish(t, t->barred ?: KTR_END_EXIT);
	}
}

/* What is known of the call under way is from before: it is told as one without end. */
void ktr_target_bar(struct ktr_target *t, enum ktr_end why)
{
	if (!ktr_target_armed(t) && t->state & (KTR_T_ACTIVE | KTR_T_SNAPPED)) {
		t->call.ev.flags |= KTR_SYS_F_NO_EXIT;
		t->call.ev.ret = 0;
		ktr_call_finish(t);
	}
	t->end_tid = task_pid_nr(t->task);
	WRITE_ONCE(t->barred, why);
	if (!t->dying)
		ktr_target_dead(t);
}

/*
 * What others do to the task while it is not sure what it has become is not
 * recorded; its own next probe judges.
 */
bool ktr_target_permitted(struct ktr_target *t)
{
	const struct cred *owner = t->stream->owner;
	struct task_struct *task = t->task;
	u64 exec_id = READ_ONCE(task->self_exec_id);
	bool may = ktr_permit_cred(owner, task);

	if (unlikely(READ_ONCE(t->barred)))
		return false;
	if (likely(may && exec_id == t->exec_id))
		return true;
	if (task != current || !in_task())
		return false;
	if (exec_id != t->exec_id) {
		/* A task that is killed while it executes has no program. */
		if (!may || (!ktr_permit_program() && !(task->flags & PF_EXITING))) {
			ktr_target_bar(t, KTR_END_PROGRAM);
			return false;
		}
		t->exec_id = exec_id;
		return true;
	}
	ktr_target_bar(t, KTR_END_CREDENTIALS);
	return false;
}

int ktr_target_follow(struct ktr_target *parent, struct task_struct *child)
{
	struct ktr_target *t;
	int ret;

	t = ktr_target_new(parent->set, child, READ_ONCE(parent->flags),
			   GFP_NOWAIT | __GFP_NOWARN);
	if (!t)
		goto not_followed;
	t->state = KTR_T_FRESH;
	ret = ktr_target_insert(t);
	if (!ret)
		return 1;
	ktr_target_put(t);
	if (ret == -EEXIST)
		return 1;
not_followed:
	atomic64_inc(&parent->stream->not_followed);
	return 2;
}

/* x32: 32-bit addresses in 64-bit mode. The task may be losing its stack just now. */
static u32 address_flags(struct task_struct *task)
{
	typeof(task_pt_regs(task)->cs) cs;

	if (!test_tsk_thread_flag(task, TIF_ADDR32))
		return 0;
	if (get_kernel_nofault(cs, &task_pt_regs(task)->cs) || cs != __USER_CS)
		return KTR_TASK_F_COMPAT;
	return KTR_TASK_F_COMPAT | KTR_TASK_F_X32;
}

u32 ktr_target_flags(struct task_struct *task)
{
	return (thread_group_leader(task) ? 0 : KTR_TASK_F_THREAD) |
	       (task->flags & PF_KTHREAD ? KTR_TASK_F_KTHREAD : 0) |
	       address_flags(task);
}

static void fill_facts(struct task_struct *task, struct ktr_ev_task *ev, u32 more_flags)
{
	const struct cred *cred;

	rcu_read_lock();
	cred = __task_cred(task);
	ev->uid = from_kuid(&init_user_ns, cred->euid);
	ev->gid = from_kgid(&init_user_ns, cred->egid);
	ev->tgid = task_tgid_nr(task);
	ev->ppid = task_tgid_nr(rcu_dereference(task->real_parent));
	ev->inner_tid = task_pid_nr_ns(task, task_active_pid_ns(task));
	rcu_read_unlock();
	ev->flags = more_flags | ktr_target_flags(task);
	ev->started = task->start_time;
	memcpy(ev->comm, task->comm, sizeof(ev->comm));
}

void ktr_target_facts(struct ktr_target *t, u32 more_flags)
{
	struct ktr_rec *rec;

	rec = ktr_emit_begin(t->stream, KTR_RING_CONTROL, KTR_KIND_task,
			     task_pid_nr(t->task), sizeof(struct ktr_ev_task));
	if (!rec)
		return;
	fill_facts(t->task, (void *)(rec + 1), more_flags);
	ktr_emit_end(t->stream, KTR_RING_CONTROL);
}

/* Of one that has become somebody else's its owner sees nothing new. */
static bool may_tell(const struct ktr_target *t)
{
	const struct cred *owner = t->stream->owner;

	return !owner || (!READ_ONCE(t->barred) &&
			  READ_ONCE(t->task->self_exec_id) == t->exec_id &&
			  ktr_permit_cred(owner, t->task));
}

u32 ktr_targets_facts(struct ktr_target_set *set, struct ktr_target_fact *to, u32 room)
{
	struct ktr_target *t;
	u32 n = 0;

	spin_lock(&targets_lock);
	list_for_each_entry(t, &set->list, in_set) {
		if (n == room)
			break;
		if (!may_tell(t))
			continue;
		to[n].tid = task_pid_nr(t->task);
		fill_facts(t->task, &to[n++].ev, 0);
	}
	spin_unlock(&targets_lock);
	return n;
}

int ktr_targets_take(struct ktr_target_set *set,
		     bool (*match)(const struct ktr_target *t, const void *arg),
		     const void *arg, struct list_head *mine)
{
	struct ktr_target *t, *next;
	int n = 0;

	spin_lock(&targets_lock);
	list_for_each_entry_safe(t, next, &set->list, in_set) {
		if (!match(t, arg) || !unhash(t))
			continue;
		list_add_tail(&t->in_set, mine);
		n++;
	}
	spin_unlock(&targets_lock);
	return n;
}

void ktr_targets_finish(struct list_head *mine, enum ktr_end why)
{
	struct ktr_target *t;

	if (list_empty(mine))
		return;
	synchronize_rcu();
	while ((t = list_first_entry_or_null(mine, struct ktr_target, in_set))) {
		list_del(&t->in_set);
		target_finish(t, why);
	}
}

void ktr_targets_shut(struct ktr_target_set *set)
{
	spin_lock(&targets_lock);
	set->closed = true;
	spin_unlock(&targets_lock);
}

bool ktr_targets_shut_idle(struct ktr_target_set *set)
{
	bool idle;

	spin_lock(&targets_lock);
	idle = !atomic_read(&set->unfinished);
	set->closed |= idle;
	spin_unlock(&targets_lock);
	return idle;
}

void ktr_targets_flush(void)
{
	irq_work_sync(&dead_kick);
	flush_work(&dead_work);
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
	ktr_targets_flush();
	kmem_cache_destroy(target_cache);
}
