// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks counted, a line each: `comm;outermost;...;innermost count`, the program's
 * frames before the kernel's, as flame graphs are made from.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "frames.h"
#include "out.h"
#include "stack.h"

struct fold {
	struct fold *next;	/* of the list, newest first */
	uint64_t n;
	char text[];
};

struct folds {
	void *tree;		/* by text */
	struct fold *list;
	size_t count;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct fold *)a)->text, ((const struct fold *)b)->text);
}

/* What ends a frame or the stack is no part of a name. */
static void put_name(struct buf *b, const char *name)
{
	for (; *name; name++)
		buf_putc(b, *name == ';' || *name == '\n' ? '_' : *name);
}

static void put_frame(struct buf *b, const struct frame *f)
{
	const char *path = f->image ? image_path(f->image) : NULL, *base;

	buf_putc(b, ';');
	if (f->name) {
		put_name(b, f->name);
	} else if (path) {
		base = strrchr(path, '/');
		buf_putc(b, '[');
		put_name(b, base ? base + 1 : path);
		buf_putc(b, ']');
	} else {
		buf_puts(b, "[unknown]");
	}
}

static void put_program(struct out *o, struct buf *b, const struct proc *p,
			struct stack *s)
{
	struct frame f[FRAMES_MAX];
	unsigned int n = frames_of(&o->spaces, p->tgid ? p->tgid : p->tid, s, f);

	while (n--)
		put_frame(b, &f[n]);
}

static void put_kernel(struct out *o, struct buf *b, const struct ktr_rec *rec,
		       const struct stack *s)
{
	unsigned int first = stack_machinery(o, rec, s), i = s->nkernel;
	const struct ksym *sym;

	while (i-- > first) {
		sym = ksyms_find(&o->syms, s->kernel[i]);
		buf_putc(b, ';');
		put_name(b, sym ? ksyms_name(&o->syms, sym) : "[unknown]");
	}
}

static void count(struct folds *all, struct buf *b)
{
	const char *text = buf_str(b);
	struct fold *one = malloc(sizeof(*one) + b->len + 1), **found;

	if (!one)
		abort();
	memcpy(one->text, text, b->len + 1);
	found = tsearch(one, &all->tree, by_text);
	if (!found)
		abort();
	if (*found != one) {
		free(one);
		(*found)->n++;
		return;
	}
	one->n = 1;
	one->next = all->list;
	all->list = one;
	all->count++;
}

static struct folds *folds_of(struct out *o)
{
	if (!o->folds)
		o->folds = calloc(1, sizeof(*o->folds));
	if (!o->folds)
		abort();
	return o->folds;
}

static void folded_record(struct out *o, const struct ktr_rec *rec, unsigned int cpu)
{
	struct buf *b = &o->scratch;
	struct stack s;
	struct proc *p;

	(void)cpu;
	procs_note(&o->procs, rec);
	if (stack_of(rec, &s)) {
		p = procs_get(&o->procs, rec->tid);
		buf_reset(b);
		put_name(b, p->comm[0] ? p->comm : "[unknown]");
		put_program(o, b, p, &s);
		put_kernel(o, b, rec, &s);
		count(folds_of(o), b);
	}
	procs_after(&o->procs, rec);
}

static void put_fold(const void *node, VISIT visit, void *to)
{
	const struct fold *f = *(const struct fold *const *)node;

	if (visit == postorder || visit == leaf)
		buf_printf(to, "%s %llu\n", f->text, (unsigned long long)f->n);
}

/* Whoever asks for this has no other lines. */
static void folded_footer(struct out *o, uint64_t records, uint64_t lost)
{
	struct folds *all = folds_of(o);

	(void)records;
	(void)lost;
	twalk_r(all->tree, put_fold, &o->sink.b);
}

void out_free_folds(struct folds *all)
{
	struct fold *f;

	while (all && (f = all->list)) {
		all->list = f->next;
		tdelete(f, &all->tree, by_text);
		free(f);
	}
	free(all);
}

static void folded_tick(struct out *o, uint64_t now)
{
	o->now = now;
}

static void folded_header(struct out *o, const char *meta)
{
	(void)o;
	(void)meta;
}

const struct out_ops out_folded_ops = {
	.header = folded_header,
	.record = folded_record,
	.tick = folded_tick,
	.footer = folded_footer,
};
