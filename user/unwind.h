/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callers from a copy of the stack and the registers, by the unwind tables of the files. */
#ifndef KTR_UNWIND_H
#define KTR_UNWIND_H

#include "spaces.h"
#include "stack.h"

/*
 * The program's addresses, innermost first, in s->user, as frame pointers would have
 * led to them; s->flags tells how it ended. Where a file has no table for a place,
 * its frame pointer is followed. False: there is no copy, or it is not one of ours.
 */
bool unwind(struct spaces *ss, uint32_t tgid, struct stack *s);

/* What was kept for the next ones. */
void unwind_free(struct unwinder *first);

#endif
