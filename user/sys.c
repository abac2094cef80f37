// SPDX-License-Identifier: GPL-2.0-or-later
/* sys.c - the table of syscalls: names, numbers, classes */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sys_table.h"
#include "sys_rows.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *name;
	uint64_t bit;
} classes[] = {
	{ "file", C_FILES },
	{ "process", C_PROCESS },
	{ "network", C_NET },
	{ "net", C_NET },
	{ "signal", C_SIGNAL },
	{ "ipc", C_IPC },
	{ "desc", C_DESC },
	{ "memory", C_MEMORY },
	{ "creds", C_CREDS },
	{ "clock", C_CLOCKS },
	{ "pure", C_PURE },
	{ "stat", C_STAT },
	{ "lstat", C_LSTAT },
	{ "fstat", C_FSTAT },
	{ "%stat", C_STAT_LIKE },
	{ "statfs", C_STATFS },
	{ "fstatfs", C_FSTATFS },
	{ "%statfs", C_STATFS_LIKE },
};

uint64_t sys_class_bit(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strcmp(name, classes[i].name))
			return classes[i].bit;
	return 0;
}

const char *sys_class_name(unsigned int i)
{
	return i < ARRAY_SIZE(classes) ? classes[i].name : NULL;
}

uint64_t sys_classes(const struct sys_desc *desc)
{
	return desc ? desc->classes : 0;
}

int sys_limit(unsigned int abi)
{
	return abi < (unsigned int)__KTR_ABI_LAST ? sys_rows[abi].n : 0;
}

const struct sys_desc *sys_lookup(unsigned int abi, int nr)
{
	if (nr < 0 || nr >= sys_limit(abi))
		return NULL;
	return sys_rows[abi].desc[nr];
}

const char *sys_name(unsigned int abi, int nr, char tmp[32])
{
	const struct sys_desc *d = sys_lookup(abi, nr);

	if (d)
		return d->name;
	snprintf(tmp, 32, "syscall_%#lx", abi == KTR_ABI_COMPAT ?
		 (unsigned long)(unsigned int)nr : (unsigned long)nr);
	return tmp;
}

int sys_number(unsigned int abi, const char *name)
{
	const char *digits = name;
	char *end;
	long nr;

	if (!strncmp(name, "syscall_0x", 10))
		digits = name + 8;
	if (*digits >= '0' && *digits <= '9') {
		nr = strtol(digits, &end, 0);
		return *end || nr >= KTR_SYSCALLS_MAX ? -1 : (int)nr;
	}
	for (int i = 0; i < sys_limit(abi); i++) {
		const struct sys_desc *d = sys_rows[abi].desc[i];

		if (d && !strcmp(d->name, name))
			return i;
	}
	return -1;
}

unsigned int sys_arg_words(unsigned int abi, const struct sys_arg *a)
{
	switch (a->kind) {
	case K_SIGFRAME:
		return 0;
	case K_LLPAIR:
	case K_LLSEEK:
		return 2;
	case K_LLONG:
	case K_ULLONG:
	case K_LLFLAGS:
		return abi == KTR_ABI_COMPAT ? 2 : 1;
	default:
		return 1;
	}
}

unsigned int sys_arg_reg(const struct sys_arg *a, unsigned int next)
{
	return a->reg1 ? a->reg1 - 1u : next;
}

unsigned int sys_elem_size(unsigned int abi, const struct sys_arg *a)
{
	if (a->ekind == K_STRUCT)
		return ((const struct sys_layout *)a->tab)->size[abi];
	return a->esize[abi];
}

/* The words up to the last that a list of arguments takes. */
static unsigned int words_of(unsigned int abi, const struct sys_arg *args,
			     unsigned int n, unsigned int next)
{
	unsigned int most = next;

	for (unsigned int i = 0; i < n; i++) {
		next = sys_arg_reg(&args[i], next) +
		       sys_arg_words(abi, &args[i]);
		if (next > most)
			most = next;
	}
	return most;
}

unsigned int sys_nargs(unsigned int abi, int nr)
{
	const struct sys_desc *d = sys_lookup(abi, nr);
	const struct sys_variants *vs = d ? d->variants : NULL;
	unsigned int most, n;

	if (!d)
		return 6;
	most = words_of(abi, d->args, d->nargs, 0);
	for (unsigned int i = 0; vs && i < vs->n; i++) {
		n = words_of(abi, vs->v[i].args, vs->v[i].nargs, vs->reg + 1);
		if (n > most)
			most = n;
	}
	return most > 6 ? 6 : most;
}
