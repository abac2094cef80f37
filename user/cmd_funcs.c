// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * funcs: the functions that can be traced here. Those of one name are told apart by
 * their addresses, as far as who asks may see them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "funcs.h"

struct row {
	uint32_t name, module;	/* offsets in names */
	uint64_t addr;		/* where ftrace is called; 0: not told */
	bool twin;		/* another one has the name */
};

struct rows {
	struct row *v;
	size_t n, alloc;
	struct buf names;
};

static uint32_t add_text(struct buf *b, const char *text)
{
	uint32_t at = b->len;

	buf_write(b, text, strlen(text) + 1);
	return at;
}

static int take(void *arg, const char *name, const char *module, uint64_t addr)
{
	struct rows *r = arg;
	void *p;

	if (r->n == r->alloc) {
		r->alloc = r->alloc ? r->alloc * 2 : 1024;
		p = realloc(r->v, r->alloc * sizeof(*r->v));
		if (!p)
			abort();
		r->v = p;
	}
	r->v[r->n++] = (struct row){
		.name = add_text(&r->names, name), .module = add_text(&r->names, module),
		.addr = addr,
	};
	return 0;
}

static const char *text_of(const struct rows *r, uint32_t at)
{
	return r->names.p + at;
}

static int by_name(const void *a, const void *b, void *arg)
{
	const uint32_t *x = a, *y = b;
	const struct rows *r = arg;
	int c = strcmp(text_of(r, r->v[*x].name), text_of(r, r->v[*y].name));

	return c ? c : (*x > *y) - (*x < *y);
}

/* Return: whether any name is there twice. */
static bool mark_twins(struct rows *r)
{
	uint32_t *order = malloc((r->n + 1) * sizeof(*order));
	bool any = false;
	size_t i;

	if (!order)
		abort();
	for (i = 0; i < r->n; i++)
		order[i] = i;
	qsort_r(order, r->n, sizeof(*order), by_name, r);
	for (i = 1; i < r->n; i++) {
		struct row *a = &r->v[order[i - 1]], *b = &r->v[order[i]];

		if (!strcmp(text_of(r, a->name), text_of(r, b->name)))
			a->twin = b->twin = any = true;
	}
	free(order);
	return any;
}

static void print(const struct rows *r, struct ksyms *ks)
{
	const struct row *row;
	const struct ksym *s;

	for (row = r->v; row < r->v + r->n; row++) {
		fputs(text_of(r, row->name), stdout);
		if (*text_of(r, row->module))
			printf(" [%s]", text_of(r, row->module));
		s = row->twin && row->addr ? ksyms_find(ks, row->addr) : NULL;
		if (s)
			printf(" 0x%llx", (unsigned long long)s->addr);
		putchar('\n');
	}
}

/* Kernels before 6.5 list no addresses: names alone are shown there. */
static void show(struct rows *r)
{
	struct ksyms ks;

	ksyms_init(&ks);
	/* What hides the addresses of symbols hides them here. */
	if (mark_twins(r))
		ksyms_load(&ks);
	print(r, &ks);
	ksyms_free(&ks);
}

/* That a term names and that is not there; NULL: none. */
static const char *missing_module(const struct func_terms *terms)
{
	const struct func_term *t;
	size_t i;

	for (i = 0; i < terms->n; i++) {
		t = &terms->t[i];
		if (!t->minus && func_term_names_module(t) && !funcs_module_loaded(t->module))
			return t->module;
	}
	return NULL;
}

int cmd_funcs(const struct command *cmd, struct opts *o)
{
	const char *pattern = o->argc ? o->argv[0] : "*", *module;
	struct func_terms terms;
	struct rows r = { 0 };
	struct fault f;
	size_t n;
	int err;

	(void)cmd;
	err = func_terms_parse(pattern, &terms, &f);
	if (!err)
		err = funcs_list(true, &terms, take, &r, &f);
	n = r.n;
	module = err || n ? NULL : missing_module(&terms);
	if (module)
		err = funcs_no_module(pattern, module, &f);
	if (!err)
		show(&r);
	func_terms_free(&terms);
	free(r.v);
	buf_free(&r.names);
	if (err)
		return cmd_fail(&f);
	if (!n)
		return cmd_usage("no traceable function matches %s: patterns are globs, such as 'do_sys_*'",
				 pattern);
	return ST_OK;
}
