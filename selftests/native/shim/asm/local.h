/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A counter of one CPU: one instruction, so a signal comes before or after. */
#ifndef SHIM_ASM_LOCAL_H
#define SHIM_ASM_LOCAL_H

#include <linux/compiler.h>

typedef struct { u64 value; } local_t;

static inline void local_inc(local_t *l)
{
#if defined(__x86_64__) && defined(SHIM_PLAIN)
	__asm__ volatile("incq %0" : "+m" (l->value));
#else
	__atomic_fetch_add(&l->value, 1, __ATOMIC_RELAXED);
#endif
}

#endif
