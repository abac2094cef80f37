/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts and times per call or function, from the kernel's rows or from records. */
#ifndef KTR_TALLY_H
#define KTR_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "fault.h"
#include "fmt_syscall.h"
#include "ktracer.h"

enum sum_by { SUM_CALL, SUM_PID, SUM_TID };

enum sum_col {
	COL_PERCENT, COL_TOTAL, COL_MIN, COL_MAX, COL_AVG, COL_CALLS, COL_ERRORS,
	COL_NAME,
	COL_CPU,		/* ours: CPU time beside wall time */
	COL_LAST
};

#define SORT_NOTHING COL_LAST

/* What the user wants of a summary. */
struct sum_opts {
	bool only;		/* -c: in the place of lines */
	bool also;		/* -C: behind them */
	bool wall;		/* -w: total, average and order by wall time */
	bool hist;
	enum sum_by by;
	unsigned int sort;	/* enum sum_col, or SORT_NOTHING */
	unsigned int ncols;
	unsigned char cols[COL_LAST];
	uint64_t overhead_ns;	/* of each call, taken off */
	uint64_t interval_ns;	/* the counts up to now, so often; 0: at the end alone */
};

int sum_sort_parse(struct sum_opts *o, const char *key, struct fault *f);
int sum_cols_parse(struct sum_opts *o, const char *list, struct fault *f);
int sum_by_parse(struct sum_opts *o, const char *key, struct fault *f);
/* Columns where the user named none; ours: those of `ktrctl summary`. */
void sum_cols_default(struct sum_opts *o, bool ours);

struct tally {
	struct ktr_sum_row r;
	uint64_t hist[KTR_SUM_BUCKETS];
	uint64_t entries;	/* records of a function's, which count if it has no returns */
	char *name;		/* of a function; filled in to be printed */
};

struct tallies {
	enum sum_by by;
	struct tally *t;
	size_t n;
	uint32_t *index;	/* slots of t, plus one; by hash */
	size_t size;		/* of index, a power of two */
	uint64_t missed;	/* calls that the kernel had no room for */
	struct tally_name *names;
	size_t nnames;
};

struct tallies *tallies_new(enum sum_by by);
void tallies_free(struct tallies *s);
/* No counts; the names of threads stay. */
void tallies_clear(struct tallies *s);

/* A row of the kernel; hist may be NULL. -ENOMEM. */
int tally_row(struct tallies *s, const struct ktr_sum_row *r,
	      const uint64_t *hist);
/* A call that is over; tgid: of its thread. -ENOMEM. */
int tally_call(struct tallies *s, const struct sys_rec *r, uint32_t tgid);
/* The record of a function's entry or return; others are let pass. -ENOMEM. */
int tally_function(struct tallies *s, const struct ktr_rec *rec, uint32_t tgid);

/* What a thread was called; the last one told counts. */
void tally_name(struct tallies *s, uint32_t tid, const char *comm);
const char *tally_name_of(const struct tallies *s, uint32_t tid);	/* or "" */

/*
 * Put together what belongs to one table (process, thread, functions or ABI), each
 * table in the order asked for; overhead is taken off calls of the system.
 */
void tallies_sort(struct tallies *s, const struct sum_opts *o);
/* The length of the table that begins at t[i]. */
size_t tallies_group(const struct tallies *s, size_t i);

/* Nanoseconds by the clock that the user wants; functions have but one. */
static inline uint64_t tally_time(const struct tally *t,
				  const struct sum_opts *o)
{
	return o->wall || t->r.ip ? t->r.wall : t->r.cpu;
}

/* tmp: as sys_name(). */
const char *tally_what(const struct tally *t, char tmp[32]);

#endif
