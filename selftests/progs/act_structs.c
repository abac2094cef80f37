// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls whose structures and arrays are known, and transfers that are cut short.
 *
 *	act_structs FILE	makes FILE, of ten bytes
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static void of_files(const char *path)
{
	struct statx stx;
	struct stat st;

	syscall(SYS_stat, path, &st);
	syscall(SYS_statx, AT_FDCWD, path, 0, STATX_BASIC_STATS, &stx);
	syscall(SYS_stat, "/no/such/file", &st);
}

static void of_times(void)
{
	struct itimerval timer = { .it_value = { 1000, 7 } };
	struct timespec nap = { 0, 1007 };

	syscall(SYS_setitimer, ITIMER_REAL, &timer, NULL);
	syscall(SYS_nanosleep, &nap, NULL);
}

static void of_processes(void)
{
	struct { void *handler; uint64_t flags; void *restorer; uint64_t mask; } action = {
		SIG_IGN, SA_RESTART, NULL, 1ULL << (SIGUSR2 - 1) };
	struct rlimit limit = { 77, 78 };
	uint64_t cpus[16] = { 1 };

	syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, 8);
	syscall(SYS_setrlimit, RLIMIT_NICE, &limit);
	syscall(SYS_sched_setaffinity, 0, 8, cpus);
}

static void of_sockets(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(7),
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };

	connect(socket(AF_INET, SOCK_DGRAM, 0), (void *)&to, sizeof(to));
}

static void arrays(const int *pipes)
{
	struct pollfd fds[2] = { { pipes[0], POLLIN }, { pipes[1], POLLOUT } };
	struct epoll_event ev = { EPOLLOUT, { .u64 = 77 } }, out[4];
	int ep = epoll_create1(0);

	syscall(SYS_poll, fds, 2, 0);
	epoll_ctl(ep, EPOLL_CTL_ADD, pipes[1], &ev);
	syscall(SYS_epoll_wait, ep, out, 4, 0);
}

/* Joined, cut by the end of what there is, and failed. */
static void transfers(const int *pipes)
{
	char a[3] = "abc", b[7] = "defghij", in[64], x[4], y[64];
	struct iovec w[2] = { { a, 3 }, { b, 7 } }, r[2] = { { x, 4 }, { y, 64 } };

	writev(pipes[1], w, 2);
	readv(pipes[0], r, 2);
	if (write(pipes[1], "0123456", 7) == 7)
		read(pipes[0], in, sizeof(in));
	write(pipes[0], "never", 5);
	read(pipes[1], in, sizeof(in));
}

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0640);
	int pipes[2];

	if (write(fd, "0123456789", 10) != 10 || pipe(pipes))
		return 1;
	of_files(argv[1]);
	of_times();
	of_processes();
	of_sockets();
	arrays(pipes);
	transfers(pipes);
	return 0;
}
