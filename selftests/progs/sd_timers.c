// SPDX-License-Identifier: GPL-2.0-or-later
/* Clocks, timers, and signals that tell of them. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static volatile int seen;

static void count(int sig)
{
	(void)sig;
	seen++;
}

static void wait_one(const sigset_t *set)
{
	siginfo_t info;

	sigwaitinfo(set, &info);
}

static void intervals(const sigset_t *set)
{
	struct itimerval it = { .it_value.tv_usec = 1000 }, old;

	setitimer(ITIMER_REAL, &it, &old);
	wait_one(set);
	getitimer(ITIMER_REAL, &old);
	setitimer(ITIMER_PROF, &(struct itimerval){ 0 }, NULL);
	setitimer(9, &it, NULL);
	alarm(100);
	alarm(0);
}

static void posix(const sigset_t *set)
{
	struct sigevent ev = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1,
		.sigev_value.sival_int = 5,
	};
	struct itimerspec its = { .it_value.tv_nsec = 1000000 }, old;
	int id = -1;

	syscall(SYS_timer_create, CLOCK_MONOTONIC, &ev, &id);
	syscall(SYS_timer_settime, id, 0, &its, &old);
	wait_one(set);
	syscall(SYS_timer_gettime, id, &old);
	syscall(SYS_timer_getoverrun, id);
	syscall(SYS_timer_delete, id);
	ev.sigev_notify = SIGEV_NONE;
	syscall(SYS_timer_create, CLOCK_REALTIME, &ev, &id);
	syscall(SYS_timer_delete, 99);
}

static void sleeps(void)
{
	struct timespec ts = { 0, 1000 }, left;
	struct timex tx = { 0 };
	struct timeval tv;
	struct timezone tz;

	nanosleep(&ts, &left);
	syscall(SYS_nanosleep, &(struct timespec){ 0, -1 }, NULL);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &ts);
	syscall(SYS_clock_gettime, 77, &ts);
	syscall(SYS_clock_getres, CLOCK_REALTIME_COARSE, &ts);
	syscall(SYS_gettimeofday, &tv, &tz);
	syscall(SYS_time, NULL);
	tx.modes = 0x10000000;
	adjtimex(&tx);
	getrusage(RUSAGE_SELF, &(struct rusage){ 0 });
}

/* A handler of a signal that comes while nothing is done. */
static void handled(void)
{
	struct sigaction sa = { .sa_handler = count, .sa_flags = SA_RESTART };

	sigaction(SIGUSR2, &sa, NULL);
	raise(SIGUSR2);
	sigqueue(getpid(), SIGUSR2, (union sigval){ .sival_int = 3 });
}

int main(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	intervals(&set);
	posix(&set);
	sleeps();
	handled();
	return seen != 2;
}
