// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "callgraph.h"
#include "events.h"

static bool grow(struct callgraph *g)
{
	size_t alloc = g->alloc ? g->alloc * 2 : 64;
	struct cg_call *p;

	if (g->n < g->alloc)
		return true;
	p = realloc(g->call, alloc * sizeof(*p));
	if (!p)
		return false;
	g->call = p;
	g->alloc = alloc;
	return true;
}

bool callgraph_add(struct callgraph *g, const struct ktr_rec *rec, unsigned int cpu)
{
	const struct ktr_ev_graph *ev = EV_AS(graph, rec);

	if (!ev || !grow(g))
		return false;
	g->call[g->n++] = (struct cg_call){
		.ip = ev->ip, .start = ev->start, .end = rec->time,
		.number = ev->number, .calls = ev->calls, .depth = ev->depth,
		.entry_cpu = ev->entry_cpu, .cpu = cpu,
		.context = rec->flags & KTR_REC_CTX_MASK,
	};
	return true;
}

size_t callgraph_whole(const struct callgraph *g)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		if (!g->call[i].depth)
			return i + 1;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct cg_call *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

void callgraph_order(struct callgraph *g, size_t n)
{
	if (n)
		qsort(g->call, n, sizeof(*g->call), by_number);
}

void callgraph_drop(struct callgraph *g, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!g->partly || g->told < g->call[i].number)
			g->told = g->call[i].number;
		g->partly = true;
	}
	for (i = 0; i < n; i++)
		if (!g->call[i].depth)
			g->partly = false;
	g->n -= n;
	memmove(g->call, g->call + n, g->n * sizeof(*g->call));
}

unsigned int callgraph_join(struct callgraph **to, struct callgraph **from)
{
	struct callgraph *a = *from, *b = *to;
	size_t n = b ? b->n : 0, i;
	unsigned int fewer = 0;

	if (!a)
		return 0;
	fewer = a->n && n;
	for (i = 0; i < n && grow(a); i++)
		a->call[a->n++] = b->call[i];
	callgraph_free(b);
	*to = a;
	*from = NULL;
	return fewer;
}

bool callgraph_below(const struct cg_call *inner, const struct cg_call *outer)
{
	return inner->number - outer->number <= outer->calls;
}

void callgraph_free(struct callgraph *g)
{
	if (g)
		free(g->call);
	free(g);
}
