/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind table of a file (.eh_frame), looked at before libdw sees it, which
 * believes what tables say: about numbers of registers, for example, and makes room.
 */
#ifndef KTR_CFI_H
#define KTR_CFI_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct cfi {
	int fd;			/* a file in memory: this table, and nothing else */
	unsigned int machine;
	bool wide;		/* of 64 bits */
	uint64_t low;		/* where the file's own addresses begin */
	uint64_t high;
};

/* False: the file has no table, or one that is not taken. */
bool cfi_begin(struct cfi *c, Elf *file);
void cfi_end(struct cfi *c);

/* The table as a file of its own, to be ended by elf_end(). */
Elf *cfi_elf(const struct cfi *c);

/*
 * Whether all entries are such as compilers make them, and small, so that a frame costs
 * little time and memory. @ident: of the file.
 */
bool cfi_is_sound(const unsigned char *ident, unsigned int machine, Elf_Data *table);

#endif
