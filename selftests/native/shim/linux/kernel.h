/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small words of the kernel's that its sources take for granted. */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H

#include <errno.h>
#include <stdio.h>
#include <linux/atomic.h>
#include <linux/compiler.h>

#define U64_MAX		((u64)~0ULL)
#define U32_MAX		((u32)~0U)
#define MAX_ERRNO	4095
#define PAGE_SIZE	4096ul
#define offset_in_page(p) ((unsigned long)(p) & (PAGE_SIZE - 1))

#define min(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); \
	a_ < b_ ? a_ : b_; })
#define max(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); \
	a_ > b_ ? a_ : b_; })
#define min_t(type, a, b) ({ type x_ = (a), y_ = (b); x_ < y_ ? x_ : y_; })
#define clamp_t(type, v, lo, hi) min_t(type, max((type)(v), (type)(lo)), hi)
#define min3(a, b, c) min(min(a, b), c)

#define round_up(n, step) ((((n) - 1) | ((__typeof__(n))(step) - 1)) + 1)

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n < 2 ? 1 : 1ul << (64 - __builtin_clzl(n - 1));
}

#define EXPORT_SYMBOL(x)

#endif
