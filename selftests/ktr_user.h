/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other users: becoming one, programs with rights of their own, passing descriptors. */
#ifndef _KTR_USER_H
#define _KTR_USER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include "ktr_session.h"

#define KTR_NOBODY	65534
#define KTR_SOMEBODY	65533

/* In a function that returns 0 if all is well: says what is not. */
#define KTR_WANT(condition) do {						\
	if (!(condition)) {							\
		fprintf(stderr, "# %s:%d: not so: %s (errno %d)\n", __FILE__,	\
			__LINE__, #condition, errno);				\
		return 1;							\
	}									\
} while (0)

/* Become that user, with just @caps; programs stay open to him. 0 or -errno. */
int ktr_user_become(uid_t uid, __u64 caps);
/* Run @fn in a child that is him. Return: what @fn returns, 255: it was killed. */
int ktr_user_run(uid_t uid, __u64 caps, int (*fn)(void *arg), void *arg);

/* Over a UNIX socket. The second returns the descriptor, or -1. */
int ktr_user_send_fd(int sock, int fd);
int ktr_user_receive_fd(int sock);

/*
 * A copy of the running program, owned by root with that @mode, that does
 * nothing but ktr_user_act(): calls that nobody else makes, and exits with
 * KTR_ACT_ROOT if its effective user is root, else KTR_ACT_PLAIN.
 */
int ktr_user_program(char *path, size_t size, mode_t mode);
/* Execute it; does not return 0. */
int ktr_user_exec(const char *path);

#define KTR_ACT_ROOT	42
#define KTR_ACT_PLAIN	43
#define KTR_ACT_CALL	SYS_getpgid	/* that it makes, with this argument: */
#define KTR_ACT_ARG	0x5ec2e7
#define KTR_ACT_CALLS	20
/* How many of these calls the session recorded, in any thread. */
int ktr_user_acts_seen(const struct ktr_session *s);

#endif
