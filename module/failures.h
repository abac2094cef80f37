/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions that could not write their file and have ended: what is told of them
 * until somebody clears them. Of each user the newest few.
 */
#ifndef _KTR_FAILURES_H
#define _KTR_FAILURES_H

#include <linux/types.h>
#include <linux/uidgid.h>
#include "../uapi/ktracer.h"

struct ktr_session;
struct ktr_who;
struct ktr_writer_state;

/* A copy of one. */
struct ktr_failure_facts {
	u32 id;				/* of the session */
	char name[KTR_NAME_MAX];
	char *file;			/* its path */
	kuid_t owner;
	bool privileged;
	u64 bytes;			/* written */
	u64 missing;			/* records */
	u32 error;			/* errno */
};

/* While it is still listed: whoever looks sees one or the other. May sleep. */
void ktr_failures_keep(const struct ktr_session *s, const struct ktr_writer_state *w);
/* The first of @who's whose number is not below @id; its file is for kfree(), or NULL. */
bool ktr_failures_next(u32 id, const struct ktr_who *who, struct ktr_failure_facts *facts);
/* By number, or by name as ktr_session_find(); false: there is none. */
bool ktr_failures_drop(u32 id, const char *name, const struct ktr_who *who);
void ktr_failures_exit(void);

#endif
