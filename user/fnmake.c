// SPDX-License-Identifier: GPL-2.0-or-later
/* From a prototype to a note and to what the module captures. */
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fnwalk.h"

#define CONSTS_MAX 64
#define FIELDS_MAX 48

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/* How an unsigned number is best read, by its name. */
static char number_kind(const char *name, unsigned int size)
{
	static const char *const hex[] = { "flags", "flag", "mask", "gfp", "addr", "prot" };
	size_t i;

	for (i = 0; i < sizeof(hex) / sizeof(hex[0]); i++)
		if (ends_with(name, hex[i]))
			return 'x';
	return !strcmp(name, "mode") || (size == 2 && ends_with(name, "mode")) ? 'o' : 'u';
}

static char int_kind(const struct making *k, const struct btf_type *t, const char *name)
{
	unsigned int enc = btf_int_encoding(t);

	if (enc & BTF_INT_BOOL)
		return 'b';
	if (fnwalk_is_char(k, t) || enc & BTF_INT_CHAR)
		return 'c';
	return enc & BTF_INT_SIGNED ? 'i' : number_kind(name, t->size);
}

static void put_consts(struct making *k, const struct btf_type *t)
{
	struct buf *b = &k->m->note;
	unsigned int i, n = btf_vlen(t);

	for (i = 0; i < n && i < CONSTS_MAX; i++) {
		long long v;
		const char *name;

		if (btf_is_enum64(t)) {
			v = (long long)btf_enum64_value(&btf_enum64(t)[i]);
			name = fnwalk_name(k, btf_enum64(t)[i].name_off);
		} else {
			v = btf_kflag(t) ? btf_enum(t)[i].val :
					   (long long)(uint32_t)btf_enum(t)[i].val;
			name = fnwalk_name(k, btf_enum(t)[i].name_off);
		}
		buf_printf(b, "%s%lld=%s", i ? "," : " ", v, name);
	}
}

/* A struct of one number is that number. */
static const struct btf_type *scalar(const struct making *k, int id)
{
	const struct btf_type *t = fnwalk_plain(k, id);
	int depth = 8;

	while (t && btf_is_composite(t) && btf_vlen(t) == 1 && t->size <= 8 && depth--)
		t = fnwalk_plain(k, btf_members(t)->type);
	return t;
}

static bool is_number(const struct btf_type *t)
{
	return t && (btf_is_int(t) || btf_is_enum(t) || btf_is_enum64(t) || btf_is_ptr(t)) &&
	       (btf_is_ptr(t) || (t->size <= 8 && !(t->size & (t->size - 1))));
}

/* `u4`, without what may follow */
static void put_kind(struct making *k, const struct btf_type *t, const char *name)
{
	struct buf *b = &k->m->note;

	if (!is_number(t))
		buf_puts(b, "?");
	else if (btf_is_ptr(t))
		buf_puts(b, "p8");
	else if (btf_is_int(t))
		buf_printf(b, "%c%u", int_kind(k, t, name), t->size);
	else
		buf_printf(b, "%c%u", btf_kflag(t) ? 'e' : 'E', t->size);
}

static void put_number(struct making *k, unsigned int depth, const char *name,
		       const struct btf_type *t, const char *loc, unsigned int bit,
		       unsigned int bits)
{
	struct buf *b = &k->m->note;

	buf_printf(b, "%u %s ", depth, name);
	put_kind(k, t, name);
	buf_printf(b, " %s", loc);
	if (bits)
		buf_printf(b, " :%u.%u", bit, bits);
	if (is_number(t) && (btf_is_enum(t) || btf_is_enum64(t)))
		put_consts(k, t);
	buf_putc(b, '\n');
}

/* Bit fields may begin in a word before the byte they are found by. */
static void put_field(struct making *k, const char *name, const struct btf_member *m,
		      const struct btf_type *in, unsigned int i, int op)
{
	const struct btf_type *t = scalar(k, m->type);
	unsigned int bit = btf_member_bit_offset(in, i), off = bit / 8, bits;
	char loc[32];

	bits = btf_member_bitfield_size(in, i);
	if (bits && t) {
		off = t->size ? off / t->size * t->size : off;
		bit -= off * 8;
	}
	snprintf(loc, sizeof(loc), "%d.%u", op, off);
	if (t && btf_is_array(t) && fnwalk_is_char(k, fnwalk_plain(k, btf_array(t)->type)))
		buf_printf(&k->m->note, "1 %s T%u %s\n", name, btf_array(t)->nelems, loc);
	else
		put_number(k, 1, name, t, loc, bit, bits);
}

static int put_struct(struct making *k, const char *name, const struct place *at,
		      const struct btf_type *t)
{
	unsigned int i, size = t->size < KTR_FUNC_CAP_MAX / 2 ? t->size : KTR_FUNC_CAP_MAX / 2;
	const struct btf_member *m = btf_members(t);
	int op = fnwalk_capture(k, at, KTR_FORM_BYTES, size);

	if (op < 0)
		return -ENOSPC;
	buf_printf(&k->m->note, "0 %s S %d.0\n", name, op);
	for (i = 0; i < btf_vlen(t) && i < FIELDS_MAX; i++, m++)
		if (*fnwalk_name(k, m->name_off) && btf_member_bit_offset(t, i) / 8 < size)
			put_field(k, fnwalk_name(k, m->name_off), m, t, i, op);
	return 0;
}

/* A pointer to text: the pointer, and the text by one operation. */
static int put_string(struct making *k, const char *name, const struct place *at)
{
	struct place text;
	char loc[32];
	int err, op;

	err = fnwalk_follow(k, at, &text);
	if (err)
		return err;
	op = fnwalk_capture(k, &text, KTR_FORM_STR, k->strsize + 1);
	if (at->reg)
		snprintf(loc, sizeof(loc), "r%u", at->src);
	else
		snprintf(loc, sizeof(loc), "%u.0", text.src);
	buf_printf(&k->m->note, "0 %s p8 %s", name, loc);
	if (op >= 0)
		buf_printf(&k->m->note, " s%d", op);
	buf_putc(&k->m->note, '\n');
	return 0;
}

/* What is asked for by name is text in bytes, too: so the kernel keeps names of files. */
static bool is_text(const struct making *k, const struct btf_type *t)
{
	return fnwalk_is_char(k, t) ||
	       (t && btf_is_int(t) && t->size == 1 &&
		!strcmp(fnwalk_name(k, t->name_off), "unsigned char"));
}

int fnmake_place(struct making *k, const char *name, struct place *at)
{
	const struct btf_type *t = fnwalk_plain(k, at->type), *s = scalar(k, at->type);
	char loc[32];
	int op;

	if (t && btf_is_ptr(t) && is_text(k, fnwalk_plain(k, t->type)))
		return put_string(k, name, at);
	if (fnwalk_is(k, t, "qstr") && !fnwalk_member(k, at->type, "name", 4, at))
		return put_string(k, name, at);
	if (at->reg) {
		snprintf(loc, sizeof(loc), "r%u", at->src);
		put_number(k, 0, name, s, loc, 0, 0);
		return 0;
	}
	if (t && btf_is_array(t) && is_text(k, fnwalk_plain(k, btf_array(t)->type))) {
		op = fnwalk_capture(k, at, KTR_FORM_BYTES, btf_array(t)->nelems);
		if (op >= 0)
			buf_printf(&k->m->note, "0 %s T%u %d.0\n", name,
				   btf_array(t)->nelems, op);
		return op < 0 ? -ENOSPC : 0;
	}
	if (is_number(s)) {
		op = fnwalk_capture(k, at, KTR_FORM_BYTES, btf_is_ptr(s) ? 8 : s->size);
		snprintf(loc, sizeof(loc), "%d.0", op);
		if (op >= 0)
			put_number(k, 0, name, s, loc, at->bit, at->bits);
		return op < 0 ? -ENOSPC : 0;
	}
	return t && btf_is_composite(t) ? put_struct(k, name, at, t) : -ENOTSUP;
}

/* Structs that have a name somewhere: what leads to it. */
static const struct {
	const char *type, *path;
} named[] = {
	{ "filename", "->name" },
	{ "file", "->f_path.dentry->d_name.name" },
	{ "path", "->dentry->d_name.name" },
	{ "dentry", "->d_name.name" },
	{ "kiocb", "->ki_filp->f_path.dentry->d_name.name" },
	{ "file_system_type", "->name" },
	{ "task_struct", "->comm" },
};

static bool put_named(struct making *k, const char *name, const struct place *at,
		      const struct btf_type *to)
{
	unsigned int nops = k->m->row.nops;
	struct place p = *at, text;
	const struct btf_type *t;
	size_t i;
	int op;

	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (fnwalk_is(k, to, named[i].type))
			break;
	if (i == sizeof(named) / sizeof(named[0]) || fnwalk_go(k, &p, named[i].path))
		goto none;
	t = fnwalk_plain(k, p.type);
	if (t && btf_is_ptr(t) && fnwalk_follow(k, &p, &text))
		goto none;
	op = fnwalk_capture(k, t && btf_is_ptr(t) ? &text : &p, KTR_FORM_STR, 256);
	if (op < 0)
		goto none;
	/* A filename is text that somebody gave; the others are things that have a name. */
	buf_printf(&k->m->note, "0 %s %s r%u s%d\n", name, i ? "n" : "p8", at->src, op);
	return true;
none:
	k->m->row.nops = nops;
	return false;
}

/* struct sock: what of its common part lies where. */
static bool put_sock(struct making *k, const char *name, const struct place *at,
		     const struct btf_type *to)
{
	static const char *const fields[] = {
		"skc_family", "skc_num", "skc_dport", "skc_rcv_saddr", "skc_daddr",
		"skc_v6_rcv_saddr", "skc_v6_daddr",
	};
	unsigned int pos[7] = { 0 }, nops = k->m->row.nops, i;
	struct place sk = *at, c, m;
	int op;

	if (fnwalk_is(k, to, "socket")) {
		if (fnwalk_go(k, &sk, "->sk"))
			return false;
	} else if (!fnwalk_is(k, to, "sock")) {
		return false;
	}
	if (fnwalk_go(k, &sk, "->__sk_common"))
		goto none;
	for (i = 0; i < 7; i++) {
		m = sk;
		if (!fnwalk_member(k, sk.type, fields[i], strlen(fields[i]), &m))
			pos[i] = m.add - sk.add;
	}
	c = sk;
	op = fnwalk_capture(k, &c, KTR_FORM_BYTES, fnwalk_plain(k, sk.type)->size);
	if (op < 0)
		goto none;
	buf_printf(&k->m->note, "0 %s k r%u s%d @%u,%u,%u,%u,%u,%u,%u\n", name, at->src, op,
		   pos[0], pos[1], pos[2], pos[3], pos[4], pos[5], pos[6]);
	return true;
none:
	k->m->row.nops = nops;
	return false;
}

/* Bytes whose number is the next argument are no string. */
static bool put_buffer(struct making *k, const char *name, const struct place *at,
		       const struct btf_param *next)
{
	static const char *const counts[] = { "count", "len", "size", "n", "nbytes" };
	const struct btf_type *t = next ? fnwalk_plain(k, next->type) : NULL;
	const char *count = next ? fnwalk_name(k, next->name_off) : "";
	struct place text;
	size_t i;
	int op;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (!strcmp(count, counts[i]))
			break;
	if (i == sizeof(counts) / sizeof(counts[0]) || !t || !btf_is_int(t) ||
	    at->src == 5 || fnwalk_follow(k, at, &text))
		return false;
	op = fnwalk_capture(k, &text, KTR_FORM_BYTES, k->strsize + 1);
	if (op < 0)
		return false;
	k->m->ops[op].len_src = KTR_SRC_ARG;
	k->m->ops[op].len_ref = at->src + 1;
	k->m->ops[op].len = 0;
	buf_printf(&k->m->note, "0 %s p8 r%u s%d\n", name, at->src, op);
	return true;
}

void fnmake_arg(struct making *k, const char *name, struct place *at,
		const struct btf_param *next)
{
	const struct btf_type *t = fnwalk_plain(k, at->type), *to;
	char loc[32];

	if (t && btf_is_ptr(t)) {
		to = fnwalk_plain(k, t->type);
		if (fnwalk_is_char(k, to) && fnwalk_is_const(k, t->type) &&
		    (put_buffer(k, name, at, next) || !put_string(k, name, at)))
			return;
		if (put_named(k, name, at, to) || put_sock(k, name, at, to))
			return;
	}
	snprintf(loc, sizeof(loc), "r%u", at->src);
	put_number(k, 0, name, scalar(k, at->type), loc, 0, 0);
}

/* Registers that an argument takes; 0: it is passed in memory. */
static unsigned int registers(const struct making *k, int id, unsigned int left)
{
	const struct btf_type *t = fnwalk_plain(k, id);
	unsigned int n;

	if (!t || btf_is_float(t))
		return 0;
	if (btf_is_ptr(t))
		return left >= 1;
	n = (t->size + 7) / 8;
	return n > 2 || n > left ? 0 : n ? n : 1;
}

int fnmake_param(const struct making *k, const struct btf_type *proto, const char *name,
		 size_t len, unsigned int i, struct place *at)
{
	const struct btf_param *p = btf_params(proto);
	unsigned int reg = 0, n, j;

	for (j = 0; j < btf_vlen(proto); j++, p++) {
		const char *own = fnwalk_name(k, p->name_off);

		n = p->type ? registers(k, p->type, 6 - reg) : 0;
		if (len ? strlen(own) == len && !memcmp(own, name, len) : i == j) {
			memset(at, 0, sizeof(*at));
			at->type = p->type;
			at->reg = true;
			at->src = reg;
			return n ? 0 : -ENOTSUP;
		}
		reg += n;
	}
	return -ENOENT;
}

static void put_all(struct making *k, const struct btf_type *proto)
{
	const struct btf_param *p = btf_params(proto);
	unsigned int i, n = btf_vlen(proto);
	struct place at;
	char none[16];

	for (i = 0; i < n; i++) {
		const char *name = fnwalk_name(k, p[i].name_off);

		if (!p[i].type)
			break;		/* "..." */
		snprintf(none, sizeof(none), "arg%u", i);
		if (!*name)
			name = none;
		if (fnmake_param(k, proto, NULL, 0, i, &at))
			buf_printf(&k->m->note, "0 %s ? r0\n", name);
		else
			fnmake_arg(k, name, &at, i + 1 < n ? &p[i + 1] : NULL);
	}
}

/* Registers that all arguments take. */
static unsigned int nregs(const struct making *k, const struct btf_type *proto)
{
	unsigned int n = 0, i;

	for (i = 0; i < btf_vlen(proto); i++)
		if (btf_params(proto)[i].type)
			n += registers(k, btf_params(proto)[i].type, 6 - n);
	return n;
}

int fnmake_args(struct making *k, const struct fn_want *w, const struct btf_type *proto,
		struct fault *f)
{
	k->m->row.nargs = nregs(k, proto);
	buf_puts(&k->m->note, "args\n");
	if (w->spec)
		return fnexpr_put(k, w, proto, f);
	put_all(k, proto);
	return 0;
}

void fnmake_ret(struct making *k, const struct btf_type *proto)
{
	const struct btf_type *t = scalar(k, proto->type);

	buf_puts(&k->m->note, "= ");
	if (!proto->type)
		buf_putc(&k->m->note, 'v');
	else
		put_kind(k, t, "");
	if (is_number(t) && (btf_is_enum(t) || btf_is_enum64(t)))
		put_consts(k, t);
	buf_putc(&k->m->note, '\n');
}
