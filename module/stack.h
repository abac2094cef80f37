/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks of records: of the kernel where the event is made, and of the program. */
#ifndef _KTR_STACK_H
#define _KTR_STACK_H

#include "emit.h"

struct netlink_ext_ack;

/* Kinds that can have one. */
u64 ktr_stack_kinds(void);
/* -EINVAL, -EOPNOTSUPP, -EPERM (@plain: a user's who is not privileged), explained in @ack. */
int ktr_stack_check(const struct ktr_stack_want *want, bool plain, struct netlink_ext_ack *ack);
/* Room to collect them in, before any session takes some; it stays. 0 or -ENOMEM. */
int ktr_stack_prepare(void);
void ktr_stack_exit(void);

/* A stack is being walked here: what comes of it is not the task's doing. Preemption off. */
bool ktr_stack_walking(void);

void __ktr_stack_from(unsigned long ip);

/*
 * The kernel's stack of the record of this kind that is begun next is to begin at this
 * place, if it is there: what hooks a function or its return lies on top of it, and is
 * not to take the room of frames that were asked for.
 */
static inline void ktr_stack_from(const struct ktr_stream *st, u8 kind, unsigned long ip)
{
	if (ktr_wants_stack(st, kind))
		__ktr_stack_from(ip);
}

#endif
