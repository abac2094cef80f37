/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The beginning of a line of strace's form. */
#ifndef KTR_TEXT_LEAD_H
#define KTR_TEXT_LEAD_H

#include "out.h"

/* Whose line it is, when, and by which call (nr), as far as was asked for. */
void text_lead(struct out *o, struct sink *s, const struct proc *p,
	       uint64_t time, int nr);
/* A new line up to there; p->told is forgotten. */
struct sink *text_line(struct out *o, struct proc *p, uint64_t time, int nr);
/* The line under way, if there is one, ends unfinished. */
void text_close(struct sink *s);
/* ".000123", to so many digits. */
void text_fraction(struct buf *b, uint64_t ns, unsigned int digits);

#endif
