// SPDX-License-Identifier: GPL-2.0-only
/*
 * Narrowing the syscall flag.
 *
 * The kernel sets SYSCALL_WORK_SYSCALL_TRACEPOINT on all threads when the first
 * probe is put on either tracepoint and takes it off with the last one; probes
 * added in between set nothing. So whoever comes while we hold probes would be
 * blind on the threads we took the flag from. Therefore:
 *
 *  - ftrace hooks the functions by which probes are registered. The hook runs
 *    in the stranger's own context before his probe is there, and puts the
 *    flag back on every thread first ("wide").
 *  - He counts as on his way until his task goes back to user space (a task
 *    work), by when his probe is in the tracepoint's list or never will be.
 *    While somebody is on his way, or the list holds a probe that is not ours,
 *    the flag stays wide. A kernel thread never goes back: then it stays wide.
 *  - The hook is PERMANENT: it cannot be switched off by a sysctl. Where it
 *    cannot be had, the flag stays wide.
 *
 * "wide" is changed under narrow_lock, and every taking away of a flag is done
 * under it after a look at "wide" and at the task's being a target; so when
 * "wide" has been set and the lock released, no flag goes any more, and the
 * walk that puts them back misses none. A child takes its maker's flag over when
 * it is in the list that the walk goes through already, and ktr_narrow_born()
 * runs after that: it puts back what the taking over took away.
 */
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include "channel.h"
#include "narrow.h"
#include "targets.h"

static DEFINE_SPINLOCK(narrow_lock);
static bool wide = true;		/* narrow_lock to write */
static u32 on_their_way;		/* narrow_lock */
static bool unsure;			/* somebody is on his way for ever */

static DEFINE_MUTEX(change_lock);	/* begin, end, the parameter, and the work */
static bool active;			/* change_lock: our probes are on */
static bool hooked;			/* set at init */
static struct task_struct *own;		/* registers ours; probes_lock of probes.c */

static struct {
	struct tracepoint *tp;
	void *fn;
} watched[2];				/* fixed */

static void reconsider(struct work_struct *work);
static DECLARE_DELAYED_WORK(reconsider_work, reconsider);

static bool enabled = true;

static void flag_all(void)
{
	struct task_struct *p, *t;

	rcu_read_lock();
	for_each_process_thread(p, t)
		set_task_syscall_work(t, SYSCALL_TRACEPOINT);
	rcu_read_unlock();
}

/* While our probes are off the flag is the kernel's affair alone. */
static void set_wide(bool stranger)
{
	spin_lock(&narrow_lock);
	wide = true;
	on_their_way += stranger;
	spin_unlock(&narrow_lock);
	smp_mb();	/* "wide" before the walk; pairs with ktr_narrow_born() */
	if (READ_ONCE(active))
		flag_all();
}

struct visitor {
	struct callback_head work;
};

/* He is back: what he registered is in the list. Rmmod waits for this code to end. */
static void visitor_back(struct callback_head *work)
{
	kfree(container_of(work, struct visitor, work));
	spin_lock(&narrow_lock);
	on_their_way--;
	spin_unlock(&narrow_lock);
	module_put(THIS_MODULE);
}

/* Return: whether his coming back will be told. */
static bool expect_back(void)
{
	struct visitor *v;

	if (current->flags & (PF_KTHREAD | PF_EXITING))
		return false;
	v = kmalloc(sizeof(*v), GFP_NOWAIT | __GFP_NOWARN);
	if (!v)
		return false;
	init_task_work(&v->work, visitor_back);
	__module_get(THIS_MODULE);
	if (!task_work_add(current, &v->work, TWA_RESUME))
		return true;
	module_put(THIS_MODULE);
	kfree(v);
	return false;
}

/* Entry of the registering functions, in the context of who calls them. */
static void registering(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			struct ftrace_regs *fregs)
{
	const void *tp = (void *)ftrace_regs_get_argument(fregs, 0);

	if ((tp != watched[0].tp && tp != watched[1].tp) || READ_ONCE(own) == current)
		return;
	set_wide(true);
	if (!expect_back())
		WRITE_ONCE(unsure, true);
	if (READ_ONCE(active))
		queue_delayed_work(ktr_wq, &reconsider_work, HZ);
}

static struct ftrace_ops hook = {
	.func = registering,
	.flags = FTRACE_OPS_FL_PERMANENT,
};

/*
 * Is a probe in the list that is not ours? The list is replaced as a whole and
 * freed after a grace period that differs by version; so it is read without
 * faults, and believed if it was still in force afterwards.
 */
static bool has_stranger(const struct tracepoint *tp, const void *fn)
{
	const struct tracepoint_func *list = rcu_access_pointer(tp->funcs), *f;
	struct tracepoint_func copy;

	for (f = list; f; f++) {
		if (copy_from_kernel_nofault(&copy, f, sizeof(copy)))
			return true;
		if (!copy.func)
			break;
		if (copy.func != fn)
			return true;
	}
	return rcu_access_pointer(tp->funcs) != list;
}

static bool strangers(void)
{
	return has_stranger(watched[0].tp, watched[0].fn) ||
	       has_stranger(watched[1].tp, watched[1].fn);
}

static bool is_target(const struct task_struct *task)
{
	struct ktr_target *t;

	ktr_for_each_any(t, task)
		return true;
	return false;
}

static void unflag(struct task_struct *task)
{
	spin_lock(&narrow_lock);
	if (!wide && !is_target(task))
		clear_task_syscall_work(task, SYSCALL_TRACEPOINT);
	spin_unlock(&narrow_lock);
}

static void unflag_all(void)
{
	struct task_struct *p, *t;

	rcu_read_lock();
	for_each_process_thread(p, t) {
		if (READ_ONCE(wide))
			break;
		unflag(t);
	}
	rcu_read_unlock();
}

/* change_lock held. */
static void try_narrow(void)
{
	bool go;

	lockdep_assert_held(&change_lock);
	if (!READ_ONCE(enabled) || !hooked)
		return;
	spin_lock(&narrow_lock);
	go = !on_their_way && !strangers();
	if (go)
		wide = false;
	spin_unlock(&narrow_lock);
	if (go)
		unflag_all();
}

/* Strangers go without a word: look now and then, while it matters. */
static void reconsider(struct work_struct *work)
{
	mutex_lock(&change_lock);
	if (active && !READ_ONCE(enabled) && !wide)
		set_wide(false);
	if (active && wide)
		try_narrow();
	if (active && hooked && wide)
		queue_delayed_work(ktr_wq, &reconsider_work, HZ);
	mutex_unlock(&change_lock);
}

void ktr_narrow_begin(void)
{
	mutex_lock(&change_lock);
	WRITE_ONCE(active, true);
	try_narrow();
	if (hooked && wide)
		queue_delayed_work(ktr_wq, &reconsider_work, HZ);
	mutex_unlock(&change_lock);
}

/*
 * Our probes go one by one, and somebody may come in between: the hook stays
 * and finds the flag narrow or not; when both are gone the kernel has taken the
 * flag off all, or a stranger has made it wide.
 */
void ktr_narrow_end(void)
{
	mutex_lock(&change_lock);
	WRITE_ONCE(active, false);
	spin_lock(&narrow_lock);
	wide = true;
	spin_unlock(&narrow_lock);
	mutex_unlock(&change_lock);
	cancel_delayed_work_sync(&reconsider_work);
}

void ktr_narrow_own(bool now)
{
	WRITE_ONCE(own, now ? current : NULL);
}

void ktr_narrow_target_in(struct task_struct *task)
{
	spin_lock(&narrow_lock);
	if (active && !wide)
		set_task_syscall_work(task, SYSCALL_TRACEPOINT);
	spin_unlock(&narrow_lock);
}

void ktr_narrow_target_out(struct task_struct *task)
{
	if (READ_ONCE(active) && !READ_ONCE(wide))
		unflag(task);
}

void ktr_narrow_born(struct task_struct *child)
{
	if (!READ_ONCE(active))
		return;
	smp_mb();	/* the child is in the list; pairs with set_wide() */
	if (READ_ONCE(wide))
		set_task_syscall_work(child, SYSCALL_TRACEPOINT);
	else if (test_task_syscall_work(child, SYSCALL_TRACEPOINT))
		unflag(child);
	else if (is_target(child))
		ktr_narrow_target_in(child);
}

enum ktr_narrow_state ktr_narrow_state(void)
{
	if (!READ_ONCE(active))
		return KTR_NARROW_IDLE;
	if (!READ_ONCE(wide))
		return KTR_NARROW_ON;
	if (!READ_ONCE(enabled))
		return KTR_NARROW_OFF_PARAM;
	if (!hooked)
		return KTR_NARROW_OFF_HOOK;
	if (READ_ONCE(unsure))
		return KTR_NARROW_OFF_UNSURE;
	return KTR_NARROW_OFF_OTHERS;
}

static int enabled_set(const char *val, const struct kernel_param *kp)
{
	int ret = param_set_bool(val, kp);

	mutex_lock(&change_lock);
	if (!ret && active)
		mod_delayed_work(ktr_wq, &reconsider_work, 0);
	mutex_unlock(&change_lock);
	return ret;
}

static const struct kernel_param_ops enabled_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = enabled_set,
	.get = param_get_bool,
};

module_param_cb(narrow, &enabled_ops, &enabled, 0644);
MODULE_PARM_DESC(narrow, "take the syscall flag off threads that are not traced (default on)");

int ktr_narrow_init(struct tracepoint *enter, void *enter_fn, struct tracepoint *leave,
		    void *leave_fn)
{
	unsigned long ips[] = {
		(unsigned long)tracepoint_probe_register,
		(unsigned long)tracepoint_probe_register_prio,
		(unsigned long)tracepoint_probe_register_prio_may_exist,
	};
	int ret;

	watched[0].tp = enter;
	watched[0].fn = enter_fn;
	watched[1].tp = leave;
	watched[1].fn = leave_fn;
	ret = ftrace_set_filter_ips(&hook, ips, ARRAY_SIZE(ips), 0, 0);
	if (!ret)
		ret = register_ftrace_function(&hook);
	hooked = !ret;
	if (hooked)
		return 0;
	ftrace_free_filter(&hook);
	pr_info("cannot hook the registering of probes (%d): all threads take the slow syscall path while syscalls are traced\n",
		ret);
	return ret == -ENOMEM ? ret : 0;
}

void ktr_narrow_exit(void)
{
	if (hooked) {
		unregister_ftrace_function(&hook);
		ftrace_free_filter(&hook);
	}
	cancel_delayed_work_sync(&reconsider_work);
	/* A visitor's work that has just put the module may not have returned. */
	synchronize_rcu_tasks();
}
