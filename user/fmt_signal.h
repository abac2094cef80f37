/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fmt_signal.h - signals and error numbers by name, siginfo */
#ifndef KTR_FMT_SIGNAL_H
#define KTR_FMT_SIGNAL_H

#include <stddef.h>
#include "buf.h"
#include "view.h"

/* "SIGINT"; "SIGRT_5" for real-time ones; else the number, written to tmp. */
const char *sig_name(int sig, char tmp[16]);
/* "SIGINT", "INT", "int", "2"; numbers up to 255 as they are; -1: none */
int sig_number(const char *name);

/* "ENOENT"; also the kernel's restart codes; else the number, in tmp. */
const char *errno_name(int err, char tmp[16]);
int errno_number(const char *name);	/* -1: none */

/*
 * `{si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=3, ...}` as strace prints it;
 * info: the first len bytes of a native siginfo_t.
 */
void fmt_siginfo(struct buf *b, const struct view *v, const void *info,
		 size_t len);
/* The same as a JSON object with its braces. */
void json_siginfo(struct buf *b, const struct view *v, const void *info,
		  size_t len);
/* `SI_USER`, `CLD_EXITED`: what si_code means with that signal. */
void fmt_sigcode(struct buf *b, int sig, int code);

#endif
