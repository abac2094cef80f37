/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracer that is compared with, of the version whose texts ours are. */
#ifndef DECODE_STRACE_H
#define DECODE_STRACE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "../tap.h"

/* False: the case is skipped. */
static inline bool have_strace(void)
{
	char text[64] = "";
	FILE *p = popen("strace -V 2>/dev/null", "r");

	if (p) {
		if (!fgets(text, sizeof(text), p))
			text[0] = 0;
		pclose(p);
	}
	if (!strcmp(text, "strace -- version 6.1\n"))
		return true;
	tap_skip("needs strace 6.1");
	return false;
}

#endif
