// SPDX-License-Identifier: GPL-2.0-or-later
/* Targets, syscall rows and functions of a session, over netlink. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl_wire.h"

static int parse_ntargets(struct nlmsghdr *h, struct nlattr **tb, void *arg)
{
	(void)h;
	*(unsigned int *)arg = ctl_u32(tb, KTR_A_NTARGETS);
	return 0;
}

int ctl_target_add(struct ctl *ctl, struct ctl_ref ref, unsigned int kind,
		   uint32_t id, unsigned int flags, int mem, unsigned int *n)
{
	struct nl_msg *msg = ctl_request(ctl, KTR_CMD_TARGET_ADD, NLM_F_ACK, 0);
	unsigned int count = 0;
	int err;

	if (!msg)
		return -ENOMEM;
	err = ctl_put_ref(msg, ref) | nla_put_u32(msg, KTR_A_TARGET_KIND, kind) |
	      nla_put_u32(msg, KTR_A_TARGET_ID, id) |
	      nla_put_u32(msg, KTR_A_FLAGS, flags);
	if (mem >= 0)
		err |= nla_put_u32(msg, KTR_A_FD, mem);
	err = ctl_finish(ctl, msg, err, parse_ntargets, &count);
	if (n)
		*n = count;
	return err;
}

int ctl_target_del(struct ctl *ctl, struct ctl_ref ref, unsigned int kind,
		   uint32_t id, unsigned int flags, unsigned int *n)
{
	struct nl_msg *msg = ctl_request(ctl, KTR_CMD_TARGET_DEL, NLM_F_ACK, 0);
	unsigned int count = 0;
	int err;

	if (!msg)
		return -ENOMEM;
	err = ctl_put_ref(msg, ref) | nla_put_u32(msg, KTR_A_TARGET_KIND, kind) |
	      nla_put_u32(msg, KTR_A_TARGET_ID, id) |
	      nla_put_u32(msg, KTR_A_FLAGS, flags);
	err = ctl_finish(ctl, msg, err, parse_ntargets, &count);
	if (n)
		*n = count;
	return err;
}

int ctl_target_del_all(struct ctl *ctl, struct ctl_ref ref, unsigned int *n)
{
	unsigned int count = 0;
	int err = ctl_simple(ctl, KTR_CMD_TARGET_DEL, NLM_F_ACK, ref,
			     parse_ntargets, &count);

	if (n)
		*n = count;
	return err;
}

static int parse_target(struct nlmsghdr *h, struct nlattr **tb, void *arg)
{
	struct ctl_target *t;

	(void)h;
	if (!tb[KTR_A_TARGET_ID])
		return 0;
	t = ctl_list_add(arg, 1);
	if (!t)
		return -ENOMEM;
	t->tid = ctl_u32(tb, KTR_A_TARGET_ID);
	t->tgid = ctl_u32(tb, KTR_A_TGID);
	ctl_str(tb, KTR_A_COMM, t->comm, sizeof(t->comm));
	t->flags = ctl_u32(tb, KTR_A_FLAGS);
	t->recorded = ctl_u64(tb, KTR_A_RECORDED);
	t->lost = ctl_u64(tb, KTR_A_LOST);
	t->syscalls_lost = ctl_u64(tb, KTR_A_SYSCALLS_LOST);
	return 0;
}

/* Dump into a list; on failure it is freed. */
static int dump(struct ctl *ctl, int cmd, struct ctl_ref ref, ctl_parse_fn parse,
		struct ctl_list *l)
{
	int err = ctl_simple(ctl, cmd, NLM_F_DUMP, ref, parse, l);

	if (err) {
		free(l->p);
		l->p = NULL;
		l->n = 0;
	}
	return err;
}

int ctl_target_list(struct ctl *ctl, struct ctl_ref ref,
		    struct ctl_target **out, size_t *n)
{
	struct ctl_list l = { .size = sizeof(struct ctl_target) };
	int err = dump(ctl, KTR_CMD_TARGET_GET, ref, parse_target, &l);

	*out = (struct ctl_target *)l.p;
	*n = l.n;
	return err;
}

static int put_rows(struct ctl *ctl, int cmd, struct ctl_ref ref,
		    const void *rows, size_t len, unsigned int flags)
{
	struct nl_msg *msg = ctl_request(ctl, cmd, NLM_F_ACK, len);
	int err;

	if (!msg)
		return -ENOMEM;
	err = ctl_put_ref(msg, ref) | nla_put_u32(msg, KTR_A_FLAGS, flags);
	if (len)
		err |= nla_put(msg, KTR_A_ROWS, len, rows);
	return ctl_finish(ctl, msg, err, NULL, NULL);
}

int ctl_syscall_add(struct ctl *ctl, struct ctl_ref ref, const void *rows,
		    size_t len, unsigned int flags)
{
	return put_rows(ctl, KTR_CMD_SYSCALL_ADD, ref, rows, len, flags);
}

int ctl_syscall_del(struct ctl *ctl, struct ctl_ref ref, const void *rows,
		    size_t len, unsigned int flags)
{
	return put_rows(ctl, KTR_CMD_SYSCALL_DEL, ref, rows, len, flags);
}

/* Append the bytes of one attribute to a list. */
static int append(struct nlattr *a, struct ctl_list *l)
{
	size_t n = a ? nla_len(a) / l->size : 0;
	void *p;

	if (!n)
		return 0;
	p = ctl_list_add(l, n);
	if (!p)
		return -ENOMEM;
	memcpy(p, nla_data(a), n * l->size);
	return 0;
}

static int parse_rows(struct nlmsghdr *h, struct nlattr **tb, void *arg)
{
	(void)h;
	return append(tb[KTR_A_ROWS], arg);
}

int ctl_syscall_get(struct ctl *ctl, struct ctl_ref ref, void **rows,
		    size_t *len)
{
	struct ctl_list l = { .size = 1 };
	int err = dump(ctl, KTR_CMD_SYSCALL_GET, ref, parse_rows, &l);

	*rows = l.p;
	*len = l.n;
	return err;
}

static int put_funcs(struct ctl *ctl, int cmd, struct ctl_ref ref,
		     const uint64_t *addrs, size_t n, unsigned int flags,
		     unsigned int depth)
{
	struct nl_msg *msg;
	size_t part;
	int err = 0;

	do {
		part = n > KTR_FUNCS_MSG_MAX ? KTR_FUNCS_MSG_MAX : n;
		msg = ctl_request(ctl, cmd, NLM_F_ACK, part * sizeof(*addrs));
		if (!msg)
			return -ENOMEM;
		err = ctl_put_ref(msg, ref);
		if (flags)
			err |= nla_put_u32(msg, KTR_A_FLAGS, flags);
		if (depth)
			err |= nla_put_u32(msg, KTR_A_GRAPH_DEPTH, depth);
		if (part)
			err |= nla_put(msg, KTR_A_ADDRS,
				       part * sizeof(*addrs), addrs);
		err = ctl_finish(ctl, msg, err, NULL, NULL);
		addrs += part;
		n -= part;
	} while (!err && n);
	return err;
}

int ctl_func_add(struct ctl *ctl, struct ctl_ref ref, const uint64_t *addrs,
		 size_t n, unsigned int flags)
{
	return n ? put_funcs(ctl, KTR_CMD_FUNC_ADD, ref, addrs, n, flags, 0) : 0;
}

int ctl_func_del(struct ctl *ctl, struct ctl_ref ref, const uint64_t *addrs,
		 size_t n)
{
	return put_funcs(ctl, KTR_CMD_FUNC_DEL, ref, addrs, n, 0, 0);
}

int ctl_graph_add(struct ctl *ctl, struct ctl_ref ref, const uint64_t *addrs,
		  size_t n, unsigned int depth)
{
	return put_funcs(ctl, KTR_CMD_FUNC_ADD, ref, addrs, n, KTR_FUNCS_F_GRAPH, depth);
}

int ctl_graph_del(struct ctl *ctl, struct ctl_ref ref, const uint64_t *addrs,
		  size_t n)
{
	return put_funcs(ctl, KTR_CMD_FUNC_DEL, ref, addrs, n, KTR_FUNCS_F_GRAPH, 0);
}

int ctl_func_rows_add(struct ctl *ctl, struct ctl_ref ref, const void *rows,
		      size_t len)
{
	struct nl_msg *msg = ctl_request(ctl, KTR_CMD_FUNC_ROWS_ADD, NLM_F_ACK, len);

	if (!msg)
		return -ENOMEM;
	return ctl_finish(ctl, msg, ctl_put_ref(msg, ref) |
			  nla_put(msg, KTR_A_FUNC_ROWS, len, rows), NULL, NULL);
}

struct each_row {
	ctl_row_fn fn;
	void *arg;
};

static int parse_func_row(struct nlmsghdr *h, struct nlattr **tb, void *arg)
{
	const struct each_row *e = arg;
	const struct nlattr *a = tb[KTR_A_FUNC_ROWS];

	(void)h;
	return a ? e->fn(e->arg, nla_data(a), nla_len(a)) : 0;
}

int ctl_func_rows_get(struct ctl *ctl, struct ctl_ref ref, ctl_row_fn fn,
		      void *arg)
{
	struct each_row e = { fn, arg };

	return ctl_simple(ctl, KTR_CMD_FUNC_ROWS_GET, NLM_F_DUMP, ref,
			  parse_func_row, &e);
}

struct addrs {
	struct ctl_list list;
	unsigned int flags;	/* that those wanted have */
};

static int parse_addrs(struct nlmsghdr *h, struct nlattr **tb, void *arg)
{
	struct addrs *a = arg;

	(void)h;
	if ((ctl_u32(tb, KTR_A_FLAGS) & a->flags) != a->flags)
		return 0;
	return append(tb[KTR_A_ADDRS], &a->list);
}

static int test_some(struct ctl *ctl, struct ctl_ref ref, const uint64_t *addrs,
		     size_t n, struct addrs *a)
{
	struct nl_msg *msg = ctl_request(ctl, KTR_CMD_FUNC_ADD, NLM_F_ACK,
					 n * sizeof(*addrs));
	int err;

	if (!msg)
		return -ENOMEM;
	err = ctl_put_ref(msg, ref) |
	      nla_put_u32(msg, KTR_A_FLAGS, KTR_FUNCS_F_TEST) |
	      nla_put(msg, KTR_A_ADDRS, n * sizeof(*addrs), addrs);
	return ctl_finish(ctl, msg, err, parse_addrs, a);
}

int ctl_func_test(struct ctl *ctl, struct ctl_ref ref, uint64_t *addrs,
		  size_t *n)
{
	struct addrs a = { .list.size = sizeof(*addrs) };
	size_t at, part;
	int err = 0;

	for (at = 0; at < *n && !err; at += part) {
		part = *n - at;
		if (part > KTR_FUNCS_MSG_MAX)
			part = KTR_FUNCS_MSG_MAX;
		err = test_some(ctl, ref, addrs + at, part, &a);
	}
	if (!err) {
		if (a.list.n)
			memcpy(addrs, a.list.p, a.list.n * sizeof(*addrs));
		*n = a.list.n;
	}
	free(a.list.p);
	return err;
}

int ctl_func_get(struct ctl *ctl, struct ctl_ref ref, unsigned int flags,
		 uint64_t **addrs, size_t *n)
{
	struct addrs a = { .list.size = sizeof(**addrs), .flags = flags };
	int err = ctl_simple(ctl, KTR_CMD_FUNC_GET, NLM_F_DUMP, ref,
			     parse_addrs, &a);

	if (err) {
		free(a.list.p);
		a.list = (struct ctl_list){ 0 };
	}
	*addrs = (uint64_t *)a.list.p;
	*n = a.list.n;
	return err;
}
