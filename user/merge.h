/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many streams of records into one in order of time. Within one stream order
 * may be inverted where producers nested. Ties: by stream, then by position.
 */
#ifndef KTR_MERGE_H
#define KTR_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "ktracer.h"

struct merge_source;

struct merge {
	struct merge_source *src;
	size_t nsrc;
	size_t bytes;		/* held */
	size_t *heap;		/* sources by their first record */
	size_t nheap;
};

/* Return not 0 to stop. */
typedef int (*merge_fn)(void *arg, const struct ktr_rec *rec, unsigned int src);

void merge_init(struct merge *m);
void merge_free(struct merge *m);

/*
 * Add a piece of stream src (a small number). The bytes are copied.
 * Return: how many of them were whole records; -ENOMEM.
 */
long merge_add(struct merge *m, unsigned int src, const void *bytes,
	       size_t len);

/*
 * Hand out all records older than the horizon, in order, and drop them.
 * Return: 0, what the callback returned, or -ENOMEM.
 */
int merge_run(struct merge *m, uint64_t horizon, merge_fn fn, void *arg);

#endif
