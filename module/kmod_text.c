// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names come from the module's symbols, and which of them can be traced from its
 * list of places where ftrace is called. Both are whole only while it is coming.
 */
#include <linux/bsearch.h>
#include <linux/elf.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include "frows.h"
#include "kmod_text.h"
#include "returns.h"

u32 ktr_span_find(const struct ktr_span *s, const unsigned long *addr, u32 n, u32 *at)
{
	u32 from = 0, to;

	while (from < n && addr[from] < s->from)
		from++;
	for (to = from; to < n && addr[to] < s->to; to++)
		;
	*at = from;
	return to - from;
}

struct ktr_span ktr_kmod_core(const struct module *mod)
{
	unsigned long from = ktr_module_text(mod);

	return (struct ktr_span){ from, from + ktr_module_text_size(mod) };
}

struct ktr_span ktr_kmod_init(const struct module *mod)
{
	unsigned long from = ktr_module_init(mod);

	return (struct ktr_span){ from, from + ktr_module_init_size(mod) };
}

static bool is_text(const struct mod_kallsyms *k, u32 i)
{
	char type = k->typetab[i];

	return (type == 't' || type == 'T' || type == 'w' || type == 'W') &&
	       k->symtab[i].st_value && k->strtab[k->symtab[i].st_name];
}

static int by_addr(const void *a, const void *b)
{
	const struct ktr_kmod_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->index > y->index ? -1 : x->index < y->index;
}

/* @sites: where ftrace is called, ascending: at the entry, or behind its endbr. */
static bool is_site(const unsigned long *sites, u32 n, u64 addr)
{
	u64 behind = addr + KTR_ENDBR_SIZE;

	return bsearch(&addr, sites, n, sizeof(*sites), ktr_addr_cmp) ||
	       bsearch(&behind, sites, n, sizeof(*sites), ktr_addr_cmp);
}

static void fill(struct ktr_kmod_text *t, const struct mod_kallsyms *k,
		 const unsigned long *sites, u32 nsites)
{
	u32 i;

	for (i = 0; i < k->num_symtab; i++) {
		struct ktr_kmod_symbol s = { .addr = k->symtab[i].st_value, .index = i };

		if (!is_text(k, i) ||
		    (!ktr_span_has(&t->core, s.addr) && !ktr_span_has(&t->init, s.addr)))
			continue;
		s.name = k->strtab + k->symtab[i].st_name;
		s.traceable = is_site(sites, nsites, s.addr);
		t->symbol[t->n++] = s;
	}
	sort(t->symbol, t->n, sizeof(*t->symbol), by_addr, NULL);
}

int ktr_kmod_text_get(struct ktr_kmod_text *t, const struct module *mod)
{
	/* Only the loader, in whose context this runs, changes it. */
	const struct mod_kallsyms *k = rcu_dereference_protected(mod->kallsyms, 1);
	u32 nsites = mod->num_ftrace_callsites;
	unsigned long *sites;

	*t = (struct ktr_kmod_text){ .core = ktr_kmod_core(mod), .init = ktr_kmod_init(mod) };
	if (!k || !k->num_symtab || !nsites)
		return 0;
	t->symbol = kvmalloc_array(k->num_symtab, sizeof(*t->symbol), GFP_KERNEL);
	if (!t->symbol)
		return -ENOMEM;
	sites = kvmalloc_array(nsites, sizeof(*sites), GFP_KERNEL);
	if (!sites) {
		ktr_kmod_text_put(t);
		return -ENOMEM;
	}
	memcpy(sites, mod->ftrace_callsites, nsites * sizeof(*sites));
	sort(sites, nsites, sizeof(*sites), ktr_addr_cmp, NULL);
	fill(t, k, sites, nsites);
	kvfree(sites);
	return 0;
}

void ktr_kmod_text_put(struct ktr_kmod_text *t)
{
	kvfree(t->symbol);
	t->symbol = NULL;
	t->n = 0;
}
