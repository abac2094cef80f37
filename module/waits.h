/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel modules that a session waits for, and which of their functions it wants.
 * The session's mutex guards all of it.
 */
#ifndef _KTR_WAITS_H
#define _KTR_WAITS_H

#include <linux/list.h>
#include <linux/module.h>
#include "functions.h"

struct ktr_waits {
	struct list_head list;
	u32 n;
};

/* One command on what it selects: one of KTR_FUNCTIONS_ADD*, or KTR_FUNCTIONS_DEL. */
struct ktr_wait_layer {
	struct list_head node;
	enum ktr_functions_op op;
	u32 len;
	char globs[];		/* each with its NUL */
};

struct ktr_wait {
	struct list_head node;
	struct list_head layers;	/* in the order of the commands */
	u32 n;
	char name[MODULE_NAME_LEN];
};

/* What a command asks for; @globs end with a NUL. */
struct ktr_wait_ask {
	const char *name;
	const char *globs;
	u32 len;
	enum ktr_functions_op op;
	u32 depth;		/* of graphs */
	bool undo;		/* the last command, which was just this, is taken back */
};

void ktr_waits_init(struct ktr_waits *w);
/* Return: 0, -EEXIST, -ENOENT, -EINVAL, -E2BIG, -ENOMEM: nothing was changed. */
int ktr_waits_change(struct ktr_waits *w, const struct ktr_wait_ask *ask);
/* Is any module waited for by this name? NULL: no. */
const struct ktr_wait *ktr_waits_find(const struct ktr_waits *w, const char *name);
/* Is @op, one of KTR_FUNCTIONS_ADD*, wanted of @function? Several may be. */
bool ktr_wait_wants(const struct ktr_wait *wait, const char *function, enum ktr_functions_op op);
/* Is there any for which graphs wait? */
bool ktr_waits_for_graphs(const struct ktr_waits *w);
/* The @index-th layer of all, and whose it is; NULL: there is none. */
const struct ktr_wait_layer *ktr_waits_nth(const struct ktr_waits *w, u32 index,
					   const struct ktr_wait **wait);
void ktr_waits_free(struct ktr_waits *w);

#endif
