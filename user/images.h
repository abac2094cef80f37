/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files that programs have mapped: their names for places in them. */
#ifndef KTR_IMAGES_H
#define KTR_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi;
struct image;

struct images {
	struct image *first;
	struct image_id *ids;		/* as a capture file tells */
	size_t nids;
};

void images_free(struct images *is);

/*
 * The file of that path, as the record of its mapping tells; made if new. dev: major
 * << 20 | minor.
 */
struct image *images_get(struct images *is, const char *path, uint32_t dev, uint64_t ino);
/* What was noted of it when it was mapped: its build-id in hexadecimal. */
void images_expect(struct images *is, const char *path, uint32_t dev, uint64_t ino,
		   const char *id);

const char *image_path(const struct image *img);
/* In hexadecimal; NULL: it has none, or cannot be read. */
const char *image_build_id(struct image *img);
/* Its descriptor and what was read; the build-id stays. */
void image_close(struct image *img);
/* The path leads to another file than was mapped: nothing is known of that one. */
bool image_replaced(struct images *is, struct image *img);
/* The function at this offset of the file. False: none is known. */
bool image_symbol(struct images *is, struct image *img, uint64_t offset, const char **name,
		  uint64_t *into);
/*
 * Its unwind table, and the address that the file itself has for the place at this
 * offset. NULL: it has none, or is none that is mapped.
 */
const struct cfi *image_cfi(struct images *is, struct image *img, uint64_t offset,
			    uint64_t *addr);
/* What the file has there. */
bool image_read(struct images *is, struct image *img, uint64_t offset, void *to, size_t n);
/* Here the function has no frame: it returns to where the stack pointer points. */
bool image_returns_to_top(struct images *is, struct image *img, uint64_t offset);

#endif
