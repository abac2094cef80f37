/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which processes a session traces, for list and status. */
#ifndef KTR_SESSPIDS_H
#define KTR_SESSPIDS_H

#include "buf.h"
#include "ctl.h"

/* A member "pids" with all of them. */
void sesspids_json(struct buf *b, struct ctl *ctl, const struct ctl_session *s);
/* The first few, and how many more there are; nothing if there are none. */
void sesspids_text(struct buf *b, struct ctl *ctl, const struct ctl_session *s);

#endif
