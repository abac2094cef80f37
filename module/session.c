// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions: what ties targets, probes, programs and a channel together.
 *
 * Ending one has three phases.
 *  1 Unreachable: it leaves the list; live = 0; the ftrace_ops is unregistered;
 *    the targets leave the hash and none is taken any more.
 *  2 Wait for all who may still hold a pointer: probes (a grace period, in
 *    ktr_targets_close), ftrace callbacks (unregister waits), the irq_works and
 *    works of channel and pool (synced when they are freed).
 *  3 Free: table and filter at once; the rings with the last reference, since
 *    a reader may have them mapped (his descriptor holds one).
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "probes.h"
#include "session.h"

static DEFINE_MUTEX(sessions_lock);
static LIST_HEAD(sessions);		/* by number, ascending */
static u32 last_id;			/* sessions_lock */
static u32 nsessions;			/* sessions_lock */

void (*ktr_session_notify)(const struct ktr_session_notice *notice);

static void notify(struct ktr_session *s, enum ktr_notice what, u32 tid, enum ktr_end end)
{
	struct ktr_session_notice n = { .session = s->id, .what = what, .tid = tid, .end = end };

	void (*fn)(const struct ktr_session_notice *) = READ_ONCE(ktr_session_notify);

	if (fn)
		fn(&n);
}

static void target_ended(struct ktr_target_set *set, u32 tid, enum ktr_end why, bool last)
{
	struct ktr_session *s = container_of(set, struct ktr_session, targets);

	notify(s, KTR_NOTICE_TARGET_END, tid, why);
	if (last)
		ktr_channel_idle(&s->channel, true);
}

static void free_parts(struct ktr_session *s)
{
	ktr_table_free(rcu_dereference_protected(s->stream.table, 1));
	RCU_INIT_POINTER(s->stream.table, &ktr_table_none);
	ktr_filter_free(rcu_dereference_protected(s->stream.filter, 1));
	RCU_INIT_POINTER(s->stream.filter, NULL);
	ktr_table_free(s->staged);
	s->staged = NULL;
}

static void session_free(struct kref *ref)
{
	struct ktr_session *s = container_of(ref, struct ktr_session, ref);

	free_parts(s);
	ktr_pool_uninit(&s->pool);
	ktr_channel_uninit(&s->channel);
	kfree(s);
}

void ktr_session_put(struct ktr_session *s)
{
	if (s)
		kref_put(&s->ref, session_free);
}

static struct ktr_session *find_locked(u32 id, const char *name)
{
	struct ktr_session *s;

	lockdep_assert_held(&sessions_lock);
	list_for_each_entry(s, &sessions, node)
		if (name ? !strcmp(s->name, name) : s->id == id)
			return s;
	return NULL;
}

struct ktr_session *ktr_session_find(u32 id, const char *name)
{
	struct ktr_session *s;

	mutex_lock(&sessions_lock);
	s = find_locked(id, name);
	if (s)
		kref_get(&s->ref);
	mutex_unlock(&sessions_lock);
	return s;
}

struct ktr_session *ktr_session_next(u32 id)
{
	struct ktr_session *s, *found = NULL;

	mutex_lock(&sessions_lock);
	list_for_each_entry(s, &sessions, node) {
		if (s->id < id)
			continue;
		found = s;
		kref_get(&s->ref);
		break;
	}
	mutex_unlock(&sessions_lock);
	return found;
}

static int publish(struct ktr_session *s)
{
	int ret = 0;

	mutex_lock(&sessions_lock);
	if (nsessions >= KTR_SESSIONS_MAX || last_id == U32_MAX) {
		ret = -ENFILE;
	} else if (s->name[0] && find_locked(0, s->name)) {
		ret = -EEXIST;
	} else {
		s->id = ++last_id;
		list_add_tail(&s->node, &sessions);
		nsessions++;
		kref_get(&s->ref);	/* the list's */
	}
	mutex_unlock(&sessions_lock);
	return ret;
}

static bool unpublish(struct ktr_session *s)
{
	bool ours = false;

	mutex_lock(&sessions_lock);
	if (!list_empty(&s->node)) {
		list_del_init(&s->node);
		nsessions--;
		ours = true;
	}
	mutex_unlock(&sessions_lock);
	return ours;
}

static void init_parts(struct ktr_session *s, const struct ktr_session_opts *o)
{
	kref_init(&s->ref);
	INIT_LIST_HEAD(&s->node);
	mutex_init(&s->lock);
	if (o->name)
		strscpy(s->name, o->name, sizeof(s->name));
	s->flags = o->flags;
	s->owner = current_uid();
	ktr_pool_init(&s->pool);
	s->stream.pool = &s->pool;
	RCU_INIT_POINTER(s->stream.table, &ktr_table_none);
	s->stream.signals = ~0ULL;
	ktr_target_set_init(&s->targets, &s->stream);
	s->targets.ended = target_ended;
	s->targets.arm = o->flags & KTR_SESSION_F_EXEC_ARM;
	ktr_functions_init(&s->functions, &s->stream);
}

struct ktr_session *ktr_session_new(const struct ktr_session_opts *o)
{
	struct ktr_session *s;
	int ret;

	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return ERR_PTR(-ENOMEM);
	init_parts(s, o);
	ret = ktr_channel_init(&s->channel, &o->channel);
	if (ret)
		goto err_free;
	s->stream.cpu = s->channel.cpu;
	ret = ktr_probes_get(KTR_PROBES_BASE);
	if (ret)
		goto err_uninit_channel;
	s->holds_probes = true;
	ret = publish(s);
	if (ret)
		goto err_put_probes;
	return s;

err_put_probes:
	ktr_probes_put(KTR_PROBES_BASE);
err_uninit_channel:
	ktr_channel_uninit(&s->channel);
err_free:
	ktr_pool_uninit(&s->pool);
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

/* A change is a record; what comes after carries its generation. */
static void tell_change(struct ktr_session *s, enum ktr_change what, u64 value)
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

/* Probes follow what a running session asks for: new ones first, then the old go. */
static int update_probes(struct ktr_session *s)
{
	u64 want = s->state == KTR_STATE_RUNNING ? s->events : 0;
	int ret;

	if (want == s->probes)
		return 0;
	ret = ktr_probes_get(want);
	if (ret)
		return ret;
	if (s->holds_probes)
		ktr_probes_put(s->probes);
	s->holds_probes = true;
	s->probes = want;
	return 0;
}

static void update_live(struct ktr_session *s)
{
	u64 live = s->state == KTR_STATE_RUNNING ?
		   s->events | ktr_probes_control_kinds() : 0;

	WRITE_ONCE(s->stream.live, live);
}

void ktr_session_end(struct ktr_session *s)
{
	if (!unpublish(s))
		return;
	mutex_lock(&s->lock);
	s->state = KTR_STATE_ENDED;
	update_live(s);
	ktr_functions_close(&s->functions);
	ktr_targets_close(&s->targets);
	ktr_probes_put(s->probes);
	s->holds_probes = false;
	s->probes = 0;
	free_parts(s);
	mutex_unlock(&s->lock);
	ktr_channel_end(&s->channel);
	notify(s, KTR_NOTICE_SESSION_END, 0, 0);
	ktr_session_put(s);	/* the list's */
}

void ktr_session_end_all(void)
{
	struct ktr_session *s;

	while ((s = ktr_session_next(0))) {
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
		tell_change(s, KTR_CHANGE_STOP, 0);
		emit_clock(s);
		update_live(s);
	}
	ret = update_probes(s);
	if (ret) {
		s->state = old;
		return ret;
	}
	if (state == KTR_STATE_RUNNING) {
		tell_change(s, KTR_CHANGE_START, s->events);
		emit_clock(s);
		update_live(s);
	} else {
		notify(s, KTR_NOTICE_SESSION_STOP, 0, 0);
	}
	return 0;
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
	tell_change(s, KTR_CHANGE_EVENTS, new);
	update_live(s);
	return 0;
}

static void set_signals(struct ktr_session *s, const struct ktr_session_change *c)
{
	u64 old = s->stream.signals;
	u64 new = ((c->has_signals ? c->signals : old) | c->signals_add) & ~c->signals_del;

	if (new == old)
		return;
	WRITE_ONCE(s->stream.signals, new);
	tell_change(s, KTR_CHANGE_SIGNALS, new);
}

static void set_filter(struct ktr_session *s, struct ktr_filter *f)
{
	struct ktr_filter *old;

	old = rcu_replace_pointer(s->stream.filter, f, lockdep_is_held(&s->lock));
	s->filter_len = f ? f->npreds : 0;
	tell_change(s, KTR_CHANGE_FILTER, s->filter_len);
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
	if (c->drain) {
		ktr_channel_drain(&s->channel);
		tell_change(s, KTR_CHANGE_DRAIN, 0);
	}
	return 0;
}

int ktr_session_change(struct ktr_session *s, const struct ktr_session_change *c,
		       struct netlink_ext_ack *ack)
{
	struct ktr_filter *f = NULL;
	int ret = -ESHUTDOWN;

	if (c->has_filter && c->npreds) {
		f = ktr_filter_new(c->preds, c->npreds, ack);
		if (IS_ERR(f))
			return PTR_ERR(f);
	}
	mutex_lock(&s->lock);
	if (c->drain && s->reader) {
		NL_SET_ERR_MSG_MOD(ack, "the session is being read: end its reader first");
		ret = -EBUSY;
	} else if (s->state != KTR_STATE_ENDED) {
		ret = change_locked(s, c, f);
	}
	mutex_unlock(&s->lock);
	if (ret)
		ktr_filter_free(f);
	return ret;
}

int ktr_session_attach(struct ktr_session *s, const struct ktr_attach *a)
{
	int ret = -ESHUTDOWN;

	mutex_lock(&s->lock);
	if (s->state != KTR_STATE_ENDED) {
		ktr_channel_idle(&s->channel, false);
		ret = ktr_targets_attach(&s->targets, a);
		if (ret > 0)
			tell_change(s, KTR_CHANGE_TARGETS, s->targets.count);
		if (!READ_ONCE(s->targets.count) && s->targets.had)
			ktr_channel_idle(&s->channel, true);
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
			tell_change(s, KTR_CHANGE_TARGETS, s->targets.count);
	}
	mutex_unlock(&s->lock);
	return ret;
}

/* Put the staged table in force. Buffers for it first: that may fail. */
static int commit_rows(struct ktr_session *s)
{
	struct ktr_table *new = s->staged, *old;
	int ret;

	ktr_table_seal(new);
	ret = ktr_pool_resize(&s->pool, new->need);
	if (ret)
		return ret;
	s->staged = NULL;
	old = rcu_replace_pointer(s->stream.table, new, lockdep_is_held(&s->lock));
	tell_change(s, KTR_CHANGE_SYSCALLS, new->nrows);
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

int ktr_session_functions(struct ktr_session *s, const u64 *addr, u32 n, bool del, u64 *bad)
{
	int ret = -ESHUTDOWN;

	mutex_lock(&s->lock);
	if (s->state != KTR_STATE_ENDED) {
		ret = del ? ktr_functions_del(&s->functions, addr, n) :
			    ktr_functions_add(&s->functions, addr, n, bad);
		if (!ret)
			tell_change(s, KTR_CHANGE_FUNCS, s->functions.n);
	}
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

/* Preemption off. */
static void emit_mark(struct ktr_stream *st, const void *text, u32 len)
{
	struct ktr_ev_marker *ev;
	struct ktr_rec *rec;

	if (!ktr_wants(st, KTR_KIND_marker))
		return;
	rec = ktr_emit_begin(st, KTR_RING_DATA, KTR_KIND_marker, task_pid_nr(current),
			     sizeof(*ev) + round_up(len, 8));
	if (!rec)
		return;
	ev = (void *)(rec + 1);
	ev->tgid = task_tgid_nr(current);
	ev->len = len;
	memset(ev + 1, 0, round_up(len, 8));
	memcpy(ev + 1, text, len);
	ktr_emit_end(st, KTR_RING_DATA);
}

int ktr_session_mark(struct ktr_session *s, const void *text, u32 len)
{
	int ret = 0;

	mutex_lock(&s->lock);
	if (s->state == KTR_STATE_ENDED) {
		ret = -ESHUTDOWN;
	} else {
		preempt_disable();
		emit_mark(&s->stream, text, len);
		preempt_enable();
	}
	mutex_unlock(&s->lock);
	return ret;
}

void ktr_session_mark_own(const void *text, u32 len)
{
	struct ktr_target *t;

	preempt_disable();
	ktr_for_each_target(t, current)
		emit_mark(t->stream, text, len);
	preempt_enable();
}
