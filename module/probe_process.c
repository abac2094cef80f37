// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process life: births, programs, names, deaths. Each runs in the context of
 * the task that does it, with preemption off; these records go to the control
 * ring, where no flood of data displaces them.
 */
#include <linux/binfmts.h>
#include <linux/cred.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/cputime.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <asm/syscall.h>
#include "call.h"
#include "narrow.h"
#include "probe_fns.h"

#define PATH_LEN_MAX 4096

static void emit_new(struct ktr_target *t, struct task_struct *child, u64 flags, u32 followed)
{
	struct ktr_ev_task_new *ev;
	struct ktr_rec *rec;

	rec = ktr_emit_begin(t->stream, KTR_RING_CONTROL, KTR_KIND_task_new,
			     task_pid_nr(t->task), sizeof(*ev));
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	ev->child = task_pid_nr(child);
	ev->child_tgid = task_tgid_nr(child);
	ev->clone_flags = flags;
	ev->followed = followed;
	ev->parent_tgid = task_tgid_nr(t->task);
	memcpy(ev->comm, child->comm, sizeof(ev->comm));
	ev->flags = ktr_target_flags(child);
	ev->reserved = 0;
	ktr_emit_end(t->stream, KTR_RING_CONTROL);
}

/*
 * A thread of a process that is a target whole is one too. What a kernel thread makes
 * for the kernel is not followed: it may be what writes down the trace.
 */
static bool follows(const struct ktr_target *t, const struct task_struct *child, u64 flags)
{
	if (child->flags & PF_KTHREAD)
		return false;
	return READ_ONCE(t->flags) & (flags & CLONE_THREAD ?
				      KTR_TARGET_F_FOLLOW | KTR_TARGET_F_THREADS :
				      KTR_TARGET_F_FOLLOW);
}

static void born(struct ktr_target *t, struct task_struct *child, u64 flags)
{
	u32 followed = 0;

	if (follows(t, child, flags))
		followed = ktr_target_follow(t, child);
	if (!ktr_wants(t->stream, KTR_KIND_task_new) || ktr_target_armed(t))
		return;
	emit_new(t, child, flags, followed);
}

/* The child does not run before this is over. */
void ktr_probe_task_newtask(void *data, struct task_struct *task, KTR_CLONE_FLAGS flags)
{
	struct ktr_target *t;

	KTR_PROBE_GUARD();
	ktr_for_each_target(t, current)
		born(t, task, flags);
	ktr_narrow_born(task);
	/* Its facts, after the record of its birth. */
	ktr_for_each_target(t, task)
		if (ktr_wants(t->stream, KTR_KIND_task))
			ktr_target_facts(t, 0);
}

static void execed(struct ktr_target *t, pid_t old_pid, const struct linux_binprm *bprm)
{
	u32 len = strnlen(bprm->filename, PATH_LEN_MAX);
	struct ktr_ev_exec *ev;
	struct ktr_rec *rec;

	/* It began under a number that is gone: its end is told under the leader's. */
	if (old_pid != task_pid_nr(t->task) && t->state & KTR_T_ACTIVE)
		ktr_call_begun(t, old_pid);
	/* Also where a security module runs it with other rights. */
	if (t->stream->owner && bprm->secureexec)
		return ktr_target_bar(t, KTR_END_PROGRAM);
	t->call.retry = 0;	/* addresses of the old program mean nothing now */
	/* Where no syscalls are traced, nothing has seen the execve begin. */
	t->state &= ~KTR_T_ARMED;
	if (!ktr_wants(t->stream, KTR_KIND_exec))
		return;
	rec = ktr_emit_begin(t->stream, KTR_RING_CONTROL, KTR_KIND_exec,
			     task_pid_nr(t->task), sizeof(*ev) + round_up(len + 1, 8));
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	ev->tgid = task_tgid_nr(t->task);
	ev->old_tid = old_pid;
	ev->uid = from_kuid(&init_user_ns, current_euid());
	ev->gid = from_kgid(&init_user_ns, current_egid());
	memcpy(ev->comm, t->task->comm, sizeof(ev->comm));
	memset(ev + 1, 0, round_up(len + 1, 8));
	memcpy(ev + 1, bprm->filename, len);
	ktr_emit_end(t->stream, KTR_RING_CONTROL);
}

void ktr_probe_sched_process_exec(void *data, struct task_struct *task, pid_t old_pid,
				  struct linux_binprm *bprm)
{
	struct ktr_target *t;

	KTR_PROBE_GUARD();
	ktr_for_each_target(t, task)
		execed(t, old_pid, bprm);
}

static void renamed(struct ktr_target *t, const char *comm)
{
	struct ktr_ev_rename *ev;
	struct ktr_rec *rec;

	if (ktr_target_armed(t) || !ktr_wants(t->stream, KTR_KIND_rename))
		return;
	rec = ktr_emit_begin(t->stream, KTR_RING_CONTROL, KTR_KIND_rename,
			     task_pid_nr(t->task), sizeof(*ev));
	/* Another thread may rename it. */
	if (!ktr_target_count_other(t, rec))
		return;
	ev = (void *)(rec + 1);
	strscpy_pad(ev->comm, comm, sizeof(ev->comm));
	ktr_emit_end(t->stream, KTR_RING_CONTROL);
}

void ktr_probe_task_rename(void *data, struct task_struct *task, const char *comm)
{
	struct ktr_target *t;

	KTR_PROBE_GUARD();
	ktr_for_each_target(t, task)
		renamed(t, comm);
}

static void ended(struct ktr_target *t)
{
	struct task_struct *task = t->task;
	struct ktr_ev_exit *ev;
	struct ktr_rec *rec;

	t->end_tid = task_pid_nr(task);
	if (ktr_target_armed(t))
		return;
	/* exit, or killed inside: the call has no exit of its own. */
	if (t->state & (KTR_T_ACTIVE | KTR_T_SNAPPED)) {
		t->call.ev.flags |= KTR_SYS_F_NO_EXIT;
		t->call.ev.ret = 0;
		ktr_call_finish(t);
	}
	if (!ktr_wants(t->stream, KTR_KIND_exit))
		return;
	rec = ktr_emit_begin(t->stream, KTR_RING_CONTROL, KTR_KIND_exit,
			     task_pid_nr(task), sizeof(*ev));
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	ev->code = task->exit_code;
	ev->flags = atomic_read(&task->signal->live) ? 0 : KTR_EXIT_F_GROUP;
	ev->utime = task->utime;
	ev->stime = task->stime;
	ev->nr = ktr_last_nr(task);
	ev->abi = ktr_task_compat_call(task) ? KTR_ABI_COMPAT : KTR_ABI_NATIVE;
	ktr_emit_end(t->stream, KTR_RING_CONTROL);
}

void ktr_probe_sched_process_exit(KTR_EXIT_PROTO)
{
	struct ktr_target *t;

	KTR_PROBE_GUARD();
	ktr_for_each_target(t, task)
		ended(t);
}
