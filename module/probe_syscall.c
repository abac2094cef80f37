// SPDX-License-Identifier: GPL-2.0-only
/*
 * Syscall entry and exit. The task itself runs here; its call state is its own.
 *
 * The common call, of which nothing is captured, that was not switched out, that
 * no predicate looks at and whose task one session traces, is done in line. What
 * else there may be to do is out of line and comes last, so that the probes save
 * no registers for it.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/unistd.h>
#include <asm/syscall.h>
#include "call.h"
#include "probe_fns.h"

static __always_inline unsigned int call_abi(void)
{
	return unlikely(ktr_task_compat_call(current)) ? KTR_ABI_COMPAT : KTR_ABI_NATIVE;
}

/* The row of the current call, or NULL; a branch by the ABI is all it costs. */
static __always_inline const struct ktr_prog *find_row(const struct ktr_table *table, long nr)
{
	if (unlikely(ktr_task_compat_call(current)))
		return ktr_table_find(table, KTR_ABI_COMPAT, nr);
	return ktr_table_find(table, KTR_ABI_NATIVE, nr);
}

static __always_inline void call_begin(struct ktr_target *t, const struct ktr_prog *prog,
				       struct pt_regs *regs, bool direct)
{
	struct ktr_call *call = &t->call;

	BUILD_BUG_ON(sizeof(call->args[0]) != sizeof(unsigned long));
	BUILD_BUG_ON(offsetof(struct ktr_ev_syscall, ret) != sizeof(prog->head));
	memcpy(&call->ev, &prog->head, sizeof(prog->head));
	if (prog->nargs)
		syscall_get_arguments(current, regs, (unsigned long *)call->args);
	call->ev.start = direct ? ktr_clock_direct() : ktr_clock_ns();
	t->state = KTR_T_ACTIVE;
}

/* A number without a row of its own: the program does not know it. */
static void name_other(struct ktr_call *call, const struct ktr_prog *prog, struct pt_regs *regs)
{
	if (prog != &ktr_prog_other)
		return;
	call->ev.nr = syscall_get_nr(current, regs);
	call->ev.abi = call_abi();
}

static bool take_buffer(struct ktr_target *t)
{
	struct ktr_call *call = &t->call;

	if (!call->ev.ncaps)
		call->has = 0;
	if (call->buf)
		return true;
	call->buf = ktr_pool_get(t->stream->pool);
	if (!call->buf)
		return false;
	t->state |= KTR_T_BUFFER;
	return true;
}

/* What a program asks for beyond number, arguments and time. */
static noinline void call_begin_more(struct ktr_target *t, const struct ktr_prog *prog,
				     struct pt_regs *regs)
{
	name_other(&t->call, prog, regs);
	t->call.sp = user_stack_pointer(regs);
	t->call.ip = instruction_pointer(regs);
	t->call.prog_seq = prog->seq;
	t->call.retry = 0;
	if (prog->entry && take_buffer(t))
		ktr_capture_entry(prog, &t->call, ktr_read_current, NULL);
	else if (prog->entry)
		t->call.retry = KTR_RETRY_ALL;	/* all of it again at exit, marked late */
	if (prog->exit || t->call.retry)
		t->state |= KTR_T_AT_EXIT;
}

static noinline void capture_exit(struct ktr_target *t, const struct ktr_table *table)
{
	struct ktr_call *call = &t->call;
	const struct ktr_prog *prog = ktr_table_find(table, call->ev.abi, call->ev.nr);

	/* A new program may number its operations otherwise. */
	if (!prog || call->prog_seq != prog->seq)
		return;
	if (ktr_call_is_execve(call->ev.abi, call->ev.nr) && !call->ev.ret)
		return;		/* another address space */
	if (take_buffer(t))
		ktr_capture_exit(prog, call);
}

#ifdef KTR_PREPARE_EXEC
static void before_exec(struct ktr_target *t)
{
	struct ktr_call *call = &t->call;
	const struct ktr_prog *prog = ktr_table_find(rcu_dereference_sched(t->stream->table),
						     call->ev.abi, call->ev.nr);

	if (prog && call->prog_seq == prog->seq && take_buffer(t))
		ktr_capture_again(prog, call);
}

/*
 * The kernel has read by now what the execve was given, and the address space that it
 * is in is still there: a child may never have touched those pages.
 */
void ktr_probe_sched_prepare_exec(void *data, struct task_struct *task,
				  struct linux_binprm *bprm)
{
	struct ktr_target *t;

	KTR_PROBE_GUARD();
	ktr_for_each_target(t, current)
		if (t->state & KTR_T_ACTIVE && t->call.retry)
			before_exec(t);
}
#endif

/* @direct: the clock need not be called. */
static __always_inline void enter_table(struct ktr_target *t, struct pt_regs *regs, long id,
					bool direct)
{
	struct ktr_stream *st = t->stream;
	const struct ktr_table *table;
	const struct ktr_prog *prog;

	if (unlikely(!ktr_wants(st, KTR_KIND_syscall)))
		return;
	table = rcu_dereference_sched(st->table);
	prog = find_row(table, id);
	if (!prog)
		return;
	call_begin(t, prog, regs, direct);
	if (prog->more)
		call_begin_more(t, prog, regs);
}

/* Something is left from before, or the clock has to be called. */
static noinline void enter_odd(struct ktr_target *t, struct pt_regs *regs, long id)
{
	if (t->state & KTR_T_ARMED && !ktr_call_is_execve(call_abi(), id))
		return;
	t->state &= ~(KTR_T_ARMED | KTR_T_FRESH);
	ktr_call_drop(t);
	enter_table(t, regs, id, false);
}

static __always_inline void enter(struct ktr_target *t, struct pt_regs *regs, long id)
{
	if (likely(!t->state && ktr_clock_is_direct()))
		enter_table(t, regs, id, true);
	else
		enter_odd(t, regs, id);
}

static noinline void enter_all(struct pt_regs *regs, long id)
{
	struct ktr_target *t;

	ktr_for_each_target(t, current)
		enter(t, regs, id);
}

void ktr_probe_sys_enter(void *data, struct pt_regs *regs, long id)
{
	struct ktr_target *t;

	KTR_PROBE_GUARD();
	t = ktr_target_first(current);
	if (!t)
		return;
	if (ktr_target_only(t, current))
		enter(t, regs, id);
	else
		enter_all(regs, id);
}

/* The snapshot of an attach is this call if number and arguments agree. */
static bool snapshot_agrees(struct ktr_target *t, struct pt_regs *regs)
{
	unsigned long args[6];

	if (!(t->state & KTR_T_SNAPPED) || t->call.ev.nr != syscall_get_nr(current, regs))
		return false;
	syscall_get_arguments(current, regs, args);
	return !memcmp(args, t->call.args, t->call.ev.nargs * sizeof(args[0]));
}

/*
 * An exit without an entry: a verdict of seccomp, or the entry came before the
 * attach. The registers still hold number and arguments.
 */
static noinline bool late_begin(struct ktr_target *t, struct pt_regs *regs,
				const struct ktr_table *table)
{
	int nr = syscall_get_nr(current, regs);
	const struct ktr_prog *prog;
	u32 odd;

	if (snapshot_agrees(t, regs))
		return true;
	odd = t->state & (KTR_T_FRESH | KTR_T_ARMED);
	ktr_call_drop(t);
	t->state &= ~KTR_T_FRESH;
	/* After sigreturn other registers are here; a fresh child entered nothing. */
	if (nr == -1 || odd)
		return false;
	prog = find_row(table, nr);
	if (!prog)
		return false;
	call_begin(t, prog, regs, false);
	name_other(&t->call, prog, regs);
	t->call.ev.flags = KTR_SYS_F_NO_ENTRY;
	t->call.sp = 0;	/* what lay there at entry may be gone */
	t->call.ip = instruction_pointer(regs);
	t->call.prog_seq = prog->seq;
	t->call.retry = prog->entry ? KTR_RETRY_ALL : 0;
	if (prog->nops)
		t->state |= KTR_T_AT_EXIT;
	return true;
}

/* The stored call is not the one that ends: its exit was not seen. */
static bool is_stale(const struct ktr_call *call, struct pt_regs *regs)
{
	int nr = syscall_get_nr(current, regs);

	if (nr == call->ev.nr || nr == -1)
		return false;
	/* A new program begins with the execve of its own kind in the register. */
	return !ktr_call_is_execve(call->ev.abi, call->ev.nr) ||
	       (nr != __NR_execve && nr != KTR_COMPAT_execve);
}

/* Results by which the kernel restarts a call: -ERESTARTSYS to -ERESTART_RESTARTBLOCK. */
static __always_inline bool is_restart(long ret)
{
	return (unsigned long)(ret + 516) <= 4;
}

/*
 * A tracer that stops its tasks sees the end of a call that the deadly signal
 * of this thread has broken off. SIGKILL nobody sees, and other threads are
 * killed by it; signals that dump core do not kill before they are taken.
 */
static bool killed_by_own_signal(void)
{
	int sig = READ_ONCE(current->signal->group_exit_code) & 0x7f;

	return sig && sig != SIGKILL && !sig_kernel_coredump(sig) && thread_group_leader(current);
}

static noinline void leave_odd(struct ktr_target *t, struct pt_regs *regs, long ret)
{
	const struct ktr_table *table = rcu_dereference_sched(t->stream->table);

	if (!(t->state & KTR_T_ACTIVE) || is_stale(&t->call, regs))
		if (!late_begin(t, regs, table))
			return;
	t->call.ev.ret = ret;
	if (is_restart(ret) && fatal_signal_pending(current)) {
		t->call.ev.flags |= KTR_SYS_F_KILLED;
		if (killed_by_own_signal())
			t->call.ev.flags |= KTR_SYS_F_FATAL;
	}
	if (t->state & KTR_T_AT_EXIT)
		capture_exit(t, table);
	ktr_call_finish(t);
}

/* A call that nobody wanted leaves no state, and mostly has no row. */
static __always_inline bool is_unwanted(const struct ktr_target *t, struct pt_regs *regs)
{
	return !t->state && !find_row(rcu_dereference_sched(t->stream->table),
				      syscall_get_nr(current, regs));
}

static __always_inline void leave(struct ktr_target *t, struct pt_regs *regs, long ret)
{
	if (likely(t->state == KTR_T_ACTIVE && syscall_get_nr(current, regs) == t->call.ev.nr &&
		   !is_restart(ret))) {
		if (likely(ktr_call_finish_plain(t, ret)))
			return;
		/* Counted, asked about by a predicate, or the ring is not quick. */
		t->call.ev.ret = ret;
		ktr_call_finish(t);
	} else if (!is_unwanted(t, regs)) {
		leave_odd(t, regs, ret);
	}
}

static noinline void leave_all(struct pt_regs *regs, long ret)
{
	struct ktr_target *t;

	ktr_for_each_target(t, current)
		leave(t, regs, ret);
}

void ktr_probe_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	struct ktr_target *t;

	KTR_PROBE_GUARD();
	t = ktr_target_first(current);
	if (!t)
		return;
	if (ktr_target_only(t, current))
		leave(t, regs, ret);
	else
		leave_all(regs, ret);
}
