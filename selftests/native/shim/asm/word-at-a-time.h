/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Zero bytes in a word, as little-endian machines with 8-byte words have them. */
#ifndef SHIM_ASM_WORD_AT_A_TIME_H
#define SHIM_ASM_WORD_AT_A_TIME_H

#include <stdbool.h>

struct word_at_a_time {
	unsigned long low, high;
};

#define WORD_AT_A_TIME_CONSTANTS \
	{ 0x0101010101010101ul, 0x8080808080808080ul }

static inline bool has_zero(unsigned long word, unsigned long *bits,
			    const struct word_at_a_time *c)
{
	*bits = (word - c->low) & ~word & c->high;
	return *bits;
}

#define prep_zero_mask(word, bits, c)	(bits)
#define create_zero_mask(bits)		(bits)

/* The lowest set bit is exact, those above it may not be. */
static inline unsigned long find_zero(unsigned long bits)
{
	return __builtin_ctzl(bits) / 8;
}

#endif
