// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paths that a predicate asks for, against what was captured of a call.
 *
 * Made by netlink handlers, never changed once a filter has them, freed with
 * it. Matching runs in syscall probes with preemption off: at most
 * KTR_PATHS_MAX comparisons for each path of a call.
 */
#include <linux/err.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "filter.h"
#include "paths.h"
#include "session.h"

static int add(struct ktr_paths *p, u32 off, u32 len, struct netlink_ext_ack *ack)
{
	if (p->n == KTR_PATHS_MAX) {
		NL_SET_ERR_MSG_MOD(ack, "paths: more than KTR_PATHS_MAX");
		return -EINVAL;
	}
	if (!len) {
		NL_SET_ERR_MSG_FMT_MOD(ack, "path %u is empty", p->n);
		return -EINVAL;
	}
	p->path[p->n].off = off;
	p->path[p->n].len = len;
	p->path[p->n].below = p->text[off + len - 1] == '/';
	p->n++;
	return 0;
}

static struct ktr_paths *paths_new(const void *data, u32 len, struct netlink_ext_ack *ack)
{
	struct ktr_paths *p;
	u32 off, n;
	int err;

	if (!len || len > KTR_PATHS_BYTES_MAX || ((const char *)data)[len - 1]) {
		NL_SET_ERR_MSG_MOD(ack, "paths: too long, or the last one has no end");
		return ERR_PTR(-EINVAL);
	}
	p = kmalloc(struct_size(p, text, len), GFP_KERNEL_ACCOUNT);
	if (!p)
		return ERR_PTR(-ENOMEM);
	p->n = 0;
	memcpy(p->text, data, len);
	for (off = 0; off < len; off += n + 1) {
		n = strlen(p->text + off);
		err = add(p, off, n, ack);
		if (err) {
			kfree(p);
			return ERR_PTR(err);
		}
	}
	return p;
}

struct ktr_filter *ktr_paths_filter(const struct ktr_session_change *c,
				    struct netlink_ext_ack *ack)
{
	struct ktr_filter *f = ktr_filter_new(c->preds, c->npreds, ack);
	struct ktr_paths *paths = NULL;

	if (IS_ERR(f))
		return f;
	if (f->reads_path != !!c->paths) {
		NL_SET_ERR_MSG_MOD(ack, "filter: paths without use, or none to look for");
		paths = ERR_PTR(-EINVAL);
	} else if (c->paths) {
		paths = paths_new(c->paths, c->paths_len, ack);
	}
	if (IS_ERR(paths)) {
		ktr_filter_free(f);
		return ERR_CAST(paths);
	}
	f->paths = paths;
	return f;
}

/* @whole: the name is not cut, so it can equal one. */
static u64 match_name(const struct ktr_paths *p, const void *name, u32 len, bool whole)
{
	u64 mask = 0;
	u32 i;

	for (i = 0; i < p->n; i++) {
		u32 n = p->path[i].len;

		if (p->path[i].below ? len < n : len != n || !whole)
			continue;
		if (!memcmp(p->text + p->path[i].off, name, n))
			mask |= 1ULL << i;
	}
	return mask;
}

static u64 match_fds(const struct ktr_paths *p, const struct ktr_cap *cap)
{
	const unsigned char *at = (const unsigned char *)(cap + 1);
	u64 mask = 0;
	u32 i;

	for (i = 0; i < cap->count; i++) {
		const struct ktr_fd *e = (const void *)at;
		u32 head = sizeof(*e);

		if (e->kind == KTR_FD_SOCKET)
			head += sizeof(struct ktr_fd_sock);
		else if (!(e->flags & KTR_FD_F_NO_NAME))
			mask |= match_name(p, at + head, e->len, true);
		at += round_up(head + e->len, 8);
	}
	return mask;
}

u64 ktr_paths_match(const struct ktr_paths *p, const struct ktr_prog *prog,
		    const struct ktr_call *call)
{
	u32 at = 0, i;
	u64 mask = 0;

	for (i = 0; i < call->ev.ncaps; i++) {
		const struct ktr_cap *cap = (const void *)(call->buf->data + at);
		const struct ktr_op *op = &prog->op[cap->op];

		if (!(op->flags & KTR_OP_F_PATH))
			;
		else if (op->form == KTR_FORM_FD)
			mask |= match_fds(p, cap);
		else if (!(cap->flags & KTR_CAP_F_UNREADABLE))
			mask |= match_name(p, cap + 1, cap->len,
					   !(cap->flags & KTR_CAP_F_CUT));
		at += sizeof(*cap) + round_up(cap->len, 8);
	}
	return mask;
}
