/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program's part of a stack, frame by frame, with names. */
#ifndef KTR_FRAMES_H
#define KTR_FRAMES_H

#include "spaces.h"
#include "stack.h"

struct frame {
	uint64_t addr;
	uint64_t offset;		/* of the address in its file */
	struct image *image;		/* NULL: in no file that is known */
	bool replaced;			/* the file is another by now */
	const char *name;		/* of the function; NULL: not known */
	uint64_t into;			/* the address, from its beginning */
};

#define FRAMES_MAX 256

/*
 * Innermost first; unwound from the copy, if there is one, which changes s->user and
 * s->flags. Return: how many.
 */
unsigned int frames_of(struct spaces *ss, uint32_t tgid, struct stack *s,
		       struct frame f[FRAMES_MAX]);

#endif
