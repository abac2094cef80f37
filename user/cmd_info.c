// SPDX-License-Identifier: GPL-2.0-or-later
/* syscalls, events: what can be traced here. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "events.h"
#include "json.h"
#include "sys.h"

/* -1: this ABI has no call of the name. */
static void json_number(struct buf *b, const char *name, int nr)
{
	json_name(b, name);
	if (nr < 0)
		buf_puts(b, "null");
	else
		buf_dec(b, nr);
}

static void put_classes(struct buf *b, uint64_t classes, bool json)
{
	const char *name;
	unsigned int i;

	for (i = 0; (name = sys_class_name(i)); i++) {
		if (!(classes & sys_class_bit(name)))
			continue;
		if (json) {
			json_sep(b);
			json_str(b, name);
		} else {
			buf_printf(b, " %%%s", name);
		}
	}
}

static void put_call(struct buf *b, const char *name, int native, int compat,
		     uint64_t classes, bool json)
{
	if (json) {
		json_sep(b);
		buf_putc(b, '{');
		json_text(b, "name", name);
		json_number(b, "native", native);
		json_number(b, "compat", compat);
		json_name(b, "classes");
		buf_putc(b, '[');
		put_classes(b, classes, true);
		buf_puts(b, "]}");
		return;
	}
	buf_printf(b, "%-28s", name);
	buf_printf(b, native < 0 ? "    -" : "%5d", native);
	buf_printf(b, compat < 0 ? "    - " : "%5d ", compat);
	put_classes(b, classes, false);
	buf_putc(b, '\n');
}

static void put_abi(struct buf *b, unsigned int abi, const struct sysset *set,
		    bool json)
{
	const struct sys_desc *d;
	int nr, native;
	const char *name;
	char tmp[32];

	for (nr = 0; nr < sys_limit(abi); nr++) {
		d = sys_lookup(abi, nr);
		if (!d || !sysset_has(set, abi, nr))
			continue;
		name = sys_name(abi, nr, tmp);
		native = sys_number(KTR_ABI_NATIVE, name);
		/* Those of both were listed with the native ones. */
		if (abi != KTR_ABI_NATIVE && native >= 0)
			continue;
		put_call(b, name, native, sys_number(KTR_ABI_COMPAT, name),
			 sys_classes(d), json);
	}
}

int cmd_syscalls(const struct command *cmd, struct opts *o)
{
	struct sysset set;
	struct fault f;
	struct buf b;

	(void)cmd;
	sysset_all(&set);
	if (o->argc && sysset_parse(&set, o->argv[0], &f))
		return cmd_fail(&f);
	buf_init(&b);
	if (o->out.json)
		buf_putc(&b, '[');
	put_abi(&b, KTR_ABI_NATIVE, &set, o->out.json);
	put_abi(&b, KTR_ABI_COMPAT, &set, o->out.json);
	if (o->out.json)
		buf_puts(&b, "]\n");
	fwrite(b.p, 1, b.len, stdout);
	buf_free(&b);
	return ST_OK;
}

static void json_event(struct buf *b, const struct ev_desc *d)
{
	const struct ev_field *f;
	unsigned int i, n;

	json_sep(b);
	buf_putc(b, '{');
	json_text(b, "name", d->name);
	json_udec(b, "kind", d->kind);
	json_text(b, "group", ev_group_name(d->group));
	json_text(b, "source", d->source);
	json_name(b, "fields");
	buf_putc(b, '[');
	f = d->fields(&n);
	for (i = 0; i < n; i++) {
		json_sep(b);
		json_str(b, f[i].name);
	}
	if (d->tail) {
		json_sep(b);
		json_str(b, d->tail);
	}
	buf_puts(b, "]}");
}

static void text_event(struct buf *b, const struct ev_desc *d)
{
	const struct ev_field *f;
	unsigned int i, n;

	buf_printf(b, "%2u %-16s %-9s %-20s", d->kind, d->name,
		   ev_group_name(d->group), d->source);
	f = d->fields(&n);
	for (i = 0; i < n; i++)
		buf_printf(b, " %s", f[i].name);
	if (d->tail)
		buf_printf(b, " %s...", d->tail);
	buf_putc(b, '\n');
}

int cmd_events(const struct command *cmd, struct opts *o)
{
	struct buf b;
	unsigned int k;

	(void)cmd;
	buf_init(&b);
	if (o->out.json)
		buf_putc(&b, '[');
	for (k = 0; k <= KTR_KIND_MAX; k++)
		if (ev_by_kind(k))
			(o->out.json ? json_event : text_event)(&b,
								ev_by_kind(k));
	if (o->out.json)
		buf_puts(&b, "]\n");
	fwrite(b.p, 1, b.len, stdout);
	buf_free(&b);
	return ST_OK;
}
