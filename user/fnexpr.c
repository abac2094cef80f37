// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is to be shown of a function's arguments: `file->f_inode->i_ino, *ufds`. What
 * leads nowhere is refused with the step that is wrong.
 */
#include <bpf/btf.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fnwalk.h"
#include "near.h"

#define BLANKS " \t\n"
#define NAMES_SHOWN 8
#define NAME_BYTES 64
#define DEPTH_MAX 16

/* Names that might have been meant. */
struct offers {
	char want[NAME_BYTES];
	const char *best;
	unsigned int rank;
	size_t n;
	struct buf all;		/* the first of them */
};

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void offer(struct offers *o, const char *name)
{
	size_t n = strlen(o->want);
	unsigned int most = n < 5 ? 1 : 2, d = near_distance(o->want, name, most);

	if (!n)
		d = most + 1;
	else if (d > most && n >= 3 && !strncmp(name, o->want, n))
		d = most;
	if (d <= most && (!o->best || d < o->rank)) {
		o->best = name;
		o->rank = d;
	}
	if (o->n++ < NAMES_SHOWN)
		buf_printf(&o->all, "%s%s", o->n > 1 ? ", " : "", name);
}

/* Those in what has no name itself are the struct's own. */
static void offer_members(const struct making *k, struct offers *o, int type,
			  unsigned int depth)
{
	const struct btf_type *t = fnwalk_plain(k, type);
	const struct btf_member *m;
	unsigned int i;

	if (!t || !btf_is_composite(t) || depth == DEPTH_MAX)
		return;
	m = btf_members(t);
	for (i = 0; i < btf_vlen(t); i++, m++) {
		if (*fnwalk_name(k, m->name_off))
			offer(o, fnwalk_name(k, m->name_off));
		else
			offer_members(k, o, m->type, depth + 1);
	}
}

static void offer_params(const struct making *k, struct offers *o,
			 const struct btf_type *proto)
{
	unsigned int i;

	for (i = 0; i < btf_vlen(proto); i++)
		if (*fnwalk_name(k, btf_params(proto)[i].name_off))
			offer(o, fnwalk_name(k, btf_params(proto)[i].name_off));
}

/* The nearest, or all if they are few. */
static void put_offers(struct buf *b, struct offers *o)
{
	if (o->best)
		buf_printf(b, ": did you mean %s?", o->best);
	else if (o->n && o->n <= NAMES_SHOWN)
		buf_printf(b, ": it has %s", buf_str(&o->all));
	buf_free(&o->all);
}

/* A name too long is near to nothing. */
static void want(struct offers *o, const char *name, size_t len)
{
	memset(o, 0, sizeof(*o));
	buf_init(&o->all);
	if (len < sizeof(o->want))
		memcpy(o->want, name, len);
}

static void no_param(const struct making *k, struct buf *b, const char *func,
		     const struct btf_type *proto, const char *name, size_t len)
{
	struct offers o;

	want(&o, name, len);
	offer_params(k, &o, proto);
	buf_printf(b, "%s has no argument %.*s", func, (int)len, name);
	put_offers(b, &o);
}

static void no_member(const struct making *k, struct buf *b)
{
	const struct btf_type *t = fnwalk_plain(k, k->step.in);
	const char *kind = btf_is_union(t) ? "union" : "struct";
	struct offers o;

	want(&o, k->step.name, k->step.len);
	offer_members(k, &o, k->step.in, 0);
	if (*fnwalk_name(k, t->name_off))
		buf_printf(b, "%s %s", kind, fnwalk_name(k, t->name_off));
	else
		buf_printf(b, "that %s", kind);
	buf_printf(b, " has no member %.*s", (int)k->step.len, k->step.name);
	put_offers(b, &o);
}

/* n: bytes of the expression before the step. */
static void no_step(const struct making *k, struct buf *b, const char *expr, int n)
{
	const struct btf_type *from = fnwalk_plain(k, k->step.from);
	bool arrow = *k->step.path == '-';

	if (arrow && from && btf_is_ptr(from))
		buf_printf(b, "%.*s points to no struct whose members are known", n, expr);
	else if (arrow)
		buf_printf(b, "%.*s is no pointer: * and -> need one", n, expr);
	else if (from && btf_is_ptr(from))
		buf_printf(b, "%.*s is a pointer: its members are behind ->", n, expr);
	else
		buf_printf(b, "%.*s is no struct in memory: . needs one", n, expr);
}

/* Why the path, which is in the expression, leads nowhere. */
static void no_path(const struct making *k, struct buf *b, const char *expr, int err)
{
	if (err == -ENOSPC)
		buf_puts(b, "that is too much for one function");
	else if (err == -ENOENT)
		no_member(k, b);
	else if (err == -EINVAL)
		no_step(k, b, expr, k->step.path - expr);
	else
		buf_puts(b, "values of that type cannot be shown");
}

/* `a->`, `a..b`: something is to follow. */
static bool dangles(const char *e)
{
	for (; *e; e++) {
		if (!strncmp(e, "->", 2))
			e++;
		else if (*e != '.')
			continue;
		if (!e[1] || strchr(".->", e[1]))
			return true;
	}
	return false;
}

/* `name->name.name` */
static bool is_path(const char *e)
{
	while (is_name(*e) && !isdigit((unsigned char)*e)) {
		while (is_name(*e))
			e++;
		if (!*e)
			return true;
		e += *e == '.' ? 1 : !strncmp(e, "->", 2) ? 2 : 0;
	}
	return false;
}

/* The text is all of it, and becomes the name of what is shown. */
static int put_text(struct making *k, const struct fn_want *w, const struct btf_type *proto,
		    const char *text, struct buf *why)
{
	const char *expr = text + (*text == '*'), *path = expr + strcspn(expr, ".-");
	struct place at, to;
	int err;

	err = fnmake_param(k, proto, expr, path - expr, 0, &at);
	if (err == -ENOENT) {
		no_param(k, why, w->name, proto, expr, path - expr);
		return err;
	}
	if (!err)
		err = fnwalk_go(k, &at, path);
	if (!err && expr != text) {
		err = fnwalk_follow(k, &at, &to);
		if (err == -EINVAL) {
			buf_printf(why, "%s is no pointer: * and -> need one", expr);
			return err;
		}
		at = to;
	}
	if (!err && expr == text && !*path)
		fnmake_arg(k, text, &at, NULL);
	else if (!err)
		err = fnmake_place(k, text, &at);
	if (err)
		no_path(k, why, expr, err);
	return err;
}

static int put_expr(struct making *k, const struct fn_want *w, const struct btf_type *proto,
		    const char *text, struct fault *f)
{
	struct buf why;
	int err = -EINVAL;

	buf_init(&why);
	if (dangles(text))
		buf_puts(&why, "the name of a member is missing in it");
	else if (!is_path(text + (*text == '*')))
		buf_puts(&why, "only an argument's name, ->MEMBER and .MEMBER behind it, and one * in front are taken");
	else
		err = put_text(k, w, proto, text, &why);
	if (err)
		err = fault_set(f, ST_USAGE, "%s: '%s': %s", w->name, text, buf_str(&why));
	buf_free(&why);
	return err;
}

/* A blank is between two expressions, where not even a comma is, or means nothing. */
static bool separates(const struct buf *b, char next)
{
	return b->len && is_name(b->p[b->len - 1]) && (is_name(next) || next == '*');
}

/* The next expression, without its blanks; NULL: there is none. */
static const char *take_expr(const char *p, struct buf *b)
{
	buf_reset(b);
	p += strspn(p, "," BLANKS);
	for (; *p && *p != ','; p++) {
		if (!strchr(BLANKS, *p)) {
			buf_putc(b, *p);
			continue;
		}
		p += strspn(p, BLANKS) - 1;
		if (separates(b, p[1]))
			break;
	}
	return b->len ? p : NULL;
}

int fnexpr_put(struct making *k, const struct fn_want *w, const struct btf_type *proto,
	       struct fault *f)
{
	const char *p = w->spec;
	struct buf text;
	int err = 0;

	buf_init(&text);
	while (!err && (p = take_expr(p, &text)))
		err = put_expr(k, w, proto, buf_str(&text), f);
	buf_free(&text);
	return err;
}
