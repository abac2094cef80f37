/* SPDX-License-Identifier: GPL-2.0-only */
/* Making tasks targets by command. The session's mutex is held in all. */
#ifndef _KTR_ATTACH_H
#define _KTR_ATTACH_H

#include "targets.h"

struct cgroup;

struct ktr_attach {
	u32 kind;		/* enum ktr_target_kind */
	u32 id;			/* in the caller's namespaces */
	u32 flags;		/* KTR_TARGET_F_* */
	kuid_t uid;		/* KTR_TARGET_UID */
	struct cgroup *cgroup;	/* KTR_TARGET_CGROUP; the caller's */
	const struct mm_struct *mm;	/* a plain user's right: of those tasks that have it */
};

/*
 * All that @a names, or none. Return: tasks attached; -ESRCH, -EEXIST (all were),
 * -EPERM (the reader itself), -ENOMEM, -EDQUOT (more than the user may), and
 * ktr_permit_attach()'s.
 */
int ktr_targets_attach(struct ktr_target_set *set, const struct ktr_attach *a);
/* Return: tasks detached, or -ESRCH. @a NULL: all. */
int ktr_targets_detach(struct ktr_target_set *set, const struct ktr_attach *a,
		       enum ktr_end why);
/* All targets go, and none comes again. */
void ktr_targets_close(struct ktr_target_set *set);
/* Leave the reader's own process out from now on. */
void ktr_targets_exclude(struct ktr_target_set *set, pid_t tgid);

#endif
