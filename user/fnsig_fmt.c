// SPDX-License-Identifier: GPL-2.0-or-later
/* Arguments and results of kernel functions, as text and as JSON. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "fmt.h"
#include "fmt_signal.h"
#include "fnsig.h"
#include "json.h"

struct shown {
	struct buf *b;
	const struct view *v;
	const struct fn_tail *t;
	bool json;
};

static bool is_err(uint64_t v)
{
	return v >= (uint64_t)-4095;
}

/* "-ENOENT"; ptr: `ERR_PTR(-ENOENT)` */
static void put_error(struct buf *b, uint64_t v, bool ptr)
{
	char tmp[16];

	buf_printf(b, "%s-%s%s", ptr ? "ERR_PTR(" : "",
		   errno_name(-(int64_t)v, tmp), ptr ? ")" : "");
}

static void put_pointer(struct shown *s, uint64_t v)
{
	if (s->json && !v) {
		buf_puts(s->b, "null");
		return;
	}
	if (s->json)
		buf_putc(s->b, '"');
	if (!v)
		buf_puts(s->b, "NULL");
	else if (is_err(v))
		put_error(s->b, v, true);
	else
		buf_hex(s->b, v);
	if (s->json)
		buf_putc(s->b, '"');
}

/* Of so many bytes, extended by its sign. */
static uint64_t narrow(const struct fnsig_item *it, uint64_t v)
{
	unsigned int bits = it->bits ? it->bits : it->size * 8;
	bool sign = it->kind == 'i' || it->kind == 'e' || it->kind == 'c';

	if (!bits || bits >= 64)
		return v;
	v <<= 64 - bits;
	return sign ? (uint64_t)((int64_t)v >> (64 - bits)) : v >> (64 - bits);
}

/* The item's value; false: it could not be read. */
static bool load(const struct shown *s, const struct fnsig_item *it, uint64_t *v)
{
	unsigned int size = it->size ? it->size : 8;
	const struct fn_section *sec;
	unsigned char raw[8] = { 0 };

	if (it->in_reg) {
		*v = it->src < s->t->nargs ? s->t->args[it->src] : 0;
		*v = narrow(it, *v);
		return it->src < s->t->nargs;
	}
	sec = &s->t->sec[it->src];
	if (size > 8)
		size = 8;
	if (!sec->there || it->off + size > sec->len)
		return false;
	memcpy(raw, sec->p + it->off, size);
	memcpy(v, raw, 8);
	*v = narrow(it, *v >> it->bit);
	return true;
}

static void put_unread(struct shown *s)
{
	buf_puts(s->b, s->json ? "null" : "?");
}

static void put_const(struct shown *s, const struct fnsig_item *it, uint64_t v)
{
	unsigned int i;

	for (i = 0; i < it->nconsts; i++)
		if ((uint64_t)it->consts[i].value == v) {
			if (s->json)
				json_str(s->b, it->consts[i].name);
			else
				buf_puts(s->b, it->consts[i].name);
			return;
		}
	if (it->kind == 'e')
		buf_dec(s->b, (int64_t)v);
	else
		buf_udec(s->b, v);
}

static void put_char(struct shown *s, uint64_t v)
{
	char c = v;

	if (s->json)
		buf_dec(s->b, (signed char)c);
	else if (c >= ' ' && c <= '~' && c != '\'' && c != '\\')
		buf_printf(s->b, "'%c'", c);
	else
		buf_printf(s->b, "'\\%o'", (unsigned char)c);
}

static void put_number(struct shown *s, const struct fnsig_item *it, uint64_t v)
{
	const char *mark = s->json ? "\"" : "";

	switch (it->kind) {
	case 'x':
		buf_puts(s->b, mark);
		buf_hex(s->b, v);
		buf_puts(s->b, mark);
		break;
	case 'o':
		if (s->json)
			buf_udec(s->b, v);
		else
			buf_oct(s->b, v, 3);
		break;
	case 'b':
		buf_puts(s->b, v ? "true" : "false");
		break;
	case 'c':
		put_char(s, v);
		break;
	case 'e':
	case 'E':
		put_const(s, it, v);
		break;
	case 'u':
		buf_udec(s->b, v);
		break;
	default:
		buf_dec(s->b, (int64_t)v);
	}
}

static void put_string(struct shown *s, const unsigned char *p, size_t n, bool cut)
{
	size_t most = s->v->strsize;

	if (s->json) {
		json_bytes(s->b, p, n);
		return;
	}
	if (n > most) {
		n = most;
		cut = true;
	}
	fmt_quote(s->b, s->v, p, n);
	if (cut)
		buf_puts(s->b, "...");
}

/* What it points to was captured as a string; else where it points. */
static void put_text(struct shown *s, const struct fnsig_item *it, uint64_t ptr)
{
	const struct fn_section *sec = &s->t->sec[(unsigned int)it->str];

	if (!sec->there || (!sec->len && sec->flags & KTR_CAP_F_UNREADABLE))
		put_pointer(s, ptr);
	else
		put_string(s, sec->p, sec->len,
			   sec->flags & (KTR_CAP_F_CUT | KTR_CAP_F_UNREADABLE));
}

/* A thing with a name: `<hostname>`. */
static void put_name(struct shown *s, const struct fnsig_item *it, uint64_t ptr)
{
	const struct fn_section *sec = NULL;
	bool known;

	if (it->str >= 0)
		sec = &s->t->sec[(unsigned int)it->str];
	known = sec && sec->there && !(sec->flags & KTR_CAP_F_UNREADABLE);

	if (!known) {
		put_pointer(s, ptr);
	} else if (s->json) {
		json_bytes(s->b, sec->p, sec->len);
	} else {
		buf_putc(s->b, '<');
		fmt_quote_name(s->b, s->v, sec->p, sec->len);
		buf_putc(s->b, '>');
	}
}

/* Text in a fixed array: up to its NUL. */
static void put_array(struct shown *s, const struct fnsig_item *it)
{
	const struct fn_section *sec = &s->t->sec[it->src];

	if (!sec->there || it->off + it->size > sec->len)
		put_unread(s);
	else
		put_string(s, sec->p + it->off,
			   strnlen((const char *)sec->p + it->off, it->size), false);
}

static uint16_t half(const struct fn_section *sec, unsigned int off)
{
	uint16_t v = 0;

	if (off + sizeof(v) <= sec->len)
		memcpy(&v, sec->p + off, sizeof(v));
	return v;
}

static void put_end(struct shown *s, const struct fn_section *sec, int family,
		    unsigned int addr, uint16_t port, const char *const names[2])
{
	char text[INET6_ADDRSTRLEN] = "?";
	unsigned int size = family == AF_INET ? 4 : 16;

	if (addr + size <= sec->len)
		inet_ntop(family, sec->p + addr, text, sizeof(text));
	if (s->json) {
		json_text(s->b, names[0], text);
		json_udec(s->b, names[1], port);
	} else if (family == AF_INET6) {
		buf_printf(s->b, "[%s]:%u", text, port);
	} else {
		buf_printf(s->b, "%s:%u", text, port);
	}
}

/* `{AF_INET, 127.0.0.1:80->10.0.0.1:4000}` */
static void put_sock(struct shown *s, const struct fnsig_item *it, uint64_t ptr)
{
	static const char *const own[] = { "addr", "port" }, *const peer[] = { "peer_addr", "peer_port" };
	const struct fn_section *sec = &s->t->sec[it->str < 0 ? 0 : (unsigned int)it->str];
	const uint16_t *pos = it->pos;
	int family;

	if (it->str < 0 || !sec->there || pos[0] + 2u > sec->len) {
		put_pointer(s, ptr);
		return;
	}
	family = half(sec, pos[0]);
	buf_putc(s->b, '{');
	if (s->json)
		json_udec(s->b, "family", family);
	else if (family == AF_INET || family == AF_INET6)
		buf_puts(s->b, family == AF_INET ? "AF_INET, " : "AF_INET6, ");
	else
		buf_printf(s->b, "%s", family == AF_UNIX ? "AF_UNIX" :
			   family == AF_NETLINK ? "AF_NETLINK" : "AF_?");
	if (family == AF_INET || family == AF_INET6) {
		unsigned int six = family == AF_INET6 && pos[5] ? 2 : 0;

		put_end(s, sec, family, pos[3 + six], half(sec, pos[1]), own);
		if (!s->json)
			buf_puts(s->b, "->");
		put_end(s, sec, family, pos[4 + six], ntohs(half(sec, pos[2])), peer);
	}
	buf_putc(s->b, '}');
}

static void put_items(struct shown *s, const struct fnsig_item *it, size_t n,
		      unsigned int depth);

/* The items behind a struct that are its fields. */
static size_t fields_of(const struct fnsig_item *it, size_t n)
{
	size_t i;

	for (i = 1; i < n && it[i].depth > it->depth; i++)
		;
	return i - 1;
}

static void put_struct(struct shown *s, const struct fnsig_item *it, size_t n)
{
	const struct fn_section *sec = &s->t->sec[it->src];

	if (!sec->there || !sec->len) {
		put_unread(s);
		return;
	}
	buf_putc(s->b, '{');
	put_items(s, it + 1, n, it->depth + 1);
	buf_putc(s->b, '}');
}

static void put_value(struct shown *s, const struct fnsig_item *it, size_t nfields)
{
	uint64_t v;

	if (it->kind == 'S') {
		put_struct(s, it, nfields);
		return;
	}
	if (it->kind == 'T') {
		put_array(s, it);
		return;
	}
	if (it->kind == '?') {
		buf_puts(s->b, s->json ? "{}" : "{...}");
		return;
	}
	if (!load(s, it, &v))
		put_unread(s);
	else if (it->kind == 'p' && it->str >= 0)
		put_text(s, it, v);
	else if (it->kind == 'p')
		put_pointer(s, v);
	else if (it->kind == 'n')
		put_name(s, it, v);
	else if (it->kind == 'k')
		put_sock(s, it, v);
	else
		put_number(s, it, v);
}

static void put_items(struct shown *s, const struct fnsig_item *it, size_t n,
		      unsigned int depth)
{
	size_t i, nfields;
	bool first = true;

	for (i = 0; i < n; i += 1 + nfields) {
		nfields = fields_of(it + i, n - i);
		if (it[i].depth != depth)
			continue;
		if (s->json)
			json_name(s->b, it[i].name);
		else
			buf_printf(s->b, "%s%s=", first ? "" : ", ", it[i].name);
		first = false;
		put_value(s, &it[i], nfields);
	}
}

void fnsig_text(struct buf *b, const struct view *v, const struct fnsig *sig,
		const struct fn_tail *t)
{
	struct shown s = { .b = b, .v = v, .t = t };

	put_items(&s, sig->items, sig->n, 0);
}

void fnsig_json(struct buf *b, const struct view *v, const struct fnsig *sig,
		const struct fn_tail *t)
{
	struct shown s = { .b = b, .v = v, .t = t, .json = true };

	put_items(&s, sig->items, sig->n, 0);
}

static bool put_ret(struct buf *b, const struct fnsig *sig, uint64_t ret, bool json)
{
	struct shown s = { .b = b, .json = json };
	uint64_t v;

	if (!sig || sig->ret.kind == '?' || sig->ret.kind == 'v')
		return false;
	v = narrow(&sig->ret, ret);
	/* Numbers that are too large for any other meaning. */
	if (is_err(v) && strchr("iux", sig->ret.kind) && !sig->ret.bits) {
		if (json)
			buf_putc(b, '"');
		put_error(b, v, false);
		if (json)
			buf_putc(b, '"');
	} else if (sig->ret.kind == 'p') {
		put_pointer(&s, v);
	} else {
		put_number(&s, &sig->ret, v);
	}
	return true;
}

bool fnsig_ret_text(struct buf *b, const struct fnsig *sig, uint64_t ret)
{
	return put_ret(b, sig, ret, false);
}

bool fnsig_ret_json(struct buf *b, const struct fnsig *sig, uint64_t ret)
{
	return put_ret(b, sig, ret, true);
}
