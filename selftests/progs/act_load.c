// SPDX-License-Identifier: GPL-2.0-or-later
/* Load of known size, one kind per word. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long count;

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *call_often(void *arg)
{
	long i;

	pin((int)(long)arg);
	printf("%ld\n", syscall(SYS_gettid));
	fflush(stdout);
	for (i = 0; i < count; i++)
		syscall(SYS_getppid);
	return NULL;
}

/* Two threads on two CPUs, so many getppid each; prints their ids. */
static int flood(void)
{
	pthread_t t[2];
	long i;

	for (i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, call_often, (void *)i))
			return 1;
	for (i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}

/* Two processes on two CPUs hand each other a byte. */
static int pingpong(void)
{
	int to[2], from[2];
	char c = 0;
	long i;

	if (pipe(to) || pipe(from))
		return 1;
	if (!fork()) {
		pin(1);
		for (i = 0; i < count; i++)
			if (read(to[0], &c, 1) != 1 || write(from[1], &c, 1) != 1)
				_exit(2);
		_exit(0);
	}
	pin(0);
	for (i = 0; i < count; i++)
		if (write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1)
			return 3;
	wait(NULL);
	return 0;
}

/* Sleeps in epoll_wait and tells of every interruption. */
static void sleeper(void)
{
	struct epoll_event ev;
	int ep = epoll_create1(0);

	printf("%d\n", getpid());
	for (;;) {
		fflush(stdout);
		if (epoll_wait(ep, &ev, 1, -1) < 0)
			printf("epoll_wait: %s\n", strerror(errno));
	}
}

/* Many calls of one kind and five of another. */
static int needles(void)
{
	long i;

	for (i = 0; i < count; i++) {
		syscall(SYS_getppid);
		if (i < 5)
			close(open("/etc/hostname", O_RDONLY));
	}
	return 0;
}

/* One call after another, without end. */
static void busy(void)
{
	printf("%d\n", getpid());
	fflush(stdout);
	for (;;)
		syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	count = argc > 2 ? atol(argv[2]) : 0;
	if (!strcmp(what, "flood"))
		return flood();
	if (!strcmp(what, "pingpong"))
		return pingpong();
	if (!strcmp(what, "sleeper"))
		sleeper();
	if (!strcmp(what, "needles"))
		return needles();
	if (!strcmp(what, "busy"))
		busy();
	fprintf(stderr, "act_load: what?\n");
	return 64;
}
