// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ksyms.h"

#define READ_BYTES 65536	/* /proc hands out pages, given the room */

void ksyms_init(struct ksyms *ks)
{
	memset(ks, 0, sizeof(*ks));
	buf_init(&ks->names);
	buf_putc(&ks->names, '\0');	/* offset 0: no name */
}

void ksyms_free(struct ksyms *ks)
{
	free(ks->syms);
	buf_free(&ks->names);
	memset(ks, 0, sizeof(*ks));
}

static uint32_t add_name(struct ksyms *ks, const char *name)
{
	uint32_t at = ks->names.len;

	buf_write(&ks->names, name, strlen(name) + 1);
	return at;
}

/* Symbols of one module come together: its name is kept once. */
static uint32_t add_module(struct ksyms *ks, const char *module)
{
	uint32_t last = ks->n ? ks->syms[ks->n - 1].module : 0;

	if (!module || !*module)
		return 0;
	if (last && !strcmp(ks->names.p + last, module))
		return last;
	return add_name(ks, module);
}

void ksyms_add(struct ksyms *ks, uint64_t addr, const char *name,
	       const char *module)
{
	struct ksym *s;

	if (ks->n == ks->alloc) {
		size_t alloc = ks->alloc ? ks->alloc * 2 : 1024;

		s = realloc(ks->syms, alloc * sizeof(*s));
		if (!s)
			return;
		ks->syms = s;
		ks->alloc = alloc;
	}
	s = &ks->syms[ks->n];
	s->module = add_module(ks, module);
	s->addr = addr;
	s->name = add_name(ks, name);
	ks->n++;
	ks->sorted = false;
}

/* `ffffffff81000000 T name\t[module]` */
static bool take_line(struct ksyms *ks, char *line)
{
	char *name, *module = NULL, *end;
	uint64_t addr = strtoull(line, &end, 16);

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	if (!addr || !strchr("tTwW", end[1]))
		return false;
	name = end + 3;
	end = name + strcspn(name, " \t\n");
	if (*end == '\t' && end[1] == '[') {
		module = end + 2;
		module[strcspn(module, "]\n")] = '\0';
	}
	*end = '\0';
	ksyms_add(ks, addr, name, module);
	return true;
}

bool ksyms_load_file(struct ksyms *ks, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0, before = ks->n;

	ks->loaded = true;
	if (!f)
		return false;
	setvbuf(f, NULL, _IOFBF, READ_BYTES);
	while (getline(&line, &size, f) > 0)
		take_line(ks, line);
	free(line);
	fclose(f);
	return ks->n > before;
}

bool ksyms_load(struct ksyms *ks)
{
	if (ks->loaded)
		return ks->n > 0;
	return ksyms_load_file(ks, "/proc/kallsyms");
}

static int by_addr(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

const struct ksym *ksyms_find(struct ksyms *ks, uint64_t addr)
{
	size_t lo = 0, hi, mid;

	if (ks->lazy && !ks->loaded)
		ksyms_load(ks);
	hi = ks->n;
	if (!ks->sorted && ks->n)
		qsort(ks->syms, ks->n, sizeof(*ks->syms), by_addr);
	ks->sorted = true;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (ks->syms[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* Far behind the last symbol is no function of it. */
	if (!lo || addr - ks->syms[lo - 1].addr > 1u << 20)
		return NULL;
	return &ks->syms[lo - 1];
}

const char *ksyms_name(const struct ksyms *ks, const struct ksym *sym)
{
	return ks->names.p + sym->name;
}

const char *ksyms_module(const struct ksyms *ks, const struct ksym *sym)
{
	return ks->names.p + sym->module;
}

/* Where ftrace is called: behind what marks an indirect branch's target. */
#define ENTRY_BYTES 16

static void format(struct ksyms *ks, struct buf *b, uint64_t addr,
		   uint64_t hide)
{
	const struct ksym *s = ksyms_find(ks, addr);

	if (!s) {
		buf_hex(b, addr);
		return;
	}
	buf_puts(b, ksyms_name(ks, s));
	if (addr - s->addr > hide)
		buf_printf(b, "+0x%llx", (unsigned long long)(addr - s->addr));
	if (s->module)
		buf_printf(b, " [%s]", ksyms_module(ks, s));
}

void ksyms_format(struct ksyms *ks, struct buf *b, uint64_t addr)
{
	format(ks, b, addr, 0);
}

void ksyms_format_entry(struct ksyms *ks, struct buf *b, uint64_t addr)
{
	format(ks, b, addr, ENTRY_BYTES);
}

static FILE *open_available(void)
{
	static const char *const paths[] = {
		"/sys/kernel/tracing/available_filter_functions",
		"/sys/kernel/debug/tracing/available_filter_functions",
	};
	FILE *f = NULL;
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]) && !f; i++)
		f = fopen(paths[i], "re");
	return f;
}

/* "module:glob" or "glob"; module is NULL where any will do. */
static bool matches(const char *pattern, const char *name, const char *module)
{
	const char *colon = pattern ? strchr(pattern, ':') : NULL;

	if (!pattern)
		return true;
	if (!colon)
		return !fnmatch(pattern, name, 0);
	return strlen(module) == (size_t)(colon - pattern) &&
	       !memcmp(module, pattern, colon - pattern) &&
	       !fnmatch(colon + 1, name, 0);
}

/* `name` or `name [module]` */
static void split_line(char *line, const char **name, const char **module)
{
	char *p = line + strcspn(line, " \t\n");

	*name = line;
	*module = "";
	if (*p && p[1] == '[') {
		*module = p + 2;
		p[2 + strcspn(p + 2, "]\n")] = '\0';
	}
	*p = '\0';
}

int ksyms_functions(const char *pattern, ksyms_func_fn fn, void *arg,
		    struct fault *f)
{
	const char *name, *module;
	FILE *in = open_available();
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	if (!in && (errno == EACCES || errno == EPERM))
		return fault_set(f, ST_DENIED, "available_filter_functions: not permitted: run as root");
	if (!in)
		return fault_set(f, ST_ABSENT, "no available_filter_functions: mount -t tracefs none /sys/kernel/tracing");
	setvbuf(in, NULL, _IOFBF, READ_BYTES);
	while (!err && getline(&line, &size, in) > 0) {
		split_line(line, &name, &module);
		if (matches(pattern, name, module))
			err = fn(arg, name, module);
	}
	free(line);
	fclose(in);
	return err;
}

/* Names wanted, and for each how many functions of that name are traceable. */
struct wanted {
	struct {
		char *name;
		char *module;
	} *f;
	size_t n, alloc;
	uint64_t *addrs;
	size_t naddrs, addr_alloc;
};

static int want(void *arg, const char *name, const char *module)
{
	struct wanted *w = arg;
	void *p;

	if (w->n == w->alloc) {
		w->alloc = w->alloc ? w->alloc * 2 : 64;
		p = realloc(w->f, w->alloc * sizeof(*w->f));
		if (!p)
			return -ENOMEM;
		w->f = p;
	}
	w->f[w->n].name = strdup(name);
	w->f[w->n].module = module ? strdup(module) : NULL;
	w->n++;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	char *const *x = a, *const *y = b;	/* name is the first member */

	return strcmp(*x, *y);
}

static bool is_wanted(const struct wanted *w, const char *name,
		      const char *module)
{
	size_t lo = 0, hi = w->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (strcmp(w->f[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < w->n && !strcmp(w->f[lo].name, name); lo++)
		if (!w->f[lo].module || !strcmp(w->f[lo].module, module))
			return true;
	return false;
}

static void add_addr(struct wanted *w, uint64_t addr)
{
	void *p;

	if (w->naddrs == w->addr_alloc) {
		w->addr_alloc = w->addr_alloc ? w->addr_alloc * 2 : 64;
		p = realloc(w->addrs, w->addr_alloc * sizeof(*w->addrs));
		if (!p)
			return;
		w->addrs = p;
	}
	w->addrs[w->naddrs++] = addr;
}

static void free_wanted(struct wanted *w)
{
	size_t i;

	for (i = 0; i < w->n; i++) {
		free(w->f[i].name);
		free(w->f[i].module);
	}
	free(w->f);
}

/*
 * Names are not unique: all functions of a wanted name are taken. One of them
 * may not be traceable; the kernel says so, and then it is left out.
 */
int ksyms_resolve(struct ksyms *ks, const char *pattern, uint64_t **addrs,
		  size_t *n, struct fault *f)
{
	struct wanted w = { 0 };
	size_t i;
	int err;

	/* A plain name is the module's to judge: the list takes long. */
	if (pattern[strcspn(pattern, "*?[:\\")])
		err = ksyms_functions(pattern, want, &w, f);
	else
		err = want(&w, pattern, NULL);
	if (err)
		goto out;
	if (!w.n) {
		err = fault_set(f, ST_USAGE, "no traceable function matches %s: `ktrctl funcs PATTERN` shows those there are",
				pattern);
		goto out;
	}
	if (!ksyms_load(ks)) {
		err = fault_set(f, ST_DENIED, "/proc/kallsyms hides the addresses: run as root, with kernel.kptr_restrict at most 1");
		goto out;
	}
	qsort(w.f, w.n, sizeof(*w.f), by_name);
	for (i = 0; i < ks->n; i++)
		if (is_wanted(&w, ksyms_name(ks, &ks->syms[i]),
			      ksyms_module(ks, &ks->syms[i])))
			add_addr(&w, ks->syms[i].addr);
	if (!w.naddrs)
		err = fault_set(f, ST_USAGE, "no kernel function %s: `ktrctl funcs PATTERN` shows those there are",
				pattern);
out:
	free_wanted(&w);
	*addrs = w.addrs;
	*n = w.naddrs;
	return err;
}
