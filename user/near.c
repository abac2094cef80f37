// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "near.h"

unsigned int near_distance(const char *a, const char *b, unsigned int most)
{
	size_t la = strlen(a), lb = strlen(b), i, j;
	unsigned int row[64], prev, old, best;

	if (lb >= 64 || la >= 64 || (la > lb ? la - lb : lb - la) > most)
		return most + 1;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		prev = row[0];
		best = row[0] = i;
		for (j = 1; j <= lb; j++) {
			old = row[j];
			row[j] = prev + (a[i - 1] != b[j - 1]);
			if (old + 1 < row[j])
				row[j] = old + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			prev = old;
			if (row[j] < best)
				best = row[j];
		}
		if (best > most)
			return most + 1;
	}
	return row[lb];
}
