// SPDX-License-Identifier: GPL-2.0-or-later
/* report: print a capture file. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "grow.h"
#include "report.h"

/* Where it begins, and how much is missing as far as that is known. */
static void say_damage(const struct report *p, const char *name)
{
	struct buf b;

	buf_init(&b);
	buf_printf(&b, "%s is %s at offset %llu", name, p->r.cut ? "cut" : "damaged",
		   (unsigned long long)p->r.damage);
	if (p->holes)
		buf_printf(&b, ", %llu bytes in %u %s are missing",
			   (unsigned long long)p->missing_bytes, p->holes,
			   p->holes == 1 ? "place" : "places");
	if (p->whole > p->records)
		buf_printf(&b, ", %llu of %llu records are missing",
			   (unsigned long long)(p->whole - p->records),
			   (unsigned long long)p->whole);
	cmd_message("%s: %s", buf_str(&b), p->r.cut ?
		    "the file ends in the middle of a record: its disk was full, or its writer was stopped; all before that was printed" :
		    "what is whole was printed");
	buf_free(&b);
}

static int finish(struct report *p, const struct opts *o, int err)
{
	const char *name = o->argv[0];
	int status;

	out_footer(&p->out, p->records, p->lost);
	out_flush(&p->out);
	status = cmd_output(&p->out);
	if (status || p->out.error)
		return status;
	if (err == -ENOMEM) {
		cmd_message("%s: out of memory", name);
		return ST_LOST;
	}
	if (o->view.verbose || (p->lost && !o->out.json))
		cmd_counts(&p->out.procs, p->records, p->lost,
			   o->view.verbose);
	if (p->r.cut && p->r.growing && !p->enough) {
		cmd_message("%s is still being written: what there is was printed", name);
		return ST_OK;
	}
	if (p->r.damaged && !p->enough) {
		say_damage(p, name);
		return ST_DAMAGED;
	}
	return p->lost && o->sel.fail_on_loss ? ST_LOST : ST_OK;
}

static void flush(void *arg)
{
	struct report *p = arg;

	out_flush(&p->out);
}

/* -l of kdump: the file grows. */
struct growth {
	int fd;			/* -1: it does not */
	bool cut;		/* what follows is another file's beginning */
};

static int open_file(struct report *p, const struct opts *o, struct growth *g, struct fault *f)
{
	const char *name = o->argv[0];
	FILE *in;

	if (g->fd < 0)
		return cap_open(&p->r, name, f);
	in = grow_stream(g->fd, &g->cut, flush, p);
	if (!in)
		return fault_set(f, ST_LOST, "%s: out of memory", name);
	return cap_open_stream(&p->r, in, name, f);
}

static void say_cut(const struct opts *o)
{
	cmd_message("%s was cut: what comes is printed as a new file", o->argv[0]);
}

/* What came before the cut is printed; more of that will not come. */
static int finish_cut(struct report *p, const struct opts *o)
{
	out_footer(&p->out, p->records, p->lost);
	out_flush(&p->out);
	say_cut(o);
	return cmd_output(&p->out);
}

static int print(const struct opts *o, struct growth *g)
{
	struct report p = { .sel = &o->sel };
	struct fault f;
	int status, err;

	if (open_file(&p, o, g, &f)) {
		cap_close(&p.r);
		if (!g->cut)
			return cmd_fail(&f);
		say_cut(o);
		return ST_OK;
	}
	if (out_open(&p.out, &o->out, &o->view, &f)) {
		cap_close(&p.r);
		return cmd_fail(&f);
	}
	p.out.procs.keep_counts = o->view.verbose || o->out.json;
	err = report_run(&p);
	status = g->cut && !p.enough ? finish_cut(&p, o) : finish(&p, o, err);
	report_free(&p);
	return status;
}

int cmd_report(const struct command *cmd, struct opts *o)
{
	struct growth g = { .fd = -1 };
	struct fault f;
	int status;

	if (o->out.sum.interval_ns)
		return cmd_usage("%s: --interval is of what goes on, not of a file", cmd->name);
	o->out.to_stdout = true;
	if (o->tail && strcmp(o->argv[0], "-")) {
		g.fd = cap_open_fd(o->argv[0], &f);
		if (g.fd < 0)
			return cmd_fail(&f);
	}
	do {
		g.cut = false;
		status = print(o, &g);
	} while (g.cut && status == ST_OK);
	if (g.fd >= 0)
		close(g.fd);
	return status;
}
