// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys_fds.c - operations that ask what a call's descriptors refer to
 *
 * They stand behind those of sys_program.c, whose numbers thus do not depend
 * on whether names were asked for; a reader takes what has a higher number for
 * descriptors, and finds each by its number.
 */
#include <string.h>
#include "sys_layouts.h"

#define NAME_BYTES	4096u
#define WORD_32		4u
#define NAMES_BYTES	8192u	/* of all in an array */
#define CMSG_WORDS(abi)	((abi) == KTR_ABI_NATIVE ? 16 : 12)

struct fds {
	const struct sys_plan *plan;
	unsigned int abi;
	struct ktr_op *op;
	unsigned int n, max;
	struct ktr_op none;	/* for what has no room */
};

static struct ktr_op *add(struct fds *f, unsigned int src, unsigned int ref,
			  bool out)
{
	struct ktr_op *op = f->n < f->max ? &f->op[f->n++] : &f->none;

	*op = (struct ktr_op){
		.flags = KTR_OP_F_PATH | (out ? KTR_OP_F_EXIT | KTR_OP_F_IF_OK : 0),
		.form = KTR_FORM_FD, .base_src = src, .base_ref = ref,
		.max = NAME_BYTES,
	};
	return op;
}

/* A number that is no descriptor would have the name of one. */
static void add_word(struct fds *f, unsigned int src, unsigned int ref, bool sure)
{
	struct ktr_op *op = add(f, src, ref, src == KTR_SRC_RET);

	if (!sure)
		op->flags &= ~KTR_OP_F_PATH;
}

/* Those in what the row's own operation on the register fetched. */
static struct ktr_op *add_array(struct fds *f, unsigned int reg,
				unsigned int role, bool out, unsigned int off,
				unsigned int elem)
{
	struct ktr_op *op;

	for (unsigned int i = 0; i < f->plan->n; i++) {
		const struct sys_tag *t = &f->plan->tag[i];

		if (t->reg != reg || t->role != role || t->out != out)
			continue;
		op = add(f, KTR_SRC_U32, i, out);
		op->base_off = off;
		op->elem = elem;
		op->len = 1;
		op->total = NAMES_BYTES;
		return op;
	}
	return &f->none;
}

static void set_count(struct ktr_op *op, const struct sys_arg *a)
{
	if (a->ref == REF_CONST) {
		op->len = a->size;
	} else if (a->ref == REF_RET) {
		op->len_src = KTR_SRC_RET;
	} else {
		op->len_src = KTR_SRC_ARG;
		op->len_ref = a->ref;
	}
}

/* Where in an element a descriptor is; -1: nowhere. */
static int offset_of(unsigned int abi, const struct sys_arg *a)
{
	const struct sys_layout *l = a->tab;

	if (a->ekind == K_FD || a->ekind == K_CLONETID)
		return 0;
	for (unsigned int i = 0; a->ekind == K_STRUCT && i < l->nfields; i++)
		if (l->fields[i].kind == K_FD)
			return l->fields[i].off[abi];
	return -1;
}

static void add_elements(struct fds *f, const struct sys_arg *a,
			 unsigned int reg)
{
	int off = offset_of(f->abi, a);

	for (int out = 0; off >= 0 && out < 2; out++) {
		struct ktr_op *op;

		/* what poll hands back has the numbers that it was given */
		if (!(a->when & (out ? W_OUT : W_IN)) || (out && a->aux))
			continue;
		op = add_array(f, reg, ROLE_DATA, out, off,
			       sys_elem_size(f->abi, a));
		if (a->kind == K_VEC)
			set_count(op, a);
		if (a->ekind == K_CLONETID)
			op->flags &= ~KTR_OP_F_PATH;
	}
}

static void add_memory(struct fds *f, const struct sys_arg *a,
		       unsigned int reg)
{
	struct ktr_op *op;

	switch (a->kind) {
	case K_PTR:
	case K_VEC:
		return add_elements(f, a, reg);
	case K_FDSET:
		op = add_array(f, reg, ROLE_DATA, false, 0, 0);
		return set_count(op, a);
	case K_CLONE3:	/* a descriptor only if one was asked for */
		op = add_array(f, reg, ROLE_IOV, true, 0, WORD_32);
		op->flags &= ~KTR_OP_F_PATH;
		return;
	case K_MSGHDR:	/* the first control message; not all of it need be some */
		op = add_array(f, reg, ROLE_CONTROL, a->when == W_OUT,
			       CMSG_WORDS(f->abi), 4);
		op->len = KTR_FDS_MAX;
		return;
	}
}

#define RESULT (1u << 6)

/* Registers that hold one, as bits. */
static unsigned int words(unsigned int abi, const struct sys_arg *args,
			  unsigned int n, unsigned int nr)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < n; i++) {
		unsigned int reg = sys_arg_reg(&args[i], nr);

		nr = reg + sys_arg_words(abi, &args[i]);
		if (reg < 6 && (args[i].kind == K_FD ||
				args[i].kind == K_DIRFD))
			found |= 1u << reg;
	}
	return found;
}

/* The same, for what only some values of another argument make one. */
static unsigned int variant_words(unsigned int abi, const struct sys_variants *vs)
{
	unsigned int found = 0;

	for (unsigned int i = 0; vs && i < vs->n; i++) {
		found |= words(abi, vs->v[i].args, vs->v[i].nargs, vs->reg + 1);
		if (vs->v[i].ret == R_FD)
			found |= RESULT;
	}
	return found;
}

unsigned int sys_plan_fds(unsigned int abi, const struct sys_desc *desc,
			  const struct sys_plan *plan,
			  struct ktr_op ops[KTR_OPS_MAX])
{
	struct fds f = {
		.plan = plan, .abi = abi, .op = ops + plan->n,
		.max = KTR_OPS_MAX - plan->n,
	};
	unsigned int sure = words(abi, desc->args, desc->nargs, 0), next = 0;
	unsigned int maybe = variant_words(abi, desc->variants);

	if (desc->ret == R_FD)
		sure |= RESULT;
	for (unsigned int reg = 0; reg < 6; reg++)
		if ((sure | maybe) & 1u << reg)
			add_word(&f, KTR_SRC_ARG, reg, sure & 1u << reg);
	if ((sure | maybe) & RESULT)
		add_word(&f, KTR_SRC_RET, 0, sure & RESULT);
	for (unsigned int i = 0; i < desc->nargs; i++) {
		const struct sys_arg *a = &desc->args[i];
		unsigned int reg = sys_arg_reg(a, next);

		next = reg + sys_arg_words(abi, a);
		if (reg < 6)
			add_memory(&f, a, reg);
	}
	return f.n;
}

unsigned int sys_fd_arg(unsigned int abi, const struct sys_desc *desc)
{
	unsigned int next = 0;

	for (unsigned int i = 0; i < desc->nargs; i++) {
		const struct sys_arg *a = &desc->args[i];
		unsigned int reg = sys_arg_reg(a, next);

		next = reg + sys_arg_words(abi, a);
		if (a->kind == K_FD || a->kind == K_DIRFD)
			return reg;
	}
	return 255;
}
