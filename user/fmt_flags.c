// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_flags.c - constants by name */
#include <string.h>
#include "consts.h"
#include "fmt.h"
#include "json.h"

/* What is left: raw, and a number in the upper bits as n<<NAME. */
static void put_rest(struct buf *b, const struct xlat *x, uint64_t v,
		     const char *sep, bool alone)
{
	uint64_t upper = x->shift ? (uint32_t)v >> x->shift : 0;
	uint64_t raw = v & ~(upper << x->shift);

	if (raw) {
		buf_puts(b, sep);
		buf_hex(b, raw);
		if (alone && x->unknown[0])
			buf_printf(b, " /* %s */", x->unknown);
		sep = "|";
	}
	if (upper)
		buf_printf(b, "%s%u<<%s", sep, (unsigned int)upper,
			   x->shift_name);
}

/* Names of the bits, joined by "|"; what has none is added raw. */
static void put_bits(struct buf *b, const struct xlat *x, uint64_t v)
{
	size_t start;
	const char *sep = "";

	const char *head = x->head ? xlat_name(x->head, v & x->mask) : NULL;

	if (!head && x->head_number && v & x->mask)
		buf_printf(b, "%#llx /* %s */",
			   (unsigned long long)(v & x->mask), x->head->unknown);
	if (head)
		buf_puts(b, head);
	if (head || (x->head_number && v & x->mask)) {
		sep = "|";	/* else an unknown one is left to the flags */
		v &= ~x->mask;
		if (!v)
			return;
	}
	start = b->len;
	if (!v) {
		const char *zero = xlat_name(x, 0);

		buf_puts(b, zero ? zero : "0");
		return;
	}
	for (unsigned int i = 0; i < x->n && v; i++) {
		uint64_t bits = x->items[i].value;

		if (!bits || (v & bits) != bits)
			continue;
		buf_puts(b, sep);
		buf_puts(b, x->items[i].name);
		sep = "|";
		v &= ~bits;
	}
	if (v)
		put_rest(b, x, v, sep, x->head_apart ? b->len == start :
						       !*sep);
}

/* Names in a comment; of an unknown value only what it is no name of. */
static void put_comment(struct buf *b, const struct xlat *x, uint64_t val)
{
	size_t from = b->len;

	buf_puts(b, " /* ");
	put_bits(b, x, val);
	if (b->len > from + 6 && !memcmp(b->p + from + 4, "0x", 2)) {
		b->len = from;
		if (x->unknown[0])
			buf_printf(b, " /* %s */", x->unknown);
	} else {
		buf_puts(b, " */");
	}
}

void fmt_xlat_flags(struct buf *b, const struct view *v, const struct xlat *x,
		    uint64_t val)
{
	struct xlat rest = *x;

	if (v->xlat != VIEW_ABBREV && x->head_split && val & ~x->mask &&
	    xlat_name(x->head, val & x->mask)) {
		if (val & x->mask || v->xlat != VIEW_RAW)
			fmt_xlat_enum(b, v, x->head, val & x->mask);
		rest.head = NULL;
		rest.head_split = false;
		buf_putc(b, '|');
		fmt_xlat_flags(b, v, &rest, val & ~x->mask);
	} else if (v->xlat == VIEW_RAW) {
		buf_hex(b, val);
	} else if (v->xlat == VIEW_VERBOSE) {
		buf_hex(b, val);
		if (!val && !xlat_name(x, 0) &&
		    !(x->head && xlat_name(x->head, 0)))
			return;
		put_comment(b, x, val);
	} else {
		put_bits(b, x, val);
	}
}

void fmt_xlat_enum(struct buf *b, const struct view *v, const struct xlat *x,
		   uint64_t val)
{
	const char *name = xlat_name(x, val);

	if (!name && val == (uint32_t)val)	/* a negative constant */
		name = xlat_name(x, (uint64_t)(int32_t)val);
	if (name && v->xlat == VIEW_ABBREV) {
		buf_puts(b, name);
		return;
	}
	buf_hex(b, val);
	if (!name && x->unknown[0])
		name = x->unknown;
	if (name && v->xlat != VIEW_RAW)
		buf_printf(b, " /* %s */", name);
}

void fmt_enum(struct fmt *f, const struct xlat *x, uint64_t v)
{
	size_t from = fmt_text_begin(f);

	fmt_xlat_enum(f->b, f->v, x, v);
	fmt_text_end(f, from);
}

/* JSON: the words between the bars, a flat list; bits without a name are a number. */
void fmt_word_list(struct fmt *f, struct buf *text)
{
	char *rest = (char *)buf_str(text), *word;

	fmt_open(f, '[');
	while ((word = strsep(&rest, "|"))) {
		word[strcspn(word, " ")] = '\0';
		if (!*word || !strcmp(word, "0"))
			continue;
		json_sep(f->b);
		json_str(f->b, word);
	}
	fmt_close(f, ']');
}

static void json_flags(struct fmt *f, const struct xlat *x, uint64_t v)
{
	struct buf text;

	buf_init(&text);
	fmt_xlat_flags(&text, f->v, x, v);
	fmt_word_list(f, &text);
	buf_free(&text);
}

void fmt_flags(struct fmt *f, const struct xlat *x, uint64_t v)
{
	size_t from;

	if (f->json) {
		json_flags(f, x, v);
		return;
	}
	from = fmt_text_begin(f);
	fmt_xlat_flags(f->b, f->v, x, v);
	fmt_text_end(f, from);
}
