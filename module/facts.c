// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a reader must know before he understands the records of a session that runs
 * already: the clock, what is recorded, whose label it has, and who the targets are.
 * As when it began and they were attached, but written beside the rings, as of a time
 * that is older than all that is still unread.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include "clock.h"
#include "facts.h"
#include "session.h"

#define MORE 16			/* targets that come while they are counted */

struct facts {
	void *p;
	u32 len, room;
	u64 time;
	u32 flags;		/* of each record */
};

static void put(struct facts *f, u8 kind, u32 tid, const void *ev, u32 len)
{
	struct ktr_rec *rec = f->p + f->len;

	if (WARN_ON_ONCE(f->room - f->len < sizeof(*rec) + len))
		return;
	*rec = (struct ktr_rec){ .len8 = (sizeof(*rec) + len) / 8, .kind = kind,
				 .flags = f->flags, .tid = tid, .time = f->time };
	memcpy(rec + 1, ev, len);
	f->len += sizeof(*rec) + len;
}

/* Both clocks as they were then, as far as nobody has set them since. */
static void put_clock(struct facts *f)
{
	u64 ago = ktr_clock_ns() - f->time;
	struct ktr_ev_clock ev = {
		.realtime = ktime_get_real_fast_ns() - ago,
		.boottime = ktime_get_boot_fast_ns() - ago,
	};

	put(f, KTR_KIND_clock, 0, &ev, sizeof(ev));
}

static void put_change(struct facts *f, const struct ktr_session *s, enum ktr_change what,
		       u64 value)
{
	struct ktr_ev_change ev = { .generation = s->generation, .what = what, .value = value };

	put(f, KTR_KIND_change, 0, &ev, sizeof(ev));
}

static void put_all(struct facts *f, const struct ktr_session *s,
		    const struct ktr_target_fact *tasks, u32 n)
{
	u32 i;

	f->flags = READ_ONCE(s->stream.rec_flags);
	put_clock(f);
	put_change(f, s, KTR_CHANGE_START, s->events);
	if (s->label)
		put_change(f, s, KTR_CHANGE_LABEL, s->label);
	for (i = 0; i < n; i++)
		put(f, KTR_KIND_task, tasks[i].tid, &tasks[i].ev, sizeof(tasks[i].ev));
}

/* The lock is held: nobody is attached, and no change comes between. */
static void *make(struct ktr_session *s, u64 time, u32 *len)
{
	u32 n = READ_ONCE(s->targets.count) + MORE;
	struct ktr_target_fact *tasks = kvmalloc_array(n, sizeof(*tasks), GFP_KERNEL);
	struct facts f = { .time = time };

	if (!tasks)
		return ERR_PTR(-ENOMEM);
	n = ktr_targets_facts(&s->targets, tasks, n);
	f.room = 3 * sizeof(struct ktr_rec) + sizeof(struct ktr_ev_clock) +
		 2 * sizeof(struct ktr_ev_change) +
		 n * (sizeof(struct ktr_rec) + sizeof(struct ktr_ev_task));
	f.p = kvmalloc(f.room, GFP_KERNEL);
	if (f.p)
		put_all(&f, s, tasks, n);
	kvfree(tasks);
	*len = f.len;
	return f.p ?: ERR_PTR(-ENOMEM);
}

void *ktr_session_facts(struct ktr_session *s, u64 time, u32 *len)
{
	void *p;

	mutex_lock(&s->lock);
	p = make(s, time, len);
	mutex_unlock(&s->lock);
	return p;
}
