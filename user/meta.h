/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where and how something was recorded, as one JSON object. */
#ifndef KTR_META_H
#define KTR_META_H

#include "buf.h"
#include "ctl.h"
#include "opts.h"

void meta_make(struct buf *b, const struct opts *o,
	       const struct ctl_session *s);

#endif
