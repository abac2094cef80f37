// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts and times per syscall, in the form of strace -c. Times are the
 * durations of the calls, as strace -c -w has them.
 */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "json.h"
#include "out.h"

struct tally {
	unsigned int abi;
	int nr;
	uint64_t calls;
	uint64_t errors;
	uint64_t ns;
	uint64_t max_ns;
};

struct out_summary {
	struct tally *t;
	size_t n;
	size_t last;		/* the call before is often this one */
};

static struct tally *find(struct out_summary *s, const struct sys_rec *r)
{
	struct tally *t;
	size_t i;

	if (s->n && s->t[s->last].nr == r->nr && s->t[s->last].abi == r->abi)
		return &s->t[s->last];
	for (i = 0; i < s->n; i++)
		if (s->t[i].nr == r->nr && s->t[i].abi == r->abi)
			break;
	if (i == s->n) {
		t = realloc(s->t, (s->n + 1) * sizeof(*t));
		if (!t)
			return NULL;
		s->t = t;
		memset(&t[s->n], 0, sizeof(*t));
		t[s->n].abi = r->abi;
		t[s->n++].nr = r->nr;
	}
	s->last = i;
	return &s->t[i];
}

static void summary_record(struct out *o, const struct ktr_rec *rec,
			   unsigned int cpu)
{
	struct tally *t;
	struct sys_rec r;
	uint64_t ns;

	(void)cpu;
	procs_note(&o->procs, rec);
	if (rec->kind == KTR_KIND_syscall && !sys_parse(rec, &r)) {
		t = find(o->summary, &r);
		if (!t)
			return;
		ns = rec->time - r.start;
		t->calls++;
		t->errors += r.ret < 0 && r.ret > -4096;
		if (r.flags & KTR_SYS_F_NO_EXIT)
			return;
		t->ns += ns;
		if (ns > t->max_ns)
			t->max_ns = ns;
	}
	procs_after(&o->procs, rec);
}

static int by_time(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return x->abi != y->abi ? (int)x->abi - (int)y->abi : x->nr - y->nr;
}

static struct tally total_of(const struct out_summary *s)
{
	struct tally sum = { 0 };
	size_t i;

	for (i = 0; i < s->n; i++) {
		sum.calls += s->t[i].calls;
		sum.errors += s->t[i].errors;
		sum.ns += s->t[i].ns;
	}
	return sum;
}

static void put_line(struct buf *b, const struct tally *t, uint64_t all_ns,
		     const char *name)
{
	buf_printf(b, "%6.2f %11.6f %11llu %9llu ",
		   all_ns ? 100.0 * t->ns / all_ns : 0.0, t->ns / 1e9,
		   (unsigned long long)(t->calls ? t->ns / t->calls / 1000 : 0),
		   (unsigned long long)t->calls);
	if (t->errors)
		buf_printf(b, "%9llu ", (unsigned long long)t->errors);
	else
		buf_puts(b, "          ");
	buf_puts(b, name);
	buf_putc(b, '\n');
}

static void put_text(struct buf *b, const struct out_summary *s)
{
	static const char rule[] =
		"------ ----------- ----------- --------- --------- ----------------\n";
	struct tally sum = total_of(s);
	char tmp[32];
	size_t i;

	buf_puts(b, "% time     seconds  usecs/call     calls    errors syscall\n");
	buf_puts(b, rule);
	for (i = 0; i < s->n; i++)
		put_line(b, &s->t[i], sum.ns,
			 sys_name(s->t[i].abi, s->t[i].nr, tmp));
	buf_puts(b, rule);
	put_line(b, &sum, sum.ns, "total");
}

static void put_json(struct buf *b, const struct out_summary *s)
{
	char tmp[32];
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct tally *t = &s->t[i];

		buf_putc(b, '{');
		json_text(b, "event", "syscall_summary");
		json_text(b, "name", sys_name(t->abi, t->nr, tmp));
		json_udec(b, "abi", t->abi);
		json_dec(b, "nr", t->nr);
		json_udec(b, "calls", t->calls);
		json_udec(b, "errors", t->errors);
		json_udec(b, "dur", t->ns);
		json_udec(b, "dur_max", t->max_ns);
		buf_puts(b, "}\n");
	}
}

static void summary_footer(struct out *o, uint64_t records, uint64_t lost)
{
	struct out_summary *s = o->summary;

	if (s->n)
		qsort(s->t, s->n, sizeof(*s->t), by_time);
	if (o->opts.json) {
		put_json(&o->sink.b, s);
		out_json_ops.footer(o, records, lost);
	} else {
		put_text(&o->sink.b, s);
	}
	free(s->t);
	free(s);
	o->summary = NULL;
}

static void summary_header(struct out *o, const char *meta)
{
	if (o->opts.json)
		out_json_ops.header(o, meta);
}

static void summary_tick(struct out *o, uint64_t now)
{
	o->now = now;
}

struct out_summary *out_summary_new(void)
{
	return calloc(1, sizeof(struct out_summary));
}

const struct out_ops out_summary_ops = {
	.header = summary_header,
	.record = summary_record,
	.tick = summary_tick,
	.footer = summary_footer,
};
