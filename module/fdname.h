/* SPDX-License-Identifier: GPL-2.0-only */
/* What descriptors of the running task refer to. */
#ifndef _KTR_FDNAME_H
#define _KTR_FDNAME_H

#include <linux/types.h>
#include "../uapi/ktracer.h"

/* The most that stands in front of a name. */
#define KTR_FDNAME_HEAD (sizeof(struct ktr_fd) + sizeof(struct ktr_fd_sock))

/**
 * ktr_fdname() - describe a descriptor, or KTR_FD_CWD
 * @fd: number in the running task
 * @dst: where struct ktr_fd and what follows it go, aligned to 8
 * @max: bytes of the name; at @dst there is room for KTR_FDNAME_HEAD more
 *
 * A name that does not fit is left out and that is flagged.
 *
 * Context: the task itself at entry or exit of a syscall: it holds no lock.
 * Preemption may be off; nothing here sleeps.
 * Return: bytes written.
 */
u32 ktr_fdname(int fd, void *dst, u32 max);

/* Of what kind its I/O is. The same context. */
enum ktr_io_kind ktr_fd_io_kind(int fd);

#endif
