// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running capture programs.
 *
 * Runs in syscall probes with preemption off, so every copy is one that does
 * not fault; every loop is bounded by the room in the buffer or by a constant.
 * Nothing here trusts user memory: it may change between two looks.
 *
 * A section that could not be read at entry is written without bytes and
 * flagged; at exit, when the kernel itself has touched the memory, it is tried
 * again and a second section of the same operation follows, flagged late.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include "capture.h"

#define COUNT_MAX 65535		/* pointers counted beyond those stored */

const struct ktr_prog ktr_prog_other = { .nargs = 6, .fd_arg = 255 };

struct run {
	struct ktr_call *call;
	ktr_reader_fn rd;
	void *ctx;
	u8 flags;		/* for every section of this run */
	bool holes;		/* an element of the running operation was not readable */
};

/*
 * Not copy_from_user_nofault(): it checks the destination as if a caller could
 * choose it, which costs more than the copy. This is what is left of it: the
 * address is the user's, a fault is an error, and the buffer is ours by
 * construction.
 */
int ktr_read_current(void *dst, u64 addr, u32 len, void *unused)
{
	const void __user *src = (const void __user *)(unsigned long)addr;
	unsigned long left;

	if (!access_ok(src, len))
		return -EFAULT;
	pagefault_disable();
	left = raw_copy_from_user(dst, src, len);
	pagefault_enable();
	return left ? -EFAULT : 0;
}

/* A direct call where most calls go. */
static __always_inline int do_read(const struct run *r, void *dst, u64 addr, u32 len)
{
	if (likely(r->rd == ktr_read_current))
		return ktr_read_current(dst, addr, len, NULL);
	return r->rd(dst, addr, len, r->ctx);
}

static u32 word_size(const struct ktr_call *call)
{
	return call->ev.abi == KTR_ABI_COMPAT ? 4 : 8;
}

static u32 room(const struct ktr_capbuf *buf)
{
	return buf->size - buf->len;
}

static void pad(struct ktr_capbuf *buf)
{
	while (buf->len & 7)
		buf->data[buf->len++] = 0;
}

/*
 * Up to @len bytes to the end of the buffer, page by page, so that what is
 * readable in front of a hole is had. Return: bytes read.
 */
static u32 copy_bytes(struct run *r, u64 addr, u32 len)
{
	struct ktr_capbuf *buf = r->call->buf;
	u32 done = 0;

	while (done < len) {
		u32 n = min_t(u32, len - done, PAGE_SIZE - offset_in_page(addr + done));

		if (do_read(r, buf->data + buf->len + done, addr + done, n))
			break;
		done += n;
	}
	buf->len += done;
	return done;
}

/*
 * A string of at most @max bytes. Pieces grow, since most are short, and never
 * cross a page. Return: bytes without the NUL; *end tells whether there is one.
 */
static u32 copy_str(struct run *r, u64 addr, u32 max, bool *end)
{
	struct ktr_capbuf *buf = r->call->buf;
	u32 done = 0, piece = 64;

	*end = false;
	while (done < max) {
		unsigned char *dst = buf->data + buf->len + done;
		u32 n = min3(max - done, piece, (u32)(PAGE_SIZE - offset_in_page(addr + done)));
		unsigned char *nul;

		if (do_read(r, dst, addr + done, n))
			break;
		nul = memchr(dst, 0, n);
		if (nul) {
			done += nul - dst;
			*end = true;
			break;
		}
		done += n;
		piece = 1024;
	}
	buf->len += done;
	return done;
}

static struct ktr_cap *section_begin(struct run *r, int op)
{
	struct ktr_capbuf *buf = r->call->buf;
	struct ktr_cap *cap;

	/* Room for the header and for the filling behind the bytes. */
	if (room(buf) < sizeof(*cap) + 8)
		return NULL;
	cap = (struct ktr_cap *)(buf->data + buf->len);
	memset(cap, 0, sizeof(*cap));
	cap->op = op;
	cap->flags = r->flags;
	buf->len += sizeof(*cap);
	return cap;
}

static void section_end(struct run *r, struct ktr_cap *cap)
{
	struct ktr_capbuf *buf = r->call->buf;
	u32 start = (unsigned char *)(cap + 1) - buf->data;

	cap->len = buf->len - start;
	pad(buf);
	r->call->ev.ncaps++;
	r->call->off[cap->op] = start + 1;
	r->call->got[cap->op] = cap->len;
}

/* A word inside what operation @ref captured. */
static bool captured_word(const struct ktr_call *call, u8 ref, u16 off, u32 size, u64 *val)
{
	*val = 0;
	if (!call->off[ref] || off + size > call->got[ref])
		return false;
	memcpy(val, call->buf->data + call->off[ref] - 1 + off, size);
	return true;
}

static bool base_of(const struct ktr_call *call, const struct ktr_op *op, u64 *base)
{
	if (op->base_src == KTR_SRC_ARG) {
		*base = call->args[op->base_ref];
		return true;
	}
	if (op->base_src == KTR_SRC_STACK) {
		*base = call->sp + op->base_off;
		return call->sp;
	}
	return captured_word(call, op->base_ref, op->base_off, word_size(call), base);
}

static bool length_of(const struct ktr_call *call, const struct ktr_op *op, u64 *len)
{
	switch (op->len_src) {
	case KTR_SRC_CONST:
		*len = op->len;
		return true;
	case KTR_SRC_ARG:
		*len = call->args[op->len_ref];
		return true;
	case KTR_SRC_RET:
		*len = call->ev.ret < 0 && call->ev.ret >= -MAX_ERRNO ? 0 : call->ev.ret;
		return true;
	case KTR_SRC_WORD:
		return captured_word(call, op->len_ref, op->len_off, word_size(call), len);
	default:
		return captured_word(call, op->len_ref, op->len_off, 4, len);
	}
}

static void run_bytes(struct run *r, const struct ktr_op *op, struct ktr_cap *cap,
		      u64 base, u64 want)
{
	u32 elem = op->elem ?: 1;
	u64 all = want > op->max ? (u64)op->max + 1 : want * elem;
	u32 len = min3(all, (u64)op->max, (u64)room(r->call->buf) - 8);

	if (len < all)
		cap->flags |= KTR_CAP_F_CUT;
	if (copy_bytes(r, base, len) < len)
		cap->flags |= KTR_CAP_F_UNREADABLE;
}

static void run_str(struct run *r, const struct ktr_op *op, struct ktr_cap *cap, u64 base)
{
	u32 max = min(op->max, room(r->call->buf) - 8);
	bool end;

	if (copy_str(r, base, max, &end) == max && !end)
		cap->flags |= KTR_CAP_F_CUT;
	else if (!end)
		cap->flags |= KTR_CAP_F_UNREADABLE;
}

static struct ktr_elem *elem_begin(struct run *r, u64 addr, u64 size)
{
	struct ktr_capbuf *buf = r->call->buf;
	struct ktr_elem *e;

	pad(buf);
	if (room(buf) < sizeof(*e) + 16)
		return NULL;
	e = (struct ktr_elem *)(buf->data + buf->len);
	*e = (struct ktr_elem){ .addr = addr, .size = size };
	buf->len += sizeof(*e);
	return e;
}

/* Pointers that have no room are still counted. */
static void run_strv(struct run *r, const struct ktr_op *op, struct ktr_cap *cap,
		     u64 base, u64 want)
{
	u32 ws = word_size(r->call), left = op->total ?: op->max;
	bool store = op->max != 0;
	u32 i;

	for (i = 0; i < COUNT_MAX; i++) {
		struct ktr_elem *e;
		u64 addr = 0;
		bool end;
		u32 max;

		if (do_read(r, &addr, base + (u64)i * ws, ws)) {
			cap->flags |= KTR_CAP_F_UNREADABLE;
			break;
		}
		if (!addr)
			break;
		if (!store || i >= want) {
			if (op->max)
				cap->flags |= KTR_CAP_F_CUT;
			store = false;
			continue;
		}
		e = elem_begin(r, addr, 0);
		if (!e) {
			store = false;
			cap->flags |= KTR_CAP_F_CUT;
			continue;
		}
		max = min3(op->max, left, room(r->call->buf) - 8);
		e->len = copy_str(r, addr, max, &end);
		left -= e->len;
		if (!end)
			e->flags = e->len == max ? KTR_CAP_F_CUT : KTR_CAP_F_UNREADABLE;
		r->holes |= e->flags & KTR_CAP_F_UNREADABLE;
	}
	cap->count = i;
}

static int read_iov(struct run *r, u64 base, u32 i, u64 *addr, u64 *size)
{
	u64 v[2] = {};
	u32 w[2];
	int ret;

	if (word_size(r->call) == 8) {
		ret = do_read(r, v, base + (u64)i * 16, 16);
	} else {
		ret = do_read(r, w, base + (u64)i * 8, 8);
		v[0] = w[0];
		v[1] = w[1];
	}
	*addr = v[0];
	*size = v[1];
	return ret;
}

static void run_iov(struct run *r, const struct ktr_op *op, struct ktr_cap *cap,
		    u64 base, u64 want)
{
	u32 left = op->total ?: op->max, n = min_t(u64, want, UIO_MAXIOV), i;
	/* At exit of a call that fills them only the result's bytes are new. */
	u64 valid = r->flags & KTR_CAP_F_EXIT && r->call->ev.ret >= 0 ? r->call->ev.ret : U64_MAX;

	if (n < want)
		cap->flags |= KTR_CAP_F_CUT;
	for (i = 0; i < n; i++) {
		struct ktr_elem *e;
		u64 addr, size, get;

		if (read_iov(r, base, i, &addr, &size)) {
			cap->flags |= KTR_CAP_F_UNREADABLE;
			break;
		}
		e = elem_begin(r, addr, size);
		if (!e) {
			cap->flags |= KTR_CAP_F_CUT;
			break;
		}
		get = min(size, valid);
		valid -= get;
		e->len = min3(get, (u64)min(op->max, left), (u64)room(r->call->buf) - 8);
		if (e->len < get)
			e->flags = KTR_CAP_F_CUT;
		get = e->len;
		e->len = copy_bytes(r, addr, get);
		if (e->len < get)
			e->flags |= KTR_CAP_F_UNREADABLE;
		r->holes |= e->flags & KTR_CAP_F_UNREADABLE;
		left -= e->len;
	}
	cap->count = i;
}

static void run_form(struct run *r, const struct ktr_op *op, struct ktr_cap *cap,
		     u64 base, u64 len)
{
	switch (op->form) {
	case KTR_FORM_BYTES:
		return run_bytes(r, op, cap, base, len);
	case KTR_FORM_STR:
		return run_str(r, op, cap, base);
	case KTR_FORM_STRV:
		return run_strv(r, op, cap, base, len);
	default:
		return run_iov(r, op, cap, base, len);
	}
}

/* Return: true if the operation is worth another try at exit. */
static bool run_op(struct run *r, const struct ktr_op *op, int i)
{
	struct ktr_call *call = r->call;
	u32 mark = call->buf->len;
	struct ktr_cap *cap;
	u64 base, len;

	if (!base_of(call, op, &base) || !length_of(call, op, &len))
		return call->retry != 0;	/* it builds on one that failed */
	if (!base && op->base_src != KTR_SRC_ARG)
		return false;
	cap = section_begin(r, i);
	if (!cap)
		return false;
	r->holes = false;
	if (!base)
		cap->flags |= KTR_CAP_F_NULL;
	else
		run_form(r, op, cap, base, len);
	if (call->off[i] && cap->flags & KTR_CAP_F_UNREADABLE &&
	    call->buf->len == mark + sizeof(*cap)) {
		call->buf->len = mark;	/* the section from entry says it already */
		return false;
	}
	section_end(r, cap);
	return r->holes || cap->flags & KTR_CAP_F_UNREADABLE;
}

void ktr_capture_entry(const struct ktr_prog *prog, struct ktr_call *call,
		       ktr_reader_fn rd, void *ctx)
{
	struct run r = { .call = call, .rd = rd, .ctx = ctx };
	int i;

	for (i = 0; i < prog->nops; i++)
		if (!(prog->op[i].flags & KTR_OP_F_EXIT) && run_op(&r, &prog->op[i], i))
			call->retry |= 1 << i;
}

void ktr_capture_exit(const struct ktr_prog *prog, struct ktr_call *call)
{
	bool failed = call->ev.ret < 0 && call->ev.ret >= -MAX_ERRNO;
	struct run r = { .call = call, .rd = ktr_read_current };
	int i;

	for (i = 0; i < prog->nops; i++) {
		const struct ktr_op *op = &prog->op[i];

		if (!(op->flags & KTR_OP_F_EXIT)) {
			if (!(call->retry & (1 << i)))
				continue;
			r.flags = KTR_CAP_F_EXIT | KTR_CAP_F_LATE;
		} else {
			if (failed && (op->flags & KTR_OP_F_IF_OK))
				continue;
			r.flags = KTR_CAP_F_EXIT;
		}
		run_op(&r, op, i);
	}
}
