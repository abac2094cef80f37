// SPDX-License-Identifier: GPL-2.0-or-later
/* Who made a process. */
#include <stdio.h>
#include <string.h>
#include "parent.h"

uint32_t parent_of(uint32_t pid)
{
	char path[40], line[512], *end;
	uint32_t parent = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	in = fopen(path, "re");
	if (!in)
		return 0;
	/* The name may hold anything; behind it there is no other parenthesis. */
	end = fgets(line, sizeof(line), in) ? strrchr(line, ')') : NULL;
	if (!end || sscanf(end + 1, " %*c %u", &parent) != 1)
		parent = 0;
	fclose(in);
	return parent;
}
