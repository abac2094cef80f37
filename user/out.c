// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events.h"
#include "out.h"

int out_open(struct out *o, const struct out_opts *opts,
	     const struct view *view, struct fault *f)
{
	memset(o, 0, sizeof(*o));
	o->ops = opts->sum.only ? &out_summary_ops :
		 opts->json ? &out_json_ops :
		 opts->folded ? &out_folded_ops :
		 opts->as_ftrace ? &out_ftrace_ops :
		 opts->as_kdump ? &out_kdump_ops : &out_text_ops;
	o->opts = *opts;
	o->view = *view;
	procs_init(&o->procs);
	o->view.procs = view->comms ? &o->procs : NULL;
	ksyms_init(&o->syms);
	buf_init(&o->scratch);
	if (opts->sum.only || opts->sum.also) {
		o->tally = tallies_new(opts->sum.by);
		if (!o->tally)
			return fault_set(f, ST_USAGE, "out of memory");
	}
	sink_init(&o->sink, opts->to_stdout ? STDOUT_FILENO : STDERR_FILENO);
	if (!opts->file)
		return 0;
	if (opts->separate)
		return sink_look(opts->file, f);
	return sink_open(&o->sink, opts->file, opts->append, f);
}

struct sink *out_sink(struct out *o, struct proc *p)
{
	struct fault f;
	char *path;

	if (!o->opts.separate)
		return &o->sink;
	if (p->sink)
		return p->sink;
	p->sink = malloc(sizeof(*p->sink));
	if (!p->sink || asprintf(&path, "%s.%u", o->opts.file, p->tid) < 0)
		abort();
	if (sink_open(p->sink, path, o->opts.append, &f))
		p->sink->error = o->error = errno;
	free(path);
	return p->sink;
}

void out_said(struct out *o, uint32_t tid, const char *what)
{
	if (o->opts.to_stdout || o->opts.quiet & QUIET_ATTACH)
		return;
	if (!o->opts.file)
		buf_printf(&o->sink.b, "ktrctl: Process %u %s\n", tid, what);
	else if (o->opts.said)
		o->opts.said(tid, what);
}

void out_module_text(struct out *o, const struct ktr_rec *rec)
{
	const struct ktr_ev_module_text *ev = EV_AS(module_text, rec);
	const unsigned char *p;
	size_t n = ev_tail(ev_by_kind(rec->kind), rec, &p);

	if (ev)
		ksyms_module_text(&o->syms, ev, p, n);
}

static void flush_one(void *arg, struct proc *p)
{
	struct out *o = arg;
	int err = p->sink ? sink_flush(p->sink) : 0;

	if (err && !o->error)
		o->error = -err;
}

void out_ease(struct out *o, struct sink *s)
{
	int err = sink_ease(s);

	if (err)
		o->error = -err;
}

int out_flush(struct out *o)
{
	int err = sink_flush(&o->sink);

	if (err && !o->error)
		o->error = -err;
	if (o->opts.separate)
		procs_each(&o->procs, flush_one, o);
	return -o->error;
}

void out_close(struct out *o)
{
	procs_free(&o->procs);
	tallies_free(o->tally);
	spaces_free(&o->spaces);
	out_free_folds(o->folds);
	sink_close(&o->sink);
	ksyms_free(&o->syms);
	fnsigs_free(&o->sigs);
	buf_free(&o->scratch);
}
