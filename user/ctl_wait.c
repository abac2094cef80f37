// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel modules that a session waits for, over netlink. */
#include <errno.h>
#include <string.h>

#include "ctl_wire.h"

static int change(struct ctl *ctl, int cmd, struct ctl_ref ref, const char *module,
		  const void *globs, size_t len, unsigned int flags, unsigned int depth)
{
	struct nl_msg *msg = ctl_request(ctl, cmd, NLM_F_ACK, len + KTR_NAME_MAX);

	if (!msg)
		return -ENOMEM;
	return ctl_finish(ctl, msg, ctl_put_ref(msg, ref) |
			  nla_put_string(msg, KTR_A_MODULE, module) |
			  nla_put(msg, KTR_A_GLOBS, len, globs) |
			  nla_put_u32(msg, KTR_A_FLAGS, flags) |
			  nla_put_u32(msg, KTR_A_GRAPH_DEPTH, depth), NULL, NULL);
}

int ctl_wait_add(struct ctl *ctl, struct ctl_ref ref, const char *module, const void *globs,
		 size_t len, unsigned int flags, unsigned int depth)
{
	return change(ctl, KTR_CMD_WAIT_ADD, ref, module, globs, len, flags, depth);
}

int ctl_wait_del(struct ctl *ctl, struct ctl_ref ref, const char *module, const void *globs,
		 size_t len, unsigned int flags)
{
	return change(ctl, KTR_CMD_WAIT_DEL, ref, module, globs, len, flags, 0);
}

struct each {
	ctl_wait_fn fn;
	void *arg;
};

static int parse(struct nlmsghdr *h, struct nlattr **tb, void *arg)
{
	const struct each *e = arg;
	const struct nlattr *globs = tb[KTR_A_GLOBS];
	struct ctl_wait w = { .flags = ctl_u32(tb, KTR_A_FLAGS) };

	(void)h;
	if (!globs || !nla_len(globs))
		return 0;
	ctl_str(tb, KTR_A_MODULE, w.module, sizeof(w.module));
	w.globs = nla_data(globs);
	w.len = nla_len(globs);
	return w.globs[w.len - 1] ? 0 : e->fn(e->arg, &w);
}

int ctl_wait_get(struct ctl *ctl, struct ctl_ref ref, ctl_wait_fn fn, void *arg)
{
	struct each e = { fn, arg };

	return ctl_simple(ctl, KTR_CMD_WAIT_GET, NLM_F_DUMP, ref, parse, &e);
}
