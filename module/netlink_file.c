// SPDX-License-Identifier: GPL-2.0-only
/* The command that gives a session a file to write to. */
#include <linux/err.h>
#include <linux/file.h>
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
		NL_SET_ERR_MSG_MOD(ack, "not a regular file");
	else if (ret == -EBUSY)
		NL_SET_ERR_MSG_MOD(ack, "the session has a reader");
	else if (ret == -EOPNOTSUPP)
		NL_SET_ERR_MSG_MOD(ack, "only a session in discard mode can be written");
	return ret;
}

int ktr_nl_file(struct sk_buff *skb, struct genl_info *info)
{
	struct ktr_session *s;
	struct file *file;
	int ret;

	if (!info->attrs[KTR_A_FD]) {
		NL_SET_ERR_MSG_MOD(info->extack, "the descriptor is missing");
		return -EINVAL;
	}
	s = ktr_netlink_session(skb, info->attrs, info->extack);
	if (IS_ERR(s))
		return PTR_ERR(s);
	file = fget(nla_get_u32(info->attrs[KTR_A_FD]));
	ret = file ? ktr_session_write(s, file) : -EBADF;
	if (file)
		fput(file);
	ktr_session_put(s);
	return explain(ret, info->extack);
}
