// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_string.c - strings and buffers in quotes */
#include <string.h>
#include "fmt.h"
#include "json.h"

static bool is_odd(unsigned char c)
{
	return (c < ' ' && !(c >= '\t' && c <= '\r')) || c >= 0x7f;
}

static bool any_odd(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_odd(p[i]))
			return true;
	return false;
}

static void put_octal(struct buf *b, unsigned char c, bool full)
{
	buf_putc(b, '\\');
	if (full || c >= 64)
		buf_putc(b, '0' + (c >> 6));
	if (full || c >= 8)
		buf_putc(b, '0' + ((c >> 3) & 7));
	buf_putc(b, '0' + (c & 7));
}

static void put_char(struct buf *b, unsigned char c, bool digit_follows,
		     bool angle)
{
	static const char escaped[] = "\"\\\n\t\v\f\r";
	static const char letters[] = "\"\\ntvfr";
	const char *at = c ? strchr(escaped, c) : NULL;

	if (at) {
		buf_putc(b, '\\');
		buf_putc(b, letters[at - escaped]);
	} else if (c < ' ' || c >= 0x7f || (angle && (c == '<' || c == '>'))) {
		put_octal(b, c, digit_follows);
	} else {
		buf_putc(b, c);
	}
}

static void put_hex(struct buf *b, unsigned char c)
{
	buf_puts(b, "\\x");
	buf_putc(b, "0123456789abcdef"[c >> 4]);
	buf_putc(b, "0123456789abcdef"[c & 15]);
}

bool fmt_in_hex(const struct view *v, const void *p, size_t n)
{
	return v->hexstr == VIEW_HEX_ALL ||
	       (v->hexstr == VIEW_HEX_ODD && any_odd(p, n));
}

static void put_bytes(struct buf *b, const struct view *v,
		      const unsigned char *p, size_t n, bool angle)
{
	bool chars = v->hexstr == VIEW_HEX_CHARS;
	bool hex = fmt_in_hex(v, p, n);

	for (size_t i = 0; i < n; i++) {
		if (hex || (chars && is_odd(p[i])))
			put_hex(b, p[i]);
		else
			put_char(b, p[i], i + 1 < n && p[i + 1] >= '0' &&
					  p[i + 1] <= '7', angle);
	}
}

void fmt_quote(struct buf *b, const struct view *v, const void *p, size_t n)
{
	buf_putc(b, '"');
	put_bytes(b, v, p, n, false);
	buf_putc(b, '"');
}

void fmt_quote_name(struct buf *b, const struct view *v, const void *p,
		    size_t n)
{
	put_bytes(b, v, p, n, true);
}

void fmt_bytes(struct fmt *f, const void *p, size_t n, bool cut)
{
	if (!f->json) {
		fmt_quote(f->b, f->v, p, n);
		if (cut)
			buf_puts(f->b, "...");
	} else if (cut) {
		fmt_open(f, '{');
		json_name(f->b, "value");
		json_bytes(f->b, p, n);
		json_name(f->b, "cut");
		buf_puts(f->b, "true}");
	} else {
		json_bytes(f->b, p, n);
	}
}

/* JSON shows all there is, and says what there was. */
static void json_data(struct fmt *f, const struct mem *m, uint64_t total)
{
	bool cut = m->len < total;
	bool late = m->flags & KTR_CAP_F_LATE;

	if (!cut && !late) {
		json_bytes(f->b, m->p, m->len);
		return;
	}
	fmt_open(f, '{');
	json_name(f->b, "value");
	json_bytes(f->b, m->p, m->len);
	if (cut) {
		json_name(f->b, "cut");
		buf_puts(f->b, "true");
		json_udec(f->b, "len", total);
	}
	if (late) {
		json_name(f->b, "late");
		buf_puts(f->b, "true");
	}
	fmt_close(f, '}');
}

void fmt_data(struct fmt *f, const struct mem *m, uint64_t total)
{
	size_t n = m->len;

	if (f->json) {
		json_data(f, m, total);
		return;
	}
	if (n > f->v->strsize)
		n = f->v->strsize;
	if (n > total)
		n = total;
	fmt_quote(f->b, f->v, m->p, n);
	if (n < total)
		buf_puts(f->b, "...");
}

void fmt_chars(struct fmt *f, const void *p, size_t size)
{
	size_t n = strnlen(p, size);
	bool cut = size && n == size;

	fmt_bytes(f, p, cut ? n - 1 : n, cut);
}
