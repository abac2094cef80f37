// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_nlattr.c - attributes of netlink messages, by the rows of their set */
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include "consts.h"
#include "netlink.h"

#define DEPTH_MAX 8		/* of nests that a message made up may have */
#define KIND_MAX 16

/* What attributes take from those before or around them. */
struct scope {
	unsigned int family;
	unsigned int depth;
	char kind[KIND_MAX];	/* IFLA_INFO_KIND */
};

static void put_attrs(struct fmt *f, const struct nl_set *set,
		      const unsigned char *p, size_t n, struct scope *s);

void fmt_nlbytes(struct fmt *f, const void *p, size_t n)
{
	size_t shown = n < f->v->strsize ? n : f->v->strsize;

	if (f->json)
		return fmt_bytes(f, p, n, false);
	fmt_raw_bytes(f, p, shown);
	if (shown < n)
		buf_puts(f->b, "...");
}

void fmt_hwaddr(struct fmt *f, const void *addr, size_t n)
{
	const unsigned char *p = addr;
	size_t from = fmt_text_begin(f);

	for (size_t i = 0; i < n; i++)
		buf_printf(f->b, "%s%02x", i ? ":" : "", p[i]);
	fmt_text_end(f, from);
}

void fmt_hwaddr_raw(struct fmt *f, const void *addr, size_t n, size_t room)
{
	if (f->json || f->v->xlat == VIEW_ABBREV)
		return fmt_hwaddr(f, addr, n);
	fmt_raw_bytes(f, addr, room);
	if (f->v->xlat == VIEW_RAW)
		return;
	buf_puts(f->b, " /* ");
	fmt_hwaddr(f, addr, n);
	buf_puts(f->b, " */");
}

/* As strace: a port in an attribute is never shown as bytes. */
void fmt_nlport(struct fmt *f, const void *p)
{
	struct view plain = *f->v;
	const struct view *view = f->v;

	plain.xlat = VIEW_ABBREV;
	f->v = &plain;
	fmt_word(f, K_PORT, NULL, fmt_load(p, 2), 2);
	f->v = view;
}

static bool put_addr(struct fmt *f, const unsigned char *p, size_t n,
		     unsigned int family)
{
	if (family == AF_INET && n >= 4)
		fmt_word(f, K_INADDR, NULL, fmt_load(p, 4), 4);
	else if (family == AF_INET6 && n >= 16)
		fmt_in6(f, p, NULL);
	else
		return false;
	return true;
}

/*
 * What is shown ends in front of a NUL, or with dots. As strace: in hex the NUL is
 * one more byte, and what is no text.
 */
static void put_str(struct fmt *f, const unsigned char *p, size_t n)
{
	size_t shown = n < f->v->strsize ? n : f->v->strsize;

	if (f->json)
		fmt_bytes(f, p, n - !p[n - 1], false);
	else if (shown && !p[shown - 1] && !fmt_in_hex(f->v, p, shown))
		fmt_bytes(f, p, shown - 1, false);
	else
		fmt_bytes(f, p, shown, true);
}

static void put_kindname(struct fmt *f, const unsigned char *p, size_t n)
{
	size_t shown = n < f->v->strsize || f->json ? n : f->v->strsize;
	size_t len = strnlen((const char *)p, shown);

	fmt_bytes(f, p, len, !f->json && len == shown);
}

static bool put_word(struct fmt *f, const struct nl_attr *a,
		     const unsigned char *p, size_t n)
{
	if (n < a->size)
		return false;
	if (a->ekind == K_PORT)
		fmt_nlport(f, p);
	else
		fmt_word(f, a->ekind, a->tab, fmt_load(p, a->size), a->size);
	return true;
}

/* As wide as it happens to be. */
static bool put_ticks(struct fmt *f, const unsigned char *p, size_t n)
{
	uint64_t v = 0;

	if (n > sizeof(v))
		return false;
	memcpy(&v, p, n);
	fmt_word(f, K_TICKS, NULL, v, sizeof(v));
	return true;
}

/* Which element of an array it is. */
static void put_index(struct fmt *f, const struct nl_attr *a, size_t i)
{
	const struct xlat *x = a->tab;
	const char *name = x ? xlat_name(x, i + a->less) : NULL;

	if (!x || f->json)
		return;
	buf_putc(f->b, '[');
	if (f->v->xlat == VIEW_RAW)
		buf_printf(f->b, "%zu", i);
	else if (!name)
		buf_printf(f->b, "%zu /* %s */", i, x->unknown);
	else if (f->v->xlat == VIEW_VERBOSE)
		buf_printf(f->b, "%zu /* %s%s */", i, name, a->less ? "-1" : "");
	else
		buf_printf(f->b, "%s%s", name, a->less ? "-1" : "");
	buf_puts(f->b, "]=");
}

static void put_words(struct fmt *f, const struct nl_attr *a,
		      const unsigned char *p, size_t n)
{
	fmt_open(f, '[');
	for (size_t i = 0; (i + 1) * a->size <= n; i++) {
		if (i >= f->v->strsize && !f->v->verbose) {
			fmt_more(f);
			break;
		}
		fmt_sep(f);
		put_index(f, a, i);
		fmt_word(f, a->ekind, NULL, fmt_load(p + i * a->size, a->size),
			 a->size);
	}
	fmt_close(f, ']');
}

static void put_nexthop(struct fmt *f, const unsigned char *p, size_t n,
			struct scope *s)
{
	size_t head = layout_rtnexthop.size[0];

	if (n > head)
		fmt_open(f, '[');
	fmt_layout(f, &layout_rtnexthop, p);
	if (n > head) {
		fmt_sep(f);
		put_attrs(f, &nlset_rta, p + head, n - head, s);
		fmt_close(f, ']');
	}
}

/* Each has its own length, and attributes of a route. */
static bool put_nexthops(struct fmt *f, const unsigned char *p, size_t n,
			 struct scope *s)
{
	size_t head = layout_rtnexthop.size[0];
	bool array = false;

	if (n < head)
		return false;
	for (;;) {
		size_t len = fmt_load(p, 2), step = (len + 3) & ~3ul;
		bool more = len >= head && step < n;

		if (more && !array) {
			array = true;
			fmt_open(f, '[');
		}
		if (array)
			fmt_sep(f);
		put_nexthop(f, p, len < n ? len : n, s);
		if (!more)
			break;
		p += step;
		n -= step;
		if (n < head) {
			fmt_sep(f);
			fmt_nlbytes(f, p, n);
			break;
		}
	}
	if (array)
		fmt_close(f, ']');
	return true;
}

static const struct nl_set *data_set(const char *kind)
{
	static const struct {
		const char *kind;
		const struct nl_set *set;
	} sets[] = {
		{ "bridge", &nlset_ifla_br }, { "tun", &nlset_ifla_tun },
	};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (!strcmp(sets[i].kind, kind))
			return sets[i].set;
	return NULL;
}

/* What is inside goes by another set. Return: false if that is not known. */
static bool put_nest(struct fmt *f, const struct nl_attr *a,
		     const unsigned char *p, size_t n, struct scope *s)
{
	const struct nl_set *set = a->tab;
	struct scope inner = *s;

	if (a->kind == NL_LINKDATA)
		set = data_set(s->kind);
	if (!set || ++inner.depth > DEPTH_MAX)
		return false;
	put_attrs(f, set, p, n, &inner);
	return true;
}

/* So many bytes have all fields of it; padding behind them may be missing. */
static size_t end_of(const struct sys_layout *l)
{
	size_t end = 0;

	for (unsigned int i = 0; i < l->nfields; i++) {
		const struct sys_field *fd = &l->fields[i];

		if (fd->off[0] + fd->size[0] > end)
			end = fd->off[0] + fd->size[0];
	}
	return end;
}

static bool put_value(struct fmt *f, const struct nl_attr *a,
		      const unsigned char *p, size_t n, struct scope *s)
{
	const struct sys_layout *l = a->tab;

	switch (a->kind) {
	case NL_WORD:
		return put_word(f, a, p, n);
	case NL_STR:
		put_str(f, p, n);
		return true;
	case NL_KINDNAME:
		put_kindname(f, p, n);
		return true;
	case NL_TICKS:
		return put_ticks(f, p, n);
	case NL_HWADDR:
		fmt_hwaddr_raw(f, p, n, n);
		return true;
	case NL_ADDR:
		return put_addr(f, p, n, s->family);
	case NL_IN6:
		return put_addr(f, p, n, AF_INET6);
	case NL_STRUCT:
		if (n < end_of(l))
			return false;
		fmt_layout(f, l, p);
		return true;
	case NL_SIZED:
		if (n < a->size)
			return false;
		fmt_sized(f, l, p, n < l->size[0] ? n : l->size[0], n);
		return true;
	case NL_NEST:
	case NL_FAMILIES:
	case NL_LINKDATA:
		return put_nest(f, a, p, n, s);
	case NL_WORDS:
		if (n < a->size)
			return false;
		put_words(f, a, p, n);
		return true;
	case NL_NEXTHOPS:
		return put_nexthops(f, p, n, s);
	default:
		return false;
	}
}

static const struct nl_attr *find_attr(const struct nl_set *set,
				       unsigned int type)
{
	for (unsigned int i = 0; i < set->n; i++)
		if (set->attrs[i].type == type ||
		    set->attrs[i].type == NL_ANY_TYPE)
			return &set->attrs[i];
	return NULL;
}

/* One of the bits above the type. */
static void put_type_bit(struct fmt *f, unsigned int bit, const char *name)
{
	if (f->v->xlat == VIEW_RAW)
		buf_printf(f->b, "%#x|", bit);
	else if (f->v->xlat == VIEW_VERBOSE)
		buf_printf(f->b, "%#x /* %s */|", bit, name);
	else
		buf_printf(f->b, "%s|", name);
}

static void put_head(struct fmt *f, const struct nl_set *set, unsigned int len,
		     unsigned int type)
{
	size_t from;

	fmt_open(f, '{');
	fmt_name(f, "nla_len");
	fmt_udec(f, len);
	fmt_name(f, "nla_type");
	from = fmt_text_begin(f);
	if (type & NLA_F_NESTED)
		put_type_bit(f, NLA_F_NESTED, "NLA_F_NESTED");
	if (type & NLA_F_NET_BYTEORDER)
		put_type_bit(f, NLA_F_NET_BYTEORDER, "NLA_F_NET_BYTEORDER");
	if (set->names)
		fmt_xlat_enum(f->b, f->v, set->names, type & NLA_TYPE_MASK);
	else
		buf_hex(f->b, type & NLA_TYPE_MASK);
	fmt_text_end(f, from);
	fmt_close(f, '}');
}

static void put_attr(struct fmt *f, const struct nl_set *set,
		     const unsigned char *p, size_t n, struct scope *s)
{
	unsigned int len = fmt_load(p, 2), type = fmt_load(p + 2, 2);
	const struct nl_attr *a = find_attr(set, type & NLA_TYPE_MASK);

	if (n > len)
		n = len;
	if (n > NLA_HDRLEN)
		fmt_open(f, '[');
	put_head(f, set, len, type);
	if (n > NLA_HDRLEN) {
		p += NLA_HDRLEN;
		n -= NLA_HDRLEN;
		fmt_sep(f);
		if (!a || !put_value(f, a, p, n, s))
			fmt_nlbytes(f, p, n);
		fmt_close(f, ']');
		if (a && a->kind == NL_KINDNAME) {
			memset(s->kind, 0, sizeof(s->kind));
			memcpy(s->kind, p, n < KIND_MAX ? n : KIND_MAX - 1);
		}
	}
}

bool fmt_nlitem(struct fmt *f, unsigned int i, bool more, bool *array)
{
	if ((more || f->json) && !*array) {
		*array = true;
		fmt_open(f, '[');
	}
	if (i == f->v->strsize && !f->v->verbose) {
		fmt_more(f);
		return false;
	}
	if (*array)
		fmt_sep(f);
	return true;
}

/* One alone stands without brackets; what is behind the last one is bytes. */
static void put_attrs(struct fmt *f, const struct nl_set *set,
		      const unsigned char *p, size_t n, struct scope *s)
{
	bool array = false;

	if (n < NLA_HDRLEN)
		return fmt_nlbytes(f, p, n);
	for (unsigned int i = 0;; i++) {
		size_t len = fmt_load(p, 2), step = NLA_ALIGN(len);
		bool more = len >= NLA_HDRLEN && step < n;

		if (!fmt_nlitem(f, i, more, &array))
			break;
		put_attr(f, set, p, n, s);
		if (!more)
			break;
		p += step;
		n -= step;
		if (n < NLA_HDRLEN) {
			fmt_sep(f);
			fmt_nlbytes(f, p, n);
			break;
		}
	}
	if (array)
		fmt_close(f, ']');
}

void fmt_nlattrs(struct fmt *f, const struct nl_set *set,
		 const unsigned char *p, size_t n, unsigned int family)
{
	struct scope s = { .family = family };

	put_attrs(f, set, p, n, &s);
}
