/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The targets of a session, as KTR_CMD_TARGET_GET tells them. */
#ifndef _KTR_TARGETS_H
#define _KTR_TARGETS_H

#include <stdbool.h>
#include <sys/types.h>
#include "ktr_session.h"

struct ktr_targets {
	int n;
	struct {
		__u32 tid, tgid, flags;
		char comm[16];
		__u64 recorded;
	} v[500];
};

/* 0 or -errno. More than there is room for are left out. */
int ktr_targets_get(struct ktr_session *s, struct ktr_targets *all);
bool ktr_targets_has(const struct ktr_targets *all, pid_t tid);

#endif
