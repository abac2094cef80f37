/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The paths of -P, as the module takes them. */
#ifndef KTR_PATHLIST_H
#define KTR_PATHLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

struct pathlist {
	char *text;		/* each with its NUL */
	size_t len;
	unsigned int n;
};

/* As given; one that ends with '/' stands for everything below it. */
int pathlist_add(struct pathlist *l, const char *path, struct fault *f);
/*
 * Add what each of them is without links and relative parts, where that is
 * something else; said is told of each.
 */
int pathlist_resolve(struct pathlist *l,
		     void (*said)(const char *path, const char *resolved),
		     struct fault *f);

#endif
