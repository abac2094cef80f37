// SPDX-License-Identifier: GPL-2.0-only
/* What the functions of a session show. */
#include <linux/rcupdate.h>
#include "frows.h"
#include "session.h"

static void replace_frows(struct ktr_session *s, const struct ktr_frows_change *c)
{
	struct ktr_frows *old;

	old = rcu_replace_pointer(s->stream.frows, c->new, lockdep_is_held(&s->lock));
	ktr_session_update_live(s);
	if (!old)
		return;
	synchronize_rcu();
	ktr_frows_free(old, c->gone);
}

int ktr_session_frows(struct ktr_session *s, const void *rows, u32 len,
		      struct netlink_ext_ack *ack)
{
	struct ktr_frows_change c;
	int ret = -ESHUTDOWN;

	mutex_lock(&s->lock);
	if (s->state != KTR_STATE_ENDED) {
		ret = ktr_frows_add(rcu_dereference_protected(s->stream.frows,
							      lockdep_is_held(&s->lock)),
				    rows, len, &c, ack);
		if (!ret)
			replace_frows(s, &c);
	}
	mutex_unlock(&s->lock);
	return ret;
}

void ktr_session_sweep_frows(struct ktr_session *s, const struct ktr_span *span)
{
	struct ktr_frows *old = rcu_dereference_protected(s->stream.frows,
							  lockdep_is_held(&s->lock));
	struct ktr_frows_change c;

	if (old && !ktr_frows_sweep(old, span, &c))
		replace_frows(s, &c);
}

void ktr_session_drop_frows(struct ktr_session *s, const u64 *addr, u32 n)
{
	struct ktr_frows *old = rcu_dereference_protected(s->stream.frows,
							  lockdep_is_held(&s->lock));
	struct ktr_frows_change c;

	/* Without memory they stay: a row alone does nothing. */
	if (old && !ktr_frows_del(old, addr, n, &c))
		replace_frows(s, &c);
}
