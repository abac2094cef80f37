// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the state of a call to its records.
 *
 * Runs in the task's own probes with preemption off, and in its sched_switch;
 * an attach runs it for a task whose probes cannot find the target yet.
 */
#include <linux/err.h>
#include <linux/string.h>
#include "call.h"
#include "filter.h"

void ktr_call_drop(struct ktr_target *t)
{
	struct ktr_call *call = &t->call;

	call->active = false;
	t->snapped = false;
	if (unlikely(call->buf)) {
		ktr_pool_put(t->stream->pool, call->buf);
		call->buf = NULL;
	}
}

/* Codes by which the kernel restarts a call are no failures of it. */
static s64 errno_of(s64 ret)
{
	return ret < 0 && ret > -512 ? -ret : 0;
}

static s64 fd_of(const struct ktr_stream *st, const struct ktr_call *call)
{
	const struct ktr_prog *prog;

	prog = ktr_table_find(rcu_dereference_sched(st->table), call->abi, call->nr);
	return prog && prog->fd_arg < 6 ? (s32)call->args[prog->fd_arg] : -1;
}

static bool refused(struct ktr_target *t, const struct ktr_filter *f, const struct ktr_call *call)
{
	struct ktr_filter_ctx ctx;

	ctx.field[KTR_FIELD_NR] = call->nr;
	ctx.field[KTR_FIELD_ABI] = call->abi;
	ctx.field[KTR_FIELD_RET] = call->ret;
	ctx.field[KTR_FIELD_ERRNO] = errno_of(call->ret);
	ctx.field[KTR_FIELD_DUR] = ktime_get_mono_fast_ns() - call->start;
	ctx.field[KTR_FIELD_FD] = fd_of(t->stream, call);
	ctx.field[KTR_FIELD_TID] = task_pid_nr(t->task);
	memcpy(&ctx.field[KTR_FIELD_ARG0], call->args, sizeof(call->args));
	if (ktr_filter_run(f, &ctx))
		return false;
	atomic64_inc(&t->stream->refused);
	return true;
}

/* The words behind the fixed part: arguments, then times if it ever switched. */
static u64 *put_words(struct ktr_target *t, u64 *p)
{
	const struct ktr_call *call = &t->call;
	u32 i;

	for (i = 0; i < call->nargs; i++)
		*p++ = call->args[i];
	if (unlikely(call->flags & KTR_SYS_F_TIMES)) {
		*p++ = t->call_blocked;
		*p++ = t->call_runnable;
	}
	return p;
}

static u32 words_len(const struct ktr_call *call)
{
	return 8 * (call->nargs + (call->flags & KTR_SYS_F_TIMES ? 2 : 0));
}

void ktr_call_finish(struct ktr_target *t)
{
	struct ktr_stream *st = t->stream;
	struct ktr_call *call = &t->call;
	struct ktr_filter *f = rcu_dereference_sched(st->filter);
	struct ktr_ev_syscall *ev;
	struct ktr_rec *rec;
	u32 cap = unlikely(call->buf) ? call->buf->len : 0;

	if (unlikely(!ktr_wants(st, KTR_KIND_syscall)) || (f && refused(t, f, call)))
		goto out;
	if (unlikely(t->call_switched))
		call->flags |= KTR_SYS_F_TIMES;
	rec = ktr_emit_begin(st, KTR_RING_DATA, KTR_KIND_syscall, task_pid_nr(t->task),
			     sizeof(*ev) + words_len(call) + cap);
	if (unlikely(!ktr_target_count(t, rec))) {
		local_inc(&t->syscalls_lost);
		goto out;
	}
	ev = (void *)(rec + 1);
	ev->nr = call->nr;
	ev->abi = call->abi;
	ev->flags = call->flags;
	ev->nargs = call->nargs;
	ev->ncaps = call->ncaps;
	ev->ret = call->ret;
	ev->start = call->start;
	{
		u64 *p = put_words(t, (u64 *)(ev + 1));

		if (unlikely(cap))
			memcpy(p, call->buf->data, cap);
	}
	ktr_emit_end(st, KTR_RING_DATA);
out:
	ktr_call_drop(t);
}

/* Whole sections of the capture, as many as KTR_BEGUN_MAX bytes hold. */
static u32 begun_sections(const struct ktr_call *call, u8 *n)
{
	u32 len = 0;

	*n = 0;
	while (call->buf && *n < call->ncaps) {
		const struct ktr_cap *cap = (const void *)(call->buf->data + len);
		u32 size = sizeof(*cap) + round_up(cap->len, 8);

		if (len + size > KTR_BEGUN_MAX)
			break;
		len += size;
		(*n)++;
	}
	return len;
}

void ktr_call_begun(struct ktr_target *t)
{
	struct ktr_stream *st = t->stream;
	struct ktr_call *call = &t->call;
	struct ktr_filter *f = rcu_dereference_sched(st->filter);
	struct ktr_ev_syscall_begun *ev;
	struct ktr_rec *rec;
	u32 cap;
	u8 ncaps;

	if (call->flags & KTR_SYS_F_BEGUN || !ktr_wants(st, KTR_KIND_syscall_begun))
		return;
	if (f && (f->at_exit || refused(t, f, call)))
		return;
	call->flags |= KTR_SYS_F_BEGUN;
	cap = begun_sections(call, &ncaps);
	rec = ktr_emit_begin(st, KTR_RING_DATA, KTR_KIND_syscall_begun, task_pid_nr(t->task),
			     sizeof(*ev) + 8 * call->nargs + cap);
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	ev->nr = call->nr;
	ev->abi = call->abi;
	ev->flags = call->flags;
	ev->nargs = call->nargs;
	ev->ncaps = ncaps;
	ev->start = call->start;
	memcpy(ev + 1, call->args, 8 * call->nargs);
	if (cap)
		memcpy((u64 *)(ev + 1) + call->nargs, call->buf->data, cap);
	ktr_emit_end(st, KTR_RING_DATA);
}
