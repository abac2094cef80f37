/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel functions of one session whose returns are recorded, and the hook
 * behind them: fprobe where the kernel has it, else kretprobes.
 */
#ifndef _KTR_RETURNS_H
#define _KTR_RETURNS_H

#include <linux/list.h>
#include "emit.h"

struct ktr_span;
struct pt_regs;

/* Calls that may be inside the functions of one block at a time. */
#define KTR_RETURNS_INSIDE 4096

struct ktr_returns {
	struct ktr_stream *stream;
	struct list_head blocks;	/* the session's mutex, as the next two */
	u32 n;
	u64 missed;			/* by blocks that are gone */
};

/* Functions that were added together: one registration. */
struct ktr_return_block {
	struct list_head node;		/* the session's mutex */
	struct ktr_stream *stream;
	bool live;			/* takes new calls */
	u32 n;
	unsigned long *addr;		/* ascending; the session's mutex */
	void *hook;			/* its backend's */
};

/* What a call keeps from its entry to its return. */
struct ktr_return_data {
	u64 start;
};

/* For sort() and bsearch(): addresses, ascending. */
int ktr_addr_cmp(const void *a, const void *b);

void ktr_returns_init(struct ktr_returns *r, struct ktr_stream *st);
/*
 * A block for @addr (ascending, not in @r), hooked but not live yet. The caller
 * puts it in force with ktr_returns_start() or drops it.
 */
struct ktr_return_block *ktr_returns_hook(struct ktr_returns *r, const unsigned long *addr, u32 n);
void ktr_returns_start(struct ktr_returns *r, struct ktr_return_block *b);
void ktr_returns_drop(struct ktr_return_block *b);
bool ktr_returns_has(const struct ktr_returns *r, u64 addr);
/* Those of @addr (ascending) that are there. Return: how many, or an error. */
int ktr_returns_del(struct ktr_returns *r, const u64 *addr, u32 n);
/* Without all in the span; a block that cannot be had without them goes as a whole. */
void ktr_returns_sweep(struct ktr_returns *r, const struct ktr_span *span);
/* Copy @n addresses from the @skip-th on. Return: how many there were. */
u32 ktr_returns_list(const struct ktr_returns *r, u32 skip, u64 *addr, u32 n);
/* Calls of whatever task that got neither record. */
u64 ktr_returns_missed(const struct ktr_returns *r);
/* Calls of targets that were entered and not seen to return. */
u64 ktr_returns_inside(const struct ktr_returns *r);
/* No callback can run when it returns; calls that are inside return unseen. */
void ktr_returns_close(struct ktr_returns *r);

/*
 * What the hooks call, in any context. A call that is entered is kept, with
 * *data, until it has left; false: it is not ours.
 */
bool ktr_return_entered(const struct ktr_return_block *b, unsigned long ip,
			unsigned long parent, const struct pt_regs *regs,
			struct ktr_return_data *data);
void ktr_return_left(const struct ktr_return_block *b, unsigned long ip, unsigned long parent,
		     unsigned long value, const struct ktr_return_data *data);

/* The backend: registers and unregisters b->hook for b->addr. */
int ktr_return_hook(struct ktr_return_block *b);
u64 ktr_return_hook_missed(const struct ktr_return_block *b);
/* Waits for callbacks, also those of calls that return just now. */
void ktr_return_unhook(struct ktr_return_block *b);

#endif
