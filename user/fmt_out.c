// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_out.c - the few words of output that know text from JSON */
#include <stdlib.h>
#include <string.h>
#include "fmt.h"
#include "json.h"

void fmt_sep(struct fmt *f)
{
	struct buf *b = f->b;

	if (f->json)
		json_sep(b);
	else if (b->len && !strchr("{[(", b->p[b->len - 1]))
		buf_puts(b, ", ");
}

void fmt_open(struct fmt *f, char bracket)
{
	buf_putc(f->b, bracket);
}

void fmt_close(struct fmt *f, char bracket)
{
	buf_putc(f->b, bracket);
}

void fmt_name(struct fmt *f, const char *name)
{
	if (f->json) {
		json_name(f->b, name);
		return;
	}
	fmt_sep(f);
	buf_puts(f->b, name);
	buf_putc(f->b, '=');
}

void fmt_more(struct fmt *f)
{
	if (f->json)
		return;
	fmt_sep(f);
	buf_puts(f->b, "...");
}

void fmt_rest(struct fmt *f, const struct mem *m, uint64_t n, uint64_t addr)
{
	fmt_more(f);
	if (m->flags & KTR_CAP_F_UNREADABLE && !f->json &&
	    (n < f->v->strsize || f->v->verbose))
		buf_printf(f->b, " /* %#llx */", (unsigned long long)addr);
}

size_t fmt_text_begin(struct fmt *f)
{
	return f->b->len;
}

/* Make a JSON string of what was written since. */
void fmt_text_end(struct fmt *f, size_t from)
{
	size_t n = f->b->len - from;
	char small[256], *text = small;

	if (!f->json)
		return;
	if (n > sizeof(small)) {
		text = malloc(n);
		if (!text)
			return;
	}
	memcpy(text, f->b->p + from, n);
	f->b->len = from;
	json_string(f->b, text, n);
	if (text != small)
		free(text);
}

void fmt_dec(struct fmt *f, int64_t v)
{
	buf_dec(f->b, v);
}

void fmt_udec(struct fmt *f, uint64_t v)
{
	buf_udec(f->b, v);
}

void fmt_hex(struct fmt *f, uint64_t v)
{
	size_t from = fmt_text_begin(f);

	buf_hex(f->b, v);
	fmt_text_end(f, from);
}

void fmt_addr(struct fmt *f, uint64_t v)
{
	if (v)
		fmt_hex(f, v);
	else
		buf_puts(f->b, f->json ? "null" : "NULL");
}

/* Memory that could not be read; told: strace would have shown it. */
void fmt_bad(struct fmt *f, uint64_t addr, bool told)
{
	if (!told) {
		fmt_addr(f, addr);
	} else if (f->json) {
		fmt_open(f, '{');
		json_hex(f->b, "addr", addr);
		json_name(f->b, "unreadable");
		buf_puts(f->b, "true");
		fmt_close(f, '}');
	} else {
		fmt_addr(f, addr);
		buf_puts(f->b, " /* unreadable */");
	}
}
