/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes to be traced: made, held back until attached, let go, waited for. */
#ifndef _KTR_CHILD_H
#define _KTR_CHILD_H

#include <stdbool.h>
#include <sys/types.h>
#include "ktr_session.h"

struct ktr_child {
	pid_t pid;
	int go;		/* pipe; -1: the child runs */
};

/*
 * A child that sleeps in a read() until it is let go, then calls @fn and
 * exits with what that returns. Return: 0 or -errno.
 */
int ktr_child_start(struct ktr_child *c, int (*fn)(void *arg), void *arg);
/* The same, attached to @s with KTR_TARGET_F_* @flags while it sleeps. */
int ktr_child_traced(struct ktr_child *c, struct ktr_session *s, __u32 flags,
		     int (*fn)(void *arg), void *arg);
void ktr_child_go(struct ktr_child *c);
/* Wait for its end. Return: as wait4 tells it, or -errno. */
int ktr_child_wait(struct ktr_child *c);
/* Both of them. */
int ktr_child_run(struct ktr_child *c);
/* Whatever it does: end it and wait. */
void ktr_child_kill(struct ktr_child *c);

/* For the above; @arg: a pipe. Sleeps inside do_sys_poll until there is something in it. */
int ktr_sleep_in_poll(void *arg);
/* The same, done by so many children. Both return 0 if all went well. */
#define KTR_MANY 500
int ktr_many_sleep(void *arg);

/* State letter of a task as /proc shows it, 0 if it is not there. */
char ktr_task_state(pid_t tid);
/* Wait until it sleeps in call number @nr (-1: in any). */
bool ktr_task_sleeps(pid_t tid, int nr);

#endif
