// SPDX-License-Identifier: GPL-2.0-or-later
/* sys_parts.c - capture programs of calls whose structs point to more */
#include <stddef.h>
#include "sys_layouts.h"
#include "sys_maker.h"

#define BPF_ATTR_BYTES	4096u	/* the kernel takes more than it knows, if zero */
#define BPF_OUT_BYTES	48u	/* of them the kernel changes some */

/*
 * bpf: the attributes, and what some of the commands point to or write. Each is
 * fetched for all commands, at the places that these keep it.
 */
void plan_bpf(struct maker *m, const struct sys_arg *a, unsigned int reg)
{
	static const struct {
		uint8_t what, form, off, len_off, elem;
		bool out;
	} parts[] = {
		{ BEHIND_PATH, KTR_FORM_STR, 0, 0, 0, false },
		{ BEHIND_LICENSE, KTR_FORM_STR, 16, 0, 0, false },
		{ BEHIND_BTF, KTR_FORM_BYTES, 0, 16, 0, false },
		{ BEHIND_LOG, KTR_FORM_BYTES, 32, 28, 0, false },
		{ BEHIND_BUF, KTR_FORM_BYTES, 16, 12, 0, true },
		{ BEHIND_IDS, KTR_FORM_BYTES, 16, 24, 4, true },
	};
	unsigned int in = m->plan->n;

	set_len(add(m, KTR_FORM_BYTES, reg, ROLE_DATA, false), a, BPF_ATTR_BYTES);
	set_const(add(m, KTR_FORM_BYTES, reg, ROLE_DATA, true), BPF_OUT_BYTES);
	m->plan->op[m->plan->n - 1].flags &= ~KTR_OP_F_IF_OK;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct ktr_op *op = add_inner(m, parts[i].form, reg,
					      ROLE_BEHIND | parts[i].what,
					      parts[i].out, in, parts[i].off);

		op->max = capped(parts[i].what == BEHIND_PATH ?
				 max_u(m->strsize + 1, PATH_BYTES) :
				 parts[i].elem ? parts[i].elem * list_max(m) :
				 m->strsize + 1);
		op->elem = parts[i].elem;
		if (parts[i].what == BEHIND_BUF)	/* also if it was too small */
			op->flags &= ~KTR_OP_F_IF_OK;
		if (parts[i].form == KTR_FORM_STR) {
			op->len_ref = 0;
		} else {
			op->len_src = KTR_SRC_U32;
			op->len_off = parts[i].len_off;
		}
	}
}

/* The pointers, then requests and what they write. */
void plan_iocbs(struct maker *m, const struct sys_arg *a, unsigned int reg)
{
	unsigned int word = m->abi == KTR_ABI_COMPAT ? 4 : 8;
	unsigned int in = m->plan->n;
	struct ktr_op *op = add(m, KTR_FORM_BYTES, reg, ROLE_DATA, false);

	set_len(op, a, capped((uint64_t)word * list_max(m)));
	op->elem = word;
	for (unsigned int i = 0; i < IOCBS_KEPT; i++) {
		unsigned int at = m->plan->n;

		op = add_inner(m, KTR_FORM_BYTES, reg, ROLE_NAME + 2 * i,
			       false, in, i * word);
		set_const(op, sizeof(struct native_iocb));
		op = add_inner(m, KTR_FORM_BYTES, reg, ROLE_NAME + 2 * i + 1,
			       false, at,
			       offsetof(struct native_iocb, aio_buf));
		op->len_src = KTR_SRC_WORD;
		op->len_off = offsetof(struct native_iocb, aio_nbytes);
		op->max = capped(m->datasize);
	}
}
