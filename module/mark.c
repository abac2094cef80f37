// SPDX-License-Identifier: GPL-2.0-only
/* Marker records: what users write into the stream. */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "session.h"

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
