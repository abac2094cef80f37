// SPDX-License-Identifier: GPL-2.0-or-later
/* mark: bytes of the user's into the stream. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd.h"
#include "reader.h"

static int bind_to(int fd, const char *name, struct fault *f)
{
	struct ktr_bind b = { .size = sizeof(b), .flags = KTR_BIND_F_MARK };

	strncpy(b.name, name, sizeof(b.name) - 1);
	if (!ioctl(fd, KTR_IOC_BIND, &b))
		return 0;
	if (errno == ENOENT)
		return fault_set(f, ST_USAGE, "no session named %s: `ktrctl list` shows those there are",
				 name);
	return fault_set(f, errno == EPERM ? ST_DENIED : ST_USAGE,
			 "session %s: %s", name, strerror(errno));
}

static int write_mark(int fd, const struct buf *b, struct fault *f)
{
	if (write(fd, b->p, b->len) == (ssize_t)b->len)
		return 0;
	if (errno == EINVAL)
		return fault_set(f, ST_USAGE, "mark: too long: at most %d bytes",
				 KTR_MARK_MAX);
	if (errno == EPERM)
		return fault_set(f, ST_DENIED, "mark: not permitted: run as root or with CAP_PERFMON");
	return fault_set(f, ST_USAGE, "mark: %s", strerror(errno));
}

int cmd_mark(const struct command *cmd, struct opts *o)
{
	struct fault f;
	struct buf b;
	int i, err = 0, fd = reader_device(&f);

	(void)cmd;
	if (fd < 0)
		return cmd_fail(&f);
	buf_init(&b);
	for (i = 0; i < o->argc; i++) {
		if (i)
			buf_putc(&b, ' ');
		buf_puts(&b, o->argv[i]);
	}
	if (o->session)
		err = bind_to(fd, o->session, &f);
	if (!err)
		err = write_mark(fd, &b, &f);
	buf_free(&b);
	close(fd);
	return err ? cmd_fail(&f) : ST_OK;
}
