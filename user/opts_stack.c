// SPDX-License-Identifier: GPL-2.0-or-later
/* Which stacks events have. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* "dwarf", "dwarf,BYTES": whole words of the stack. */
static int dwarf(struct opts *o, const char *arg, struct fault *f)
{
	const char *number = arg + strlen("dwarf");
	unsigned long v = STACK_COPY;
	char *end = NULL;

	errno = 0;
	if (*number)
		v = strtoul(number + 1, &end, 10);
	if (errno || (end && (end == number + 1 || *end)) || v < 8 || v > KTR_STACK_COPY_MAX)
		return fault_set(f, ST_USAGE, "invalid --stack-traces argument: '%s': use dwarf,8 to dwarf,%d bytes",
				 arg, KTR_STACK_COPY_MAX);
	o->sel.stack.user = 0;
	o->sel.stack.copy = v & ~7ul;
	return 0;
}

/* strace's -k, and how many; or by the files' own tables. */
int set_ustack(struct opts *o, const char *arg, struct fault *f)
{
	if (arg && !strncmp(arg, "dwarf", 5) && (!arg[5] || arg[5] == ','))
		return dwarf(o, arg, f);
	o->sel.stack.copy = 0;
	return frames("--stack-traces", arg, &o->sel.stack.user, f);
}

int set_kstack(struct opts *o, const char *arg, struct fault *f)
{
	return frames("--kstack", arg, &o->sel.stack.kernel, f);
}
