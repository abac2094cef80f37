/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user wants recorded, and the parsers of its words. */
#ifndef KTR_SELECT_H
#define KTR_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "filter.h"
#include "ktracer.h"
#include "pathlist.h"
#include "sys.h"
#include "whom.h"

/* A set of syscalls per ABI. */
struct sysset {
	uint64_t bits[__KTR_ABI_LAST][KTR_SYSCALLS_MAX / 64];
	uint32_t inner[SYS_WRAPPERS];	/* of what socketcall and ipc stand for */
	bool others;		/* numbers that have no name too */
};

void sysset_all(struct sysset *s);
bool sysset_has(const struct sysset *s, unsigned int abi, unsigned int nr);
/* The same for a call that may stand for another, which arg0 tells. */
bool sysset_has_call(const struct sysset *s, unsigned int abi, unsigned int nr,
		     uint64_t arg0);
/* No call that stands for others is meant in part. */
bool sysset_is_plain(const struct sysset *s);
bool sysset_empty(const struct sysset *s);

/*
 * strace's -e trace=SET: names, numbers, %class, /regex, a trailing @64 or
 * @32; "!" in front of all: the rest; "?" in front of one: it may be unknown;
 * all, none.
 */
int sysset_parse(struct sysset *s, const char *set, struct fault *f);

/* strace's rule for such words in sets: they stand alone. */
bool set_misplaces(const char *set, const char *word);

/* -e signal=SET as a mask, bit sig - 1; of numbers without a signal nothing. */
int sigset_parse(uint64_t *mask, const char *set, struct fault *f);

#define STATUS_SUCCESSFUL	(1u << 0)
#define STATUS_FAILED		(1u << 1)
#define STATUS_UNFINISHED	(1u << 2)
#define STATUS_ALL		7u
int status_parse(unsigned int *status, const char *set, struct fault *f);

struct pidlist {
	uint32_t *pid;
	size_t n;
};

/* Numbers separated by commas or white space; appended, once each. */
int pidlist_parse(struct pidlist *l, const char *text, struct fault *f);
bool pidlist_has(const struct pidlist *l, uint32_t pid);

/*
 * "64K", "4MiB", "65536"; "2s", "500ms", "1.5" (seconds) in ns. what: the option,
 * for the fault.
 */
int size_parse(uint64_t *bytes, const char *what, const char *text, struct fault *f);
int time_parse(uint64_t *ns, const char *what, const char *text,
	       struct fault *f);
/* strace's form: a number is of microseconds; 0 is allowed. what: the option. */
int usec_parse(uint64_t *ns, const char *what, const char *text,
	       struct fault *f);

/* What is recorded of functions. */
enum func_what { FUNC_ENTRIES, FUNC_RETURNS, FUNC_RETURNS_ONLY };

/* --args */
struct args_wanted {
	bool args;
	bool raw;			/* registers where no type is known */
	unsigned int strsize;		/* bytes of a string */
	const char **specs;		/* FUNC(ARG, ...), each one or more */
	size_t nspecs;
};

struct funcs_wanted {
	enum func_what ret;		/* --ret */
	struct args_wanted args;
	bool graph;			/* add-func --graph: all that is below, too */
	unsigned int depth;		/* --depth; 0: any */
	const char **exclude;		/* --graph-exclude patterns */
	size_t nexclude;
};

/* --kstack, -k */
struct stack_wanted {
	unsigned int kernel;		/* frames at most; 0: none */
	unsigned int user;
	unsigned int copy;		/* bytes of the program's stack, to be unwound later */
};

#define STACK_FRAMES 32			/* if no number is given */
#define STACK_COPY 8192

struct select {
	struct sysset calls;
	bool calls_given;
	uint64_t signals;
	bool signals_given;
	unsigned int status;		/* STATUS_* */
	uint64_t events;		/* --event */
	struct filter filter;
	struct pathlist paths;		/* -P */
	struct pidlist pids;
	struct whomlist whom;		/* --pgid, --uid, --cgroup, --all */
	const char **funcs;		/* --func patterns */
	size_t nfuncs;
	const char **graphs;		/* --graph patterns */
	size_t ngraphs;
	struct funcs_wanted fn;
	struct stack_wanted stack;
	bool follow;			/* -f */
	bool descend;			/* --descend */
	bool self;			/* --self: the reader may be a target */
	bool detach_on_exec;		/* -b execve */
	uint64_t buffer;		/* 0: the module's default */
	bool big;			/* over the module's limit */
	int mode;			/* enum ktr_mode, -1: the command's */
	uint64_t for_ns;		/* 0: no end */
	uint64_t limit;
	uint64_t max_size;		/* of a capture file; 0: any */
	bool fail_on_loss;
	bool count;			/* let the kernel count calls */
	unsigned int count_flags;	/* KTR_SUM_F_* */
};

void select_init(struct select *s);
void select_free(struct select *s);
/* Does it name running processes? */
bool select_running(const struct select *s);

/* The kinds that functions need. */
uint64_t select_func_events(enum func_what what);
uint64_t select_graph_events(void);
/* The kinds a session needs for this. */
uint64_t select_events(const struct select *s);

/* What the module is asked for; no kinds: no stacks. */
struct ktr_stack_want select_stacks(const struct select *s);
/* The same of a session that may be given any kind of event. */
struct ktr_stack_want select_stacks_of_all(const struct select *s);

/* Does a record belong to the selection? For those that come from a file. */
bool select_pass(const struct select *s, const struct ktr_rec *rec,
		 uint32_t tgid);
/* What -e status= leaves out, and calls inside others: the kernel cannot know. */
bool select_rest(const struct select *s, const struct ktr_rec *rec);

#endif
