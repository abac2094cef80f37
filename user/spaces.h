/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What code processes have mapped where, as records and /proc tell. */
#ifndef KTR_SPACES_H
#define KTR_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "images.h"
#include "ktracer.h"

struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;		/* in the file */
	struct image *image;		/* NULL: of no file */
};

struct space;
struct unwinder;

#define SPACES_CHAINS 256

struct spaces {
	struct space *chain[SPACES_CHAINS];
	struct images images;
	struct unwinder *unwinders;	/* of unwind.c */
	uint64_t versions;
	bool live;			/* /proc tells of what was attached */
};

void spaces_free(struct spaces *ss);

/* What a record says about mappings, births and ends. */
void spaces_note(struct spaces *ss, const struct ktr_rec *rec);

/* NULL: nothing is known to be there. */
const struct mapping *spaces_find(struct spaces *ss, uint32_t tgid, uint64_t addr);

/* All of them, by address, none over another. */
const struct mapping *spaces_all(struct spaces *ss, uint32_t tgid, size_t *n);
/* Another number whenever something has changed; the same: the same is mapped. */
uint64_t spaces_version(struct spaces *ss, uint32_t tgid);

/*
 * Lines of a capture file: "tgid start end offset dev ino path", all but the path in
 * hexadecimal. The first of a process puts an end to what was known of it.
 */
void spaces_take(struct spaces *ss, char *text);
/* The same lines of a running process. */
void spaces_tell(struct buf *b, uint32_t tgid);
/* Take what /proc tells of it now; of one that has ended what was known stays. */
void spaces_read(struct spaces *ss, uint32_t tgid);

#endif
