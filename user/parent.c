// SPDX-License-Identifier: GPL-2.0-or-later
/* Who made a process, and whether there is more of it than its end. */
#include <stdio.h>
#include <string.h>
#include "parent.h"

/* False: there is no such process. */
static bool look(uint32_t pid, char *state, uint32_t *parent)
{
	char path[40], line[512], *end;
	bool found;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	in = fopen(path, "re");
	if (!in)
		return false;
	/* The name may hold anything; behind it there is no other parenthesis. */
	end = fgets(line, sizeof(line), in) ? strrchr(line, ')') : NULL;
	found = end && sscanf(end + 1, " %c %u", state, parent) == 2;
	fclose(in);
	return found;
}

uint32_t parent_of(uint32_t pid)
{
	uint32_t parent;
	char state;

	return look(pid, &state, &parent) ? parent : 0;
}

bool is_zombie(uint32_t pid)
{
	uint32_t parent;
	char state;

	return look(pid, &state, &parent) && state == 'Z';
}
