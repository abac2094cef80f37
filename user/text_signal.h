/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals in strace's form. */
#ifndef KTR_TEXT_SIGNAL_H
#define KTR_TEXT_SIGNAL_H

#include "out.h"

/* One that was taken, or as it was sent. */
void text_delivered(struct out *o, struct proc *p, const struct ktr_rec *rec);
/* Facts of one that is attached: it may be stopped. */
void text_found(struct out *o, struct proc *p, const struct ktr_rec *rec);
/* nr: of the call that it came behind, or in; -1: as the record says. */
void text_sent(struct out *o, struct proc *p, const struct ktr_rec *rec, int nr);
/* Ignored ones that came before that time are due. */
void text_release(struct out *o, struct proc *p, uint64_t before);
/* Nobody takes them any more. */
void text_drop_held(struct out *o, struct proc *p);

#endif
