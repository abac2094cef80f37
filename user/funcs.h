/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which kernel functions can be traced, and what a user means by a pattern.
 *
 * A pattern is a list of terms with commas or blanks between. A term is
 *   NAME              that function, and what the compiler made of it
 *                     (NAME.isra.0, NAME.part.0, NAME.constprop.0)
 *   GLOB              as ftrace's: * ? [a-z]
 *   MODULE:GLOB       of that module alone; vmlinux: of the kernel itself
 *   GLOB:mod:MODULE   the same, as ftrace writes it; :mod:MODULE: all of it
 *   0xADDRESS         the function that begins there
 * with "!" in front, functions that the terms before it are not to have.
 */
#ifndef KTR_FUNCS_H
#define KTR_FUNCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "fault.h"
#include "ksyms.h"

struct func_term {
	bool minus;
	bool exact;		/* no glob: variants count too */
	uint64_t addr;		/* not 0: that one alone */
	size_t hits;		/* functions it led to */
	bool cut;		/* a "!" took some of them */
	char *glob;
	char *module;		/* a glob; NULL: any; "": the kernel itself */
	char *text;		/* as written, for messages */
};

struct func_terms {
	struct func_term *t;
	size_t n;
};

/* Free them in any case. */
int func_terms_parse(const char *pattern, struct func_terms *terms,
		     struct fault *f);
void func_terms_free(struct func_terms *terms);
bool func_term_matches(const struct func_term *t, const char *name,
		       const char *module);
bool func_term_in_module(const struct func_term *t, const char *module);
/* It names one module in full, and not the kernel itself. */
bool func_term_names_module(const struct func_term *t);
/* The last term that matches decides. */
bool func_terms_select(const struct func_terms *terms, const char *name,
		       const char *module);
/* How long the name was before the compiler's suffix. */
size_t func_base_len(const char *name);

/*
 * All that ftrace lists and the terms (NULL: any) select. addrs: hand out where
 * ftrace is called too; 0 on kernels whose list does not say.
 */
typedef int (*funcs_fn)(void *arg, const char *name, const char *module,
			uint64_t addr);
int funcs_list(bool addrs, const struct func_terms *terms, funcs_fn fn,
	       void *arg, struct fault *f);

/* Keep those of the addresses that the kernel would hook. */
typedef int (*funcs_test_fn)(void *arg, uint64_t *addrs, size_t *n,
			     struct fault *f);

struct funcs_in {
	struct ksyms *ks;
	funcs_test_fn test;
	void *arg;
	bool waits;		/* modules that are not loaded may lead to nothing */
};

struct funcset {
	uint64_t *addr;		/* entries of symbols, ascending, once each */
	size_t n, alloc;
	size_t fresh;		/* of these, not in the session before */
	size_t waits;		/* modules that are waited for, or no more */
	struct buf notes;	/* on names that stand for others */
	struct buf several;	/* of these, on such as stand for more than one */
};

void funcset_init(struct funcset *s);
void funcset_free(struct funcset *s);
void funcset_add(struct funcset *s, uint64_t addr);
void funcset_sort(struct funcset *s);
bool funcset_has(const struct funcset *s, uint64_t addr);	/* sorted */

/* The set a pattern means; a term that leads to no function is a fault. */
int funcs_resolve(const struct funcs_in *in, const char *pattern,
		  struct funcset *set, struct fault *f);

/*
 * Why a term leads to nothing: an exact one, with what may have been meant; one
 * that names a module. Return: -EINVAL.
 */
int funcs_why(const struct funcs_in *in, const struct func_term *t,
	      struct fault *f);
int funcs_why_module(const struct func_term *t, struct fault *f);
/* The module that a pattern names is not loaded. Return: -EINVAL. */
int funcs_no_module(const char *pattern, const char *module, struct fault *f);
bool funcs_module_loaded(const char *module);
/* Nor is it built in, as far as that can be told. */
bool funcs_module_absent(const char *module);

#endif
