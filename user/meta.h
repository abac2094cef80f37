/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where and how something was recorded, as one JSON object. */
#ifndef KTR_META_H
#define KTR_META_H

#include <stdbool.h>

#include "buf.h"
#include "ctl.h"
#include "opts.h"

void meta_make(struct buf *b, const struct opts *o,
	       const struct ctl_session *s);
/* Whether it was recorded since this machine was started: addresses are the same. */
bool meta_is_of_this_boot(const char *meta);

#endif
