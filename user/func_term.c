// SPDX-License-Identifier: GPL-2.0-or-later
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "funcs.h"

#define SEPARATORS ", \t\n"
#define KSYM_MAX 512		/* the kernel's KSYM_NAME_LEN */
#define TEXT_SHOWN 64		/* of a term, in a message */

/* What gcc and clang append to a function they split, clone or reshape. */
static const char *const suffixes[] = {
	".constprop.", ".isra.", ".part.", ".cold", ".localalias", ".lto_priv.",
	".llvm.",
};

size_t func_base_len(const char *name)
{
	const char *dot = strchr(name, '.');
	size_t i;

	for (; dot && dot > name; dot = strchr(dot + 1, '.'))
		for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
			if (!strncmp(dot, suffixes[i], strlen(suffixes[i])))
				return dot - name;
	return strlen(name);
}

static bool is_base_of(const char *base, const char *name)
{
	size_t n = strlen(base);

	return !strncmp(base, name, n) &&
	       (!name[n] || (name[n] == '.' && func_base_len(name) == n));
}

bool func_term_in_module(const struct func_term *t, const char *module)
{
	if (!t->module)
		return true;
	if (!*t->module || !*module)
		return !*t->module && !*module;
	return !fnmatch(t->module, module, 0);
}

bool func_term_matches(const struct func_term *t, const char *name,
		       const char *module)
{
	if (t->addr || !func_term_in_module(t, module))
		return false;
	return t->exact ? is_base_of(t->glob, name) :
			  !fnmatch(t->glob, name, 0);
}

/* `GLOB:mod:MODULE` or `MODULE:GLOB` in two; text has room for one more. */
static void split_module(struct func_term *t, char *text)
{
	char *mod = strstr(text, ":mod:"), *colon = strchr(text, ':');

	t->glob = text;
	if (mod) {
		*mod = '\0';
		t->module = strdup(mod + strlen(":mod:"));
		if (!*text)
			strcpy(text, "*");
	} else if (colon) {
		*colon = '\0';
		t->module = strdup(text);
		memmove(text, colon + 1, strlen(colon + 1) + 1);
	}
}

/* `[a-z]`, `[!a]`, `[]]`: NULL: it has no end. */
static const char *bracket_end(const char *p)
{
	p += 1 + (p[1] == '!' || p[1] == '^');
	p += *p == ']';
	p = strchr(p, ']');
	return p ? p + 1 : NULL;
}

/* What fnmatch() would take for no match, for ever. NULL: it is sound. */
static const char *unsound(const char *glob)
{
	if (strlen(glob) >= KSYM_MAX)
		return "no name in the kernel is that long";
	while (glob && *glob) {
		if (*glob == '{' || *glob == '}')
			return "{} is no part of a glob: write each name, with commas between";
		if (*glob == '\\' && !glob[1])
			return "nothing is behind its \\";
		if (*glob == '[')
			glob = bracket_end(glob);
		else
			glob += *glob == '\\' ? 2 : 1;
	}
	return glob ? NULL : "its [ has no ]: [a-z] stands for one of these letters";
}

static int check_glob(const struct func_term *t, const char *glob, struct fault *f)
{
	const char *why = unsound(glob);
	size_t len = strlen(t->text);

	return why ? fault_set(f, ST_USAGE, "'%.*s%s' is no pattern: %s",
			       len > TEXT_SHOWN ? TEXT_SHOWN : (int)len, t->text,
			       len > TEXT_SHOWN ? "..." : "", why) : 0;
}

/* The kernel has '_' in the names of modules, whatever their files are called. */
static void set_dashes(char *module)
{
	if (module && !strchr(module, '['))
		for (; (module = strchr(module, '-')); module++)
			*module = '_';
}

static int parse(struct func_term *t, struct fault *f)
{
	char *text = t->text ? strdup(t->text + t->minus) : NULL, *end;

	if (!text)
		return fault_set(f, ST_USAGE, "out of memory");
	split_module(t, text);
	if (!*text || (t->module && !*t->module))
		return fault_set(f, ST_USAGE, "'%s' is no pattern: give NAME, a glob, MODULE:GLOB or :mod:MODULE",
				 t->text);
	set_dashes(t->module);
	if (t->module && !strcmp(t->module, "vmlinux"))
		*t->module = '\0';
	if (!strncmp(text, "0x", 2)) {
		t->addr = strtoull(text, &end, 16);
		if (*end || !t->addr)
			return fault_set(f, ST_USAGE, "'%s' is no address",
					 t->text);
	}
	t->exact = !text[strcspn(text, "*?[\\")];
	return check_glob(t, text, f) ?: check_glob(t, t->module ?: "", f);
}

bool func_terms_select(const struct func_terms *terms, const char *name,
		       const char *module)
{
	size_t i = terms->n;

	while (i--)
		if (func_term_matches(&terms->t[i], name, module))
			return !terms->t[i].minus;
	return false;
}

/* What the terms together cannot mean. */
static int check(const struct func_terms *terms, struct fault *f)
{
	if (!terms->n)
		return fault_set(f, ST_USAGE, "an empty pattern means no function: '*' means all");
	if (terms->t[0].minus)
		return fault_set(f, ST_USAGE, "%s takes away from patterns before it: write '*,%s' for all but these",
				 terms->t[0].text, terms->t[0].text);
	return 0;
}

int func_terms_parse(const char *pattern, struct func_terms *terms,
		     struct fault *f)
{
	const char *p = pattern + strspn(pattern, SEPARATORS);
	struct func_term *t;
	int err = 0;

	/* No more terms than half the characters, rounded up. */
	terms->n = 0;
	terms->t = calloc(strlen(pattern) / 2 + 1, sizeof(*terms->t));
	if (!terms->t)
		return fault_set(f, ST_USAGE, "out of memory");
	while (*p && !err) {
		size_t len = strcspn(p, SEPARATORS);

		t = &terms->t[terms->n++];
		t->minus = *p == '!';
		t->text = strndup(p, len);
		err = parse(t, f);
		p += len;
		p += strspn(p, SEPARATORS);
	}
	return err ?: check(terms, f);
}

void func_terms_free(struct func_terms *terms)
{
	size_t i;

	for (i = 0; i < terms->n; i++) {
		free(terms->t[i].text);
		free(terms->t[i].glob);
		free(terms->t[i].module);
	}
	free(terms->t);
	terms->t = NULL;
	terms->n = 0;
}

bool func_term_names_module(const struct func_term *t)
{
	return t->module && *t->module && !t->module[strcspn(t->module, "*?[\\")];
}
