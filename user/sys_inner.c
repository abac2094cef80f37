// SPDX-License-Identifier: GPL-2.0-or-later
/* sys_inner.c - i386: calls that stand for others, told by their first argument */
#include <string.h>
#include "sys_table.h"

/* Versions of a call lie above its number. */
#define KEY_MASK 0xffffu

static const char *const wrappers[SYS_WRAPPERS] = { "socketcall", "ipc" };

int sys_wrapper(unsigned int abi, int nr)
{
	const struct sys_desc *d;

	if (abi != KTR_ABI_COMPAT)
		return -1;
	d = sys_lookup(abi, nr);
	for (int w = 0; d && w < SYS_WRAPPERS; w++)
		if (!strcmp(d->name, wrappers[w]))
			return w;
	return -1;
}

int sys_wrapper_number(unsigned int wrapper)
{
	return sys_number(KTR_ABI_COMPAT, wrappers[wrapper]);
}

const char *sys_inner(unsigned int wrapper, unsigned int key, uint64_t *classes)
{
	const struct sys_desc *d =
		sys_lookup(KTR_ABI_COMPAT, sys_wrapper_number(wrapper));

	for (unsigned int i = 0; d->subs && i < d->subs->n; i++) {
		if (d->subs->sub[i].key != key)
			continue;
		*classes = d->subs->sub[i].desc->classes;
		return d->subs->sub[i].desc->name;
	}
	*classes = d->classes;
	for (unsigned int i = 0; d->variants && i < d->variants->n; i++)
		if ((d->variants->v[i].key & KEY_MASK) == key)
			return d->variants->v[i].name;
	return NULL;
}

unsigned int sys_inner_key(unsigned int wrapper, uint64_t arg0)
{
	unsigned int key = arg0 & (wrapper ? KEY_MASK : UINT32_MAX);
	uint64_t classes;

	return key < SYS_INNER_MAX && sys_inner(wrapper, key, &classes) ? key : 0;
}
