/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of kernel functions: which arguments, and what memory behind them, their
 * records show. A table never changes once probes can see it; a new one takes its
 * place, and the old one and what went with it are freed after a grace period.
 */
#ifndef _KTR_FROWS_H
#define _KTR_FROWS_H

#include <linux/hash.h>
#include "capture.h"
#include "kmod_text.h"

#define KTR_FUNC_CONTEXTS 4	/* task, softirq, irq, nmi: what may nest on a CPU */

/* Bytes of the endbr64 that may stand where a function begins. */
#define KTR_ENDBR_SIZE 4

struct ktr_frow {
	struct ktr_frow *next;		/* of a list of rows that are in no table */
	u64 addr;
	u32 note_len;
	const void *note;		/* behind the operations */
	struct ktr_prog prog;
};

struct ktr_frows {
	u32 n;
	u32 bits;			/* of the slots' number */
	u32 stride;			/* from one context's buffer to the next */
	u8 __percpu *bufs;		/* a struct ktr_capbuf for each context */
	struct ktr_frow *slot[];	/* by hash, the next free one where that is taken */
};

/* Whose entry is just there. */
static inline const struct ktr_frow *ktr_frows_find(const struct ktr_frows *t, u64 addr)
{
	u32 i = hash_64(addr, t->bits);

	while (t->slot[i] && t->slot[i]->addr != addr)
		i = (i + 1) & ((1u << t->bits) - 1);
	return t->slot[i];
}

/* Of a function by where ftrace is called: behind an endbr, if it begins with one. */
static inline const struct ktr_frow *ktr_frows_find_ip(const struct ktr_frows *t, u64 ip)
{
	const struct ktr_frow *row = ktr_frows_find(t, ip);

	return row ?: ktr_frows_find(t, ip - KTR_ENDBR_SIZE);
}

/* A table in place of @old, which may be NULL, and what went: for ktr_frows_free(). */
struct ktr_frows_change {
	struct ktr_frows *new;		/* NULL: nothing is left */
	struct ktr_frow *gone;
};

/* @data is from the user. -EINVAL is explained in @ack; -E2BIG, -ENOMEM. */
int ktr_frows_add(const struct ktr_frows *old, const void *data, u32 len,
		  struct ktr_frows_change *c, struct netlink_ext_ack *ack);
/* Without those of @addr, ascending; NULL: of all. */
int ktr_frows_del(const struct ktr_frows *old, const u64 *addr, u32 n,
		  struct ktr_frows_change *c);
/* Without those in the span; without memory for that none stay. -ENOENT: there are none. */
int ktr_frows_sweep(const struct ktr_frows *old, const struct ktr_span *span,
		    struct ktr_frows_change *c);
/* The table that is no longer used, and rows that are in none. */
void ktr_frows_free(struct ktr_frows *old, struct ktr_frow *gone);
/* A table with all its rows. */
void ktr_frows_free_all(struct ktr_frows *t);

/* The row as the user sent it, at most @room bytes; 0: there is no @index-th, -EMSGSIZE. */
int ktr_frows_copy(const struct ktr_frows *t, u32 index, void *buf, u32 room);
/* The longest. */
#define KTR_FROW_BYTES (sizeof(struct ktr_func_row) + KTR_OPS_MAX * sizeof(struct ktr_op) + \
			KTR_FUNC_NOTE_MAX)

#endif
