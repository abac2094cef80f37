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

/* A set of syscalls per ABI. */
struct sysset {
	uint64_t bits[__KTR_ABI_LAST][KTR_SYSCALLS_MAX / 64];
	bool others;		/* numbers that have no name too */
};

void sysset_all(struct sysset *s);
bool sysset_has(const struct sysset *s, unsigned int abi, unsigned int nr);
bool sysset_empty(const struct sysset *s);

/*
 * strace's -e trace=SET: names, numbers, %class, /regex, a trailing @64 or
 * @32; "!" in front of all: the rest; "?" in front of one: it may be unknown;
 * all, none.
 */
int sysset_parse(struct sysset *s, const char *set, struct fault *f);

/* -e signal=SET as a mask, bit sig - 1. */
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

/* "64K", "4MiB", "65536"; "2s", "500ms", "1.5" (seconds) in ns. */
int size_parse(uint64_t *bytes, const char *text, struct fault *f);
int time_parse(uint64_t *ns, const char *text, struct fault *f);

struct select {
	struct sysset calls;
	bool calls_given;
	uint64_t signals;
	bool signals_given;
	unsigned int status;		/* STATUS_* */
	uint64_t events;		/* --event */
	struct filter filter;
	struct pidlist pids;
	const char **funcs;		/* --func patterns */
	size_t nfuncs;
	bool follow;			/* -f */
	bool descend;			/* --descend */
	bool detach_on_exec;		/* -b execve */
	uint64_t buffer;		/* 0: the module's default */
	bool big;			/* over the module's limit */
	int mode;			/* enum ktr_mode, -1: the command's */
	uint64_t for_ns;		/* 0: no end */
	uint64_t limit;
	bool fail_on_loss;
};

void select_init(struct select *s);
void select_free(struct select *s);

/* The kinds a session needs for this. */
uint64_t select_events(const struct select *s);

/* Does a record belong to the selection? For those that come from a file. */
bool select_pass(const struct select *s, const struct ktr_rec *rec,
		 uint32_t tgid);
/* What -e status= leaves out, which the kernel cannot know. */
bool select_status(const struct select *s, const struct ktr_rec *rec);

#endif
