// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "fmt_signal.h"
#include "json.h"
#include "out_generic.h"

/* Unprintable bytes as octal numbers, as strace does. */
static void quote(struct buf *b, const unsigned char *p, size_t n)
{
	size_t i;

	buf_putc(b, '"');
	for (i = 0; i < n; i++) {
		if (p[i] == '"' || p[i] == '\\')
			buf_printf(b, "\\%c", p[i]);
		else if (p[i] == '\n')
			buf_puts(b, "\\n");
		else if (p[i] == '\t')
			buf_puts(b, "\\t");
		else if (p[i] < ' ' || p[i] > '~')
			buf_printf(b, "\\%03o", p[i]);
		else
			buf_putc(b, p[i]);
	}
	buf_putc(b, '"');
}

static bool is_text(enum ev_format format)
{
	return format == EVF_COMM || format == EVF_STR || format == EVF_BYTES;
}

/* Fixed arrays and strings end at a NUL, if there is one; bytes do not. */
static size_t text_len(enum ev_format format, const unsigned char *p, size_t n)
{
	return format == EVF_BYTES ? n : strnlen((const char *)p, n);
}

/* Some say themselves how many of their padded bytes count. */
static size_t tail_len(const struct ktr_rec *rec, size_t len)
{
	const struct ktr_ev_marker *m = EV_AS(marker, rec);
	const struct ktr_ev_sysctl *ctl = EV_AS(sysctl, rec);

	if (m && m->len < len)
		return m->len;
	return ctl && ctl->len < len ? ctl->len : len;
}

static void text_mask(struct buf *b, uint64_t mask)
{
	bool first = true;
	char tmp[16];
	int sig;

	buf_putc(b, '[');
	for (sig = 1; sig <= 64; sig++) {
		if (!(mask & 1ULL << (sig - 1)))
			continue;
		if (!first)
			buf_putc(b, ' ');
		first = false;
		/* strace leaves the SIG out in sets. */
		buf_puts(b, sig_name(sig, tmp) + (sig < 32 ? 3 : 0));
	}
	buf_putc(b, ']');
}

static void text_value(struct buf *b, struct out *o, enum ev_format format,
		       bool sign, uint64_t v)
{
	char tmp[16];

	switch (format) {
	case EVF_HEX:
	case EVF_FLAGS:
		buf_hex(b, v);
		break;
	case EVF_NS:
	case EVF_DUR:
		buf_printf(b, "%llu.%09llu", (unsigned long long)(v / 1000000000),
			   (unsigned long long)(v % 1000000000));
		break;
	case EVF_SIGNO:
		buf_puts(b, sig_name((int)v, tmp));
		break;
	case EVF_SYM:
		ksyms_format(&o->syms, b, v);
		break;
	case EVF_MASK:
		text_mask(b, v);
		break;
	default:
		if (sign)
			buf_dec(b, (long long)v);
		else
			buf_udec(b, v);
	}
}

static void text_stack(struct buf *b, struct out *o, const unsigned char *p,
		       size_t len)
{
	uint64_t addr;
	size_t i;

	buf_putc(b, '[');
	for (i = 0; i + 8 <= len; i += 8) {
		memcpy(&addr, p + i, 8);
		if (i)
			buf_puts(b, " < ");
		ksyms_format(&o->syms, b, addr);
	}
	buf_putc(b, ']');
}

static void text_tail(struct buf *b, struct out *o, const struct ev_desc *d,
		      const unsigned char *p, size_t len)
{
	if (is_text(d->tail_format))
		quote(b, p, text_len(d->tail_format, p, len));
	else if (d->tail_format == EVF_STACK)
		text_stack(b, o, p, len);
	else if (d->tail_format == EVF_SIGINFO)
		fmt_siginfo(b, &o->view, p, len);
	else
		buf_printf(b, "%zu bytes", len);
}

/* ` (irq)`: it ran on the task's time, but not for it. */
static void text_context(struct buf *b, const struct ktr_rec *rec)
{
	static const char *const names[] = { "", " (softirq)", " (irq)", " (nmi)" };

	buf_puts(b, names[rec->flags & KTR_REC_CTX_MASK]);
}

/* Where ftrace is called there may be an endbr in front, which is where a name begins. */
static const struct fnsig *sig_of(const struct out *o, uint64_t ip)
{
	const struct fnsig *s = fnsigs_find(&o->sigs, ip);

	return s ? s : fnsigs_find(&o->sigs, ip - 4);
}

/* What a function's record shows beyond the call; false: nothing. */
static bool tail_of(const struct ktr_rec *rec, struct fn_tail *t)
{
	const unsigned char *p;
	size_t len = ev_tail(ev_by_kind(rec->kind), rec, &p);

	return len && !fn_tail_parse(p, len, t);
}

/* A function's call: the form people know from ftrace. */
static bool text_function(struct buf *b, struct out *o,
			  const struct ktr_rec *rec)
{
	const struct ktr_ev_function *ev = EV_AS(function, rec);
	const struct fnsig *sig;
	struct fn_tail t;

	if (!ev)
		return false;
	ksyms_format_entry(&o->syms, b, ev->ip);
	sig = sig_of(o, ev->ip);
	buf_putc(b, '(');
	if (sig && sig->args && tail_of(rec, &t))
		fnsig_text(b, &o->view, sig, &t);
	buf_puts(b, ") <- ");
	ksyms_format(&o->syms, b, ev->parent);
	text_context(b, rec);
	return true;
}

/*
 * The result; where its type is not known, the register: a small number, an error of 32
 * bits whose upper half means nothing, or else as it is.
 */
static void text_result(struct buf *b, const struct fnsig *sig, int64_t v)
{
	int32_t low = v;

	if (fnsig_is_void(sig))
		return;
	buf_puts(b, " = ");
	if (fnsig_ret_text(b, sig, v))
		return;
	if (v == (uint32_t)low && low < 0 && low > -4096)
		v = low;
	if (v > -4096 && v <= UINT32_MAX)
		buf_dec(b, v);
	else
		buf_hex(b, v);
}

static bool text_return(struct buf *b, struct out *o, const struct ktr_rec *rec)
{
	const struct ktr_ev_function_return *ev = EV_AS(function_return, rec);
	uint64_t us;

	if (!ev)
		return false;
	us = (rec->time - ev->start) / 1000;
	ksyms_format_entry(&o->syms, b, ev->ip);
	buf_puts(b, "()");
	text_result(b, sig_of(o, ev->ip), ev->ret);
	buf_printf(b, " <%llu.%06llu> <- ", (unsigned long long)us / 1000000,
		   (unsigned long long)us % 1000000);
	ksyms_format(&o->syms, b, ev->parent);
	text_context(b, rec);
	return true;
}

/* Fields that are there: an older kernel wrote fewer of them. */
static bool is_present(const struct ev_field *f, size_t len)
{
	return f->format != EVF_HIDE && (size_t)f->offset + f->size <= len;
}

static void text_fields(struct buf *b, struct out *o, const struct ev_desc *d,
			const struct ktr_rec *rec)
{
	const unsigned char *p = ev_payload(rec);
	size_t len = ev_payload_len(rec);
	unsigned int i, n, shown = 0;
	const struct ev_field *f = d->fields(&n);

	for (i = 0; i < n; i++, f++) {
		if (!is_present(f, len))
			continue;
		buf_printf(b, "%s%s=", shown++ ? ", " : "", f->name);
		if (is_text(f->format))
			quote(b, p + f->offset,
			      text_len(f->format, p + f->offset, f->size));
		else if (f->format == EVF_ENUM && ev_enum_name(d, f, ev_value(f, p)))
			buf_puts(b, ev_enum_name(d, f, ev_value(f, p)));
		else
			text_value(b, o, f->format, f->sign, ev_value(f, p));
	}
	len = tail_len(rec, ev_tail(d, rec, &p));
	if (!len)
		return;
	buf_printf(b, "%s%s=", shown ? ", " : "", d->tail);
	text_tail(b, o, d, p, len);
}

void generic_text(struct buf *b, struct out *o, const struct ktr_rec *rec)
{
	const struct ev_desc *d = ev_by_kind(rec->kind);

	if (text_function(b, o, rec) || text_return(b, o, rec))
		return;
	if (!d) {
		buf_printf(b, "=== kind_%u {%zu bytes} ===", rec->kind,
			   ev_payload_len(rec));
		return;
	}
	buf_printf(b, "=== %s {", d->name);
	text_fields(b, o, d, rec);
	buf_puts(b, "} ===");
}

static void json_sym(struct buf *b, struct out *o, uint64_t addr, bool entry)
{
	struct buf *t = &o->scratch;
	size_t at;

	buf_putc(b, '{');
	json_hex(b, "addr", addr);
	buf_reset(t);
	if (entry)
		ksyms_format_entry(&o->syms, t, addr);
	else
		ksyms_format(&o->syms, t, addr);
	at = t->len;
	if (at > 1 && !(t->p[0] == '0' && t->p[1] == 'x')) {
		json_name(b, "sym");
		json_string(b, t->p, at);
	}
	buf_putc(b, '}');
}

void generic_json_sym(struct buf *b, struct out *o, uint64_t addr)
{
	json_sym(b, o, addr, false);
}

static void json_mask(struct buf *b, uint64_t mask)
{
	char tmp[16];
	int sig;

	buf_putc(b, '[');
	for (sig = 1; sig <= 64; sig++) {
		if (!(mask & 1ULL << (sig - 1)))
			continue;
		json_sep(b);
		json_str(b, sig_name(sig, tmp));
	}
	buf_putc(b, ']');
}

static void json_stack(struct buf *b, struct out *o, const unsigned char *p,
		       size_t len)
{
	uint64_t addr;
	size_t i;

	buf_putc(b, '[');
	for (i = 0; i + 8 <= len; i += 8) {
		memcpy(&addr, p + i, 8);
		json_sep(b);
		json_sym(b, o, addr, false);
	}
	buf_putc(b, ']');
}

static void json_field(struct buf *b, struct out *o, const struct ev_field *f,
		       const unsigned char *p)
{
	uint64_t v = is_text(f->format) ? 0 : ev_value(f, p);

	switch (f->format) {
	case EVF_COMM:
	case EVF_STR:
	case EVF_BYTES:
		json_name(b, f->name);
		json_bytes(b, p + f->offset,
			   text_len(f->format, p + f->offset, f->size));
		break;
	case EVF_HEX:
		json_hex(b, f->name, v);
		break;
	case EVF_SYM:
		json_name(b, f->name);
		json_sym(b, o, v, !strcmp(f->name, "ip"));
		break;
	case EVF_MASK:
		json_name(b, f->name);
		json_mask(b, v);
		break;
	default:
		if (f->sign)
			json_dec(b, f->name, (int64_t)v);
		else
			json_udec(b, f->name, v);
	}
}

/* What a number stands for, beside it. */
static void json_named(struct buf *b, const struct ev_desc *d, const struct ev_field *f,
		       const unsigned char *p)
{
	const char *name = f->format == EVF_ENUM ? ev_enum_name(d, f, ev_value(f, p)) : NULL;
	char tmp[32];

	if (f->format == EVF_SIGNO)
		json_text(b, "signame", sig_name((int)ev_value(f, p), tmp));
	if (!name)
		return;
	snprintf(tmp, sizeof(tmp), "%s_name", f->name);
	json_text(b, tmp, name);
}

/* Of what took from its start until the record was written. */
static void json_duration(struct buf *b, const struct ktr_rec *rec)
{
	const struct ktr_ev_function_return *ret = EV_AS(function_return, rec);
	const struct ktr_ev_fault_end *fault = EV_AS(fault_end, rec);
	const struct ktr_ev_graph *graph = EV_AS(graph, rec);

	if (ret)
		json_udec(b, "dur", rec->time - ret->start);
	if (fault)
		json_udec(b, "dur", rec->time - fault->start);
	if (graph)
		json_udec(b, "dur", rec->time - graph->start);
}

static void json_tail(struct buf *b, struct out *o, const struct ev_desc *d,
		      const unsigned char *p, size_t len)
{
	if (!is_text(d->tail_format) && !len)
		return;
	json_name(b, d->tail);
	if (is_text(d->tail_format))
		json_bytes(b, p, text_len(d->tail_format, p, len));
	else if (d->tail_format == EVF_STACK)
		json_stack(b, o, p, len);
	else if (d->tail_format == EVF_SIGINFO)
		json_siginfo(b, &o->view, p, len);
	else
		buf_printf(b, "{\"bytes\":%zu}", len);
}

static void json_function(struct buf *b, struct out *o, const struct ktr_rec *rec)
{
	const struct ktr_ev_function_return *out = EV_AS(function_return, rec);
	const struct ktr_ev_function *in = EV_AS(function, rec);
	const struct fnsig *sig = sig_of(o, in ? in->ip : out->ip);
	struct fn_tail t;
	size_t at = b->len;

	if (out && sig && !fnsig_is_void(sig)) {
		json_name(b, "result");
		if (!fnsig_ret_json(b, sig, out->ret))
			b->len = at;
	}
	if (!in || !sig || !sig->args || !tail_of(rec, &t))
		return;
	json_name(b, "args");
	buf_putc(b, '{');
	fnsig_json(b, &o->view, sig, &t);
	buf_putc(b, '}');
}

void generic_json(struct buf *b, struct out *o, const struct ktr_rec *rec)
{
	const struct ev_desc *d = ev_by_kind(rec->kind);
	const unsigned char *p = ev_payload(rec);
	size_t len = ev_payload_len(rec);
	const struct ev_field *f;
	unsigned int i, n;

	if (!d) {
		json_udec(b, "bytes", len);
		return;
	}
	f = d->fields(&n);
	for (i = 0; i < n; i++, f++) {
		if (!is_present(f, len))
			continue;
		json_field(b, o, f, p);
		json_named(b, d, f, p);
	}
	json_duration(b, rec);
	if (EV_AS(function, rec) || EV_AS(function_return, rec)) {
		json_function(b, o, rec);
		return;
	}
	if (d->tail) {
		len = tail_len(rec, ev_tail(d, rec, &p));
		json_tail(b, o, d, p, len);
	}
}
