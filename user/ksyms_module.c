// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols of modules that come while a trace runs, as records tell them: at that time
 * the kernel's own may have been read, or the module may be gone when they are.
 */
#include <string.h>

#include "ksyms.h"

static void forget(struct ksyms *ks, uint64_t start, uint64_t size)
{
	size_t i, n = 0;

	for (i = 0; i < ks->n; i++)
		if (ks->syms[i].addr - start >= size)
			ks->syms[n++] = ks->syms[i];
	ks->n = n;
}

/* The name of a module, or of a symbol, may come from a file that lies. */
static bool is_name(const char *p, size_t room)
{
	size_t n = strnlen(p, room);

	return n && n < room && !p[strcspn(p, " \t\n[]")];
}

void ksyms_module_text(struct ksyms *ks, const struct ktr_ev_module_text *ev,
		       const unsigned char *symbols, size_t len)
{
	const unsigned char *p = symbols, *end;
	uint32_t offset;
	size_t n;

	if (!is_name(ev->name, sizeof(ev->name)))
		return;
	/* What is read later would not be replaced. */
	if (ks->lazy && !ks->loaded)
		ksyms_load(ks);
	if (!ev->more)
		forget(ks, ev->start, ev->size);
	end = p + (ev->len < len ? ev->len : len);
	for (; end - p > (long)sizeof(offset); p += n + 1) {
		memcpy(&offset, p, sizeof(offset));
		p += sizeof(offset);
		n = strnlen((const char *)p, end - p);
		if (!is_name((const char *)p, end - p))
			break;
		if (offset < ev->size)
			ksyms_add(ks, ev->start + offset, (const char *)p, ev->name);
	}
}
