// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "grow.h"

#define LOOK_MS 100

struct grow {
	int fd;
	void (*idle)(void *arg);
	void *arg;
};

static ssize_t grow_read(void *cookie, char *to, size_t n)
{
	struct grow *g = cookie;
	ssize_t got;

	for (;;) {
		got = read(g->fd, to, n);
		if (got > 0 || (got < 0 && errno != EINTR))
			return got;
		g->idle(g->arg);
		poll(NULL, 0, LOOK_MS);
	}
}

static int grow_close(void *cookie)
{
	struct grow *g = cookie;
	int ret = close(g->fd);

	free(g);
	return ret;
}

FILE *grow_open(const char *path, void (*idle)(void *arg), void *arg)
{
	const cookie_io_functions_t io = { .read = grow_read, .close = grow_close };
	struct grow *g = malloc(sizeof(*g));
	FILE *file;

	if (!g)
		return NULL;
	*g = (struct grow){ .idle = idle, .arg = arg };
	g->fd = open(path, O_RDONLY | O_CLOEXEC);
	file = g->fd < 0 ? NULL : fopencookie(g, "r", io);
	if (file)
		return file;
	if (g->fd >= 0)
		close(g->fd);
	free(g);
	return NULL;
}
