/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A place in a sorted array of structs; bsearch() finds only what is there. */
#ifndef KTR_BOUND_H
#define KTR_BOUND_H

#include <stddef.h>
#include <stdint.h>

/*
 * How many of n elements have a key of at most this value. key: that of the first
 * one; size: of an element.
 */
static inline size_t bound_above(const uint64_t *key, size_t n, size_t size, uint64_t value)
{
	size_t low = 0, high = n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (*(const uint64_t *)((const char *)key + mid * size) <= value)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

#endif
