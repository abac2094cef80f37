/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of a thread's graphs, kept until they can be told in order. */
#ifndef KTR_CALLGRAPH_H
#define KTR_CALLGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ktracer.h"

struct cg_call {
	uint64_t ip;
	uint64_t start, end;
	uint32_t number;
	uint32_t calls;		/* below it: the numbers that follow */
	uint32_t depth;
	uint32_t entry_cpu, cpu;
	uint8_t context;	/* KTR_REC_CTX_* */
	size_t up;		/* for who prints them: the call around it */
};

/*
 * In the order they ended in: so a graph's calls stand together, and the last of
 * them is the one that it begins with, of depth 0.
 */
struct callgraph {
	struct cg_call *call;
	size_t n, alloc;
	bool partly;		/* calls below one that is to come were told */
	uint32_t told;		/* the highest number of these */
};

/* False: no memory, or no such record. */
bool callgraph_add(struct callgraph *g, const struct ktr_rec *rec, unsigned int cpu);
/* How many calls the first graph has that is whole; 0: there is none. */
size_t callgraph_whole(const struct callgraph *g);
/* The first n of them into the order in which they were entered. */
void callgraph_order(struct callgraph *g, size_t n);
/* They have been told. */
void callgraph_drop(struct callgraph *g, size_t n);
/* Whether inner was called below outer, which was entered first. */
bool callgraph_below(const struct cg_call *inner, const struct cg_call *outer);
/*
 * What *from has comes in front of what *to has; either may be NULL, *from is so then.
 * Return: how many fewer of the two hold any.
 */
unsigned int callgraph_join(struct callgraph **to, struct callgraph **from);
/* The calls go; NULL: nothing. */
void callgraph_free(struct callgraph *g);

#endif
