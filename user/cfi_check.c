// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of frames, entry by entry: every instruction and every operation of an
 * expression is one that is known, none can loop, and numbers are small.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "cfi.h"

#define REGS_MAX	128		/* of x86-64 there are 126 */
#define PROGRAM_MAX	65536		/* bytes; it is run from its beginning for each frame */
#define EXPRESSION_MAX	256
#define REMEMBERED_MAX	32
#define AUGMENTATION_MAX 8

struct bytes {
	const unsigned char *p;
	const unsigned char *end;
};

/* What entries of functions need of the one in common. */
struct cie {
	Dwarf_Off at;
	unsigned char encoding;		/* of addresses */
	bool sized;			/* augmentation data is */
};

struct check {
	const unsigned char *ident;
	unsigned int machine;
	struct cie *cies;
	size_t n, room;
};

static size_t left(const struct bytes *b)
{
	return b->end - b->p;
}

static bool skip(struct bytes *b, uint64_t n)
{
	if (n > left(b))
		return false;
	b->p += n;
	return true;
}

/* Of both kinds; those with a sign are only passed over. */
static bool leb(struct bytes *b, uint64_t *v)
{
	unsigned int shift;
	unsigned char c;

	*v = 0;
	for (shift = 0; shift < 64; shift += 7) {
		if (!left(b))
			return false;
		c = *b->p++;
		*v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return true;
	}
	return false;
}

static bool pass(struct bytes *b)
{
	uint64_t v;

	return leb(b, &v);
}

static bool reg(struct bytes *b)
{
	uint64_t v;

	return leb(b, &v) && v < REGS_MAX;
}

/* No jumps, no divisions, nothing that leads to another place. */
static bool operation(struct bytes *b)
{
	unsigned char op = *b->p++;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		return true;
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		return pass(b);
	switch (op) {
	case DW_OP_const1u: case DW_OP_const1s: return skip(b, 1);
	case DW_OP_const2u: case DW_OP_const2s: return skip(b, 2);
	case DW_OP_const4u: case DW_OP_const4s: return skip(b, 4);
	case DW_OP_const8u: case DW_OP_const8s: return skip(b, 8);
	case DW_OP_constu: case DW_OP_consts: case DW_OP_plus_uconst: return pass(b);
	case DW_OP_bregx: return reg(b) && pass(b);
	case DW_OP_deref: case DW_OP_dup: case DW_OP_drop: case DW_OP_over: case DW_OP_swap:
	case DW_OP_rot: case DW_OP_and: case DW_OP_minus: case DW_OP_mul: case DW_OP_neg:
	case DW_OP_not: case DW_OP_or: case DW_OP_plus: case DW_OP_xor: case DW_OP_eq:
	case DW_OP_ge: case DW_OP_gt: case DW_OP_le: case DW_OP_lt: case DW_OP_ne:
	case DW_OP_shl: case DW_OP_shr: case DW_OP_nop: return true;
	default: return false;
	}
}

static bool expression(struct bytes *b)
{
	struct bytes ops;
	uint64_t n;

	if (!leb(b, &n) || n > EXPRESSION_MAX || n > left(b))
		return false;
	ops = (struct bytes){ b->p, b->p + n };
	while (left(&ops))
		if (!operation(&ops))
			return false;
	return skip(b, n);
}

static bool instruction(struct bytes *b, unsigned int *remembered)
{
	unsigned char op = *b->p++;

	switch (op & 0xc0) {
	case DW_CFA_offset: return pass(b);
	case DW_CFA_advance_loc: case DW_CFA_restore: return true;
	}
	switch (op) {
	case DW_CFA_nop: return true;
	case DW_CFA_advance_loc1: return skip(b, 1);
	case DW_CFA_advance_loc2: return skip(b, 2);
	case DW_CFA_advance_loc4: return skip(b, 4);
	case DW_CFA_restore_extended: case DW_CFA_undefined: case DW_CFA_same_value:
	case DW_CFA_def_cfa_register: return reg(b);
	case DW_CFA_register: return reg(b) && reg(b);
	case DW_CFA_offset_extended: case DW_CFA_offset_extended_sf: case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf: case DW_CFA_val_offset: case DW_CFA_val_offset_sf:
		return reg(b) && pass(b);
	case DW_CFA_def_cfa_offset: case DW_CFA_def_cfa_offset_sf: case DW_CFA_GNU_args_size:
		return pass(b);
	case DW_CFA_def_cfa_expression: return expression(b);
	case DW_CFA_expression: case DW_CFA_val_expression: return reg(b) && expression(b);
	case DW_CFA_remember_state: return ++*remembered <= REMEMBERED_MAX;
	case DW_CFA_restore_state: return (*remembered)-- > 0;
	default: return false;
	}
}

static bool program(struct bytes b)
{
	unsigned int remembered = 0;

	if (left(&b) > PROGRAM_MAX)
		return false;
	while (left(&b))
		if (!instruction(&b, &remembered))
			return false;
	return true;
}

/* Bytes of an address; 0: not to be read here. */
static unsigned int size_of(const struct check *c, unsigned char encoding)
{
	if (encoding & DW_EH_PE_indirect || (encoding & 0x70) > DW_EH_PE_datarel)
		return 0;
	if ((encoding & 0x0f) == DW_EH_PE_absptr)
		return c->ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	switch (encoding & 0x0f) {
	case DW_EH_PE_udata2: case DW_EH_PE_sdata2: return 2;
	case DW_EH_PE_udata4: case DW_EH_PE_sdata4: return 4;
	case DW_EH_PE_udata8: case DW_EH_PE_sdata8: return 8;
	default: return 0;
	}
}

/* What the letters say; that of the personality is passed over. */
static bool augmentation(const struct check *c, const Dwarf_CIE *e, struct cie *to)
{
	struct bytes b = { e->augmentation_data, e->augmentation_data + e->augmentation_data_size };
	const char *s = e->augmentation;

	if (!*s)
		return true;
	if (*s++ != 'z' || strlen(s) > AUGMENTATION_MAX)
		return false;
	to->sized = true;
	for (; *s; s++) {
		if (*s == 'S')
			continue;
		if (!strchr("RLP", *s) || !left(&b))
			return false;
		if (*s == 'R')
			to->encoding = *b.p;
		if (*s == 'P' && !skip(&b, size_of(c, *b.p & ~DW_EH_PE_indirect)))
			return false;
		b.p++;
	}
	return size_of(c, to->encoding);
}

static bool common(struct check *c, const Dwarf_CIE *e, Dwarf_Off at)
{
	struct cie one = { .at = at, .encoding = DW_EH_PE_absptr }, *p;

	if (e->return_address_register != (c->machine == EM_386 ? 8 : 16) ||
	    !augmentation(c, e, &one) ||
	    !program((struct bytes){ e->initial_instructions, e->initial_instructions_end }))
		return false;
	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : 16;
		p = realloc(c->cies, c->room * sizeof(*p));
		if (!p)
			abort();
		c->cies = p;
	}
	c->cies[c->n++] = one;
	return true;
}

/* They come in the order of their places. */
static int by_place(const void *key, const void *of)
{
	const Dwarf_Off at = *(const Dwarf_Off *)key;
	const struct cie *c = of;

	return at < c->at ? -1 : at > c->at;
}

static bool function(const struct check *c, const Dwarf_FDE *e)
{
	struct bytes b = { e->start, e->end };
	Dwarf_Off at = e->CIE_pointer;
	const struct cie *one;
	uint64_t n;

	one = c->n ? bsearch(&at, c->cies, c->n, sizeof(*one), by_place) : NULL;
	if (!one || !skip(&b, 2 * size_of(c, one->encoding)))
		return false;
	if (one->sized && (!leb(&b, &n) || !skip(&b, n)))
		return false;
	return program(b);
}

static bool all(struct check *c, Elf_Data *table)
{
	Dwarf_Off at = 0, next = 0;
	Dwarf_CFI_Entry e;
	int ret;

	while (!(ret = dwarf_next_cfi(c->ident, table, true, at, &next, &e))) {
		if (next <= at)
			return false;
		if (dwarf_cfi_cie_p(&e) ? !common(c, &e.cie, at) : !function(c, &e.fde))
			return false;
		at = next;
	}
	return ret > 0;
}

bool cfi_is_sound(const unsigned char *ident, unsigned int machine, Elf_Data *table)
{
	struct check c = { .ident = ident, .machine = machine };
	bool good = all(&c, table);

	free(c.cies);
	return good;
}
