// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions: what ties targets, probes, programs and a channel together.
 *
 * Ending one has three phases.
 *  1 Unreachable: it is found no more; live = 0; the ftrace_ops is unregistered;
 *    the targets leave the hash and none is taken any more.
 *  2 Wait for all who may still hold a pointer: probes (a grace period, in
 *    ktr_targets_close), ftrace callbacks (unregister waits), the irq_works and
 *    works of channel and pool (synced when they are freed).
 *  3 Free: table and filter at once; the rings with the last reference, since
 *    a reader may have them mapped (his descriptor holds one).
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "failures.h"
#include "frows.h"
#include "probes.h"
#include "paths.h"
#include "session.h"

void (*ktr_session_notify)(const struct ktr_session_notice *notice);

static void notify(struct ktr_session *s, enum ktr_notice what, u32 tid, enum ktr_end end)
{
	struct ktr_session_notice n = { .session = s->id, .what = what, .tid = tid, .end = end };

	void (*fn)(const struct ktr_session_notice *) = READ_ONCE(ktr_session_notify);

	if (fn)
		fn(&n);
}

/*
 * After whatever changes the number of targets: who comes last here has seen what
 * all others have done.
 */
static void update_idle(struct ktr_session *s)
{
	spin_lock(&s->idle_lock);
	ktr_channel_idle(&s->channel, ktr_targets_idle(&s->targets));
	spin_unlock(&s->idle_lock);
}

static void target_ended(struct ktr_target_set *set, u32 tid, enum ktr_end why, bool last)
{
	struct ktr_session *s = container_of(set, struct ktr_session, targets);

	notify(s, KTR_NOTICE_TARGET_END, tid, why);
	if (!last)
		return;
	update_idle(s);
	if (s->flags & KTR_SESSION_F_UNTIL_IDLE)
		ktr_session_end_soon(s);
}

static void free_parts(struct ktr_session *s)
{
	ktr_table_free(rcu_dereference_protected(s->stream.table, 1));
	RCU_INIT_POINTER(s->stream.table, &ktr_table_none);
	ktr_filter_free(rcu_dereference_protected(s->stream.filter, 1));
	RCU_INIT_POINTER(s->stream.filter, NULL);
	ktr_table_free(s->staged);
	s->staged = NULL;
	ktr_frows_free_all(rcu_dereference_protected(s->stream.frows, 1));
	RCU_INIT_POINTER(s->stream.frows, NULL);
	kfree(s->saved);
	s->saved = NULL;
}

static void release_owner(struct ktr_session *s)
{
	if (!s->cred)
		return;
	ktr_user_del_session(s->user);
	ktr_user_put(s->user);
	put_cred(s->cred);
}

static void session_free(struct kref *ref)
{
	struct ktr_session *s = container_of(ref, struct ktr_session, ref);

	free_parts(s);
	ktr_pool_uninit(&s->pool);
	ktr_channel_uninit(&s->channel);
	ktr_summary_free(s->stream.summary);
	release_owner(s);
	kfree(s);
}

void ktr_session_put(struct ktr_session *s)
{
	if (s)
		kref_put(&s->ref, session_free);
}

/*
 * Who attaches meanwhile has either been first, and it goes on, or finds it shut. One
 * that could attach nobody holds the lock until all is undone.
 */
static bool shut_idle(struct ktr_session *s)
{
	bool idle;

	mutex_lock(&s->lock);
	idle = ktr_targets_shut_idle(&s->targets);
	mutex_unlock(&s->lock);
	return idle;
}

static void end_work_fn(struct work_struct *work)
{
	struct ktr_session *s = container_of(work, struct ktr_session, end_work);

	if (READ_ONCE(s->end_asked) || shut_idle(s))
		ktr_session_end(s);
	ktr_session_put(s);
}

void ktr_session_end_soon(struct ktr_session *s)
{
	kref_get(&s->ref);	/* the work's */
	if (!queue_work(ktr_wq, &s->end_work))
		ktr_session_put(s);
}

static void init_parts(struct ktr_session *s, const struct ktr_session_opts *o)
{
	kref_init(&s->ref);
	mutex_init(&s->lock);
	spin_lock_init(&s->idle_lock);
	init_completion(&s->ended);
	INIT_WORK(&s->end_work, end_work_fn);
	if (o->name)
		strscpy(s->name, o->name, sizeof(s->name));
	s->flags = o->flags;
	s->maker = o->maker;
	s->stream.pool = &s->pool;
	s->stream.summary = o->summary;
	RCU_INIT_POINTER(s->stream.table, &ktr_table_none);
	s->stream.signals = ~0ULL;
	ktr_target_set_init(&s->targets, &s->stream);
	s->targets.ended = target_ended;
	s->targets.arm = o->flags & KTR_SESSION_F_EXEC_ARM;
	ktr_functions_init(&s->functions, &s->stream);
	ktr_waits_init(&s->waits);
}

/* A plain user's session sees what its maker may see now; -EUSERS. */
static int set_owner(struct ktr_session *s, const struct ktr_session_opts *o)
{
	s->owner = o->plain ? current_euid() : current_uid();
	if (!o->plain)
		return 0;
	if (!ktr_user_add_session(o->channel.user))
		return -EUSERS;
	s->cred = get_current_cred();
	s->user = ktr_user_ref(o->channel.user);
	s->stream.owner = s->cred;
	s->targets.user = s->user;
	s->pool.user = s->user;
	return 0;
}

u64 ktr_session_kinds(const struct ktr_session *s)
{
	return s->cred ? ktr_permit_plain_kinds() & ktr_probes_kinds() : ktr_probes_kinds();
}

struct ktr_session *ktr_session_new(const struct ktr_session_opts *o)
{
	struct ktr_session *s;
	int ret;

	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return ERR_PTR(-ENOMEM);
	init_parts(s, o);
	ret = set_owner(s, o);
	if (ret)
		goto err_free;
	ret = ktr_pool_init(&s->pool);
	if (ret)
		goto err_release_owner;
	ret = ktr_channel_init(&s->channel, &o->channel);
	if (ret)
		goto err_uninit_pool;
	s->stream.cpu = s->channel.cpu;
	ret = ktr_probes_begin(&s->probes);
	if (ret)
		goto err_uninit_channel;
	ret = ktr_sessions_add(s);
	if (ret)
		goto err_end_probes;
	/* Whoever changes it from now on finds the session. */
	ktr_channel_pool(&s->channel);
	return s;

err_end_probes:
	ktr_probes_end(&s->probes);
err_uninit_channel:
	ktr_channel_uninit(&s->channel);
err_uninit_pool:
	ktr_pool_uninit(&s->pool);
err_release_owner:
	release_owner(s);
err_free:
	kfree(s);
	return ERR_PTR(ret);
}

static void emit_clock(struct ktr_session *s)
{
	struct ktr_ev_clock *ev;
	struct ktr_rec *rec;

	preempt_disable();
	rec = ktr_emit_begin(&s->stream, KTR_RING_CONTROL, KTR_KIND_clock, 0, sizeof(*ev));
	if (rec) {
		ev = (void *)(rec + 1);
		ev->realtime = ktime_get_real_fast_ns();
		ev->boottime = ktime_get_boot_fast_ns();
		ktr_emit_end(&s->stream, KTR_RING_CONTROL);
	}
	preempt_enable();
}

void ktr_session_tell(struct ktr_session *s, enum ktr_change what, u64 value)
{
	struct ktr_ev_change *ev;
	struct ktr_rec *rec;

	s->generation++;
	WRITE_ONCE(s->stream.rec_flags, (s->generation & 15) << KTR_REC_GEN_SHIFT);
	preempt_disable();
	rec = ktr_emit_begin(&s->stream, KTR_RING_CONTROL, KTR_KIND_change, 0, sizeof(*ev));
	if (rec) {
		ev = (void *)(rec + 1);
		ev->generation = s->generation;
		ev->what = what;
		ev->value = value;
		ktr_emit_end(&s->stream, KTR_RING_CONTROL);
	}
	preempt_enable();
}

/* Probes follow what a running session asks for. */
static int update_probes(struct ktr_session *s)
{
	u64 want = s->state == KTR_STATE_RUNNING ? s->events : 0;

	return want == s->probes.kinds ? 0 : ktr_probes_change(&s->probes, want);
}

void ktr_session_update_live(struct ktr_session *s)
{
	u64 live = s->state == KTR_STATE_RUNNING ?
		   s->events | ktr_probes_control_kinds() : 0;

	u64 more = rcu_access_pointer(s->stream.frows) ? 1ULL << KTR_KIND_function : 0;

	WRITE_ONCE(s->stream.live, live);
	more |= s->stream.stack.kinds;
	WRITE_ONCE(s->stream.plain, s->filter_len || s->stream.summary ? 0 : live & ~more);
}

void ktr_session_end(struct ktr_session *s)
{
	struct ktr_writer_state written;
	struct ktr_writer *w;

	if (!ktr_sessions_claim(s)) {
		wait_for_completion(&s->ended);
		return;
	}
	mutex_lock(&s->lock);
	s->state = KTR_STATE_ENDED;
	ktr_session_update_live(s);
	ktr_functions_close(&s->functions);
	ktr_waits_free(&s->waits);
	ktr_targets_close(&s->targets);
	ktr_probes_end(&s->probes);
	free_parts(s);
	/* Who asks for the session's state sees it whole or not at all. */
	w = s->writer;
	s->writer = NULL;
	mutex_unlock(&s->lock);
	/* Not under the lock, which it takes when it fails. No producer is left. */
	written = ktr_writer_end(w);
	ktr_channel_end(&s->channel);
	if (written.error)
		ktr_failures_keep(s, &written);
	kfree(written.path);
	/* Who looks for it no more finds its file whole. */
	ktr_sessions_remove(s);
	notify(s, KTR_NOTICE_SESSION_END, 0, 0);
	complete_all(&s->ended);
	ktr_session_put(s);	/* the list's */
}

void ktr_session_end_all(void)
{
	struct ktr_session *s;

	while ((s = ktr_session_next(0, NULL))) {
		ktr_session_end(s);
		ktr_session_put(s);
	}
}

static int set_state(struct ktr_session *s, u32 state)
{
	u32 old = s->state;
	int ret;

	if (state == old)
		return 0;
	s->state = state;
	if (state == KTR_STATE_STOPPED) {
		ktr_session_tell(s, KTR_CHANGE_STOP, 0);
		emit_clock(s);
		ktr_session_update_live(s);
	}
	ret = update_probes(s);
	if (ret) {
		s->state = old;
		return ret;
	}
	if (state == KTR_STATE_RUNNING) {
		ktr_session_tell(s, KTR_CHANGE_START, s->events);
		emit_clock(s);
		ktr_session_update_live(s);
	} else {
		notify(s, KTR_NOTICE_SESSION_STOP, 0, 0);
	}
	return 0;
}

void ktr_session_halt(struct ktr_session *s)
{
	if (s->state == KTR_STATE_RUNNING)
		set_state(s, KTR_STATE_STOPPED);
}

static int set_events(struct ktr_session *s, const struct ktr_session_change *c)
{
	u64 old = s->events;
	u64 new = ((c->has_events ? c->events : old) | c->events_add) & ~c->events_del;
	int ret;

	if (new == old)
		return 0;
	s->events = new;
	ret = update_probes(s);
	if (ret) {
		s->events = old;
		return ret;
	}
	ktr_session_tell(s, KTR_CHANGE_EVENTS, new);
	ktr_session_update_live(s);
	return 0;
}

static void set_signals(struct ktr_session *s, const struct ktr_session_change *c)
{
	u64 old = s->stream.signals;
	u64 new = ((c->has_signals ? c->signals : old) | c->signals_add) & ~c->signals_del;

	if (new == old)
		return;
	WRITE_ONCE(s->stream.signals, new);
	ktr_session_tell(s, KTR_CHANGE_SIGNALS, new);
}

static void set_filter(struct ktr_session *s, struct ktr_filter *f)
{
	struct ktr_filter *old;

	old = rcu_replace_pointer(s->stream.filter, f, lockdep_is_held(&s->lock));
	s->filter_len = f ? f->npreds : 0;
	ktr_session_update_live(s);
	ktr_session_tell(s, KTR_CHANGE_FILTER, s->filter_len);
	if (!old)
		return;
	synchronize_rcu();
	ktr_filter_free(old);
}

/* What can fail comes first, in an order in which it can be taken back. */
static int change_locked(struct ktr_session *s, const struct ktr_session_change *c,
			 struct ktr_filter *f)
{
	struct ktr_session_change undo = { .has_events = true, .events = s->events };
	int ret;

	ret = set_events(s, c);
	if (ret)
		return ret;
	if (c->has_state) {
		ret = set_state(s, c->state);
		if (ret) {
			set_events(s, &undo);
			return ret;
		}
	}
	set_signals(s, c);
	if (c->has_filter)
		set_filter(s, f);
	if (c->has_label && c->label != s->label) {
		s->label = c->label;
		ktr_session_tell(s, KTR_CHANGE_LABEL, s->label);
	}
	if (c->has_stack) {
		ktr_session_set_stack(s, &c->stack);
		ktr_session_tell(s, KTR_CHANGE_STACK, c->stack.kinds);
	}
	if (c->drain) {
		ktr_channel_drain(&s->channel);
		ktr_summary_clear(s->stream.summary);
		ktr_session_tell(s, KTR_CHANGE_DRAIN, 0);
	}
	return 0;
}

int ktr_session_change(struct ktr_session *s, const struct ktr_session_change *c,
		       struct netlink_ext_ack *ack)
{
	char *saved = c->saved ? kstrdup(c->saved, GFP_KERNEL_ACCOUNT) : NULL;
	struct ktr_filter *f = NULL;
	int ret = -ESHUTDOWN;

	if (c->saved && !saved)
		return -ENOMEM;
	if (c->has_filter && c->npreds) {
		f = ktr_paths_filter(c, ack);
		if (IS_ERR(f)) {
			kfree(saved);
			return PTR_ERR(f);
		}
	}
	mutex_lock(&s->lock);
	if (c->drain && s->reader) {
		NL_SET_ERR_MSG_MOD(ack, "the session is being read: end its reader first");
		ret = -EBUSY;
	} else if (c->has_state && c->state == KTR_STATE_RUNNING && s->file_failed) {
		NL_SET_ERR_MSG_MOD(ack, "its file cannot be written any more: end it");
		ret = -EIO;
	} else if (s->state != KTR_STATE_ENDED) {
		ret = change_locked(s, c, f);
	}
	if (!ret && saved)
		swap(s->saved, saved);
	mutex_unlock(&s->lock);
	kfree(saved);
	if (ret)
		ktr_filter_free(f);
	return ret;
}

int ktr_session_attach(struct ktr_session *s, const struct ktr_attach *a)
{
	int ret = -ESHUTDOWN;

	mutex_lock(&s->lock);
	if (s->state != KTR_STATE_ENDED) {
		ret = ktr_targets_attach(&s->targets, a);
		if (ret > 0)
			ktr_session_tell(s, KTR_CHANGE_TARGETS, s->targets.count);
		update_idle(s);
	}
	mutex_unlock(&s->lock);
	return ret;
}

int ktr_session_detach(struct ktr_session *s, const struct ktr_attach *a)
{
	int ret = -ESHUTDOWN;

	mutex_lock(&s->lock);
	if (s->state != KTR_STATE_ENDED) {
		ret = ktr_targets_detach(&s->targets, a, KTR_END_DETACH);
		if (ret > 0)
			ktr_session_tell(s, KTR_CHANGE_TARGETS, s->targets.count);
	}
	mutex_unlock(&s->lock);
	return ret;
}

/* Put the staged table in force. Buffers for it first: that may fail. */
static int commit_rows(struct ktr_session *s)
{
	struct ktr_table *new = s->staged, *old;
	int ret;

	old = rcu_dereference_protected(s->stream.table, lockdep_is_held(&s->lock));
	ktr_table_seal(new, old);
	ret = ktr_pool_resize(&s->pool, new->need);
	if (ret)
		return ret;
	s->staged = NULL;
	old = rcu_replace_pointer(s->stream.table, new, lockdep_is_held(&s->lock));
	ktr_session_tell(s, KTR_CHANGE_SYSCALLS, new->nrows);
	if (old != &ktr_table_none) {
		synchronize_rcu();
		ktr_table_free(old);
	}
	return 0;
}

static int stage(struct ktr_session *s, u32 flags)
{
	const struct ktr_table *from = NULL;

	if (flags & (KTR_ROWS_F_BEGIN | KTR_ROWS_F_EMPTY)) {
		ktr_table_free(s->staged);
		s->staged = NULL;
	}
	if (!s->staged) {
		if (!(flags & KTR_ROWS_F_EMPTY))
			from = rcu_dereference_protected(s->stream.table,
							 lockdep_is_held(&s->lock));
		s->staged = ktr_table_copy(from);
		if (!s->staged)
			return -ENOMEM;
	}
	if (flags & KTR_ROWS_F_OTHERS)
		s->staged->others = true;
	return 0;
}

int ktr_session_rows(struct ktr_session *s, const void *rows, u32 len, u32 flags, bool del,
		     struct netlink_ext_ack *ack)
{
	int ret = -ESHUTDOWN;

	mutex_lock(&s->lock);
	if (s->state == KTR_STATE_ENDED)
		goto out;
	ret = stage(s, flags | (del && !rows ? KTR_ROWS_F_EMPTY : 0));
	if (ret)
		goto out;
	if (rows)
		ret = del ? ktr_table_del(s->staged, rows, len, ack) :
			    ktr_table_add(s->staged, rows, len, ack);
	if (!ret && flags & KTR_ROWS_F_COMMIT)
		ret = commit_rows(s);
	if (ret) {	/* nothing half-made stays */
		ktr_table_free(s->staged);
		s->staged = NULL;
	}
out:
	mutex_unlock(&s->lock);
	return ret;
}

int ktr_session_read_begin(struct ktr_session *s, pid_t tgid)
{
	int ret = 0;

	mutex_lock(&s->lock);
	if (s->state == KTR_STATE_ENDED) {
		ret = -ESHUTDOWN;
	} else if (s->reader) {
		ret = -EBUSY;
	} else {
		s->reader = true;
		if (!(s->flags & KTR_SESSION_F_KEEP_SELF))
			ktr_targets_exclude(&s->targets, tgid);
	}
	mutex_unlock(&s->lock);
	return ret;
}

void ktr_session_read_end(struct ktr_session *s)
{
	mutex_lock(&s->lock);
	s->reader = false;
	s->targets.reader_tgid = 0;
	mutex_unlock(&s->lock);
}
