/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control plane as plain structs. Nothing but ctl.c knows netlink.
 *
 * Functions return 0 or -errno; ctl_reason() has the kernel's own words for
 * the last failure. -ENOENT of ctl_open() says that the module is not there.
 */
#ifndef KTR_CTL_H
#define KTR_CTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ktracer.h"

struct ctl;

struct ctl_info {
	unsigned int version;
	char release[64];
	uint64_t events;
	uint64_t max_bytes;
	uint64_t used_bytes;
	unsigned int genio_size;
	unsigned int request_pool;
	unsigned int narrow;	/* enum ktr_narrow_state, if privileged */
	unsigned int ncpus;
	bool privileged;	/* we are */
};

/* Which session: by number, or by name if that is not NULL. */
struct ctl_ref {
	uint32_t id;
	const char *name;
};

struct ctl_new {
	const char *name;	/* NULL: anonymous, bound to fd */
	int fd;
	unsigned int mode;
	uint64_t buf_size;	/* 0: the module's default */
	uint64_t ctl_size;
	uint64_t watermark;
	unsigned int flush_ms;
	unsigned int flags;
	bool count;		/* calls, as KTR_SUM_F_* of sum_flags say */
	unsigned int sum_flags;
	unsigned int sum_slots;	/* 0: the module's default */
};

struct ctl_cpu {
	unsigned int nr;
	uint64_t recorded;
	uint64_t bytes;
	uint64_t unread;
	uint64_t evicted;
	unsigned int nloss;
	struct ktr_loss_count *loss;
};

struct ctl_session {
	uint32_t id;
	char name[KTR_NAME_MAX];
	unsigned int state;
	unsigned int mode;
	uint64_t buf_size;
	uint64_t ctl_size;
	uint64_t watermark;
	unsigned int flush_ms;
	unsigned int flags;
	unsigned int ncpus;
	uint64_t total_bytes;
	uint64_t events;
	uint64_t signals;
	unsigned int generation;
	unsigned int owner;
	bool plain;		/* of a user without privilege */
	unsigned int ntargets;
	unsigned int nsyscalls;
	unsigned int nfuncs;
	unsigned int nrets;	/* of these, with returns */
	uint64_t rets_missed;
	uint64_t rets_inside;
	uint64_t hooks_missed;
	unsigned int nwaits;		/* modules it waits for */
	unsigned int ngraphs;		/* functions that begin graphs */
	unsigned int nbelow;		/* that are hooked for them */
	uint64_t graph_missed;
	unsigned int filter_len;
	unsigned int reader;
	uint64_t probes;
	uint64_t not_followed;
	uint64_t refused;
	bool counts;
	uint64_t sum_missed;
	uint64_t label;		/* of who made it, ktrace()'s trace points */
	bool written;		/* the module writes it to a file */
	uint64_t file_bytes;
	unsigned int file_error;	/* errno, 0: none */
	uint64_t file_missing;		/* records, after an error */
	/* Its path, or that of the file its reader makes; NULL: none, or there was no memory. */
	char *file_name;
	unsigned int ncpu;	/* entries of cpu[] */
	struct ctl_cpu *cpu;
};

/* What to change; the bits of "set" say which fields count. */
struct ctl_set {
	unsigned int set;
#define CTL_SET_STATE		(1u << 0)
#define CTL_SET_EVENTS		(1u << 1)
#define CTL_SET_EVENTS_ADD	(1u << 2)
#define CTL_SET_EVENTS_DEL	(1u << 3)
#define CTL_SET_SIGNALS		(1u << 4)
#define CTL_SET_SIGNALS_ADD	(1u << 5)
#define CTL_SET_SIGNALS_DEL	(1u << 6)
#define CTL_SET_FILTER		(1u << 7)
#define CTL_SET_DRAIN		(1u << 8)
#define CTL_SET_PATHS		(1u << 9)
#define CTL_SET_LABEL		(1u << 10)
#define CTL_SET_STACK		(1u << 11)
#define CTL_SET_SAVED		(1u << 12)
	unsigned int state;
	uint64_t events, events_add, events_del;
	uint64_t signals, signals_add, signals_del;
	uint64_t label;
	const struct ktr_pred *filter;
	unsigned int nfilter;
	const void *paths;	/* for the filter */
	size_t paths_len;
	const char *saved;	/* where we put what we read */
	struct ktr_stack_want stack;
};

struct ctl_target {
	uint32_t tid;
	uint32_t tgid;
	char comm[16];
	unsigned int flags;
	uint64_t recorded;
	uint64_t lost;
	uint64_t syscalls_lost;
};

int ctl_open(struct ctl **ctl);
void ctl_close(struct ctl *ctl);
const char *ctl_reason(const struct ctl *ctl);	/* "" if it said nothing */

int ctl_info(struct ctl *ctl, struct ctl_info *info);
/* The module has told that we are a user without privilege. */
bool ctl_plain(const struct ctl *ctl);

/* A session filled in here is to be freed with ctl_session_free(). */
int ctl_session_new(struct ctl *ctl, const struct ctl_new *n,
		    struct ctl_session *s);
int ctl_session_get(struct ctl *ctl, struct ctl_ref ref, struct ctl_session *s);
void ctl_session_free(struct ctl_session *s);
int ctl_session_list(struct ctl *ctl, struct ctl_session **list, size_t *n);
void ctl_session_list_free(struct ctl_session *list, size_t n);
/* fd: open for appending; from now on the module writes there. */
int ctl_file(struct ctl *ctl, struct ctl_ref ref, int fd);
/* Whether it would be taken; nothing is done. */
int ctl_file_try(struct ctl *ctl, struct ctl_ref ref, int fd);
int ctl_session_del(struct ctl *ctl, struct ctl_ref ref);
int ctl_session_set(struct ctl *ctl, struct ctl_ref ref,
		    const struct ctl_set *set);

/*
 * *n, if not NULL: tasks that became or ceased to be targets. mem: -1, or for a
 * plain session an open /proc/ID/mem.
 */
int ctl_target_add(struct ctl *ctl, struct ctl_ref ref, unsigned int kind,
		   uint32_t id, unsigned int flags, int mem, unsigned int *n);
int ctl_target_del(struct ctl *ctl, struct ctl_ref ref, unsigned int kind,
		   uint32_t id, unsigned int flags, unsigned int *n);
int ctl_target_del_all(struct ctl *ctl, struct ctl_ref ref, unsigned int *n);
int ctl_target_list(struct ctl *ctl, struct ctl_ref ref,
		    struct ctl_target **list, size_t *n);

/* rows: as KTR_A_ROWS, at most KTR_ROWS_BYTES_MAX bytes. */
int ctl_syscall_add(struct ctl *ctl, struct ctl_ref ref, const void *rows,
		    size_t len, unsigned int flags);
int ctl_syscall_del(struct ctl *ctl, struct ctl_ref ref, const void *rows,
		    size_t len, unsigned int flags);
/* *rows is to be freed. */
int ctl_syscall_get(struct ctl *ctl, struct ctl_ref ref, void **rows,
		    size_t *len);

/* What the session counted, row by row; hist is NULL if it has none. */
typedef int (*ctl_sum_fn)(void *arg, const struct ktr_sum_row *row,
			  const uint64_t *hist);
int ctl_summary_get(struct ctl *ctl, struct ctl_ref ref, ctl_sum_fn fn,
		    void *arg);

/* Any number of addresses; sent in as many messages as it takes. */
int ctl_func_add(struct ctl *ctl, struct ctl_ref ref, const uint64_t *addrs,
		 size_t n, unsigned int flags);
int ctl_func_del(struct ctl *ctl, struct ctl_ref ref, const uint64_t *addrs,
		 size_t n);
/* Graphs begin with them, of this depth (0: any); no more. */
int ctl_graph_add(struct ctl *ctl, struct ctl_ref ref, const uint64_t *addrs,
		  size_t n, unsigned int depth);
int ctl_graph_del(struct ctl *ctl, struct ctl_ref ref, const uint64_t *addrs,
		  size_t n);
/* rows: as KTR_A_FUNC_ROWS, at most KTR_ROWS_BYTES_MAX bytes. */
int ctl_func_rows_add(struct ctl *ctl, struct ctl_ref ref, const void *rows,
		      size_t len);
typedef int (*ctl_row_fn)(void *arg, const void *row, size_t len);
int ctl_func_rows_get(struct ctl *ctl, struct ctl_ref ref, ctl_row_fn fn,
		      void *arg);
/* What one command asked for of a module: globs, each with its NUL, len bytes in all. */
struct ctl_wait {
	char module[64];
	const char *globs;
	size_t len;
	unsigned int flags;	/* KTR_FUNCS_F_RET, _BELOW, _GRAPH; _UNDO: it takes away */
};

int ctl_wait_add(struct ctl *ctl, struct ctl_ref ref, const char *module, const void *globs,
		 size_t len, unsigned int flags, unsigned int depth);
int ctl_wait_del(struct ctl *ctl, struct ctl_ref ref, const char *module, const void *globs,
		 size_t len, unsigned int flags);
typedef int (*ctl_wait_fn)(void *arg, const struct ctl_wait *w);
int ctl_wait_get(struct ctl *ctl, struct ctl_ref ref, ctl_wait_fn fn, void *arg);
/* Keep those that could be added. */
int ctl_func_test(struct ctl *ctl, struct ctl_ref ref, uint64_t *addrs,
		  size_t *n);
/* flags: KTR_FUNCS_F_RET: only those with returns; _GRAPH: that begin graphs. */
int ctl_func_get(struct ctl *ctl, struct ctl_ref ref, unsigned int flags,
		 uint64_t **addrs, size_t *n);

#endif
