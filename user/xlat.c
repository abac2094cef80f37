// SPDX-License-Identifier: GPL-2.0-or-later
/* xlat.c - constants by name and back */
#include <string.h>
#include "xlat.h"

static const char *search(const struct xlat *x, int64_t value)
{
	unsigned int lo = 0, hi = x->n;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;
		int64_t v = x->items[mid].value;

		if (v == value)
			return x->items[mid].name;
		if (v < value)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const char *xlat_name(const struct xlat *x, uint64_t value)
{
	if (x->sorted)
		return search(x, value);
	for (unsigned int i = 0; i < x->n; i++)
		if (x->items[i].value == value)
			return x->items[i].name;
	return NULL;
}

bool xlat_value(const struct xlat *x, const char *name, uint64_t *value)
{
	for (unsigned int i = 0; i < x->n; i++)
		if (!strcmp(x->items[i].name, name)) {
			*value = x->items[i].value;
			return true;
		}
	return false;
}
