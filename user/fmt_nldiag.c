// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_nldiag.c - NETLINK_SOCK_DIAG: what sockets are asked for, and told of */
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>
#include "consts.h"
#include "netlink.h"

/* By address family, which stands first in all of them. */
static const struct {
	unsigned int family;
	const struct sys_layout *req, *msg;
	const struct nl_set *req_set, *msg_set;
} families[] = {
	{ AF_INET, &layout_inet_diag_req_v2, &layout_inet_diag_msg,
	  &nlset_inet_diag_req, &nlset_inet_diag },
	{ AF_INET6, &layout_inet_diag_req_v2, &layout_inet_diag_msg,
	  &nlset_inet_diag_req, &nlset_inet_diag },
	{ AF_UNIX, &layout_unix_diag_req, &layout_unix_diag_msg, NULL,
	  &nlset_unix_diag },
	{ AF_NETLINK, &layout_netlink_diag_req, &layout_netlink_diag_msg, NULL,
	  &nlset_netlink_diag },
	{ AF_PACKET, &layout_packet_diag_req, &layout_packet_diag_msg, NULL,
	  NULL },
};

static void put_rest(struct fmt *f, const struct sys_layout *l,
		     const struct nl_set *set, const unsigned char *p,
		     size_t n)
{
	size_t size = NLMSG_ALIGN(l->size[0]);

	if (n < l->size[0]) {
		fmt_open(f, '{');
		fmt_name(f, l->fields[0].name);
		fmt_enum(f, &xlat_addrfams, p[0]);
		fmt_more(f);
		return fmt_close(f, '}');
	}
	fmt_layout(f, l, p);
	if (n <= size || !set)
		return;
	fmt_sep(f);
	fmt_nlattrs(f, set, p + size, n - size, p[0]);
}

/* Both have the same type; answers come without NLM_F_REQUEST. */
static bool is_request(const unsigned char *p)
{
	const struct nlmsghdr *h = (const void *)(p - NLMSG_HDRLEN);
	uint16_t flags;

	memcpy(&flags, &h->nlmsg_flags, sizeof(flags));
	return flags & NLM_F_REQUEST;
}

bool fmt_nldiag(struct fmt *f, unsigned int type, const unsigned char *p,
		size_t n)
{
	bool request = is_request(p), inet = p[0] == AF_INET || p[0] == AF_INET6;
	bool old = type == TCPDIAG_GETSOCK || type == DCCPDIAG_GETSOCK;

	if (old && inet && request) {
		put_rest(f, &layout_inet_diag_req, &nlset_inet_diag_req, p, n);
		return true;
	}
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if (families[i].family != p[0] || (old && !inet))
			continue;
		if (request)
			put_rest(f, families[i].req, families[i].req_set, p, n);
		else
			put_rest(f, families[i].msg, families[i].msg_set, p, n);
		return true;
	}
	return false;
}
