/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Acquire, release, and compare-and-exchange of one CPU. Without a sanitizer the
 * latter is the very instruction of the kernel, without a lock prefix: what
 * interrupts it here, a signal, runs on the same thread.
 */
#ifndef SHIM_LINUX_ATOMIC_H
#define SHIM_LINUX_ATOMIC_H

#include <linux/compiler.h>

#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

#if defined(__x86_64__) && defined(SHIM_PLAIN)
static inline u64 cmpxchg_local_u64(u64 *p, u64 old, u64 new)
{
	u64 seen;

	__asm__ volatile("cmpxchgq %2, %1"
			 : "=a" (seen), "+m" (*p)
			 : "r" (new), "0" (old) : "memory");
	return seen;
}
#else
static inline u64 cmpxchg_local_u64(u64 *p, u64 old, u64 new)
{
	__atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	return old;
}
#endif

#define cmpxchg_local(p, old, new) \
	((__typeof__(*(p)))cmpxchg_local_u64((u64 *)(p), old, new))

typedef struct { int counter; } atomic_t;

static inline int atomic_inc_return(atomic_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_SEQ_CST);
}

#endif
