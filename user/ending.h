/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals that end a command. Who changes something in steps holds them meanwhile, looks
 * for them between the steps, and takes back what it did.
 */
#ifndef KTR_ENDING_H
#define KTR_ENDING_H

#include <signal.h>
#include "fault.h"

/* To look is a system call: each so many lines of a file. */
#define ENDING_LINES 4096

/* Until released they wait; then the command dies of the one that did. */
void ending_hold(sigset_t *old);
void ending_release(const sigset_t *old);

/* The first of them that waits; 0: none, or they are not held. */
int ending_signal(void);
/* 0, or -EINVAL with the fault that says @what was interrupted. */
int ending_fault(const char *what, struct fault *f);

#endif
