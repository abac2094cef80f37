/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command to be traced: started, but held until the tracer is ready. */
#ifndef KTR_CHILD_H
#define KTR_CHILD_H

#include <limits.h>
#include <signal.h>
#include <sys/types.h>

#include "fault.h"

struct child {
	pid_t pid;		/* 0: none */
	int go;			/* to let it go */
	unsigned int daemon;	/* not 0: it is not our child, we are its */
	const char *user;	/* run it as, NULL: as we are */
	uid_t uid;
	gid_t gid;
	/* Shared with it: why its execve failed, 0 as long as it did not. */
	int *failed;
	char path[PATH_MAX];
};

/* Ignore signals of writes that fail, before all that follows; not so the command. */
void child_ignore(void);
/* Where the shell would find the command; one execve will do. */
int child_find(struct child *c, const char *name, struct fault *f);

/* -u: to be run as that user. */
int child_as(struct child *c, const char *user, struct fault *f);

/*
 * daemon 1 to 3: this process becomes the command, the caller goes on in a
 * grandchild of it; 2: in a process group of its own, 3: in a session.
 * env: VAR=VAL or VAR, set or taken away. mask: the signal mask it gets.
 */
int child_start(struct child *c, char *const argv[], const char *const *env,
		unsigned int nenv, const sigset_t *mask, struct fault *f);
void child_go(struct child *c);
/* One that was never let go ends without having run the command. */
void child_cancel(struct child *c);
/* Why the command could not be executed, once it has ended; 0: it could. */
int child_failed(const struct child *c);

/* As a shell tells it: 128 + n if killed by signal n. */
int child_status(int wstatus);

#endif
