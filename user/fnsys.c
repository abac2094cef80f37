// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions whose arguments no type tells: a syscall's entry, which gets a pointer to
 * the caller's registers, and those that BTF does not know.
 */
#include <stdio.h>
#include <string.h>
#include <sys/user.h>

#include "fnbtf.h"
#include "sys.h"
#include "sys_table.h"

#define REG(name) offsetof(struct user_regs_struct, name)

static const struct {
	const char *prefix;
	unsigned int abi;
	unsigned int size;	/* of a register of its callers */
	uint16_t reg[6];
} wrappers[] = {
	{ "__x64_sys_", KTR_ABI_NATIVE, 8,
	  { REG(rdi), REG(rsi), REG(rdx), REG(r10), REG(r8), REG(r9) } },
	{ "__ia32_compat_sys_", KTR_ABI_COMPAT, 4,
	  { REG(rbx), REG(rcx), REG(rdx), REG(rsi), REG(rdi), REG(rbp) } },
	{ "__ia32_sys_", KTR_ABI_COMPAT, 4,
	  { REG(rbx), REG(rcx), REG(rdx), REG(rsi), REG(rdi), REG(rbp) } },
};

/* `i4`: what is a number in the table of calls is one here. */
static const char *kind_of(const struct sys_arg *a, unsigned int size, char tmp[8])
{
	bool number = a && (a->kind == K_DEC || a->kind == K_UDEC);

	if (a && (a->kind == K_INT || a->kind == K_PID || a->kind == K_FD || a->kind == K_DIRFD))
		return "i4";
	if (a && a->kind == K_UINT)
		return "u4";
	if (a && (a->kind == K_MODE || a->kind == K_FILEMODE))
		return "o4";
	snprintf(tmp, 8, "%c%u", number ? 'i' : 'x', size);
	return tmp;
}

static void put_reg(struct fn_made *m, unsigned int i, const struct sys_arg *a,
		    unsigned int off, unsigned int size, unsigned int strsize)
{
	bool text = a && size == 8 && (a->kind == K_PATH || a->kind == K_STR);
	char tmp[8], none[8];

	snprintf(none, sizeof(none), "a%u", i);
	buf_printf(&m->note, "0 %s %s 0.%u", a && a->name ? a->name : none,
		   text ? "p8" : kind_of(a, size, tmp), off);
	if (text && m->row.nops < KTR_OPS_MAX) {
		m->ops[m->row.nops] = (struct ktr_op){
			.form = KTR_FORM_STR, .base_src = KTR_SRC_WORD_AT,
			.base_off = off, .max = strsize + 1,
		};
		buf_printf(&m->note, " s%u", m->row.nops++);
	}
	buf_putc(&m->note, '\n');
}

/* The argument of the table that lies in register i. */
static const struct sys_arg *arg_in(const struct sys_desc *d, unsigned int i)
{
	unsigned int k, next = 0;

	for (k = 0; d && k < d->nargs; k++) {
		const struct sys_arg *a = &d->args[k];
		unsigned int reg = sys_arg_reg(a, next);

		if (reg == i)
			return a;
		next = reg + sys_arg_words(KTR_ABI_NATIVE, a);
	}
	return NULL;
}

bool fnsys_make(const char *name, unsigned int strsize, struct fn_made *m)
{
	const struct sys_desc *d;
	unsigned int w, i, n;
	int nr;

	for (w = 0; w < sizeof(wrappers) / sizeof(wrappers[0]); w++)
		if (!strncmp(name, wrappers[w].prefix, strlen(wrappers[w].prefix)))
			break;
	if (w == sizeof(wrappers) / sizeof(wrappers[0]))
		return false;
	name += strlen(wrappers[w].prefix);
	/* The kernel's names of calls that have others outside. */
	if (!strncmp(name, "new", 3) && sys_number(wrappers[w].abi, name + 3) >= 0)
		name += 3;
	nr = sys_number(wrappers[w].abi, name);
	d = nr < 0 ? NULL : sys_lookup(wrappers[w].abi, nr);
	n = nr < 0 ? 6 : sys_nargs(wrappers[w].abi, nr);
	buf_reset(&m->note);
	buf_puts(&m->note, "= i8\nargs\n");
	m->row.nargs = 1;
	m->row.nops = 1;
	m->ops[0] = (struct ktr_op){
		.form = KTR_FORM_BYTES, .base_src = KTR_SRC_ARG_AT,
		.len = REG(rsi) + 16, .max = REG(rsi) + 16,
	};
	for (i = 0; i < n && i < 6; i++)
		put_reg(m, i, arg_in(d, i), wrappers[w].reg[i], wrappers[w].size, strsize);
	return true;
}

void fnraw_make(struct fn_made *m)
{
	static const char *const names[] = { "rdi", "rsi", "rdx", "rcx", "r8", "r9" };
	unsigned int i;

	buf_reset(&m->note);
	buf_puts(&m->note, "args\n");
	m->row.nargs = 6;
	m->row.nops = 0;
	for (i = 0; i < 6; i++)
		buf_printf(&m->note, "0 %s x8 r%u\n", names[i], i);
}
