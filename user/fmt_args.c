// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_args.c - which arguments a record has to show, and their values */
#include <limits.h>
#include <sys/stat.h>
#include "fmt.h"
#include "select.h"

uint64_t fmt_reg(const struct fmt *f, unsigned int reg)
{
	return reg < f->r->nargs ? f->r->args[reg] : 0;
}

static uint64_t pair(const struct fmt *f, unsigned int lo, unsigned int hi)
{
	return (fmt_reg(f, lo) & 0xffffffff) | fmt_reg(f, hi) << 32;
}

/* The word of an argument, and how many bytes of it count. */
uint64_t fmt_arg_value(const struct fmt *f, const struct sys_arg *a,
		       unsigned int reg, unsigned int *size)
{
	bool compat = f->abi == KTR_ABI_COMPAT;

	*size = compat ? 4 : 8;
	switch (a->kind) {
	case K_LLONG:
	case K_ULLONG:
	case K_LLFLAGS:
	case K_LLPAIR:
		*size = 8;
		return compat ? pair(f, reg, reg + 1) : fmt_reg(f, reg);
	case K_LLSEEK:
		*size = 8;
		return pair(f, reg + 1, reg);
	case K_PAGEOFF:
		*size = 8;
		return fmt_reg(f, reg) * 4096;
	case K_HEX32:
	case K_SIGNO:
	case K_DEV:
	case K_PERSONA:
	case K_KEYSERIAL:
	case K_IOPRIO:
	case K_IPCCMD:
	case K_IPCFLAGS:
	case K_ERRNO:
	case K_QUOTACMD:
	case K_SWAPFLAGS:
		*size = 4;
		break;
	case K_ENUM:
	case K_FLAGS:
		if (a->ekind != K_DEC)
			*size = 4;
		break;
	}
	return fmt_reg(f, reg);
}

static bool is_device(unsigned int mode)
{
	return (mode & S_IFMT) == S_IFCHR || (mode & S_IFMT) == S_IFBLK;
}

static bool is_shown(const struct fmt *f, const struct sys_arg *a)
{
	uint32_t v = fmt_reg(f, a->if_reg);

	if (a->kind == K_SKIP)
		return false;
	switch (a->show) {
	case SHOW_BITS:
		return v & a->if_value;
	case SHOW_ALL:
		return (v & a->if_value) == a->if_value;
	case SHOW_EQUAL:
		return v == a->if_value;
	case SHOW_OUTSIDE:
		return v < (a->if_value & 0xffff) || v > a->if_value >> 16;
	case SHOW_DEVICE:
		return is_device(v);
	default:
		return true;
	}
}

static const struct sys_variant *find_variant(const struct fmt *f)
{
	const struct sys_variants *vs = f->desc->variants;
	uint64_t key;

	if (!vs)
		return NULL;
	key = (uint32_t)fmt_reg(f, vs->reg) & vs->mask;
	for (unsigned int i = 0; i < vs->n; i++)
		if ((uint32_t)vs->v[i].key == key)
			return &vs->v[i];
	return NULL;
}

/* Arguments of one list whose register is below "end". */
static void add_args(struct fmt *f, const struct sys_arg *args,
		     unsigned int n, unsigned int next, unsigned int end)
{
	for (unsigned int i = 0; i < n; i++) {
		unsigned int reg = sys_arg_reg(&args[i], next);

		next = reg + sys_arg_words(f->abi, &args[i]);
		if (reg >= end || f->nargs == ARGS_MAX)
			continue;
		if (is_shown(f, &args[i]))
			f->arg[f->nargs++] = (struct fmt_arg){ &args[i], reg };
	}
}

static const struct sys_cap *find_cap(const struct sys_rec *r, unsigned int op)
{
	for (unsigned int i = 0; i < r->ncaps; i++)
		if (r->cap[i].h->op == op)
			return &r->cap[i];
	return NULL;
}

/* An operation of the entry without its section, though it had an address. */
static bool lacks(const struct fmt *f, const struct ktr_op *op)
{
	unsigned int word = f->abi == KTR_ABI_COMPAT ? 4 : 8;
	const struct sys_cap *base;

	if (op->base_src == KTR_SRC_ARG)
		return fmt_reg(f, op->base_ref);
	if (op->base_src != KTR_SRC_WORD)
		return true;
	base = find_cap(f->r, op->base_ref);
	return base && op->base_off + word <= base->h->len &&
	       fmt_load(base->p + op->base_off, word);
}

bool fmt_syscall_lacks(const struct sys_rec *r)
{
	struct fmt f = { .r = r, .abi = r->abi };

	f.desc = sys_lookup(r->abi, r->nr);
	if (!f.desc)
		return false;
	sys_plan(r->abi, f.desc, 0, 0, &f.plan);
	for (unsigned int i = 0; i < f.plan.n; i++) {
		const struct sys_cap *c = find_cap(r, i);

		if (f.plan.op[i].flags & KTR_OP_F_EXIT)
			continue;
		if (c ? c->h->flags & KTR_CAP_F_UNREADABLE :
			lacks(&f, &f.plan.op[i]))
			return true;
	}
	return false;
}

/* A call whose arguments are in memory: what it is, if they could be read. */
static const struct sys_desc *unwrap(struct fmt *f)
{
	const struct sys_subs *subs = f->desc->subs;
	struct mem m = fmt_mem(f, REG_BLOCK, ROLE_DATA, false);

	for (unsigned int i = 0; i < subs->n; i++) {
		const struct sys_desc *d = subs->sub[i].desc;

		if (subs->sub[i].key != ANY_KEY &&
		    subs->sub[i].key != (uint32_t)fmt_reg(f, 0))
			continue;
		if (m.len < d->nargs * 4u)
			return f->desc;
		f->sub = *f->r;
		f->sub.nargs = d->nargs;
		for (unsigned int k = 0; k < d->nargs; k++)
			f->sub.args[k] = fmt_load(m.p + k * 4, 4);
		f->r = &f->sub;
		return d;
	}
	return f->desc;
}

const char *fmt_call_name(const struct fmt *f, char tmp[32])
{
	if (f->var && f->var->name)
		return f->var->name;
	return f->desc ? f->desc->name : sys_name(f->r->abi, f->r->nr, tmp);
}

/* What -e raw=, abbrev= and verbose= say about this call. */
static void choose_view(struct fmt *f, const struct view *v)
{
	if (v->raw && sysset_has(v->raw, f->abi, f->r->nr)) {
		f->raw = true;
		f->desc = NULL;
	}
	if (!v->abbrev && !v->structs)
		return;
	f->own = *v;
	if (v->abbrev)
		f->own.verbose = !sysset_has(v->abbrev, f->abi, f->r->nr);
	if (v->structs)
		f->own.addresses = !sysset_has(v->structs, f->abi, f->r->nr);
	f->v = &f->own;
}

void fmt_setup(struct fmt *f, struct buf *b, const struct view *v,
	       const struct sys_rec *r, bool json)
{
	int err;

	f->b = b;
	f->v = v;
	f->r = r;
	f->json = json;
	f->raw = false;
	f->abi = r->abi;
	f->fds = FDS_ENTRY;
	f->room = 0;
	f->nargs = 0;
	f->room = 0;
	f->var = NULL;
	f->failed = !r->begun && fmt_error(r, &err);
	f->desc = sys_lookup(r->abi, r->nr);
	if (json) {	/* all there is, and constants by name */
		f->own = *v;
		f->own.strsize = UINT_MAX;
		f->own.verbose = true;
		f->own.hexstr = 0;
		f->own.xlat = VIEW_ABBREV;
		f->v = &f->own;
	} else {
		choose_view(f, v);
	}
	if (!f->desc)
		return;
	sys_plan(r->abi, f->desc, 0, 0, &f->plan);
	if (f->desc->subs)
		f->desc = unwrap(f);
	f->var = find_variant(f);
	if (f->var && f->var->name) {
		add_args(f, f->var->args, f->var->nargs, 0, 6);
	} else if (f->var) {
		unsigned int sel = f->desc->variants->reg + 1;

		add_args(f, f->desc->args, f->desc->nargs, 0, sel);
		add_args(f, f->var->args, f->var->nargs, sel, 6);
	} else {
		add_args(f, f->desc->args, f->desc->nargs, 0, 6);
	}
}
