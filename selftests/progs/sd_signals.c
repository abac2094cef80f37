// SPDX-License-Identifier: GPL-2.0-or-later
/* Signals handled, ignored, queued with a value, by timer, and fatal ones. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void handler(int sig)
{
	(void)sig;
}

static void handle(int sig, int flags)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };

	sigaddset(&sa.sa_mask, SIGUSR1);
	sigaction(sig, &sa, NULL);
}

static void die(void (*how)(void))
{
	int status;

	if (fork() == 0) {
		how();
		_exit(0);
	}
	wait(&status);
}

static void crash(void)
{
	volatile int *p = (void *)(long)getuid();

	*p = 1;
}

static void terminate(void)
{
	kill(getpid(), SIGTERM);
}

static void kill_hard(void)
{
	raise(SIGKILL);
}

int main(void)
{
	struct itimerval it = { .it_value.tv_usec = 100000 };
	struct timespec ts = { 5, 0 };
	union sigval v = { .sival_int = 42 };
	int p[2];
	char c;

	handle(SIGALRM, 0);
	setitimer(ITIMER_REAL, &it, NULL);
	nanosleep(&ts, &ts);
	handle(SIGALRM, SA_RESTART);
	if (pipe(p))
		return 1;
	setitimer(ITIMER_REAL, &it, NULL);
	if (fork() == 0) {
		ts = (struct timespec){ 0, 500000000 };
		nanosleep(&ts, NULL);
		_exit(write(p[1], "x", 1) != 1);
	}
	if (read(p[0], &c, 1) != 1)
		return 2;
	wait(NULL);
	handle(SIGRTMIN + 3, SA_SIGINFO);
	sigqueue(getpid(), SIGRTMIN + 3, v);
	signal(SIGUSR2, SIG_IGN);
	raise(SIGUSR2);
	raise(SIGWINCH);
	die(terminate);
	die(crash);
	die(kill_hard);
	return 3;
}
