// SPDX-License-Identifier: GPL-2.0-only
/*
 * Syscall entry and exit. The task itself runs here; its call state is its own.
 *
 * Each probe is compiled twice from one source: the quick way for the common
 * call, of which nothing is captured, that was not switched out, that no
 * predicate looks at and whose task one session traces, calls nothing and so
 * saves no registers; whatever it meets that is not quick goes the whole way.
 */
#include <linux/err.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/unistd.h>
#include <asm/syscall.h>
#include "call.h"
#include "probe_fns.h"

static bool is_execve(unsigned int abi, long nr)
{
	if (abi == KTR_ABI_NATIVE)
		return nr == __NR_execve || nr == __NR_execveat;
	return nr == KTR_COMPAT_execve || nr == KTR_COMPAT_execveat;
}

static __always_inline unsigned int call_abi(void)
{
	return unlikely(ktr_task_compat_call(current)) ? KTR_ABI_COMPAT : KTR_ABI_NATIVE;
}

static __always_inline void call_begin(struct ktr_target *t, const struct ktr_prog *prog,
				       unsigned int abi, s32 nr, struct pt_regs *regs, bool quick)
{
	struct ktr_call *call = &t->call;

	BUILD_BUG_ON(sizeof(call->args[0]) != sizeof(unsigned long));
	BUILD_BUG_ON(offsetof(struct ktr_ev_syscall, ret) != sizeof(prog->head));
	memcpy(&call->ev, &prog->head, sizeof(prog->head));
	if (unlikely(prog == &ktr_prog_other)) {
		call->ev.nr = nr;
		call->ev.abi = abi;
	}
	if (prog->nargs)
		syscall_get_arguments(current, regs, (unsigned long *)call->args);
	call->ev.start = quick ? ktr_clock_direct() : ktr_clock_ns();
}

/* What only calls with captured memory need. */
static noinline bool take_buffer(struct ktr_target *t)
{
	struct ktr_call *call = &t->call;

	if (!call->ev.ncaps)
		memset(call->off, 0, sizeof(call->off));
	if (call->buf)
		return true;
	call->buf = ktr_pool_get(t->stream->pool);
	if (!call->buf)
		return false;
	t->state |= KTR_T_BUFFER;
	return true;
}

static noinline void prepare_capture(struct ktr_target *t, const struct ktr_prog *prog, u32 seq,
				     struct pt_regs *regs)
{
	t->call.sp = user_stack_pointer(regs);
	t->call.table_seq = seq;
	t->call.retry = 0;
	if (prog->nentry && take_buffer(t))
		ktr_capture_entry(prog, &t->call, ktr_read_current, NULL);
	else if (prog->nentry)
		t->call.retry = ~0;	/* all of it again at exit, marked late */
	if (prog->nops > prog->nentry || t->call.retry)
		t->state |= KTR_T_AT_EXIT;
}

static noinline void capture_exit(struct ktr_target *t, const struct ktr_table *table)
{
	struct ktr_call *call = &t->call;
	const struct ktr_prog *prog = ktr_table_find(table, call->ev.abi, call->ev.nr);

	/* A new table may number its operations otherwise. */
	if (!prog || call->table_seq != table->seq)
		return;
	if (is_execve(call->ev.abi, call->ev.nr) && !call->ev.ret)
		return;		/* another address space */
	if (take_buffer(t))
		ktr_capture_exit(prog, call);
}

/* Return: false if the entry is not to be looked at. */
static noinline bool enter_odd(struct ktr_target *t, unsigned int abi, long id)
{
	if (t->state & KTR_T_ARMED && !is_execve(abi, id))
		return false;
	t->state &= ~(KTR_T_ARMED | KTR_T_FRESH);
	ktr_call_drop(t);
	return true;
}

/*
 * @quick: only what needs no call, so that the probe saves no registers for it.
 * Return: false if it was not quick, and nothing has been done.
 */
static __always_inline bool enter(struct ktr_target *t, struct pt_regs *regs, long id, bool quick)
{
	struct ktr_stream *st = t->stream;
	unsigned int abi = call_abi();
	const struct ktr_table *table;
	const struct ktr_prog *prog;

	if (unlikely(t->state)) {
		if (quick)
			return false;
		if (!enter_odd(t, abi, id))
			return true;
	}
	if (unlikely(!ktr_wants(st, KTR_KIND_syscall)))
		return true;
	table = rcu_dereference_sched(st->table);
	prog = ktr_table_find(table, abi, id);
	if (!prog)
		return true;
	if (quick && (prog->nops || !ktr_clock_is_direct()))
		return false;
	call_begin(t, prog, abi, id, regs, quick);
	t->state = KTR_T_ACTIVE;
	if (!quick && prog->nops)
		prepare_capture(t, prog, table->seq, regs);
	return true;
}

static noinline void enter_all(struct pt_regs *regs, long id)
{
	struct ktr_target *t;

	ktr_for_each_target(t, current)
		enter(t, regs, id, false);
}

void ktr_probe_sys_enter(void *data, struct pt_regs *regs, long id)
{
	struct ktr_target *t;

	guard(preempt_notrace)();
	t = ktr_target_only(current);
	if (!t)
		return;
	if (IS_ERR(t) || !enter(t, regs, id, true))
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
static bool late_begin(struct ktr_target *t, struct pt_regs *regs, const struct ktr_table *table)
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
	prog = ktr_table_find(table, call_abi(), nr);
	if (!prog)
		return false;
	call_begin(t, prog, call_abi(), nr, regs, false);
	t->call.ev.flags = KTR_SYS_F_NO_ENTRY;
	t->call.sp = 0;	/* what lay there at entry may be gone */
	t->call.table_seq = table->seq;
	t->call.retry = prog->nentry ? ~0 : 0;
	t->state = KTR_T_ACTIVE | (prog->nops ? KTR_T_AT_EXIT : 0);
	return true;
}

/* The stored call is not the one that ends: its exit was not seen. */
static __always_inline bool is_stale(const struct ktr_call *call, struct pt_regs *regs)
{
	int nr = syscall_get_nr(current, regs);

	return nr != call->ev.nr && nr != -1;
}

/* Results by which the kernel restarts a call: -ERESTARTSYS to -ERESTART_RESTARTBLOCK. */
static __always_inline bool is_restart(long ret)
{
	return (unsigned long)(ret + 516) <= 4;
}

static noinline void leave_odd(struct ktr_target *t, struct pt_regs *regs, long ret)
{
	const struct ktr_table *table = rcu_dereference_sched(t->stream->table);

	if (!(t->state & KTR_T_ACTIVE) || is_stale(&t->call, regs))
		if (!late_begin(t, regs, table))
			return;
	t->call.ev.ret = ret;
	if (is_restart(ret) && fatal_signal_pending(current))
		t->call.ev.flags |= KTR_SYS_F_KILLED;
	if (t->state & KTR_T_AT_EXIT)
		capture_exit(t, table);
	ktr_call_finish(t);
}

/* A call that nobody wanted leaves no state, and mostly has no row. */
static __always_inline bool is_unwanted(const struct ktr_target *t, struct pt_regs *regs)
{
	return !t->state && !ktr_table_find(rcu_dereference_sched(t->stream->table), call_abi(),
					    syscall_get_nr(current, regs));
}

/* As enter(). */
static __always_inline bool leave(struct ktr_target *t, struct pt_regs *regs, long ret, bool quick)
{
	struct ktr_stream *st = t->stream;

	if (likely(t->state == KTR_T_ACTIVE && !is_stale(&t->call, regs) && !is_restart(ret) &&
		   !rcu_access_pointer(st->filter) && ktr_wants(st, KTR_KIND_syscall))) {
		t->call.ev.ret = ret;
		return ktr_call_finish_plain(t, quick);
	}
	if (is_unwanted(t, regs))
		return true;
	if (!quick)
		leave_odd(t, regs, ret);
	return !quick;
}

static noinline void leave_all(struct pt_regs *regs, long ret)
{
	struct ktr_target *t;

	ktr_for_each_target(t, current)
		leave(t, regs, ret, false);
}

void ktr_probe_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	struct ktr_target *t;

	guard(preempt_notrace)();
	t = ktr_target_only(current);
	if (!t)
		return;
	if (IS_ERR(t) || !leave(t, regs, ret, true))
		leave_all(regs, ret);
}
