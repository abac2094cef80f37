// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bsearch.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "frows.h"
#include "returns.h"

static const char *check_op(const struct ktr_op *ops, int i)
{
	const struct ktr_op *op = &ops[i];

	if (op->flags)
		return "a flag, which functions have none of";
	if (op->form != KTR_FORM_BYTES && op->form != KTR_FORM_STR)
		return "neither bytes nor a string";
	if (!op->max || op->max > KTR_FUNC_CAP_MAX)
		return "no bytes, or more than KTR_FUNC_CAP_MAX";
	if (op->base_src == KTR_SRC_ARG_AT ? op->base_ref >= 6 :
	    op->base_src != KTR_SRC_WORD_AT || op->base_ref >= i)
		return "base: no argument or earlier word";
	if (op->len_src != KTR_SRC_CONST && (op->len_src != KTR_SRC_ARG || op->len_ref >= 6))
		return "length: no constant or argument";
	return NULL;
}

static const char *check_row(const struct ktr_func_row *row, u32 len)
{
	if (row->nargs > 6)
		return "more than six arguments";
	if (row->nops > KTR_OPS_MAX)
		return "more than KTR_OPS_MAX operations";
	if (row->note_len > KTR_FUNC_NOTE_MAX)
		return "a note longer than KTR_FUNC_NOTE_MAX";
	if (row->reserved)
		return "reserved word is not zero";
	if (row->nops * sizeof(struct ktr_op) + row->note_len > len)
		return "what belongs to it is cut off";
	return NULL;
}

static struct ktr_frow *row_new(const struct ktr_func_row *row, const struct ktr_op *ops)
{
	size_t size = offsetof(struct ktr_frow, prog.op) + row->nops * sizeof(*ops);
	struct ktr_frow *r = kzalloc(size + row->note_len, GFP_KERNEL_ACCOUNT);

	if (!r)
		return NULL;
	r->addr = row->addr;
	r->prog.nargs = row->nargs;
	r->prog.nops = row->nops;
	r->note_len = row->note_len;
	r->note = (u8 *)r + size;
	memcpy(r->prog.op, ops, row->nops * sizeof(*ops));
	ktr_prog_seal(&r->prog);
	memcpy((u8 *)r + size, ops + row->nops, row->note_len);
	return r;
}

static void free_rows(struct ktr_frow *r)
{
	while (r) {
		struct ktr_frow *next = r->next;

		kfree(r);
		r = next;
	}
}

static int bad_row(struct netlink_ext_ack *ack, u64 addr, int op, const char *why)
{
	if (op < 0)
		NL_SET_ERR_MSG_FMT_MOD(ack, "0x%llx: %s", addr, why);
	else
		NL_SET_ERR_MSG_FMT_MOD(ack, "0x%llx, op %d: %s", addr, op, why);
	return -EINVAL;
}

/* All rows of @data as a list. */
static int parse(const void *data, u32 len, struct ktr_frow **list, struct netlink_ext_ack *ack)
{
	while (len) {
		struct ktr_func_row row;
		const struct ktr_op *ops = data + sizeof(row);
		struct ktr_frow *r;
		const char *why;
		u32 size;
		int i;

		if (len < sizeof(row))
			return bad_row(ack, 0, -1, "cut off");
		memcpy(&row, data, sizeof(row));
		why = check_row(&row, len - sizeof(row));
		if (why)
			return bad_row(ack, row.addr, -1, why);
		for (i = 0; i < row.nops; i++) {
			why = check_op(ops, i);
			if (why)
				return bad_row(ack, row.addr, i, why);
		}
		r = row_new(&row, ops);
		if (!r)
			return -ENOMEM;
		r->next = *list;
		*list = r;
		size = round_up(sizeof(row) + row.nops * sizeof(*ops) + row.note_len, 8);
		size = min(size, len);
		data += size;
		len -= size;
	}
	return 0;
}

/* Bytes that a call's capture may take. */
static u32 need_of(const struct ktr_prog *p)
{
	u32 need = 0;
	int i;

	for (i = 0; i < p->nops; i++)
		need += sizeof(struct ktr_cap) + 16 + p->op[i].max;
	return min(need, KTR_FUNC_CAP_MAX);
}

static int make_bufs(struct ktr_frows *t, u32 stride)
{
	int cpu, ctx;

	t->stride = stride;
	t->bufs = __alloc_percpu_gfp(KTR_FUNC_CONTEXTS * stride, 8, GFP_KERNEL_ACCOUNT);
	if (!t->bufs)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		for (ctx = 0; ctx < KTR_FUNC_CONTEXTS; ctx++) {
			struct ktr_capbuf *b = (void *)(per_cpu_ptr(t->bufs, cpu) + ctx * stride);

			b->size = stride - sizeof(*b);
		}
	return 0;
}

/* With room for @n rows and buffers of that size. */
static struct ktr_frows *table_new(u32 n, u32 stride)
{
	u32 bits = order_base_2(2 * n + 2);
	struct ktr_frows *t = kvzalloc(struct_size(t, slot, 1u << bits), GFP_KERNEL_ACCOUNT);

	if (!t)
		return NULL;
	t->bits = bits;
	if (!make_bufs(t, stride))
		return t;
	kvfree(t);
	return NULL;
}

/* Return: false if there is one of its address. */
static bool insert(struct ktr_frows *t, struct ktr_frow *r)
{
	u32 i = hash_64(r->addr, t->bits);

	for (; t->slot[i]; i = (i + 1) & ((1u << t->bits) - 1))
		if (t->slot[i]->addr == r->addr)
			return false;
	t->slot[i] = r;
	t->n++;
	return true;
}

static void drop(struct ktr_frows_change *c, struct ktr_frow *r)
{
	r->next = c->gone;
	c->gone = r;
}

/* How many there will be; *stride grows to what the new ones need. */
static u32 count_all(const struct ktr_frows *old, const struct ktr_frow *fresh, u32 *stride)
{
	u32 n = old ? old->n : 0;

	*stride = old ? old->stride : round_up(sizeof(struct ktr_capbuf), 8);
	for (; fresh; fresh = fresh->next) {
		n += !old || !ktr_frows_find(old, fresh->addr);
		*stride = max_t(u32, *stride, round_up(sizeof(struct ktr_capbuf) +
						       need_of(&fresh->prog), 8));
	}
	return n;
}

static void fill(struct ktr_frows_change *c, const struct ktr_frows *old, struct ktr_frow *fresh)
{
	struct ktr_frow *next;
	u32 i;

	for (; fresh; fresh = next) {
		next = fresh->next;
		if (!insert(c->new, fresh))
			drop(c, fresh);
	}
	for (i = 0; old && i < 1u << old->bits; i++)
		if (old->slot[i] && !insert(c->new, old->slot[i]))
			drop(c, old->slot[i]);
}

int ktr_frows_add(const struct ktr_frows *old, const void *data, u32 len,
		  struct ktr_frows_change *c, struct netlink_ext_ack *ack)
{
	struct ktr_frow *fresh = NULL;
	u32 n, stride;
	int ret;

	*c = (struct ktr_frows_change){};
	ret = parse(data, len, &fresh, ack);
	if (ret)
		goto err_free_rows;
	n = count_all(old, fresh, &stride);
	ret = -E2BIG;
	if (n > KTR_FUNC_ROWS_MAX)
		goto err_free_rows;
	ret = -ENOMEM;
	c->new = table_new(n, stride);
	if (!c->new)
		goto err_free_rows;
	fill(c, old, fresh);
	return 0;

err_free_rows:
	free_rows(fresh);
	return ret;
}

/* What goes: one of those, or all in the span. */
struct going {
	const u64 *addr;		/* ascending; NULL: see the span */
	u32 n;
	const struct ktr_span *span;	/* NULL as well: all */
};

static bool goes(const struct going *g, u64 addr)
{
	if (g->span)
		return ktr_span_has(g->span, addr);
	return !g->addr || bsearch(&addr, g->addr, g->n, sizeof(*g->addr), ktr_addr_cmp);
}

static int del(const struct ktr_frows *old, const struct going *g, struct ktr_frows_change *c)
{
	u32 i;

	*c = (struct ktr_frows_change){};
	c->new = table_new(old->n, old->stride);
	if (!c->new)
		return -ENOMEM;
	for (i = 0; i < 1u << old->bits; i++) {
		struct ktr_frow *r = old->slot[i];

		if (!r)
			continue;
		if (goes(g, r->addr))
			drop(c, r);
		else
			insert(c->new, r);
	}
	if (c->gone && c->new->n)
		return 0;
	ktr_frows_free(c->new, NULL);
	c->new = NULL;
	return c->gone ? 0 : -ENOENT;
}

int ktr_frows_del(const struct ktr_frows *old, const u64 *addr, u32 n, struct ktr_frows_change *c)
{
	return del(old, &(struct going){ .addr = addr, .n = n }, c);
}

static bool any_in(const struct ktr_frows *t, const struct ktr_span *span)
{
	u32 i;

	for (i = 0; i < 1u << t->bits; i++)
		if (t->slot[i] && ktr_span_has(span, t->slot[i]->addr))
			return true;
	return false;
}

int ktr_frows_sweep(const struct ktr_frows *old, const struct ktr_span *span,
		    struct ktr_frows_change *c)
{
	struct going g = { .span = span };
	u32 i;

	if (!any_in(old, span))
		return -ENOENT;
	if (del(old, &g, c) != -ENOMEM)
		return 0;
	/* Better no arguments than those of another function. */
	for (i = 0; i < 1u << old->bits; i++)
		if (old->slot[i])
			drop(c, old->slot[i]);
	return 0;
}

void ktr_frows_free(struct ktr_frows *old, struct ktr_frow *gone)
{
	free_rows(gone);
	if (old)
		free_percpu(old->bufs);
	kvfree(old);
}

void ktr_frows_free_all(struct ktr_frows *t)
{
	u32 i;

	for (i = 0; t && i < 1u << t->bits; i++)
		kfree(t->slot[i]);
	ktr_frows_free(t, NULL);
}

static const struct ktr_frow *nth(const struct ktr_frows *t, u32 index)
{
	u32 i;

	for (i = 0; t && i < 1u << t->bits; i++)
		if (t->slot[i] && !index--)
			return t->slot[i];
	return NULL;
}

int ktr_frows_copy(const struct ktr_frows *t, u32 index, void *buf, u32 room)
{
	const struct ktr_frow *r = nth(t, index);
	struct ktr_func_row *row = buf;
	u32 ops, size;

	if (!r)
		return 0;
	ops = r->prog.nops * sizeof(r->prog.op[0]);
	size = sizeof(*row) + ops + r->note_len;
	if (size > room)
		return -EMSGSIZE;
	*row = (struct ktr_func_row){ .addr = r->addr, .nargs = r->prog.nargs,
				      .nops = r->prog.nops, .note_len = r->note_len };
	memcpy(row + 1, r->prog.op, ops);
	memcpy((u8 *)(row + 1) + ops, r->note, r->note_len);
	return size;
}
