/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that commands may change, as the module and ftrace tell it, to compare. */
#ifndef _KTR_LOOK_H
#define _KTR_LOOK_H

#include <stdbool.h>
#include "ktr_client.h"

enum ktr_fact {
	KTR_SESSIONS,
	KTR_USED,		/* bytes of all rings */
	KTR_NARROW,		/* enum ktr_narrow_state */
	KTR_HOOKS,		/* functions that ftrace has switched on */
	KTR_LISTS,		/* what targets, rows and functions add up to */
	KTR_FACTS_OF_SESSION,	/* from here on: of the last session */
	KTR_FACTS = KTR_FACTS_OF_SESSION + 10
};

struct ktr_look {
	__u64 fact[KTR_FACTS];
};

/* @name: the session whose lists count, if it is there. 0 or -errno. */
int ktr_look(struct ktr_client *c, const char *name, struct ktr_look *l);
bool ktr_look_same(const struct ktr_look *a, const struct ktr_look *b);
/* Wait until it looks so. If it never does, say on standard error what differs. */
bool ktr_look_becomes(struct ktr_client *c, const char *name,
		      const struct ktr_look *want);
/* Functions that ftrace has switched on. */
__u64 ktr_look_hooks(void);

#endif
