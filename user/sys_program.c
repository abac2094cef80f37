// SPDX-License-Identifier: GPL-2.0-or-later
/* sys_program.c - the capture program of a call, made from its row */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include "sys_layouts.h"
#include "sys_maker.h"

#define SOCKADDR_BYTES	128u
#define OPTVAL_BYTES	256u
#define CONTROL_BYTES	512u
#define SIGINFO_BYTES	48u
#define FDSET_BYTES	128u
#define CPUSET_BYTES	128u
#define PERF_ATTR_BYTES	136u
#define DIRENTS_BYTES	32768u
#define WORD_32		4u
#define PROGRAM_BYTES	512u	/* of BPF, 64 instructions */
#define HANDLE_BYTES	(8u + 128u)
#define CLONE_BYTES	4096u	/* that clone3 looks at */
#define CLONE_LEVELS	32u	/* numbers for namespaces of pids */
#define TAIL_BYTES	64u	/* behind the struct that we know */
#define MMSG_KEPT	3u	/* messages whose parts are fetched */
#define MMSG_KEPT_OUT	2u	/* of those that come: there are other operations too */

static int find_op(const struct sys_plan *p, unsigned int reg,
		   unsigned int role, bool out)
{
	for (unsigned int i = 0; i < p->n; i++)
		if (p->tag[i].reg == reg && p->tag[i].role == role &&
		    p->tag[i].out == out)
			return i;
	return -1;
}

/* So many bytes of what word "off" of operation "in" points to. */
static void add_behind(struct maker *m, unsigned int reg, unsigned int role, bool out,
		       unsigned int in, unsigned int off, unsigned int bytes)
{
	struct ktr_op *op = add_inner(m, KTR_FORM_BYTES, reg, role, out, in, off);

	set_const(op, bytes);
	op->len_ref = 0;
}

/* The caller says how much of it he knows; it may be more than we do. */
static void plan_sized_struct(struct maker *m, const struct sys_arg *a,
			      unsigned int reg, unsigned int max)
{
	for (int out = 0; out < 2; out++)
		if (a->when & (out ? W_OUT : W_IN))
			set_len(add(m, KTR_FORM_BYTES, reg, ROLE_DATA, out), a,
				max);
}

static void plan_struct(struct maker *m, const struct sys_arg *a,
			unsigned int reg)
{
	unsigned int size = sys_elem_size(m->abi, a);

	unsigned int in = m->plan->n;
	struct ktr_op *op;

	if (a->ekind == K_STRUCT && a->ref) {
		plan_sized_struct(m, a, reg, size + TAIL_BYTES);
		return;
	}
	if (a->when & W_IN)
		set_const(add(m, KTR_FORM_BYTES, reg, ROLE_DATA, false), size);
	if (a->tab == &layout_sigset_argpack)
		add_behind(m, reg, ROLE_NAME, false, in, 0, 8);
	if (a->when & W_OUT) {
		op = add(m, KTR_FORM_BYTES, reg, ROLE_DATA, true);

		set_const(op, size);
		if (a->cond == IF_RESTART || a->cond == IF_ALWAYS)
			op->flags &= ~KTR_OP_F_IF_OK;
	}
}

static void plan_list(struct maker *m, const struct sys_arg *a,
		      unsigned int reg)
{
	unsigned int size = sys_elem_size(m->abi, a);
	unsigned int max = capped((uint64_t)size * list_max(m));

	for (int out = 0; out < 2; out++) {
		struct ktr_op *op;

		if (!(a->when & (out ? W_OUT : W_IN)))
			continue;
		op = add(m, KTR_FORM_BYTES, reg, ROLE_DATA, out);
		set_len(op, a, max);
		op->elem = size;
	}
}

static void plan_sized(struct maker *m, const struct sys_arg *a,
		       unsigned int reg, unsigned int bytes)
{
	if (a->when & W_IN)
		set_const(add(m, KTR_FORM_BYTES, reg, ROLE_DATA, false), bytes);
	if (a->when & W_OUT)
		set_const(add(m, KTR_FORM_BYTES, reg, ROLE_DATA, true), bytes);
}

static void plan_string(struct maker *m, const struct sys_arg *a,
			unsigned int reg)
{
	struct ktr_op *op = add(m, KTR_FORM_STR, reg, ROLE_DATA,
				a->when == W_OUT);

	op->max = m->strsize + 1;
	if (a->kind == K_PATH)
		op->flags |= KTR_OP_F_PATH;
	if (a->kind == K_PATH)
		op->max = max_u(op->max, PATH_BYTES);
	else if (a->size)
		op->max = max_u(op->max, a->size + 1);
	op->max = capped(op->max);
}

static void plan_strings(struct maker *m, const struct sys_arg *a,
			 unsigned int reg)
{
	struct ktr_op *op = add(m, KTR_FORM_STRV, reg, ROLE_DATA, false);

	op->len_src = KTR_SRC_CONST;
	if (a->kind == K_ARGV || m->whole) {
		op->len = list_max(m) + 1;
		op->max = capped(m->strsize + 1);
		op->total = capped((uint64_t)op->max * op->len);
	} else {
		op->len = 0;	/* max 0: only their number is wanted */
	}
}

static void plan_iov(struct maker *m, const struct sys_arg *a,
		     unsigned int reg)
{
	struct ktr_op *op = add(m, KTR_FORM_IOV, reg, ROLE_DATA,
				a->when == W_OUT);

	op->flags &= ~KTR_OP_F_IF_OK;	/* their addresses are shown anyway */
	op->len_src = KTR_SRC_ARG;
	op->len_ref = a->ref;
	op->max = capped(m->datasize);
	op->total = parts_max(m);
}

/* Bytes whose length is a register, or the int behind one as it is at exit. */
static void plan_addr(struct maker *m, const struct sys_arg *a,
		      unsigned int reg, unsigned int bytes)
{
	struct ktr_op *op = add(m, KTR_FORM_BYTES, reg, ROLE_DATA,
				a->when == W_OUT);
	int len;

	if (!(a->ref & REF_PTR)) {
		set_len(op, a, bytes);
		return;
	}
	len = find_op(m->plan, a->ref & 7, ROLE_DATA, true);
	assert(len >= 0);
	op->len_src = KTR_SRC_U32;
	op->len_ref = len;
	op->max = bytes;
}

#define MSG_OFF(abi, member) ((abi) == KTR_ABI_NATIVE ?		\
	offsetof(struct native_msghdr, member) :			\
	offsetof(struct compat_msghdr, member))

/* Name, data and control of the message header at "off" of operation "in". */
static void plan_message(struct maker *m, unsigned int reg, unsigned int in,
			 unsigned int off, unsigned int role, bool out)
{
	struct ktr_op *op;

	op = add_inner(m, KTR_FORM_BYTES, reg, role, out, in,
		       off + MSG_OFF(m->abi, msg_name));
	op->len_src = KTR_SRC_U32;
	op->len_off = off + MSG_OFF(m->abi, msg_namelen);
	op->max = SOCKADDR_BYTES;

	op = add_inner(m, KTR_FORM_IOV, reg, role + 1, out, in,
		       off + MSG_OFF(m->abi, msg_iov));
	op->len_src = KTR_SRC_WORD;
	op->len_off = off + MSG_OFF(m->abi, msg_iovlen);
	op->max = capped(m->datasize);
	op->total = parts_max(m);

	op = add_inner(m, KTR_FORM_BYTES, reg, role + 2, out, in,
		       off + MSG_OFF(m->abi, msg_control));
	op->len_src = KTR_SRC_WORD;
	op->len_off = off + MSG_OFF(m->abi, msg_controllen);
	op->max = CONTROL_BYTES;
}

static void plan_msghdr(struct maker *m, const struct sys_arg *a,
			unsigned int reg)
{
	unsigned int size = layout_msghdr.size[m->abi];
	bool out = a->when == W_OUT;
	unsigned int in;

	if (out)	/* the name's length as it was */
		set_const(add(m, KTR_FORM_BYTES, reg, ROLE_DATA, false), size);
	in = m->plan->n;
	set_const(add(m, KTR_FORM_BYTES, reg, ROLE_DATA, out), size);
	plan_message(m, reg, in, 0, ROLE_NAME, out);
}

static void plan_mmsghdr(struct maker *m, const struct sys_arg *a,
			 unsigned int reg)
{
	unsigned int size = layout_mmsghdr.size[m->abi];
	unsigned int kept = MMSG_KEPT, in;
	bool out = a->when == W_OUT;
	struct ktr_op *op;

	if (out) {	/* the names' lengths as they were */
		kept = MMSG_KEPT_OUT;
		set_const(add(m, KTR_FORM_BYTES, reg, ROLE_DATA, false),
			  size * kept);
	}
	in = m->plan->n;
	op = add(m, KTR_FORM_BYTES, reg, ROLE_DATA, out);
	set_len(op, a, capped((uint64_t)size * list_max(m)));
	op->elem = size;
	for (unsigned int i = 0; i < kept; i++)
		plan_message(m, reg, in, i * size, ROLE_NAME + i * ROLE_NEXT,
			     out);
}

/* clone3's arguments lie alike in both ABIs. */
#define CLONE_OFF(member) offsetof(struct native_clone_args, member)

static void plan_clone3(struct maker *m, const struct sys_arg *a, unsigned int reg)
{
	unsigned int in = m->plan->n;
	struct ktr_op *op;

	set_len(add(m, KTR_FORM_BYTES, reg, ROLE_DATA, false), a, CLONE_BYTES);
	add_behind(m, reg, ROLE_NAME, true, in, CLONE_OFF(parent_tid), WORD_32);
	add_behind(m, reg, ROLE_IOV, true, in, CLONE_OFF(pidfd), WORD_32);
	op = add_inner(m, KTR_FORM_BYTES, reg, ROLE_CONTROL, false, in, CLONE_OFF(set_tid));
	op->len_src = KTR_SRC_WORD;
	op->len_off = CLONE_OFF(set_tid_size);
	op->elem = WORD_32;
	op->max = CLONE_LEVELS * WORD_32;
}

/*
 * The mask in the frame that a signal handler returns from: i386's old form
 * keeps the first 32 signals in the context.
 */
static void plan_sigframe(struct maker *m, const struct sys_arg *a)
{
	struct ktr_op *op = add(m, KTR_FORM_BYTES, REG_STACK, ROLE_DATA,
				false);

	op->base_src = KTR_SRC_STACK;
	op->base_ref = 0;
	op->base_off = a->esize[m->abi];
	set_const(op, a->size);
}

/* The bytes behind the handle's head come out, or go in. */
static void plan_handle(struct maker *m, const struct sys_arg *a,
			unsigned int reg)
{
	struct ktr_op *op;

	set_const(add(m, KTR_FORM_BYTES, reg, ROLE_DATA, false),
		  a->when == W_IN ? HANDLE_BYTES : 8);
	if (!(a->when & W_OUT))
		return;
	op = add(m, KTR_FORM_BYTES, reg, ROLE_DATA, true);
	set_const(op, HANDLE_BYTES);
	op->flags &= ~KTR_OP_F_IF_OK;	/* EOVERFLOW tells the size */
}

static void plan_any(struct maker *m, const struct sys_arg *a,
		     unsigned int reg)
{
	unsigned int in = m->plan->n;

	plan_sized(m, a, reg, a->size);
	if (a->prog)
		add_behind(m, reg, ROLE_NAME, false, in,
			   m->abi == KTR_ABI_COMPAT ? 4 : 8, PROGRAM_BYTES);
}

static void plan_arg(struct maker *m, const struct sys_arg *a,
		     unsigned int reg)
{
	switch (a->kind) {
	case K_PATH:
	case K_STR:
		return plan_string(m, a, reg);
	case K_BUF:
		return set_len(add(m, KTR_FORM_BYTES, reg, ROLE_DATA,
				   a->when == W_OUT), a, m->datasize);
	case K_PATHBUF:
		return set_len(add(m, KTR_FORM_BYTES, reg, ROLE_DATA, true),
			       a, PATH_BYTES);
	case K_PTR:
		return plan_struct(m, a, reg);
	case K_VEC:
		return plan_list(m, a, reg);
	case K_ARGV:
	case K_ENVP:
		return plan_strings(m, a, reg);
	case K_IOV:
		return plan_iov(m, a, reg);
	case K_SOCKADDR:
		return plan_addr(m, a, reg, SOCKADDR_BYTES);
	case K_OPTVAL:
		return plan_addr(m, a, reg, OPTVAL_BYTES);
	case K_CPUSET:
		return plan_addr(m, a, reg, CPUSET_BYTES);
	case K_DIRENTS:
		return plan_addr(m, a, reg, DIRENTS_BYTES);
	case K_MSGHDR:
		return plan_msghdr(m, a, reg);
	case K_MMSGHDR:
		return plan_mmsghdr(m, a, reg);
	case K_FDSET:
		return plan_sized(m, a, reg, FDSET_BYTES);
	case K_SIGINFO:
		return plan_sized(m, a, reg, SIGINFO_BYTES);
	case K_CAPS:
		return plan_sized(m, a, reg, layout_cap_data.size[m->abi]);
	case K_CLONE3:
		return plan_clone3(m, a, reg);
	case K_SIGFRAME:
		return plan_sigframe(m, a);
	case K_PERFATTR:
		return plan_sized(m, a, reg, PERF_ATTR_BYTES);
	case K_IOCB:
		return plan_sized(m, a, reg, sizeof(struct native_iocb));
	case K_IOCBS:
		return plan_iocbs(m, a, reg);
	case K_FHANDLE:
		return plan_handle(m, a, reg);
	case K_MSGBUF:
		return plan_sized(m, a, reg, 8 + m->datasize);
	case K_BPFATTR:
		return plan_bpf(m, a, reg);
	case K_ANY:
		return plan_any(m, a, reg);
	default:
		return;
	}
}

static void plan_args(struct maker *m, const struct sys_desc *desc)
{
	/* Lengths behind pointers come before what they are the length of. */
	for (int behind = 0; behind < 2; behind++) {
		unsigned int next = 0;

		for (unsigned int i = 0; i < desc->nargs; i++) {
			const struct sys_arg *a = &desc->args[i];
			unsigned int reg = sys_arg_reg(a, next);
			bool is_behind = a->ref & REF_PTR;

			next = reg + sys_arg_words(m->abi, a);
			if (is_behind == behind && reg < 6)
				plan_arg(m, a, reg);
		}
	}
}

/* The arguments, wherever they are. */
static struct ktr_op *add_block(struct maker *m, const struct sys_subs *subs,
				unsigned int words)
{
	struct ktr_op *op = add(m, KTR_FORM_BYTES, subs->reg, ROLE_DATA, false);

	m->plan->tag[m->plan->n - 1].reg = REG_BLOCK;
	set_const(op, words * WORD_32);
	return op;
}

/* One call: its own plan, with words of the block for registers. */
static void plan_inside(struct maker *m, const struct sys_subs *subs)
{
	const struct sys_desc *desc = subs->sub[0].desc;
	struct sys_plan *p = m->plan;

	add_block(m, subs, desc->nargs);
	plan_args(m, desc);
	for (unsigned int i = 1; i < p->n; i++) {
		struct ktr_op *op = &p->op[i];

		if (op->len_src == KTR_SRC_ARG) {
			op->len_src = KTR_SRC_WORD;
			op->len_off = op->len_ref * WORD_32;
			op->len_ref = 0;
		}
		if (op->base_src != KTR_SRC_ARG)
			continue;
		op->base_src = KTR_SRC_WORD;
		op->base_off = op->base_ref * WORD_32;
		op->base_ref = 0;
	}
}

/* Any of many: so much of what each word may point to, before and after. */
static void plan_any_inside(struct maker *m, const struct sys_subs *subs)
{
	const unsigned int bytes[] = {
		0, max_u(m->datasize, SOCKADDR_BYTES), 4, OPTVAL_BYTES,
		SOCKADDR_BYTES, 4,
	};
	struct ktr_op *op;

	add_block(m, subs, 6);
	for (unsigned int i = 1; i < 6; i++)
		for (int out = 0; out < 2; out++)
			add_behind(m, i, ROLE_DATA, out, 0, i * WORD_32, bytes[i]);
	op = add_inner(m, KTR_FORM_IOV, 1, ROLE_IOV, false, 1,
		       offsetof(struct compat_msghdr, msg_iov));
	op->len_src = KTR_SRC_WORD;
	op->len_off = offsetof(struct compat_msghdr, msg_iovlen);
	op->max = capped(m->datasize);
	op->total = parts_max(m);
}

void sys_plan(unsigned int abi, const struct sys_desc *desc,
	      unsigned int strsize, unsigned int datasize,
	      struct sys_plan *plan)
{
	struct maker m = {
		.plan = plan, .abi = abi, .strsize = strsize,
		.datasize = max_u(strsize, datasize),
		.whole = datasize > strsize,
	};

	plan->n = 0;
	if (!desc->subs)
		plan_args(&m, desc);
	else if (desc->subs->sub[0].key == ANY_KEY)
		plan_inside(&m, desc->subs);
	else
		plan_any_inside(&m, desc->subs);
}

int sys_program(unsigned int abi, int nr, unsigned int strsize,
		unsigned int datasize, const struct sys_more *more,
		struct ktr_row *row,
		struct ktr_op ops[KTR_OPS_MAX])
{
	const struct sys_desc *desc = sys_lookup(abi, nr);
	struct sys_plan plan = { 0 };
	unsigned int n;

	if (abi >= __KTR_ABI_LAST || nr < 0 || nr >= KTR_SYSCALLS_MAX)
		return -EINVAL;
	if (desc)
		sys_plan(abi, desc, strsize, datasize, &plan);
	for (n = 0; n < plan.n; n++)
		ops[n] = plan.op[n];
	if (desc && more && more->fds)
		n += sys_plan_fds(abi, desc, &plan, ops);
	else if (desc && more && more->io)
		n = sys_plan_netlink(desc, sys_fd_arg(abi, desc), ops, n);
	if (desc && more && more->io)
		n = sys_plan_io(abi, desc, &plan, sys_fd_arg(abi, desc), more->io,
				max_u(strsize, datasize), ops, n);
	*row = (struct ktr_row){
		.nr = nr, .abi = abi, .nargs = sys_nargs(abi, nr),
		.nops = n, .fd_arg = desc ? sys_fd_arg(abi, desc) : 255,
	};
	return n;
}
