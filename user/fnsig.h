/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signatures of kernel functions: what their records hold and how it is shown.
 *
 * A signature is written as text, a note, so that it can travel in capture files
 * and be kept by the module. Lines of words with one blank between:
 *   = KIND                          the result's type
 *   DEPTH NAME KIND LOC [:BIT.BITS] [sOP] [VALUE=NAME,..]
 * DEPTH is 0 for an argument, 1 for a field of the struct before. KIND is a letter and
 * a size in bytes: i signed, u unsigned, x shown as hex, o as octal, b bool, c
 * character, p pointer, e signed enum, E unsigned enum, S struct (its fields follow), T
 * text in place, n pointer that is shown as the name at sOP, k struct sock, v
 * nothing, ? unknown. LOC is rN, a register, or OP.OFFSET in what an operation
 * captured. sOP: the string it points to is what that operation captured.
 */
#ifndef KTR_FNSIG_H
#define KTR_FNSIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "ktracer.h"
#include "view.h"

struct fnsig_const {
	int64_t value;
	char *name;
};

struct fnsig_item {
	uint8_t depth;
	char kind;
	uint16_t size;
	char *name;
	bool in_reg;
	uint8_t src;		/* register or operation */
	uint16_t off;		/* in what it captured */
	uint8_t bit, bits;	/* bits 0: all of it */
	int8_t str;		/* operation with the string, -1: none */
	struct fnsig_const *consts;
	uint16_t nconsts;
	uint16_t pos[7];	/* of kind k: where in struct sock what lies */
};

struct fnsig {
	uint64_t addr;		/* of the function */
	struct fnsig_item ret;
	struct fnsig_item *items;
	size_t n;
	bool args;		/* there is something to say on arguments */
	char *note;
};

/* All that are known, by address. */
struct fnsigs {
	struct fnsig **slot;
	size_t n, size;
	struct buf notes;	/* what the user is to be told of them */
};

void fnsigs_free(struct fnsigs *s);
/* note: n bytes, as they came; 0, or -EINVAL if they make no sense. */
int fnsigs_add(struct fnsigs *s, uint64_t addr, const char *note, size_t n);
const struct fnsig *fnsigs_find(const struct fnsigs *s, uint64_t addr);
/* All of them as the payload of a block of a capture file, and back. */
void fnsigs_write(const struct fnsigs *s, struct buf *b);
void fnsigs_read(struct fnsigs *s, const char *p, size_t n);

/* What follows the fixed part of a function's record. */
struct fn_tail {
	unsigned int nargs;
	uint64_t args[6];
	struct fn_section {
		const unsigned char *p;
		uint32_t len;
		uint8_t flags;
		bool there;
	} sec[KTR_OPS_MAX];
	unsigned int nstack;
	const unsigned char *stack;	/* 8 bytes each */
};

/* -EINVAL: it is cut off, or none. */
int fn_tail_parse(const unsigned char *p, size_t len, struct fn_tail *t);

/* `dfd=-100, name="x"`; a list of members for JSON. */
void fnsig_text(struct buf *b, const struct view *v, const struct fnsig *s,
		const struct fn_tail *t);
void fnsig_json(struct buf *b, const struct view *v, const struct fnsig *s,
		const struct fn_tail *t);
/* False: nothing comes back, or its type is not known. */
bool fnsig_ret_text(struct buf *b, const struct fnsig *s, uint64_t ret);
bool fnsig_ret_json(struct buf *b, const struct fnsig *s, uint64_t ret);
/* A function that returns nothing. */
static inline bool fnsig_is_void(const struct fnsig *s)
{
	return s && s->ret.kind == 'v';
}

#endif
