// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walking BTF. A value lies in a register, or in memory some way behind a pointer;
 * such pointers are captured by one operation and followed by the next.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <string.h>

#include "fnwalk.h"

const char *fnwalk_name(const struct making *k, uint32_t off)
{
	const char *name = btf__name_by_offset(k->btf, off);

	return name ? name : "";
}

/* Without const, volatile, typedef. */
const struct btf_type *fnwalk_plain(const struct making *k, int id)
{
	const struct btf_type *t = btf__type_by_id(k->btf, id);
	int depth = 32;

	while (t && (btf_is_mod(t) || btf_is_typedef(t)) && depth--)
		t = btf__type_by_id(k->btf, t->type);
	return t;
}


bool fnwalk_is_const(const struct making *k, int id)
{
	const struct btf_type *t = btf__type_by_id(k->btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t))) {
		if (btf_is_const(t))
			return true;
		t = btf__type_by_id(k->btf, t->type);
	}
	return false;
}

bool fnwalk_is_char(const struct making *k, const struct btf_type *t)
{
	return t && btf_is_int(t) && t->size == 1 &&
	       !strcmp(fnwalk_name(k, t->name_off), "char");
}

bool fnwalk_is(const struct making *k, const struct btf_type *t,
			       const char *name)
{
	return t && btf_is_composite(t) && !strcmp(fnwalk_name(k, t->name_off), name);
}

/* An operation more; its number, or -1: there is no room for it. */
int fnwalk_capture(struct making *k, const struct place *at, unsigned int form,
		  unsigned int len)
{
	struct ktr_op *op;

	if (k->m->row.nops == KTR_OPS_MAX || !len || len > KTR_FUNC_CAP_MAX / 2)
		return -1;
	op = &k->m->ops[k->m->row.nops];
	*op = (struct ktr_op){
		.form = form, .base_ref = at->src, .base_off = at->ptr_off,
		.base_src = at->ptr_reg ? KTR_SRC_ARG_AT : KTR_SRC_WORD_AT,
		.len_src = KTR_SRC_CONST, .len = len, .max = len, .add = at->add,
	};
	return k->m->row.nops++;
}

/* What a pointer, which is the value there, points to. */
int fnwalk_follow(struct making *k, const struct place *at, struct place *to)
{
	const struct btf_type *t = fnwalk_plain(k, at->type);
	int op;

	if (!t || !btf_is_ptr(t))
		return -EINVAL;
	memset(to, 0, sizeof(*to));
	to->type = t->type;
	to->ptr_reg = at->reg;
	to->src = at->src;
	if (at->reg)
		return 0;
	op = fnwalk_capture(k, at, KTR_FORM_BYTES, 8);
	to->src = op;
	return op < 0 ? -ENOSPC : 0;
}

/* The member of that name, also in what has none itself. */
int fnwalk_member(const struct making *k, int type, const char *name, size_t len,
		  struct place *to)
{
	const struct btf_type *t = fnwalk_plain(k, type);
	const struct btf_member *m;
	unsigned int i, bit;

	if (!t || !btf_is_composite(t))
		return -EINVAL;
	m = btf_members(t);
	for (i = 0; i < btf_vlen(t); i++, m++) {
		const char *own = fnwalk_name(k, m->name_off);

		bit = btf_member_bit_offset(t, i);
		if (!*own) {
			struct place in = *to;

			in.add += bit / 8;
			if (!fnwalk_member(k, m->type, name, len, &in)) {
				*to = in;
				return 0;
			}
		} else if (strlen(own) == len && !memcmp(own, name, len)) {
			to->type = m->type;
			to->add += bit / 8;
			to->bit = bit % 8;
			to->bits = btf_member_bitfield_size(t, i);
			return 0;
		}
	}
	return -ENOENT;
}

/* `->` and `.` with members behind; from the place on. */
int fnwalk_go(struct making *k, struct place *at, const char *path)
{
	struct place to;
	int err = 0;

	while (*path && !err) {
		k->step.path = path;
		k->step.from = k->step.in = at->type;
		if (!strncmp(path, "->", 2)) {
			err = fnwalk_follow(k, at, &to);
			if (err)
				return err;
			*at = to;
			path += 2;
		} else if (*path == '.') {
			path++;
		}
		k->step.in = at->type;
		k->step.name = path;
		k->step.len = strcspn(path, ".-");
		if (at->reg)
			return -EINVAL;
		err = fnwalk_member(k, at->type, path, k->step.len, at);
		path += k->step.len;
	}
	return err;
}
