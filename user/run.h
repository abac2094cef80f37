/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for records, signals, the command's end and the clock. */
#ifndef KTR_RUN_H
#define KTR_RUN_H

#include "child.h"
#include "ctl.h"
#include "reader.h"
#include "select.h"

struct run {
	struct ctl *ctl;
	struct ctl_ref ref;
	struct reader *rd;
	const struct select *sel;
	struct child child;	/* pid 0: none */
	int wstatus;		/* of the command, once it ended */
	bool child_done;
	bool keep_targets;	/* a named session goes on without us */
	bool once;		/* one round and no more */
	bool deaf;		/* signals do not end it */
	bool mortal;		/* one ends it, and the command with it, as strace */
	int (*round)(struct run *run, bool last);	/* not 0: stop */
	/* One that runs is attached, and before that is said; NULL: no matter. */
	void (*joined)(struct run *run, uint32_t pid);
	void *arg;
	unsigned int tick_ms;	/* set by round: call again after so long */
	bool stop;		/* enough: detach, one more round */
	bool interrupted;	/* by a signal */
	int died_of;		/* mortal: that signal */
	bool timed_out;		/* --for is over */
	bool limited;		/* --limit was reached */
	bool full;		/* --max-size was reached */
	int sigfd;
	sigset_t oldmask;
	uint64_t deadline;
	uint64_t inside;	/* counted functions' calls that were not seen to return */
};

/* Block the signals that run_loop() takes; before the command is started. */
int run_signals(struct run *run, struct fault *f);
/* Until the session is over, or it is told to stop; the last round included. */
int run_loop(struct run *run, struct fault *f);
/* Whether there is a command, and it has not ended. */
bool run_command_goes_on(struct run *run);
/* Wait for the command's end, if that is due, and undo run_signals(). */
void run_end(struct run *run);
/* Once all is cleaned up, die as strace does. Return: the status, if that fails. */
int run_die(int sig);

#endif
