/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the records of a syscall under way. Preemption off in all. */
#ifndef _KTR_CALL_H
#define _KTR_CALL_H

#include "targets.h"

/* The one record of the call, at its exit; call->ret is set. Ends the call. */
void ktr_call_finish(struct ktr_target *t);
/* An early copy of the call, once: it blocks, and the reader should know. */
void ktr_call_begun(struct ktr_target *t);
/* Forget the call. */
void ktr_call_drop(struct ktr_target *t);

/*
 * The record of a call in state ACTIVE and nothing else, without a predicate:
 * no buffer, no times. In line, for the syscall exit probe. @quick: call
 * nothing; false if that would be needed, and then nothing has been done.
 */
static __always_inline bool ktr_call_finish_plain(struct ktr_target *t, bool quick)
{
	struct ktr_stream *st = t->stream;
	struct ktr_cpu *c = ktr_emit_cpu(st);
	const struct ktr_call *call = &t->call;
	u32 len = sizeof(call->ev) + 8 * call->ev.nargs;
	struct ktr_ev_syscall *ev;
	struct ktr_rec *rec;
	u32 i;

	if (quick) {
		rec = ktr_emit_begin_quick(st, c, KTR_RING_DATA, KTR_KIND_syscall, 0,
					   task_pid_nr(t->task), len);
		if (!rec)
			return false;
	} else {
		rec = ktr_emit_begin_short(st, c, KTR_RING_DATA, KTR_KIND_syscall, 0,
					   task_pid_nr(t->task), len);
	}
	t->state = 0;
	if (unlikely(!ktr_target_count(t, rec))) {
		local_inc(&t->syscalls_lost);
		return true;
	}
	ev = (void *)(rec + 1);
	*ev = call->ev;
	for (i = 0; i < call->ev.nargs; i++)
		((u64 *)(ev + 1))[i] = call->args[i];
	ktr_emit_end_cpu(c, KTR_RING_DATA);
	return true;
}

#endif
