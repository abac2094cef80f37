/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths that a predicate asks for: given, or everything below one. */
#ifndef _KTR_PATHS_H
#define _KTR_PATHS_H

#include "capture.h"

struct ktr_filter;
struct ktr_session_change;

struct ktr_paths {
	u32 n;
	struct {
		u16 off, len;		/* in text */
		bool below;		/* it ends with '/': all that begins so */
	} path[KTR_PATHS_MAX];
	char text[];
};

/* The filter of a change, with its paths. ERR_PTR(-EINVAL) is explained in @ack. */
struct ktr_filter *ktr_paths_filter(const struct ktr_session_change *c,
				    struct netlink_ext_ack *ack);

/*
 * Which of them a call has to do with, bit by bit: by the paths it was given
 * and by its descriptors, as far as @prog has captured them.
 */
u64 ktr_paths_match(const struct ktr_paths *p, const struct ktr_prog *prog,
		    const struct ktr_call *call);

#endif
