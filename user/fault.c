// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "fault.h"

int fault_set(struct fault *f, int status, const char *fmt, ...)
{
	va_list ap;

	f->status = status;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return -EINVAL;
}
