/* SPDX-License-Identifier: GPL-2.0-or-later */
/* buf.h - text that grows */
#ifndef KTR_BUF_H
#define KTR_BUF_H

#include <stddef.h>
#include <stdint.h>

struct buf {
	char *p;
	size_t len;
	size_t cap;
};

void buf_init(struct buf *b);
void buf_free(struct buf *b);
void buf_reset(struct buf *b);		/* empty it, keep the memory */

/* No room left ends the program: there is nothing better to do. */
char *buf_room(struct buf *b, size_t n);	/* n writable bytes at the end */
void buf_putc(struct buf *b, char c);
void buf_puts(struct buf *b, const char *s);
void buf_write(struct buf *b, const void *p, size_t n);
void buf_pad(struct buf *b, char c, size_t n);	/* n times c */
void buf_printf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void buf_dec(struct buf *b, long long v);
void buf_udec(struct buf *b, unsigned long long v);
void buf_hex(struct buf *b, unsigned long long v);	/* 0x1f; 0 is "0" */
void buf_oct(struct buf *b, unsigned long long v, int digits);	/* 0644; at least that many digits */
const char *buf_str(struct buf *b);	/* ended by a NUL that is not counted */

#endif
