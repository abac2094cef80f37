// SPDX-License-Identifier: GPL-2.0-or-later
/* json.c - pieces of JSON text */
#include <string.h>
#include "json.h"

/* Length of the well-formed UTF-8 sequence at p, 0 if there is none. */
static size_t utf8_len(const unsigned char *p, size_t n)
{
	unsigned int min, cp;
	size_t len, i;

	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf) {
		len = 2;
		min = 0x80;
		cp = p[0] & 0x1f;
	} else if ((p[0] & 0xf0) == 0xe0) {
		len = 3;
		min = 0x800;
		cp = p[0] & 0x0f;
	} else if (p[0] >= 0xf0 && p[0] <= 0xf4) {
		len = 4;
		min = 0x10000;
		cp = p[0] & 0x07;
	} else {
		return 0;
	}
	if (len > n)
		return 0;
	for (i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | (p[i] & 0x3f);
	}
	if (cp < min || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return 0;
	return len;
}

bool json_is_utf8(const void *ptr, size_t n)
{
	const unsigned char *p = ptr;
	size_t i, len;

	for (i = 0; i < n; i += len) {
		len = utf8_len(p + i, n - i);
		if (!len)
			return false;
	}
	return true;
}

static void escape(struct buf *b, unsigned char c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at = c ? strchr(from, c) : NULL;

	if (at) {
		buf_putc(b, '\\');
		buf_putc(b, to[at - from]);
	} else if (c < 0x20 || c == 0x7f) {
		buf_printf(b, "\\u%04x", c);
	} else {
		buf_putc(b, c);
	}
}

void json_string(struct buf *b, const void *ptr, size_t n)
{
	const unsigned char *p = ptr;
	size_t i, len;

	buf_putc(b, '"');
	for (i = 0; i < n; i += len) {
		len = utf8_len(p + i, n - i);
		if (len == 1) {
			escape(b, p[i]);
		} else if (len) {
			buf_write(b, p + i, len);
		} else {
			buf_puts(b, "\\ufffd");
			len = 1;
		}
	}
	buf_putc(b, '"');
}

void json_str(struct buf *b, const char *s)
{
	json_string(b, s, strlen(s));
}

void json_bytes(struct buf *b, const void *ptr, size_t n)
{
	const unsigned char *p = ptr;
	size_t i;

	if (json_is_utf8(p, n)) {
		json_string(b, p, n);
		return;
	}
	buf_puts(b, "{\"hex\":\"");
	for (i = 0; i < n; i++) {
		buf_putc(b, "0123456789abcdef"[p[i] >> 4]);
		buf_putc(b, "0123456789abcdef"[p[i] & 15]);
	}
	buf_puts(b, "\"}");
}

void json_sep(struct buf *b)
{
	if (b->len && !strchr("{[:,", b->p[b->len - 1]))
		buf_putc(b, ',');
}

void json_name(struct buf *b, const char *name)
{
	json_sep(b);
	json_str(b, name);
	buf_putc(b, ':');
}

void json_dec(struct buf *b, const char *name, int64_t v)
{
	json_name(b, name);
	buf_dec(b, v);
}

void json_udec(struct buf *b, const char *name, uint64_t v)
{
	json_name(b, name);
	buf_udec(b, v);
}

void json_hex(struct buf *b, const char *name, uint64_t v)
{
	json_name(b, name);
	buf_putc(b, '"');
	buf_hex(b, v);
	buf_putc(b, '"');
}

void json_text(struct buf *b, const char *name, const char *s)
{
	json_name(b, name);
	json_str(b, s);
}
