// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_args.c - which arguments a record has to show, and their values */
#include <limits.h>
#include <sys/stat.h>
#include "fmt.h"

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

void fmt_setup(struct fmt *f, struct buf *b, const struct view *v,
	       const struct sys_rec *r, bool json)
{
	int err;

	f->b = b;
	f->v = v;
	f->r = r;
	f->json = json;
	f->abi = r->abi;
	f->nargs = 0;
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
	}
	if (!f->desc)
		return;
	sys_plan(r->abi, f->desc, 0, 0, &f->plan);
	f->var = find_variant(f);
	if (f->var) {
		unsigned int sel = f->desc->variants->reg + 1;

		add_args(f, f->desc->args, f->desc->nargs, 0, sel);
		add_args(f, f->var->args, f->var->nargs, sel, 6);
	} else {
		add_args(f, f->desc->args, f->desc->nargs, 0, 6);
	}
}
