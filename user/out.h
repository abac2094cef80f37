/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records for the user: one interface, chosen once, for text and for JSON. */
#ifndef KTR_OUT_H
#define KTR_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "fmt_syscall.h"
#include "ksyms.h"
#include "procs.h"
#include "sink.h"
#include "sys.h"
#include "view.h"

struct out;

struct out_ops {
	void (*header)(struct out *o, const char *meta);
	void (*record)(struct out *o, const struct ktr_rec *rec,
		       unsigned int cpu);
	/* All records older than now were given: what is held back may go. */
	void (*tick)(struct out *o, uint64_t now);
	void (*footer)(struct out *o, uint64_t records, uint64_t lost);
};

extern const struct out_ops out_text_ops, out_json_ops, out_summary_ops;

struct out_summary;
struct out_summary *out_summary_new(void);	/* freed by the footer */

enum out_stamp { STAMP_NONE, STAMP_SEC, STAMP_USEC, STAMP_EPOCH };

struct out_opts {
	const char *file;	/* -o; NULL: standard error */
	bool to_stdout;		/* without -o: standard output */
	bool append;		/* -A */
	bool separate;		/* -ff: a file per thread */
	bool follow;		/* -f: every line of a file says whose it is */
	enum out_stamp stamp;	/* -t, -tt, -ttt */
	bool relative;		/* -r */
	bool duration;		/* -T */
	bool number;		/* -n */
	int quiet;		/* -q, -qq, -qqq */
	bool json;
	bool summary;		/* -c: counts in the place of lines */
	uint64_t show;		/* kinds that text leaves out else */
};

struct out {
	const struct out_ops *ops;
	struct out_opts opts;
	struct view view;
	struct sink sink;
	struct procs procs;
	struct ksyms syms;
	struct buf scratch;
	struct out_summary *summary;
	uint64_t now;		/* of the last tick */
	int error;		/* of the sinks: -errno */
};

int out_open(struct out *o, const struct out_opts *opts,
	     const struct view *view, struct fault *f);
/* Everything goes out. Return: 0, or -errno if something could not. */
int out_flush(struct out *o);
void out_close(struct out *o);

static inline void out_header(struct out *o, const char *meta)
{
	o->ops->header(o, meta);
}

static inline void out_record(struct out *o, const struct ktr_rec *rec,
			      unsigned int cpu)
{
	o->ops->record(o, rec, cpu);
}

static inline void out_tick(struct out *o, uint64_t now)
{
	o->ops->tick(o, now);
}

static inline void out_footer(struct out *o, uint64_t records, uint64_t lost)
{
	o->ops->footer(o, records, lost);
}

/* The sink for a thread's lines. */
struct sink *out_sink(struct out *o, struct proc *p);

#endif
