// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The traced side of the benches: one call, many times, and what it cost.
 *
 *	loop getppid|poll N
 *
 * Prints nanoseconds per call, by the thread's own CPU clock and by the wall
 * clock. Under the emulator's instruction clock both are instructions.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void call_getppid(void)
{
	syscall(SYS_getppid);
}

static void call_poll(void)
{
	static struct pollfd fd = { .fd = 1, .events = POLLPRI };

	syscall(SYS_poll, &fd, 1, 0);
}

int main(int argc, char **argv)
{
	void (*call)(void) = call_getppid;
	long long own, wall;
	long i, n;

	if (argc != 3) {
		fprintf(stderr, "usage: loop getppid|poll N\n");
		return 2;
	}
	if (!strcmp(argv[1], "poll"))
		call = call_poll;
	n = atol(argv[2]);
	for (i = 0; i < 200; i++)
		call();
	own = now(CLOCK_THREAD_CPUTIME_ID);
	wall = now(CLOCK_MONOTONIC);
	for (i = 0; i < n; i++)
		call();
	wall = now(CLOCK_MONOTONIC) - wall;
	own = now(CLOCK_THREAD_CPUTIME_ID) - own;
	printf("%.1f %.1f\n", (double)own / n, (double)wall / n);
	return 0;
}
