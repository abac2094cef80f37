// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };

int run_signals(struct run *run, struct fault *f)
{
	sigset_t mask;
	size_t i;

	sigemptyset(&mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&mask, signals[i]);
	child_ignore();
	sigprocmask(SIG_BLOCK, &mask, &run->oldmask);
	run->sigfd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (run->sigfd < 0)
		return fault_set(f, ST_ABSENT, "no signalfd: %s",
				 strerror(errno));
	return 0;
}

static void reap(struct run *run)
{
	if (run->child.pid > 0 && !run->child_done && !run->child.daemon &&
	    waitpid(run->child.pid, &run->wstatus, WNOHANG) == run->child.pid)
		run->child_done = true;
}

static bool has_command(const struct run *run)
{
	return run->child.pid > 0 && !run->child_done && !run->child.daemon;
}

/* The command gets it too, as if nobody had traced it, and we let go. */
static void die_with_command(struct run *run, int sig)
{
	if (has_command(run)) {
		kill(run->child.pid, SIGCONT);
		kill(run->child.pid, sig);
	}
	if (!run->died_of)
		run->died_of = sig;
	run->interrupted = true;
	run->stop = true;
}

/*
 * The terminal's signals go to the command as well: it decides. The others are
 * handed on to it; the second one ends us.
 */
static void take_signal(struct run *run, int sig)
{
	if (sig == SIGCHLD) {
		reap(run);
		return;
	}
	if (run->deaf)
		return;
	if (run->mortal) {
		die_with_command(run, sig);
		return;
	}
	if (has_command(run)) {
		if (sig == SIGINT || sig == SIGQUIT)
			return;
		if (!run->interrupted)
			kill(run->child.pid, sig);
		else
			run->stop = true;
		run->interrupted = true;
		return;
	}
	run->interrupted = true;
	run->stop = true;
}

static void take_signals(struct run *run)
{
	struct signalfd_siginfo si;

	while (read(run->sigfd, &si, sizeof(si)) == sizeof(si))
		take_signal(run, si.ssi_signo);
}

static int timeout(const struct run *run)
{
	uint64_t now = reader_now(), left;
	int ms = run->tick_ms ? (int)run->tick_ms : -1;

	if (!run->deadline)
		return ms;
	if (now >= run->deadline)
		return 0;
	left = (run->deadline - now + 999999) / 1000000;
	if (left > 60000)
		left = 60000;
	return ms < 0 || (int)left < ms ? (int)left : ms;
}

static int wait_for(struct run *run)
{
	struct pollfd p[2] = {
		{ .fd = run->rd->fd, .events = POLLIN },
		{ .fd = run->sigfd, .events = POLLIN },
	};

	if (poll(p, 2, timeout(run)) < 0 && errno != EINTR)
		return -errno;
	if (p[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		run->rd->hup = true;
	if (p[1].revents)
		take_signals(run);
	if (run->deadline && reader_now() >= run->deadline && !run->stop)
		run->stop = run->timed_out = true;
	return 0;
}

int run_loop(struct run *run, struct fault *f)
{
	int err = 0;

	if (run->sel->for_ns)
		run->deadline = reader_now() + run->sel->for_ns;
	while (!run->once && !run->stop && !run->rd->hup) {
		err = wait_for(run);
		if (err)
			return fault_set(f, ST_ABSENT, "cannot wait for records: %s",
					 strerror(-err));
		if (run->stop || run->rd->hup)
			break;
		if (run->round(run, false))
			run->stop = true;
	}
	if (run->stop && !run->keep_targets)
		ctl_target_del_all(run->ctl, run->ref, NULL);
	run->round(run, true);
	return 0;
}

bool run_command_goes_on(struct run *run)
{
	reap(run);
	return has_command(run);
}

void run_end(struct run *run)
{
	if (run->sigfd >= 0)
		close(run->sigfd);
	run->sigfd = -1;
	/* From now on signals end us, also while we wait. */
	sigprocmask(SIG_SETMASK, &run->oldmask, NULL);
	if (!has_command(run) || run->died_of)
		return;
	while (waitpid(run->child.pid, &run->wstatus, 0) < 0 && errno == EINTR)
		;
	run->child_done = true;
}

int run_die(int sig)
{
	static const struct rlimit none = { 0, 0 };
	sigset_t mask;

	fflush(NULL);
	setrlimit(RLIMIT_CORE, &none);
	signal(sig, SIG_DFL);
	sigemptyset(&mask);
	sigaddset(&mask, sig);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	raise(sig);
	return 128 + sig;
}
