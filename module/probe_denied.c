// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a task was not allowed: capabilities that the kernel looked for and that
 * it has not, and calls that a seccomp filter refused. A call may succeed all
 * the same, by another right.
 *
 * cap_capable() is called in task context, but with whatever locks its callers
 * hold. Plain users may not have these events: see permit.c.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/security.h>
#include <linux/user_namespace.h>
#include "call.h"
#include "hooked.h"
#include "targets.h"

struct check {
	u32 cap;
	u32 flags;		/* KTR_CAPFAIL_F_* */
};

static bool wanted_by(struct ktr_target *t, u8 kind)
{
	return !ktr_call_too_early(t) && ktr_wants(t->stream, kind);
}

/* Whether some session of the running task wants it. */
static bool is_wanted(u8 kind)
{
	struct ktr_target *t;

	/* Most tasks are no targets: this is all they pay. */
	if (likely(hlist_empty(ktr_target_bucket(current))))
		return false;
	ktr_for_each_privileged(t, current)
		if (wanted_by(t, kind))
			return true;
	return false;
}

/* Of the call under way; -1: the task is not in one. */
static s32 current_nr(void)
{
	return (s32)current_pt_regs()->orig_ax;
}

static u32 current_abi(void)
{
	return ktr_task_compat_call(current) ? KTR_ABI_COMPAT : KTR_ABI_NATIVE;
}

static bool check_entered(const KTR_HOOK_REGS *regs, void *data)
{
	const struct cred *cred;
	const struct user_namespace *ns;
	struct check *c = data;

	if (!is_wanted(KTR_KIND_cap_fail))
		return false;
	cred = (const struct cred *)ktr_hook_argument(regs, 0);
	ns = (const struct user_namespace *)ktr_hook_argument(regs, 1);
	c->cap = ktr_hook_argument(regs, 2);
	c->flags = (ktr_hook_argument(regs, 3) & CAP_OPT_NOAUDIT ? KTR_CAPFAIL_F_NOAUDIT : 0) |
		   (ns != &init_user_ns ? KTR_CAPFAIL_F_INNER : 0) |
		   (cred != current_cred() ? KTR_CAPFAIL_F_OTHER : 0);
	return true;
}

static void failed(struct ktr_target *t, const struct check *c)
{
	struct ktr_ev_cap_fail *ev;
	struct ktr_rec *rec;

	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_cap_fail, task_pid_nr(t->task),
			     sizeof(*ev));
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	ev->cap = c->cap;
	ev->flags = c->flags;
	ev->nr = current_nr();
	ev->abi = current_abi();
	ktr_emit_end(t->stream, KTR_RING_DATA);
}

static void check_left(unsigned long value, void *data)
{
	struct ktr_target *t;

	if (!(int)value)
		return;
	ktr_for_each_privileged(t, current)
		if (wanted_by(t, KTR_KIND_cap_fail))
			failed(t, data);
}

struct ktr_hook ktr_hook_cap_fail = {
	.name = "cap_capable",
	.entered = check_entered,
	.left = check_left,
	.data_size = sizeof(struct check),
};

static bool filter_entered(const KTR_HOOK_REGS *regs, void *data)
{
	return is_wanted(KTR_KIND_denied);
}

static void refused(struct ktr_target *t)
{
	struct ktr_ev_denied *ev;
	long ax = current_pt_regs()->ax;
	struct ktr_rec *rec;

	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_denied, task_pid_nr(t->task),
			     sizeof(*ev));
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	ev->by = KTR_DENIED_SECCOMP;
	ev->abi = current_abi();
	ev->nr = current_nr();
	/* Trapped or killed: the registers are as before the call. */
	ev->err = ax < 0 && ax >= -MAX_ERRNO ? -ax : 0;
	ktr_emit_end(t->stream, KTR_RING_DATA);
}

/* A filter that ends the thread at once does not return. */
static void filter_left(unsigned long value, void *data)
{
	struct ktr_target *t;

	if (!ktr_seccomp_refused(value))
		return;
	ktr_for_each_privileged(t, current)
		if (wanted_by(t, KTR_KIND_denied))
			refused(t);
}

struct ktr_hook ktr_hook_denied = {
	.name = KTR_SECCOMP_FUNCTION,
	.entered = filter_entered,
	.left = filter_left,
	.data_size = sizeof(u64),
};
