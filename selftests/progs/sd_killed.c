// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes and threads that are killed while they sleep in a call. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int no_data[2];

static void sleep_on(void)
{
	struct timespec ts = { 100, 0 };

	nanosleep(&ts, &ts);
}

static void read_on(void)
{
	char c;

	_exit(read(no_data[0], &c, 1) != 1);
}

static void wait_on(void)
{
	wait(NULL);
	pause();
}

static void poll_on(void)
{
	struct pollfd p = { .fd = no_data[0], .events = POLLIN };

	poll(&p, 1, -1);
}

static void kill_in(void (*call)(void), int sig)
{
	struct timespec ts = { 0, 200000000 };
	pid_t pid = fork();

	if (!pid) {
		call();
		_exit(0);
	}
	nanosleep(&ts, NULL);
	kill(pid, sig);
	waitpid(pid, NULL, 0);
}

static void *thread(void *arg)
{
	(void)arg;
	read_on();
	return NULL;
}

/* The others are in their calls when one ends the process. */
static void end_of_process(void)
{
	struct timespec ts = { 0, 200000000 };
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	nanosleep(&ts, NULL);
	_exit(5);
}

/* The leader ends first. */
static void *last(void *arg)
{
	struct timespec ts = { 0, 200000000 };

	(void)arg;
	nanosleep(&ts, NULL);
	return NULL;
}

int main(void)
{
	pthread_t t;

	if (pipe(no_data))
		return 1;
	kill_in(sleep_on, SIGKILL);
	kill_in(read_on, SIGKILL);
	kill_in(wait_on, SIGTERM);
	kill_in(poll_on, SIGKILL);
	if (!fork())
		end_of_process();
	wait(NULL);
	pthread_create(&t, NULL, last, NULL);
	pthread_exit(NULL);
}
