// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading notes. They may come from a file that lies. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fnsig.h"

#define ITEMS_MAX 512

static void free_item(struct fnsig_item *it)
{
	unsigned int i;

	for (i = 0; i < it->nconsts; i++)
		free(it->consts[i].name);
	free(it->consts);
	free(it->name);
}

static void free_sig(struct fnsig *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->n; i++)
		free_item(&s->items[i]);
	free_item(&s->ret);
	free(s->items);
	free(s->note);
	free(s);
}

void fnsigs_free(struct fnsigs *s)
{
	size_t i;

	for (i = 0; i < s->size; i++)
		free_sig(s->slot[i]);
	free(s->slot);
	buf_free(&s->notes);
	memset(s, 0, sizeof(*s));
}

static bool good_kind(char kind, unsigned long size)
{
	if (strchr("STn?vk", kind))
		return true;
	return strchr("iuxobcpeE", kind) &&
	       (size == 1 || size == 2 || size == 4 || size == 8);
}

/* `i4` */
static int parse_kind(struct fnsig_item *it, const char *w)
{
	unsigned long size = strtoul(w + !!*w, NULL, 10);

	if (!*w || size > 65535 || !good_kind(*w, size))
		return -EINVAL;
	it->kind = *w;
	it->size = size;
	return 0;
}

/* `r0`, `2.16` */
static int parse_loc(struct fnsig_item *it, const char *w)
{
	unsigned long src, off = 0;
	char *end;

	it->in_reg = *w == 'r';
	src = strtoul(w + it->in_reg, &end, 10);
	if (end == w + it->in_reg)
		return -EINVAL;
	if (*end == '.')
		off = strtoul(end + 1, &end, 10);
	if (*end || off > 65535 || src >= (it->in_reg ? 6 : KTR_OPS_MAX))
		return -EINVAL;
	it->src = src;
	it->off = off;
	return 0;
}

/* `0=A,1=B`, all in one */
static int parse_consts(struct fnsig_item *it, char *w)
{
	char *part, *name;
	void *p;

	while ((part = strsep(&w, ","))) {
		int64_t value = strtoll(part, &name, 10);

		if (*name != '=' || it->nconsts == 1024)
			return -EINVAL;
		p = realloc(it->consts, (it->nconsts + 1) * sizeof(*it->consts));
		if (!p)
			return -ENOMEM;
		it->consts = p;
		it->consts[it->nconsts].value = value;
		it->consts[it->nconsts].name = strdup(name + 1);
		if (!it->consts[it->nconsts++].name)
			return -ENOMEM;
	}
	return 0;
}

/* `@16,14,4,0,12,56,72`: family, own port, other's, own address, other's, the same of IPv6 */
static int parse_sock(struct fnsig_item *it, char *w)
{
	char *part;
	int i;

	for (i = 0; i < 7; i++) {
		part = strsep(&w, ",");
		if (!part)
			return -EINVAL;
		it->pos[i] = strtoul(part, NULL, 10);
	}
	return 0;
}

static int parse_more(struct fnsig_item *it, char *w)
{
	unsigned long op;
	char *end;

	switch (*w) {
	case ':':
		it->bit = strtoul(w + 1, &end, 10);
		it->bits = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
		return it->bit < 64 && it->bits && it->bits <= 64 ? 0 : -EINVAL;
	case 's':
		op = strtoul(w + 1, NULL, 10);
		it->str = op;
		return op < KTR_OPS_MAX ? 0 : -EINVAL;
	case '@':
		return parse_sock(it, w + 1);
	}
	return parse_consts(it, w);
}

static int parse_ret(struct fnsig *s, char *line)
{
	char *w = strsep(&line, " ");

	if (parse_kind(&s->ret, w))
		return -EINVAL;
	return line ? parse_consts(&s->ret, line) : 0;
}

static int parse_item(struct fnsig *s, char *line)
{
	struct fnsig_item *it;
	char *depth = strsep(&line, " "), *name, *kind, *loc, *w;
	int err;

	if (s->n == ITEMS_MAX)
		return -EINVAL;
	it = realloc(s->items, (s->n + 1) * sizeof(*it));
	if (!it)
		return -ENOMEM;
	s->items = it;
	it += s->n++;
	memset(it, 0, sizeof(*it));
	it->str = -1;
	name = strsep(&line, " ");
	kind = strsep(&line, " ");
	loc = strsep(&line, " ");
	if (!loc || !isdigit((unsigned char)*depth))
		return -EINVAL;
	it->depth = *depth - '0';
	it->name = strdup(name);
	if (!it->name)
		return -ENOMEM;
	err = parse_kind(it, kind) ?: parse_loc(it, loc);
	while (!err && (w = strsep(&line, " ")))
		err = *w ? parse_more(it, w) : 0;
	return err;
}

static int parse_note(struct fnsig *s)
{
	char *text = strdup(s->note), *rest = text, *line;
	int err = text ? 0 : -ENOMEM;

	while (!err && (line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		if (*line == '=' && line[1] == ' ') {
			err = parse_ret(s, line + 2);
		} else if (!strcmp(line, "args")) {
			s->args = true;
		} else {
			s->args = true;
			err = parse_item(s, line);
		}
	}
	free(text);
	return err;
}

static struct fnsig **find(const struct fnsigs *s, uint64_t addr)
{
	size_t i = (addr >> 4) * 0x9e3779b97f4a7c15ULL >> 20;

	for (i &= s->size - 1; s->slot[i] && s->slot[i]->addr != addr;)
		i = (i + 1) & (s->size - 1);
	return &s->slot[i];
}

static int grow(struct fnsigs *s)
{
	struct fnsigs new = { .size = s->size ? s->size * 2 : 64 };
	size_t i;

	new.slot = calloc(new.size, sizeof(*new.slot));
	if (!new.slot)
		return -ENOMEM;
	for (i = 0; i < s->size; i++)
		if (s->slot[i])
			*find(&new, s->slot[i]->addr) = s->slot[i];
	free(s->slot);
	s->slot = new.slot;
	s->size = new.size;
	return 0;
}

int fnsigs_add(struct fnsigs *s, uint64_t addr, const char *note, size_t n)
{
	struct fnsig *sig = calloc(1, sizeof(*sig)), **slot;
	int err = -ENOMEM;

	if (!sig)
		return err;
	sig->addr = addr;
	sig->ret.kind = '?';
	sig->note = malloc(n + 1);
	if (sig->note) {
		memcpy(sig->note, note, n);
		sig->note[n] = 0;
		err = parse_note(sig);
	}
	if (!err && s->n * 2 >= s->size)
		err = grow(s);
	if (err) {
		free_sig(sig);
		return err;
	}
	slot = find(s, addr);
	s->n += !*slot;
	free_sig(*slot);
	*slot = sig;
	return 0;
}

const struct fnsig *fnsigs_find(const struct fnsigs *s, uint64_t addr)
{
	return s->n ? *find(s, addr) : NULL;
}

void fnsigs_write(const struct fnsigs *s, struct buf *b)
{
	size_t i;

	for (i = 0; i < s->size; i++)
		if (s->slot[i])
			buf_printf(b, "@%llx\n%s\n",
				   (unsigned long long)s->slot[i]->addr,
				   s->slot[i]->note);
}

/* Nothing says that there is a NUL behind the last of them. */
static const char *parse_addr(const char *p, const char *end, uint64_t *addr)
{
	char text[2] = "";

	for (*addr = 0; p < end && isxdigit((unsigned char)*p); p++) {
		*text = *p;
		*addr = *addr << 4 | strtoul(text, NULL, 16);
	}
	return p;
}

void fnsigs_read(struct fnsigs *s, const char *p, size_t n)
{
	const char *end = p + n, *note, *next;
	uint64_t addr;

	while (p < end && *p == '@') {
		note = parse_addr(p + 1, end, &addr);
		for (next = note; next < end; next++)
			if (*next == '\n' && next + 1 < end && next[1] == '@')
				break;
		if (note < end)
			fnsigs_add(s, addr, note, next - note);
		p = next + 1;
	}
}

static int take_section(struct fn_tail *t, const unsigned char **p, size_t *len)
{
	struct ktr_cap cap;
	struct fn_section *s;
	size_t size;

	if (*len < sizeof(cap))
		return -EINVAL;
	memcpy(&cap, *p, sizeof(cap));
	size = sizeof(cap) + (((size_t)cap.len + 7) & ~7UL);
	if (size > *len || cap.op >= KTR_OPS_MAX)
		return -EINVAL;
	s = &t->sec[cap.op];
	s->p = *p + sizeof(cap);
	s->len = cap.len;
	s->flags = cap.flags;
	s->there = true;
	*p += size;
	*len -= size;
	return 0;
}

int fn_tail_parse(const unsigned char *p, size_t len, struct fn_tail *t)
{
	struct ktr_func_tail head;
	unsigned int i;

	memset(t, 0, sizeof(*t));
	if (len < sizeof(head))
		return -EINVAL;
	memcpy(&head, p, sizeof(head));
	p += sizeof(head);
	len -= sizeof(head);
	if (head.nargs > 6 || len < head.nargs * 8u)
		return -EINVAL;
	t->nargs = head.nargs;
	memcpy(t->args, p, head.nargs * 8u);
	p += head.nargs * 8u;
	len -= head.nargs * 8u;
	for (i = 0; i < head.ncaps; i++)
		if (take_section(t, &p, &len))
			return -EINVAL;
	if (len < head.nstack * 8u)
		return -EINVAL;
	t->nstack = head.nstack;
	t->stack = p;
	return 0;
}
