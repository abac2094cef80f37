// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_attr.c - what the attributes of bpf point to, and what it makes of them */
#include <string.h>
#include "fmt.h"

#define ATTR_REG 1	/* where bpf has their address */
#define PATH_SHOWN 4095

static uint64_t load(const struct fmt *f, const struct sys_field *fd,
		     const void *p)
{
	return fmt_load((const char *)p + fd->off[f->abi], fd->size[f->abi]);
}

/* The same when the call was over; before: if that is not known. */
static uint64_t load_after(const struct fmt *f, const struct sys_field *fd,
			   uint64_t before)
{
	struct mem m = fmt_mem(f, ATTR_REG, ROLE_DATA, true);
	unsigned int end = fd->off[f->abi] + fd->size[f->abi];

	if (end > m.len || (f->room && end > f->room))
		return before;
	return load(f, fd, m.p);
}

/* Which other member has the length. */
static uint32_t length(const struct fmt *f, unsigned int off, const void *base)
{
	if (f->room && off + 4 > f->room)
		return 0;
	return fmt_load((const char *)base + off, 4);
}

static uint32_t min_after(const struct fmt *f, unsigned int off, uint32_t len)
{
	struct mem m = fmt_mem(f, ATTR_REG, ROLE_DATA, true);
	uint32_t is = off + 4 <= m.len ? fmt_load(m.p + off, 4) : len;

	return is < len ? is : len;
}

/* It ends in front of a NUL, if there is one. */
static void put_text(struct fmt *f, const struct mem *m, uint32_t len)
{
	struct mem s = *m;

	if (s.len > len)
		s.len = len;
	s.len = strnlen((const char *)m->p, s.len);
	/* With a length, what has no end in it is always told to go on. */
	fmt_data(f, &s, s.len < m->len && s.len < len ? s.len : s.len + 1);
}

/* Of programs and links. */
static const struct sys_arg ids = {
	.kind = K_VEC,
	.ekind = K_UDEC,
	.esize = { 4, 4 },
};

static bool is_out(unsigned int what)
{
	return what == BEHIND_BUF || what == BEHIND_IDS;
}

/* Where the length of such a part is; of strings there is none. */
static unsigned int length_at(unsigned int what)
{
	switch (what) {
	case BEHIND_LOG:
		return offsetof(struct native_bpf_prog_load, log_size);
	case BEHIND_BTF:
		return offsetof(struct native_bpf_btf, btf_size);
	case BEHIND_BUF:
		return offsetof(struct native_bpf_task_fd, buf_len);
	default:
		return offsetof(struct native_bpf_query, prog_cnt);
	}
}

static bool has_length(unsigned int what)
{
	return is_out(what) || what == BEHIND_LOG || what == BEHIND_BTF;
}

static void put_behind(struct fmt *f, const struct sys_field *fd, uint64_t addr,
		       const void *base)
{
	unsigned int what = fd->n, role = what == BEHIND_NAME ? BEHIND_PATH : what;
	struct mem m = fmt_mem(f, ATTR_REG, ROLE_BEHIND | role, is_out(what));
	uint32_t len = has_length(what) ? length(f, length_at(what), base) : 0;

	/* Only the lower half was followed for a 32-bit caller. */
	if (f->abi == KTR_ABI_COMPAT && addr >> 32)
		return fmt_addr(f, addr);
	/* No more of it than there was room for, nor than there is. */
	if (is_out(what))
		len = min_after(f, length_at(what), len);
	if (addr && !len && what == BEHIND_IDS) {
		fmt_open(f, '[');
		return fmt_close(f, ']');
	}
	if (addr && !len && has_length(what))
		return fmt_bytes(f, "", 0, false);
	if (!addr || !m.have || (m.flags & KTR_CAP_F_UNREADABLE && !m.len) ||
	    f->v->addresses)
		return fmt_addr(f, addr);
	if (what == BEHIND_PATH && !f->json)
		return fmt_bytes(f, m.p, m.len < PATH_SHOWN ? m.len : PATH_SHOWN,
				 m.flags & KTR_CAP_F_CUT);
	if (what == BEHIND_IDS)
		return fmt_list(f, &ids, &m, addr, len);
	if (what == BEHIND_BTF)
		return fmt_data(f, &m, len);
	if (has_length(what))
		return put_text(f, &m, len);
	fmt_data(f, &m, m.flags & KTR_CAP_F_CUT ? m.len + 1 : m.len);
}

void fmt_bpf_field(struct fmt *f, const struct sys_field *fd, const void *base)
{
	uint64_t was = load(f, fd, base), is = load_after(f, fd, was);

	if (fd->kind == K_BEHIND)
		return put_behind(f, fd, was, base);
	if (fd->kind == K_AFTER)
		return fmt_word(f, fd->ekind, fd->tab, is, fd->size[f->abi]);
	if (!f->json) {
		fmt_udec(f, was);
		if (was != is)
			buf_puts(f->b, " => ");
	}
	if (was != is || f->json)
		fmt_udec(f, is);
}
