// SPDX-License-Identifier: GPL-2.0-or-later
/* sys_io.c - how much of the bytes that a call transfers is kept */
#include "sys_layouts.h"
#include "sys_rows.h"

/* Of messages: no more memory than the entries of a directory take anyway. */
#define NETLINK_BYTES 12288u

/* Of a row: the kind of argument that a register holds. */
static unsigned int kind_of(unsigned int abi, const struct sys_desc *desc,
			    unsigned int reg)
{
	unsigned int next = 0;

	for (unsigned int i = 0; i < desc->nargs; i++) {
		const struct sys_arg *a = &desc->args[i];
		unsigned int at = sys_arg_reg(a, next);

		next = at + sys_arg_words(abi, a);
		if (at == reg)
			return a->kind;
	}
	return K_NONE;
}

static bool is_io(unsigned int abi, const struct sys_desc *desc,
		  const struct ktr_op *op, const struct sys_tag *tag)
{
	switch (kind_of(abi, desc, tag->reg)) {
	case K_BUF:
		return op->form == KTR_FORM_BYTES;
	case K_IOV:
	case K_MSGHDR:
	case K_MMSGHDR:
		return op->form == KTR_FORM_IOV;
	default:
		return false;
	}
}

/* Calls in which the bytes of a netlink socket are shown as messages. */
static bool has_messages(const struct sys_desc *desc)
{
	if (!(desc->classes & C_NET) || desc->subs)
		return false;
	for (unsigned int i = 0; i < desc->nargs; i++)
		if (desc->args[i].kind == K_BUF ||
		    desc->args[i].kind == K_MSGHDR)
			return true;
	return false;
}

/* Messages are kept whole unless sockets, or all, have a limit. */
static uint32_t of_netlink(const struct io_limits *io, bool messages,
			   uint32_t usual)
{
	if (io->kind[KTR_IO_NETLINK] != IO_UNSET)
		return io->kind[KTR_IO_NETLINK];
	if (io->kind[KTR_IO_SOCKET] != IO_UNSET)
		return io->kind[KTR_IO_SOCKET];
	if (io->all != IO_UNSET || !messages || usual >= NETLINK_BYTES)
		return IO_UNSET;
	return NETLINK_BYTES;
}

static uint32_t largest(const struct io_limits *io, uint32_t rest)
{
	for (unsigned int k = 0; k < __KTR_IO_LAST; k++)
		if (io->kind[k] != IO_UNSET && io->kind[k] > rest)
			rest = io->kind[k];
	return rest;
}

/*
 * One more operation, if there is room: the last one may be a name's. total: of
 * an iovec's elements together; 0: max.
 */
static unsigned int add_limit(struct ktr_op ops[KTR_OPS_MAX], unsigned int n,
			      unsigned int reg, unsigned int kinds, uint32_t max,
			      uint32_t total)
{
	if (n == KTR_OPS_MAX)
		n--;
	ops[n] = (struct ktr_op){
		.form = KTR_FORM_LIMIT, .base_src = KTR_SRC_ARG,
		.base_ref = reg, .elem = kinds, .max = max, .total = total,
	};
	return n + 1;
}

static unsigned int add_limits(struct ktr_op ops[KTR_OPS_MAX], unsigned int n,
			       unsigned int reg, const struct io_limits *io,
			       uint32_t rest, uint32_t total)
{
	unsigned int others = (1u << __KTR_IO_LAST) - 1;

	for (unsigned int k = 0; k < __KTR_IO_LAST; k++) {
		if (io->kind[k] == IO_UNSET)
			continue;
		others &= ~(1u << k);
		n = add_limit(ops, n, reg, 1u << k, io->kind[k], 0);
	}
	if (others != (1u << __KTR_IO_LAST) - 1 && others)
		n = add_limit(ops, n, reg, others, rest, total);
	return n;
}

unsigned int sys_plan_io(unsigned int abi, const struct sys_desc *desc,
			 const struct sys_plan *plan, unsigned int fd_reg,
			 const struct io_limits *limits, uint32_t usual,
			 struct ktr_op ops[KTR_OPS_MAX], unsigned int n)
{
	struct io_limits io = *limits;
	uint32_t rest = io.all != IO_UNSET ? io.all : usual;
	uint32_t most, total = 0;
	bool any = false;

	io.kind[KTR_IO_NETLINK] = of_netlink(&io, has_messages(desc), usual);
	most = largest(&io, rest);
	if (fd_reg > 5 || (io.all == IO_UNSET && most == usual &&
			   !io_has_kinds(&io)))
		return n;
	for (unsigned int i = 0; i < plan->n; i++) {
		if (!is_io(abi, desc, &ops[i], &plan->tag[i]))
			continue;
		any = true;
		ops[i].flags |= KTR_OP_F_IO;
		ops[i].max = most;
		if (ops[i].form != KTR_FORM_IOV)
			continue;
		/* What no option limits is shown element by element. */
		if (io.all == IO_UNSET)
			total = ops[i].total;
		ops[i].total = most > total ? most : total;
	}
	return any ? add_limits(ops, n, fd_reg, &io, rest, total) : n;
}

unsigned int sys_plan_netlink(const struct sys_desc *desc, unsigned int fd_reg,
			      struct ktr_op ops[KTR_OPS_MAX], unsigned int n)
{
	if (fd_reg > 5 || n >= KTR_OPS_MAX - 2 || !has_messages(desc))
		return n;
	ops[n] = (struct ktr_op){
		.flags = KTR_OP_F_NETLINK, .form = KTR_FORM_FD,
		.base_src = KTR_SRC_ARG, .base_ref = fd_reg,
	};
	return n + 1;
}
