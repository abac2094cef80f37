/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What kernel functions take and give back, from the kernel's BTF: their notes, and
 * the rows by which the module captures what is shown.
 */
#ifndef KTR_FNBTF_H
#define KTR_FNBTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "fault.h"
#include "ktracer.h"

struct fnbtf;

/* NULL: this kernel has none, or it cannot be read. */
struct fnbtf *fnbtf_open(void);
void fnbtf_close(struct fnbtf *b);

/* A function and what BTF says of it; sorted by name before fnbtf_find(). */
struct fn_want {
	uint64_t addr;
	const char *name;
	const char *module;	/* "": the kernel itself */
	const char *spec;	/* what is to be shown, NULL: all arguments */
	unsigned int nsyms;	/* functions of that name */
	int id;			/* its prototype; 0: unknown, -1: more than one */
};

/* Look up the ids of all in one go. */
void fnbtf_find(struct fnbtf *b, struct fn_want *w, size_t n);

struct fn_made {
	struct ktr_func_row row;
	struct ktr_op ops[KTR_OPS_MAX];
	struct buf note;
};

/*
 * Note and row of one. args: false: its result alone. strsize: bytes of a string.
 * -ENOENT: nothing is known of it; -EINVAL: the spec asks for what is not there.
 */
int fnbtf_make(struct fnbtf *b, const struct fn_want *w, bool args, unsigned int strsize,
	       struct fn_made *m, struct fault *f);
/* `__x64_sys_openat` and its kind: the registers of the call. False: it is none. */
bool fnsys_make(const char *name, unsigned int strsize, struct fn_made *m);
/* The six registers, by their names. */
void fnraw_make(struct fn_made *m);

#endif
