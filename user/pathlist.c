// SPDX-License-Identifier: GPL-2.0-or-later
/* The paths of -P, as the module takes them. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ktracer.h"
#include "pathlist.h"

int pathlist_add(struct pathlist *l, const char *path, struct fault *f)
{
	size_t n = strlen(path) + 1;
	char *p;

	if (n == 1)
		return fault_set(f, ST_USAGE, "-P: the path is empty");
	if (l->n == KTR_PATHS_MAX || l->len + n > KTR_PATHS_BYTES_MAX)
		return fault_set(f, ST_USAGE, "-P: more than %d paths, or %d bytes of them; links count with what they lead to",
				 KTR_PATHS_MAX, KTR_PATHS_BYTES_MAX);
	p = realloc(l->text, l->len + n);
	if (!p)
		return fault_set(f, ST_USAGE, "out of memory");
	memcpy(p + l->len, path, n);
	l->text = p;
	l->len += n;
	l->n++;
	return 0;
}

/* With its slash at the end, if the path had one. */
static bool resolve(const char *path, char to[PATH_MAX + 2])
{
	char *end;

	if (!realpath(path, to))
		return false;
	end = to + strlen(to);
	if (path[strlen(path) - 1] == '/' && end[-1] != '/')
		memcpy(end, "/", 2);
	return strcmp(path, to) != 0;
}

int pathlist_resolve(struct pathlist *l,
		     void (*said)(const char *path, const char *resolved),
		     struct fault *f)
{
	char real[PATH_MAX + 2], given[PATH_MAX + 2];
	unsigned int i, n = l->n;
	size_t at = 0;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		size_t len = strlen(l->text + at);

		if (len <= PATH_MAX && resolve(l->text + at, real)) {
			memcpy(given, l->text + at, len + 1);
			said(given, real);
			err = pathlist_add(l, real, f);
		}
		at += len + 1;
	}
	return err;
}
