// SPDX-License-Identifier: GPL-2.0-only
/*
 * The syscall table of a session: which calls are recorded, and the capture
 * program of each. Built by netlink handlers in a copy that no probe sees.
 */
#include <linux/build_bug.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uio.h>
#include "capture.h"
#include "fdname.h"

static atomic_t last_seq;

struct ktr_table ktr_table_none;

#define VECTOR_GUESS 64		/* elements whose headers a buffer has room for */

void ktr_prog_seal(struct ktr_prog *p)
{
	int i;

	BUILD_BUG_ON(KTR_OPS_MAX > 8 * sizeof(p->entry));
	for (i = 0; i < p->nops; i++) {
		if (p->op[i].flags & KTR_OP_F_EXIT)
			p->exit |= 1 << i;
		else
			p->entry |= 1 << i;
		if (p->op[i].form == KTR_FORM_LIMIT)
			p->limits |= 1 << i;
	}
}

static struct ktr_prog *prog_new(const struct ktr_row *row, const struct ktr_op *ops)
{
	struct ktr_prog *p;

	p = kzalloc(struct_size(p, op, row->nops), GFP_KERNEL_ACCOUNT);
	if (!p)
		return NULL;
	p->nr = row->nr;
	p->abi = row->abi;
	p->nargs = row->nargs;
	p->nops = row->nops;
	p->fd_arg = row->fd_arg;
	p->more = row->nops;
	memcpy(p->op, ops, row->nops * sizeof(*ops));
	ktr_prog_seal(p);
	return p;
}

static struct ktr_prog *prog_copy(const struct ktr_prog *from)
{
	return kmemdup(from, struct_size(from, op, from->nops), GFP_KERNEL_ACCOUNT);
}

struct ktr_table *ktr_table_copy(const struct ktr_table *from)
{
	struct ktr_table *t = kvzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);
	int abi, nr;

	if (!t || !from)
		return t;
	t->others = from->others;
	for (abi = 0; abi < __KTR_ABI_LAST; abi++) {
		for (nr = 0; nr < KTR_SYSCALLS_MAX; nr++) {
			if (!from->prog[abi][nr])
				continue;
			t->prog[abi][nr] = prog_copy(from->prog[abi][nr]);
			if (!t->prog[abi][nr])
				goto err_free_table;
		}
	}
	return t;

err_free_table:
	ktr_table_free(t);
	return NULL;
}

void ktr_table_free(struct ktr_table *t)
{
	int abi, nr;

	if (!t || t == &ktr_table_none)
		return;
	for (abi = 0; abi < __KTR_ABI_LAST; abi++)
		for (nr = 0; nr < KTR_SYSCALLS_MAX; nr++)
			kfree(t->prog[abi][nr]);
	kvfree(t);
}

static const char *check_fd_base(const struct ktr_op *ops, int i)
{
	const struct ktr_op *op = &ops[i];

	switch (op->base_src) {
	case KTR_SRC_ARG:
		return op->base_ref < 6 ? NULL : "base: no such argument";
	case KTR_SRC_RET:
		return op->flags & KTR_OP_F_EXIT ? NULL : "base: no result at entry";
	case KTR_SRC_U32:
		if (op->base_ref >= i)
			return "base: not an earlier operation";
		if (!(op->flags & KTR_OP_F_EXIT) && ops[op->base_ref].flags & KTR_OP_F_EXIT)
			return "base: captured only at exit";
		return NULL;
	}
	return "base: no argument, result or captured word";
}

static const char *check_base(const struct ktr_op *ops, int i)
{
	const struct ktr_op *op = &ops[i];

	if (op->form == KTR_FORM_FD)
		return check_fd_base(ops, i);
	if (op->base_src == KTR_SRC_ARG)
		return op->base_ref < 6 ? NULL : "base: no such argument";
	if (op->base_src == KTR_SRC_STACK)
		return op->flags & KTR_OP_F_EXIT ?
		       "base: the stack pointer is known at entry only" : NULL;
	if (op->base_src != KTR_SRC_WORD)
		return "base: no argument, captured word or sp";
	if (op->base_ref >= i)
		return "base: not an earlier operation";
	if (!(op->flags & KTR_OP_F_EXIT) && ops[op->base_ref].flags & KTR_OP_F_EXIT)
		return "base: captured only at exit";
	return NULL;
}

static const char *check_length(const struct ktr_op *ops, int i)
{
	const struct ktr_op *op = &ops[i];

	switch (op->len_src) {
	case KTR_SRC_CONST:
		return NULL;
	case KTR_SRC_ARG:
		return op->len_ref < 6 ? NULL : "length: no such argument";
	case KTR_SRC_RET:
		return op->flags & KTR_OP_F_EXIT ? NULL : "length: no result at entry";
	case KTR_SRC_WORD:
	case KTR_SRC_U32:
		if (op->len_ref >= i)
			return "length: not an earlier operation";
		if (!(op->flags & KTR_OP_F_EXIT) && ops[op->len_ref].flags & KTR_OP_F_EXIT)
			return "length: captured only at exit";
		return NULL;
	}
	return "length: unknown source";
}

static const char *check_op(const struct ktr_op *ops, int i)
{
	const struct ktr_op *op = &ops[i];
	const char *why;

	if (op->flags & ~KTR_OP_F__ALL)
		return "unknown flag";
	if (op->form >= __KTR_FORM_LAST)
		return "unknown form";
	if (op->max > KTR_CAP_MAX || op->total > KTR_CAP_MAX)
		return "more bytes than KTR_CAP_MAX";
	if (op->form == KTR_FORM_LIMIT && (op->flags || op->base_src != KTR_SRC_ARG))
		return "a limit with flags, or not by an argument";
	if (op->flags & KTR_OP_F_IO && op->form != KTR_FORM_BYTES && op->form != KTR_FORM_IOV)
		return "I/O that is neither bytes nor an iovec";
	if (op->flags & KTR_OP_F_PATH && op->form != KTR_FORM_STR && op->form != KTR_FORM_FD)
		return "a path, but no string or descriptor";
	if (op->flags & KTR_OP_F_NETLINK && (op->form != KTR_FORM_FD || op->flags & KTR_OP_F_EXIT))
		return "a netlink socket, but none at entry";
	why = check_base(ops, i);
	return why ?: check_length(ops, i);
}

/* What one operation may take of a buffer; vectors by a fair guess. */
static u32 op_need(const struct ktr_op *op)
{
	u32 need = sizeof(struct ktr_cap) + 16 + op->max;
	u32 n;

	if (op->form == KTR_FORM_LIMIT)
		return 0;
	if (op->form == KTR_FORM_FD) {
		n = op->base_src == KTR_SRC_U32 ? KTR_FDS_MAX : 1;
		return need + op->total + n * (KTR_FDNAME_HEAD + 8);
	}
	if (op->form == KTR_FORM_BYTES || op->form == KTR_FORM_STR || !op->max)
		return need;
	n = op->len_src == KTR_SRC_CONST ? min_t(u32, op->len, 1024) : VECTOR_GUESS;
	/* Pieces of a byte each are to be had as far as the bytes go. */
	if (op->flags & KTR_OP_F_IO)
		n = clamp_t(u32, op->total, VECTOR_GUESS, UIO_MAXIOV);
	return need + op->total + n * (sizeof(struct ktr_elem) + 8);
}

/* The same operations by the same numbers, whatever they may take. */
static bool is_alike(const struct ktr_prog *p, const struct ktr_prog *old)
{
	int i;

	if (!old || p->nops != old->nops)
		return false;
	for (i = 0; i < p->nops; i++) {
		struct ktr_op op = old->op[i];

		op.max = p->op[i].max;
		op.total = p->op[i].total;
		if (memcmp(&op, &p->op[i], sizeof(op)))
			return false;
	}
	return true;
}

/*
 * Computed sums, once the rows are complete and before probes see the table. A call
 * that has begun under the table @old goes on with a program that is alike.
 */
void ktr_table_seal(struct ktr_table *t, const struct ktr_table *old)
{
	int abi, nr, i;

	t->seq = atomic_inc_return(&last_seq);
	t->nrows = 0;
	t->need = 0;
	for (abi = 0; abi < __KTR_ABI_LAST; abi++) {
		for (nr = 0; nr < KTR_SYSCALLS_MAX; nr++) {
			const struct ktr_prog *was = old ? old->prog[abi][nr] : NULL;
			struct ktr_prog *p = t->prog[abi][nr];
			u32 need = 0;

			if (!p)
				continue;
			p->seq = is_alike(p, was) ? was->seq : t->seq;
			t->nrows++;
			for (i = 0; i < p->nops; i++)
				need += op_need(&p->op[i]);
			t->need = max(t->need, min(need, KTR_CAP_MAX));
		}
	}
	t->need = round_up(t->need, 512);
	/* The allocator rounds up to this anyway; leave room for the head. */
	if (t->need > 2048)
		t->need = roundup_pow_of_two(t->need + sizeof(struct ktr_capbuf)) -
			  sizeof(struct ktr_capbuf);
}

/* With the prefix all of it has to fit into NETLINK_MAX_FMTMSG_LEN bytes. */
static int bad_row(struct netlink_ext_ack *ack, const struct ktr_row *row, int op,
		   const char *why)
{
	if (op < 0)
		NL_SET_ERR_MSG_FMT_MOD(ack, "call %u: %s", row->nr, why);
	else
		NL_SET_ERR_MSG_FMT_MOD(ack, "call %u, op %d: %s", row->nr, op, why);
	return -EINVAL;
}

/* The next row of *data, or NULL with *err set when it is over or broken. */
static const struct ktr_row *next_row(const void **data, u32 *len,
				      struct netlink_ext_ack *ack, int *err)
{
	const struct ktr_row *row = *data;
	const char *why = NULL;
	u32 size;

	*err = 0;
	if (!*len)
		return NULL;
	*err = -EINVAL;
	if (*len < sizeof(*row)) {
		NL_SET_ERR_MSG_MOD(ack, "rows: a row is cut off");
		return NULL;
	}
	size = sizeof(*row) + row->nops * sizeof(struct ktr_op);
	if (row->nr >= KTR_SYSCALLS_MAX)
		why = "number is not below KTR_SYSCALLS_MAX";
	else if (row->abi >= __KTR_ABI_LAST)
		why = "unknown ABI";
	else if (row->nargs > 6)
		why = "more than six arguments";
	else if (row->nops > KTR_OPS_MAX)
		why = "more than KTR_OPS_MAX operations";
	else if (row->fd_arg > 5 && row->fd_arg != 255)
		why = "fd_arg is not an argument";
	else if (row->reserved)
		why = "reserved word is not zero";
	else if (size > *len)
		why = "its operations are cut off";
	if (why) {
		bad_row(ack, row, -1, why);
		return NULL;
	}
	*data += size;
	*len -= size;
	*err = 0;
	return row;
}

int ktr_table_add(struct ktr_table *t, const void *data, u32 len,
		  struct netlink_ext_ack *ack)
{
	const struct ktr_row *row;
	int err;

	while ((row = next_row(&data, &len, ack, &err))) {
		const struct ktr_op *ops = (const struct ktr_op *)(row + 1);
		struct ktr_prog *prog;
		int i;

		for (i = 0; i < row->nops; i++) {
			const char *why = check_op(ops, i);

			if (why)
				return bad_row(ack, row, i, why);
		}
		prog = prog_new(row, ops);
		if (!prog)
			return -ENOMEM;
		kfree(t->prog[row->abi][row->nr]);
		t->prog[row->abi][row->nr] = prog;
	}
	return err;
}

int ktr_table_del(struct ktr_table *t, const void *data, u32 len,
		  struct netlink_ext_ack *ack)
{
	const struct ktr_row *row;
	int err;

	while ((row = next_row(&data, &len, ack, &err))) {
		if (row->nops)
			return bad_row(ack, row, -1, "a row to take away has operations");
		kfree(t->prog[row->abi][row->nr]);
		t->prog[row->abi][row->nr] = NULL;
	}
	return err;
}
