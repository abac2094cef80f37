// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_struct.c - structs by their layouts */
#include <linux/types.h>
#include <asm/siginfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include "fmt.h"

uint64_t fmt_load(const void *p, unsigned int size)
{
	uint64_t v64;
	uint32_t v32;
	uint16_t v16;

	switch (size) {
	case 8:
		memcpy(&v64, p, 8);
		return v64;
	case 4:
		memcpy(&v32, p, 4);
		return v32;
	case 2:
		memcpy(&v16, p, 2);
		return v16;
	default:
		return *(const unsigned char *)p;
	}
}

static uint64_t load_field(const struct fmt *f, const struct sys_field *fd,
			   const void *p)
{
	return fmt_load((const char *)p + fd->off[f->abi], fd->size[f->abi]);
}

static const struct sys_field *find_kind(const struct sys_layout *l,
					 unsigned int kind)
{
	for (unsigned int i = 0; i < l->nfields; i++)
		if (l->fields[i].kind == kind)
			return &l->fields[i];
	return NULL;
}

static bool is_device(const struct fmt *f, const struct sys_layout *l,
		      const void *p)
{
	const struct sys_field *mode = find_kind(l, K_FILEMODE);
	unsigned int type = mode ? load_field(f, mode, p) & S_IFMT : 0;

	return type == S_IFCHR || type == S_IFBLK;
}

static bool has_bits(const struct fmt *f, const struct sys_layout *l,
		     uint32_t bits, const void *p)
{
	const struct sys_field *flags = find_kind(l, K_FLAGS);

	return flags && load_field(f, flags, p) & bits;
}

static bool is_shown(const struct fmt *f, const struct sys_layout *l,
		     const struct sys_field *fd, const void *p)
{
	if (l->dots && f->room && fd->since && f->room <= fd->since)
		return false;
	if (!l->dots && f->room &&
	    fd->off[f->abi] + fd->size[f->abi] > f->room)
		return false;
	if (fd->flags & FF_DEV)
		return is_device(f, l, p);
	if (fd->flags & FF_NODEV)
		return !is_device(f, l, p);
	if (fd->flags & FF_NONZERO)
		return load_field(f, fd, p) != 0;
	if (fd->flags & FF_SIZED) {
		uint64_t size = load_field(f, &l->fields[0], p);

		return size >= l->least &&
		       fd->off[f->abi] + fd->size[f->abi] <= size;
	}
	if (fd->flags & FF_NATIVE)
		return f->abi == KTR_ABI_NATIVE;
	if (fd->flags & FF_IF_FD)
		return (int32_t)load_field(f, &l->fields[0], p) >= 0;
	if (fd->enum1) {
		const struct sys_field *what = find_kind(l, K_ENUM);

		return what && load_field(f, what, p) + 1 == fd->enum1;
	}
	return !fd->bits || has_bits(f, l, fd->bits, p);
}

static void put_fsid(struct fmt *f, const void *p)
{
	fmt_open(f, '{');
	fmt_name(f, "val");
	fmt_open(f, '[');
	fmt_hex(f, fmt_load(p, 4));
	fmt_sep(f);
	fmt_hex(f, fmt_load((const char *)p + 4, 4));
	fmt_close(f, ']');
	fmt_close(f, '}');
}

/* "B50<<IBSHIFT" */
static void put_shift(struct buf *b, const struct view *v, const struct sys_part *part)
{
	if (!part->shift_name)
		return;
	buf_puts(b, "<<");
	if (v->xlat == VIEW_ABBREV)
		buf_puts(b, part->shift_name);
	else
		buf_hex(b, part->shift);
	if (v->xlat == VIEW_VERBOSE)
		buf_printf(b, " /* %s */", part->shift_name);
}

static void put_parts(struct fmt *f, const struct sys_part *part, uint32_t v)
{
	struct buf text;
	const char *sep = "";

	buf_init(&text);
	for (; part->mask; part++) {
		uint32_t bits = v & part->mask;

		v &= ~part->mask;
		if (part->shift_name && !bits)
			continue;
		buf_puts(&text, sep);
		fmt_xlat_enum(&text, f->v, part->tab, bits >> part->shift);
		put_shift(&text, f->v, part);
		sep = "|";
	}
	/* strace's bar stands in front of no flags, too */
	if (v || !f->json)
		buf_puts(&text, sep);
	if (v)
		fmt_xlat_flags(&text, f->v, part->tab, v);
	if (f->json)
		fmt_word_list(f, &text);
	else
		buf_puts(f->b, buf_str(&text));
	buf_free(&text);
}

static void put_named_bytes(struct fmt *f, const struct xlat *names,
			    const unsigned char *p, unsigned int n)
{
	fmt_open(f, '[');
	for (unsigned int i = 0; i < n; i++) {
		const char *name = xlat_name(names, i);

		fmt_sep(f);
		if (!f->json && name)
			buf_printf(f->b, "[%s]=", name);
		else if (!f->json)
			buf_printf(f->b, "[%u]=", i);
		fmt_hex(f, p[i]);
	}
	fmt_close(f, ']');
}

static void put_array(struct fmt *f, const struct sys_field *fd, const void *p)
{
	unsigned int size = fd->size[f->abi] / fd->n;

	fmt_open(f, '[');
	for (unsigned int i = 0; i < fd->n; i++) {
		fmt_sep(f);
		fmt_elem(f, fd->ekind, fd->tab, (const char *)p + i * size,
			 size);
	}
	fmt_close(f, ']');
}

/* A field or an element of memory. */
void fmt_elem(struct fmt *f, unsigned int kind, const void *tab,
	      const void *p, unsigned int size)
{
	switch (kind) {
	case K_STRUCT:
		return fmt_layout(f, tab, p);
	case K_CHARS:
		return fmt_chars(f, p, size);
	case K_BYTES:
		return fmt_bytes(f, p, size, false);
	case K_HWADDR:
		return fmt_hwaddr(f, p, size);
	case K_SIGSET:
		return fmt_sigset(f, fmt_load(p, size < 8 ? 4 : 8));
	case K_PARTS:
		return put_parts(f, tab, fmt_load(p, size));
	case K_NAMED_BYTES:
		return put_named_bytes(f, tab, p, size);
	case K_FSID:
		return put_fsid(f, p);
	case K_SOCKADDR:
		return fmt_sockaddr(f, &(struct mem){ .p = p, .len = size },
				    0, size);
	default:
		return fmt_word(f, kind, tab, fmt_load(p, size), size);
	}
}

static void put_sigev(struct fmt *f, const struct sys_field *fd,
		      const void *p)
{
	uint32_t sig = load_field(f, fd, p), how = load_field(f, fd + 1, p);

	if (how == SIGEV_SIGNAL || how == SIGEV_THREAD ||
	    how == SIGEV_THREAD_ID)
		fmt_word(f, K_SIGNO, NULL, sig, 4);
	else
		fmt_udec(f, sig);
}

/* Of IPv4, in a field that has room for more: as bytes all of it. */
static void put_inaddr(struct fmt *f, const void *p, unsigned int room)
{
	struct view plain = *f->v;
	const struct view *view = f->v;

	if (!f->json && view->xlat != VIEW_ABBREV)
		fmt_raw_bytes(f, p, room);
	if (!f->json && view->xlat == VIEW_RAW)
		return;
	plain.xlat = VIEW_ABBREV;
	f->v = &plain;
	if (!f->json && view->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " /* ");
	fmt_word(f, K_INADDR, NULL, fmt_load(p, 4), 4);
	if (!f->json && view->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " */");
	f->v = view;
}

static void put_field(struct fmt *f, const struct sys_layout *l,
		      const struct sys_field *fd, const void *base)
{
	const char *p = (const char *)base + fd->off[f->abi];
	unsigned int size = fd->size[f->abi];

	if (fd->kind == K_ARRAY)
		put_array(f, fd, p);
	else if (fd->kind == K_SIGEV)
		put_sigev(f, fd, base);
	else if (fd->kind == K_BITS)
		fmt_udec(f, fmt_load(p, size) >> fd->n &
			    ((1u << fd->ekind) - 1));
	else if (fd->kind == K_HWADDR && fd->tab)	/* behind its type */
		fmt_hwaddr_raw(f, p, fmt_hwaddr_len(fmt_load(base, 2), size),
			       size);
	else if (fd->kind == K_INADDR && size > 4)
		put_inaddr(f, p, size);
	else if (fd->kind == K_DIAGID)
		fmt_layout(f, fmt_load(base, 1) == AF_INET ?
			   &layout_diag_sockid : &layout_diag_sockid6, p);
	else if (fd->kind == K_BEHIND || fd->kind == K_CHANGED ||
		 fd->kind == K_AFTER)
		fmt_bpf_field(f, fd, base);
	else if (fd->kind == K_IN6ADDR)
		fmt_in6(f, p, fd->name);
	else
		fmt_elem(f, fd->kind, fd->tab, p, size);
	if (fd->kind == K_FILETIME && fd + 1 < l->fields + l->nfields)
		fmt_time_comment(f, fmt_sign(fmt_load(p, size), size),
				 load_field(f, fd + 1, base), 9);
}

/* Without the braces. */
void fmt_fields(struct fmt *f, const struct sys_layout *l, const void *p)
{
	bool hidden = false;

	for (unsigned int i = 0; i < l->nfields; i++) {
		const struct sys_field *fd = &l->fields[i];

		if (!is_shown(f, l, fd, p))
			continue;
		if (fd->flags & FF_VERBOSE && !f->v->verbose) {
			hidden = true;
			continue;
		}
		if (fd->flags & FF_BARE && !f->json &&
		    f->v->xlat == VIEW_ABBREV)
			fmt_sep(f);
		else
			fmt_name(f, fd->name);
		put_field(f, l, fd, p);
	}
	if (hidden)
		fmt_more(f);
}

static bool any_nonzero(const unsigned char *p, size_t n)
{
	while (n--)
		if (*p++)
			return true;
	return false;
}

/* Where the last member ends that such a struct has, flags may hide it or not. */
static unsigned int end_of(struct fmt *f, const struct sys_layout *l,
			   const unsigned char *p)
{
	unsigned int room = f->room, end = 0;

	f->room = 0;
	for (unsigned int i = 0; i < l->nfields; i++) {
		const struct sys_field *fd = &l->fields[i];
		unsigned int off = fd->off[f->abi], to;

		if (!fd->bits && !is_shown(f, l, fd, p))
			continue;
		to = off + (fd->kind == K_STRUCT ? end_of(f, fd->tab, p + off) :
						   fd->size[f->abi]);
		if (to > end)
			end = to;
	}
	f->room = room;
	return end;
}

/* What lies behind the members, in the "size" bytes that the caller gave. */
static void put_extra(struct fmt *f, const struct sys_layout *l,
		      const unsigned char *p, size_t n, uint64_t size)
{
	unsigned int end = end_of(f, l, p);
	bool more = end < n && any_nonzero(p + end, n - end);

	if (more && f->v->verbose && !f->json) {
		fmt_name(f, "extra_data");
		fmt_raw_bytes(f, p + end, n - end);
		buf_printf(f->b, " /* bytes %u..%zu */", end, n - 1);
		more = false;
	}
	if (more || n < size)
		fmt_more(f);
}

/*
 * Those fields of which all n bytes are there. Others may be looked at to judge
 * them: there are zeroes then.
 */
static void put_known(struct fmt *f, const struct sys_layout *l,
		      const unsigned char *p, size_t n, uint64_t size)
{
	unsigned int known = l->size[f->abi], room = f->room;
	unsigned char *whole = NULL;

	if (n < known) {
		whole = n ? calloc(1, known) : NULL;
		if (!whole)
			return;
		memcpy(whole, p, n);
		p = whole;
		f->room = n;
	}
	fmt_fields(f, l, p);
	f->room = room;
	if (l->dots)
		put_extra(f, l, p, n, size);
	free(whole);
}

/* A struct of "size" bytes, of which n were fetched; we may know fewer, or more. */
void fmt_sized(struct fmt *f, const struct sys_layout *l,
	       const unsigned char *p, size_t n, uint64_t size)
{
	unsigned int known = l->size[f->abi];

	fmt_open(f, '{');
	put_known(f, l, p, n, size);
	if (!l->dots && n > known && any_nonzero(p + known, n - known) &&
	    !f->json) {
		fmt_sep(f);
		buf_printf(f->b, "/* bytes %u..%u */ ", known,
			   (unsigned int)n - 1);
		fmt_raw_bytes(f, p + known, n - known);
	}
	if (!l->dots && n < size && n > known)
		fmt_more(f);
	fmt_close(f, '}');
}

/* utimensat has two times that are none, and shows dates behind the others. */
static void put_utime(struct fmt *f, const struct sys_layout *l, const void *p)
{
	int64_t sec = fmt_sign(load_field(f, &l->fields[0], p),
			       l->fields[0].size[f->abi]);
	bool micro = l == &layout_utimeval;
	uint64_t frac = load_field(f, &l->fields[1], p);
	uint64_t nsec = micro && frac < 1000000 ? frac * 1000 : frac;
	const char *name = micro ? NULL : nsec == UTIME_NOW ? "UTIME_NOW" :
			   nsec == UTIME_OMIT ? "UTIME_OMIT" : NULL;
	size_t from = fmt_text_begin(f);

	if (name && f->v->xlat == VIEW_ABBREV) {
		buf_puts(f->b, name);
		fmt_text_end(f, from);
		return;
	}
	fmt_open(f, '{');
	fmt_fields(f, l, p);
	fmt_close(f, '}');
	if (name && f->v->xlat == VIEW_VERBOSE)
		buf_printf(f->b, " /* %s */", name);
	else if (!name && nsec < 1000000000 && (!micro || frac < 1000000))
		fmt_time_comment(f, sec, nsec, micro ? 6 : 9);
}

void fmt_layout(struct fmt *f, const struct sys_layout *l, const void *p)
{
	unsigned int room = f->room;

	if (l->fields[0].kind == K_TIMESPEC) {
		put_utime(f, l, p);
		return;
	}
	/* It is there as a whole, whatever it is part of. */
	if (!l->dots)
		f->room = 0;
	fmt_open(f, '{');
	fmt_fields(f, l, p);
	fmt_close(f, '}');
	f->room = room;
}
