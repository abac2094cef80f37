/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h - pieces of JSON text */
#ifndef KTR_JSON_H
#define KTR_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "buf.h"

bool json_is_utf8(const void *p, size_t n);

/* A quoted string; bytes that are no UTF-8 become U+FFFD. */
void json_string(struct buf *b, const void *p, size_t n);
void json_str(struct buf *b, const char *s);
/* A quoted string, or {"hex":"..."} when the bytes are no UTF-8: nothing is lost. */
void json_bytes(struct buf *b, const void *p, size_t n);

/* Members of an object: a comma where one is needed, the name, a colon. */
void json_name(struct buf *b, const char *name);
void json_dec(struct buf *b, const char *name, int64_t v);
void json_udec(struct buf *b, const char *name, uint64_t v);
void json_hex(struct buf *b, const char *name, uint64_t v);	/* a string: "0x1f" */
void json_text(struct buf *b, const char *name, const char *s);

/* A comma, unless the text ends with an opening bracket, a colon or nothing. */
void json_sep(struct buf *b);

#endif
