// SPDX-License-Identifier: GPL-2.0-only
/* Commands on what functions show. */
#include <linux/slab.h>
#include "frows.h"
#include "netlink.h"
#include "session.h"

static int add(struct ktr_session *s, struct genl_info *info)
{
	struct nlattr *rows = info->attrs[KTR_A_FUNC_ROWS];
	int ret = ktr_nl_refuse_plain(s, info->extack);

	if (ret)
		return ret;
	if (!rows) {
		NL_SET_ERR_MSG_MOD(info->extack, "rows of functions are missing");
		return -EINVAL;
	}
	ret = ktr_session_frows(s, nla_data(rows), nla_len(rows), info->extack);
	if (ret == -E2BIG)
		NL_SET_ERR_MSG_FMT_MOD(info->extack, "at most %u functions of a session show their arguments",
				       KTR_FUNC_ROWS_MAX);
	return ret;
}

int ktr_nl_frows_add(struct sk_buff *skb, struct genl_info *info)
{
	return ktr_nl_with_session(skb, info, add);
}

static int put_nth(struct sk_buff *skb, struct ktr_session *s, u32 index)
{
	void *buf = kmalloc(KTR_FROW_BYTES, GFP_KERNEL);
	int ret;

	if (!buf)
		return -ENOMEM;
	mutex_lock(&s->lock);
	ret = ktr_frows_copy(rcu_dereference_protected(s->stream.frows, lockdep_is_held(&s->lock)),
			     index, buf, KTR_FROW_BYTES);
	mutex_unlock(&s->lock);
	if (ret > 0)
		ret = nla_put(skb, KTR_A_FUNC_ROWS, ret, buf) ? -EMSGSIZE : 0;
	else if (!ret)
		ret = 1;
	kfree(buf);
	return ret;
}

int ktr_nl_frows_start(struct netlink_callback *cb)
{
	struct ktr_who who;

	cb->min_dump_alloc = round_up(KTR_FROW_BYTES + NLMSG_GOODSIZE, 1024);
	return ktr_netlink_who(cb->skb, &who, cb->extack);
}

int ktr_nl_frows_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return ktr_nl_dump_items(skb, cb, KTR_CMD_FUNC_ROWS_GET, put_nth);
}
