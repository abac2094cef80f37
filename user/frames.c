// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "frames.h"
#include "unwind.h"

static void name(struct spaces *ss, uint32_t tgid, uint64_t addr, struct frame *f)
{
	const struct mapping *m = spaces_find(ss, tgid, addr);

	memset(f, 0, sizeof(*f));
	f->addr = addr;
	if (!m || !m->image)
		return;
	f->image = m->image;
	f->offset = addr - m->start + m->offset;
	if (!image_symbol(&ss->images, m->image, f->offset, &f->name, &f->into))
		f->replaced = image_replaced(&ss->images, m->image);
}

/* Whether the word on top of the stack is an address that the innermost returns to. */
static bool has_top(struct spaces *ss, const struct frame *innermost)
{
	return innermost->image && image_returns_to_top(&ss->images, innermost->image,
							innermost->offset);
}

unsigned int frames_of(struct spaces *ss, uint32_t tgid, struct stack *s,
		       struct frame f[FRAMES_MAX])
{
	unsigned int i, n = 0;

	unwind(ss, tgid, s);
	for (i = 0; i < s->nuser; i++) {
		if (i == 1 && s->flags & KTR_STACK_F_TOP && !has_top(ss, &f[0]))
			continue;
		name(ss, tgid, s->user[i], &f[n++]);
	}
	return n;
}
