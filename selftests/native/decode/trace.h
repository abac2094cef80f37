/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.h - a small strace on ptrace that prints with our decoder */
#ifndef NATIVE_DECODE_TRACE_H
#define NATIVE_DECODE_TRACE_H

#include <stdbool.h>
#include "view.h"

struct trace {
	const char *prefix;	/* a file per process, PREFIX.pid, as strace -ff */
	struct view view;
	bool quiet;		/* its input and output are /dev/null */
	bool json;		/* an object a line, nothing but syscalls */
	bool pretend;		/* no call but exec and exit takes place: */
	long result;		/* each has this result */
};

/* Runs a command to its end; -1: it could not be traced. */
int trace_run(const struct trace *how, char *const argv[]);

#endif
