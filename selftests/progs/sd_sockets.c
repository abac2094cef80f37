// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A client and a server in one process: TCP, UDP, UNIX by name, abstract, and a
 * pair that passes a descriptor.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#define PORT 4711

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static void talk(int from, int to)
{
	char buf[64];

	send(from, "ping", 4, MSG_NOSIGNAL);
	recv(to, buf, sizeof(buf), 0);
	shutdown(from, SHUT_WR);
	recv(to, buf, sizeof(buf), MSG_DONTWAIT | MSG_PEEK);
}

static int stream(const struct sockaddr *addr, socklen_t len, int family)
{
	int s = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int c = socket(family, SOCK_STREAM, 0), a, on = 1;
	struct sockaddr_storage peer;
	socklen_t n = sizeof(peer);

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(s, addr, len) || listen(s, 5))
		return fail("bind");
	if (family == AF_INET) {
		struct sockaddr_in own = *(struct sockaddr_in *)addr;

		own.sin_port = htons(PORT + 1);
		setsockopt(c, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		if (bind(c, (struct sockaddr *)&own, sizeof(own)))
			return fail("bind client");
	}
	if (connect(c, addr, len))
		return fail("connect");
	a = accept4(s, (struct sockaddr *)&peer, &n, SOCK_NONBLOCK);
	if (a < 0)
		return fail("accept");
	n = sizeof(peer);
	getsockname(s, (struct sockaddr *)&peer, &n);
	n = sizeof(on);
	getsockopt(c, SOL_SOCKET, SO_ERROR, &on, &n);
	talk(c, a);
	close(a);
	close(c);
	close(s);
	return 0;
}

static int datagram(void)
{
	struct sockaddr_in6 in6 = {
		.sin6_family = AF_INET6, .sin6_port = htons(PORT),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};
	struct sockaddr_in in = {
		.sin_family = AF_INET, .sin_port = htons(PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int s = socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP);
	int c = socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP);
	char buf[16];
	struct sockaddr_in from, own = in;
	socklen_t n = sizeof(from);

	if (bind(s, (struct sockaddr *)&in, sizeof(in)))
		return fail("bind UDP");
	if (bind(c, (struct sockaddr *)&in, sizeof(in)) == 0)
		return 1;
	own.sin_port = htons(PORT + 1);
	bind(c, (struct sockaddr *)&own, sizeof(own));
	sendto(c, "datagram", 8, 0, (struct sockaddr *)&in, sizeof(in));
	recvfrom(s, buf, sizeof(buf), 0, (struct sockaddr *)&from, &n);
	connect(c, (struct sockaddr *)&in6, sizeof(in6));
	close(c);
	close(s);
	return 0;
}

static int pass_descriptor(void)
{
	char part1[] = "one", part2[] = "two", buf[16];
	struct iovec iov[2] = { { part1, 3 }, { part2, 3 } };
	union {
		struct cmsghdr h;
		char space[CMSG_SPACE(sizeof(int))];
	} ctl;
	struct msghdr m = {
		.msg_iov = iov, .msg_iovlen = 2,
		.msg_control = &ctl, .msg_controllen = sizeof(ctl),
	};
	int sv[2], fd;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv))
		return fail("socketpair");
	memset(&ctl, 0, sizeof(ctl));
	ctl.h.cmsg_level = SOL_SOCKET;
	ctl.h.cmsg_type = SCM_RIGHTS;
	ctl.h.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&ctl.h), &sv[0], sizeof(int));
	if (sendmsg(sv[0], &m, 0) != 6)
		return fail("sendmsg");
	iov[0] = (struct iovec){ buf, sizeof(buf) };
	m.msg_iovlen = 1;
	if (recvmsg(sv[1], &m, MSG_CMSG_CLOEXEC) != 6)
		return fail("recvmsg");
	memcpy(&fd, CMSG_DATA(&ctl.h), sizeof(fd));
	iov[0] = (struct iovec){ part1, 3 };
	writev(fd, iov, 2);
	readv(sv[1], iov, 2);
	close(fd);
	return 0;
}

int main(void)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET, .sin_port = htons(PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "named" };
	struct sockaddr_un ab = { .sun_family = AF_UNIX };

	memcpy(ab.sun_path, "\0sd_abstract", 12);
	return stream((struct sockaddr *)&in, sizeof(in), AF_INET) ||
	       stream((struct sockaddr *)&un, sizeof(un), AF_UNIX) ||
	       stream((struct sockaddr *)&ab,
		      offsetof(struct sockaddr_un, sun_path) + 12, AF_UNIX) ||
	       datagram() || pass_descriptor();
}
