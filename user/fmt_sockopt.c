// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_sockopt.c - values of socket options, by the rows of tables/sockopts.h */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include "consts.h"
#include "fmt.h"
#include "fmt_signal.h"
#include "netlink.h"

enum form {
	PLAIN,		/* an int if there are four bytes, else bytes */
	INT,		/* an int, also if more bytes are said to be there */
	ERRNO,		/* the same, an error */
	WORD,		/* the same, a constant: tab */
	WORDS,		/* as many as there are */
	STRUCT,		/* tab is its layout */
	EXACT,		/* the same, of just that size */
	PROGRAM,	/* the same, of BPF */
	MEMBER,		/* the same, a struct packet_mreq */
	TIME,		/* a struct if there is all of it, else PLAIN */
};

#define SET 1
#define GET 2
#define BOTH 3
#define ANY_NAME (~0u)

#define L(layout)	&layout_##layout
#define T(table)	&xlat_##table
#define SOCKOPT(l, n, w, k, t) { .level = l, .name = n, .ways = w, .form = k, .tab = t },
static const struct sockopt {
	uint32_t level, name;
	unsigned int ways;
	enum form form;
	const void *tab;
} sockopts[] = {
#include "tables/sockopts.h"
};

static const struct sockopt *find_option(uint32_t level, uint32_t name,
					 unsigned int way)
{
	static const struct sockopt plain = { .form = PLAIN };

	for (size_t i = 0; i < sizeof(sockopts) / sizeof(sockopts[0]); i++)
		if (sockopts[i].level == level && sockopts[i].ways & way &&
		    (sockopts[i].name == name || sockopts[i].name == ANY_NAME))
			return &sockopts[i];
	return &plain;
}

static void put_error(struct fmt *f, int err)
{
	size_t from = fmt_text_begin(f);
	char tmp[16];

	if (err)
		buf_puts(f->b, errno_name(err, tmp));
	else
		buf_putc(f->b, '0');
	fmt_text_end(f, from);
}

static void put_int(struct fmt *f, const struct sockopt *o, const void *p)
{
	uint32_t v = fmt_load(p, 4);

	fmt_open(f, '[');
	if (o->form == ERRNO)
		put_error(f, v);
	else if (o->form == WORD)
		fmt_enum(f, o->tab, v);
	else
		fmt_dec(f, (int32_t)v);
	fmt_close(f, ']');
}

static void put_words(struct fmt *f, const struct mem *m, unsigned int n)
{
	fmt_open(f, '[');
	for (unsigned int i = 0; i + 4 <= n; i += 4) {
		if (i + 4 > m->len || (i / 4 >= f->v->strsize && !f->v->verbose)) {
			fmt_more(f);
			break;
		}
		fmt_sep(f);
		fmt_udec(f, fmt_load(m->p + i, 4));
	}
	fmt_close(f, ']');
}

/* A member has as many bytes of an address as it says. */
static void put_member(struct fmt *f, const unsigned char *p)
{
	const struct sys_layout *l = &layout_packet_mreq;
	unsigned int len = fmt_load(p + 6, 2), room = l->size[0] - 8;

	fmt_open(f, '{');
	fmt_fields(f, l, p);
	fmt_name(f, "mr_address");
	len = len < room ? len : room;
	fmt_hwaddr_raw(f, p + 8, len, len);
	fmt_close(f, '}');
}

static void put_struct(struct fmt *f, const struct sockopt *o, unsigned int reg,
		       const unsigned char *p)
{
	if (o->form == PROGRAM)
		fmt_fprog(f, reg, p);
	else if (o->form == MEMBER)
		put_member(f, p);
	else
		fmt_layout(f, o->tab, p);
}

/* Of a struct what there is; the last field may be a part of one. */
static void put_begin(struct fmt *f, const struct sys_layout *l,
		      const unsigned char *p, unsigned int n)
{
	fmt_open(f, '{');
	for (unsigned int i = 0; i < l->nfields; i++) {
		const struct sys_field *fd = &l->fields[i];
		unsigned int off = fd->off[f->abi], size = fd->size[f->abi];

		if (off >= n)
			break;
		fmt_name(f, fd->name);
		if (size > n - off)
			fmt_nlbytes(f, p + off, n - off);
		else
			fmt_elem(f, fd->kind, fd->tab, p + off, size);
	}
	fmt_close(f, '}');
}

static void put_plain(struct fmt *f, const struct sockopt *o,
		      const struct mem *m, uint64_t len)
{
	if (len == 4 && m->len >= 4)
		put_int(f, o, m->p);
	else
		fmt_data(f, m, len);
}

static bool is_struct(const struct sockopt *o)
{
	return o->form >= STRUCT;
}

static void put_set(struct fmt *f, const struct sockopt *o, unsigned int reg,
		    const struct mem *m, int len)
{
	const struct sys_layout *l = is_struct(o) ? o->tab : NULL;
	int size = l ? l->size[f->abi] : 4;
	bool fits = len >= size && m->len >= (size_t)size;

	if (o->form == EXACT || o->form == PROGRAM || o->form == MEMBER)
		fits = fits && len == size;
	if (o->form == PLAIN || (o->form == TIME && !fits))
		put_plain(f, o, m, len < 0 ? ~0u : (unsigned int)len);
	else if (!fits)
		fmt_addr(f, fmt_reg(f, reg));
	else if (l)
		put_struct(f, o, reg, m->p);
	else
		put_int(f, o, m->p);
}

/* n: bytes that the kernel wrote, all of them captured if they are of a known form */
static void put_got(struct fmt *f, const struct sockopt *o, unsigned int reg,
		    const struct mem *m, unsigned int n)
{
	const struct sys_layout *l = is_struct(o) ? o->tab : NULL;
	unsigned int known = n < m->len ? n : m->len;

	if (o->form == WORDS)
		put_words(f, m, n);
	else if (l && known >= l->size[f->abi])
		put_struct(f, o, reg, m->p);
	else if (o->form == STRUCT)
		put_begin(f, l, m->p, known);
	else if ((o->form == INT || o->form == ERRNO) && known < 4)
		fmt_nlbytes(f, m->p, known);
	else if (o->form == INT || o->form == ERRNO)
		put_int(f, o, m->p);
	else
		put_plain(f, o, m, n);
}

void fmt_optval(struct fmt *f, const struct sys_arg *a, unsigned int reg,
		bool out)
{
	struct mem m = fmt_mem(f, reg, ROLE_DATA, out);
	uint64_t addr = fmt_reg(f, reg);
	const struct sockopt *o = find_option(fmt_reg(f, 1), fmt_reg(f, 2),
					      out ? GET : SET);
	int len = fmt_count(f, a, out);

	if (out)
		len = fmt_written(f, a);
	if (!addr || !m.have || (out && (f->failed || len <= 0)) ||
	    (!m.len && len))
		fmt_addr(f, addr);
	else if (out)
		put_got(f, o, reg, &m, len);
	else
		put_set(f, o, reg, &m, len);
}
