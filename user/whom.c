// SPDX-License-Identifier: GPL-2.0-or-later
/* Many processes at once, by name. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ktracer.h"
#include "whom.h"

#define CGROUPS "/sys/fs/cgroup"

static int add(struct whomlist *l, unsigned int kind, uint32_t id, const char *form,
	       const char *text, struct fault *f)
{
	struct whom *v = realloc(l->v, (l->n + 1) * sizeof(*v));

	if (!v)
		return fault_set(f, ST_USAGE, "out of memory");
	l->v = v;
	v += l->n;
	v->kind = kind;
	v->id = id;
	if (asprintf(&v->what, form, text) < 0)
		return fault_set(f, ST_USAGE, "out of memory");
	l->n++;
	return 0;
}

/* Return: false where it is not a number up to max. */
static bool number(uint32_t *n, const char *text, unsigned long max)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	*n = value;
	return isdigit((unsigned char)*text) && !*end && !errno && value <= max;
}

int whom_group(struct whomlist *l, const char *text, struct fault *f)
{
	uint32_t id;

	if (!number(&id, text, INT32_MAX) || !id)
		return fault_set(f, ST_USAGE, "--pgid %s: use the number of a process group, as ps -o pgid shows it",
				 text);
	return add(l, KTR_TARGET_PGRP, id, "process group %s", text, f);
}

/* A name of digits is a name first, as everywhere. */
int whom_user(struct whomlist *l, const char *text, struct fault *f)
{
	const struct passwd *pw = getpwnam(text);
	uint32_t id;

	if (pw)
		id = pw->pw_uid;
	else if (!number(&id, text, UINT32_MAX - 1))
		return fault_set(f, ST_USAGE, "--uid %s: no such user", text);
	return add(l, KTR_TARGET_UID, id, "user %s", text, f);
}

static int open_cgroup(const char *text)
{
	int fd = open(text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *path;

	if (fd >= 0 || errno != ENOENT)
		return fd;
	if (asprintf(&path, CGROUPS "/%s", text) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(path);
	return fd;
}

int whom_cgroup(struct whomlist *l, const char *text, struct fault *f)
{
	int fd = open_cgroup(text), err;

	if (fd < 0)
		return fault_set(f, ST_USAGE, "--cgroup %s: %s: give the directory of a cgroup, such as %s/system.slice",
				 text, strerror(errno), CGROUPS);
	err = add(l, KTR_TARGET_CGROUP, fd, "cgroup %s", text, f);
	if (err)
		close(fd);
	return err;
}

int whom_all(struct whomlist *l, struct fault *f)
{
	return add(l, KTR_TARGET_ALL, 0, "%s", "all tasks", f);
}

void whom_free(struct whomlist *l)
{
	while (l->n) {
		struct whom *w = &l->v[--l->n];

		if (w->kind == KTR_TARGET_CGROUP)
			close(w->id);
		free(w->what);
	}
	free(l->v);
	l->v = NULL;
}
