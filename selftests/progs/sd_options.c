// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options of sockets and addresses whose sizes are too small, just right and too
 * large; protocols of every family. What the kernel did not write must not be seen:
 * buffers are full of something else before.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const int lens[] = { -1, 0, 1, 3, 4, 5, 8, 12, 16, 17, 20, 36, 136, 200 };
static char buf[512] __attribute__((aligned(64)));

static void fill(char c)
{
	memset(buf, c, sizeof(buf));
}

static void set_all(int level, int name)
{
	for (unsigned int i = 0; i < sizeof(buf); i++)
		buf[i] = i % 7 ? 'a' + i % 26 : 0;
	for (unsigned int i = 0; i < COUNT(lens); i++)
		setsockopt(-1, level, name, buf, lens[i]);
}

static void get_all(int fd, int level, int name)
{
	for (unsigned int i = 0; i < COUNT(lens); i++) {
		socklen_t len = lens[i];

		fill('x');
		getsockopt(fd, level, name, buf, &len);
	}
}

static const struct { int level, name; } asked[] = {
	{ SOL_SOCKET, SO_REUSEADDR }, { SOL_SOCKET, SO_SNDBUF },
	{ SOL_SOCKET, SO_ERROR }, { SOL_SOCKET, SO_LINGER },
	{ SOL_SOCKET, SO_PEERCRED }, { SOL_SOCKET, SO_BINDTODEVICE },
	{ SOL_SOCKET, SO_GET_FILTER }, { SOL_SOCKET, SO_MARK },
	{ SOL_TCP, TCP_CONGESTION }, { SOL_TCP, TCP_NODELAY },
	{ SOL_TCP, TCP_ULP }, { SOL_IP, IP_TOS }, { SOL_IP, IP_OPTIONS },
	{ SOL_IP, 64 }, { SOL_IPV6, 64 }, { SOL_IP, 99 },
};

static const struct { int level, name; } told[] = {
	{ SOL_SOCKET, SO_TYPE }, { SOL_SOCKET, SO_ERROR },
	{ SOL_SOCKET, SO_SNDBUF }, { SOL_SOCKET, SO_LINGER },
	{ SOL_SOCKET, SO_PEERCRED }, { SOL_SOCKET, SO_BINDTODEVICE },
	{ SOL_SOCKET, SO_ATTACH_FILTER },
	{ SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF }, { SOL_SOCKET, SO_ZEROCOPY },
	{ SOL_TCP, TCP_CONGESTION }, { SOL_TCP, TCP_ULP },
	{ SOL_TCP, 30 /* TCP_FASTOPEN_CONNECT */ }, { SOL_IP, IP_TOS },
	{ SOL_IP, IP_ADD_MEMBERSHIP }, { SOL_IP, IP_DROP_MEMBERSHIP },
	{ SOL_IP, MCAST_JOIN_GROUP }, { SOL_IP, MCAST_LEAVE_GROUP },
	{ SOL_IP, 64 }, { SOL_IP, 97 }, { SOL_IP, 128 }, { SOL_IPV6, 64 },
	{ SOL_IPV6, IPV6_ADD_MEMBERSHIP }, { SOL_IPV6, IPV6_JOIN_ANYCAST },
	{ SOL_IPV6, MCAST_JOIN_GROUP }, { SOL_IPV6, 32 }, { SOL_IPV6, 33 },
	{ SOL_PACKET, PACKET_ADD_MEMBERSHIP }, { SOL_PACKET, PACKET_RX_RING },
	{ SOL_PACKET, PACKET_FANOUT_DATA }, { SOL_NETLINK, NETLINK_PKTINFO },
	{ SOL_NETLINK, 77 }, { 999, 1 },
};

static void options(void)
{
	struct packet_mreq member = {
		.mr_ifindex = 1, .mr_type = PACKET_MR_MULTICAST, .mr_alen = 6,
		.mr_address = { 1, 2, 3, 4, 5, 6 },
	};
	struct ipv6_mreq group = { .ipv6mr_interface = 1 };
	int s = socket(AF_INET, SOCK_STREAM, 0), n, k;
	socklen_t len;

	for (unsigned int i = 0; i < COUNT(asked); i++)
		get_all(s, asked[i].level, asked[i].name);
	for (unsigned int i = 0; i < COUNT(told); i++)
		set_all(told[i].level, told[i].name);
	setsockopt(-1, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &member, 16);
	setsockopt(-1, SOL_IPV6, IPV6_ADD_MEMBERSHIP, &group, sizeof(group));
	close(s);
	n = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	for (k = 1; k < 37; k += 35)
		setsockopt(n, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &k, 4);
	for (k = 0; k < 17; k++) {
		len = k;
		fill('y');
		getsockopt(n, SOL_NETLINK, NETLINK_LIST_MEMBERSHIPS, buf, &len);
	}
	close(n);
}

static void names(void)
{
	struct sockaddr_un un = { AF_UNIX, "\0abs\1tract" };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_scope_id = 1 };
	struct sockaddr_ll ll = {
		.sll_family = AF_PACKET, .sll_protocol = htons(3),
		.sll_ifindex = 1, .sll_hatype = 1, .sll_halen = 6,
		.sll_addr = { 1, 2, 3, 4, 5, 6 },
	};
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	socklen_t len;

	bind(s, (struct sockaddr *)&un, 20);
	for (int i = -1; i < 24; i++) {
		len = i;
		fill('z');
		getsockname(s, (struct sockaddr *)buf, &len);
	}
	close(s);
	fill('q');
	*(short *)buf = AF_UNIX;
	for (int i = 0; i < 2; i++) {
		for (len = 105; len < 128; len++)
			connect(-1, (struct sockaddr *)buf, len);
		connect(-1, (struct sockaddr *)buf, 300);
		buf[2] = 0;
	}
	for (len = 22; len < 30; len++)
		connect(-1, (struct sockaddr *)&in6, len);
	in6.sin6_addr.s6_addr[0] = 0xfe;
	in6.sin6_addr.s6_addr[1] = 0x80;
	connect(-1, (struct sockaddr *)&in6, sizeof(in6));
	in6.sin6_addr.s6_addr[0] = 0xff;
	in6.sin6_addr.s6_addr[1] = 2;
	connect(-1, (struct sockaddr *)&in6, sizeof(in6));
	for (int i = 0; i < 10; i++) {
		ll.sll_halen = i;
		ll.sll_pkttype = i;
		ll.sll_protocol = htons(i << 8);
		connect(-1, (struct sockaddr *)&ll, sizeof(ll));
	}
	s = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	for (unsigned int g = 0; g < 32; g += 3) {
		struct sockaddr_nl nl = { AF_NETLINK, g, 0, 1u << g };

		connect(-1, (struct sockaddr *)&nl, sizeof(nl));
	}
	close(s);
}

/* Of IrDA strace has the names of another family. */
static void protocols(void)
{
	static const int some[] = {
		0, 1, 2, 3, 5, 8, 0x10, 0x26, 0xcc, 0x300, 0xdd86, 0x608,
	};

	for (int f = 0; f < 46; f++)
		for (unsigned int i = 0; i < COUNT(some); i++)
			if (f != AF_IRDA)
				socket(f, 0x77f, some[i]);
}

static void many_messages(void)
{
	struct iovec iov[] = { { "a", 1 }, { "b", 1 }, { (void *)8, 3 } };
	char in[3][20], from[3][64];
	struct mmsghdr m[3];
	struct iovec parts[3];
	int sv[2];

	socketpair(AF_UNIX, SOCK_DGRAM, 0, sv);
	memset(m, 0, sizeof(m));
	for (int i = 0; i < 3; i++) {
		m[i].msg_hdr.msg_iov = iov;
		m[i].msg_hdr.msg_iovlen = i + 1;
	}
	sendmmsg(-1, m, 3, 0);
	sendmsg(sv[0], &m[0].msg_hdr, 0);
	sendmsg(sv[0], &m[1].msg_hdr, 0);
	memset(m, 0, sizeof(m));
	for (int i = 0; i < 2; i++) {
		parts[i] = (struct iovec){ in[i], sizeof(in[i]) };
		m[i].msg_hdr.msg_iov = &parts[i];
		m[i].msg_hdr.msg_iovlen = 1;
		m[i].msg_hdr.msg_name = from[i];
		m[i].msg_hdr.msg_namelen = sizeof(from[i]);
	}
	recvmmsg(sv[1], m, 2, MSG_DONTWAIT, NULL);
}

int main(void)
{
	options();
	names();
	protocols();
	many_messages();
	return 0;
}
