// SPDX-License-Identifier: GPL-2.0-only
/* What a session selects of its targets: rows of syscalls, functions. */
#include <linux/err.h>
#include <linux/slab.h>
#include "netlink.h"
#include "session.h"

int ktr_nl_with_session(struct sk_buff *skb, struct genl_info *info,
			int (*fn)(struct ktr_session *s, struct genl_info *info))
{
	struct ktr_session *s;
	int ret;

	s = ktr_netlink_session(skb, info->attrs, info->extack);
	if (IS_ERR(s))
		return PTR_ERR(s);
	ret = fn(s, info);
	ktr_session_put(s);
	return ret;
}

int ktr_nl_dump_items(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		      int (*put)(struct sk_buff *skb, struct ktr_session *s, u32 index))
{
	struct ktr_session *s = ktr_netlink_session(cb->skb, ktr_dump_attrs(cb), cb->extack);
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
	return ktr_nl_with_session(skb, info, syscall_add);
}

static int syscall_del(struct ktr_session *s, struct genl_info *info)
{
	return change_rows(s, info, true);
}

int ktr_nl_syscall_del(struct sk_buff *skb, struct genl_info *info)
{
	return ktr_nl_with_session(skb, info, syscall_del);
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
	return ktr_nl_dump_items(skb, cb, KTR_CMD_SYSCALL_GET, put_nth_row);
}

/* An attribute is aligned to 4 bytes, an address to 8. */
static u64 *copy_addrs(struct nlattr *a, u32 *n, struct netlink_ext_ack *ack)
{
	u64 *addr;

	if (!a || !nla_len(a) || nla_len(a) % sizeof(*addr)) {
		NL_SET_ERR_MSG_MOD(ack, "addresses are missing or cut off");
		return ERR_PTR(-EINVAL);
	}
	addr = kvmalloc(nla_len(a), GFP_KERNEL);
	if (!addr)
		return ERR_PTR(-ENOMEM);
	memcpy(addr, nla_data(a), nla_len(a));
	*n = nla_len(a) / sizeof(*addr);
	return addr;
}

static int reply_addrs(struct genl_info *info, const u64 *addr, u32 n)
{
	u32 len = n * sizeof(*addr);
	struct sk_buff *msg = genlmsg_new(nla_total_size(len), GFP_KERNEL);
	void *head;

	if (!msg)
		return -ENOMEM;
	head = ktr_nl_reply_head(msg, info);
	if (!head || nla_put(msg, KTR_A_ADDRS, len, addr)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	return ktr_nl_send(msg, head, info);
}

static int change_functions(struct ktr_session *s, struct genl_info *info, u64 *addr, u32 n,
			    enum ktr_functions_op op)
{
	struct nlattr *depth = info->attrs[KTR_A_GRAPH_DEPTH];
	struct ktr_functions_ask ask = { .op = op, .depth = depth ? nla_get_u32(depth) : 0 };
	int ret = ktr_session_functions(s, addr, n, &ask);

	if (ret == -EINVAL && ask.bad)
		NL_SET_ERR_MSG_FMT_MOD(info->extack, "0x%llx is not a traceable function",
				       ask.bad);
	else if (ret == -EINVAL)
		NL_SET_ERR_MSG_MOD(info->extack,
				   "kprobes run in it: this kernel cannot hook its return");
	else if (ret == -EEXIST)
		NL_SET_ERR_MSG_MOD(info->extack, "all of them are traced already");
	else if (ret == -ENOENT)
		NL_SET_ERR_MSG_MOD(info->extack, "none of them is traced");
	else if (ret == -E2BIG)
		NL_SET_ERR_MSG_MOD(info->extack, "this kernel hooks the returns of at most 512 functions at a time");
	else if (ret == -EOPNOTSUPP)
		NL_SET_ERR_MSG_MOD(info->extack, "graphs need a kernel from 6.4 on, with fprobe");
	return ret;
}

int ktr_nl_refuse_plain(const struct ktr_session *s, struct netlink_ext_ack *ack)
{
	if (!s->cred)
		return 0;
	NL_SET_ERR_MSG_MOD(ack, "kernel functions need CAP_SYS_ADMIN or CAP_PERFMON");
	return -EPERM;
}

enum ktr_functions_op ktr_nl_functions_op(u32 flags)
{
	if (flags & KTR_FUNCS_F_GRAPH)
		return KTR_FUNCTIONS_ADD_GRAPHS;
	if (flags & KTR_FUNCS_F_BELOW)
		return KTR_FUNCTIONS_ADD_BELOW;
	return flags & KTR_FUNCS_F_RET ? KTR_FUNCTIONS_ADD_RETURNS : KTR_FUNCTIONS_ADD;
}

static int func_add(struct ktr_session *s, struct genl_info *info)
{
	struct nlattr **a = info->attrs;
	u32 flags = a[KTR_A_FLAGS] ? nla_get_u32(a[KTR_A_FLAGS]) : 0, n;
	u64 *addr;
	int ret;

	ret = ktr_nl_refuse_plain(s, info->extack);
	if (ret)
		return ret;
	if (flags & ~KTR_FUNCS_F__ALL) {
		NL_SET_ERR_MSG_ATTR(info->extack, a[KTR_A_FLAGS], "unknown flag");
		return -EOPNOTSUPP;
	}
	addr = copy_addrs(a[KTR_A_ADDRS], &n, info->extack);
	if (IS_ERR(addr))
		return PTR_ERR(addr);
	if (flags & KTR_FUNCS_F_TEST)
		ret = ktr_functions_test(addr, &n) ?: reply_addrs(info, addr, n);
	else
		ret = change_functions(s, info, addr, n, ktr_nl_functions_op(flags));
	kvfree(addr);
	return ret;
}

int ktr_nl_func_add(struct sk_buff *skb, struct genl_info *info)
{
	return ktr_nl_with_session(skb, info, func_add);
}

static int func_del(struct ktr_session *s, struct genl_info *info)
{
	struct nlattr **a = info->attrs;
	bool graphs = a[KTR_A_FLAGS] && nla_get_u32(a[KTR_A_FLAGS]) & KTR_FUNCS_F_GRAPH;
	enum ktr_functions_op op = graphs ? KTR_FUNCTIONS_DEL_GRAPHS : KTR_FUNCTIONS_DEL;
	u64 *addr;
	u32 n;
	int ret;

	ret = ktr_nl_refuse_plain(s, info->extack);
	if (ret)
		return ret;
	if (!a[KTR_A_ADDRS])
		return change_functions(s, info, NULL, 0, op);
	addr = copy_addrs(a[KTR_A_ADDRS], &n, info->extack);
	if (IS_ERR(addr))
		return PTR_ERR(addr);
	ret = change_functions(s, info, addr, n, op);
	kvfree(addr);
	return ret;
}

int ktr_nl_func_del(struct sk_buff *skb, struct genl_info *info)
{
	return ktr_nl_with_session(skb, info, func_del);
}

#define ADDRS_A_MESSAGE 64

/*
 * First those with entries alone, then those with returns, then those that begin
 * graphs. Return: how many; *flags: which.
 */
static u32 nth_functions(const struct ktr_functions *f, u32 at, u64 *addr, u32 *flags)
{
	u32 entries = round_up(f->n, ADDRS_A_MESSAGE);
	u32 rets = round_up(f->returns.n, ADDRS_A_MESSAGE), n = 0, i;

	*flags = 0;
	if (at < entries) {
		for (i = at; i < f->n && n < ADDRS_A_MESSAGE; i++)
			addr[n++] = f->addr[i];
		return n;
	}
	at -= entries;
	if (at < rets) {
		*flags = KTR_FUNCS_F_RET;
		return ktr_returns_list(&f->returns, at, addr, ADDRS_A_MESSAGE);
	}
	*flags = KTR_FUNCS_F_GRAPH;
	return ktr_graph_list(&f->graph, at - rets, addr, ADDRS_A_MESSAGE);
}

static int put_nth_functions(struct sk_buff *skb, struct ktr_session *s, u32 index)
{
	u64 addr[ADDRS_A_MESSAGE];
	u32 n, flags;

	mutex_lock(&s->lock);
	n = nth_functions(&s->functions, index * ADDRS_A_MESSAGE, addr, &flags);
	mutex_unlock(&s->lock);
	if (!n)
		return 1;
	return nla_put(skb, KTR_A_ADDRS, n * sizeof(addr[0]), addr) ||
	       (flags && nla_put_u32(skb, KTR_A_FLAGS, flags)) ? -EMSGSIZE : 0;
}

int ktr_nl_func_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return ktr_nl_dump_items(skb, cb, KTR_CMD_FUNC_GET, put_nth_functions);
}
