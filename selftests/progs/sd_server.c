// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A server and a client in two processes: sd_server tcp|unix. Each waits for
 * the other at every step, so both make the same calls each time.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define PORT 4721
#define ROUNDS 3

static union {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_un un;
} where;
static socklen_t where_len;

static void options(int fd)
{
	struct linger linger = { 1, 2 };
	struct timeval tv = { 5, 0 };
	struct ucred cred;
	socklen_t n = sizeof(cred);
	int size = 65536;

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (where.any.sa_family == AF_UNIX)
		getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &n);
	n = sizeof(size);
	getsockopt(fd, SOL_SOCKET, SO_TYPE, &size, &n);
	n = sizeof(size);
	getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &size, &n);
}

static int client(void)
{
	int fd = socket(where.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char buf[32];

	if (fd < 0 || connect(fd, &where.any, where_len))
		return 1;
	options(fd);
	for (int i = 0; i < ROUNDS; i++)
		if (send(fd, "request", 7, MSG_NOSIGNAL) != 7 ||
		    recv(fd, buf, 5, MSG_WAITALL) != 5)
			return 2;
	shutdown(fd, SHUT_WR);
	return recv(fd, buf, sizeof(buf), 0) != 0;
}

static int serve(int s, pid_t child)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = 7 };
	int ep = epoll_create1(EPOLL_CLOEXEC), fd, status = 0;
	char buf[64];

	fd = accept4(s, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return 1;
	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
	for (int i = 0; i < ROUNDS; i++) {
		if (epoll_wait(ep, &ev, 1, -1) != 1 ||
		    recvfrom(fd, buf, 7, MSG_WAITALL, NULL, NULL) != 7)
			return 2;
		if (write(fd, "reply", 5) != 5)
			return 3;
	}
	if (read(fd, buf, sizeof(buf)))
		return 4;
	close(fd);
	waitpid(child, &status, 0);
	close(s);
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	int s, on = 1;
	pid_t pid;

	if (argc > 1 && !strcmp(argv[1], "unix")) {
		where.un.sun_family = AF_UNIX;
		strcpy(where.un.sun_path, "server");
		where_len = sizeof(where.un);
	} else {
		where.in.sin_family = AF_INET;
		where.in.sin_port = htons(PORT);
		where.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		where_len = sizeof(where.in);
	}
	s = socket(where.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(s, &where.any, where_len) || listen(s, 1))
		return 10;
	pid = fork();
	if (!pid)
		_exit(client());
	return serve(s, pid);
}
