// SPDX-License-Identifier: GPL-2.0-only
/* The command that gives a session a file to write to, and what became of that. */
#include <linux/err.h>
#include <linux/file.h>
#include "../uapi/ktracer_file.h"
#include "failures.h"
#include "netlink.h"
#include "session.h"

static int explain(int ret, struct netlink_ext_ack *ack)
{
	if (ret == -EPERM)
		NL_SET_ERR_MSG_MOD(ack, "another user has opened that file");
	else if (ret == -EACCES)
		NL_SET_ERR_MSG_MOD(ack, "a plain user's trace cannot be on FUSE, or on what is mounted in a user namespace");
	else if (ret == -EBADF)
		NL_SET_ERR_MSG_MOD(ack, "not a descriptor that is open for appending");
	else if (ret == -EINVAL)
		NL_SET_ERR_MSG_MOD(ack, "not a regular file, or of a file system that keeps no data, such as procfs");
	else if (ret == -ETXTBSY)
		NL_SET_ERR_MSG_MOD(ack, "another session writes that file");
	else if (ret == -EBUSY)
		NL_SET_ERR_MSG_MOD(ack, "the session has a reader");
	else if (ret == -EOPNOTSUPP)
		NL_SET_ERR_MSG_MOD(ack, "only a session in discard mode can be written");
	return ret;
}

int ktr_nl_file(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *flags = info->attrs[KTR_A_FLAGS];
	struct ktr_session *s;
	struct file *file;
	bool just_try;
	int ret;

	if (!info->attrs[KTR_A_FD]) {
		NL_SET_ERR_MSG_MOD(info->extack, "the descriptor is missing");
		return -EINVAL;
	}
	if (flags && nla_get_u32(flags) & ~KTR_FILE_F__ALL) {
		NL_SET_ERR_MSG_ATTR(info->extack, flags, "unknown flag");
		return -EOPNOTSUPP;
	}
	just_try = flags && nla_get_u32(flags) & KTR_FILE_F_TRY;
	s = ktr_netlink_session(skb, info->attrs, info->extack);
	if (IS_ERR(s))
		return PTR_ERR(s);
	file = fget(nla_get_u32(info->attrs[KTR_A_FD]));
	ret = file ? ktr_session_write(s, file, just_try) : -EBADF;
	if (file)
		fput(file);
	ktr_session_put(s);
	return explain(ret, info->extack);
}

int ktr_nl_put_failure(struct sk_buff *msg, const struct ktr_failure_facts *f)
{
	if (nla_put_u32(msg, KTR_A_SESSION, f->id) ||
	    (f->name[0] && nla_put_string(msg, KTR_A_NAME, f->name)) ||
	    nla_put_u32(msg, KTR_A_STATE, KTR_STATE_ENDED) ||
	    nla_put_u32(msg, KTR_A_OWNER, from_kuid_munged(current_user_ns(), f->owner)) ||
	    nla_put_u32(msg, KTR_A_PRIVILEGED, f->privileged) ||
	    nla_put_u64_64bit(msg, KTR_A_FILE_BYTES, f->bytes, KTR_A_PAD) ||
	    nla_put_string(msg, KTR_A_FILE_NAME, f->file ?: "") ||
	    nla_put_u32(msg, KTR_A_FILE_ERROR, f->error) ||
	    nla_put_u64_64bit(msg, KTR_A_FILE_MISSING, f->missing, KTR_A_PAD))
		return -EMSGSIZE;
	return 0;
}

int ktr_nl_drop_failure(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **a = info->attrs;
	struct ktr_who who;
	int ret = ktr_netlink_who(skb, &who, info->extack);
	bool found;

	if (ret)
		return ret;
	if (a[KTR_A_NAME])
		found = ktr_failures_drop(0, nla_data(a[KTR_A_NAME]), &who);
	else
		found = ktr_failures_drop(nla_get_u32(a[KTR_A_SESSION]), NULL, &who);
	/* That there is no session any more is what was to be. */
	if (found)
		info->extack->_msg = NULL;
	return found ? 0 : -ENOENT;
}
