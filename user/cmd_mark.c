// SPDX-License-Identifier: GPL-2.0-or-later
/* mark: bytes of the user's into the stream. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd.h"
#include "reader.h"
#include "setup.h"

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

static bool takes_marks(const struct ctl_session *s)
{
	return s->state == KTR_STATE_RUNNING && s->events & 1ULL << KTR_KIND_marker;
}

/* The module takes a mark for a session that drops it. */
static int check_session(struct ctl *ctl, const char *name, struct fault *f)
{
	struct ctl_session s;
	int err = ctl_session_get(ctl, (struct ctl_ref){ .name = name }, &s);

	if (err)
		return setup_fault(ctl, err, name, f);
	if (s.state != KTR_STATE_RUNNING)
		err = fault_set(f, ST_USAGE, "session %s is stopped, and takes no mark: `ktrctl start -s %s`",
				name, name);
	else if (!takes_marks(&s))
		err = fault_set(f, ST_USAGE, "session %s does not record marks: `ktrctl add-event marker -s %s`",
				name, name);
	ctl_session_free(&s);
	return err;
}

static bool traces_us(struct ctl *ctl, const struct ctl_session *s)
{
	struct ctl_ref ref = { .id = s->id };
	struct ctl_target *t;
	size_t i, n;

	if (!takes_marks(s) || ctl_target_list(ctl, ref, &t, &n))
		return false;
	for (i = 0; i < n && t[i].tid != (uint32_t)getpid(); i++)
		;
	free(t);
	return i < n;
}

/* As far as we may know: that root traces a plain user is not told to him. */
static bool is_traced(struct ctl *ctl)
{
	struct ctl_session *list;
	bool traced = false;
	size_t i, n;

	if (ctl_session_list(ctl, &list, &n))
		return true;
	for (i = 0; i < n && !traced; i++)
		traced = traces_us(ctl, &list[i]);
	ctl_session_list_free(list, n);
	return traced;
}

static int write_mark(int fd, const struct buf *b, struct fault *f)
{
	if (write(fd, b->p, b->len) == (ssize_t)b->len)
		return 0;
	if (errno == EPERM)
		return fault_set(f, ST_DENIED, "mark: not permitted: run as root or with CAP_PERFMON");
	return fault_set(f, ST_USAGE, "mark: %s", strerror(errno));
}

static int mark_session(struct ctl *ctl, int fd, const char *name, const struct buf *b,
			struct fault *f)
{
	return bind_to(fd, name, f) ?: check_session(ctl, name, f) ?: write_mark(fd, b, f);
}

/* A program that marks its own stream runs as well where nobody looks. */
static int mark_own(struct ctl *ctl, int fd, const struct buf *b, struct fault *f)
{
	int err = write_mark(fd, b, f);

	if (!err && !is_traced(ctl))
		cmd_message("mark: no session%s traces this process: the mark is nowhere: -s NAME marks a session",
			    ctl_plain(ctl) ? " of yours" : "");
	return err;
}

static int mark(const struct buf *b, const char *session, struct fault *f)
{
	struct ctl *ctl = NULL;
	int err, fd;

	if (!b->len)
		return fault_set(f, ST_USAGE, "mark: TEXT is empty: a mark has 1 to %d bytes",
				 KTR_MARK_MAX);
	if (b->len > KTR_MARK_MAX)
		return fault_set(f, ST_USAGE, "mark: too long: %zu bytes, at most %d can be written",
				 b->len, KTR_MARK_MAX);
	fd = reader_device(f);
	if (fd < 0)
		return fd;
	err = setup_open(&ctl, f);
	if (!err)
		err = session ? mark_session(ctl, fd, session, b, f) : mark_own(ctl, fd, b, f);
	ctl_close(ctl);
	close(fd);
	return err;
}

int cmd_mark(const struct command *cmd, struct opts *o)
{
	struct fault f;
	struct buf b;
	int i, err;

	(void)cmd;
	buf_init(&b);
	for (i = 0; i < o->argc; i++) {
		if (i)
			buf_putc(&b, ' ');
		buf_puts(&b, o->argv[i]);
	}
	err = mark(&b, o->session, &f);
	buf_free(&b);
	return err ? cmd_fail(&f) : ST_OK;
}
