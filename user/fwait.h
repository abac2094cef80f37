/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel modules that a pattern names. A session remembers what it wants of them, and
 * the kernel adds their functions whenever they are loaded.
 */
#ifndef KTR_FWAIT_H
#define KTR_FWAIT_H

#include "ctl.h"
#include "funcs.h"

struct fwait {
	char *module;
	struct buf globs;	/* each with its NUL, as KTR_A_GLOBS */
	bool added;		/* by fwaits_add(), to be taken back with the rest */
};

struct fwaits {
	struct fwait *w;
	size_t n;
	unsigned int flags;	/* KTR_FUNCS_F_*: how they are wanted; 0: their entries */
	unsigned int depth;	/* of graphs */
};

/*
 * The modules that terms name in full, and what the whole pattern means for each. A
 * fault: there can be no such module. To be freed in any case.
 */
int fwaits_parse(struct fwaits *ws, const char *pattern, struct fault *f);
/* What another pattern means for the same modules. */
int fwaits_same(struct fwaits *ws, const struct fwaits *modules, const char *pattern,
		struct fault *f);
void fwaits_free(struct fwaits *ws);
/* That are not loaded, as `a and b`. Return: how many. */
size_t fwaits_absent(const struct fwaits *ws, struct buf *b);

/* All or none; -EEXIST is none. What was added by it can be taken back. */
int fwaits_add(struct fwaits *ws, struct ctl *ctl, struct ctl_ref ref);
bool fwaits_any_added(const struct fwaits *ws);
void fwaits_undo(struct fwaits *ws, struct ctl *ctl, struct ctl_ref ref);
/*
 * Take away what the pattern means of the modules it names, or, if it means all
 * functions, of all. Return: in how many modules, or an error.
 */
int fwaits_del(const struct fwaits *ws, const char *pattern, struct ctl *ctl,
	       struct ctl_ref ref);

/* What a session waits for: names with commas between; an array. */
void fwaits_text(struct buf *b, struct ctl *ctl, struct ctl_ref ref);
void fwaits_json(struct buf *b, struct ctl *ctl, struct ctl_ref ref);

#endif
