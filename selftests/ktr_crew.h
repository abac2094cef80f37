/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process with threads that wait, and do a known number of calls when told. */
#ifndef _KTR_CREW_H
#define _KTR_CREW_H

#include <stdbool.h>
#include <sys/types.h>

#define KTR_CREW_MAX	8

struct ktr_crew_board;

struct ktr_crew {
	pid_t pid;
	int n;
	pid_t tid[KTR_CREW_MAX];	/* the first is the process's leader */
	struct ktr_crew_board *board;
};

/* @n threads, each on a CPU of its own as far as they go. 0 or -errno. */
int ktr_crew_start(struct ktr_crew *c, int n);
/* Each thread does getppid() @calls times. Return: whether they have. */
bool ktr_crew_work(struct ktr_crew *c, long calls);
void ktr_crew_end(struct ktr_crew *c);

#endif
