/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many of the bytes that calls transfer are kept: --io-limit. */
#ifndef KTR_IOLIMIT_H
#define KTR_IOLIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "ktracer.h"

#define IO_UNSET	UINT32_MAX
#define IO_MAX		(KTR_CAP_MAX / 2)	/* the rest is for what else a call has */

struct io_limits {
	uint32_t all;			/* of kinds that have none of their own */
	uint32_t kind[__KTR_IO_LAST];	/* by enum ktr_io_kind */
};

#define IO_LIMITS_NONE { IO_UNSET, { IO_UNSET, IO_UNSET, IO_UNSET, IO_UNSET, \
				     IO_UNSET, IO_UNSET } }

bool io_has_kinds(const struct io_limits *io);

/* "4096", "socket=4096,file=0", both. */
int io_limits_parse(struct io_limits *io, const char *text, struct fault *f);

#endif
