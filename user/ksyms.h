/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of kernel addresses. */
#ifndef KTR_KSYMS_H
#define KTR_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "ktracer.h"

struct ksym {
	uint64_t addr;
	uint32_t name;		/* offset in names */
	uint32_t module;	/* offset in names; 0: the kernel itself */
};

struct ksyms {
	struct ksym *syms;	/* by address once sorted */
	size_t n, alloc;
	struct buf names;
	bool sorted;
	bool loaded;		/* ksyms_load() was tried */
	int error;		/* errno: it could not be read to its end */
	bool lazy;		/* to be loaded when a symbol is asked for */
	uint64_t mark;		/* of the boot and the modules, for the cache */
};

void ksyms_init(struct ksyms *ks);
void ksyms_free(struct ksyms *ks);
void ksyms_add(struct ksyms *ks, uint64_t addr, const char *name,
	       const char *module);

/* Text symbols of the running kernel. False: addresses are hidden from us. */
bool ksyms_load(struct ksyms *ks);
/* The same text from a file, for tests. */
bool ksyms_load_file(struct ksyms *ks, const char *path);
/* By address; what was found before is void then. */
void ksyms_sort(struct ksyms *ks);

/*
 * The kernel takes long to write /proc/kallsyms: root keeps what was read under
 * /run, for the modules that are loaded now. False: nothing there that is true.
 */
bool ksyms_cache_read(struct ksyms *ks);
void ksyms_cache_write(struct ksyms *ks);

/*
 * A module's text begins at start: symbols, each its offset as 4 bytes, its name and a
 * NUL. more: of the same text as the last; else what was known there is void.
 */
void ksyms_module_text(struct ksyms *ks, const struct ktr_ev_module_text *ev,
		       const unsigned char *symbols, size_t len);

/* The symbol that covers addr, NULL if there is none. */
const struct ksym *ksyms_find(struct ksyms *ks, uint64_t addr);
const char *ksyms_name(const struct ksyms *ks, const struct ksym *sym);
const char *ksyms_module(const struct ksyms *ks, const struct ksym *sym);

/* `name+0x1c`, `name+0x1c [module]` or `0xffffffff81000000`. */
void ksyms_format(struct ksyms *ks, struct buf *b, uint64_t addr);

/* A function by an address at its entry: without the offset. */
void ksyms_format_entry(struct ksyms *ks, struct buf *b, uint64_t addr);

#endif
