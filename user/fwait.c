// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "fwait.h"
#include "json.h"

#define MODULE_NAME_MAX 55	/* the kernel's MODULE_NAME_LEN, less the NUL */

static bool is_module_name(const char *name)
{
	size_t n = strlen(name);

	while (*name && (isalnum((unsigned char)*name) || *name == '_'))
		name++;
	return !*name && n <= MODULE_NAME_MAX;
}

/* The kernel knows no ^ in brackets. */
static void put_glob(struct buf *b, bool minus, const char *glob, const char *more)
{
	const char *p;

	if (minus)
		buf_putc(b, '!');
	for (p = glob; *p; p++)
		buf_putc(b, *p == '^' && p > glob && p[-1] == '[' ? '!' : *p);
	buf_puts(b, more);
	buf_putc(b, '\0');
}

/* What the terms mean for a module, in the kernel's words. */
static void put_globs(struct buf *b, const struct func_terms *terms, const char *module)
{
	size_t i;

	for (i = 0; i < terms->n; i++) {
		const struct func_term *t = &terms->t[i];

		if (t->addr || (t->module && (!*t->module || fnmatch(t->module, module, 0))))
			continue;
		put_glob(b, t->minus, t->glob, "");
		/* What the compiler may make of it. */
		if (t->exact)
			put_glob(b, t->minus, t->glob, ".*");
	}
}

static bool has(const struct fwaits *ws, const char *module)
{
	size_t i;

	for (i = 0; i < ws->n; i++)
		if (!strcmp(ws->w[i].module, module))
			return true;
	return false;
}

/* Another one, without globs; NULL: no memory. */
static struct fwait *append(struct fwaits *ws, const char *module)
{
	struct fwait *w = realloc(ws->w, (ws->n + 1) * sizeof(*w));

	if (!w)
		return NULL;
	ws->w = w;
	w += ws->n;
	*w = (struct fwait){ .module = strdup(module) };
	if (!w->module)
		return NULL;
	buf_init(&w->globs);
	ws->n++;
	return w;
}

/* What the terms mean for one more module; text: what it is asked for with. */
static int add_module(struct fwaits *ws, const struct func_terms *terms, const char *module,
		      const char *text, struct fault *f)
{
	struct fwait *w;

	if (has(ws, module))
		return 0;
	w = append(ws, module);
	if (!w)
		return fault_set(f, ST_USAGE, "out of memory");
	put_globs(&w->globs, terms, module);
	if (w->globs.len > KTR_GLOBS_BYTES_MAX)
		return fault_set(f, ST_USAGE, "%s: the pattern is too long to be remembered for a module: give parts of it one by one",
				 text);
	return 0;
}

static int add_named(struct fwaits *ws, const struct func_terms *terms,
		     const struct func_term *t, struct fault *f)
{
	if (!is_module_name(t->module))
		return fault_set(f, ST_USAGE, "%s: no module can have that name", t->text);
	return add_module(ws, terms, t->module, t->text, f);
}

int fwaits_parse(struct fwaits *ws, const char *pattern, struct fault *f)
{
	struct func_terms terms;
	size_t i;
	int err = func_terms_parse(pattern, &terms, f);

	for (i = 0; i < terms.n && !err; i++)
		if (!terms.t[i].minus && func_term_names_module(&terms.t[i]))
			err = add_named(ws, &terms, &terms.t[i], f);
	func_terms_free(&terms);
	return err;
}

int fwaits_same(struct fwaits *ws, const struct fwaits *modules, const char *pattern,
		struct fault *f)
{
	struct func_terms terms;
	size_t i;
	int err = func_terms_parse(pattern, &terms, f);

	for (i = 0; i < modules->n && !err; i++)
		err = add_module(ws, &terms, modules->w[i].module, modules->w[i].module, f);
	func_terms_free(&terms);
	return err;
}

void fwaits_free(struct fwaits *ws)
{
	size_t i;

	for (i = 0; i < ws->n; i++) {
		free(ws->w[i].module);
		buf_free(&ws->w[i].globs);
	}
	free(ws->w);
	ws->w = NULL;
	ws->n = 0;
}

size_t fwaits_absent(const struct fwaits *ws, struct buf *b)
{
	size_t i, n = 0;

	for (i = 0; i < ws->n; i++)
		if (!funcs_module_loaded(ws->w[i].module))
			buf_printf(b, "%s%s", n++ ? " and " : "", ws->w[i].module);
	return n;
}

int fwaits_add(struct fwaits *ws, struct ctl *ctl, struct ctl_ref ref)
{
	size_t i;
	int err = 0;

	for (i = 0; i < ws->n && !err; i++) {
		struct fwait *w = &ws->w[i];

		err = ctl_wait_add(ctl, ref, w->module, w->globs.p, w->globs.len, ws->flags,
				   ws->depth);
		w->added = !err;
		if (err == -EEXIST)
			err = 0;
	}
	return err;
}

bool fwaits_any_added(const struct fwaits *ws)
{
	size_t i;

	for (i = 0; i < ws->n; i++)
		if (ws->w[i].added)
			return true;
	return false;
}

void fwaits_undo(struct fwaits *ws, struct ctl *ctl, struct ctl_ref ref)
{
	size_t i;

	for (i = 0; i < ws->n; i++) {
		struct fwait *w = &ws->w[i];

		if (w->added)
			ctl_wait_del(ctl, ref, w->module, w->globs.p, w->globs.len,
				     ws->flags | KTR_FUNCS_F_UNDO);
		w->added = false;
	}
}

/* Of what a session waits for: what one command asked for of a module. */
static int note_name(void *arg, const struct ctl_wait *wait)
{
	struct fwaits *names = arg;

	return has(names, wait->module) || append(names, wait->module) ? 0 : -ENOMEM;
}

static int del_all(struct ctl *ctl, struct ctl_ref ref)
{
	struct fwaits names = { 0 };
	size_t i;
	int err = ctl_wait_get(ctl, ref, note_name, &names), n;

	for (i = 0; i < names.n && !err; i++)
		err = ctl_wait_del(ctl, ref, names.w[i].module, "*", 2, 0);
	n = names.n;
	fwaits_free(&names);
	return err ?: n;
}

int fwaits_del(const struct fwaits *ws, const char *pattern, struct ctl *ctl,
	       struct ctl_ref ref)
{
	size_t i;
	int err = 0, n = 0;

	if (!strcmp(pattern, "*"))
		return del_all(ctl, ref);
	for (i = 0; i < ws->n && !err; i++) {
		const struct fwait *w = &ws->w[i];

		err = ctl_wait_del(ctl, ref, w->module, w->globs.p, w->globs.len, 0);
		n += !err;
		if (err == -ENOENT)
			err = 0;
	}
	return err ?: n;
}

void fwaits_text(struct buf *b, struct ctl *ctl, struct ctl_ref ref)
{
	struct fwaits names = { 0 };
	size_t i;

	ctl_wait_get(ctl, ref, note_name, &names);
	for (i = 0; i < names.n; i++)
		buf_printf(b, "%s%s", i ? "," : "", names.w[i].module);
	fwaits_free(&names);
}

static const char *wanted_name(unsigned int flags)
{
	if (flags & KTR_FUNCS_F_UNDO)
		return "nothing";
	if (flags & KTR_FUNCS_F_GRAPH)
		return "graphs";
	if (flags & KTR_FUNCS_F_BELOW)
		return "below";
	return flags & KTR_FUNCS_F_RET ? "returns" : "entries";
}

static int put_json(void *arg, const struct ctl_wait *wait)
{
	const char *p;
	struct buf *b = arg;

	json_sep(b);
	buf_putc(b, '{');
	json_text(b, "module", wait->module);
	json_text(b, "wanted", wanted_name(wait->flags));
	json_name(b, "functions");
	buf_putc(b, '[');
	for (p = wait->globs; p < wait->globs + wait->len; p += strlen(p) + 1) {
		json_sep(b);
		json_bytes(b, p, strlen(p));
	}
	buf_puts(b, "]}");
	return 0;
}

void fwaits_json(struct buf *b, struct ctl *ctl, struct ctl_ref ref)
{
	json_name(b, "modules");
	buf_putc(b, '[');
	ctl_wait_get(ctl, ref, put_json, b);
	buf_putc(b, ']');
}
