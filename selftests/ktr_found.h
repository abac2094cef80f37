/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the module has written to a file. */
#ifndef KTR_FOUND_H
#define KTR_FOUND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "ktracer.h"
#include "ktracer_file.h"

/* What stands in it. */
struct ktr_found {
	bool header;
	uint64_t calls, lost;	/* getppid records; of lost records the sums */
	uint64_t lost_first;	/* the last lost record's */
	uint64_t rounds, blocks;
	bool footer;
	struct ktr_file_footer foot;
	uint64_t kinds[64];
};

/* One who reads a file while it grows. */
struct ktr_follower {
	int fd;
	off_t at;		/* what is before it was good */
	struct ktr_found found;
};

off_t ktr_found_size(int fd);
/*
 * Return: whether every byte that is new is in a good block. The file may still be
 * written: of the last block there may be the header and not yet the rest, and what
 * comes after this has begun is left alone.
 */
bool ktr_found_go_on(struct ktr_follower *w);
/* The same of all that stands in it, behind a header if there is one. */
bool ktr_found_look(const char *path, struct ktr_found *f);

#endif
