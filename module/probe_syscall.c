// SPDX-License-Identifier: GPL-2.0-only
/*
 * Syscall entry and exit. The task itself runs here; its call state is its own.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
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

static __always_inline void load_args(struct ktr_call *call, struct pt_regs *regs)
{
	BUILD_BUG_ON(sizeof(call->args[0]) != sizeof(unsigned long));
	syscall_get_arguments(current, regs, (unsigned long *)call->args);
}

/* Forget what the last call left. */
static __always_inline void call_begin(struct ktr_target *t, const struct ktr_prog *prog,
				       unsigned int abi, s32 nr)
{
	struct ktr_call *call = &t->call;

	call->nr = nr;
	call->abi = abi;
	call->flags = 0;
	call->nargs = prog->nargs;
	call->ncaps = 0;
	call->retry = 0;
	t->call_switched = false;
}

/* Out of line: what only calls with captured memory need. */
static noinline bool take_buffer(struct ktr_target *t)
{
	struct ktr_call *call = &t->call;

	if (!call->buf)
		call->buf = ktr_pool_get(t->stream->pool);
	if (!call->ncaps)
		memset(call->off, 0, sizeof(call->off));
	return call->buf;
}

static noinline void capture_entry(struct ktr_target *t, const struct ktr_prog *prog)
{
	if (take_buffer(t))
		ktr_capture_entry(prog, &t->call, ktr_read_current, NULL);
	else
		t->call.retry = ~0;	/* all of it again at exit, marked late */
}

static noinline void capture_exit(struct ktr_target *t, const struct ktr_prog *prog)
{
	if (is_execve(t->call.abi, t->call.nr) && !t->call.ret)
		return;		/* another address space */
	if (take_buffer(t))
		ktr_capture_exit(prog, &t->call);
}

static __always_inline void enter(struct ktr_target *t, struct pt_regs *regs, long id)
{
	struct ktr_stream *st = t->stream;
	unsigned int abi = call_abi();
	const struct ktr_table *table;
	const struct ktr_prog *prog;

	t->fresh = false;
	if (unlikely(t->armed)) {
		if (!is_execve(abi, id))
			return;
		t->armed = false;
	}
	if (unlikely(t->call.active || t->snapped))
		ktr_call_drop(t);
	if (unlikely(!ktr_wants(st, KTR_KIND_syscall)))
		return;
	table = rcu_dereference_sched(st->table);
	prog = ktr_table_find(table, abi, id);
	if (!prog)
		return;
	call_begin(t, prog, abi, id);
	load_args(&t->call, regs);
	t->call.table_seq = table->seq;
	t->call.start = ktime_get_mono_fast_ns();
	if (prog->nentry)
		capture_entry(t, prog);
	t->call.active = true;
}

void ktr_probe_sys_enter(void *data, struct pt_regs *regs, long id)
{
	struct ktr_target *t;

	guard(preempt_notrace)();
	ktr_for_each_target(t, current)
		enter(t, regs, id);
}

/* The snapshot of an attach is this call if number and arguments agree. */
static bool snapshot_agrees(struct ktr_target *t, struct pt_regs *regs)
{
	unsigned long args[6];

	if (!t->snapped || t->call.nr != syscall_get_nr(current, regs))
		return false;
	syscall_get_arguments(current, regs, args);
	return !memcmp(args, t->call.args, t->call.nargs * sizeof(args[0]));
}

/*
 * An exit without an entry: a verdict of seccomp, or the entry came before the
 * attach. The registers still hold number and arguments.
 */
static noinline bool late_begin(struct ktr_target *t, struct pt_regs *regs,
				const struct ktr_table *table, const struct ktr_prog *prog)
{
	int nr = syscall_get_nr(current, regs);

	if (snapshot_agrees(t, regs))
		return true;
	ktr_call_drop(t);
	/* After sigreturn other registers are here; a fresh child entered nothing. */
	if (!prog || nr == -1 || t->fresh || t->armed)
		return false;
	call_begin(t, prog, call_abi(), nr);
	load_args(&t->call, regs);
	t->call.table_seq = table->seq;
	t->call.flags = KTR_SYS_F_NO_ENTRY;
	t->call.start = ktime_get_mono_fast_ns();
	if (prog->nentry)
		t->call.retry = ~0;
	return true;
}

/* The stored call is not the one that ends: its exit was not seen. */
static __always_inline bool is_stale(const struct ktr_call *call, struct pt_regs *regs)
{
	int nr = syscall_get_nr(current, regs);

	return nr != call->nr && nr != -1;
}

static __always_inline void leave(struct ktr_target *t, struct pt_regs *regs, long ret)
{
	struct ktr_stream *st = t->stream;
	struct ktr_call *call = &t->call;
	const struct ktr_table *table = rcu_dereference_sched(st->table);
	const struct ktr_prog *prog;

	if (unlikely(!ktr_wants(st, KTR_KIND_syscall)))
		return;
	if (likely(call->active && !is_stale(call, regs))) {
		prog = ktr_table_find(table, call->abi, call->nr);
	} else {
		prog = ktr_table_find(table, call_abi(), syscall_get_nr(current, regs));
		/* Most calls without a row end here. */
		if (!prog && !t->snapped && !call->active)
			goto out;
		if (!late_begin(t, regs, table, prog))
			goto out;
	}
	call->ret = ret;
	/* A new table may number its operations otherwise. */
	if (prog && prog->nops && call->table_seq == table->seq &&
	    (prog->nops > prog->nentry || call->retry))
		capture_exit(t, prog);
	ktr_call_finish(t);
out:
	t->fresh = false;
}

void ktr_probe_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	struct ktr_target *t;

	guard(preempt_notrace)();
	ktr_for_each_target(t, current)
		leave(t, regs, ret);
}
