// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_sets.c - bit sets of descriptors and CPUs, directory entries */
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <string.h>
#include "consts.h"
#include "fmt.h"
#include "json.h"

static bool bit(const struct mem *m, uint64_t i)
{
	return i / 8 < m->len && m->p[i / 8] >> (i % 8) & 1;
}

/* [3 4] */
void fmt_fdset(struct fmt *f, const struct mem *m, uint64_t nfds,
	       unsigned int *most)
{
	bool first = true;

	if ((int)nfds < 0)
		nfds = 0;
	fmt_open(f, '[');
	for (uint64_t i = 0; i < nfds && i / 8 < m->len; i++) {
		if (!bit(m, i) || (most && !*most))
			continue;
		if (most)
			--*most;
		if (f->json)
			fmt_sep(f);
		else if (!first)
			buf_putc(f->b, ' ');
		first = false;
		fmt_word(f, K_FD, NULL, i, 4);
	}
	fmt_close(f, ']');
}

/* [0 1 2] */
void fmt_cpuset(struct fmt *f, const struct mem *m, uint64_t len)
{
	bool first = true;

	fmt_open(f, '[');
	for (uint64_t i = 0; i < len * 8 && i / 8 < m->len; i++) {
		if (!bit(m, i))
			continue;
		if (f->json)
			fmt_sep(f);
		else if (!first)
			buf_putc(f->b, ' ');
		first = false;
		fmt_udec(f, i);
	}
	if (len > m->len && !f->json)
		buf_puts(f->b, " ...");
	fmt_close(f, ']');
}

static void put_cap_names(struct buf *b, uint64_t mask, unsigned int first)
{
	const char *sep = "";

	for (unsigned int i = first; i < 64; i++) {
		const char *name = xlat_name(&xlat_caps, i);

		if (!(mask >> (i - first) & 1))
			continue;
		if (name)
			buf_printf(b, "%s1<<%s", sep, name);
		else
			buf_printf(b, "%s1<<%u", sep, i);
		sep = "|";
	}
}

/* One word of the mask, as a number and perhaps its names. */
static void put_cap_word(struct fmt *f, uint32_t word, unsigned int first)
{
	buf_hex(f->b, word);
	if (!word || f->v->xlat == VIEW_RAW)
		return;
	buf_puts(f->b, " /* ");
	put_cap_names(f->b, word, first);
	buf_puts(f->b, " */");
}

static void put_caps(struct fmt *f, uint64_t mask)
{
	size_t from = fmt_text_begin(f);

	if (!mask) {
		buf_hex(f->b, 0);
	} else if (f->v->xlat == VIEW_ABBREV) {
		put_cap_names(f->b, mask, 0);
	} else {
		if ((uint32_t)mask || !(mask >> 32))
			put_cap_word(f, mask, 0);
		if ((uint32_t)mask && mask >> 32)
			buf_putc(f->b, '|');
		if (mask >> 32)
			put_cap_word(f, mask >> 32, 32);
	}
	fmt_text_end(f, from);
}

/* Three masks; their upper halves follow since version 2 of the header. */
void fmt_caps(struct fmt *f, const struct mem *m)
{
	struct mem head = fmt_mem(f, 0, ROLE_DATA, false);
	uint32_t version = head.len >= 4 ? fmt_load(head.p, 4) : 0;
	bool wide = xlat_name(&xlat_cap_versions, version) &&
		    version != _LINUX_CAPABILITY_VERSION_1;
	const struct sys_layout *l = &layout_cap_data;

	fmt_open(f, '{');
	for (unsigned int i = 0; i < l->nfields; i++) {
		const unsigned char *p = m->p + i * 4;
		uint64_t mask = m->len >= i * 4 + 4 ? fmt_load(p, 4) : 0;

		if (wide && m->len >= i * 4 + 16)
			mask |= fmt_load(p + 12, 4) << 32;
		fmt_name(f, l->fields[i].name);
		put_caps(f, mask);
	}
	fmt_close(f, '}');
}

/* The fields of an entry, and its name that stands behind them. */
static void put_dirent(struct fmt *f, const struct sys_layout *l,
		       const unsigned char *p, unsigned int reclen)
{
	unsigned int name = l->fields[l->nfields - 1].off[f->abi] +
			    l->fields[l->nfields - 1].size[f->abi];
	bool tail = l == &layout_dirent;	/* type in the last byte */
	unsigned int n = reclen - name - tail;

	fmt_open(f, '{');
	fmt_fields(f, l, p);
	fmt_name(f, "d_name");
	fmt_bytes(f, p + name, strnlen((const char *)p + name, n), false);
	if (tail) {
		fmt_name(f, "d_type");
		fmt_elem(f, K_ENUM, layout_dirent64.fields[3].tab,
			 p + reclen - 1, 1);
	}
	fmt_close(f, '}');
}

void fmt_dirents(struct fmt *f, const struct sys_arg *a, const struct mem *m,
		 uint64_t addr)
{
	const struct sys_layout *l = a->tab;
	const struct sys_field *last = &l->fields[2];	/* d_reclen */
	unsigned int head = l->fields[l->nfields - 1].off[f->abi] +
			    l->fields[l->nfields - 1].size[f->abi];
	unsigned int entries = 0, reclen;
	bool broken = m->flags & KTR_CAP_F_CUT;
	size_t at;

	if (f->v->verbose)
		fmt_open(f, '[');
	for (at = 0; at + head + 2 <= m->len; at += reclen) {
		reclen = fmt_load(m->p + at + last->off[f->abi], 2);
		if (reclen < head + 2 || reclen > m->len - at)
			break;
		entries++;
		if (f->v->verbose) {
			fmt_sep(f);
			put_dirent(f, l, m->p + at, reclen);
		}
	}
	if (f->v->verbose) {
		if (m->flags & KTR_CAP_F_CUT)
			fmt_more(f);
		fmt_close(f, ']');
		return;
	}
	fmt_addr(f, addr);
	if (at != m->len)
		broken = true;
	buf_printf(f->b, " /* %u%s entr%s */", entries, broken ? "+" : "",
		   entries == 1 && !broken ? "y" : "ies");
}

static void put_handle(struct fmt *f, const struct mem *m, uint32_t bytes)
{
	struct view hex = *f->v;
	const struct view *was = f->v;
	size_t n = m->len - 8;

	fmt_name(f, "handle_type");
	fmt_dec(f, (int32_t)fmt_load(m->p + 4, 4));
	fmt_name(f, "f_handle");
	hex.hexstr = 2;
	hex.strsize = UINT_MAX;
	if (!f->json)
		f->v = &hex;
	fmt_bytes(f, m->p + 8, n < bytes ? n : bytes, n < bytes);
	f->v = was;
}

/* struct file_handle: the room for it becomes its size. */
void fmt_handle(struct fmt *f, const struct sys_arg *a, unsigned int reg)
{
	struct mem in = fmt_mem(f, reg, ROLE_DATA, false), m = in;
	uint32_t was, is;
	int err = 0;

	if (in.len < 8)
		return fmt_addr(f, fmt_reg(f, reg));
	fmt_error(f->r, &err);
	if (a->when & W_OUT)
		m = fmt_mem(f, reg, ROLE_DATA, true);
	was = fmt_load(in.p, 4);
	is = m.len >= 8 && (!f->failed || err == EOVERFLOW) ?
	     fmt_load(m.p, 4) : was;
	fmt_open(f, '{');
	fmt_name(f, "handle_bytes");
	fmt_udec(f, f->json ? is : was);
	if (is != was && !f->json)
		buf_printf(f->b, " => %u", is);
	if (m.len >= 8 && (!f->failed || !(a->when & W_OUT)))
		put_handle(f, &m, is);
	fmt_close(f, '}');
}
