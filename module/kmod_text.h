/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of a kernel module that is being loaded: its functions and their names. */
#ifndef _KTR_KMOD_TEXT_H
#define _KTR_KMOD_TEXT_H

#include <linux/types.h>

struct module;

/* Addresses from the first up to the second. */
struct ktr_span {
	unsigned long from, to;
};

struct ktr_kmod_symbol {
	unsigned long addr;
	const char *name;		/* the module's own */
	u32 index;			/* in the module's table */
	bool traceable;			/* ftrace is called where it begins */
};

struct ktr_kmod_text {
	struct ktr_span core, init;
	struct ktr_kmod_symbol *symbol;	/* by address, ascending; last the name the kernel prefers */
	u32 n;
};

static inline bool ktr_span_has(const struct ktr_span *s, unsigned long addr)
{
	return addr >= s->from && addr < s->to;
}

/* Of @addr, ascending: those in the span are *at and the following. Return: how many. */
u32 ktr_span_find(const struct ktr_span *s, const unsigned long *addr, u32 n, u32 *at);

struct ktr_span ktr_kmod_core(const struct module *mod);
struct ktr_span ktr_kmod_init(const struct module *mod);
/* While it is coming: later its tables are cut. -ENOMEM. To be freed. */
int ktr_kmod_text_get(struct ktr_kmod_text *t, const struct module *mod);
void ktr_kmod_text_put(struct ktr_kmod_text *t);

#endif
