// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ending.h"
#include "ksyms.h"

#define FUNCTION_BYTES_MAX (1u << 20)
#define PAGE_BYTES 4096
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

/* What comes and goes without a module: compiled BPF, trampolines. */
static bool is_fleeting(const char *module)
{
	return !strcmp(module, "bpf") || !strncmp(module, "__builtin__", 11);
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
		if (is_fleeting(module))
			return false;
	}
	*end = '\0';
	ksyms_add(ks, addr, name, module);
	return true;
}

bool ksyms_load_file(struct ksyms *ks, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0, before = ks->n, lines;

	ks->loaded = true;
	if (!f) {
		ks->error = errno;
		return false;
	}
	setvbuf(f, NULL, _IOFBF, READ_BYTES);
	for (lines = 1; getline(&line, &size, f) > 0 && !ks->error; lines++) {
		take_line(ks, line);
		if (!(lines % ENDING_LINES) && ending_signal())
			ks->error = EINTR;
	}
	free(line);
	fclose(f);
	return ks->n > before && !ks->error;
}

bool ksyms_load(struct ksyms *ks)
{
	if (ks->loaded)
		return ks->n > 0;
	if (ksyms_cache_read(ks))
		return true;
	if (!ksyms_load_file(ks, "/proc/kallsyms"))
		return false;
	ksyms_cache_write(ks);
	return true;
}

static int by_addr(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

void ksyms_sort(struct ksyms *ks)
{
	if (!ks->sorted && ks->n)
		qsort(ks->syms, ks->n, sizeof(*ks->syms), by_addr);
	ks->sorted = true;
}

/*
 * A symbol's size is not told. Where other text of the kernel or of the same module
 * follows, it reaches to that; else to the end of its page: next to a module's text
 * are other modules', and trampolines, which have names of their own.
 */
static bool covers(const struct ksyms *ks, const struct ksym *s, uint64_t addr)
{
	const struct ksym *next = s + 1;

	if (next < ks->syms + ks->n && !strcmp(ksyms_module(ks, s), ksyms_module(ks, next)))
		return addr - s->addr <= FUNCTION_BYTES_MAX;
	return addr <= (s->addr | (PAGE_BYTES - 1));
}

const struct ksym *ksyms_find(struct ksyms *ks, uint64_t addr)
{
	size_t lo = 0, hi, mid;

	if (ks->lazy && !ks->loaded)
		ksyms_load(ks);
	hi = ks->n;
	ksyms_sort(ks);
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (ks->syms[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && covers(ks, &ks->syms[lo - 1], addr) ? &ks->syms[lo - 1] : NULL;
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
