/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session that the module writes to a file in a folder of its own. */
#ifndef WRITER_FIXTURE_H
#define WRITER_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ktr_found.h"
#include "ktr_fuse.h"
#include "ktr_module.h"
#include "ktr_test.h"
#include "ktracer_file.h"

FIXTURE(writer) {
	struct ktr_session s;
	struct ktr_child child;
	char dir[32], path[64];
	int fd;
	bool mounted;
	pid_t fuse;		/* who serves the mounted file system, 0: nobody */
};

FIXTURE_SETUP(writer)
{
	KTR_NEED_MODULE();
	self->s.fd = -1;
	self->s.client.fd = -1;
	strcpy(self->dir, "/tmp/writer.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->path, sizeof(self->path), "%s/file", self->dir);
	self->fd = open(self->path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	ASSERT_LE(0, self->fd);
}

/* Also what it could not write, if that ends only now. */
static inline bool nothing_is_left(struct ktr_session *s)
{
	struct ktr_client c;
	struct ktr_listed l = { .id = s->id };
	struct ktr_msg m;
	bool none;

	if (ktr_client_open(&c))
		return true;
	ktr_session_msg(s, &m, KTR_CMD_SESSION_DEL);
	ktr_client_call(&c, &m, NULL);
	none = !ktr_session_listed(&c, &l) && !l.n;
	ktr_client_close(&c);
	return none;
}

FIXTURE_TEARDOWN(writer)
{
	struct ktr_session was = self->s;

	/* First: all who wait for it go on. */
	if (self->fuse > 0)
		ktr_fuse_end(self->fuse, self->dir);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
	if (was.id)
		EXPECT_TRUE(ktr_wait_for(nothing_is_left(&was)));
	if (self->fd >= 0)
		close(self->fd);
	unlink(self->path);
	if (self->mounted)
		umount(self->dir);
	rmdir(self->dir);
}

static inline int give(struct ktr_session *s, int fd)
{
	struct ktr_msg m;

	ktr_session_msg(s, &m, KTR_CMD_FILE);
	ktr_msg_u32(&m, KTR_A_FD, fd);
	return ktr_client_call(&s->client, &m, NULL);
}

static inline int begin(FIXTURE_DATA(writer) *self, __u32 flags, __u64 size)
{
	struct ktr_setup setup = {
		.name = "written", .flags = flags, .buf_size = size,
	};
	const int calls[] = { SYS_getppid, -1 };
	int ret = ktr_session_new(&self->s, &setup);

	return ret ?: ktr_session_calls(&self->s, calls) ?:
	       ktr_session_start(&self->s, KTR_BIT(syscall));
}

static inline int make_calls(void *n)
{
	long i;

	for (i = 0; i < (long)n; i++)
		syscall(SYS_getppid);
	return 0;
}

static inline bool session_is_gone(struct ktr_session *s)
{
	struct ktr_answer a;

	return ktr_session_get(s, &a) == -ENOENT;
}

#endif
