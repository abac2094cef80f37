/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the records of a syscall under way. Preemption off in all. */
#ifndef _KTR_CALL_H
#define _KTR_CALL_H

#include "targets.h"

/* The one record of the call, at its exit; call->ret is set. Ends the call. */
void ktr_call_finish(struct ktr_target *t);
/* An early copy of the call, once: it blocks, and the reader should know. */
void ktr_call_begun(struct ktr_target *t);
/* Forget the call. */
void ktr_call_drop(struct ktr_target *t);

#endif
