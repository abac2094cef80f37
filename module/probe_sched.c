// SPDX-License-Identifier: GPL-2.0-only
/*
 * Context switches and wakeups.
 *
 * sched_switch runs with the run queue's lock held and interrupts off;
 * sched_waking in any context, under the woken task's pi_lock, which orders it
 * against the task's switches as far as the times below need.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include "call.h"
#include "probe_fns.h"

#define STACK_MAX 8

/* Where a task that blocks waits; the scheduler's own frames are left in. */
static u32 wait_stack(unsigned long *stack, bool none)
{
	return none ? 0 : stack_trace_save(stack, STACK_MAX, 2);
}

static void emit_out(struct ktr_target *t, bool preempt, struct task_struct *next,
		     unsigned int state)
{
	unsigned long stack[STACK_MAX];
	struct ktr_ev_sched_out *ev;
	struct ktr_rec *rec;
	const struct cred *owner = t->stream->owner;
	/* A plain user is shown no addresses of the kernel. */
	u32 n = wait_stack(stack, owner || preempt || !state || state & TASK_DEAD);

	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_sched_out,
			     task_pid_nr(t->task), sizeof(*ev) + n * sizeof(stack[0]));
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	ev->state = state & TASK_REPORT;
	ev->flags = (preempt ? KTR_OUT_F_PREEMPT : 0) |
		    (state & TASK_DEAD ? KTR_OUT_F_DEAD : 0);
	ev->cpu = raw_smp_processor_id();
	if (ktr_permit_shows(owner, next)) {
		ev->next = task_pid_nr(next);
		memcpy(ev->next_comm, next->comm, sizeof(ev->next_comm));
	} else {
		ev->next = 0;
		memset(ev->next_comm, 0, sizeof(ev->next_comm));
	}
	memcpy(ev + 1, stack, n * sizeof(stack[0]));
	ktr_emit_end(t->stream, KTR_RING_DATA);
}

static void switch_out(struct ktr_target *t, bool preempt, struct task_struct *next,
		       unsigned int state)
{
	bool voluntary = !preempt && state != TASK_RUNNING;
	bool shown = ktr_wants(t->stream, KTR_KIND_sched_out);

	if (ktr_target_armed(t))
		goto end;
	/* The call began before it was left: so do their records. */
	if (t->state & KTR_T_ACTIVE) {
		if (!(t->state & KTR_T_SWITCHED)) {
			t->call_blocked = 0;
			t->call_runnable = 0;
			t->state |= KTR_T_SWITCHED;
		}
		if (voluntary || shown)
			ktr_call_begun(t, task_pid_nr(t->task));
	}
	if (shown)
		emit_out(t, preempt, next, state);
	t->out_voluntary = voluntary;
	t->woken = 0;
	t->out_time = ktr_clock_ns();
end:
	/* The task is never on a CPU again: nothing more of it will come. */
	if (unlikely(state & TASK_DEAD) && !t->dying)
		ktr_target_dead(t);
}

static void emit_in(struct ktr_target *t, struct task_struct *prev, u64 off, u64 runnable)
{
	struct ktr_ev_sched_in *ev;
	struct ktr_rec *rec;

	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_sched_in,
			     task_pid_nr(t->task), sizeof(*ev));
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	ev->off = off;
	ev->runnable = runnable;
	ev->prev = ktr_permit_shows(t->stream->owner, prev) ? task_pid_nr(prev) : 0;
	ev->cpu = raw_smp_processor_id();
	ktr_emit_end(t->stream, KTR_RING_DATA);
}

static void switch_in(struct ktr_target *t, struct task_struct *prev)
{
	u64 off = 0, runnable = 0;

	if (t->out_time) {
		u64 now = ktr_clock_ns();

		off = now - t->out_time;
		runnable = !t->out_voluntary ? off : t->woken ? now - t->woken : 0;
		runnable = min(runnable, off);
		t->call_runnable += runnable;
		t->call_blocked += off - runnable;
	}
	t->out_time = 0;
	if (!ktr_target_armed(t) && ktr_wants(t->stream, KTR_KIND_sched_in))
		emit_in(t, prev, off, runnable);
}

void ktr_probe_sched_switch(void *data, bool preempt, struct task_struct *prev,
			    struct task_struct *next, unsigned int prev_state)
{
	struct ktr_target *t;

	KTR_PROBE_GUARD();
	ktr_for_each_target(t, prev)
		switch_out(t, preempt, next, prev_state);
	ktr_for_each_target(t, next)
		switch_in(t, prev);
}

static void waking(struct ktr_target *t)
{
	struct ktr_ev_wakeup *ev;
	struct ktr_rec *rec;

	if (ktr_target_armed(t))
		return;
	t->woken = ktr_clock_ns();
	if (!ktr_wants(t->stream, KTR_KIND_wakeup))
		return;
	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_wakeup,
			     task_pid_nr(t->task), sizeof(*ev));
	if (!ktr_target_count_other(t, rec))
		return;
	ev = (void *)(rec + 1);
	if (ktr_permit_shows(t->stream->owner, current)) {
		ev->waker = task_pid_nr(current);
		ev->waker_tgid = task_tgid_nr(current);
		memcpy(ev->waker_comm, current->comm, sizeof(ev->waker_comm));
	} else {
		memset(ev, 0, sizeof(*ev));
	}
	ktr_emit_end(t->stream, KTR_RING_DATA);
}

void ktr_probe_sched_waking(void *data, struct task_struct *task)
{
	struct ktr_target *t;

	KTR_PROBE_GUARD();
	ktr_for_each_target(t, task)
		waking(t);
}
