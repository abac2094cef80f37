/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the records of a syscall under way. Preemption off in all. */
#ifndef _KTR_CALL_H
#define _KTR_CALL_H

#include <asm/unistd.h>
#include "targets.h"

static inline bool ktr_call_is_execve(unsigned int abi, long nr)
{
	if (abi == KTR_ABI_NATIVE)
		return nr == __NR_execve || nr == __NR_execveat;
	return nr == KTR_COMPAT_execve || nr == KTR_COMPAT_execveat;
}

/*
 * Of the last call that the task made, this one or one before it: what is in its
 * registers since. A fault or an interrupt has put -1 there, and so has a return from
 * a handler. Those of what the kernel runs for itself, or for a process, tell nothing.
 */
s32 ktr_last_nr(struct task_struct *task);

/* The slow half of the next. */
bool ktr_call_awaits_execve(struct ktr_target *t);

/*
 * Whether nothing is to be recorded yet of what the running task does: it is armed,
 * and this is not its execve. Where calls are not traced nothing else tells that it
 * is, until its end. In any context, with preemption off.
 */
static __always_inline bool ktr_call_too_early(struct ktr_target *t)
{
	return unlikely(ktr_target_armed(t)) && ktr_call_awaits_execve(t);
}

/* The one record of the call, at its exit; call->ret is set. Ends the call. */
void ktr_call_finish(struct ktr_target *t);
/*
 * An early copy of the call, once: it blocks, and the reader should know. @tid is
 * the number that the task had when it made the call.
 */
void ktr_call_begun(struct ktr_target *t, pid_t tid);
/* Forget the call. */
void ktr_call_drop(struct ktr_target *t);

/*
 * The record of a call in state ACTIVE and nothing else: no buffer, no times. In
 * line, for the syscall exit probe; calls nothing before all is done. Return:
 * false if more is needed, and then nothing has been done.
 */
static __always_inline bool ktr_call_finish_plain(struct ktr_target *t, s64 ret)
{
	struct ktr_cpu *c = ktr_emit_cpu(t->stream);
	const struct ktr_call *call = &t->call;
	u32 nargs = call->ev.nargs;
	struct ktr_ev_syscall *ev;
	struct ktr_rec *rec;
	u32 i;

	if (unlikely(!ktr_wants_plain(t->stream, KTR_KIND_syscall)))
		return false;
	if (unlikely(!ktr_emit_begin_quick(c, KTR_RING_DATA, KTR_KIND_syscall,
					   sizeof(*ev) / 8 + nargs, &rec)))
		return false;
	/* Stream and task are read anew: they would not fit into the registers. */
	ktr_emit_head(t->stream, rec, 0, task_pid_nr(t->task));
	t->state = 0;
	local_inc(&t->recorded);
	ev = (void *)(rec + 1);
	memcpy(ev, &call->ev, offsetof(struct ktr_ev_syscall, ret));
	ev->ret = ret;
	ev->start = call->ev.start;
	for (i = 0; i < nargs; i++)
		((u64 *)(ev + 1))[i] = call->args[i];
	/* Last: reading the clock takes the registers that all this was in. */
	rec->time = ktr_clock_direct();
	ktr_emit_end_cpu(c, KTR_RING_DATA);
	return true;
}

#endif
