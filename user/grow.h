/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that somebody is still writing, as a stream that has no end. */
#ifndef KTR_GROW_H
#define KTR_GROW_H

#include <stdio.h>

/*
 * At its end a read waits for more, for ever; before it waits, @idle is called
 * with @arg. NULL and errno: it cannot be opened.
 */
FILE *grow_open(const char *path, void (*idle)(void *arg), void *arg);

#endif
