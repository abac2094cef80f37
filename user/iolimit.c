// SPDX-License-Identifier: GPL-2.0-or-later
/* How many of the bytes that calls transfer are kept: --io-limit. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "iolimit.h"

static const char *const names[__KTR_IO_LAST] = {
	[KTR_IO_FILE] = "file",	[KTR_IO_SOCKET] = "socket",
	[KTR_IO_PIPE] = "pipe",	[KTR_IO_CHAR] = "char",
	[KTR_IO_OTHER] = "other",	[KTR_IO_NETLINK] = "netlink",
};

bool io_has_kinds(const struct io_limits *io)
{
	for (unsigned int k = 0; k < __KTR_IO_LAST; k++)
		if (io->kind[k] != IO_UNSET)
			return true;
	return false;
}

static uint32_t *find(struct io_limits *io, const char *p, size_t n)
{
	for (unsigned int k = 0; k < __KTR_IO_LAST; k++)
		if (strlen(names[k]) == n && !memcmp(names[k], p, n))
			return &io->kind[k];
	return NULL;
}

int io_limits_parse(struct io_limits *io, const char *text, struct fault *f)
{
	const char *p = text;

	for (;;) {
		size_t n = strcspn(p, "=,");
		uint32_t *to = &io->all;
		unsigned long v;
		char *end;

		if (p[n] == '=') {
			to = find(io, p, n);
			p += n + 1;
		}
		if (!to)
			return fault_set(f, ST_USAGE, "--io-limit %s: use file, socket, netlink, pipe, char or other",
					 text);
		errno = 0;
		v = strtoul(p, &end, 10);
		if (errno || end == p || (*end && *end != ',') || *p == '-' ||
		    v > IO_MAX)
			return fault_set(f, ST_USAGE, "--io-limit %s: use numbers of bytes from 0 to %u",
					 text, IO_MAX);
		*to = v;
		if (!*end)
			return 0;
		p = end + 1;
	}
}
