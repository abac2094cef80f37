// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptors that tell of events, and those who wait for them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void wait_all(int ep, int event)
{
	struct epoll_event out[4];
	struct pollfd pfd[2] = {
		{ .fd = event, .events = POLLIN | POLLOUT },
		{ .fd = -1, .events = POLLIN },
	};
	struct timespec ts = { 0, 1000000 };
	struct timeval tv = { 0, 0 };
	fd_set set;

	epoll_wait(ep, out, 4, 100);
	epoll_pwait(ep, out, 4, 0, NULL);
	poll(pfd, 2, 0);
	ppoll(&pfd[1], 1, &ts, NULL);
	FD_ZERO(&set);
	FD_SET(event, &set);
	select(event + 1, &set, NULL, NULL, &tv);
}

static void timer(int ep)
{
	struct itimerspec its = { .it_value.tv_nsec = 1000000 };
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET, .data.u32 = 2 };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	uint64_t n;

	timerfd_settime(fd, 0, &its, NULL);
	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
	if (read(fd, &n, sizeof(n)) != sizeof(n))
		_exit(1);
	epoll_ctl(ep, EPOLL_CTL_DEL, fd, NULL);
	close(fd);
}

static void signals(void)
{
	struct signalfd_siginfo info;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	kill(getpid(), SIGUSR2);
	if (read(fd, &info, sizeof(info)) != sizeof(info))
		_exit(2);
	if (read(fd, &info, sizeof(info)) >= 0)
		_exit(3);
	close(fd);
}

static void watch(void)
{
	char buf[256];
	int fd = inotify_init1(IN_NONBLOCK);

	inotify_add_watch(fd, ".", IN_CREATE | IN_DELETE);
	close(open("watched", O_CREAT | O_WRONLY, 0600));
	if (read(fd, buf, sizeof(buf)) <= 0)
		_exit(4);
	close(fd);
}

int main(void)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u32 = 1 };
	int ep = epoll_create1(EPOLL_CLOEXEC);
	int event = eventfd(0, EFD_NONBLOCK);
	uint64_t one = 1;

	epoll_ctl(ep, EPOLL_CTL_ADD, event, &ev);
	if (write(event, &one, sizeof(one)) != sizeof(one))
		return 5;
	wait_all(ep, event);
	timer(ep);
	signals();
	watch();
	return 0;
}
