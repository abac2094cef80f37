/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records for the user: one interface, chosen once, for text and for JSON. */
#ifndef KTR_OUT_H
#define KTR_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "fnsig.h"
#include "fmt_syscall.h"
#include "kdump.h"
#include "ksyms.h"
#include "procs.h"
#include "sink.h"
#include "spaces.h"
#include "sys.h"
#include "tally.h"
#include "view.h"

struct out;

struct out_ops {
	void (*header)(struct out *o, const char *meta);
	void (*record)(struct out *o, const struct ktr_rec *rec,
		       unsigned int cpu);
	/* All records older than now were given: what is held back may go. */
	void (*tick)(struct out *o, uint64_t now);
	void (*footer)(struct out *o, uint64_t records, uint64_t lost);
	/* So much of the file cannot be read; NULL: it has no form. */
	void (*hole)(struct out *o, uint64_t at, uint64_t bytes);
};

extern const struct out_ops out_text_ops, out_json_ops, out_kdump_ops,
			    out_summary_ops, out_folded_ops, out_ftrace_ops;

enum out_stamp { STAMP_NONE, STAMP_TIME, STAMP_UNIX };

/* Lines that are left out. */
#define QUIET_ATTACH		(1u << 0)
#define QUIET_EXIT		(1u << 1)
#define QUIET_PATH		(1u << 2)
#define QUIET_PERSONALITY	(1u << 3)
#define QUIET_THREAD_EXECVE	(1u << 4)
#define QUIET_ALL		31u

struct out_opts {
	const char *file;	/* -o; NULL: standard error */
	bool to_stdout;		/* without -o: standard output */
	bool append;		/* -A */
	bool separate;		/* -ff: a file per thread */
	bool follow;		/* -f: every line of a file says whose it is */
	/* Each with digits behind the second: 0, 3, 6 or 9. */
	enum out_stamp stamp;	/* -t, -tt, -ttt */
	unsigned int stamp_digits;
	bool relative;		/* -r */
	unsigned int relative_digits;
	bool duration;		/* -T */
	unsigned int duration_digits;
	bool number;		/* -n */
	bool show_pid;		/* also of one process alone */
	unsigned int quiet;	/* QUIET_* */
	bool json;
	struct sum_opts sum;	/* -c, -C and what goes with them */
	bool as_kdump;		/* --format kdump */
	bool folded;		/* --format folded */
	bool as_ftrace;		/* --format ftrace */
	struct kdump_view kdump;
	uint64_t mute;		/* signals of which no death is told: not in -e signal= */
	uint64_t show;		/* kinds that text leaves out else */
	/* `Process 1 attached`, where lines go elsewhere; NULL: nobody wants to hear it */
	void (*said)(uint32_t tid, const char *what);
};

struct out {
	const struct out_ops *ops;
	struct out_opts opts;
	struct view view;
	struct sink sink;
	struct procs procs;
	struct ksyms syms;
	struct fnsigs sigs;
	struct spaces spaces;
	struct buf scratch;
	struct folds *folds;	/* --format folded: what was counted */
	struct tallies *tally;	/* NULL: no summary is wanted */
	bool interrupted;	/* by a signal: who is traced still is let go */
	bool goes_on;		/* the session, without us */
	bool kernel_counts;	/* into the tally, not records */
	uint64_t recorded;	/* kdump: kinds that the session records */
	uint32_t points;	/* kdump: ktrace()'s, 0: others made the trace */
	uint64_t first;		/* time of the first line */
	uint64_t now;		/* of the last tick */
	int error;		/* of the sinks: errno */
};

int out_open(struct out *o, const struct out_opts *opts,
	     const struct view *view, struct fault *f);
/* After a record: what waits in @s goes out if it is much. */
void out_ease(struct out *o, struct sink *s);
/* That a process was attached or detached, if that is to be said. */
void out_said(struct out *o, uint32_t tid, const char *what);
/* Everything goes out. Return: 0, or -errno if something could not. */
int out_flush(struct out *o);
void out_free_folds(struct folds *all);
void out_close(struct out *o);

/* The summary: take a record in, print it. */
void out_count(struct out *o, const struct ktr_rec *rec);
void out_print_tally(struct out *o);
/* While counting goes on; after: nanoseconds since it began. */
void out_counts_now(struct out *o, uint64_t after);

static inline void out_header(struct out *o, const char *meta)
{
	o->ops->header(o, meta);
}

/* Names of functions that came with a module. */
void out_module_text(struct out *o, const struct ktr_rec *rec);

static inline void out_record(struct out *o, const struct ktr_rec *rec,
			      unsigned int cpu)
{
	if (o->tally)
		out_count(o, rec);
	spaces_note(&o->spaces, rec);
	if (rec->kind == KTR_KIND_module_text)
		out_module_text(o, rec);
	o->ops->record(o, rec, cpu);
}

static inline void out_tick(struct out *o, uint64_t now)
{
	o->ops->tick(o, now);
}

static inline void out_hole(struct out *o, uint64_t at, uint64_t bytes)
{
	if (o->ops->hole)
		o->ops->hole(o, at, bytes);
}

/* The summary stands behind lines, but before the object that ends JSON. */
static inline void out_footer(struct out *o, uint64_t records, uint64_t lost)
{
	if (o->tally && o->opts.json)
		out_print_tally(o);
	o->ops->footer(o, records, lost);
	if (o->tally && !o->opts.json)
		out_print_tally(o);
}

/* The sink for a thread's lines. */
struct sink *out_sink(struct out *o, struct proc *p);

#endif
