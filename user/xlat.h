/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xlat.h - tables of constants by name, made by scripts/gen-consts */
#ifndef KTR_XLAT_H
#define KTR_XLAT_H

#include <stdbool.h>
#include <stdint.h>

struct xlat_item {
	uint64_t value;
	const char *name;
};

struct xlat {
	const struct xlat_item *items;
	unsigned int n;
	bool sorted;		/* an enum, by signed value; else flags, as printed */
	const char *unknown;	/* "O_???" */
	const struct xlat *head;	/* flags: an enum in the bits of mask, printed first */
	uint64_t mask;
	bool head_number;	/* an unknown head stays in front, as a number */
	bool head_split;	/* -X shows head and rest as two numbers */
	bool head_apart;	/* what follows the head is marked unknown on its own */
	const char *shift_name;	/* flags: upper bits are a number: n<<shift_name */
	unsigned int shift;
};

/* NULL: not there. */
const char *xlat_name(const struct xlat *x, uint64_t value);
bool xlat_value(const struct xlat *x, const char *name, uint64_t *value);

#endif
