/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that somebody is still writing, as a stream that has no end. */
#ifndef KTR_GROW_H
#define KTR_GROW_H

#include <stdbool.h>
#include <stdio.h>

/*
 * From its beginning. At the end of what there is a read waits for more, for ever; before
 * it waits, @idle is called with @arg. When the file has become shorter than what was
 * read, @cut is set and the stream ends: another may be made then. @fd stays the
 * caller's. NULL: no memory.
 */
FILE *grow_stream(int fd, bool *cut, void (*idle)(void *arg), void *arg);

#endif
