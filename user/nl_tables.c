// SPDX-License-Identifier: GPL-2.0-or-later
/* nl_tables.c - tables/netlink_*.h as data */
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/inet_diag.h>
#include <linux/neighbour.h>
#include <linux/net_namespace.h>
#include <linux/netconf.h>
#include <linux/netlink.h>
#include <linux/netlink_diag.h>
#include <linux/rtnetlink.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include "consts.h"
#include "netlink.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define NLSET(name)	static const struct nl_attr attrs_##name[] = {
#define NLATTR(t, k, ...)	{ .type = t, .kind = k, ##__VA_ARGS__ },
#define NLSET_END(name, x) };					\
	const struct nl_set nlset_##name = {			\
		.names = x, .attrs = attrs_##name,		\
		.n = COUNT(attrs_##name),			\
	};
#include "tables/netlink_sets.h"

#define MSG(first, last, layout, set)	\
	{ first, last, &layout_##layout, &nlset_##set },
const struct nl_msg nl_route_msgs[] = {
	MSG(RTM_NEWLINK, RTM_SETLINK, ifinfomsg, ifla)
	MSG(RTM_NEWADDR, RTM_GETADDR, ifaddrmsg, ifa)
	MSG(RTM_NEWROUTE, RTM_GETROUTE, rtmsg, rta)
	MSG(RTM_NEWNEIGH, RTM_GETNEIGH, ndmsg, nda)
	MSG(RTM_NEWRULE, RTM_GETRULE, fib_rule_hdr, fra)
	MSG(RTM_NEWQDISC, RTM_GETQDISC, tcmsg, tca)
	MSG(RTM_NEWTCLASS, RTM_GETTCLASS, tcmsg, tca)
	MSG(RTM_NEWTFILTER, RTM_GETTFILTER, tcmsg, tca)
	MSG(RTM_GETMULTICAST, RTM_GETMULTICAST, ifaddrmsg, ifa)
	MSG(RTM_GETANYCAST, RTM_GETANYCAST, ifaddrmsg, ifa)
	MSG(RTM_NEWNETCONF, RTM_GETNETCONF, netconfmsg, netconfa)
	MSG(RTM_NEWNSID, RTM_GETNSID, rtgenmsg, netnsa)
	MSG(RTM_NEWCHAIN, RTM_GETCHAIN, tcmsg, tca)
};

const unsigned int nl_route_msgs_n = COUNT(nl_route_msgs);
