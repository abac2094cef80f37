/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How tasks end, in strace's form. */
#ifndef KTR_TEXT_END_H
#define KTR_TEXT_END_H

#include "events.h"
#include "out.h"

void text_exit(struct out *o, struct proc *p, const struct ktr_rec *rec);
/* The task goes on, but may not be seen any more. */
bool text_is_barred(const struct ktr_ev_target_end *ev);
void text_barred(struct out *o, struct proc *p, const struct ktr_rec *rec);
/* Why it is not traced any more; NULL: it ended itself. */
const char *text_why_ended(uint32_t reason);
/* A leader that its threads outlived ends with the last of them; tid 0: any. */
void text_outlived(struct out *o, uint32_t tid);
/* The leader is gone, the thread that called execve has its number now. */
void text_superseded(struct out *o, const struct ktr_rec *rec,
		     const struct ktr_ev_exec *ev);

#endif
