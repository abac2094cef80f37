// SPDX-License-Identifier: GPL-2.0-or-later
/* buf.c - text that grows */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "buf.h"

void buf_init(struct buf *b)
{
	*b = (struct buf){ 0 };
}

void buf_free(struct buf *b)
{
	free(b->p);
	buf_init(b);
}

void buf_reset(struct buf *b)
{
	b->len = 0;
}

static void grow(struct buf *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 256;
	char *p;

	while (cap - b->len < n)
		cap *= 2;
	p = realloc(b->p, cap);
	if (!p) {
		fputs("ktrctl: out of memory for a line of output\n", stderr);
		exit(1);
	}
	b->p = p;
	b->cap = cap;
}

char *buf_room(struct buf *b, size_t n)
{
	if (b->cap - b->len < n)
		grow(b, n);
	return b->p + b->len;
}

void buf_putc(struct buf *b, char c)
{
	*buf_room(b, 1) = c;
	b->len++;
}

void buf_write(struct buf *b, const void *p, size_t n)
{
	if (!n)
		return;
	memcpy(buf_room(b, n), p, n);
	b->len += n;
}

void buf_puts(struct buf *b, const char *s)
{
	buf_write(b, s, strlen(s));
}

void buf_pad(struct buf *b, char c, size_t n)
{
	if (!n)
		return;
	memset(buf_room(b, n), c, n);
	b->len += n;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	size_t room = 64;
	va_list ap;
	int n;

	for (;;) {
		char *to = buf_room(b, room);

		va_start(ap, fmt);
		n = vsnprintf(to, room, fmt, ap);
		va_end(ap);
		if (n < 0)
			return;
		if ((size_t)n < room)
			break;
		room = n + 1;
	}
	b->len += n;
}

void buf_udec(struct buf *b, unsigned long long v)
{
	char tmp[24], *p = tmp + sizeof(tmp);

	do {
		*--p = '0' + v % 10;
		v /= 10;
	} while (v);
	buf_write(b, p, tmp + sizeof(tmp) - p);
}

void buf_dec(struct buf *b, long long v)
{
	if (v < 0) {
		buf_putc(b, '-');
		buf_udec(b, -(unsigned long long)v);
	} else {
		buf_udec(b, v);
	}
}

void buf_hex(struct buf *b, unsigned long long v)
{
	char tmp[24], *p = tmp + sizeof(tmp);

	if (!v) {
		buf_putc(b, '0');
		return;
	}
	for (; v; v >>= 4)
		*--p = "0123456789abcdef"[v & 15];
	*--p = 'x';
	*--p = '0';
	buf_write(b, p, tmp + sizeof(tmp) - p);
}

void buf_oct(struct buf *b, unsigned long long v, int digits)
{
	char tmp[32], *p = tmp + sizeof(tmp);
	int n = 0;

	for (; v; v >>= 3, n++)
		*--p = '0' + (v & 7);
	for (; n < digits; n++)
		*--p = '0';
	if (*p != '0' || n == 0)
		*--p = '0';
	buf_write(b, p, tmp + sizeof(tmp) - p);
}

const char *buf_str(struct buf *b)
{
	*buf_room(b, 1) = '\0';
	return b->p;
}
