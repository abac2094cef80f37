/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of a trace, as its records tell of them. */
#ifndef KTR_PROCS_H
#define KTR_PROCS_H

#include <stdbool.h>
#include <stdint.h>

#include "callgraph.h"
#include "ktracer.h"
#include "sink.h"

/* A record kept for later; rec lies behind it. */
struct held {
	struct held *next;
	unsigned int cpu;	/* if somebody wants to know */
	struct ktr_rec rec[];
};

struct proc {
	struct proc *next;	/* of the hash chain */
	uint32_t tid;
	uint32_t tgid;		/* 0: not known */
	uint32_t born_by;	/* of inorder.h: the thread whose record of it waits */
	bool live;		/* counted in nlive */
	bool exited;
	/* -b execve: 1 its execve is to be shown yet, 2 it is let go */
	int gone;
	int told;		/* the signal that its last line is about */
	bool dying;		/* of kdump: SIGKILL was delivered to it */
	const struct ktr_ev_exit *end;	/* of kdump: while what comes before it is told */
	bool begun;		/* the entry of a call under way was printed */
	int begun_nr;
	unsigned int begun_abi;
	unsigned int abi;	/* of its last call */
	int resumes;		/* the call that restart_syscall goes on with, plus 1 */
	uint64_t ip;		/* where that was made; 0: not known */
	char comm[17];
	char was[17];		/* its name until then */
	uint64_t named_at;
	uint64_t waits_at;	/* where it left its CPU, 0: not known */
	bool preempted;		/* when it left it, it could have run on */
	struct held *held;	/* ignored signals, oldest first */
	bool releasing;		/* of inorder.h: they are being told */
	struct held *sent;	/* the latest of each undelivered signal */
	struct held *early;	/* a begun record that lacks something */
	uint64_t early_at;	/* lines that there were before it */
	struct held *exec;	/* the exec by which it gets its number, not told yet */
	struct callgraph *graph;	/* NULL: it never had one */
	struct sink *sink;	/* a file of its own */
};

/* What is left of a thread that ended: the kernel's counts. */
struct proc_count {
	uint32_t tid;
	uint32_t tgid;
	uint32_t reason;	/* enum ktr_end */
	char comm[17];
	uint64_t recorded;
	uint64_t lost;
	uint64_t syscalls_lost;
};

/* How a thread was called that has ended. */
struct proc_name {
	uint32_t tid;
	char comm[17];
};

#define PROCS_ENDED 64

struct procs {
	struct proc **table;
	size_t size;		/* chains, a power of two */
	size_t n;
	unsigned int nlive;	/* threads traced at the moment */
	unsigned int nheld;	/* records held back, of all threads, early ones, graphs */
	struct held *outlived;	/* exits of leaders whose threads go on */
	struct proc_name ended[PROCS_ENDED];	/* the latest ones */
	unsigned int nended;	/* of all */
	bool keep_counts;
	struct proc_count *counts;
	size_t ncounts;
	/* realtime - monotonic, from the last anchor */
	int64_t wall;
	bool have_wall;
};

void procs_init(struct procs *ps);
void procs_free(struct procs *ps);

struct proc *procs_find(struct procs *ps, uint32_t tid);	/* or NULL */
struct proc *procs_get(struct procs *ps, uint32_t tid);	/* made if new */
void procs_drop(struct procs *ps, uint32_t tid);
/* The name of a thread, also of one that ended lately; NULL: not known. */
const char *procs_comm(struct procs *ps, uint32_t tid);
/* Its name at that time, as far as it had only one other; "": it is not known. */
const char *procs_named(const struct proc *p, uint64_t time);
void procs_set_live(struct procs *ps, struct proc *p, bool live);

/*
 * Where a session was read before, its first records are gone: what the module
 * knows now.
 */
void procs_known(struct procs *ps, uint32_t tid, uint32_t tgid,
		 const char *comm);
void procs_wall(struct procs *ps);	/* the clocks of this moment */

/* What a record says about processes and the clock, whatever else it is. */
void procs_note(struct procs *ps, const struct ktr_rec *rec);
/* To be called when the record has been dealt with: ends threads. */
void procs_after(struct procs *ps, const struct ktr_rec *rec);

bool procs_hold(struct procs *ps, struct proc *p, const struct ktr_rec *rec);
/* The CPU of what was held last. */
void procs_held_on(struct proc *p, unsigned int cpu);
/* The oldest held record, taken out; to be freed. NULL: none. */
struct held *procs_unhold(struct procs *ps, struct proc *p);
/* All of them, each to be freed. */
struct held *procs_unhold_all(struct procs *ps, struct proc *p);

/* Whether it is kept now; at most one. */
bool procs_keep_early(struct procs *ps, struct proc *p,
		      const struct ktr_rec *rec);
/* Taken out; to be freed. NULL: none. */
struct held *procs_early(struct procs *ps, struct proc *p);

/* The same of an exec record, kept by the thread that the number was of. */
bool procs_keep_exec(struct procs *ps, struct proc *p,
		     const struct ktr_rec *rec);
struct held *procs_exec(struct procs *ps, struct proc *p);

/*
 * The end of a leader is told when its last thread has ended, or never, if one
 * of them takes over its number by an exec. The record is copied; false: no
 * memory. Taken out it is to be freed; tid 0: any. NULL: none.
 */
bool procs_outlive(struct procs *ps, const struct ktr_rec *rec);
struct held *procs_outlived(struct procs *ps, uint32_t tid);

/*
 * A signal that ends a process is delivered under SIGKILL's name, without its
 * siginfo: what was sent is kept until it is delivered, or asked for at exit.
 */
void procs_sent(struct proc *p, const struct ktr_rec *rec, int sig);
/* To be freed; NULL: none. */
struct held *procs_unsend(struct proc *p, int sig);
bool procs_is_sent(const struct proc *p, int sig);

/* Every thread in turn; fn must not drop the one it is given, nor make others. */
void procs_each(struct procs *ps, void (*fn)(void *arg, struct proc *p),
		void *arg);

#endif
