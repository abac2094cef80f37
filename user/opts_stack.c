// SPDX-License-Identifier: GPL-2.0-or-later
/* Which stacks events have. */
#include <errno.h>
#include <stdlib.h>

#include "opts_table.h"

static int frames(const char *option, const char *arg, unsigned int *n, struct fault *f)
{
	unsigned long v = STACK_FRAMES;
	char *end = NULL;

	errno = 0;
	if (arg)
		v = strtoul(arg, &end, 10);
	if (errno || (arg && (end == arg || *end)) || !v || v > KTR_STACK_FRAMES_MAX)
		return fault_set(f, ST_USAGE, "invalid %s argument: '%s': use 1 to %d frames",
				 option, arg, KTR_STACK_FRAMES_MAX);
	*n = v;
	return 0;
}

/* strace's -k, and how many. */
int set_ustack(struct opts *o, const char *arg, struct fault *f)
{
	return frames("--stack-traces", arg, &o->sel.stack.user, f);
}

int set_kstack(struct opts *o, const char *arg, struct fault *f)
{
	return frames("--kstack", arg, &o->sel.stack.kernel, f);
}
