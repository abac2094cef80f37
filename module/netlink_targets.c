// SPDX-License-Identifier: GPL-2.0-only
/* Whom a session traces. */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/file.h>
#include "netlink.h"
#include "session.h"

/* Room for the answer is found before anything is done that it tells. */
static struct sk_buff *count_new(struct genl_info *info, void **head)
{
	struct sk_buff *msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);

	*head = msg ? ktr_nl_reply_head(msg, info) : NULL;
	if (*head)
		return msg;
	nlmsg_free(msg);
	return NULL;
}

/* Sends @msg, or frees it. Return: 0 or the error that @count is. */
static int reply_count(struct genl_info *info, struct sk_buff *msg, void *head, int count)
{
	if (count < 0) {
		nlmsg_free(msg);
		return count;
	}
	/* There is room for it. */
	nla_put_u32(msg, KTR_A_NTARGETS, count);
	return ktr_nl_send(msg, head, info);
}

#ifdef CONFIG_CGROUPS
static struct cgroup *cgroup_of(u32 fd)
{
	return cgroup_get_from_fd(fd);
}

static void drop_cgroup(struct cgroup *cgroup)
{
	cgroup_put(cgroup);
}
#else
static struct cgroup *cgroup_of(u32 fd)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static void drop_cgroup(struct cgroup *cgroup)
{
}
#endif

/* What the id stands for; a cgroup is to be put. */
static int resolve(struct ktr_attach *a, const struct nlattr *id, struct netlink_ext_ack *ack)
{
	int ret = 0;

	if (a->kind == KTR_TARGET_UID) {
		a->uid = make_kuid(current_user_ns(), a->id);
		if (!uid_valid(a->uid))
			ret = -EINVAL;
	} else if (a->kind == KTR_TARGET_CGROUP) {
		a->cgroup = cgroup_of(a->id);
		ret = PTR_ERR_OR_ZERO(a->cgroup);
		if (ret)
			NL_SET_ERR_MSG_ATTR(ack, id, "not an open directory of a cgroup (version 2)");
	} else if (a->kind != KTR_TARGET_ALL && (!a->id || a->id > INT_MAX)) {
		ret = -ERANGE;
	}
	if (ret && a->kind != KTR_TARGET_CGROUP)
		NL_SET_ERR_MSG_ATTR(ack, id, "there can be no such id");
	return ret;
}

/* Where it succeeds, drop_attach() is to follow. */
static int parse_attach(struct genl_info *info, struct ktr_attach *a)
{
	struct nlattr **attrs = info->attrs;

	*a = (struct ktr_attach){};
	if (!attrs[KTR_A_TARGET_KIND] || !attrs[KTR_A_TARGET_ID]) {
		NL_SET_ERR_MSG_MOD(info->extack, "a target needs its kind and its id");
		return -EINVAL;
	}
	a->kind = nla_get_u32(attrs[KTR_A_TARGET_KIND]);
	a->id = nla_get_u32(attrs[KTR_A_TARGET_ID]);
	a->flags = attrs[KTR_A_FLAGS] ? nla_get_u32(attrs[KTR_A_FLAGS]) : 0;
	if (a->flags & ~KTR_TARGET_F__ALL) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[KTR_A_FLAGS], "unknown flag");
		return -EOPNOTSUPP;
	}
	return resolve(a, attrs[KTR_A_TARGET_ID], info->extack);
}

static void drop_attach(struct ktr_attach *a)
{
	if (a->kind == KTR_TARGET_CGROUP)
		drop_cgroup(a->cgroup);
}

static void explain_target(int ret, struct netlink_ext_ack *ack)
{
	if (ret == -ESRCH)
		NL_SET_ERR_MSG_MOD(ack, "no such task");
	else if (ret == -EEXIST)
		NL_SET_ERR_MSG_MOD(ack, "a target of this session already");
	else if (ret == -EPERM)
		NL_SET_ERR_MSG_MOD(ack, "that is the session's own reader");
	else if (ret == -ESTALE)
		NL_SET_ERR_MSG_MOD(ack, "/proc/PID/mem is of another process, or of a program that it no longer runs");
	else if (ret == -EACCES)
		NL_SET_ERR_MSG_MOD(ack, "the task has other ids or more capabilities than the session's owner, or may not be dumped");
	else if (ret == -EDQUOT)
		NL_SET_ERR_MSG_MOD(ack, "more tasks than a plain user may trace (parameter user_targets)");
}

/* What a plain user must bring to attach; *mem is to be put. */
static int parse_right(struct ktr_session *s, struct genl_info *info, struct ktr_attach *a,
		       struct file **mem)
{
	struct nlattr *fd = info->attrs[KTR_A_FD];

	if (!s->cred)
		return 0;
	if (a->kind > KTR_TARGET_TID || a->flags & KTR_TARGET_F_DESCEND) {
		NL_SET_ERR_MSG_MOD(info->extack, "a plain user's session takes processes and threads one by one");
		return -EPERM;
	}
	if (!fd) {
		NL_SET_ERR_MSG_MOD(info->extack, "a plain user's session needs an open descriptor of the task's /proc/PID/mem");
		return -EPERM;
	}
	a->mm = ktr_permit_mem(nla_get_u32(fd), s->cred, mem);
	if (!IS_ERR(a->mm))
		return 0;
	if (PTR_ERR(a->mm) == -EPERM)
		NL_SET_ERR_MSG_ATTR(info->extack, fd, "another user has opened this /proc/PID/mem");
	else
		NL_SET_ERR_MSG_ATTR(info->extack, fd, "not an open descriptor of /proc/PID/mem");
	return PTR_ERR(a->mm);
}

static int attach(struct ktr_session *s, struct genl_info *info, const struct ktr_attach *a)
{
	struct sk_buff *msg;
	void *head;
	int ret;

	msg = count_new(info, &head);
	if (!msg)
		return -ENOMEM;
	ret = ktr_session_attach(s, a);
	explain_target(ret, info->extack);
	return reply_count(info, msg, head, ret);
}

static int target_add(struct ktr_session *s, struct genl_info *info)
{
	struct file *mem = NULL;
	struct ktr_attach a;
	int ret;

	ret = parse_attach(info, &a);
	if (ret)
		return ret;
	ret = parse_right(s, info, &a, &mem);
	if (!ret)
		ret = attach(s, info, &a);
	if (mem)
		fput(mem);
	drop_attach(&a);
	return ret;
}

int ktr_nl_target_add(struct sk_buff *skb, struct genl_info *info)
{
	return ktr_nl_with_session(skb, info, target_add);
}

/* @a NULL: all targets. */
static int detach(struct ktr_session *s, struct genl_info *info, const struct ktr_attach *a)
{
	struct sk_buff *msg;
	void *head;
	int ret;

	msg = count_new(info, &head);
	if (!msg)
		return -ENOMEM;
	ret = ktr_session_detach(s, a);
	if (ret == -ESRCH)
		NL_SET_ERR_MSG_MOD(info->extack, "not a target of this session");
	return reply_count(info, msg, head, ret);
}

static int target_del(struct ktr_session *s, struct genl_info *info)
{
	struct ktr_attach a;
	int ret;

	if (!info->attrs[KTR_A_TARGET_KIND] && !info->attrs[KTR_A_TARGET_ID])
		return detach(s, info, NULL);
	ret = parse_attach(info, &a);
	if (ret)
		return ret;
	ret = detach(s, info, &a);
	drop_attach(&a);
	return ret;
}

int ktr_nl_target_del(struct sk_buff *skb, struct genl_info *info)
{
	return ktr_nl_with_session(skb, info, target_del);
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

static int put_nth_target(struct sk_buff *skb, struct ktr_session *s, u32 index)
{
	struct ktr_target_info t;

	return ktr_targets_info(&s->targets, index, &t) ? put_target(skb, &t) : 1;
}

int ktr_nl_target_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return ktr_nl_dump_items(skb, cb, KTR_CMD_TARGET_GET, put_nth_target);
}
