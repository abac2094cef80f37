/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the capture engine share: capture.c and capture_fd.c. */
#ifndef _KTR_CAPTURE_RUN_H
#define _KTR_CAPTURE_RUN_H

#include <linux/string.h>
#include "capture.h"

#define KTR_COUNT_MAX 65535	/* elements looked at, beyond those stored */

struct ktr_run {
	struct ktr_call *call;
	bool limited;
	bool netlink;		/* so says the descriptor that limits were looked up by */
	ktr_reader_fn rd;
	void *ctx;
	u8 flags;		/* for every section of this run */
	bool holes;		/* an element of the running operation was not readable */
	bool ended;		/* the last string did, with a NUL */
};

static inline u32 ktr_room(const struct ktr_capbuf *buf)
{
	return buf->size - buf->len;
}

/* Behind bytes there is room for 8 more. */
static inline void ktr_pad(struct ktr_capbuf *buf)
{
	if (!(buf->len & 7))
		return;
	memset(buf->data + buf->len, 0, 8);
	buf->len = round_up(buf->len, 8);
}

/* An operation of form KTR_FORM_FD, whose section has begun. */
void ktr_run_fd(struct ktr_run *r, const struct ktr_op *op, struct ktr_cap *cap, u64 base, u64 n);

#endif
