// SPDX-License-Identifier: GPL-2.0-only
/* Commands on the kernel modules that a session waits for. */
#include "netlink.h"
#include "session.h"

static void explain(int ret, struct netlink_ext_ack *ack)
{
	if (ret == -EINVAL)
		NL_SET_ERR_MSG_MOD(ack, "the module's name or the globs of its functions are missing or cut off");
	else if (ret == -EEXIST)
		NL_SET_ERR_MSG_MOD(ack, "the module is waited for already");
	else if (ret == -ENOENT)
		NL_SET_ERR_MSG_MOD(ack, "the module is not waited for");
	else if (ret == -E2BIG)
		NL_SET_ERR_MSG_FMT_MOD(ack, "a session waits for at most %u modules, by at most %u commands each",
				       KTR_WAITS_MAX, KTR_WAIT_LAYERS_MAX);
}

static int change(struct ktr_session *s, struct genl_info *info, bool del)
{
	struct nlattr **a = info->attrs;
	u32 flags = a[KTR_A_FLAGS] ? nla_get_u32(a[KTR_A_FLAGS]) : 0;
	u32 known = KTR_FUNCS_F_RET | KTR_FUNCS_F_BELOW | KTR_FUNCS_F_GRAPH |
		    (del ? KTR_FUNCS_F_UNDO : 0);
	struct ktr_wait_ask ask = { .op = KTR_FUNCTIONS_DEL, .undo = flags & KTR_FUNCS_F_UNDO };
	int ret = ktr_nl_refuse_plain(s, info->extack);

	if (ret)
		return ret;
	if (flags & ~known) {
		NL_SET_ERR_MSG_ATTR(info->extack, a[KTR_A_FLAGS], "unknown flag");
		return -EOPNOTSUPP;
	}
	ask.name = a[KTR_A_MODULE] ? nla_data(a[KTR_A_MODULE]) : "";
	if (a[KTR_A_GLOBS]) {
		ask.globs = nla_data(a[KTR_A_GLOBS]);
		ask.len = nla_len(a[KTR_A_GLOBS]);
	}
	if (!del || ask.undo)
		ask.op = ktr_nl_functions_op(flags);
	if (a[KTR_A_GRAPH_DEPTH])
		ask.depth = nla_get_u32(a[KTR_A_GRAPH_DEPTH]);
	ret = ktr_session_wait(s, &ask);
	explain(ret, info->extack);
	return ret;
}

static int add(struct ktr_session *s, struct genl_info *info)
{
	return change(s, info, false);
}

int ktr_nl_wait_add(struct sk_buff *skb, struct genl_info *info)
{
	return ktr_nl_with_session(skb, info, add);
}

static int del(struct ktr_session *s, struct genl_info *info)
{
	return change(s, info, true);
}

int ktr_nl_wait_del(struct sk_buff *skb, struct genl_info *info)
{
	return ktr_nl_with_session(skb, info, del);
}

static u32 flags_of(const struct ktr_wait_layer *l)
{
	static const u32 flags[] = {
		[KTR_FUNCTIONS_DEL] = KTR_FUNCS_F_UNDO,
		[KTR_FUNCTIONS_ADD] = 0,
		[KTR_FUNCTIONS_ADD_RETURNS] = KTR_FUNCS_F_RET,
		[KTR_FUNCTIONS_ADD_BELOW] = KTR_FUNCS_F_BELOW,
		[KTR_FUNCTIONS_ADD_GRAPHS] = KTR_FUNCS_F_GRAPH,
	};

	return flags[l->op];
}

static int put_nth(struct sk_buff *skb, struct ktr_session *s, u32 index)
{
	const struct ktr_wait_layer *l;
	const struct ktr_wait *wait;
	int ret = 1;

	mutex_lock(&s->lock);
	l = ktr_waits_nth(&s->waits, index, &wait);
	if (l)
		ret = nla_put_string(skb, KTR_A_MODULE, wait->name) ||
		      nla_put(skb, KTR_A_GLOBS, l->len, l->globs) ||
		      nla_put_u32(skb, KTR_A_FLAGS, flags_of(l)) ? -EMSGSIZE : 0;
	mutex_unlock(&s->lock);
	return ret;
}

int ktr_nl_wait_start(struct netlink_callback *cb)
{
	struct ktr_who who;

	cb->min_dump_alloc = round_up(KTR_GLOBS_BYTES_MAX + NLMSG_GOODSIZE, 1024);
	return ktr_netlink_who(cb->skb, &who, cb->extack);
}

int ktr_nl_wait_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return ktr_nl_dump_items(skb, cb, KTR_CMD_WAIT_GET, put_nth);
}
