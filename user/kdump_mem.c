// SPDX-License-Identifier: GPL-2.0-or-later
/* kdump_mem.c - paths, structs and I/O of a call in kdump(1)'s lines */
#include <string.h>
#include "fmt.h"
#include "kdump.h"

#define WIDTH 80		/* of a screen, at which data is folded */
#define INDENT "       "

struct walk {
	struct fmt f;
	const struct kdump_view *kv;
	struct buf text;
	kdump_fn fn;
	kdump_item_fn item;	/* in the place of fn */
	void *arg;
};

static void tell(struct walk *w, enum kdump_line line)
{
	w->fn(w->arg, line, &w->text);
	buf_reset(&w->text);
}

/* A byte as vis(3) writes it with VIS_CSTYLE. */
static size_t vis(char out[8], unsigned char c, unsigned char next)
{
	static const char named[][2] = {
		{ 0, '0' }, { '\a', 'a' }, { '\b', 'b' }, { '\v', 'v' },
		{ '\f', 'f' }, { '\r', 'r' },
	};
	size_t i, n = 0;

	if (c == '\n' || c == '\t' || (c >= ' ' && c < 127)) {
		if (c == '\\')
			out[n++] = '\\';
		out[n++] = c;
		return n;
	}
	out[n++] = '\\';
	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (c != named[i][0])
			continue;
		out[n++] = named[i][1];
		/* \0 before a digit would read as another number */
		if (!c && next >= '0' && next <= '7') {
			out[n++] = '0';
			out[n++] = '0';
		}
		return n;
	}
	if (c & 0x80) {
		out[n++] = 'M';
		c &= 0x7f;
	}
	if (c < ' ' || c == 127) {
		out[n++] = '^';
		out[n++] = c == 127 ? '?' : c + '@';
	} else {
		out[n++] = '-';
		out[n++] = c;
	}
	return n;
}

void kdump_text(struct buf *b, const void *p, size_t n)
{
	const unsigned char *c = p;
	char out[8];
	size_t i;

	for (i = 0; i < n; i++) {
		if (c[i] == '\n')
			buf_puts(b, "\\n");
		else
			buf_write(b, out, vis(out, c[i], i + 1 < n ? c[i + 1] : 0));
	}
}

/* Bytes in quotes, folded, with the lines that they have themselves. */
static void put_data(struct buf *b, const unsigned char *p, size_t n)
{
	size_t i, len, width, col = 8;
	char out[8];

	buf_puts(b, "\n" INDENT "\"");
	for (i = 0; i < n; i++) {
		if (!col) {
			buf_putc(b, '\t');
			col = 8;
		}
		len = vis(out, p[i], i + 1 < n ? p[i + 1] : 0);
		if (out[0] == '\n') {
			buf_putc(b, '\n');
			col = 0;
			continue;
		}
		width = out[0] == '\t' ? 8 - (col & 7) : len;
		if (col + width > WIDTH - 2) {
			buf_puts(b, "\\\n\t");
			col = 8;
		}
		col += width;
		buf_write(b, out, len);
	}
	if (!col)
		buf_puts(b, INDENT);
	buf_putc(b, '"');
}

static void tell_path(struct walk *w, const struct fmt_arg *at)
{
	struct mem m = fmt_mem(&w->f, at->reg, ROLE_DATA, false);

	if (!m.have || (m.flags & KTR_CAP_F_UNREADABLE && !m.len))
		return;
	if (w->item) {
		w->item(w->arg, &(struct kdump_item){
			.line = KD_NAMI, .p = m.p, .n = strnlen((const char *)m.p, m.len) });
		return;
	}
	buf_putc(&w->text, '"');
	kdump_text(&w->text, m.p, strnlen((const char *)m.p, m.len));
	buf_putc(&w->text, '"');
	if (m.flags & (KTR_CAP_F_CUT | KTR_CAP_F_UNREADABLE))
		buf_puts(&w->text, "...");
	tell(w, KD_NAMI);
}

static const char *struct_name(const struct sys_arg *a)
{
	const struct sys_layout *l = a->tab;

	if (a->kind == K_SOCKADDR)
		return "sockaddr";
	if (a->kind == K_CPUSET)
		return "cpuset";
	return a->ekind == K_STRUCT && l ? l->name : NULL;
}

/* Of one of several; never 0. */
static size_t struct_size(const struct walk *w, const struct sys_arg *a)
{
	const struct sys_layout *l = a->tab;
	size_t size = l->size[w->f.r->abi == KTR_ABI_COMPAT];

	return size ? size : 1;
}

static void tell_struct(struct walk *w, const struct fmt_arg *at, bool out)
{
	struct mem m = fmt_mem(&w->f, at->reg, ROLE_DATA, out);
	const char *name = struct_name(at->a);
	size_t size = at->a->kind == K_VEC && name ? struct_size(w, at->a) : 0;

	if (!name || !m.len || (out && !fmt_cond_met(&w->f, at->a)))
		return;
	if (w->item) {
		w->item(w->arg, &(struct kdump_item){
			.line = KD_STRU, .name = name, .size = size, .p = m.p, .n = m.len });
		return;
	}
	buf_printf(&w->text, "struct %s", name);
	if (size)
		buf_printf(&w->text, "[%zu]", m.len / size);
	buf_putc(&w->text, ' ');
	fmt_mem_arg(&w->f, at->a, at->reg, out);
	tell(w, KD_STRU);
}

/* As the caller had it; it was taken together with what it points to. */
static void item_iovec(struct walk *w, struct mem m)
{
	struct ktr_elem e;
	struct buf vec;
	size_t step;

	buf_init(&vec);
	while (m.len >= sizeof(e)) {
		memcpy(&e, m.p, sizeof(e));
		buf_write(&vec, &e.addr, sizeof(e.addr));
		buf_write(&vec, &e.size, sizeof(e.size));
		step = sizeof(e) + (((size_t)e.len + 7) & ~(size_t)7);
		step = step < m.len ? step : m.len;
		m.p += step;
		m.len -= step;
	}
	w->item(w->arg, &(struct kdump_item){
		.line = KD_STRU, .name = "iovec", .size = sizeof(e.addr) + sizeof(e.size),
		.p = vec.p, .n = vec.len });
	buf_free(&vec);
}

/* Where the pieces of a transfer are; what is in them are the data. */
static void tell_iovec(struct walk *w, const struct fmt_arg *at, bool out)
{
	struct mem m = fmt_mem(&w->f, at->reg, ROLE_DATA, out);
	uint64_t count = fmt_count(&w->f, at->a, out);

	if (!m.have || (out && w->f.failed))
		return;
	if (w->item) {
		item_iovec(w, m);
		return;
	}
	buf_printf(&w->text, "struct iovec[%llu] ", (unsigned long long)count);
	fmt_iov(&w->f, &m, fmt_reg(&w->f, at->reg), count, ADDRESSES, -1);
	tell(w, KD_STRU);
}

/* Pieces of an iovec, one behind the other; as many bytes as were moved. */
static void join(struct buf *to, struct mem m, uint64_t left)
{
	struct ktr_elem e;
	size_t step, n;

	while (left && m.len >= sizeof(e)) {
		memcpy(&e, m.p, sizeof(e));
		n = e.len < m.len - sizeof(e) ? e.len : m.len - sizeof(e);
		buf_write(to, m.p + sizeof(e), n < left ? n : left);
		left -= e.size < left ? e.size : left;
		/* What was cut would not stand where it belongs. */
		if (n < e.size)
			return;
		step = sizeof(e) + ((n + 7) & ~(size_t)7);
		step = step < m.len ? step : m.len;
		m.p += step;
		m.len -= step;
	}
}

/* The buffer or vector right behind the descriptor. */
static const struct fmt_arg *io_arg(const struct fmt *f)
{
	const struct fmt_arg *at = &f->arg[1];

	if (f->nargs < 2 || f->arg[0].a->kind != K_FD)
		return NULL;
	if (at->a->kind == K_BUF || at->a->kind == K_IOV || at->a->kind == K_MSGHDR)
		return at;
	return NULL;
}

/* What there is of the bytes that went over. */
static void take_io(struct buf *data, const struct fmt_arg *at, const struct mem *m,
		    uint64_t moved)
{
	if (at->a->kind == K_BUF)
		buf_write(data, m->p, m->len < moved ? m->len : moved);
	else
		join(data, *m, moved);
}

static void item_io(struct walk *w, const struct fmt_arg *at, const struct mem *m)
{
	struct buf data;

	buf_init(&data);
	take_io(&data, at, m, w->f.r->ret);
	w->item(w->arg, &(struct kdump_item){
		.line = KD_GIO, .fd = (int)fmt_reg(&w->f, 0), .wrote = at->a->when == W_IN,
		.moved = w->f.r->ret, .p = data.p, .n = data.len });
	buf_free(&data);
}

/* Nothing of them is there: nobody looked, was allowed to keep any, or could read them. */
static void put_missing(struct walk *w, const struct fmt_arg *at, const struct mem *m)
{
	uint64_t addr = fmt_reg(&w->f, at->reg);
	uint32_t flags = m->flags;
	struct ktr_elem e;

	if (at->a->kind != K_BUF && m->len >= sizeof(e)) {
		memcpy(&e, m->p, sizeof(e));
		addr = e.addr;
		flags = e.flags;
	}
	if (m->have && flags & KTR_CAP_F_UNREADABLE)
		buf_printf(&w->text, ", unreadable at 0x%llx", (unsigned long long)addr);
	else
		buf_puts(&w->text, ", not recorded");
}

static void put_moved(struct walk *w, const struct fmt_arg *at, const struct mem *m,
		      uint64_t moved)
{
	struct buf data;
	uint64_t shown;

	buf_init(&data);
	take_io(&data, at, m, moved);
	shown = data.len;
	if (w->kv->max_data && shown > w->kv->max_data)
		shown = w->kv->max_data;
	if (shown)
		put_data(&w->text, (const unsigned char *)data.p, shown);
	else
		put_missing(w, at, m);
	if (shown && shown < moved)
		buf_puts(&w->text, "...");
	buf_free(&data);
}

static void tell_io(struct walk *w, const struct fmt_arg *at)
{
	bool in = at->a->when == W_IN;
	unsigned int role = at->a->kind == K_MSGHDR ? ROLE_IOV : ROLE_DATA;
	struct mem m = fmt_mem(&w->f, at->reg, role, !in);
	uint64_t moved = w->f.r->ret;

	if (w->item) {
		item_io(w, at, &m);
		return;
	}
	buf_printf(&w->text, "fd %d %s %llu byte%s", (int)fmt_reg(&w->f, 0),
		   in ? "wrote" : "read", (unsigned long long)moved,
		   moved == 1 ? "" : "s");
	if (!w->kv->no_data)
		put_moved(w, at, &m, moved);
	tell(w, KD_GIO);
}

static void tell_all(struct walk *w, bool out)
{
	const struct fmt_arg *io = io_arg(&w->f);
	unsigned int i;

	for (i = 0; i < w->f.nargs; i++) {
		const struct sys_arg *a = w->f.arg[i].a;
		bool mine = out ? a->when & W_OUT : a->when & W_IN;

		if (a->kind == K_PATH && !out)
			tell_path(w, &w->f.arg[i]);
		else if (mine && (a->kind == K_PTR || a->kind == K_VEC ||
				  a->kind == K_SOCKADDR || a->kind == K_CPUSET))
			tell_struct(w, &w->f.arg[i], out);
		else if (mine && a->kind == K_IOV)
			tell_iovec(w, &w->f.arg[i], out);
	}
	if (out && io && w->f.r->ret > 0 && !w->f.failed)
		tell_io(w, io);
}

static void walk(struct walk *w, const struct view *v, const struct sys_rec *r, bool out)
{
	struct view own = *v;

	own.decode_fds = false;
	buf_init(&w->text);
	fmt_setup(&w->f, &w->text, &own, r, false);
	if (w->f.desc)
		tell_all(w, out);
	buf_free(&w->text);
}

void kdump_memory(const struct view *v, const struct kdump_view *kv,
		  const struct sys_rec *r, bool out, kdump_fn fn, void *arg)
{
	struct walk w = { .kv = kv, .fn = fn, .arg = arg };

	walk(&w, v, r, out);
}

void kdump_items(const struct sys_rec *r, bool out, kdump_item_fn fn, void *arg)
{
	struct view v = VIEW_DEFAULT;
	struct walk w = { .item = fn, .arg = arg };

	walk(&w, &v, r, out);
}
