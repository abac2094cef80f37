/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the ctl*.c files only: the pieces of a netlink exchange. */
#ifndef KTR_CTL_WIRE_H
#define KTR_CTL_WIRE_H

#include <linux/netlink.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "ctl.h"

/* Take one answer into *arg. */
typedef int (*ctl_parse_fn)(struct nlmsghdr *h, struct nlattr **tb, void *arg);

/* A message with room for that many bytes of attributes; NULL: no memory. */
struct nl_msg *ctl_request(struct ctl *ctl, int cmd, int flags, size_t room);
int ctl_put_ref(struct nl_msg *msg, struct ctl_ref ref);

/* Send if every put went well, take the answers; frees the message. */
int ctl_finish(struct ctl *ctl, struct nl_msg *msg, int puterr,
	       ctl_parse_fn parse, void *arg);

/* A request that names a session and nothing else. */
int ctl_simple(struct ctl *ctl, int cmd, int flags, struct ctl_ref ref,
	       ctl_parse_fn parse, void *arg);

/* An attribute's value; 0 if it is not there. */
uint32_t ctl_u32(struct nlattr **tb, int a);
uint64_t ctl_u64(struct nlattr **tb, int a);
void ctl_str(struct nlattr **tb, int a, char *dst, size_t size);

/* An array that answers of a dump are appended to. */
struct ctl_list {
	char *p;
	size_t n;
	size_t size;	/* of one entry */
};

void *ctl_list_add(struct ctl_list *l, size_t count);	/* zeroed */

#endif
