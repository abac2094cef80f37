/* SPDX-License-Identifier: GPL-2.0-only */
/* What a task is doing when tracing of it begins. */
#ifndef _KTR_SNAPSHOT_H
#define _KTR_SNAPSHOT_H

#include "targets.h"

/*
 * If the task sleeps in a syscall: fill t->call with it and write its begun
 * record. Process context; no probe can find @t yet; the session's mutex is held.
 * @mm: in a plain user's session, the address space that he may look into.
 */
void ktr_snapshot_take(struct ktr_target *t, const struct mm_struct *mm);

#endif
