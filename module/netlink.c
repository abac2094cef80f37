// SPDX-License-Identifier: GPL-2.0-only
/*
 * The family, its policy and its notices. Handlers translate attributes into
 * calls on a session and nothing else; each checks who asks, since every
 * command is open to be sent by anyone. A dump is checked again for each part of it,
 * since another may receive it than the one who asked.
 */
#include <linux/err.h>
#include <linux/nsproxy.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include "capture.h"
#include "narrow.h"
#include "netlink.h"
#include "probes.h"
#include "session.h"

static struct netlink_range_validation buf_range = {
	.min = KTR_BUF_MIN, .max = KTR_BUF_MAX,
};

/* Descriptors and ids of tasks: positive numbers of an int. */
static struct netlink_range_validation fd_range = { .max = INT_MAX };
static struct netlink_range_validation slots_range = {
	.min = KTR_SUM_SLOTS_MIN, .max = KTR_SUM_SLOTS_MAX,
};

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
	[KTR_A_PATHS]		= { .type = NLA_BINARY, .len = KTR_PATHS_BYTES_MAX },
	[KTR_A_LABEL]		= { .type = NLA_U64 },
	[KTR_A_FILE_NAME]	= { .type = NLA_NUL_STRING, .len = PATH_MAX - 1 },
	[KTR_A_STACK]		= NLA_POLICY_EXACT_LEN(sizeof(struct ktr_stack_want)),
	[KTR_A_DRAIN]		= NLA_POLICY_MAX(NLA_U32, 1),
	[KTR_A_TARGET_KIND]	= NLA_POLICY_MAX(NLA_U32, __KTR_TARGET_LAST - 1),
	[KTR_A_TARGET_ID]	= { .type = NLA_U32 },
	[KTR_A_ROWS]		= { .type = NLA_BINARY, .len = KTR_ROWS_BYTES_MAX },
	[KTR_A_FUNC_ROWS]	= { .type = NLA_BINARY, .len = KTR_ROWS_BYTES_MAX },
	[KTR_A_GRAPH_DEPTH]	= { .type = NLA_U32 },
	[KTR_A_SUMMARY]		= { .type = NLA_U32 },
	[KTR_A_SUM_SLOTS]	= NLA_POLICY_FULL_RANGE(NLA_U32, &slots_range),
	[KTR_A_MODULE]		= { .type = NLA_NUL_STRING, .len = MODULE_NAME_LEN - 1 },
	[KTR_A_GLOBS]		= { .type = NLA_BINARY, .len = KTR_GLOBS_BYTES_MAX },
	[KTR_A_ADDRS]		= { .type = NLA_BINARY, .len = KTR_FUNCS_MSG_MAX * sizeof(u64) },
};

/*
 * netlink_capable() asks about the sender, and about the opener only where the
 * sender gave no address. Here both are asked about, always.
 */
int ktr_netlink_who(struct sk_buff *skb, struct ktr_who *who, struct netlink_ext_ack *ack)
{
	struct socket *sock = NETLINK_CB(skb).sk->sk_socket;

	if (sock && sock->file)
		return ktr_permit_who(sock->file, who, ack);
	NL_SET_ERR_MSG_MOD(ack, "nobody has opened this socket");
	return -EPERM;
}

struct ktr_session *ktr_netlink_session(struct sk_buff *skb, struct nlattr **attrs,
					struct netlink_ext_ack *ack)
{
	struct ktr_session *s;
	struct ktr_who who;
	int ret;

	ret = ktr_netlink_who(skb, &who, ack);
	if (ret)
		return ERR_PTR(ret);
	if (!attrs[KTR_A_SESSION] == !attrs[KTR_A_NAME]) {
		NL_SET_ERR_MSG_MOD(ack, "name the session by number or by name");
		return ERR_PTR(-EINVAL);
	}
	if (attrs[KTR_A_NAME])
		s = ktr_session_find(0, nla_data(attrs[KTR_A_NAME]), &who);
	else
		s = ktr_session_find(nla_get_u32(attrs[KTR_A_SESSION]), NULL, &who);
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

/* What of the machine is @who's to know: a plain user learns of himself alone. */
static int put_limits(struct sk_buff *msg, const struct ktr_who *who)
{
	u64 kinds = ktr_probes_kinds(), probes = ktr_probes_attached();
	u64 max = ktr_channel_max_bytes(), used = ktr_channel_used_bytes();

	if (!who->privileged) {
		struct ktr_user *user = ktr_user_get(who->cred);

		if (IS_ERR(user))
			return PTR_ERR(user);
		kinds &= ktr_permit_plain_kinds();
		probes = 0;
		max = ktr_user_max_bytes();
		used = ktr_user_bytes(user);
		ktr_user_put(user);
	}
	return nla_put_u64_64bit(msg, KTR_A_EVENTS, kinds, KTR_A_PAD) ||
	       nla_put_u64_64bit(msg, KTR_A_PROBES, probes, KTR_A_PAD) ||
	       nla_put_u64_64bit(msg, KTR_A_MAX_BYTES, max, KTR_A_PAD) ||
	       nla_put_u64_64bit(msg, KTR_A_USED_BYTES, used, KTR_A_PAD) ||
	       (who->privileged && nla_put_u32(msg, KTR_A_NARROW, ktr_narrow_state())) ||
	       nla_put_u32(msg, KTR_A_PRIVILEGED, who->privileged);
}

static int info_get(struct sk_buff *skb, struct genl_info *info)
{
	struct ktr_who who;
	struct sk_buff *msg;
	void *head;
	int ret;

	ret = ktr_netlink_who(skb, &who, info->extack);
	if (ret)
		return ret;
	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	head = ktr_nl_reply_head(msg, info);
	if (!head || nla_put_u32(msg, KTR_A_VERSION, KTR_VERSION) ||
	    nla_put_string(msg, KTR_A_RELEASE, KTR_RELEASE) ||
	    put_limits(msg, &who) ||
	    nla_put_u32(msg, KTR_A_GENIO_SIZE, READ_ONCE(ktr_genio_size)) ||
	    nla_put_u32(msg, KTR_A_REQUEST_POOL, READ_ONCE(ktr_request_pool)) ||
	    nla_put_u32(msg, KTR_A_NCPUS, num_possible_cpus())) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	return ktr_nl_send(msg, head, info);
}

static int dump_start(struct netlink_callback *cb)
{
	struct ktr_who who;

	/* One session's counters must fit into a message, however many CPUs. */
	cb->min_dump_alloc = ktr_nl_session_size();
	return ktr_netlink_who(cb->skb, &who, cb->extack);
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
	{ .cmd = KTR_CMD_FUNC_ROWS_ADD,	.doit = ktr_nl_frows_add },
	{ .cmd = KTR_CMD_FUNC_ROWS_GET,
	  .start = ktr_nl_frows_start,	.dumpit = ktr_nl_frows_dump },
	{ .cmd = KTR_CMD_WAIT_ADD,	.doit = ktr_nl_wait_add },
	{ .cmd = KTR_CMD_WAIT_DEL,	.doit = ktr_nl_wait_del },
	{ .cmd = KTR_CMD_WAIT_GET,
	  .start = ktr_nl_wait_start,	.dumpit = ktr_nl_wait_dump },
	{ .cmd = KTR_CMD_FILE,		.doit = ktr_nl_file },
	{ .cmd = KTR_CMD_SUMMARY_GET,
	  .start = ktr_nl_summary_start, .dumpit = ktr_nl_summary_dump,
	  .done = ktr_nl_summary_done },
};

static const struct genl_multicast_group groups[] = {
	/* They are about everybody's sessions. */
	{ .name = KTR_GENL_NOTICES, .flags = GENL_MCAST_CAP_SYS_ADMIN },
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
	.resv_start_op	= KTR_CMD_MAX + 1,
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

/* In the context of its last user, after all that he has sent was done. */
static int socket_event(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct netlink_notify *n = data;

	if (event == NETLINK_URELEASE && n->protocol == NETLINK_GENERIC)
		ktr_sessions_maker_gone(&(struct ktr_maker){ n->net, n->portid });
	return NOTIFY_DONE;
}

static struct notifier_block sockets = { .notifier_call = socket_event };

int ktr_netlink_init(void)
{
	int ret = netlink_register_notifier(&sockets);

	if (ret)
		return ret;
	ktr_session_notify = send_notice;
	ret = genl_register_family(&family);
	if (ret)
		netlink_unregister_notifier(&sockets);
	return ret;
}

void ktr_netlink_exit(void)
{
	WRITE_ONCE(ktr_session_notify, NULL);
	genl_unregister_family(&family);
	/* Nobody makes a session any more. Waits for one that runs. */
	netlink_unregister_notifier(&sockets);
}
