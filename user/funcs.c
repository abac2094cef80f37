// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ending.h"
#include "funcs.h"

#define READ_BYTES 65536

void funcset_init(struct funcset *s)
{
	memset(s, 0, sizeof(*s));
}

void funcset_free(struct funcset *s)
{
	free(s->addr);
	buf_free(&s->notes);
	buf_free(&s->several);
	funcset_init(s);
}

void funcset_add(struct funcset *s, uint64_t addr)
{
	void *p;

	if (s->n == s->alloc) {
		s->alloc = s->alloc ? s->alloc * 2 : 64;
		p = realloc(s->addr, s->alloc * sizeof(*s->addr));
		if (!p)
			abort();
		s->addr = p;
	}
	s->addr[s->n++] = addr;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void funcset_sort(struct funcset *s)
{
	size_t i, n = 0;

	if (s->n)
		qsort(s->addr, s->n, sizeof(*s->addr), by_value);
	for (i = 0; i < s->n; i++)
		if (!i || s->addr[i] != s->addr[i - 1])
			s->addr[n++] = s->addr[i];
	s->n = n;
}

bool funcset_has(const struct funcset *s, uint64_t addr)
{
	return s->n && bsearch(&addr, s->addr, s->n, sizeof(addr), by_value);
}

/* tracefs has it, wherever that is mounted; the one with addresses is new. */
static FILE *open_available(bool *addrs)
{
	static const char *const paths[] = {
		"/sys/kernel/tracing/available_filter_functions",
		"/sys/kernel/debug/tracing/available_filter_functions",
	};
	char path[96];
	FILE *f = NULL;
	size_t i;

	for (i = 0; *addrs && i < 2 && !f; i++) {
		snprintf(path, sizeof(path), "%s_addrs", paths[i]);
		f = fopen(path, "re");
	}
	*addrs = f;
	for (i = 0; i < 2 && !f; i++)
		f = fopen(paths[i], "re");
	return f;
}

/* `[addr ]name` or `[addr ]name [module]` */
static uint64_t split_line(char *line, bool addrs, const char **name,
			   const char **module)
{
	uint64_t addr = addrs ? strtoull(line, &line, 16) : 0;
	char *p;

	line += addrs && *line == ' ';
	p = line + strcspn(line, " \t\n");
	*name = line;
	*module = "";
	if (*p && p[1] == '[') {
		*module = p + 2;
		p[2 + strcspn(p + 2, "]\n")] = '\0';
	}
	*p = '\0';
	return addr;
}

int funcs_list(bool addrs, const struct func_terms *terms, funcs_fn fn,
	       void *arg, struct fault *f)
{
	const char *name, *module;
	FILE *in = open_available(&addrs);
	char *line = NULL;
	size_t size = 0, lines;
	uint64_t addr;
	int err = 0;

	if (!in && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
		return fault_set(f, ST_ABSENT, "cannot read available_filter_functions: %s",
				 strerror(errno));
	if (!in && (errno == EACCES || errno == EPERM))
		return fault_set(f, ST_DENIED, "available_filter_functions: not permitted: run as root");
	if (!in)
		return fault_set(f, ST_ABSENT, "no available_filter_functions: mount -t tracefs none /sys/kernel/tracing");
	setvbuf(in, NULL, _IOFBF, READ_BYTES);
	for (lines = 1; !err && getline(&line, &size, in) > 0; lines++) {
		addr = split_line(line, addrs, &name, &module);
		/* Places that are no functions any more. */
		if (!strncmp(name, "__ftrace_invalid_address", 24))
			continue;
		if (!terms || func_terms_select(terms, name, module))
			err = fn(arg, name, module, addr);
		if (!err && !(lines % ENDING_LINES))
			err = ending_fault("the kernel's functions", f);
	}
	free(line);
	fclose(in);
	return err;
}
