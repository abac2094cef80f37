// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sink.h"

#define EASE_BYTES 65536

void sink_init(struct sink *s, int fd)
{
	memset(s, 0, sizeof(*s));
	s->fd = fd;
	buf_init(&s->b);
}

static int open_pipe(struct sink *s, const char *command, struct fault *f)
{
	s->pipe = popen(command, "we");
	if (!s->pipe)
		return fault_set(f, ST_USAGE, "cannot run %s: %s", command,
				 strerror(errno));
	s->fd = fileno(s->pipe);
	return 0;
}

int sink_open(struct sink *s, const char *path, bool append, struct fault *f)
{
	sink_init(s, -1);
	if (path[0] == '|' || path[0] == '!')
		return open_pipe(s, path + 1, f);
	if (!strcmp(path, "-")) {
		s->fd = STDOUT_FILENO;
		return 0;
	}
	s->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC |
		     (append ? O_APPEND : O_TRUNC), 0666);
	if (s->fd < 0)
		return fault_set(f, ST_USAGE, "Can't fopen '%s': %s", path,
				 strerror(errno));
	s->own_fd = true;
	return 0;
}

int sink_look(const char *prefix, struct fault *f)
{
	const char *slash = strrchr(prefix, '/');
	int len = slash ? slash - prefix : 0, err = 0;
	char *dir;

	if (asprintf(&dir, "%.*s/.", slash ? len : 1, slash ? prefix : ".") < 0)
		return fault_set(f, ST_USAGE, "out of memory");
	if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS))
		err = fault_set(f, ST_USAGE, "Can't fopen '%s.PID': %s", prefix,
				strerror(errno));
	free(dir);
	return err;
}

/* Somebody else may have made our terminal or pipe non-blocking. */
static void wait_writable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	poll(&p, 1, -1);
}

int sink_flush(struct sink *s)
{
	size_t done = 0;
	ssize_t n;

	sink_col(s);
	while (done < s->b.len && !s->error) {
		n = write(s->fd, s->b.p + done, s->b.len - done);
		if (n > 0)
			done += n;
		else if (n < 0 && errno == EAGAIN)
			wait_writable(s->fd);
		else if (n < 0 && errno != EINTR)
			s->error = errno;
	}
	buf_reset(&s->b);
	s->mark = 0;
	return -s->error;
}

int sink_ease(struct sink *s)
{
	return s->b.len < EASE_BYTES ? -s->error : sink_flush(s);
}

int sink_end_pipe(struct sink *s)
{
	int status;

	if (!s->pipe)
		return 0;
	sink_flush(s);
	status = pclose(s->pipe);
	s->pipe = NULL;
	s->fd = -1;
	return status > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

void sink_close(struct sink *s)
{
	if (s->pipe)
		sink_end_pipe(s);
	else if (s->fd >= 0)
		sink_flush(s);
	if (s->own_fd)
		close(s->fd);
	buf_free(&s->b);
	s->fd = -1;
	s->own_fd = false;
}

size_t sink_col(struct sink *s)
{
	if (s->col)
		s->col += s->b.len - s->mark;
	s->mark = s->b.len;
	return s->col ? s->col - 1 : 0;
}

/* col is one more than the width, so that an empty line is one. */
void sink_begin_line(struct sink *s, uint32_t tid)
{
	s->mark = s->b.len;
	s->col = 1;
	s->tid = tid;
}

void sink_end_line(struct sink *s)
{
	buf_putc(&s->b, '\n');
	s->mark = s->b.len;
	s->col = 0;
	s->lines++;
}
