// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Descriptors of every kind, each used at least once after it was made, for
 * what -y and -yy say of them. No process waits for another.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

/* Any call that takes a descriptor and cannot go wrong. */
static void use(int fd)
{
	fcntl(fd, F_GETFD);
}

static void tcp(int family, const void *addr, socklen_t len)
{
	struct sockaddr_storage name;
	socklen_t n = sizeof(name);
	int server = socket(family, SOCK_STREAM, 0);
	int client = socket(family, SOCK_STREAM, 0);
	int conn;
	char c;

	bind(server, addr, len);
	listen(server, 1);
	getsockname(server, (struct sockaddr *)&name, &n);
	connect(client, (struct sockaddr *)&name, n);
	conn = accept(server, NULL, NULL);
	send(client, "x", 1, 0);
	recv(conn, &c, 1, 0);
	use(server);
}

static void inet(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int udp;

	tcp(AF_INET, &in, sizeof(in));
	tcp(AF_INET6, &in6, sizeof(in6));
	udp = socket(AF_INET, SOCK_DGRAM, 0);
	bind(udp, (struct sockaddr *)&in, sizeof(in));
	use(udp);
}

static void local(const char *name, socklen_t len)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int server = socket(AF_UNIX, SOCK_STREAM, 0);
	int client = socket(AF_UNIX, SOCK_STREAM, 0);
	int conn;

	memcpy(un.sun_path, name, len);
	len += offsetof(struct sockaddr_un, sun_path);
	bind(server, (struct sockaddr *)&un, len);
	listen(server, 1);
	connect(client, (struct sockaddr *)&un, len);
	conn = accept(server, NULL, NULL);
	write(client, "x", 1);
	use(conn);
}

static void netlink(void)
{
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);

	bind(fd, (struct sockaddr *)&nl, sizeof(nl));
	use(fd);
}

static void files(void)
{
	int fd, dir;

	fd = open("odd<>\"\n\0011", O_CREAT | O_RDWR, 0600);
	use(fd);
	unlink("odd<>\"\n\0011");
	use(fd);
	fd = open("not gone (deleted)", O_CREAT | O_RDWR, 0600);
	use(fd);
	close(fd);
	fd = open("another", O_CREAT | O_RDWR, 0600);	/* the same number */
	dup2(fd, 50);
	rename("another", "renamed");
	use(50);
	use(open("/dev/null", O_RDWR));
	use(open("/proc/self/ns/mnt", O_RDONLY));
	dir = open("/", O_RDONLY | O_DIRECTORY);
	openat(dir, "nowhere", O_RDONLY);
	use(open("/tmp", O_PATH));
	read(77, &fd, 1);
	mkdir("away", 0700);
	chdir("away");
	rmdir("../away");
	openat(AT_FDCWD, "nowhere", O_RDONLY);
	chdir("/");
	openat(AT_FDCWD, "nowhere", O_RDONLY);
}

static void anonymous(void)
{
	sigset_t none;
	int pipes[2];

	sigemptyset(&none);
	pipe(pipes);
	use(pipes[1]);
	use(eventfd(1, 0));
	use(epoll_create1(0));
	use(timerfd_create(CLOCK_MONOTONIC, 0));
	use(signalfd(-1, &none, 0));
	use(inotify_init());
	use(memfd_create("some memory", 0));
	use(syscall(SYS_pidfd_open, getpid(), 0));
}

static void sets(void)
{
	int zero = open("/dev/zero", O_RDWR), pipes[2];
	struct pollfd polled[3];
	struct timeval now = {};
	fd_set in;

	pipe(pipes);
	polled[0] = (struct pollfd){ zero, POLLIN, 0 };
	polled[1] = (struct pollfd){ pipes[0], POLLIN, 0 };
	polled[2] = (struct pollfd){ -1, POLLIN, 0 };
	poll(polled, 3, 0);
	FD_ZERO(&in);
	FD_SET(zero, &in);
	FD_SET(pipes[0], &in);
	select(pipes[1], &in, NULL, NULL, &now);
}

static void passes(void)
{
	union {
		struct cmsghdr head;
		char buf[CMSG_SPACE(2 * sizeof(int))];
	} control = { .head = { .cmsg_len = CMSG_LEN(2 * sizeof(int)),
		.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	char c = 'x';
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control) };
	int sv[2], fds[2] = { open("/dev/null", O_RDWR), 50 };

	memcpy(CMSG_DATA(&control.head), fds, sizeof(fds));
	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sv);
	sendmsg(sv[0], &m, 0);
	recvmsg(sv[1], &m, 0);
}

/* What a program inherits, and what its number means after exec. */
static void inherits(char *self)
{
	char *argv[] = { self, "heir", NULL };

	fcntl(50, F_SETFD, 0);
	execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "heir")) {
		use(50);
		return 0;
	}
	chdir(argc > 1 ? argv[1] : "/tmp");
	inet();
	local("named", 5);
	local("\0abstract\"<", 11);
	netlink();
	anonymous();
	files();
	sets();
	passes();
	inherits(argv[0]);
	return 1;
}
