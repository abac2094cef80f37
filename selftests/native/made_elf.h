/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that tests make up: a header, one segment, one unwind table. */
#ifndef NATIVE_MADE_ELF_H
#define NATIVE_MADE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spaces.h"

#define MADE_TEXT	0x1000		/* in the file, and as its own addresses */
#define MADE_TABLE	0x8000
#define MADE_END	0x10000

/* A file in memory, for x86-64 or i386; its descriptor. */
int made_elf(bool wide, const void *table, size_t n);

/* The code of that file, mapped by a process. */
void made_mapped(struct spaces *ss, uint32_t tgid, int fd, uint64_t start);

#endif
