/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Graphs of kernel functions: calls of those that begin one, and of all hooked
 * functions that are called below it, each recorded when it returns.
 *
 * All functions that may be below are hooked, for all tasks; what is recorded of
 * them is chosen at entry, by where the calling target is just then.
 */
#ifndef _KTR_GRAPH_H
#define _KTR_GRAPH_H

#include <asm/local.h>
#include "emit.h"

struct ktr_span;
struct ktr_target;
struct ktr_graph_begins;

/* Calls that may be inside at a time, of all tasks. */
#define KTR_GRAPH_INSIDE 16384
/* Deeper calls are counted as missed; the kernel's stack ends before. */
#define KTR_GRAPH_DEEPEST 256

/* Of one session. */
struct ktr_graph {
	struct ktr_stream *stream;
	u32 id;			/* another one whenever it gets hooked */
	u32 n;			/* hooked; the session's mutex, as all but the last */
	unsigned long *addr;	/* ascending */
	u32 depth;		/* as it was asked for last, for those that begin later */
	bool expects;		/* it stays hooked without any: some may come with a module */
	struct ktr_graph_begins __rcu *begins;	/* NULL: none */
	void *hook;		/* its backend's; NULL: nothing is hooked */
	u64 missed;		/* by hooks that are gone */
	atomic64_t no_room;	/* calls that were too deep */
};

/* Where a target is in its session's graph. */
struct ktr_graph_place {
	u32 graph;		/* id; another one: what follows is void */
	u32 serial;		/* unique, of this target in this graph */
	u32 depth;		/* calls that it is inside; 0: in none */
	u32 overrun;		/* of its shadow stack, when it was in none */
	local_t number;		/* of the last entry */
};

/* What a call keeps from its entry to its return. */
struct ktr_graph_data {
	u32 serial;
	u32 number;
	u32 depth;
	u32 cpu;
	u64 start;
};

void ktr_graph_init(struct ktr_graph *g, struct ktr_stream *st);
/*
 * @addr, ascending: functions to be hooked; functions that graphs begin with,
 * which are hooked too, and how deep graphs are from now on, 0: any. -EINVAL: one
 * cannot be; -EEXIST: all begin graphs; -EOPNOTSUPP.
 */
int ktr_graph_add_below(struct ktr_graph *g, const u64 *addr, u32 n);
int ktr_graph_add(struct ktr_graph *g, const u64 *addr, u32 n, u32 depth);
/* Whether graphs may begin later that do not yet: what is hooked for them stays. */
void ktr_graph_expect(struct ktr_graph *g, bool yes);
/*
 * Graphs begin no more with @addr, ascending; if they begin with nothing, and none is
 * expected, nothing stays hooked. Return: 0 or an error.
 */
int ktr_graph_del(struct ktr_graph *g, const u64 *addr, u32 n);
/* Without all in the span, above and below; without memory for that nothing stays. */
void ktr_graph_sweep(struct ktr_graph *g, const struct ktr_span *span);
/* How many begin graphs; @n of them from the @skip-th on. */
u32 ktr_graph_count(const struct ktr_graph *g);
u32 ktr_graph_list(const struct ktr_graph *g, u32 skip, u64 *addr, u32 n);
/* Calls that belong into graphs and were not hooked. */
u64 ktr_graph_missed(const struct ktr_graph *g);
/* No callback can run when it returns; calls that are inside return unseen. */
void ktr_graph_close(struct ktr_graph *g);

/*
 * What the hook calls, in any context, preemption off. Whether the running task's
 * call of @ip belongs into a graph of the session. If so it is entered, if there is
 * room for its return, and done with in any case; what functions are called until
 * then is not the task's doing. Between that and its leaving @data is the call's.
 */
bool ktr_graph_takes(struct ktr_graph *g, unsigned long ip);
void ktr_graph_entered(struct ktr_graph *g, struct ktr_graph_data *data);
void ktr_graph_done(void);
void ktr_graph_left(struct ktr_graph *g, unsigned long ip, const struct ktr_graph_data *data);

/*
 * The backend: g->hook, with more and more functions, none of them twice. It may
 * leave some out, and change @addr.
 */
int ktr_graph_hook(struct ktr_graph *g);
int ktr_graph_hook_more(struct ktr_graph *g, unsigned long *addr, u32 n);
/* Some of them, but not all, whose text is about to be freed. */
int ktr_graph_hook_less(struct ktr_graph *g, unsigned long *addr, u32 n);
u64 ktr_graph_hook_missed(const struct ktr_graph *g);
/* Waits for callbacks, also those of calls that return just now. */
void ktr_graph_unhook(struct ktr_graph *g);

/* Never called: there to be hooked. */
void ktr_graph_anchor(void);

#endif
