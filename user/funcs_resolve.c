// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a pattern to addresses. Globs are matched against ftrace's own list. Exact
 * names are looked up among the symbols, since that list takes long to read, and
 * the kernel is asked which of them it would hook.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ending.h"
#include "funcs.h"

/* ftrace is called behind what marks an indirect branch's target. */
#define ENTRY_BYTES 16

struct resolve {
	const struct funcs_in *in;
	struct func_terms terms;
	struct funcset *set;
	struct funcset unsure;	/* the kernel is to be asked */
	bool waiting;		/* for modules that are not loaded */
	uint32_t *by_name;	/* symbols in the order of their names */
};

static bool is_glob(const struct func_term *t)
{
	return !t->minus && !t->exact;
}

static bool is_exact(const struct func_term *t)
{
	return !t->minus && t->exact;
}

static bool any(const struct func_terms *terms,
		bool (*is)(const struct func_term *t))
{
	size_t i;

	for (i = 0; i < terms->n; i++)
		if (is(&terms->t[i]))
			return true;
	return false;
}

static void count_hits(struct func_terms *terms, const char *name,
		       const char *module)
{
	size_t i;

	for (i = 0; i < terms->n; i++)
		terms->t[i].hits += func_term_matches(&terms->t[i], name,
						      module);
}

static int compare_names(const void *a, const void *b, void *arg)
{
	const struct ksyms *ks = arg;

	return strcmp(ksyms_name(ks, &ks->syms[*(const uint32_t *)a]),
		      ksyms_name(ks, &ks->syms[*(const uint32_t *)b]));
}

static int index_names(struct resolve *r)
{
	struct ksyms *ks = r->in->ks;
	uint32_t i;

	r->by_name = malloc(ks->n * sizeof(*r->by_name));
	if (!r->by_name)
		return -ENOMEM;
	for (i = 0; i < ks->n; i++)
		r->by_name[i] = i;
	qsort_r(r->by_name, ks->n, sizeof(*r->by_name), compare_names, ks);
	return 0;
}

/* Where the list has names alone: all symbols that bear the name. */
static int add_by_name(struct resolve *r, const char *name, const char *module)
{
	const struct ksyms *ks = r->in->ks;
	size_t lo = 0, hi = ks->n, mid;

	if (!r->by_name && index_names(r))
		return -ENOMEM;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (strcmp(ksyms_name(ks, &ks->syms[r->by_name[mid]]), name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < ks->n; lo++) {
		const struct ksym *s = &ks->syms[r->by_name[lo]];

		if (strcmp(ksyms_name(ks, s), name))
			break;
		if (!strcmp(ksyms_module(ks, s), module))
			funcset_add(&r->unsure, s->addr);
	}
	return 0;
}

static uint64_t symbol_of(struct ksyms *ks, uint64_t ip)
{
	const struct ksym *s = ksyms_find(ks, ip);

	return s && ip - s->addr <= ENTRY_BYTES ? s->addr : ip;
}

static int listed(void *arg, const char *name, const char *module,
		  uint64_t addr)
{
	struct resolve *r = arg;

	count_hits(&r->terms, name, module);
	if (!addr)
		return add_by_name(r, name, module);
	funcset_add(r->set, symbol_of(r->in->ks, addr));
	return 0;
}

static void look_up_exact(struct resolve *r)
{
	struct ksyms *ks = r->in->ks;
	size_t i, k;

	for (i = 0; i < r->terms.n; i++)
		if (r->terms.t[i].addr)
			funcset_add(&r->unsure,
				    symbol_of(ks, r->terms.t[i].addr));
	for (k = 0; k < ks->n; k++) {
		const char *name = ksyms_name(ks, &ks->syms[k]);
		const char *module = ksyms_module(ks, &ks->syms[k]);

		for (i = 0; i < r->terms.n; i++) {
			if (!is_exact(&r->terms.t[i]) ||
			    !func_term_matches(&r->terms.t[i], name, module))
				continue;
			if (func_terms_select(&r->terms, name, module))
				funcset_add(&r->unsure, ks->syms[k].addr);
			else
				r->terms.t[i].cut = true;
		}
	}
}

/* `name at 0x1, 0x2, other at 0x3 [module]`: what exact term t led to. */
struct led {
	struct buf list;
	const char *last;	/* name in it */
	bool one_name;		/* all are as the term has it */
};

static void put_led(struct led *l, const struct func_term *t, const struct ksyms *ks,
		    const struct ksym *s)
{
	const char *name = ksyms_name(ks, s);

	l->one_name = l->one_name && !strcmp(name, t->text);
	buf_puts(&l->list, l->last ? ", " : "");
	if (!l->last || strcmp(l->last, name))
		buf_printf(&l->list, "%s at ", name);
	buf_printf(&l->list, "0x%llx", (unsigned long long)s->addr);
	if (s->module)
		buf_printf(&l->list, " [%s]", ksyms_module(ks, s));
	l->last = name;
}

/* The name that the term is stands in front already. */
static const char *without_name(struct led *l, const struct func_term *t)
{
	return buf_str(&l->list) + (l->one_name ? strlen(t->text) + 1 : 0);
}

static void tell(struct resolve *r, const struct func_term *t, struct led *l)
{
	struct buf *notes = &r->set->notes, *several = &r->set->several;
	const char *list = without_name(l, t);

	/* Whoever tells of a pattern that is this term begins with it. */
	if (r->terms.n == 1)
		buf_puts(notes, list);
	else
		buf_printf(notes, "%s%s%s%s", notes->len ? "; " : "", t->text,
			   l->one_name ? " " : ": ", list);
	if (t->hits > 1)
		buf_printf(several, "%s%s is %zu functions: %s", several->len ? "; " : "",
			   t->text, t->hits, list);
}

/* Said where it is not just the function named. */
static void note(struct resolve *r, struct func_term *t)
{
	struct led l = { .one_name = true };
	struct ksyms *ks = r->in->ks;
	bool plain = true;
	size_t k;

	buf_init(&l.list);
	for (k = 0; k < ks->n; k++) {
		const struct ksym *s = &ks->syms[k];
		const char *name = ksyms_name(ks, s);

		if (!func_term_matches(t, name, ksyms_module(ks, s)) ||
		    !funcset_has(&r->unsure, s->addr))
			continue;
		plain = plain && !t->hits && !strcmp(name, t->glob);
		t->hits++;
		put_led(&l, t, ks, s);
	}
	if (t->hits && !plain)
		tell(r, t, &l);
	buf_free(&l.list);
}

/* Ask the kernel, and count what is left for each exact term. */
static int settle(struct resolve *r, struct fault *f)
{
	size_t i;
	int err = 0;

	funcset_sort(&r->unsure);
	if (r->unsure.n)
		err = r->in->test(r->in->arg, r->unsure.addr, &r->unsure.n, f);
	if (err)
		return err;
	for (i = 0; i < r->terms.n; i++) {
		struct func_term *t = &r->terms.t[i];

		if (t->addr)
			t->hits = funcset_has(&r->unsure,
					      symbol_of(r->in->ks, t->addr));
		else if (is_exact(t))
			t->hits = 0, note(r, t);
	}
	for (i = 0; i < r->unsure.n; i++)
		funcset_add(r->set, r->unsure.addr[i]);
	return 0;
}

/* It is of a module that may come later. */
static bool may_come(const struct func_term *t)
{
	return func_term_names_module(t) && funcs_module_absent(t->module);
}

static int no_hits(struct resolve *r, const struct func_term *t,
		   struct fault *f)
{
	if (r->in->waits && may_come(t)) {
		r->waiting = true;
		return 0;
	}
	if (t->exact)
		return funcs_why(r->in, t, f);
	if (func_term_names_module(t))
		return funcs_why_module(t, f);
	return fault_set(f, ST_USAGE, "no traceable function matches %s: `ktrctl funcs PATTERN` shows those there are",
			 t->text);
}

static int resolve(struct resolve *r, struct fault *f)
{
	size_t i;
	int err = 0;

	if (any(&r->terms, is_glob))
		err = funcs_list(true, &r->terms, listed, r, f);
	if (err == -ENOMEM)
		return fault_set(f, ST_USAGE, "out of memory");
	if (err)
		return err;
	if (any(&r->terms, is_exact))
		look_up_exact(r);
	err = settle(r, f);
	for (i = 0; i < r->terms.n && !err; i++)
		if (!r->terms.t[i].minus && !r->terms.t[i].hits &&
		    !r->terms.t[i].cut)
			err = no_hits(r, &r->terms.t[i], f);
	funcset_sort(r->set);
	if (!err && !r->set->n && !r->waiting)
		err = fault_set(f, ST_USAGE, "nothing is left of the pattern: '!' takes all of it away");
	return err;
}

static int no_symbols(const struct ksyms *ks, const char *pattern, struct fault *f)
{
	if (ks->error == EINTR)
		return ending_fault(pattern, f);
	if (ks->error)
		return fault_set(f, ST_ABSENT, "cannot read /proc/kallsyms: %s", strerror(ks->error));
	return fault_set(f, ST_DENIED, "/proc/kallsyms hides the addresses: run as root, with kernel.kptr_restrict at most 1");
}

int funcs_resolve(const struct funcs_in *in, const char *pattern,
		  struct funcset *set, struct fault *f)
{
	struct resolve r = { .in = in, .set = set };
	int err = func_terms_parse(pattern, &r.terms, f);

	if (!err && !ksyms_load(in->ks))
		err = no_symbols(in->ks, pattern, f);
	if (!err)
		err = resolve(&r, f);
	func_terms_free(&r.terms);
	funcset_free(&r.unsure);
	free(r.by_name);
	return err;
}
