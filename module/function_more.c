// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of kernel functions that show more than the call: arguments and memory
 * behind them.
 *
 * Runs where the function runs: any context, any lock held. What is called here may
 * be a traced function itself (copy_from_kernel_nofault(), a fault's way to its
 * fixup): what comes of it is the tracer's doing, not the task's, and is left out.
 * The bit that says so is its CPU's and context's own; preemption is off.
 */
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include "frows.h"
#include "functions.h"
#include "stack.h"
#include "targets.h"

static DEFINE_PER_CPU(u8, busy);

bool ktr_function_busy(void)
{
	return this_cpu_read(busy) & 1 << ktr_emit_context();
}

/* An address of the kernel's, or of the running task's. */
static int read_any(void *dst, u64 addr, u32 len, void *unused)
{
	if (addr >= TASK_SIZE_MAX)
		return copy_from_kernel_nofault(dst, (const void *)(unsigned long)addr, len);
	if (!in_task() || !current->mm)
		return -EFAULT;
	return ktr_read_current(dst, addr, len, NULL);
}

static void capture(const struct ktr_frows *rows, const struct ktr_frow *row,
		    struct ktr_call *call, const struct pt_regs *regs)
{
	int i;

	for (i = 0; i < 6; i++)
		call->args[i] = regs_get_kernel_argument((struct pt_regs *)regs, i);
	call->ev = (struct ktr_ev_syscall){ .abi = KTR_ABI_NATIVE };
	call->retry = 0;
	call->has = 0;
	/* Nobody else writes there: who interrupts has another context's. */
	call->buf = (void *)(this_cpu_ptr(rows->bufs) + ktr_emit_context() * rows->stride);
	call->buf->len = 0;
	ktr_capture_entry(&row->prog, call, read_any, NULL);
}

static u64 emit(struct ktr_target *t, const struct ktr_frow *row, const struct ktr_call *call,
		unsigned long ip, unsigned long parent)
{
	u32 nargs = row->prog.nargs, cap = call->buf->len;
	struct ktr_ev_function *ev;
	struct ktr_func_tail *tail;
	struct ktr_rec *rec;
	u64 time;

	ktr_stack_from(t->stream, KTR_KIND_function, ip);
	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_function, task_pid_nr(t->task),
			     sizeof(*ev) + sizeof(*tail) + nargs * sizeof(u64) + cap);
	if (!ktr_target_count(t, rec))
		return 0;
	ev = (void *)(rec + 1);
	ev->ip = ip;
	ev->parent = parent;
	tail = (void *)(ev + 1);
	*tail = (struct ktr_func_tail){ .nargs = nargs, .ncaps = call->ev.ncaps };
	memcpy(tail + 1, call->args, nargs * sizeof(u64));
	memcpy((u64 *)(tail + 1) + nargs, call->buf->data, cap);
	time = rec->time;
	ktr_emit_end(t->stream, KTR_RING_DATA);
	return time;
}

/* Out of line: this stack is not for those that show nothing. */
static noinline u64 show(struct ktr_target *t, const struct ktr_frows *rows,
			 const struct ktr_frow *row, unsigned long ip, unsigned long parent,
			 const struct pt_regs *regs)
{
	struct ktr_call call;

	capture(rows, row, &call, regs);
	return emit(t, row, &call, ip, parent);
}

u64 ktr_function_more(struct ktr_target *t, unsigned long ip, unsigned long parent,
		      const struct pt_regs *regs)
{
	/* Lockdep's words on it could be traced functions. */
	const struct ktr_frows *rows = rcu_dereference_raw(t->stream->frows);
	const struct ktr_frow *row = rows ? ktr_frows_find_ip(rows, ip) : NULL;
	u8 ctx = 1 << ktr_emit_context();
	u64 time;

	if (ktr_stack_walking())
		return 0;
	if (!row)
		return ktr_function_bare(t, ip, parent);
	if (this_cpu_read(busy) & ctx)
		return 0;
	this_cpu_or(busy, ctx);
	barrier();
	time = show(t, rows, row, ip, parent, regs);
	barrier();
	this_cpu_and(busy, ~ctx);
	return time;
}
