// SPDX-License-Identifier: GPL-2.0-only
/*
 * The call that a task sleeps in when it becomes a target.
 *
 * Its registers lie at the top of its kernel stack. They are read with the
 * no-fault copy, since the task may end and its stack go. What was read counts
 * only if the task has not run meanwhile: it was asleep before and after, and
 * its switch counts have not moved. The exit probe compares number and
 * arguments again before it believes the snapshot.
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>
#include "call.h"
#include "snapshot.h"

static bool asleep(const struct task_struct *task)
{
	return READ_ONCE(task->__state) != TASK_RUNNING && !READ_ONCE(task->on_cpu);
}

static u64 switches(const struct task_struct *task)
{
	return READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw);
}

static int read_remote(void *dst, u64 addr, u32 len, void *ctx)
{
	return access_process_vm(ctx, addr, dst, len, 0) == len ? 0 : -EFAULT;
}

/*
 * In a syscall, and not in a fault or an interrupt: those leave an error code
 * or a vector in orig_ax, but only a syscall's entry puts -ENOSYS into the
 * result's register.
 */
static bool in_syscall(struct task_struct *task, struct pt_regs *regs)
{
	return syscall_get_nr(task, regs) >= 0 &&
	       syscall_get_return_value(task, regs) == -ENOSYS;
}

static bool read_call(struct ktr_target *t, struct ktr_call *call)
{
	struct task_struct *task = t->task;
	struct pt_regs regs;
	unsigned long args[6];
	int i;

	if (copy_from_kernel_nofault(&regs, task_pt_regs(task), sizeof(regs)))
		return false;
	if (!in_syscall(task, &regs))
		return false;
	call->ev.nr = syscall_get_nr(task, &regs);
	call->ev.abi = ktr_task_compat_call(task) ? KTR_ABI_COMPAT : KTR_ABI_NATIVE;
	syscall_get_arguments(task, &regs, args);
	for (i = 0; i < 6; i++)
		call->args[i] = args[i];
	call->ip = instruction_pointer(&regs);
	return true;
}

static void capture(struct ktr_target *t, const struct ktr_prog *prog)
{
	struct ktr_call *call = &t->call;

	call->ev.nargs = prog->nargs;
	call->retry = 0;
	if (!prog->entry)
		return;
	call->buf = ktr_pool_get(t->stream->pool);
	if (call->buf)
		ktr_capture_entry(prog, call, read_remote, t->task);
	else
		call->retry = KTR_RETRY_ALL;
}

/* Its exit probe goes on where the capture has stopped, as after an entry that was seen. */
static u32 state_of(const struct ktr_call *call, const struct ktr_prog *prog)
{
	u32 state = KTR_T_SNAPPED;

	if (call->buf)
		state |= KTR_T_BUFFER;
	if (prog->exit || call->retry)
		state |= KTR_T_AT_EXIT;
	return state;
}

/* Holds on while the task sleeps. */
static bool still_permitted(const struct ktr_target *t, const struct mm_struct *mm)
{
	const struct cred *owner = t->stream->owner;
	u64 exec_id;

	return !owner || (!ktr_permit_attach(owner, t->task, mm, &exec_id) &&
			  exec_id == t->exec_id);
}

void ktr_snapshot_take(struct ktr_target *t, const struct mm_struct *mm)
{
	struct task_struct *task = t->task;
	struct ktr_call *call = &t->call;
	const struct ktr_table *table;
	const struct ktr_prog *prog;
	u64 before = switches(task);

	if (task == current || task->flags & PF_KTHREAD || !asleep(task))
		return;
	if (!still_permitted(t, mm) || !read_call(t, call))
		return;
	/* The session's mutex keeps the table. */
	table = rcu_dereference_protected(t->stream->table, 1);
	prog = ktr_table_find(table, call->ev.abi, call->ev.nr);
	if (!prog)
		return;
	call->ev.start = ktr_clock_ns();
	call->ev.flags = KTR_SYS_F_NO_ENTRY | KTR_SYS_F_ATTACHED;
	call->prog_seq = prog->seq;
	capture(t, prog);
	preempt_disable();
	if (asleep(task) && switches(task) == before) {
		t->state = state_of(call, prog);
		ktr_call_begun(t, task_pid_nr(task));
	} else {
		ktr_call_drop(t);
	}
	preempt_enable();
}
