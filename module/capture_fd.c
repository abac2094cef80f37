// SPDX-License-Identifier: GPL-2.0-only
/* Descriptors in capture programs: one, those of an array, those of a set. */
#include <linux/kernel.h>
#include <linux/string.h>
#include "capture_run.h"
#include "fdname.h"

#define FD_TRIES_MAX 1024	/* numbers in one operation */

struct fds {
	struct ktr_run *r;
	const struct ktr_op *op;
	struct ktr_cap *cap;
	u32 left, tries;	/* bytes of names; numbers looked at, closed ones too */
	bool many;
};

/* Return: false if there is no room for more. */
static bool put_fd(struct fds *f, int fd)
{
	struct ktr_capbuf *buf = f->r->call->buf;
	const struct ktr_fd *e;
	u32 max = min(f->op->max, f->left);

	if (fd < 0 && fd != KTR_FD_CWD)
		return true;
	if (f->cap->count == KTR_FDS_MAX || f->tries++ == FD_TRIES_MAX ||
	    ktr_room(buf) < KTR_FDNAME_HEAD + 8) {
		f->cap->flags |= KTR_CAP_F_CUT;
		return false;
	}
	e = (const struct ktr_fd *)(buf->data + buf->len);
	max = min_t(u32, max, ktr_room(buf) - KTR_FDNAME_HEAD - 8);
	buf->len += ktr_fdname(fd, buf->data + buf->len, max);
	if (f->many && e->kind == KTR_FD_NONE) {
		buf->len = (const unsigned char *)e - buf->data;
		return true;
	}
	f->left -= min_t(u32, f->left, e->len);
	f->cap->count++;
	ktr_pad(buf);
	return true;
}

/* Of an array; a word at @at may be anything the caller had there. */
static void put_fd_array(struct fds *f, u32 at, u64 n)
{
	const struct ktr_call *call = f->r->call;
	u8 ref = f->op->base_ref;
	u32 i;

	for (i = 0; i < n && at + 4 <= call->got[ref]; i++, at += f->op->elem) {
		s32 fd;

		memcpy(&fd, call->buf->data + call->off[ref] + at, 4);
		if (!put_fd(f, fd))
			break;
	}
}

/* Of a set with a bit for each. */
static void put_fd_bits(struct fds *f, u32 at, u64 n)
{
	const struct ktr_call *call = f->r->call;
	u8 ref = f->op->base_ref;
	const unsigned char *set = call->buf->data + call->off[ref] + at;
	u32 i;

	for (i = 0; i < n && i < KTR_COUNT_MAX && at + i / 8 < call->got[ref]; i++)
		if (set[i / 8] & 1 << i % 8 && !put_fd(f, i))
			break;
}

void ktr_run_fd(struct ktr_run *r, const struct ktr_op *op, struct ktr_cap *cap, u64 base, u64 n)
{
	struct fds f = { .r = r, .op = op, .cap = cap, .left = op->total ?: op->max,
			 .many = op->base_src == KTR_SRC_U32 };

	if (!f.many)
		put_fd(&f, base);
	else if (f.many && op->elem)
		put_fd_array(&f, base, n);
	else if (f.many)
		put_fd_bits(&f, base, n);
}
