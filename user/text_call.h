/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls in strace's form. */
#ifndef KTR_TEXT_CALL_H
#define KTR_TEXT_CALL_H

#include "out.h"

/* What was known of a call when it blocked has waited long enough. */
void text_early(struct out *o, struct proc *p);
/* text_line(), behind what waited. */
struct sink *text_leader(struct out *o, struct proc *p, uint64_t time, int nr);
/* The beginning of a call that blocks; its line stays open. */
void text_begun(struct out *o, struct proc *p, const struct sys_rec *r);
/* A call that ended: whole, or the rest of its line. */
void text_call(struct out *o, struct proc *p, const struct sys_rec *r);

#endif
