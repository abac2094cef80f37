// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "out_graph.h"
#include "text_lead.h"

#define KEEP_MAX 65536		/* calls of a thread */
#define NONE SIZE_MAX
#define DEEPEST 256		/* deeper ones are no more indented */

/* ftrace's marks of calls that took long, its widths too. */
static char mark_of(uint64_t ns)
{
	static const struct {
		uint64_t over;
		char mark;
	} marks[] = {
		{ 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		{ 1000000, '#' }, { 100000, '!' }, { 10000, '+' },
	};
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (ns > marks[i].over)
			return marks[i].mark;
	return ' ';
}

/* Seven digits at most, three of them behind the point. */
static void put_duration(struct buf *b, uint64_t ns)
{
	char text[40];
	int n = snprintf(text, sizeof(text), "%llu.%03u", (unsigned long long)(ns / 1000),
			 (unsigned int)(ns % 1000));

	if (n > 8)
		n = n - 4 >= 7 ? n - 4 : 8;
	buf_printf(b, "%c %.*s us ", mark_of(ns), n, text);
	if (n < 8)
		buf_pad(b, ' ', 8 - n);
	buf_puts(b, "|  ");
}

static struct sink *begin(struct out *o, struct proc *p, const struct cg_call *c, bool ends)
{
	struct sink *s = o->opts.as_ftrace ?
		ftrace_graph_line(o, p, ends ? c->cpu : c->entry_cpu) :
		text_line(o, p, ends ? c->end : c->start, p->begun_nr);

	buf_printf(&s->b, "%2u) ", ends ? c->cpu : c->entry_cpu);
	if (ends)
		put_duration(&s->b, c->end - c->start);
	else
		buf_printf(&s->b, "%14s|  ", "");
	buf_pad(&s->b, ' ', 2 * (c->depth < DEEPEST ? c->depth : DEEPEST));
	return s;
}

static void put_leaf(struct out *o, struct proc *p, const struct cg_call *c, bool open)
{
	static const char *const contexts[] = {
		"", " /* softirq */", " /* irq */", " /* nmi */",
	};
	struct sink *s = begin(o, p, c, !open);

	ksyms_format_entry(&o->syms, &s->b, c->ip);
	buf_puts(&s->b, open ? "() {" : "();");
	buf_puts(&s->b, contexts[c->context]);
	sink_end_line(s);
}

/* named: its beginning has no line. */
static void put_close(struct out *o, struct proc *p, const struct cg_call *c, bool named)
{
	struct sink *s = begin(o, p, c, true);

	buf_putc(&s->b, '}');
	if (named) {
		buf_puts(&s->b, " /* ");
		ksyms_format_entry(&o->syms, &s->b, c->ip);
		buf_puts(&s->b, " */");
	}
	sink_end_line(s);
}

/* Close calls from up on, outwards, until one is around c; NULL: all. */
static size_t close_calls(struct out *o, struct proc *p, size_t up, const struct cg_call *c)
{
	const struct cg_call *call = p->graph->call;

	while (up != NONE && !(c && callgraph_below(c, &call[up]))) {
		put_close(o, p, &call[up], false);
		up = call[up].up;
	}
	return up;
}

/* The first n, of one graph. */
static void show(struct out *o, struct proc *p, size_t n)
{
	struct callgraph *g = p->graph;
	size_t i, up = NONE;

	callgraph_order(g, n);
	for (i = 0; i < n; i++) {
		struct cg_call *c = &g->call[i];
		bool holds = i + 1 < n && callgraph_below(&g->call[i + 1], c);

		up = close_calls(o, p, up, c);
		c->up = up;
		if (g->partly && c->calls && c->number < g->told) {
			/* What was called first has been told: all that is left is its end. */
			if (holds)
				up = i;
			else
				put_close(o, p, c, true);
			continue;
		}
		put_leaf(o, p, c, holds);
		if (holds)
			up = i;
	}
	close_calls(o, p, up, NULL);
	callgraph_drop(g, n);
}

bool graph_due(const struct proc *p, uint64_t before)
{
	size_t n = p->graph ? callgraph_whole(p->graph) : 0;

	return n && p->graph->call[n - 1].start < before;
}

uint64_t graph_ended(const struct proc *p)
{
	size_t n = p->graph ? callgraph_whole(p->graph) : 0;

	return n ? p->graph->call[n - 1].end : UINT64_MAX;
}

void graph_show(struct out *o, struct proc *p, uint64_t before, bool rest)
{
	if (!p->graph || !p->graph->n)
		return;
	while (graph_due(p, before))
		show(o, p, callgraph_whole(p->graph));
	if (rest && p->graph->n)
		show(o, p, p->graph->n);
	if (!p->graph->n)
		o->procs.nheld--;
}

bool graph_keep(struct out *o, struct proc *p, const struct ktr_rec *rec, unsigned int cpu)
{
	const struct ktr_ev_graph *ev = EV_AS(graph, rec);

	if (!p->graph)
		p->graph = calloc(1, sizeof(*p->graph));
	if (!p->graph || !callgraph_add(p->graph, rec, cpu))
		return false;
	o->procs.nheld += p->graph->n == 1;
	if (p->graph->n >= KEEP_MAX)
		graph_show(o, p, UINT64_MAX, true);
	return !ev->depth && ev->nr < 0;
}
