/* SPDX-License-Identifier: GPL-2.0-only */
/* The control door: generic netlink family "ktracer". */
#ifndef _KTR_NETLINK_H
#define _KTR_NETLINK_H

#include <net/genetlink.h>

int ktr_netlink_init(void);
void ktr_netlink_exit(void);

/* Opener and sender must both be privileged; 0 or -EPERM, told in the ack. */
int ktr_netlink_check(struct sk_buff *skb, struct netlink_ext_ack *ack);

struct ktr_session;

/* The session that KTR_A_SESSION or KTR_A_NAME names, referenced, or ERR_PTR. */
struct ktr_session *ktr_netlink_session(struct nlattr **attrs, struct netlink_ext_ack *ack);

/* netlink_session.c */
size_t ktr_nl_session_size(void);
int ktr_nl_session_new(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_session_del(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_session_set(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_session_get(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_session_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* netlink_lists.c */
int ktr_nl_target_add(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_target_del(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_target_dump(struct sk_buff *skb, struct netlink_callback *cb);
int ktr_nl_syscall_add(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_syscall_del(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_syscall_dump(struct sk_buff *skb, struct netlink_callback *cb);
int ktr_nl_func_add(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_func_del(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_func_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* Heads of a reply and of a dump's message; NULL: no room. */
void *ktr_nl_reply_head(struct sk_buff *msg, struct genl_info *info);
void *ktr_nl_dump_head(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd);
int ktr_nl_send(struct sk_buff *msg, void *head, struct genl_info *info);

#endif
