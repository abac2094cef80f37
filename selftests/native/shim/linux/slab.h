/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_SLAB_H
#define SHIM_LINUX_SLAB_H

#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	0

/* Set by a test: allocations that still succeed; negative: all of them. */
extern long shim_alloc_left;

static inline void *kzalloc(size_t size, int gfp)
{
	if (!shim_alloc_left)
		return NULL;
	if (shim_alloc_left > 0)
		shim_alloc_left--;
	return calloc(1, size);
}

static inline void *kcalloc(size_t n, size_t size, int gfp)
{
	return kzalloc(n * size, gfp);
}

static inline void *kvzalloc(size_t size, int gfp)
{
	return kzalloc(size, gfp);
}

static inline void *kmemdup(const void *from, size_t size, int gfp)
{
	void *p = kzalloc(size, gfp);

	return p ? memcpy(p, from, size) : NULL;
}

#define kfree(p)	free((void *)(p))
#define kvfree(p)	free((void *)(p))
#define struct_size(p, member, n) \
	(sizeof(*(p)) + sizeof((p)->member[0]) * (n))

#endif
