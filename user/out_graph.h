/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Graphs of kernel functions in the form that people know from ftrace. A call's
 * record comes when it returns: they are kept until their graph is whole, and then
 * until the syscall that they are of has its line.
 */
#ifndef KTR_OUT_GRAPH_H
#define KTR_OUT_GRAPH_H

#include "out.h"

/* Return: true if it is to be shown at once: no line of a syscall will come. */
bool graph_keep(struct out *o, struct proc *p, const struct ktr_rec *rec, unsigned int cpu);

/* Whether one that began before that time is whole. */
bool graph_due(const struct proc *p, uint64_t before);
/* When the first ended that is whole; never, if none is. */
uint64_t graph_ended(const struct proc *p);
/* Those, and, with rest, what is there of one that is not whole yet. */
void graph_show(struct out *o, struct proc *p, uint64_t before, bool rest);

/* --format ftrace: where such a line goes, behind the news that it is of another thread. */
struct sink *ftrace_graph_line(struct out *o, struct proc *p, unsigned int cpu);

#endif
