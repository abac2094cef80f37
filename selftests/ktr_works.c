// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "ktr_works.h"

#define ROUNDS	20

static int polls(void)
{
	struct pollfd p = { .events = POLLIN };
	int fds[2], i;

	if (pipe(fds))
		return 1;
	p.fd = fds[0];
	for (i = 0; i < ROUNDS; i++)
		poll(&p, 1, i % 2);
	return 0;
}

static int files(void)
{
	char text[256];
	struct stat st;
	DIR *d;
	int i, fd;

	for (i = 0; i < ROUNDS; i++) {
		fd = open("/proc/version", O_RDONLY);
		if (read(fd, text, sizeof(text)) <= 0 || fstat(fd, &st) || close(fd))
			return 1;
		if (stat("/dev/null", &st) || !stat("/dev/no such file", &st))
			return 1;
		d = opendir("/proc/self");
		if (!d || !readdir(d) || closedir(d))
			return 1;
	}
	return 0;
}

static int pipes(void)
{
	char text[5000] = "";
	int fds[2], i;

	for (i = 0; i < ROUNDS; i++) {
		if (pipe(fds) || write(fds[1], text, sizeof(text)) != sizeof(text) ||
		    read(fds[0], text, sizeof(text)) != sizeof(text))
			return 1;
		close(fds[0]);
		close(fds[1]);
	}
	return 0;
}

static int unix_sockets(void)
{
	char text[100] = "";
	int fds[2], i;

	for (i = 0; i < ROUNDS; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) ||
		    write(fds[1], text, sizeof(text)) != sizeof(text) ||
		    read(fds[0], text, sizeof(text)) != sizeof(text))
			return 1;
		close(fds[0]);
		close(fds[1]);
	}
	return 0;
}

/* Both ends; what arrives is worked off in interrupts of whoever runs. */
static int tcp_sockets(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	/* Nothing stays behind that would use up the ports. */
	const struct linger at_once = { .l_onoff = 1 };
	socklen_t len = sizeof(to);
	int door = socket(AF_INET, SOCK_STREAM, 0), i, in, out;
	char text[1000] = "";

	if (bind(door, (void *)&to, len) || listen(door, 5) || getsockname(door, (void *)&to, &len))
		return 1;
	for (i = 0; i < ROUNDS; i++) {
		out = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(out, (void *)&to, len) ||
		    setsockopt(out, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)))
			return 1;
		in = accept(door, NULL, NULL);
		if (write(out, text, sizeof(text)) != sizeof(text) ||
		    recv(in, text, sizeof(text), MSG_WAITALL) != sizeof(text))
			return 1;
		close(out);
		close(in);
	}
	return close(door);
}

static int mappings(void)
{
	char *p;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		p = mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
		if (p == MAP_FAILED)
			return 1;
		memset(p, 1, 8 * 4096);
		if (mprotect(p, 4096, PROT_READ) || munmap(p, 8 * 4096))
			return 1;
	}
	return 0;
}

static int children(void)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < ROUNDS / 2; i++) {
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	return 0;
}

static void ignore(int sig)
{
}

static int signals(void)
{
	sigset_t set;
	int i;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	for (i = 0; i < ROUNDS; i++) {
		signal(SIGUSR1, ignore);
		signal(SIGUSR2, ignore);
		sigprocmask(SIG_BLOCK, &set, NULL);
		if (raise(SIGUSR1) || raise(SIGUSR2))
			return 1;
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
	return 0;
}

static int timers(void)
{
	struct timespec ts = { .tv_nsec = 1000 };
	int i;

	for (i = 0; i < ROUNDS; i++)
		nanosleep(&ts, NULL);
	return 0;
}

static int futexes(void)
{
	struct timespec ts = { .tv_nsec = 1000 };
	int word = 0, i;

	for (i = 0; i < ROUNDS; i++) {
		syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0);
		syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &ts, NULL, 0);
	}
	return 0;
}

const struct ktr_work ktr_works[KTR_WORKS] = {
	{ "tcp sockets", tcp_sockets, { "tcp_", "inet_", "ip_" } },
	{ "files", files, { "vfs_", "do_sys_open", "path_" } },
	{ "signals", signals, { "send_", "get_signal", "dequeue_signal", "do_sigaction" } },
	{ "children", children, { "copy_process", "kernel_clone", "kernel_wait", "dup_" } },
	{ "polls", polls, { "do_sys_poll", "pipe_poll", "poll_" } },
	{ "pipes", pipes, { "pipe_", "do_pipe" } },
	{ "unix sockets", unix_sockets, { "unix_", "sock_" } },
	{ "mappings", mappings, { "do_mmap", "unmap_", "handle_mm_", "vma_" } },
	{ "timers", timers, { "hrtimer_", "do_nanosleep" } },
	{ "futexes", futexes, { "futex_", "do_futex" } },
};
