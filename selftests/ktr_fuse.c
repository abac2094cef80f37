// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ktr_fuse.h"

#define NODE	2
#define ROOM	(1 << 18)
#define WRITE_MAX	(1 << 16)

struct disk {
	int fd;
	unsigned int flags;
	__u64 limit, size;
};

static int answer(const struct disk *d, const struct fuse_in_header *in, int err, const void *p,
		  size_t n)
{
	struct fuse_out_header out = { .len = sizeof(out) + n, .error = -err, .unique = in->unique };
	struct iovec v[] = { { &out, sizeof(out) }, { (void *)p, n } };

	return writev(d->fd, v, 2);
}

static struct fuse_attr attributes(const struct disk *d, __u64 node)
{
	return (struct fuse_attr){
		.ino = node, .nlink = 1, .blksize = 4096,
		.size = node == NODE ? d->size : 0,
		.mode = node == NODE ? S_IFREG | 0600 : S_IFDIR | 0755,
	};
}

static int begin(const struct disk *d, const struct fuse_in_header *in, const void *arg)
{
	const struct fuse_init_in *asked = arg;
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = asked->max_readahead, .max_write = WRITE_MAX,
		.flags = FUSE_BIG_WRITES, .max_background = 8, .congestion_threshold = 6,
	};

	if (d->flags & KTR_FUSE_LATE)
		out.flags |= FUSE_WRITEBACK_CACHE;
	return answer(d, in, 0, &out, sizeof(out));
}

static int look_up(const struct disk *d, const struct fuse_in_header *in, const char *name)
{
	struct fuse_entry_out out = { .nodeid = NODE, .attr = attributes(d, NODE) };

	if (strcmp(name, "file"))
		return answer(d, in, ENOENT, NULL, 0);
	return answer(d, in, 0, &out, sizeof(out));
}

static int tell(const struct disk *d, const struct fuse_in_header *in)
{
	struct fuse_attr_out out = { .attr = attributes(d, in->nodeid) };

	return answer(d, in, 0, &out, sizeof(out));
}

static int take(struct disk *d, const struct fuse_in_header *in, const void *arg)
{
	const struct fuse_write_in *w = arg;
	struct fuse_write_out out = { .size = w->size };

	if (w->offset + w->size > d->limit)
		return d->flags & KTR_FUSE_HANG ? 0 :
		       answer(d, in, d->flags & KTR_FUSE_FULL ? ENOSPC : EIO, NULL, 0);
	if (w->offset + w->size > d->size)
		d->size = w->offset + w->size;
	return answer(d, in, 0, &out, sizeof(out));
}

static int serve_one(struct disk *d, const struct fuse_in_header *in, const void *arg)
{
	struct fuse_open_out opened = { 0 };

	switch (in->opcode) {
	case FUSE_INIT:
		return begin(d, in, arg);
	case FUSE_LOOKUP:
		return look_up(d, in, arg);
	case FUSE_GETATTR:
	case FUSE_SETATTR:
		return tell(d, in);
	case FUSE_OPEN:
		return answer(d, in, 0, &opened, sizeof(opened));
	case FUSE_WRITE:
		return take(d, in, arg);
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		return answer(d, in, 0, NULL, 0);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return 0;
	/* A page that is written in part, if it is not in the cache any more. */
	case FUSE_READ:
		return answer(d, in, EIO, NULL, 0);
	default:
		return answer(d, in, ENOSYS, NULL, 0);
	}
}

static void serve(struct disk *d)
{
	struct fuse_in_header *in = malloc(ROOM);

	while (read(d->fd, in, ROOM) > 0 || errno == EINTR || errno == ENOENT)
		serve_one(d, in, in + 1);
	_exit(0);
}

pid_t ktr_fuse_mount(const char *dir, __u64 limit, unsigned int flags)
{
	struct disk d = { .limit = limit, .flags = flags };
	char options[100];
	pid_t server;
	int err;

	d.fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (d.fd < 0 && errno == ENOENT && !system("modprobe -q fuse 2>/dev/null"))
		d.fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (d.fd < 0)
		return -ENODEV;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%d,group_id=%d", d.fd,
		 getuid(), getgid());
	err = mount("ktr", dir, "fuse", MS_NOSUID | MS_NODEV, options) ? -errno : 0;
	server = err ?: fork();
	if (!server)
		serve(&d);
	close(d.fd);
	return server;
}

void ktr_fuse_end(pid_t server, const char *dir)
{
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	umount2(dir, MNT_DETACH);
}
