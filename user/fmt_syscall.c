// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_syscall.c - syscall records taken apart and put into words */
#include <errno.h>
#include <string.h>
#include "events.h"
#include "fmt.h"
#include "fmt_signal.h"
#include "json.h"

/* The variable part of a record, what is left of it. */
struct rest {
	const unsigned char *p;
	size_t len;
};

static bool take(struct rest *r, void *to, size_t n)
{
	if (r->len < n)
		return false;
	memcpy(to, r->p, n);
	r->p += n;
	r->len -= n;
	return true;
}

static bool parse_head(struct rest *rest, struct sys_rec *out,
		       unsigned int *ncaps)
{
	struct ktr_ev_syscall e;
	struct ktr_ev_syscall_begun g;

	if (out->begun) {
		if (!take(rest, &g, sizeof(g)))
			return false;
		e = (struct ktr_ev_syscall){
			.nr = g.nr, .abi = g.abi, .flags = g.flags,
			.nargs = g.nargs, .ncaps = g.ncaps, .start = g.start,
		};
	} else if (!take(rest, &e, sizeof(e))) {
		return false;
	}
	out->nr = e.nr;
	out->abi = e.abi;
	out->flags = e.flags;
	out->nargs = e.nargs;
	out->ret = e.ret;
	out->start = e.start;
	*ncaps = e.ncaps;
	return e.abi < (unsigned int)__KTR_ABI_LAST && e.nargs <= 6 &&
	       e.ncaps <= 2 * KTR_OPS_MAX;
}

static bool parse_caps(struct rest *rest, struct sys_rec *out,
		       unsigned int ncaps)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < ncaps; i++) {
		const struct ktr_cap *h = (const void *)rest->p;
		size_t fill;

		if (rest->len < sizeof(*h))
			return false;
		rest->p += sizeof(*h);
		rest->len -= sizeof(*h);
		fill = ((size_t)h->len + 7) & ~(size_t)7;
		if (fill > rest->len)
			return false;
		if (h->flags & KTR_CAP_F_IP && h->len == sizeof(out->ip))
			memcpy(&out->ip, rest->p, sizeof(out->ip));
		else
			out->cap[n++] = (struct sys_cap){ h, rest->p };
		rest->p += fill;
		rest->len -= fill;
	}
	out->ncaps = n;
	return true;
}

/* i386 results are 32 bits wide; arguments too. */
static void narrow(struct sys_rec *r)
{
	uint32_t low = r->ret;

	for (unsigned int i = 0; i < r->nargs; i++)
		r->args[i] = (uint32_t)r->args[i];
	r->ret = low >= (uint32_t)-4095 ? (int32_t)low : (int64_t)low;
}

int sys_parse(const struct ktr_rec *rec, struct sys_rec *out)
{
	struct rest rest = {
		(const unsigned char *)(rec + 1),
		ev_payload_len(rec),
	};
	unsigned int ncaps;

	if (rec->len8 < 2 || (rec->kind != KTR_KIND_syscall &&
			      rec->kind != KTR_KIND_syscall_begun))
		return -EBADMSG;
	memset(out, 0, sizeof(*out));
	out->rec = rec;
	out->resumed = -1;
	out->begun = rec->kind == KTR_KIND_syscall_begun;
	if (!parse_head(&rest, out, &ncaps) ||
	    !take(&rest, out->args, out->nargs * 8))
		return -EBADMSG;
	if (out->flags & KTR_SYS_F_TIMES &&
	    (!take(&rest, &out->blocked, 8) || !take(&rest, &out->runnable, 8)))
		return -EBADMSG;
	if (!parse_caps(&rest, out, ncaps))
		return -EBADMSG;
	if (out->abi == KTR_ABI_COMPAT)
		narrow(out);
	return 0;
}

static bool is_word(const struct sys_arg *a)
{
	return !a->when;
}

/* Shown when the call returns. */
static bool is_late(const struct sys_arg *a)
{
	return a->late || a->when == W_OUT;
}

/* Shown as in => out. */
static bool has_arrow(const struct sys_arg *a)
{
	return a->when == W_INOUT && !a->late && !a->aux &&
	       a->kind != K_ANY;
}

/* 3 for reading, the name in a comment behind it. */
static void put_numbered(struct fmt *f, const struct sys_arg *a, uint32_t v)
{
	const struct xlat *x = a->tab;
	const char *name = xlat_name(x, v);
	bool wide = a->ekind == K_DEC;

	/* One as wide as a register is no int to strace. */
	if (wide)
		fmt_hex(f, v);
	else
		fmt_dec(f, (int32_t)v);
	if (!f->json && !(wide && f->v->xlat == VIEW_RAW))
		buf_printf(f->b, " /* %s */", name ? name : x->unknown);
}

static void put_word(struct fmt *f, const struct fmt_arg *at)
{
	unsigned int size;
	uint64_t v = fmt_arg_value(f, at->a, at->reg, &size);

	if (at->reg >= f->r->nargs)
		buf_puts(f->b, f->json ? "null" : "???");
	else if (at->a->numbered)
		put_numbered(f, at->a, v);
	else
		fmt_word(f, at->a->kind, at->a->tab, v, size);
}

/* [128 => 16]: a length that the kernel changes. */
static void put_both(struct fmt *f, const struct fmt_arg *at)
{
	struct mem in = fmt_mem(f, at->reg, ROLE_DATA, false);
	struct mem out = fmt_mem(f, at->reg, ROLE_DATA, true);
	int32_t was, is;

	/* without an address nobody looks at its length */
	if (in.len < 4 || (at > f->arg && at[-1].a->kind == K_SOCKADDR &&
			   !fmt_reg(f, at[-1].reg))) {
		fmt_addr(f, fmt_reg(f, at->reg));
		return;
	}
	was = fmt_load(in.p, 4);
	is = out.len >= 4 && !f->failed ? (int32_t)fmt_load(out.p, 4) : was;
	fmt_open(f, '[');
	fmt_dec(f, was);
	if (is != was && !f->json)
		buf_puts(f->b, " => ");
	else if (is != was)
		fmt_sep(f);
	if (is != was)
		fmt_dec(f, is);
	fmt_close(f, ']');
}

static void put_arg(struct fmt *f, const struct fmt_arg *at)
{
	const struct sys_arg *a = at->a;

	f->fds = a->when == W_OUT ? FDS_EXIT : FDS_ENTRY;
	if (a->named && !f->json) {
		buf_puts(f->b, a->name);
		buf_putc(f->b, '=');
	}
	if (is_word(a) ||
	    (at->reg >= f->r->nargs && a->kind != K_SIGFRAME))
		put_word(f, at);
	else if (a->kind == K_FHANDLE ||
		 (a->late && a->when == W_INOUT && a->ekind == K_STRUCT))
		fmt_mem_arg(f, a, at->reg, !f->failed);
	else if (a->late && a->when == W_INOUT)
		put_both(f, at);
	else
		fmt_mem_arg(f, a, at->reg, a->when == W_OUT);
}

/* What came out is known. */
static bool has_out(const struct fmt *f, const struct fmt_arg *at)
{
	if (at->a->kind == K_CLONE3)
		return fmt_clone3_gives(f, at->reg);
	return fmt_mem(f, at->reg, ROLE_DATA, true).len;
}

/* " => [4096]" */
static void put_arrow(struct fmt *f, const struct fmt_arg *at)
{
	if (f->failed || f->r->ret <= 0 || !has_out(f, at))
		return;
	f->fds = FDS_EXIT;
	buf_puts(f->b, " => ");
	fmt_mem_arg(f, at->a, at->reg, true);
}

/* The first argument that is (also) shown at exit; nargs: none. */
static unsigned int split(const struct fmt *f)
{
	unsigned int i;

	for (i = 0; i < f->nargs; i++)
		if (is_late(f->arg[i].a) || has_arrow(f->arg[i].a))
			break;
	return i;
}

static void put_raw(struct fmt *f)
{
	for (unsigned int i = 0; i < f->r->nargs; i++) {
		if (i)
			buf_puts(f->b, ", ");
		fmt_word(f, K_HEX, NULL, f->r->args[i], 8);
	}
}

void fmt_syscall_name(struct buf *b, const struct sys_rec *r)
{
	static const struct view view = VIEW_DEFAULT;
	struct fmt f;
	char tmp[32];

	fmt_setup(&f, b, &view, r, false);
	buf_puts(b, fmt_call_name(&f, tmp));
}

void fmt_syscall_entry(struct buf *b, const struct view *v,
		       const struct sys_rec *r)
{
	struct fmt f;
	char tmp[32];
	unsigned int at;

	fmt_setup(&f, b, v, r, false);
	buf_puts(b, fmt_call_name(&f, tmp));
	buf_putc(b, '(');
	if (!f.desc) {
		put_raw(&f);
		return;
	}
	if (f.desc->resumes)
		buf_printf(b, "<... resuming interrupted %s ...>",
			   r->resumed < 0 ? "system call" :
			   sys_name(r->abi, r->resumed, tmp));
	at = split(&f);
	for (unsigned int i = 0; i < at; i++) {
		if (i)
			buf_puts(b, ", ");
		put_arg(&f, &f.arg[i]);
	}
	if (at == f.nargs)
		return;
	if (at && !f.arg[at].a->named)
		buf_puts(b, ", ");
	if (has_arrow(f.arg[at].a))
		put_arg(&f, &f.arg[at]);
}

/* strace is not done with such a call before it has returned. */
static bool has_more(const struct fmt *f)
{
	return f->desc && (f->desc->ret == R_POLL || f->desc->ret == R_SELECT);
}

void fmt_syscall_exit(struct buf *b, const struct view *v,
		      const struct sys_rec *r)
{
	struct fmt f;
	unsigned int at;

	fmt_setup(&f, b, v, r, false);
	at = f.desc ? split(&f) : 0;
	if (r->flags & KTR_SYS_F_NO_EXIT && (at < f.nargs || has_more(&f))) {
		buf_puts(b, " <unfinished ...>)");
		return;
	}
	for (unsigned int i = at; i < f.nargs; i++) {
		const struct fmt_arg *arg = &f.arg[i];

		if (i > at || (i && arg->a->named))
			buf_puts(b, ", ");
		if (i > at || !has_arrow(arg->a))
			put_arg(&f, arg);
		if (has_arrow(arg->a))
			put_arrow(&f, arg);
	}
	buf_putc(b, ')');
}

static void json_arg(struct fmt *f, const struct fmt_arg *at)
{
	const struct sys_arg *a = at->a;

	json_name(f->b, a->name);
	if (a->when != W_INOUT || f->r->begun || at->reg >= f->r->nargs) {
		put_arg(f, at);
		return;
	}
	if (f->failed || !has_out(f, at)) {
		fmt_mem_arg(f, a, at->reg, false);
		return;
	}
	fmt_open(f, '{');
	json_name(f->b, "in");
	fmt_mem_arg(f, a, at->reg, false);
	json_name(f->b, "out");
	fmt_mem_arg(f, a, at->reg, true);
	fmt_close(f, '}');
}

static void json_args(struct fmt *f)
{
	json_name(f->b, "args");
	fmt_open(f, '{');
	for (unsigned int i = 0; i < f->nargs; i++)
		json_arg(f, &f->arg[i]);
	for (unsigned int i = 0; !f->desc && i < f->r->nargs; i++) {
		char name[] = { 'a', '0' + i, 0 };

		json_hex(f->b, name, f->r->args[i]);
	}
	fmt_close(f, '}');
}

static void json_result(struct fmt *f)
{
	const struct sys_rec *r = f->r;
	char tmp[32];
	int err;

	if (r->flags & KTR_SYS_F_NO_EXIT) {
		json_name(f->b, "ret");
		buf_puts(f->b, "null");
	} else if (fmt_error(r, &err)) {
		json_dec(f->b, "ret", -1);
		json_text(f->b, "errno", errno_name(err, tmp));
	} else if (f->desc && f->desc->ret == R_HEX) {
		json_hex(f->b, "ret", r->ret);
	} else {
		json_dec(f->b, "ret", f->abi == KTR_ABI_COMPAT ?
				      (int32_t)r->ret : r->ret);
	}
	json_udec(f->b, "start", r->start);
	if (r->rec->time >= r->start)
		json_udec(f->b, "dur", r->rec->time - r->start);
	if (r->flags & KTR_SYS_F_TIMES) {
		json_udec(f->b, "blocked", r->blocked);
		json_udec(f->b, "runnable", r->runnable);
	}
}

void json_syscall(struct buf *b, const struct view *v,
		  const struct sys_rec *r)
{
	struct fmt f;
	char tmp[32];

	fmt_setup(&f, b, v, r, true);
	json_text(b, "name", fmt_call_name(&f, tmp));
	json_dec(b, "nr", r->nr);
	json_text(b, "abi", r->abi == KTR_ABI_COMPAT ? "i386" : "x86-64");
	json_args(&f);
	json_fds(&f);
	if (r->begun)
		json_udec(b, "start", r->start);
	else
		json_result(&f);
}
