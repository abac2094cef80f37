// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sd_netlink.c - netlink messages of all kinds, the same each time
 *
 * They go to a port that nobody has, so nobody acts on them. Each attribute
 * comes with values of many lengths.
 */
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/inet_diag.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NOBODY 0x7ffffff0
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define BATCH 24		/* messages a call, of which tracers show all */

static struct {
	unsigned char p[8192];
	size_t n;
} m;
static struct {
	unsigned char p[12000];	/* of more ktrctl keeps the beginning */
	size_t n;
	unsigned int messages;
} batch;
static unsigned int seed;
static struct sockaddr_nl to = { .nl_family = AF_NETLINK, .nl_pid = NOBODY };

static unsigned int next(void)
{
	seed = seed * 1103515245u + 12345;
	return seed >> 16;
}

static void align(void)
{
	while (m.n % 4)
		m.p[m.n++] = 0;
}

static void put(const void *p, size_t n)
{
	memcpy(m.p + m.n, p, n);
	m.n += n;
}

/* Small numbers, text, anything: words with zeroes in them and without. */
static void put_fill(size_t n, unsigned int how)
{
	for (size_t i = 0; i < n; i++)
		m.p[m.n++] = how == 0 ? (i % 4 ? 0 : next() % 8) :
			     how == 1 ? 'a' + next() % 26 : next();
}

static size_t attr_begin(unsigned int type)
{
	struct nlattr a = { .nla_type = type };

	align();
	put(&a, sizeof(a));
	return m.n - sizeof(a);
}

static void attr_end(size_t at)
{
	struct nlattr a;

	memcpy(&a, m.p + at, sizeof(a));
	a.nla_len = m.n - at;
	memcpy(m.p + at, &a, sizeof(a));
	align();
}

static void attr(unsigned int type, const void *p, size_t n)
{
	size_t at = attr_begin(type);

	put(p, n);
	attr_end(at);
}

static void message(unsigned int type, unsigned int flags)
{
	struct nlmsghdr h = {
		.nlmsg_type = type, .nlmsg_flags = flags, .nlmsg_seq = 7,
	};

	m.n = 0;
	put(&h, sizeof(h));
}

static void flush(int fd)
{
	if (batch.n)
		sendto(fd, batch.p, batch.n, 0, (void *)&to, sizeof(to));
	batch.n = batch.messages = 0;
}

static void post(int fd)
{
	uint32_t len = m.n;

	memcpy(m.p, &len, 4);
	align();
	if (batch.n + m.n > sizeof(batch.p) || batch.messages == BATCH)
		flush(fd);
	memcpy(batch.p + batch.n, m.p, m.n);
	batch.n += m.n;
	batch.messages++;
}

static const unsigned char sizes[] = {
	0, 1, 2, 3, 4, 5, 6, 8, 12, 16, 17, 20, 28, 32, 40, 96, 104, 192, 200,
};

/* Of hardware addresses strace shows no more than seven bytes. */
static int is_address(unsigned int type, unsigned int attribute)
{
	return type == RTM_NEWLINK ? attribute <= IFLA_BROADCAST ||
	       attribute == IFLA_PERM_ADDRESS :
	       type == RTM_NEWNEIGH && attribute == NDA_LLADDR;
}

/*
 * What strace does not end on (hops without a length), takes for something else
 * (ports in the host's order, a route's protocol as one of IP), shows as bytes,
 * or knows more of than ktrctl, for which it is bytes.
 */
static const struct {
	unsigned short first, last, attribute;
} left_out[] = {
	{ RTM_NEWLINK, RTM_SETLINK, IFLA_PROTINFO },
	{ RTM_NEWLINK, RTM_SETLINK, IFLA_VFINFO_LIST },
	{ RTM_NEWLINK, RTM_SETLINK, IFLA_VF_PORTS },
	{ RTM_NEWLINK, RTM_SETLINK, IFLA_PORT_SELF },
	{ RTM_NEWLINK, RTM_SETLINK, IFLA_PROTO_DOWN_REASON },
	{ RTM_NEWLINK, RTM_SETLINK, IFLA_EXT_MASK },
	{ RTM_NEWROUTE, RTM_GETROUTE, RTA_MULTIPATH },
	{ RTM_NEWROUTE, RTM_GETROUTE, RTA_MFC_STATS },
	{ RTM_NEWROUTE, RTM_GETROUTE, RTA_VIA },
	{ RTM_NEWROUTE, RTM_GETROUTE, RTA_SPORT },
	{ RTM_NEWROUTE, RTM_GETROUTE, RTA_DPORT },
	{ RTM_NEWROUTE, RTM_GETROUTE, RTA_NH_ID },
	{ RTM_NEWNEIGH, RTM_GETNEIGH, NDA_PROTOCOL },
	{ RTM_NEWNEIGH, RTM_GETNEIGH, NDA_FDB_EXT_ATTRS },
	{ RTM_NEWRULE, RTM_GETRULE, FRA_TUN_ID },
	{ RTM_NEWRULE, RTM_GETRULE, FRA_IP_PROTO },
	{ RTM_NEWNEIGH, RTM_GETNEIGH, NDA_FLAGS_EXT },
	{ RTM_NEWNEIGH, RTM_GETNEIGH, NDA_NDM_STATE_MASK },
	{ RTM_NEWNEIGH, RTM_GETNEIGH, NDA_NDM_FLAGS_MASK },
};

static int is_left_out(unsigned int type, unsigned int attribute)
{
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++)
		if (type >= left_out[i].first && type <= left_out[i].last &&
		    attribute == left_out[i].attribute)
			return 1;
	return 0;
}

/* One attribute with all sizes. */
static void all_sizes(int fd, unsigned int type, const void *head, size_t n,
		      unsigned int flags, unsigned int attribute)
{
	for (unsigned int how = 0; how < 3; how++) {
		message(type, flags);
		put(head, n);
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			size_t at;

			if (sizes[i] > 6 && is_address(type, attribute))
				break;
			at = attr_begin(attribute);

			put_fill(sizes[i], how);
			attr_end(at);
		}
		post(fd);
	}
}

static void attributes(int fd, unsigned int type, const void *head, size_t n,
		       unsigned int flags, unsigned int max)
{
	for (unsigned int i = 0; i <= max + 2; i++)
		if (!is_left_out(type, i))
			all_sizes(fd, type, head, n, flags, i);
}

/* Settings and counters of a family. */
static int is_array(const unsigned int *outer, unsigned int depth,
		    unsigned int inner)
{
	return depth == 2 && outer[0] == IFLA_AF_SPEC &&
	       (outer[1] == AF_INET ? inner == IFLA_INET_CONF :
		inner == IFLA_INET6_CONF || inner == IFLA_INET6_STATS);
}

/* The same inside "outer". */
static void nested(int fd, unsigned int type, const void *head, size_t n,
		   const unsigned int *outer, unsigned int depth,
		   unsigned int max, const char *kind)
{
	for (unsigned int inner = 0; inner <= max + 1; inner++) {
		size_t at[4];

		message(type, NLM_F_REQUEST);
		put(head, n);
		for (unsigned int i = 0; i < depth; i++) {
			at[i] = attr_begin(outer[i] | (i ? 0 : NLA_F_NESTED));
			if (kind && !i)
				attr(IFLA_INFO_KIND, kind, strlen(kind) + 1);
		}
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			size_t in;

			/* of constants strace takes no more */
			if (sizes[i] > 8 && !is_array(outer, depth, inner))
				break;
			in = attr_begin(inner);

			put_fill(sizes[i], inner % 3);
			attr_end(in);
		}
		for (unsigned int i = depth; i--; )
			attr_end(at[i]);
		post(fd);
	}
}

#define NESTED(type, head, max, kind, ...)					\
	nested(fd, type, &head, sizeof(head), (unsigned int[]){ __VA_ARGS__ },	\
	       ARRAY_SIZE(((unsigned int[]){ __VA_ARGS__ })), max, kind)

static void route(int fd)
{
	struct ifinfomsg link = { .ifi_type = 1, .ifi_flags = 0x11043 };
	struct ifaddrmsg addr = { .ifa_family = AF_INET, .ifa_prefixlen = 24,
		.ifa_flags = 0x82, .ifa_scope = RT_SCOPE_LINK };
	struct rtmsg rt = { .rtm_family = AF_INET, .rtm_dst_len = 32,
		.rtm_tos = 8, .rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = RTPROT_STATIC, .rtm_type = RTN_UNICAST,
		.rtm_flags = 0x300 };
	struct ndmsg nd = { .ndm_family = AF_INET6, .ndm_state = NUD_STALE,
		.ndm_flags = NTF_ROUTER, .ndm_type = RTN_UNICAST };
	struct fib_rule_hdr rule = { .family = AF_INET, .table = 254,
		.action = FR_ACT_TO_TBL, .flags = 2 };

	attributes(fd, RTM_NEWLINK, &link, sizeof(link),
		   NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL, 61);
	NESTED(RTM_NEWLINK, link, IFLA_INFO_SLAVE_DATA, NULL, IFLA_LINKINFO);
	NESTED(RTM_NEWLINK, link, IFLA_BR_GROUP_FWD_MASK - 3, "bridge",
	       IFLA_LINKINFO, IFLA_INFO_DATA);
	NESTED(RTM_NEWLINK, link, 9, "tun", IFLA_LINKINFO, IFLA_INFO_DATA);
	NESTED(RTM_NEWLINK, link, 3, "veth", IFLA_LINKINFO, IFLA_INFO_DATA);
	NESTED(RTM_NEWLINK, link, 8, NULL, IFLA_XDP);
	NESTED(RTM_NEWLINK, link, 1, NULL, IFLA_AF_SPEC, AF_INET);
	NESTED(RTM_NEWLINK, link, 9, NULL, IFLA_AF_SPEC, AF_INET6);
	NESTED(RTM_NEWLINK, link, 9, NULL, IFLA_AF_SPEC, AF_BRIDGE);
	attributes(fd, RTM_NEWADDR, &addr, sizeof(addr), NLM_F_ACK, 10);
	addr.ifa_family = AF_INET6;
	attributes(fd, RTM_DELADDR, &addr, sizeof(addr), NLM_F_ACK, 10);
	attributes(fd, RTM_NEWROUTE, &rt, sizeof(rt), NLM_F_REPLACE, 30);
	rt.rtm_family = AF_INET6;
	attributes(fd, RTM_GETROUTE, &rt, sizeof(rt), NLM_F_DUMP, 30);
	NESTED(RTM_NEWROUTE, rt, 15, NULL, RTA_METRICS);
	attributes(fd, RTM_NEWNEIGH, &nd, sizeof(nd), NLM_F_APPEND, 16);
	attributes(fd, RTM_NEWRULE, &rule, sizeof(rule), NLM_F_ROOT, 24);
	attributes(fd, RTM_DELRULE, &rule, sizeof(rule), NLM_F_NONREC, 3);
}

/* Routing messages whose head has fields for strace, and bytes for ktrctl. */
static int has_no_row(unsigned int type)
{
	return (type >= RTM_NEWACTION && type <= 79 && type != RTM_GETMULTICAST &&
		type != RTM_GETANYCAST) || (type >= RTM_NEWMDB && type < RTM_NEWNSID) ||
	       type > RTM_GETNSID;
}

/* Heads of all lengths, of every type there is. */
static void heads(int fd, unsigned int first, unsigned int last,
		  const unsigned int *flags, unsigned int nflags)
{
	for (unsigned int type = first; type <= last; type++)
		for (unsigned int n = 0; n <= 24 && !(last > 40 &&
		     has_no_row(type)); n += n < 4 ? 2 : 10) {
			message(type, flags[(type + n) % nflags]);
			put_fill(n, n % 3 == 1 ? 0 : 2);
			if (n)
				m.p[NLMSG_HDRLEN] %= 32;
			post(fd);
		}
}

/* Two hops, and attributes of the first. */
static void multipath(int fd)
{
	struct rtmsg rt = { .rtm_family = AF_INET };
	struct rtnexthop hop = { .rtnh_flags = RTNH_F_ONLINK, .rtnh_hops = 3 };
	size_t at;

	message(RTM_NEWROUTE, NLM_F_REQUEST);
	put(&rt, sizeof(rt));
	at = attr_begin(RTA_MULTIPATH);
	hop.rtnh_len = sizeof(hop) + 8;
	put(&hop, sizeof(hop));
	attr(RTA_GATEWAY, "\x0a\0\0\1", 4);
	hop.rtnh_len = sizeof(hop) + 16;
	put(&hop, sizeof(hop));
	attr(RTA_GATEWAY, "\x0a\0\0\2", 4);
	attr(RTA_FLOW, "\1\0\0\0", 4);
	attr_end(at);
	post(fd);
}

static void diag(int fd)
{
	static const unsigned char inet[] = {
		INET_DIAG_MEMINFO, INET_DIAG_CONG, INET_DIAG_TOS,
		INET_DIAG_TCLASS, INET_DIAG_SKMEMINFO, INET_DIAG_SKV6ONLY,
		INET_DIAG_MARK, INET_DIAG_CLASS_ID, INET_DIAG_CGROUP_ID,
	};
	struct inet_diag_req_v2 req = { .sdiag_family = AF_INET,
		.sdiag_protocol = IPPROTO_TCP, .idiag_ext = 3,
		.idiag_states = 0x402 };
	struct inet_diag_msg msg = { .idiag_family = AF_INET6,
		.idiag_state = 10, .id = { .idiag_sport = 0x1600 } };
	struct unix_diag_msg un = { .udiag_family = AF_UNIX,
		.udiag_type = SOCK_STREAM, .udiag_state = 1, .udiag_ino = 9 };
	struct unix_diag_req uq = { .sdiag_family = AF_UNIX,
		.udiag_states = ~0u, .udiag_show = 0xff };

	message(SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP);
	put(&req, sizeof(req));
	post(fd);
	/* Those of which ktrctl knows more than bytes. */
	for (size_t i = 0; i < ARRAY_SIZE(inet); i++)
		all_sizes(fd, SOCK_DIAG_BY_FAMILY, &msg, sizeof(msg),
			  NLM_F_MULTI, inet[i]);
	for (unsigned int i = 1; i < UNIX_DIAG_SHUTDOWN; i++)
		all_sizes(fd, SOCK_DIAG_BY_FAMILY, &un, sizeof(un),
			  NLM_F_MULTI, i);
	message(SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP);
	put(&uq, sizeof(uq));
	post(fd);
}

/* Errors with what they are about, whole or not; ends; several in one. */
static void errors(int fd)
{
	struct nlmsghdr of = { .nlmsg_len = 20, .nlmsg_type = RTM_GETNSID,
		.nlmsg_flags = NLM_F_REQUEST };
	static const int codes[] = { 0, -2, -22, 5, -4000 };
	static const unsigned int flags[] = {
		0, NLM_F_CAPPED, NLM_F_ACK_TLVS, NLM_F_CAPPED | NLM_F_ACK_TLVS,
	};

	for (size_t i = 0; i < ARRAY_SIZE(codes) * ARRAY_SIZE(flags); i++) {
		message(NLMSG_ERROR, flags[i % 4]);
		put(&codes[i / 4], 4);
		put(&of, sizeof(of));
		if (!(flags[i % 4] & NLM_F_CAPPED))
			put("\0\0\0", 4);
		if (flags[i % 4] & NLM_F_ACK_TLVS)
			attr(NLMSGERR_ATTR_MSG, "no such thing", 14);
		post(fd);
	}
	for (unsigned int type = 0; type < 16; type++)
		for (unsigned int n = 0; n < 9; n += n < 4 ? 2 : 4) {
			message(type, NLM_F_MULTI);
			put("\376\377\377\377abcd", n);
			post(fd);
		}
	flush(fd);
	for (unsigned int n = 1; n < 60; n += 5) {
		struct nlmsghdr h = { .nlmsg_len = 20,
			.nlmsg_type = RTM_GETADDR, .nlmsg_flags = n };

		m.n = 0;
		while (m.n < n) {
			put(&h, sizeof(h));
			put("\2\0\0\0", 4);
		}
		sendto(fd, m.p, n, 0, (void *)&to, sizeof(to));
	}
}

int main(void)
{
	static const unsigned int flags[] = {
		1, 0x301, 0x605, 0x100, 0xfff, 0xf000,
	};
	static const int protocols[] = {
		NETLINK_ROUTE, NETLINK_SOCK_DIAG, NETLINK_AUDIT,
		NETLINK_NETFILTER, NETLINK_KOBJECT_UEVENT,
	};

	struct sockaddr_nl me = { .nl_family = AF_NETLINK };

	for (size_t i = 0; i < ARRAY_SIZE(protocols); i++) {
		int fd = socket(AF_NETLINK, SOCK_RAW, protocols[i]);

		if (fd < 0 || bind(fd, (void *)&me, sizeof(me)) < 0)
			continue;
		if (protocols[i] == NETLINK_ROUTE)
			route(fd), multipath(fd);
		if (protocols[i] == NETLINK_SOCK_DIAG)
			diag(fd);
		if (protocols[i] != NETLINK_KOBJECT_UEVENT)
			errors(fd);
		heads(fd, 16, protocols[i] == NETLINK_ROUTE ? 120 : 24, flags,
		      ARRAY_SIZE(flags));
		flush(fd);
		close(fd);
	}
	return 0;
}
