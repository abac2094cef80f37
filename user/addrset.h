/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel addresses that occurred in records, each once, up to a bound. */
#ifndef KTR_ADDRSET_H
#define KTR_ADDRSET_H

#include <stddef.h>
#include <stdint.h>

#include "ktracer.h"

struct addrset {
	uint64_t *slots;	/* 0: free */
	size_t size;		/* a power of two */
	size_t n;
};

void addrset_free(struct addrset *s);
void addrset_add(struct addrset *s, uint64_t addr);
/* All addresses in a span of whole records. */
void addrset_note(struct addrset *s, const void *span, size_t len);

#endif
