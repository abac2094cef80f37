// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_dump.c - what was read and written, byte by byte, below the call */
#include "fmt.h"

#define ROW 16

/* Hexadecimal in two halves, and what of it is text. */
static void put_row(struct buf *b, size_t at, const unsigned char *p, size_t n)
{
	buf_printf(b, " | %05zx ", at);
	for (size_t i = 0; i < ROW; i++) {
		if (i % 8 == 0)
			buf_putc(b, ' ');
		if (i < n)
			buf_printf(b, "%02x ", p[i]);
		else
			buf_puts(b, "   ");
	}
	buf_putc(b, ' ');
	for (size_t i = 0; i < ROW; i++)
		buf_putc(b, i >= n ? ' ' : p[i] >= ' ' && p[i] < 0x7f ? p[i] :
			 '.');
	buf_puts(b, " |\n");
}

/* "total" bytes, of which some may not have been kept. */
static void put_bytes(struct buf *b, const unsigned char *p, size_t n,
		      uint64_t total)
{
	if (n > total)
		n = total;
	for (size_t at = 0; at < n; at += ROW)
		put_row(b, at, p + at, n - at < ROW ? n - at : ROW);
	if (n < total)
		buf_printf(b, " | ... %llu bytes more were not kept\n",
			   (unsigned long long)(total - n));
}

static void put_iov(struct fmt *f, const struct mem *m, uint64_t bytes)
{
	size_t at = 0;

	for (unsigned int i = 0; i < m->count && bytes; i++) {
		const struct ktr_elem *e = (const void *)(m->p + at);
		uint64_t total;

		if (m->len - at < sizeof(*e) ||
		    e->len > m->len - at - sizeof(*e))
			break;
		total = e->size < bytes ? e->size : bytes;
		bytes -= total;
		if (total)
			buf_printf(f->b, " * %llu bytes in buffer %u\n",
				   (unsigned long long)total, i);
		put_bytes(f->b, (const unsigned char *)(e + 1), e->len, total);
		at += (sizeof(*e) + e->len + 7) & ~(size_t)7;
		if (at > m->len)
			break;
	}
}

/* The buffers are where a call that transfers bytes has them: second. */
static const struct fmt_arg *buffers(const struct fmt *f)
{
	for (unsigned int i = 0; i < f->nargs; i++)
		if (f->arg[i].reg == 1)
			return &f->arg[i];
	return NULL;
}

static void put_buffers(struct fmt *f, const struct fmt_arg *at)
{
	const struct sys_arg *a = at->a;
	bool out = a->when == W_OUT;
	struct mem m = fmt_mem(f, 1, a->kind == K_MSGHDR ? ROLE_IOV : ROLE_DATA,
			       out);
	uint64_t bytes = out ? (uint64_t)f->r->ret : UINT64_MAX;

	switch (a->kind) {
	case K_BUF:
		if (m.have && !(m.flags & KTR_CAP_F_UNREADABLE))
			put_bytes(f->b, m.p, m.len, fmt_count(f, a, out));
		return;
	case K_IOV:
	case K_MSGHDR:
		return put_iov(f, &m, bytes);
	}
}

void fmt_dump(struct buf *b, const struct view *v, const struct sys_rec *r)
{
	const struct fmt_arg *at;
	struct fmt f;

	if (r->begun || r->flags & KTR_SYS_F_NO_EXIT || !r->nargs ||
	    !(fdset_has(&v->dump_read, r->args[0]) ||
	      fdset_has(&v->dump_write, r->args[0])))
		return;
	fmt_setup(&f, b, v, r, false);
	at = buffers(&f);
	if (f.failed || !f.desc || !at || f.arg[0].a->kind != K_FD)
		return;
	if (fdset_has(at->a->when == W_OUT ? &v->dump_read : &v->dump_write,
		      r->args[0]))
		put_buffers(&f, at);
}
