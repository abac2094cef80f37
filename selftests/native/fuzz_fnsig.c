// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signatures of functions, and what follows a function's record, from bytes: the
 * first chooses how it is shown, the second how many of the others are notes.
 */
#include <json_tokener.h>
#include <stdlib.h>
#include <string.h>

#include "fnsig.h"

#define ADDR 0x1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In just as much memory, so that a byte too far is seen. */
static void *exactly(const uint8_t *p, size_t n)
{
	void *copy = malloc(n);

	if (!copy)
		abort();
	return n ? memcpy(copy, p, n) : copy;
}

static void must_be_json(struct buf *b)
{
	struct json_tokener *t = json_tokener_new_ex(64);
	struct json_object *o;

	json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(t, buf_str(b), b->len);
	if (json_tokener_get_error(t) != json_tokener_success)
		abort();
	json_object_put(o);
	json_tokener_free(t);
}

static void show(const struct fnsig *s, const struct view *v,
		 const struct fn_tail *t)
{
	struct buf b = { 0 };

	fnsig_text(&b, v, s, t);
	fnsig_ret_text(&b, s, t->args[0]);
	buf_reset(&b);
	buf_puts(&b, "{\"args\":{");
	fnsig_json(&b, v, s, t);
	buf_puts(&b, "},\"result\":");
	if (!fnsig_ret_json(&b, s, t->args[0]))
		buf_puts(&b, "null");
	buf_putc(&b, '}');
	must_be_json(&b);
	buf_free(&b);
}

/* What was read is written, and that can all be read again. */
static void there_and_back(const struct fnsigs *s)
{
	struct buf first = { 0 };
	struct fnsigs again = { 0 };
	char *text;

	fnsigs_write(s, &first);
	text = exactly((const void *)first.p, first.len);
	fnsigs_read(&again, text, first.len);
	if (again.n != s->n)
		abort();
	free(text);
	buf_free(&first);
	fnsigs_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view v = VIEW_DEFAULT;
	struct fnsigs s = { 0 };
	struct fn_tail t;
	char *notes;
	uint8_t *tail;
	size_t n;

	if (size < 2)
		return 0;
	v.hexstr = data[0] & 3;
	v.xlat = (data[0] >> 2 & 3) % 3;
	n = data[1] % (size - 1);
	notes = exactly(data + 2, n);
	tail = exactly(data + 2 + n, size - 2 - n);
	if (data[0] & 16)
		fnsigs_read(&s, notes, n);
	else
		fnsigs_add(&s, ADDR, notes, n);
	there_and_back(&s);
	if (fn_tail_parse(tail, size - 2 - n, &t))
		memset(&t, 0, sizeof(t));
	for (size_t i = 0; i < s.size; i++)
		if (s.slot[i])
			show(s.slot[i], &v, &t);
	fnsigs_free(&s);
	free(notes);
	free(tail);
	return 0;
}
