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
};

/* NULL: not there. */
const char *xlat_name(const struct xlat *x, uint64_t value);
bool xlat_value(const struct xlat *x, const char *name, uint64_t *value);

#endif
