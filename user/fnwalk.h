/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between fnbtf.c, fnwalk.c and fnmake.c: one function's note under construction. */
#ifndef KTR_FNWALK_H
#define KTR_FNWALK_H

#include "fnbtf.h"

struct btf;
struct btf_param;
struct btf_type;

/* Where a value is. */
struct place {
	int type;
	bool reg;		/* in register src */
	bool ptr_reg;		/* else: behind the pointer in register src */
	unsigned int src;	/* or behind that in what operation src captured */
	unsigned int ptr_off;	/* there */
	int32_t add;		/* so far behind the pointer */
	unsigned int bit, bits;
};

struct making {
	const struct btf *btf;
	struct fn_made *m;
	unsigned int strsize;
	struct {		/* of a path, the last that was tried */
		const char *path;	/* it, and what follows */
		const char *name;	/* of its member */
		size_t len;
		int from, in;		/* types: before it, and where the member was sought */
	} step;
};

const char *fnwalk_name(const struct making *k, uint32_t off);
/* Without const, volatile, typedef. */
const struct btf_type *fnwalk_plain(const struct making *k, int id);
bool fnwalk_is_const(const struct making *k, int id);
bool fnwalk_is_char(const struct making *k, const struct btf_type *t);
bool fnwalk_is(const struct making *k, const struct btf_type *t,
			       const char *name);
/* An operation more; its number, or -1: there is no room for it. */
int fnwalk_capture(struct making *k, const struct place *at, unsigned int form,
		   unsigned int len);
/* What a pointer, which is the value there, points to. */
int fnwalk_follow(struct making *k, const struct place *at, struct place *to);
/* The member of that name, also in what has none itself. */
int fnwalk_member(const struct making *k, int type, const char *name, size_t len,
		  struct place *to);
/* `->` and `.` with members behind; from the place on. */
int fnwalk_go(struct making *k, struct place *at, const char *path);

/* The place of the parameter of that name; len 0: of number i. */
int fnmake_param(const struct making *k, const struct btf_type *proto, const char *name,
		 size_t len, unsigned int i, struct place *at);
/* An argument as it is shown unasked: pointers are followed where it is plain what for. */
void fnmake_arg(struct making *k, const char *name, struct place *at,
		const struct btf_param *next);
/* What lies there, as one item. */
int fnmake_place(struct making *k, const char *name, struct place *at);
/* What the user asked for of the function, in the place of its arguments. */
int fnexpr_put(struct making *k, const struct fn_want *w, const struct btf_type *proto,
	       struct fault *f);

void fnmake_ret(struct making *k, const struct btf_type *proto);
int fnmake_args(struct making *k, const struct fn_want *w, const struct btf_type *proto,
		struct fault *f);

#endif
