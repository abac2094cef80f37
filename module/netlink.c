// SPDX-License-Identifier: GPL-2.0-only
/*
 * The family, its policy and its notices. Handlers translate attributes into
 * calls on a session and nothing else; each checks who asks, since every
 * command is open to be sent by anyone.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/nsproxy.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include "narrow.h"
#include "netlink.h"
#include "probes.h"
#include "session.h"

static struct netlink_range_validation buf_range = {
	.min = KTR_BUF_MIN, .max = KTR_BUF_MAX,
};

/* Descriptors and ids of tasks: positive numbers of an int. */
static struct netlink_range_validation fd_range = { .max = INT_MAX };
static struct netlink_range_validation id_range = { .min = 1, .max = INT_MAX };

static const struct nla_policy policy[KTR_A_MAX + 1] = {
	[KTR_A_SESSION]		= { .type = NLA_U32 },
	[KTR_A_NAME]		= { .type = NLA_NUL_STRING, .len = KTR_NAME_MAX - 1 },
	[KTR_A_FD]		= NLA_POLICY_FULL_RANGE(NLA_U32, &fd_range),
	[KTR_A_MODE]		= NLA_POLICY_MAX(NLA_U32, __KTR_MODE_LAST - 1),
	[KTR_A_BUF_SIZE]	= NLA_POLICY_FULL_RANGE(NLA_U64, &buf_range),
	[KTR_A_CTL_SIZE]	= NLA_POLICY_FULL_RANGE(NLA_U64, &buf_range),
	[KTR_A_WATERMARK]	= NLA_POLICY_MIN(NLA_U64, 1),
	[KTR_A_FLUSH_MS]	= NLA_POLICY_RANGE(NLA_U32, 1, 10000),
	[KTR_A_FLAGS]		= { .type = NLA_U32 },
	[KTR_A_STATE]		= NLA_POLICY_MAX(NLA_U32, KTR_STATE_RUNNING),
	[KTR_A_EVENTS]		= { .type = NLA_U64 },
	[KTR_A_EVENTS_ADD]	= { .type = NLA_U64 },
	[KTR_A_EVENTS_DEL]	= { .type = NLA_U64 },
	[KTR_A_SIGNALS]		= { .type = NLA_U64 },
	[KTR_A_SIGNALS_ADD]	= { .type = NLA_U64 },
	[KTR_A_SIGNALS_DEL]	= { .type = NLA_U64 },
	[KTR_A_FILTER]		= { .type = NLA_BINARY,
				    .len = KTR_PREDS_MAX * sizeof(struct ktr_pred) },
	[KTR_A_DRAIN]		= NLA_POLICY_MAX(NLA_U32, 1),
	[KTR_A_TARGET_KIND]	= NLA_POLICY_MAX(NLA_U32, __KTR_TARGET_LAST - 1),
	[KTR_A_TARGET_ID]	= NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
	[KTR_A_ROWS]		= { .type = NLA_BINARY, .len = KTR_ROWS_BYTES_MAX },
	[KTR_A_ADDRS]		= { .type = NLA_BINARY, .len = KTR_FUNCS_MSG_MAX * sizeof(u64) },
};

/*
 * netlink_capable() asks about the sender, and about the opener only where the
 * sender gave no address: so the opener is asked about here.
 */
static bool both_have(struct sk_buff *skb, int cap)
{
	struct socket *sock = NETLINK_CB(skb).sk->sk_socket;

	return netlink_capable(skb, cap) && sock && sock->file &&
	       file_ns_capable(sock->file, &init_user_ns, cap);
}

int ktr_netlink_check(struct sk_buff *skb, struct netlink_ext_ack *ack)
{
	if (both_have(skb, CAP_SYS_ADMIN) || both_have(skb, CAP_PERFMON))
		return 0;
	NL_SET_ERR_MSG_MOD(ack, "CAP_SYS_ADMIN or CAP_PERFMON is needed");
	return -EPERM;
}

struct ktr_session *ktr_netlink_session(struct nlattr **attrs, struct netlink_ext_ack *ack)
{
	struct ktr_session *s;

	if (!attrs[KTR_A_SESSION] == !attrs[KTR_A_NAME]) {
		NL_SET_ERR_MSG_MOD(ack, "name the session by number or by name");
		return ERR_PTR(-EINVAL);
	}
	if (attrs[KTR_A_NAME])
		s = ktr_session_find(0, nla_data(attrs[KTR_A_NAME]));
	else
		s = ktr_session_find(nla_get_u32(attrs[KTR_A_SESSION]), NULL);
	if (s)
		return s;
	NL_SET_ERR_MSG_MOD(ack, "no such session");
	return ERR_PTR(-ENOENT);
}

static struct genl_family family;

void *ktr_nl_reply_head(struct sk_buff *msg, struct genl_info *info)
{
	return genlmsg_put_reply(msg, info, &family, 0, info->genlhdr->cmd);
}

void *ktr_nl_dump_head(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &family,
			   NLM_F_MULTI, cmd);
}

int ktr_nl_send(struct sk_buff *msg, void *head, struct genl_info *info)
{
	genlmsg_end(msg, head);
	return genlmsg_reply(msg, info);
}

static int info_get(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *msg;
	void *head;
	int ret;

	ret = ktr_netlink_check(skb, info->extack);
	if (ret)
		return ret;
	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	head = ktr_nl_reply_head(msg, info);
	if (!head || nla_put_u32(msg, KTR_A_VERSION, KTR_VERSION) ||
	    nla_put_string(msg, KTR_A_RELEASE, KTR_RELEASE) ||
	    nla_put_u64_64bit(msg, KTR_A_EVENTS, ktr_probes_kinds(), KTR_A_PAD) ||
	    nla_put_u64_64bit(msg, KTR_A_MAX_BYTES, ktr_channel_max_bytes(), KTR_A_PAD) ||
	    nla_put_u64_64bit(msg, KTR_A_USED_BYTES, ktr_channel_used_bytes(), KTR_A_PAD) ||
	    nla_put_u32(msg, KTR_A_NARROW, ktr_narrow_state()) ||
	    nla_put_u32(msg, KTR_A_NCPUS, num_possible_cpus())) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	return ktr_nl_send(msg, head, info);
}

static int dump_start(struct netlink_callback *cb)
{
	/* One session's counters must fit into a message, however many CPUs. */
	cb->min_dump_alloc = ktr_nl_session_size();
	return ktr_netlink_check(cb->skb, cb->extack);
}

static const struct genl_ops ops[] = {
	{ .cmd = KTR_CMD_INFO,		.doit = info_get },
	{ .cmd = KTR_CMD_SESSION_NEW,	.doit = ktr_nl_session_new },
	{ .cmd = KTR_CMD_SESSION_DEL,	.doit = ktr_nl_session_del },
	{ .cmd = KTR_CMD_SESSION_SET,	.doit = ktr_nl_session_set },
	{ .cmd = KTR_CMD_SESSION_GET,	.doit = ktr_nl_session_get,
	  .start = dump_start,		.dumpit = ktr_nl_session_dump },
	{ .cmd = KTR_CMD_TARGET_ADD,	.doit = ktr_nl_target_add },
	{ .cmd = KTR_CMD_TARGET_DEL,	.doit = ktr_nl_target_del },
	{ .cmd = KTR_CMD_TARGET_GET,
	  .start = dump_start,		.dumpit = ktr_nl_target_dump },
	{ .cmd = KTR_CMD_SYSCALL_ADD,	.doit = ktr_nl_syscall_add },
	{ .cmd = KTR_CMD_SYSCALL_DEL,	.doit = ktr_nl_syscall_del },
	{ .cmd = KTR_CMD_SYSCALL_GET,
	  .start = dump_start,		.dumpit = ktr_nl_syscall_dump },
	{ .cmd = KTR_CMD_FUNC_ADD,	.doit = ktr_nl_func_add },
	{ .cmd = KTR_CMD_FUNC_DEL,	.doit = ktr_nl_func_del },
	{ .cmd = KTR_CMD_FUNC_GET,
	  .start = dump_start,		.dumpit = ktr_nl_func_dump },
};

static const struct genl_multicast_group groups[] = {
	{ .name = KTR_GENL_NOTICES },
};

static struct genl_family family __ro_after_init = {
	.name		= KTR_GENL_NAME,
	.version	= KTR_GENL_VERSION,
	.maxattr	= KTR_A_MAX,
	.policy		= policy,
	.module		= THIS_MODULE,
	.ops		= ops,
	.n_ops		= ARRAY_SIZE(ops),
	.mcgrps		= groups,
	.n_mcgrps	= ARRAY_SIZE(groups),
	/* A long attach must not stall other families. */
	.parallel_ops	= true,
	.netnsok	= true,
	.resv_start_op	= KTR_CMD_NOTICE + 1,
};

/* Whoever listens hears it; the truth is in KTR_CMD_SESSION_GET. */
static void send_notice(const struct ktr_session_notice *n)
{
	struct sk_buff *msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	void *head;

	if (!msg)
		return;
	head = genlmsg_put(msg, 0, 0, &family, 0, KTR_CMD_NOTICE);
	if (!head || nla_put_u32(msg, KTR_A_SESSION, n->session) ||
	    nla_put_u32(msg, KTR_A_NOTICE, n->what) ||
	    (n->what == KTR_NOTICE_TARGET_END &&
	     (nla_put_u32(msg, KTR_A_TARGET_ID, n->tid) ||
	      nla_put_u32(msg, KTR_A_END, n->end)))) {
		nlmsg_free(msg);
		return;
	}
	genlmsg_end(msg, head);
	genlmsg_multicast_netns(&family, &init_net, msg, 0, 0, GFP_KERNEL);
}

int ktr_netlink_init(void)
{
	ktr_session_notify = send_notice;
	return genl_register_family(&family);
}

void ktr_netlink_exit(void)
{
	WRITE_ONCE(ktr_session_notify, NULL);
	genl_unregister_family(&family);
}
