/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors 0, 1 and 2, and what a command has printed there. */
#ifndef KTR_STDFDS_H
#define KTR_STDFDS_H

#include <stdbool.h>

/*
 * First of all: whichever of them is closed becomes /dev/null, so that nothing that is
 * opened later takes its place and gets text, or what the traced command writes.
 */
void stdfds_hold(void);

/* Is what was printed to stdout out? Return: errno; -1: nobody knows why not. */
int stdfds_flush(void);

#endif
