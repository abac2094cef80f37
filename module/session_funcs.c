// SPDX-License-Identifier: GPL-2.0-only
/* Kernel functions of a session: what commands and modules that go change of them. */
#include "kmods.h"
#include "session.h"

static bool is_del(const struct ktr_functions_ask *ask)
{
	return ask->op == KTR_FUNCTIONS_DEL || ask->op == KTR_FUNCTIONS_DEL_GRAPHS;
}

int ktr_session_functions_locked(struct ktr_session *s, u64 *addr, u32 n,
				 struct ktr_functions_ask *ask)
{
	int ret;

	lockdep_assert_held(&s->lock);
	if (!is_del(ask)) {
		ask->bad = ktr_kmods_find_dead(addr, n);
		if (ask->bad)
			return -EINVAL;
	}
	ret = ktr_functions_change(&s->functions, addr, n, ask);
	if (ask->op == KTR_FUNCTIONS_DEL && (!ret || ret == -ENOENT))
		ktr_session_drop_frows(s, addr, n);
	if (!ret && ask->op != KTR_FUNCTIONS_ADD_BELOW)
		ktr_session_tell(s, KTR_CHANGE_FUNCS, ktr_functions_count(&s->functions));
	return ret;
}

int ktr_session_functions(struct ktr_session *s, u64 *addr, u32 n,
			  struct ktr_functions_ask *ask)
{
	int ret = -ESHUTDOWN;

	mutex_lock(&s->lock);
	if (s->state != KTR_STATE_ENDED) {
		ret = ktr_session_functions_locked(s, addr, n, ask);
		if (!addr && ask->op == KTR_FUNCTIONS_DEL && s->waits.n) {
			ktr_waits_free(&s->waits);
			ret = ret == -ENOENT ? 0 : ret;
		}
	}
	mutex_unlock(&s->lock);
	return ret;
}
