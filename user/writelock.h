/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who writes a capture file holds a lock of its open file description
 * (F_OFD_SETLK, fcntl(2)). It is gone when nobody has that description any more,
 * the module included, which writes on when the process has ended.
 */
#ifndef KTR_WRITELOCK_H
#define KTR_WRITELOCK_H

#include <stdbool.h>

/*
 * @fd is open for writing. 0 also where the file system has no locks; -EAGAIN:
 * another writes the file; -EDEADLK: nobody does, but one who may read it has locked
 * it against writing.
 */
int writelock_take(int fd);

/* A lock that only who may write can have. */
bool writelock_held(int fd);

/* Wait until it is not, for some moments at most: a trace may have no end. */
bool writelock_held_on(int fd);

#endif
