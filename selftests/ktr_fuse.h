/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file system with one file, named "file", whose disk this process makes fail, or
 * wait for ever.
 */
#ifndef _KTR_FUSE_H
#define _KTR_FUSE_H

#include <linux/types.h>
#include <sys/types.h>

#define KTR_FUSE_LATE	(1u << 0)	/* it is written later than write() */
#define KTR_FUSE_HANG	(1u << 1)	/* writes that go too far are not answered */
#define KTR_FUSE_FULL	(1u << 2)	/* they are ENOSPC, and not EIO */

/*
 * Mounted at @dir, and served by a child until that is killed. What is written behind
 * @limit bytes is EIO, if @flags do not say otherwise. Return: the child; -ENODEV: no FUSE here; another -errno.
 */
pid_t ktr_fuse_mount(const char *dir, __u64 limit, unsigned int flags);
/* It ends, and is no longer mounted. */
void ktr_fuse_end(pid_t server, const char *dir);

#endif
