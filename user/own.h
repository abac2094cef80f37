/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaching: a plain user has to show that he may. */
#ifndef KTR_OWN_H
#define KTR_OWN_H

#include "ctl.h"
#include "fault.h"

struct own {
	unsigned int kind;	/* enum ktr_target_kind */
	uint32_t id;
	unsigned int flags;	/* KTR_TARGET_F_* */
	const char *what;	/* for the fault */
	unsigned int left_out;	/* processes of a family that are not his: told */
};

/*
 * As ctl_target_add(), with /proc/ID/mem where it is needed. Of a group and of
 * descendants a plain user has those that are his, and at least one.
 */
int own_attach(struct ctl *ctl, struct ctl_ref ref, struct own *o, struct fault *f);

/*
 * Whether one of those that are meant is the caller's to trace, who is not privileged:
 * 0, -EPERM, or -ESRCH if there is none.
 */
int own_may(const struct own *o);

#endif
