// SPDX-License-Identifier: GPL-2.0-only
/* Which records of a session have stacks. */
#include "session.h"

/* Probes may see some of the old and some of the new: each is within its bounds. */
void ktr_session_set_stack(struct ktr_session *s, const struct ktr_stack_want *want)
{
	struct ktr_stack_want *st = &s->stream.stack;

	WRITE_ONCE(st->kernel, want->kernel);
	WRITE_ONCE(st->user, want->user);
	WRITE_ONCE(st->copy, want->copy);
	WRITE_ONCE(st->kinds, want->kinds);
	ktr_session_update_live(s);
}
