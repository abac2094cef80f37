// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ktr_ksyms.h"

struct ksym {
	__u64 addr;
	char type;
	char name[120];
};

/* Symbols of the kernel itself, in the order of /proc/kallsyms. */
static bool next_ksym(FILE *f, struct ksym *sym)
{
	char line[256];

	while (fgets(line, sizeof(line), f)) {
		unsigned long long addr;

		if (strchr(line, '[') ||
		    sscanf(line, "%llx %c %119s", &addr, &sym->type,
			   sym->name) != 3)
			continue;
		sym->addr = addr;
		return true;
	}
	return false;
}

static bool is_text(const struct ksym *sym)
{
	return sym->type == 't' || sym->type == 'T' || sym->type == 'W';
}

__u64 ktr_ksym_addr(const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	struct ksym sym;
	__u64 addr = 0;

	while (f && !addr && next_ksym(f, &sym))
		if (is_text(&sym) && !strcmp(sym.name, name))
			addr = sym.addr;
	if (f)
		fclose(f);
	return addr;
}

__u64 ktr_ksym_ours(const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long long addr = 0;
	char line[256], found[120];

	while (f && fgets(line, sizeof(line), f)) {
		if (strstr(line, "[ktracer]") &&
		    sscanf(line, "%llx %*c %119s", &addr, found) == 2 &&
		    !strcmp(found, name))
			break;
		addr = 0;
	}
	if (f)
		fclose(f);
	return addr;
}

bool ktr_ksym_inside(__u64 addr, const char *part)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	struct ksym sym, best = {};

	while (f && next_ksym(f, &sym))
		if (is_text(&sym) && sym.addr <= addr && sym.addr > best.addr)
			best = sym;
	if (f)
		fclose(f);
	return best.addr && strstr(best.name, part);
}

/* A sorted list of names, each once; -1: it came twice. */
struct names {
	struct { char name[120]; int times; } *v;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void read_traceable(const char *prefix, struct names *names)
{
	FILE *f = fopen("/sys/kernel/tracing/available_filter_functions", "r");
	char line[256], name[120];
	size_t room = 0;

	while (f && fgets(line, sizeof(line), f)) {
		if (strchr(line, '[') || sscanf(line, "%119s", name) != 1 ||
		    strncmp(name, prefix, strlen(prefix)))
			continue;
		if (names->n == room) {
			room = room ? 2 * room : 1024;
			names->v = realloc(names->v, room * sizeof(*names->v));
			if (!names->v)
				abort();
		}
		strcpy(names->v[names->n].name, name);
		names->v[names->n++].times = 0;
	}
	if (f)
		fclose(f);
	if (names->n)
		qsort(names->v, names->n, sizeof(*names->v), by_name);
}

size_t ktr_ksym_functions(const char *prefix, struct ktr_fn *fn, size_t max)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	struct names names = {};
	struct ksym sym;
	__u64 *found;
	size_t n = 0, i;

	read_traceable(prefix, &names);
	found = calloc(names.n + 1, sizeof(*found));
	while (f && names.n && next_ksym(f, &sym)) {
		typeof(names.v) hit = bsearch(sym.name, names.v, names.n,
					      sizeof(*names.v), by_name);

		if (hit && is_text(&sym) && !hit->times++)
			found[hit - names.v] = sym.addr;
	}
	if (f)
		fclose(f);
	for (i = 0; i < names.n && n < max; i++) {
		if (names.v[i].times != 1 || !found[i])
			continue;
		fn[n].addr = found[i];
		strcpy(fn[n++].name, names.v[i].name);
	}
	free(found);
	free(names.v);
	return n;
}

size_t ktr_ksym_traceable(const char *prefix, __u64 *addr, size_t max)
{
	struct ktr_fn *fn = calloc(max, sizeof(*fn));
	size_t n = fn ? ktr_ksym_functions(prefix, fn, max) : 0, i;

	for (i = 0; i < n; i++)
		addr[i] = fn[i].addr;
	free(fn);
	return n;
}
