// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets that have to do with descriptors, as options spell them. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fdset.h"
#include "view.h"

static const struct {
	const char *name;
	unsigned int bits;
} kinds[] = {
	{ "path", VIEW_FD_PATH }, { "socket", VIEW_FD_SOCKET },
	{ "dev", VIEW_FD_DEV }, { "pidfd", VIEW_FD_PIDFD },
	{ "all", VIEW_FD_ALL }, { "none", 0 },
};

int fdkinds_parse(unsigned int *out, const char *set, struct fault *f)
{
	const char *p = set + (*set == '!');
	bool list = strchr(p, ',');
	unsigned int found = 0;
	size_t i, n;

	for (;; p += n + 1) {
		n = strcspn(p, ",");
		for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (strlen(kinds[i].name) == n &&
			    !memcmp(kinds[i].name, p, n))
				break;
		if (i == sizeof(kinds) / sizeof(kinds[0]))
			return fault_set(f, ST_USAGE, "invalid decode-fds '%.*s': use path, socket, dev, pidfd, all or none",
					 (int)n, p);
		if (list && (!kinds[i].bits || kinds[i].bits == VIEW_FD_ALL))
			return fault_set(f, ST_USAGE, "invalid decode-fds '%s': it stands alone",
					 kinds[i].name);
		found |= kinds[i].bits;
		if (!p[n])
			break;
	}
	*out = *set == '!' ? VIEW_FD_ALL & ~found : found;
	return 0;
}

int fdset_parse(struct fdset *s, const char *text, struct fault *f)
{
	const char *p = text + (*text == '!');

	*s = (struct fdset){ .others = *text == '!' };
	if (!strcmp(p, "all") || !strcmp(p, "none")) {
		s->others ^= !strcmp(p, "all");
		return 0;
	}
	for (;;) {
		unsigned long v;
		char *end;

		/* Nothing between commas is nothing, if there is anything. */
		while (*p == ',' && (p[1] || s->n))
			p++;
		if (!*p && s->n)
			return 0;
		errno = 0;
		v = strtoul(p, &end, 10);
		if (errno || end == p || (*end && *end != ',') || *p == '-' ||
		    v > INT_MAX || s->n == FDSET_MAX)
			return fault_set(f, ST_USAGE, "invalid descriptor '%.*s': use at most %d numbers, all or none",
					 (int)strcspn(p, ","), p, FDSET_MAX);
		s->fd[s->n++] = v;
		if (!*end)
			return 0;
		p = end + 1;
	}
}

bool fdset_any(const struct fdset *s)
{
	return s->others || s->n;
}

bool fdset_has(const struct fdset *s, int fd)
{
	for (unsigned int i = 0; i < s->n; i++)
		if (s->fd[i] == fd)
			return !s->others;
	return s->others && fd >= 0;
}
