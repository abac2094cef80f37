// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_sets.c - bit sets of descriptors and CPUs, directory entries */
#include <string.h>
#include "fmt.h"
#include "json.h"

static bool bit(const struct mem *m, uint64_t i)
{
	return i / 8 < m->len && m->p[i / 8] >> (i % 8) & 1;
}

/* [3 4] */
void fmt_fdset(struct fmt *f, const struct mem *m, uint64_t nfds)
{
	bool first = true;

	if ((int)nfds < 0)
		nfds = 0;
	fmt_open(f, '[');
	for (uint64_t i = 0; i < nfds && i / 8 < m->len; i++) {
		if (!bit(m, i))
			continue;
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
	if (len > m->len)
		fmt_more(f);
	fmt_close(f, ']');
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
	buf_printf(f->b, " /* %u entr%s%s */", entries,
		   entries == 1 ? "y" : "ies",
		   m->flags & KTR_CAP_F_CUT ? " and more" : "");
}
