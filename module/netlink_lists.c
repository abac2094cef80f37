// SPDX-License-Identifier: GPL-2.0-only
/* What a session selects: targets, rows of syscalls, functions. */
#include <linux/err.h>
#include <linux/slab.h>
#include "netlink.h"
#include "session.h"

/* Check, find the session, run @fn on it. */
static int with_session(struct sk_buff *skb, struct genl_info *info,
			int (*fn)(struct ktr_session *s, struct genl_info *info))
{
	struct ktr_session *s;
	int ret;

	ret = ktr_netlink_check(skb, info->extack);
	if (ret)
		return ret;
	s = ktr_netlink_session(info->attrs, info->extack);
	if (IS_ERR(s))
		return PTR_ERR(s);
	ret = fn(s, info);
	ktr_session_put(s);
	return ret;
}

static int reply_count(struct genl_info *info, u32 count)
{
	struct sk_buff *msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	void *head;

	if (!msg)
		return -ENOMEM;
	head = ktr_nl_reply_head(msg, info);
	if (!head || nla_put_u32(msg, KTR_A_NTARGETS, count)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	return ktr_nl_send(msg, head, info);
}

static int parse_attach(struct genl_info *info, struct ktr_attach *a)
{
	struct nlattr **attrs = info->attrs;

	if (!attrs[KTR_A_TARGET_KIND] || !attrs[KTR_A_TARGET_ID]) {
		NL_SET_ERR_MSG_MOD(info->extack, "a target needs its kind and its id");
		return -EINVAL;
	}
	a->kind = nla_get_u32(attrs[KTR_A_TARGET_KIND]);
	a->id = nla_get_u32(attrs[KTR_A_TARGET_ID]);
	a->flags = attrs[KTR_A_FLAGS] ? nla_get_u32(attrs[KTR_A_FLAGS]) : 0;
	if (!(a->flags & ~KTR_TARGET_F__ALL))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, attrs[KTR_A_FLAGS], "unknown flag");
	return -EOPNOTSUPP;
}

static int explain_target(int ret, struct netlink_ext_ack *ack)
{
	if (ret == -ESRCH)
		NL_SET_ERR_MSG_MOD(ack, "no such task");
	else if (ret == -EEXIST)
		NL_SET_ERR_MSG_MOD(ack, "a target of this session already");
	else if (ret == -EPERM)
		NL_SET_ERR_MSG_MOD(ack, "that is the session's own reader");
	return ret;
}

static int target_add(struct ktr_session *s, struct genl_info *info)
{
	struct ktr_attach a;
	int ret;

	ret = parse_attach(info, &a);
	if (ret)
		return ret;
	ret = ktr_session_attach(s, &a);
	return ret < 0 ? explain_target(ret, info->extack) : reply_count(info, ret);
}

int ktr_nl_target_add(struct sk_buff *skb, struct genl_info *info)
{
	return with_session(skb, info, target_add);
}

static int target_del(struct ktr_session *s, struct genl_info *info)
{
	bool all = !info->attrs[KTR_A_TARGET_KIND] && !info->attrs[KTR_A_TARGET_ID];
	struct ktr_attach a;
	int ret;

	ret = all ? 0 : parse_attach(info, &a);
	if (ret)
		return ret;
	ret = ktr_session_detach(s, all ? NULL : &a);
	if (ret == -ESRCH)
		NL_SET_ERR_MSG_MOD(info->extack, "not a target of this session");
	return ret < 0 ? ret : reply_count(info, ret);
}

int ktr_nl_target_del(struct sk_buff *skb, struct genl_info *info)
{
	return with_session(skb, info, target_del);
}

static int put_target(struct sk_buff *skb, const struct ktr_target_info *t)
{
	return nla_put_u32(skb, KTR_A_TARGET_ID, t->tid) ||
	       nla_put_u32(skb, KTR_A_TGID, t->tgid) ||
	       nla_put_u32(skb, KTR_A_FLAGS, t->flags) ||
	       nla_put_string(skb, KTR_A_COMM, t->comm) ||
	       nla_put_u64_64bit(skb, KTR_A_RECORDED, t->recorded, KTR_A_PAD) ||
	       nla_put_u64_64bit(skb, KTR_A_LOST, t->lost, KTR_A_PAD) ||
	       nla_put_u64_64bit(skb, KTR_A_SYSCALLS_LOST, t->syscalls_lost, KTR_A_PAD) ?
	       -EMSGSIZE : 0;
}

/*
 * The frame of a dump: items 0, 1, ... of a session until put() says there is
 * none (1) or no room (-EMSGSIZE). cb->args[0]: the next item.
 */
static int dump_items(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		      int (*put)(struct sk_buff *skb, struct ktr_session *s, u32 index))
{
	struct ktr_session *s = ktr_netlink_session(ktr_dump_attrs(cb), cb->extack);
	int ret = 0;

	if (IS_ERR(s))
		return PTR_ERR(s);
	while (!ret) {
		void *head = ktr_nl_dump_head(skb, cb, cmd);

		ret = head ? put(skb, s, cb->args[0]) : -EMSGSIZE;
		if (!ret) {
			genlmsg_end(skb, head);
			cb->args[0]++;
		} else if (head) {
			genlmsg_cancel(skb, head);
		}
	}
	ktr_session_put(s);
	return ret == 1 || skb->len ? skb->len : ret;
}

static int put_nth_target(struct sk_buff *skb, struct ktr_session *s, u32 index)
{
	struct ktr_target_info t;

	return ktr_targets_info(&s->targets, index, &t) ? put_target(skb, &t) : 1;
}

int ktr_nl_target_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_items(skb, cb, KTR_CMD_TARGET_GET, put_nth_target);
}

static int change_rows(struct ktr_session *s, struct genl_info *info, bool del)
{
	struct nlattr **a = info->attrs;
	u32 flags = a[KTR_A_FLAGS] ? nla_get_u32(a[KTR_A_FLAGS]) : 0;

	if (flags & ~KTR_ROWS_F__ALL) {
		NL_SET_ERR_MSG_ATTR(info->extack, a[KTR_A_FLAGS], "unknown flag");
		return -EOPNOTSUPP;
	}
	if (!a[KTR_A_ROWS])
		return ktr_session_rows(s, NULL, 0, flags, del, info->extack);
	return ktr_session_rows(s, nla_data(a[KTR_A_ROWS]), nla_len(a[KTR_A_ROWS]), flags, del,
				info->extack);
}

static int syscall_add(struct ktr_session *s, struct genl_info *info)
{
	return change_rows(s, info, false);
}

int ktr_nl_syscall_add(struct sk_buff *skb, struct genl_info *info)
{
	return with_session(skb, info, syscall_add);
}

static int syscall_del(struct ktr_session *s, struct genl_info *info)
{
	return change_rows(s, info, true);
}

int ktr_nl_syscall_del(struct sk_buff *skb, struct genl_info *info)
{
	return with_session(skb, info, syscall_del);
}

/* Items are the numbers of both tables, one after the other; empty ones are skipped. */
static int put_nth_row(struct sk_buff *skb, struct ktr_session *s, u32 index)
{
	u8 buf[sizeof(struct ktr_row) + KTR_OPS_MAX * sizeof(struct ktr_op)] __aligned(8);
	u32 abi = index / KTR_SYSCALLS_MAX, nr = index % KTR_SYSCALLS_MAX;
	struct ktr_row *row = (void *)buf;
	const struct ktr_table *t;
	const struct ktr_prog *p;
	u32 len = 0;

	if (abi >= __KTR_ABI_LAST)
		return 1;
	mutex_lock(&s->lock);
	t = rcu_dereference_protected(s->stream.table, lockdep_is_held(&s->lock));
	p = t->prog[abi][nr];
	if (p) {
		*row = (struct ktr_row){ .nr = nr, .abi = abi, .nargs = p->nargs,
					 .nops = p->nops, .fd_arg = p->fd_arg };
		memcpy(row + 1, p->op, p->nops * sizeof(p->op[0]));
		len = sizeof(*row) + p->nops * sizeof(p->op[0]);
	}
	mutex_unlock(&s->lock);
	return len && nla_put(skb, KTR_A_ROWS, len, buf) ? -EMSGSIZE : 0;
}

int ktr_nl_syscall_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_items(skb, cb, KTR_CMD_SYSCALL_GET, put_nth_row);
}

static int change_functions(struct ktr_session *s, struct genl_info *info, bool del)
{
	struct nlattr *a = info->attrs[KTR_A_ADDRS];
	u64 *addr, bad = 0;
	int ret;

	if (!a && del)
		return ktr_session_functions(s, NULL, 0, true, &bad);
	if (!a || !nla_len(a) || nla_len(a) % sizeof(u64)) {
		NL_SET_ERR_MSG_MOD(info->extack, "addresses are missing or cut off");
		return -EINVAL;
	}
	/* An attribute is aligned to 4 bytes, an address to 8. */
	addr = kvmalloc(nla_len(a), GFP_KERNEL);
	if (!addr)
		return -ENOMEM;
	memcpy(addr, nla_data(a), nla_len(a));
	ret = ktr_session_functions(s, addr, nla_len(a) / sizeof(u64), del, &bad);
	kvfree(addr);
	if (ret == -EINVAL)
		NL_SET_ERR_MSG_FMT_MOD(info->extack, "0x%llx is not a traceable function", bad);
	else if (ret == -EEXIST)
		NL_SET_ERR_MSG_MOD(info->extack, "all of them are traced already");
	else if (ret == -ENOENT)
		NL_SET_ERR_MSG_MOD(info->extack, "none of them is traced");
	return ret;
}

static int func_add(struct ktr_session *s, struct genl_info *info)
{
	return change_functions(s, info, false);
}

int ktr_nl_func_add(struct sk_buff *skb, struct genl_info *info)
{
	return with_session(skb, info, func_add);
}

static int func_del(struct ktr_session *s, struct genl_info *info)
{
	return change_functions(s, info, true);
}

int ktr_nl_func_del(struct sk_buff *skb, struct genl_info *info)
{
	return with_session(skb, info, func_del);
}

#define ADDRS_A_MESSAGE 64

static int put_nth_functions(struct sk_buff *skb, struct ktr_session *s, u32 index)
{
	u64 addr[ADDRS_A_MESSAGE];
	u32 n = 0, i;

	mutex_lock(&s->lock);
	for (i = index * ADDRS_A_MESSAGE; i < s->functions.n && n < ADDRS_A_MESSAGE; i++)
		addr[n++] = s->functions.addr[i];
	mutex_unlock(&s->lock);
	if (!n)
		return 1;
	return nla_put(skb, KTR_A_ADDRS, n * sizeof(addr[0]), addr);
}

int ktr_nl_func_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_items(skb, cb, KTR_CMD_FUNC_GET, put_nth_functions);
}
