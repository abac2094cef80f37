/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack that a record carries. */
#ifndef KTR_STACK_H
#define KTR_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "ktracer.h"
#include "sink.h"

struct out;

struct stack {
	unsigned int nkernel;
	unsigned int nuser;
	unsigned int flags;		/* KTR_STACK_F_* */
	uint64_t kernel[256];		/* innermost first */
	uint64_t user[256];		/* as struct ktr_stack_end says */
	/* The rest lies in the record. */
	unsigned int nregs;
	unsigned int ncopied;		/* words of the program's stack */
	uint64_t regs[256];
	const unsigned char *copied;
};

/* False: the record has none. */
bool stack_of(const struct ktr_rec *rec, struct stack *s);

/*
 * Of the kernel's frames how many at the front are of what makes events known
 * (tracepoints, ftrace, kprobes), and not of what the event is about.
 */
unsigned int stack_machinery(struct out *o, const struct ktr_rec *rec, const struct stack *s);

/* Lines below the record's own, as strace's -k. */
void stack_text(struct out *o, struct sink *to, const struct ktr_rec *rec);
/* Members "kstack" and "ustack". */
void stack_json(struct buf *b, struct out *o, const struct ktr_rec *rec);

#endif
