// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why a name leads to no function that can be traced, as far as can be told from
 * outside the kernel, and which names may have been meant.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "funcs.h"
#include "near.h"

#define NEAR_MAX 24		/* candidates the kernel is asked about */
#define NEAR_SHOWN 4

struct near {
	uint64_t addr;
	const char *name;
	unsigned int rank;	/* 0 is nearest */
};

struct nears {
	struct near v[NEAR_MAX];
	size_t n;
};

/* What a call's name is without what stands in front of it. */
static const char *call_name(const char *name)
{
	static const char *const prefixes[] = {
		"__x64_sys_", "__ia32_sys_", "__se_sys_", "__do_sys_", "sys_",
		"SyS_", "do_sys_",
	};
	size_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return name + strlen(prefixes[i]);
	return NULL;
}

static bool same_call(const char *want, const char *name)
{
	const char *call = call_name(want);

	return !strncmp(name, "__x64_sys_", 10) &&
	       !strcmp(name + 10, call ? call : want);
}

static const char *bare(const char *name)
{
	return name + strspn(name, "_");
}

/* How near; NEAR_MAX: not at all. */
static unsigned int rank(const char *want, const char *name)
{
	size_t n = strlen(want), d;

	if (!strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6) ||
	    !strncmp(name, "__probestub_", 12))
		return NEAR_MAX;
	if (same_call(want, name))
		return 0;
	if (!strcmp(bare(want), bare(name)))
		return 1;
	if (n >= 4 && !strncmp(name, want, n))
		return 2;
	d = n >= 5 ? near_distance(want, name, 2) : 3;
	if (d <= 2)
		return 2 + d;
	if (n >= 6 && strstr(name, want))
		return 5;
	return NEAR_MAX;
}

static bool nearer(const struct near *a, const struct near *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return strlen(a->name) < strlen(b->name);
}

/* Kept in order; the farthest falls out at the end. */
static void keep(struct nears *ns, struct near new)
{
	size_t i = ns->n;

	if (i == NEAR_MAX && !nearer(&new, &ns->v[i - 1]))
		return;
	if (i == NEAR_MAX)
		i--;
	else
		ns->n++;
	for (; i && nearer(&new, &ns->v[i - 1]); i--)
		ns->v[i] = ns->v[i - 1];
	ns->v[i] = new;
}

/* Where a module was named, those of others are not meant. */
static void find_near(const struct ksyms *ks, const struct func_term *t, struct nears *ns)
{
	const char *want = t->glob;
	struct near new;
	size_t i;

	for (i = 0; i < ks->n; i++) {
		if (!func_term_in_module(t, ksyms_module(ks, &ks->syms[i])))
			continue;
		new.name = ksyms_name(ks, &ks->syms[i]);
		new.addr = ks->syms[i].addr;
		new.rank = rank(want, new.name);
		if (new.rank < NEAR_MAX && strcmp(new.name, want))
			keep(ns, new);
	}
}

static bool in_list(const uint64_t *addr, size_t n, uint64_t a)
{
	while (n--)
		if (addr[n] == a)
			return true;
	return false;
}

/* `: did you mean a, b or c?`, of functions that can be traced. */
static void add_near(const struct funcs_in *in, const struct func_term *t, struct buf *b)
{
	struct nears ns = { .n = 0 };
	uint64_t addr[NEAR_MAX];
	struct fault ignored;
	size_t i, shown = 0, n;

	find_near(in->ks, t, &ns);
	for (n = 0; n < ns.n; n++)
		addr[n] = ns.v[n].addr;
	if (!n || in->test(in->arg, addr, &n, &ignored))
		n = 0;
	for (i = 0; i < ns.n && shown < NEAR_SHOWN; i++) {
		if (!in_list(addr, n, ns.v[i].addr) ||
		    (i && !strcmp(ns.v[i].name, ns.v[i - 1].name)))
			continue;
		buf_puts(b, shown++ ? ", " : ": did you mean ");
		buf_puts(b, ns.v[i].name);
	}
	buf_puts(b, shown ? "?" : ": `ktrctl funcs GLOB` shows those there are");
}

static uint64_t bound(const struct ksyms *ks, const char *name)
{
	size_t i;

	for (i = 0; i < ks->n; i++)
		if (!strcmp(ksyms_name(ks, &ks->syms[i]), name))
			return ks->syms[i].addr;
	return 0;
}

static bool between(const struct ksyms *ks, uint64_t addr, const char *start,
		    const char *end)
{
	uint64_t from = bound(ks, start);

	return from && addr >= from && addr < bound(ks, end);
}

static const char *untraceable(const struct ksyms *ks, uint64_t addr)
{
	if (between(ks, addr, "__noinstr_text_start", "__noinstr_text_end") ||
	    between(ks, addr, "__entry_text_start", "__entry_text_end"))
		return "it is noinstr: it runs where nothing may be traced";
	if (between(ks, addr, "_sinittext", "_einittext"))
		return "it ran at boot and is gone";
	return "it is notrace, or assembly, or in code built without ftrace's calls";
}

/* A symbol that the term means, any; NULL: there is none. */
static const struct ksym *find_symbol(const struct ksyms *ks,
				      const struct func_term *t)
{
	size_t i;

	for (i = 0; i < ks->n; i++)
		if (func_term_matches(t, ksyms_name(ks, &ks->syms[i]),
				      ksyms_module(ks, &ks->syms[i])))
			return &ks->syms[i];
	return NULL;
}

/* Those built in have no state. */
bool funcs_module_loaded(const char *module)
{
	char path[300];

	snprintf(path, sizeof(path), "/sys/module/%s/initstate", module);
	return !access(path, F_OK);
}

bool funcs_module_absent(const char *module)
{
	char path[300];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return access(path, F_OK);
}

int funcs_no_module(const char *pattern, const char *module, struct fault *f)
{
	if (!funcs_module_absent(module))
		return fault_set(f, ST_USAGE, "%s: %s is built into the kernel: give the names of its functions",
				 pattern, module);
	return fault_set(f, ST_USAGE, "%s: module %s is not loaded: load it first (modprobe %s)",
			 pattern, module, module);
}

int funcs_why_module(const struct func_term *t, struct fault *f)
{
	if (funcs_module_loaded(t->module))
		return fault_set(f, ST_USAGE, "%s: no traceable function of module %s matches",
				 t->text, t->module);
	return funcs_no_module(t->text, t->module, f);
}

int funcs_why(const struct funcs_in *in, const struct func_term *t,
	      struct fault *f)
{
	const struct ksym *s = find_symbol(in->ks, t);
	struct buf b;
	int err;

	if (t->addr)
		return fault_set(f, ST_USAGE, "%s is not the entry of a traceable function: `ktrctl funcs PATTERN` shows those there are",
				 t->text);
	if (!s && t->module && *t->module && !funcs_module_loaded(t->module))
		return funcs_why_module(t, f);
	buf_init(&b);
	if (s)
		buf_printf(&b, "%s cannot be traced: %s", t->text,
			   untraceable(in->ks, s->addr));
	else
		buf_printf(&b, "no function %s here: there is none, or it is inlined into those that call it",
			   t->text);
	add_near(in, t, &b);
	err = fault_set(f, ST_USAGE, "%s", buf_str(&b));
	buf_free(&b);
	return err;
}
