// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grow.h"

#define LOOK_MS 100

struct grow {
	int fd;
	bool *cut;
	void (*idle)(void *arg);
	void *arg;
};

/* Shorter than what was read of it. */
static bool is_cut(int fd)
{
	off_t at = lseek(fd, 0, SEEK_CUR);
	struct stat st;

	return at > 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size < at;
}

static ssize_t grow_read(void *cookie, char *to, size_t n)
{
	struct grow *g = cookie;
	ssize_t got;

	while (!*g->cut) {
		got = read(g->fd, to, n);
		if (got > 0 || (got < 0 && errno != EINTR))
			return got;
		*g->cut = is_cut(g->fd);
		g->idle(g->arg);
		if (!*g->cut)
			poll(NULL, 0, LOOK_MS);
	}
	return 0;
}

static int grow_close(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *grow_stream(int fd, bool *cut, void (*idle)(void *arg), void *arg)
{
	const cookie_io_functions_t io = { .read = grow_read, .close = grow_close };
	struct grow *g = malloc(sizeof(*g));
	FILE *file;

	if (!g)
		return NULL;
	*g = (struct grow){ .fd = fd, .cut = cut, .idle = idle, .arg = arg };
	*cut = false;
	lseek(fd, 0, SEEK_SET);
	file = fopencookie(g, "r", io);
	if (!file)
		free(g);
	return file;
}
