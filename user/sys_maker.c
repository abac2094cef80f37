// SPDX-License-Identifier: GPL-2.0-or-later
/* sys_maker.c - the words that capture programs are made with */
#include <assert.h>
#include "sys_maker.h"

#define LIST_MIN	32u	/* elements of a list that are kept at least */
#define LIST_WHOLE	4096u	/* and at most, where they are wanted whole */

unsigned int max_u(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

unsigned int capped(uint64_t bytes)
{
	return bytes < KTR_CAP_MAX ? bytes : KTR_CAP_MAX;
}

unsigned int list_max(const struct maker *m)
{
	return max_u(m->datasize, m->whole ? LIST_WHOLE : LIST_MIN);
}

unsigned int parts_max(const struct maker *m)
{
	return capped((uint64_t)m->datasize * (m->whole ? LIST_WHOLE : LIST_MIN));
}

struct ktr_op *add(struct maker *m, unsigned int form, unsigned int reg,
		   unsigned int role, bool out)
{
	struct sys_plan *p = m->plan;
	struct ktr_op *op = &p->op[p->n];

	assert(p->n < KTR_OPS_MAX);
	*op = (struct ktr_op){
		.flags = out ? KTR_OP_F_EXIT | KTR_OP_F_IF_OK : 0,
		.form = form, .base_src = KTR_SRC_ARG, .base_ref = reg,
	};
	p->tag[p->n++] = (struct sys_tag){ reg, role, out };
	return op;
}

void set_const(struct ktr_op *op, unsigned int bytes)
{
	op->len_src = KTR_SRC_CONST;
	op->len = bytes;
	op->max = capped(bytes);
}

void set_len(struct ktr_op *op, const struct sys_arg *a, unsigned int max)
{
	if (a->ref == REF_CONST) {
		op->len_src = KTR_SRC_CONST;
		op->len = a->size;
	} else if (a->ref == REF_RET || a->ref == REF_RET1) {
		op->len_src = KTR_SRC_RET;
	} else {
		op->len_src = KTR_SRC_ARG;
		op->len_ref = a->ref;
	}
	op->max = capped(max);
}

struct ktr_op *add_inner(struct maker *m, unsigned int form, unsigned int reg,
			 unsigned int role, bool out, unsigned int in,
			 unsigned int off)
{
	struct ktr_op *op = add(m, form, reg, role, out);

	op->base_src = KTR_SRC_WORD;
	op->base_ref = in;
	op->base_off = off;
	op->len_ref = in;
	return op;
}
