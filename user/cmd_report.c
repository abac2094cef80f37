// SPDX-License-Identifier: GPL-2.0-or-later
/* report: print a capture file. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "report.h"

/* Where it begins, and how much is missing as far as that is known. */
static void say_damage(const struct report *p, const char *name)
{
	bool cut = p->r.cut && !p->r.garbled;
	struct buf b;

	buf_init(&b);
	buf_printf(&b, "%s is %s at offset %llu", name, cut ? "cut" : "damaged",
		   (unsigned long long)p->r.damage);
	if (p->holes)
		buf_printf(&b, ", %llu bytes in %u %s are missing",
			   (unsigned long long)p->missing_bytes, p->holes,
			   p->holes == 1 ? "place" : "places");
	if (p->whole > p->records)
		buf_printf(&b, ", %llu of %llu records are missing",
			   (unsigned long long)(p->whole - p->records),
			   (unsigned long long)p->whole);
	cmd_message("%s: %s", buf_str(&b), cut ?
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

#define LOOK_MS 100

/* -l of kdump: the file grows. */
struct growth {
	int fd;			/* -1: it does not */
	bool cut;		/* what follows is another file's beginning */
	struct report *report;
};

/* It waits, unless the file has become shorter than what was taken of it. */
static bool wait_for_more(void *arg, uint64_t at)
{
	struct growth *g = arg;
	struct stat st;

	g->cut = !fstat(g->fd, &st) && (uint64_t)st.st_size < at;
	out_flush(&g->report->out);
	if (g->cut || g->report->out.error)
		return false;
	poll(NULL, 0, LOOK_MS);
	return true;
}

static int open_file(struct report *p, const struct opts *o, struct growth *g, struct fault *f)
{
	const char *name = o->argv[0];

	g->report = p;
	return g->fd < 0 ? cap_open(&p->r, name, f) :
	       cap_open_growing(&p->r, g->fd, name, wait_for_more, g, f);
}

/* What came before the cut is printed; more of that will not come. */
static int finish_cut(struct report *p, const struct opts *o)
{
	out_footer(&p->out, p->records, p->lost);
	out_flush(&p->out);
	cmd_message("%s was cut: what comes is printed as a new file", o->argv[0]);
	return cmd_output(&p->out);
}

static int print(const struct opts *o, struct growth *g)
{
	struct report p = { .sel = &o->sel };
	struct fault f;
	int status, err;

	if (open_file(&p, o, g, &f)) {
		cap_close(&p.r);
		return cmd_fail(&f);
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

/* What is no regular file ends where it ends. Return: false: a fault. */
static bool begin_growth(struct growth *g, const struct opts *o, struct fault *f)
{
	const char *name = o->argv[0];
	struct stat st;

	if (!o->tail || !strcmp(name, "-") || (!stat(name, &st) && !S_ISREG(st.st_mode)))
		return true;
	g->fd = cap_open_fd(name, f);
	return g->fd >= 0;
}

int cmd_report(const struct command *cmd, struct opts *o)
{
	struct growth g = { .fd = -1 };
	struct fault f;
	int status;

	if (o->out.sum.interval_ns)
		return cmd_usage("%s: --interval is of what goes on, not of a file", cmd->name);
	o->out.to_stdout = true;
	if (!begin_growth(&g, o, &f))
		return cmd_fail(&f);
	do {
		g.cut = false;
		status = print(o, &g);
	} while (g.cut && status == ST_OK);
	if (g.fd >= 0)
		close(g.fd);
	return status;
}
