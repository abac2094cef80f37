// SPDX-License-Identifier: GPL-2.0-or-later
/* kdump_call.c - a call and its result as kdump(1) prints them */
#include <ctype.h>
#include <string.h>
#include "fmt.h"
#include "fmt_signal.h"
#include "kdump.h"

static void put_number(struct buf *b, const struct kdump_view *kv, uint64_t v,
		       unsigned int size)
{
	if (size == 4)
		v = (uint32_t)v;
	if (kv->decimal)
		buf_dec(b, size == 4 ? (int32_t)v : (int64_t)v);
	else
		buf_hex(b, v);
}

static bool is_mask(const struct sys_arg *a)
{
	return a->kind == K_FLAGS || a->kind == K_LLFLAGS ||
	       a->kind == K_CLONEFLAGS;
}

/* Those of which kdump would print a name if it is known. */
static bool is_named(const struct sys_arg *a)
{
	switch (a->kind) {
	case K_ENUM:
	case K_SIGNO:
	case K_DIRFD:
	case K_CLOCKID:
	case K_IOCTL:
	case K_FUTEXOP:
	case K_PROTO:
	case K_OPTNAME:
	case K_SIGHAND:
	case K_WSTATUS:
		return true;
	default:
		return is_mask(a);
	}
}

/* 0x80000<O_CLOEXEC>; a constant that is no mask by its name alone. */
static void put_named(struct fmt *f, const struct kdump_view *kv,
		      const struct sys_arg *a, uint64_t v, unsigned int size)
{
	size_t from = f->b->len, name;

	if (is_mask(a)) {
		put_number(f->b, kv, v, size);
		buf_putc(f->b, '<');
	}
	name = f->b->len;
	fmt_word(f, a->kind, a->tab, v, size);
	if (f->b->len == name || isdigit((unsigned char)f->b->p[name]) ||
	    f->b->p[name] == '-') {
		f->b->len = from;
		put_number(f->b, kv, v, size);
	} else if (is_mask(a)) {
		buf_putc(f->b, '>');
	}
}

static bool is_int(const struct sys_arg *a)
{
	return !a->when && (a->kind == K_FD || a->kind == K_DIRFD ||
			    a->kind == K_INT || a->kind == K_PID || a->kind == K_UINT ||
			    a->kind == K_UID);
}

static void put_word(struct fmt *f, const struct kdump_view *kv,
		     const struct fmt_arg *at)
{
	unsigned int size;
	uint64_t v = fmt_arg_value(f, at->a, at->reg, &size);

	if (is_int(at->a))
		size = 4;
	if (at->a->kind == K_MODE)
		buf_printf(f->b, kv->plain ? "%llu" : "0%llo",
			   (unsigned long long)v & 07777);
	else if (!kv->plain && !at->a->when && is_named(at->a))
		put_named(f, kv, at->a, v, size);
	else
		put_number(f->b, kv, v, size);
}

static const char *abi_of(const struct sys_rec *r)
{
	if (r->abi == KTR_ABI_COMPAT)
		return "i386";
	return sys_is_x32(r->abi, r->nr) ? "x32" : "x86-64";
}

static void put_name(struct buf *b, const struct kdump_view *kv,
		     const struct sys_rec *r)
{
	char tmp[32];

	if (kv->abi)
		buf_printf(b, "[%s] ", abi_of(r));
	buf_puts(b, sys_name(r->abi, r->nr, tmp));
	if (kv->numbers)
		buf_printf(b, "[%d]", r->nr);
}

void kdump_call(struct buf *b, const struct view *v, const struct kdump_view *kv,
		const struct sys_rec *r)
{
	struct view own = *v;
	unsigned int i;
	struct fmt f;

	own.xlat = VIEW_ABBREV;
	own.decode_fds = false;
	fmt_setup(&f, b, &own, r, false);
	put_name(b, kv, r);
	buf_putc(b, '(');
	for (i = 0; f.desc && i < f.nargs; i++) {
		if (i)
			buf_putc(b, ',');
		put_word(&f, kv, &f.arg[i]);
	}
	for (i = 0; !f.desc && i < r->nargs; i++) {
		if (i)
			buf_putc(b, ',');
		put_number(b, kv, r->args[i], 8);
	}
	buf_putc(b, ')');
}

static void put_error(struct buf *b, const struct kdump_view *kv, int err)
{
	if (err == 512 || err == 513 || err == 514 || err == 516) {
		buf_puts(b, "RESTART");
		return;
	}
	buf_printf(b, "-1 errno %d", err);
	if (!kv->plain)
		buf_printf(b, " %s", strerror(err));
}

void kdump_ret(struct buf *b, const struct kdump_view *kv, const struct sys_rec *r)
{
	int64_t ret = r->abi == KTR_ABI_COMPAT ? (int32_t)r->ret : r->ret;
	int err;

	put_name(b, kv, r);
	buf_putc(b, ' ');
	if (fmt_error(r, &err)) {
		put_error(b, kv, err);
	} else if (kv->plain && !kv->decimal) {
		buf_hex(b, ret);
	} else {
		buf_dec(b, ret);
		if (!kv->plain && (ret < 0 || ret > 9))
			buf_printf(b, "/0x%llx", (unsigned long long)ret);
	}
}
