/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kills.h - signals as they were delivered, for those who tell of each once.
 *
 * Whatever ends a process at once, a signal, an exit or an execve of one of its
 * threads, the kernel delivers SIGKILL without siginfo to each thread. What it was is
 * known at their exit, and more of it from when it was sent. So records of a thread
 * wait from then on until its exit.
 */
#ifndef KTR_KILLS_H
#define KTR_KILLS_H

#include "events.h"
#include "procs.h"

struct delivered {
	int sig;
	bool known;		/* the code; if not it is 0 */
	int code;
	uint64_t handler;
	uint64_t mask;
};

/* To be asked of each record first: whether it has to wait. */
bool kills_hold(struct proc *p, const struct ktr_rec *rec);

/* Of a signal_generate record: it is kept until it is delivered. */
void kills_sent(struct proc *p, const struct ktr_rec *rec);

/*
 * Of a signal_deliver record; p->end is the thread's exit if it is known. False: there
 * is nothing to tell, since it was no signal, or another thread tells of it.
 */
bool kills_delivered(struct procs *ps, struct proc *p, const struct ktr_rec *rec,
		     struct delivered *d);

/* Of an exit record, after what waited for it. */
void kills_exit(struct procs *ps, struct proc *p, const struct ktr_ev_exit *ev);

/* 0: it ended by itself. */
int kills_signal(const struct ktr_ev_exit *ev);

#endif
