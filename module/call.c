// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the state of a call to its records.
 *
 * Runs in the task's own probes with preemption off, and in its sched_switch;
 * an attach runs it for a task whose probes cannot find the target yet.
 */
#include <linux/err.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/syscall.h>
#include "call.h"
#include "filter.h"
#include "paths.h"
#include "summary.h"

void ktr_call_drop(struct ktr_target *t)
{
	struct ktr_call *call = &t->call;

	t->state &= KTR_T_ARMED | KTR_T_FRESH;
	if (!call->buf)
		return;
	ktr_pool_put(t->stream->pool, call->buf);
	call->buf = NULL;
}

s32 ktr_last_nr(struct task_struct *task)
{
	return task->flags & (PF_KTHREAD | PF_USER_WORKER) ?
		       -1 : syscall_get_nr(task, task_pt_regs(task));
}

bool ktr_call_awaits_execve(struct ktr_target *t)
{
	unsigned int abi = ktr_task_compat_call(current) ? KTR_ABI_COMPAT : KTR_ABI_NATIVE;

	if (!ktr_call_is_execve(abi, syscall_get_nr(current, task_pt_regs(current))))
		return true;
	/* An interrupt may have come into a probe that changes the state. */
	if (in_task())
		t->state &= ~KTR_T_ARMED;
	return false;
}

/* Codes by which the kernel restarts a call are no failures of it. */
static s64 errno_of(s64 ret)
{
	return ret < 0 && ret > -512 ? -ret : 0;
}

static s64 fd_of(const struct ktr_stream *st, const struct ktr_call *call)
{
	const struct ktr_prog *prog;

	prog = ktr_table_find(rcu_dereference_sched(st->table), call->ev.abi, call->ev.nr);
	return prog && prog->fd_arg < 6 ? (s32)call->args[prog->fd_arg] : -1;
}

/* Sections of another program cannot be told apart. */
static u64 paths_of(const struct ktr_stream *st, const struct ktr_filter *f,
		    const struct ktr_call *call)
{
	const struct ktr_table *table = rcu_dereference_sched(st->table);
	const struct ktr_prog *prog = ktr_table_find(table, call->ev.abi, call->ev.nr);

	if (!prog || !call->buf || call->prog_seq != prog->seq)
		return 0;
	return ktr_paths_match(f->paths, prog, call);
}

static bool refused(struct ktr_target *t, const struct ktr_filter *f, const struct ktr_call *call)
{
	struct ktr_filter_ctx ctx;

	ctx.field[KTR_FIELD_NR] = call->ev.nr;
	ctx.field[KTR_FIELD_ABI] = call->ev.abi;
	ctx.field[KTR_FIELD_RET] = call->ev.ret;
	ctx.field[KTR_FIELD_ERRNO] = errno_of(call->ev.ret);
	ctx.field[KTR_FIELD_DUR] = ktr_clock_ns() - call->ev.start;
	ctx.field[KTR_FIELD_FD] = fd_of(t->stream, call);
	ctx.field[KTR_FIELD_TID] = task_pid_nr(t->task);
	memcpy(&ctx.field[KTR_FIELD_ARG0], call->args, sizeof(call->args));
	ctx.field[KTR_FIELD_PATH] = f->paths ? paths_of(t->stream, f, call) : 0;
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

	for (i = 0; i < call->ev.nargs; i++)
		*p++ = call->args[i];
	if (call->ev.flags & KTR_SYS_F_TIMES) {
		*p++ = t->call_blocked;
		*p++ = t->call_runnable;
	}
	return p;
}

/* Whole words, and mostly few of them. */
static void put_capture(u64 *to, const struct ktr_capbuf *buf, u32 len)
{
	u32 i;

	if (len > 128)
		memcpy(to, buf->data, len);
	else
		for (i = 0; i < len / 8; i++)
			to[i] = ((const u64 *)buf->data)[i];
}

static u32 words_len(const struct ktr_call *call)
{
	return 8 * (call->ev.nargs + (call->ev.flags & KTR_SYS_F_TIMES ? 2 : 0));
}

void ktr_call_finish(struct ktr_target *t)
{
	struct ktr_stream *st = t->stream;
	struct ktr_call *call = &t->call;
	struct ktr_filter *f = rcu_dereference_sched(st->filter);
	struct ktr_ev_syscall *ev;
	struct ktr_rec *rec;
	u32 cap = call->buf ? call->buf->len : 0;
	u64 *words;

	if (!ktr_wants(st, KTR_KIND_syscall) || (f && refused(t, f, call)))
		goto out;
	if (ktr_summary_only(st->summary)) {
		ktr_summary_count(st->summary, t, ktr_clock_ns());
		goto out;
	}
	if (t->state & KTR_T_SWITCHED)
		call->ev.flags |= KTR_SYS_F_TIMES;
	rec = ktr_emit_begin(st, KTR_RING_DATA, KTR_KIND_syscall, task_pid_nr(t->task),
			     sizeof(*ev) + words_len(call) + cap);
	/* With the record's own time, so that sums over records are the same. */
	if (st->summary)
		ktr_summary_count(st->summary, t, rec ? rec->time : ktr_clock_ns());
	if (!ktr_target_count(t, rec)) {
		local_inc(&t->syscalls_lost);
		goto out;
	}
	ev = (void *)(rec + 1);
	*ev = call->ev;
	words = put_words(t, (u64 *)(ev + 1));
	put_capture(words, call->buf, cap);
	ktr_emit_end(st, KTR_RING_DATA);
out:
	ktr_call_drop(t);
}

/* Whole sections of the capture, as many as KTR_BEGUN_MAX bytes hold. */
static u32 begun_sections(const struct ktr_call *call, u8 *n)
{
	u32 len = 0;

	*n = 0;
	while (call->buf && *n < call->ev.ncaps) {
		const struct ktr_cap *cap = (const void *)(call->buf->data + len);
		u32 size = sizeof(*cap) + round_up(cap->len, 8);

		if (len + size > KTR_BEGUN_MAX)
			break;
		len += size;
		(*n)++;
	}
	return len;
}

void ktr_call_begun(struct ktr_target *t, pid_t tid)
{
	struct ktr_stream *st = t->stream;
	struct ktr_call *call = &t->call;
	struct ktr_filter *f = rcu_dereference_sched(st->filter);
	struct ktr_ev_syscall_begun *ev;
	struct ktr_rec *rec;
	u32 cap;
	u8 ncaps;

	if (call->ev.flags & KTR_SYS_F_BEGUN || !ktr_wants(st, KTR_KIND_syscall_begun) ||
	    ktr_summary_only(st->summary))
		return;
	if (f && (f->at_exit || refused(t, f, call)))
		return;
	call->ev.flags |= KTR_SYS_F_BEGUN;
	cap = begun_sections(call, &ncaps);
	rec = ktr_emit_begin(st, KTR_RING_DATA, KTR_KIND_syscall_begun, tid,
			     sizeof(*ev) + 8 * call->ev.nargs + cap);
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	ev->nr = call->ev.nr;
	ev->abi = call->ev.abi;
	ev->flags = call->ev.flags;
	ev->nargs = call->ev.nargs;
	ev->ncaps = ncaps;
	ev->start = call->ev.start;
	memcpy(ev + 1, call->args, 8 * call->ev.nargs);
	if (cap)
		memcpy((u64 *)(ev + 1) + call->ev.nargs, call->buf->data, cap);
	ktr_emit_end(st, KTR_RING_DATA);
}
