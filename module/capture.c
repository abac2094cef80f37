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
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <asm/word-at-a-time.h>
#include "capture_run.h"
#include "fdname.h"

unsigned int ktr_genio_size = KTR_CAP_MAX;

#define SHORT 64		/* bytes that are dealt with in words */

const struct ktr_prog ktr_prog_other = { .nargs = 6, .fd_arg = 255, .more = true };

/* Word by word: for what is mostly read that is less than the call of a copy. */
static int read_short(void *dst, const void __user *src, u32 len)
{
	if (!user_read_access_begin(src, len))
		return -EFAULT;
	for (; len >= 8; len -= 8, dst += 8, src += 8)
		unsafe_get_user(*(u64 *)dst, (const u64 __user *)src, fault);
	if (len & 4) {
		unsafe_get_user(*(u32 *)dst, (const u32 __user *)src, fault);
		dst += 4;
		src += 4;
	}
	for (len &= 3; len; len--, dst++, src++)
		unsafe_get_user(*(u8 *)dst, (const u8 __user *)src, fault);
	user_read_access_end();
	return 0;

fault:
	user_read_access_end();
	return -EFAULT;
}

/*
 * Not copy_from_user_nofault(): it checks the destination as if a caller could
 * choose it, which costs more than the copy. This is what is left of it: the
 * address is the user's, a fault is an error, and the buffer is ours by
 * construction.
 */
int ktr_read_current(void *dst, u64 addr, u32 len, void *unused)
{
	const void __user *src = (const void __user *)(unsigned long)addr;
	int ret;

	pagefault_disable();
	if (len <= SHORT)
		ret = read_short(dst, src, len);
	else
		ret = access_ok(src, len) && !raw_copy_from_user(dst, src, len) ? 0 : -EFAULT;
	pagefault_enable();
	return ret;
}

/* A direct call where most calls go. */
static __always_inline int do_read(const struct ktr_run *r, void *dst, u64 addr, u32 len)
{
	if (likely(r->rd == ktr_read_current))
		return ktr_read_current(dst, addr, len, NULL);
	return r->rd(dst, addr, len, r->ctx);
}

static u32 word_size(const struct ktr_call *call)
{
	return call->ev.abi == KTR_ABI_COMPAT ? 4 : 8;
}

/*
 * Up to @len bytes to the end of the buffer, page by page, so that what is
 * readable in front of a hole is had. Return: bytes read.
 */
static u32 copy_bytes(struct ktr_run *r, u64 addr, u32 len)
{
	struct ktr_capbuf *buf = r->call->buf;
	u32 left = len, n;

	for (; left; left -= n, addr += n) {
		n = min_t(u32, left, PAGE_SIZE - offset_in_page(addr));
		if (do_read(r, buf->data + buf->len, addr, n))
			break;
		buf->len += n;
	}
	return len - left;
}

/* How many of the @n bytes are in front of the first NUL. */
static u32 bytes_of_str(const unsigned char *p, u32 n)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long word, bits;
	u32 i;

	for (i = 0; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, p + i, sizeof(word));
		if (has_zero(word, &bits, &constants)) {
			bits = prep_zero_mask(word, bits, &constants);
			return i + find_zero(create_zero_mask(bits));
		}
	}
	for (; i < n && p[i]; i++)
		;
	return i;
}

/*
 * A string of at most @max bytes. Pieces grow, since most are short, and never
 * cross a page. Return: bytes without the NUL; r->ended tells whether there is
 * one.
 */
static u32 copy_str(struct ktr_run *r, u64 addr, u32 max)
{
	struct ktr_capbuf *buf = r->call->buf;
	u32 done = 0, piece = SHORT;

	r->ended = false;
	while (done < max) {
		unsigned char *dst = buf->data + buf->len + done;
		u32 n = min3(max - done, piece, (u32)(PAGE_SIZE - offset_in_page(addr + done)));
		u32 got;

		if (do_read(r, dst, addr + done, n))
			break;
		got = bytes_of_str(dst, n);
		done += got;
		if (got < n) {
			r->ended = true;
			break;
		}
		piece = 1024;
	}
	buf->len += done;
	return done;
}

/* In line, as the next: most operations read a few bytes. */
static __always_inline struct ktr_cap *section_begin(struct ktr_run *r, int op)
{
	struct ktr_capbuf *buf = r->call->buf;
	struct ktr_cap *cap;

	/* Room for the header and for the filling behind the bytes. */
	if (ktr_room(buf) < sizeof(*cap) + 8)
		return NULL;
	cap = (struct ktr_cap *)(buf->data + buf->len);
	memset(cap, 0, sizeof(*cap));
	cap->op = op;
	cap->flags = r->flags;
	buf->len += sizeof(*cap);
	return cap;
}

static __always_inline void section_end(struct ktr_run *r, struct ktr_cap *cap)
{
	struct ktr_capbuf *buf = r->call->buf;
	u32 start = (unsigned char *)(cap + 1) - buf->data;

	cap->len = buf->len - start;
	ktr_pad(buf);
	r->call->ev.ncaps++;
	r->call->has |= 1 << cap->op;
	r->call->off[cap->op] = start;
	r->call->got[cap->op] = cap->len;
}

/* A word inside what operation @ref captured. In line, so that @val is a register. */
static __always_inline bool captured_word(const struct ktr_call *call, u8 ref, u16 off, u32 size,
					  u64 *val)
{
	const unsigned char *p;
	u32 half;

	if (!(call->has & (1 << ref)) || off + size > call->got[ref])
		return false;
	p = call->buf->data + call->off[ref] + off;
	if (size == sizeof(*val)) {
		memcpy(val, p, sizeof(*val));
	} else {
		memcpy(&half, p, sizeof(half));
		*val = half;
	}
	return true;
}

/* Some way behind a pointer; a null pointer stays one. */
static noinline bool base_at(const struct ktr_call *call, const struct ktr_op *op, u64 *base)
{
	u64 ptr;

	if (op->base_src == KTR_SRC_ARG_AT)
		ptr = call->args[op->base_ref];
	else if (!captured_word(call, op->base_ref, op->base_off, sizeof(ptr), &ptr))
		return false;
	*base = ptr ? ptr + op->add : 0;
	return true;
}

static __always_inline bool base_of(const struct ktr_call *call, const struct ktr_op *op, u64 *base)
{
	if (op->base_src == KTR_SRC_ARG) {
		*base = call->args[op->base_ref];
		return true;
	}
	if (op->base_src == KTR_SRC_RET) {
		*base = call->ev.ret;
		return true;
	}
	if (op->base_src == KTR_SRC_U32) {
		*base = op->base_off;	/* of many; the section must be there */
		return call->has & (1 << op->base_ref);
	}
	if (op->base_src == KTR_SRC_STACK) {
		*base = call->sp + op->base_off;
		return call->sp;
	}
	if (unlikely(op->base_src != KTR_SRC_WORD))
		return base_at(call, op, base);
	return captured_word(call, op->base_ref, op->base_off, word_size(call), base);
}

static __always_inline bool length_of(const struct ktr_call *call, const struct ktr_op *op, u64 *len)
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

static void run_bytes(struct ktr_run *r, const struct ktr_op *op, struct ktr_cap *cap,
		      u64 base, u64 want)
{
	u32 elem = op->elem ?: 1;
	u64 all = want > op->max ? (u64)op->max + 1 : want * elem;
	u32 len = min3(all, (u64)op->max, (u64)ktr_room(r->call->buf) - 8);

	if (len < all)
		cap->flags |= KTR_CAP_F_CUT;
	if (copy_bytes(r, base, len) < len)
		cap->flags |= KTR_CAP_F_UNREADABLE;
}

static void run_str(struct ktr_run *r, const struct ktr_op *op, struct ktr_cap *cap, u64 base)
{
	u32 max = min(op->max, ktr_room(r->call->buf) - 8);
	u32 got = copy_str(r, base, max);

	if (!r->ended)
		cap->flags |= got == max ? KTR_CAP_F_CUT : KTR_CAP_F_UNREADABLE;
}

static struct ktr_elem *elem_begin(struct ktr_run *r, u64 addr, u64 size)
{
	struct ktr_capbuf *buf = r->call->buf;
	struct ktr_elem *e;

	ktr_pad(buf);
	if (ktr_room(buf) < sizeof(*e) + 16)
		return NULL;
	e = (struct ktr_elem *)(buf->data + buf->len);
	*e = (struct ktr_elem){ .addr = addr, .size = size };
	buf->len += sizeof(*e);
	return e;
}

/* Pointers that have no room are still counted. */
static noinline void run_strv(struct ktr_run *r, const struct ktr_op *op, struct ktr_cap *cap,
		     u64 base, u64 want)
{
	u32 ws = word_size(r->call), left = op->total ?: op->max;
	bool store = op->max != 0;
	u32 i;

	for (i = 0; i < KTR_COUNT_MAX; i++) {
		struct ktr_elem *e;
		u64 addr = 0;
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
		max = min3(op->max, left, ktr_room(r->call->buf) - 8);
		e->len = copy_str(r, addr, max);
		left -= e->len;
		if (!r->ended)
			e->flags = e->len == max ? KTR_CAP_F_CUT : KTR_CAP_F_UNREADABLE;
		r->holes |= e->flags & KTR_CAP_F_UNREADABLE;
	}
	cap->count = i;
}

static int read_iov(struct ktr_run *r, u64 base, u32 i, u64 *addr, u64 *size)
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

static noinline void run_iov(struct ktr_run *r, const struct ktr_op *op, struct ktr_cap *cap,
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
		e->len = min3(get, (u64)min(op->max, left), (u64)ktr_room(r->call->buf) - 8);
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

static void run_form(struct ktr_run *r, const struct ktr_op *op, struct ktr_cap *cap,
		     u64 base, u64 len)
{
	switch (op->form) {
	case KTR_FORM_BYTES:
		return run_bytes(r, op, cap, base, len);
	case KTR_FORM_STR:
		return run_str(r, op, cap, base);
	case KTR_FORM_STRV:
		return run_strv(r, op, cap, base, len);
	case KTR_FORM_FD:
		return ktr_run_fd(r, op, cap, base, len);
	default:
		return run_iov(r, op, cap, base, len);
	}
}

/* An operation that a limit concerns. A frame of its own: the others need none. */
static noinline void run_limited(struct ktr_run *r, const struct ktr_op *op, struct ktr_cap *cap,
				 u64 base, u64 len)
{
	u32 max = READ_ONCE(ktr_genio_size), total = max;
	struct ktr_op tmp = *op;

	if (r->limited) {
		max = min(max, r->call->io_max);
		total = min(total, r->call->io_total);
	}
	tmp.max = min(op->max, max);
	tmp.total = min(op->total ?: op->max, total);
	run_form(r, &tmp, cap, base, len);
}

static noinline bool put_ip(struct ktr_run *r, int i)
{
	struct ktr_capbuf *buf = r->call->buf;
	struct ktr_cap *cap = section_begin(r, i);

	if (!cap)
		return false;
	cap->flags |= KTR_CAP_F_IP;
	memcpy(buf->data + buf->len, &r->call->ip, sizeof(r->call->ip));
	buf->len += sizeof(r->call->ip);
	section_end(r, cap);
	return false;
}

/* Return: true if the operation is worth another try at exit. */
static bool run_op(struct ktr_run *r, const struct ktr_op *op, int i)
{
	struct ktr_call *call = r->call;
	u32 mark = call->buf->len;
	struct ktr_cap *cap;
	u64 base, len;

	if (op->form == KTR_FORM_IP)
		return put_ip(r, i);
	if (!base_of(call, op, &base) || !length_of(call, op, &len))
		return call->retry != 0;	/* it builds on one that failed */
	if (!base && op->base_src != KTR_SRC_ARG && op->form != KTR_FORM_FD)
		return false;
	cap = section_begin(r, i);
	if (!cap)
		return false;
	r->holes = false;
	if (!base && op->form != KTR_FORM_FD)
		cap->flags |= KTR_CAP_F_NULL;
	else if (unlikely(op->flags & KTR_OP_F_IO))
		run_limited(r, op, cap, base, len);
	else
		run_form(r, op, cap, base, len);
	if (call->has & (1 << i) && cap->flags & KTR_CAP_F_UNREADABLE &&
	    call->buf->len == mark + sizeof(*cap)) {
		call->buf->len = mark;	/* the section from entry says it already */
		return false;
	}
	section_end(r, cap);
	return r->holes || cap->flags & KTR_CAP_F_UNREADABLE;
}

/*
 * @mine: the running task's; else nobody can tell what its descriptors are.
 * Return: true for a netlink socket.
 */
static bool find_limit(struct ktr_call *call, const struct ktr_prog *prog, bool mine)
{
	u32 kind = __KTR_IO_LAST, left;

	call->io_max = U32_MAX;
	call->io_total = U32_MAX;
	for (left = prog->limits; left; left &= left - 1) {
		const struct ktr_op *op = &prog->op[__ffs(left)];
		u32 total = op->total ?: op->max;

		if (mine && kind == __KTR_IO_LAST)
			kind = ktr_fd_io_kind(call->args[op->base_ref]);
		if (!mine) {
			call->io_max = min(call->io_max, op->max);
			call->io_total = min(call->io_total, total);
		} else if (op->elem & 1 << kind) {
			call->io_max = op->max;
			call->io_total = total;
		}
	}
	return kind == KTR_IO_NETLINK;
}

/* Descriptors are the running task's: nobody else can tell. */
static bool leaves_out(const struct ktr_run *r, const struct ktr_op *op)
{
	return op->form == KTR_FORM_FD && (r->rd != ktr_read_current ||
					   (op->flags & KTR_OP_F_NETLINK && !r->netlink));
}

void ktr_capture_entry(const struct ktr_prog *prog, struct ktr_call *call,
		       ktr_reader_fn rd, void *ctx)
{
	struct ktr_run r = { .call = call, .rd = rd, .ctx = ctx, .limited = prog->limits };
	u32 left;
	int i;

	if (prog->limits)
		r.netlink = find_limit(call, prog, rd == ktr_read_current);

	for (left = prog->entry & ~prog->limits; left; left &= left - 1) {
		i = __ffs(left);
		if (!leaves_out(&r, &prog->op[i]) && run_op(&r, &prog->op[i], i))
			call->retry |= 1 << i;
	}
}

/* By now a descriptor's number may mean something else. */
static bool is_too_late(const struct ktr_op *op, bool failed)
{
	if (op->flags & KTR_OP_F_EXIT)
		return failed && op->flags & KTR_OP_F_IF_OK;
	return op->form == KTR_FORM_FD;
}

static void run_later(const struct ktr_prog *prog, struct ktr_call *call, u32 left, bool failed)
{
	struct ktr_run r = { .call = call, .rd = ktr_read_current, .limited = prog->limits };
	int i;

	for (; left; left &= left - 1) {
		const struct ktr_op *op;

		i = __ffs(left);
		op = &prog->op[i];
		if (is_too_late(op, failed))
			continue;
		r.flags = op->flags & KTR_OP_F_EXIT ? KTR_CAP_F_EXIT :
						      KTR_CAP_F_EXIT | KTR_CAP_F_LATE;
		run_op(&r, op, i);
	}
}

static u32 missing(const struct ktr_prog *prog, const struct ktr_call *call)
{
	return call->retry & prog->entry & ~prog->limits;
}

void ktr_capture_exit(const struct ktr_prog *prog, struct ktr_call *call)
{
	bool failed = call->ev.ret < 0 && call->ev.ret >= -MAX_ERRNO;

	/* Nobody has looked yet what the descriptor is, or from afar. */
	if (prog->limits && (call->retry == KTR_RETRY_ALL || call->ev.flags & KTR_SYS_F_ATTACHED))
		find_limit(call, prog, true);

	run_later(prog, call, prog->exit | missing(prog, call), failed);
}

void ktr_capture_again(const struct ktr_prog *prog, struct ktr_call *call)
{
	run_later(prog, call, missing(prog, call), true);
	call->retry = 0;
}
