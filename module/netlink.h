/* SPDX-License-Identifier: GPL-2.0-only */
/* The control door: generic netlink family "ktracer". */
#ifndef _KTR_NETLINK_H
#define _KTR_NETLINK_H

#include <net/genetlink.h>
#include "functions.h"

int ktr_netlink_init(void);
void ktr_netlink_exit(void);

struct ktr_failure_facts;
struct ktr_session;
struct ktr_who;

/* Who sends @skb, or receives the dump that it asked for; as ktr_permit_who(). */
int ktr_netlink_who(struct sk_buff *skb, struct ktr_who *who, struct netlink_ext_ack *ack);

/*
 * The session that KTR_A_SESSION or KTR_A_NAME names, referenced, if the sender of
 * @skb may use it; or ERR_PTR.
 */
struct ktr_session *ktr_netlink_session(struct sk_buff *skb, struct nlattr **attrs,
					struct netlink_ext_ack *ack);

/*
 * -EPERM, told in the ack, for a plain user's session: kernel functions are not for it,
 * nor which addresses could be hooked.
 */
int ktr_nl_refuse_plain(const struct ktr_session *s, struct netlink_ext_ack *ack);
/* What a command with these KTR_FUNCS_F_* adds. */
enum ktr_functions_op ktr_nl_functions_op(u32 flags);
/* Check, find the session, run @fn on it. */
int ktr_nl_with_session(struct sk_buff *skb, struct genl_info *info,
			int (*fn)(struct ktr_session *s, struct genl_info *info));
/*
 * The frame of a dump: items 0, 1, ... of a session until put() says there is
 * none (1) or no room (-EMSGSIZE). cb->args[0]: the next item.
 */
int ktr_nl_dump_items(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		      int (*put)(struct sk_buff *skb, struct ktr_session *s, u32 index));

/* netlink_session.c */
size_t ktr_nl_session_size(void);
int ktr_nl_session_new(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_session_del(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_session_set(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_session_get(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_session_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* netlink_targets.c */
int ktr_nl_target_add(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_target_del(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_target_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* netlink_lists.c */
int ktr_nl_syscall_add(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_syscall_del(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_syscall_dump(struct sk_buff *skb, struct netlink_callback *cb);
int ktr_nl_func_add(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_func_del(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_func_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* netlink_frows.c */
int ktr_nl_frows_add(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_frows_start(struct netlink_callback *cb);
int ktr_nl_frows_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* netlink_waits.c */
int ktr_nl_wait_add(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_wait_del(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_wait_start(struct netlink_callback *cb);
int ktr_nl_wait_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* netlink_file.c */
int ktr_nl_file(struct sk_buff *skb, struct genl_info *info);
int ktr_nl_put_failure(struct sk_buff *msg, const struct ktr_failure_facts *f);
/* The session that is meant has ended, and could not write its file; -ENOENT. */
int ktr_nl_drop_failure(struct sk_buff *skb, struct genl_info *info);

/* netlink_summary.c */
int ktr_nl_summary_start(struct netlink_callback *cb);
int ktr_nl_summary_dump(struct sk_buff *skb, struct netlink_callback *cb);
int ktr_nl_summary_done(struct netlink_callback *cb);

/* Heads of a reply and of a dump's message; NULL: no room. */
void *ktr_nl_reply_head(struct sk_buff *msg, struct genl_info *info);
void *ktr_nl_dump_head(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd);
int ktr_nl_send(struct sk_buff *msg, void *head, struct genl_info *info);

#endif
