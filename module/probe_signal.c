// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals sent to targets, in the sender's context (any, siglock held), and
 * delivered to them, in their own.
 */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>
#include <linux/signal_types.h>
#include "call.h"
#include "probe_fns.h"
#include "targets.h"

#define GROUP_LOOKS 1000
#define INFO_LEN ((u32)sizeof(struct kernel_siginfo))

static bool wants_signal(const struct ktr_target *t, u8 kind, int sig)
{
	return !ktr_target_armed(t) && ktr_wants(t->stream, kind) &&
	       READ_ONCE(t->stream->signals) & (1ULL << ((sig - 1) & 63));
}

/* The pointer may be one of two small numbers that stand for a sender. */
static bool is_special(const struct kernel_siginfo *info)
{
	return info == SEND_SIG_NOINFO || info == SEND_SIG_PRIV;
}

/* @sender: the running task, where it is the one; NULL: not known any more. */
static void put_info(struct kernel_siginfo *dst, const struct kernel_siginfo *info, int sig,
		     struct task_struct *sender)
{
	if (!is_special(info)) {
		memcpy(dst, info, INFO_LEN);
		return;
	}
	/* As the kernel fills it in for these. */
	memset(dst, 0, INFO_LEN);
	dst->si_signo = sig;
	dst->si_code = info == SEND_SIG_PRIV ? SI_KERNEL : SI_USER;
	if (info == SEND_SIG_NOINFO && sender) {
		dst->si_pid = task_tgid_nr(sender);
		dst->si_uid = from_kuid_munged(&init_user_ns, current_uid());
	}
}

static u32 generate_flags(const struct kernel_siginfo *info, int group, int result)
{
	u32 flags = group ? KTR_SIG_F_GROUP : 0;

	if (info == SEND_SIG_PRIV || (!is_special(info) && info->si_code > 0))
		flags |= KTR_SIG_F_KERNEL;
	if (is_special(info))
		flags |= KTR_SIG_F_NOINFO;
	if (result == KTR_SIGGEN_IGNORED)
		flags |= KTR_SIG_F_IGNORED;
	return flags;
}

/* The running task, which sends; hidden from a plain user if it is another's. */
static void put_sender(struct ktr_ev_signal_generate *ev, const struct cred *owner)
{
	if (ktr_permit_shows(owner, current)) {
		ev->sender = task_pid_nr(current);
		ev->sender_tgid = task_tgid_nr(current);
		ev->sender_uid = from_kuid(&init_user_ns, current_euid());
		memcpy(ev->sender_comm, current->comm, sizeof(ev->sender_comm));
	} else {
		ev->sender = 0;
		ev->sender_tgid = 0;
		ev->sender_uid = 0;
		memset(ev->sender_comm, 0, sizeof(ev->sender_comm));
	}
}

/* For flags: of the running task. */
static u32 last_call(void)
{
	s32 nr = ktr_last_nr(current);

	return nr >= 0 && nr < U16_MAX ? (nr + 1u) << KTR_SIG_NR_SHIFT : 0;
}

static void generated(struct ktr_target *t, int sig, const struct kernel_siginfo *info,
		      int group, int result)
{
	struct ktr_ev_signal_generate *ev;
	struct kernel_siginfo *copy;
	struct ktr_rec *rec;

	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_signal_generate,
			     task_pid_nr(t->task), sizeof(*ev) + INFO_LEN);
	if (!ktr_target_count_other(t, rec))
		return;
	ev = (void *)(rec + 1);
	copy = (void *)(ev + 1);
	put_info(copy, info, sig, current);
	ev->sig = sig;
	ev->code = copy->si_code;
	ev->err = copy->si_errno;
	ev->result = result;
	ev->flags = generate_flags(info, group, result);
	/* The registers of one that runs elsewhere are not looked at. */
	if (t->task == current && in_task())
		ev->flags |= last_call();
	put_sender(ev, t->stream->owner);
	ktr_emit_end(t->stream, KTR_RING_DATA);
}

void ktr_probe_signal_generate(void *data, int sig, struct kernel_siginfo *info,
			       struct task_struct *task, int group, int result)
{
	struct ktr_target *t;

	KTR_PROBE_GUARD();
	ktr_for_each_target(t, task)
		if (wants_signal(t, KTR_KIND_signal_generate, sig))
			generated(t, sig, info, group, result);
}

/* As the kernel looks at it, but not for ever. */
static bool is_orphaned(struct pid *group)
{
	struct task_struct *p, *parent;
	unsigned int looks = 0;
	bool orphaned = true;

	rcu_read_lock();
	do_each_pid_task(group, PIDTYPE_PGID, p) {
		parent = rcu_dereference(p->real_parent);
		if ((p->exit_state && thread_group_empty(p)) || is_global_init(parent))
			continue;
		if ((task_pgrp(parent) != group && task_session(parent) == task_session(p)) ||
		    looks++ == GROUP_LOOKS) {
			orphaned = false;
			break;
		}
	} while_each_pid_task(group, PIDTYPE_PGID, p);
	rcu_read_unlock();
	return orphaned;
}

/*
 * Unless SIGCONT comes first. siglock is held. A terminal's stop has no effect where
 * nobody is there who could let it go on.
 */
static bool stops(int sig, const struct k_sigaction *ka)
{
	if (sig == SIGSTOP)
		return true;
	return (sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU) &&
	       ka->sa.sa_handler == SIG_DFL &&
	       !(current->signal->flags & SIGNAL_UNKILLABLE) && !is_orphaned(task_pgrp(current));
}

static void delivered(struct ktr_target *t, int sig, const struct kernel_siginfo *info,
		      const struct k_sigaction *ka)
{
	struct ktr_ev_signal_deliver *ev;
	struct kernel_siginfo *copy;
	struct ktr_rec *rec;

	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_signal_deliver,
			     task_pid_nr(t->task), sizeof(*ev) + INFO_LEN);
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	copy = (void *)(ev + 1);
	put_info(copy, info, sig, NULL);
	ev->sig = sig;
	ev->code = copy->si_code;
	ev->err = copy->si_errno;
	ev->flags = (is_special(info) ? KTR_SIG_F_NOINFO : 0) |
		    (stops(sig, ka) ? KTR_SIG_F_STOPS : 0) | last_call();
	ev->handler = (unsigned long)ka->sa.sa_handler;
	ev->sa_flags = ka->sa.sa_flags;
	ev->blocked = current->blocked.sig[0];
	ktr_emit_end(t->stream, KTR_RING_DATA);
}

void ktr_probe_signal_deliver(void *data, int sig, struct kernel_siginfo *info,
			      struct k_sigaction *ka)
{
	struct ktr_target *t;

	KTR_PROBE_GUARD();
	ktr_for_each_target(t, current)
		if (wants_signal(t, KTR_KIND_signal_deliver, sig))
			delivered(t, sig, info, ka);
}
