// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts and times per syscall and function, in the form of strace -c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "json.h"
#include "out.h"
#include "text_end.h"

/* A name that is not the last column is as wide as this. */
#define NAME_WIDTH 16
#define STARS 40

static const struct {
	const char *title;
	int width;
} cols[COL_LAST] = {
	[COL_PERCENT] = { "% time", 6 },
	[COL_TOTAL] = { "seconds", 11 },
	[COL_MIN] = { "shortest", 8 },
	[COL_MAX] = { "longest", 8 },
	[COL_AVG] = { "usecs/call", 11 },
	[COL_CALLS] = { "calls", 9 },
	[COL_ERRORS] = { "errors", 9 },
	[COL_NAME] = { "syscall", NAME_WIDTH },
	[COL_CPU] = { "cpu seconds", 11 },
};

/* Functions are short: their times have three digits more. */
static int width_of(unsigned int col, bool funcs)
{
	bool finer = col == COL_TOTAL || col == COL_MIN || col == COL_MAX;

	return cols[col].width + (funcs && finer ? 3 : 0);
}

static void put_head(struct buf *b, const struct sum_opts *o, bool funcs)
{
	unsigned int i, c;

	for (i = 0; i < o->ncols; i++) {
		c = o->cols[i];
		if (i)
			buf_putc(b, ' ');
		if (c != COL_NAME)
			buf_printf(b, "%*s", width_of(c, funcs), cols[c].title);
		else if (i + 1 < o->ncols)
			buf_printf(b, "%-*s", NAME_WIDTH,
				   funcs ? "function" : cols[c].title);
		else
			buf_puts(b, funcs ? "function" : cols[c].title);
	}
	buf_putc(b, '\n');
}

static void put_rule(struct buf *b, const struct sum_opts *o, bool funcs)
{
	unsigned int i;

	for (i = 0; i < o->ncols; i++) {
		if (i)
			buf_putc(b, ' ');
		buf_pad(b, '-', width_of(o->cols[i], funcs));
	}
	buf_putc(b, '\n');
}

static void put_seconds(struct buf *b, int width, uint64_t ns, bool funcs)
{
	uint64_t part = ns % 1000000000;

	buf_printf(b, "%*llu.%0*llu", width - (funcs ? 10 : 7),
		   (unsigned long long)(ns / 1000000000), funcs ? 9 : 6,
		   (unsigned long long)(funcs ? part : part / 1000));
}

static void put_average(struct buf *b, int width, uint64_t ns, bool funcs)
{
	if (funcs)
		buf_printf(b, "%*llu.%03llu", width - 4,
			   (unsigned long long)(ns / 1000),
			   (unsigned long long)(ns % 1000));
	else
		buf_printf(b, "%*llu", width, (unsigned long long)(ns / 1000));
}

static void put_cell(struct buf *b, const struct sum_opts *o, unsigned int col,
		     const struct tally *t, uint64_t all, const char *name,
		     bool last)
{
	uint64_t ns = tally_time(t, o);
	bool funcs = t->r.ip;
	int width = width_of(col, funcs);

	switch (col) {
	case COL_PERCENT:
		buf_printf(b, "%6.2f", all ? 100.0 * ns / all : 0.0);
		break;
	case COL_TOTAL:
		put_seconds(b, width, ns, funcs);
		break;
	case COL_CPU:
		put_seconds(b, width, t->r.cpu, funcs);
		break;
	case COL_MIN:
		put_seconds(b, width, t->r.calls ? t->r.wall_min : 0, funcs);
		break;
	case COL_MAX:
		put_seconds(b, width, t->r.wall_max, funcs);
		break;
	case COL_AVG:
		put_average(b, width, t->r.calls ? ns / t->r.calls : 0, funcs);
		break;
	case COL_CALLS:
		buf_printf(b, "%*llu", width, (unsigned long long)t->r.calls);
		break;
	case COL_ERRORS:
		if (t->r.errors)
			buf_printf(b, "%*llu", width,
				   (unsigned long long)t->r.errors);
		else
			buf_pad(b, ' ', width);
		break;
	case COL_NAME:
		buf_printf(b, last ? "%s" : "%-16s", name);
	}
}

static void put_line(struct buf *b, const struct sum_opts *o,
		     const struct tally *t, uint64_t all, const char *name)
{
	unsigned int i;

	for (i = 0; i < o->ncols; i++) {
		if (i)
			buf_putc(b, ' ');
		put_cell(b, o, o->cols[i], t, all, name, i + 1 == o->ncols);
	}
	buf_putc(b, '\n');
}

static struct tally total_of(const struct tally *t, size_t n)
{
	struct tally sum = { .r.wall_min = UINT64_MAX, .r.ip = t->r.ip };
	size_t i;

	for (i = 0; i < n; i++) {
		sum.r.calls += t[i].r.calls;
		sum.r.errors += t[i].r.errors;
		sum.r.wall += t[i].r.wall;
		sum.r.cpu += t[i].r.cpu;
		if (t[i].r.wall_min < sum.r.wall_min)
			sum.r.wall_min = t[i].r.wall_min;
		if (t[i].r.wall_max > sum.r.wall_max)
			sum.r.wall_max = t[i].r.wall_max;
	}
	return sum;
}

/* Whose table it is. */
static void put_owner(struct buf *b, const struct tallies *s,
		      const struct ktr_sum_row *r)
{
	uint32_t id = r->tid ? r->tid : r->tgid;
	const char *comm = tally_name_of(s, id);

	if (s->by == SUM_TID)
		buf_printf(b, "thread %u of process %u", r->tid, r->tgid);
	else if (s->by == SUM_PID)
		buf_printf(b, "process %u", r->tgid);
	else
		return;
	if (*comm)
		buf_printf(b, " (%s)", comm);
	buf_puts(b, ":\n");
}

/* "1us", in the largest unit that leaves no fraction below two digits. */
static void put_ns(struct buf *b, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned int u = 0;

	while (u < 3 && ns >= 10000) {
		ns /= 1000;
		u++;
	}
	buf_printf(b, "%6llu %-2s", (unsigned long long)ns, units[u]);
}

static void put_hist(struct buf *b, const struct tally *t, const char *name)
{
	unsigned int first = 0, last = KTR_SUM_BUCKETS - 1, i;
	uint64_t most = 1;

	while (first < last && !t->hist[first])
		first++;
	while (last > first && !t->hist[last])
		last--;
	for (i = first; i <= last; i++)
		if (t->hist[i] > most)
			most = t->hist[i];
	buf_printf(b, "\n%s: %llu calls\n", name,
		   (unsigned long long)t->r.calls);
	/* Each line reaches up to where the next begins. */
	buf_puts(b, " at least      calls\n");
	for (i = first; i <= last; i++) {
		put_ns(b, i ? 1ULL << i : 0);
		buf_printf(b, " %10llu |", (unsigned long long)t->hist[i]);
		buf_pad(b, '*', t->hist[i] * STARS / most);
		buf_putc(b, '\n');
	}
}

/* Of functions no errors are known, nor CPU time, nor, without returns, any time. */
static void func_cols(struct sum_opts *o, const struct tally *sum)
{
	bool times = sum->r.wall_min != UINT64_MAX;
	unsigned int i, n = 0;

	for (i = 0; i < o->ncols; i++) {
		unsigned int c = o->cols[i];

		if (c == COL_CALLS || c == COL_NAME ||
		    (times && c != COL_CPU && c != COL_ERRORS))
			o->cols[n++] = c;
	}
	o->ncols = n;
	o->hist = o->hist && times;
}

static void put_table(struct buf *b, const struct tallies *s,
		      const struct sum_opts *opts, size_t at, size_t n)
{
	const struct tally *t = s->t + at;
	struct tally sum = total_of(t, n);
	struct sum_opts mine = *opts;
	const struct sum_opts *o = &mine;
	uint64_t all = tally_time(&sum, o);
	char tmp[32];
	size_t i;

	if (t->r.ip)
		func_cols(&mine, &sum);
	put_owner(b, s, &t->r);
	if (t->r.abi == KTR_ABI_COMPAT)
		buf_puts(b, "System call usage summary for 32 bit mode:\n");
	put_head(b, o, t->r.ip);
	put_rule(b, o, t->r.ip);
	for (i = 0; i < n; i++)
		put_line(b, o, &t[i], all, tally_what(&t[i], tmp));
	put_rule(b, o, t->r.ip);
	put_line(b, o, &sum, all, "total");
	for (i = 0; i < n && o->hist; i++)
		if (t[i].r.wall_min != UINT64_MAX)
			put_hist(b, &t[i], tally_what(&t[i], tmp));
}

static void put_text(struct buf *b, const struct tallies *s,
		     const struct sum_opts *o)
{
	size_t i, n;

	for (i = 0; i < s->n; i += n) {
		n = tallies_group(s, i);
		if (i)
			buf_putc(b, '\n');
		put_table(b, s, o, i, n);
	}
	if (s->missed)
		buf_printf(b, "not counted for want of room: %llu calls\n",
			   (unsigned long long)s->missed);
}

static void put_json_who(struct buf *b, const struct tallies *s,
			 const struct ktr_sum_row *r)
{
	const char *comm = tally_name_of(s, r->tid ? r->tid : r->tgid);

	if (r->tgid)
		json_udec(b, "tgid", r->tgid);
	if (r->tid)
		json_udec(b, "tid", r->tid);
	if (*comm) {
		json_name(b, "comm");
		json_bytes(b, comm, strlen(comm));
	}
}

/* [[least, calls], ...] of the buckets that have any. */
static void put_json_hist(struct buf *b, const struct tally *t)
{
	bool any = false;
	unsigned int i;

	json_name(b, "hist");
	buf_putc(b, '[');
	for (i = 0; i < KTR_SUM_BUCKETS; i++) {
		if (!t->hist[i])
			continue;
		buf_printf(b, "%s[%llu,%llu]", any ? "," : "",
			   i ? 1ULL << i : 0, (unsigned long long)t->hist[i]);
		any = true;
	}
	buf_putc(b, ']');
}

static void put_json_times(struct buf *b, const struct ktr_sum_row *r)
{
	json_udec(b, "dur", r->wall);
	json_udec(b, "dur_min", r->calls ? r->wall_min : 0);
	json_udec(b, "dur_max", r->wall_max);
}

static void put_json_call(struct buf *b, const struct ktr_sum_row *r)
{
	char tmp[32];

	json_text(b, "name", sys_name(r->abi, r->nr, tmp));
	json_udec(b, "abi", r->abi);
	json_dec(b, "nr", r->nr);
	json_udec(b, "calls", r->calls);
	json_udec(b, "errors", r->errors);
	put_json_times(b, r);
	json_udec(b, "cpu_time", r->cpu);
}

/* False: no times. */
static bool put_json_func(struct buf *b, const struct tally *t)
{
	json_text(b, "name", t->name ?: "?");
	json_hex(b, "ip", t->r.ip);
	json_udec(b, "calls", t->r.calls);
	if (t->r.wall_min == UINT64_MAX)
		return false;
	put_json_times(b, &t->r);
	return true;
}

static void put_json(struct buf *b, const struct tallies *s, bool hist)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct ktr_sum_row *r = &s->t[i].r;
		bool times = true;

		buf_putc(b, '{');
		json_text(b, "event", r->ip ? "function_summary" : "syscall_summary");
		put_json_who(b, s, r);
		if (r->ip)
			times = put_json_func(b, &s->t[i]);
		else
			put_json_call(b, r);
		if (hist && times)
			put_json_hist(b, &s->t[i]);
		buf_puts(b, "}\n");
	}
	if (!s->missed)
		return;
	buf_putc(b, '{');
	json_text(b, "event", "not_counted");
	json_udec(b, "calls", s->missed);
	buf_puts(b, "}\n");
}

void out_count(struct out *o, const struct ktr_rec *rec)
{
	const struct proc *p = procs_find(&o->procs, rec->tid);
	struct sys_rec r;
	uint32_t tgid = p && p->tgid ? p->tgid : rec->tid;
	int err;

	if (rec->kind == KTR_KIND_exit && p)
		tally_name(o->tally, rec->tid, p->comm);
	/* The execve at which somebody is let go does not end here. */
	if (o->kernel_counts || (p && p->gone))
		return;
	if (rec->kind != KTR_KIND_syscall)
		err = tally_function(o->tally, rec, tgid);
	else
		err = sys_parse(rec, &r) ? 0 : tally_call(o->tally, &r, tgid);
	if (err)
		o->error = ENOMEM;
}

static void name_functions(struct out *o, struct tallies *s)
{
	struct buf *b = &o->scratch;
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (!s->t[i].r.ip || s->t[i].name)
			continue;
		buf_reset(b);
		ksyms_format_entry(&o->syms, b, s->t[i].r.ip);
		s->t[i].name = strdup(buf_str(b));
	}
}

static void name_living(void *arg, struct proc *p)
{
	tally_name(arg, p->tid, p->comm);
}

void out_print_tally(struct out *o)
{
	struct tallies *s = o->tally;

	procs_each(&o->procs, name_living, s);
	name_functions(o, s);
	tallies_sort(s, &o->opts.sum);
	if (o->opts.json)
		put_json(&o->sink.b, s, o->opts.sum.hist);
	else
		put_text(&o->sink.b, s, &o->opts.sum);
}

static bool is_barred(const struct ktr_rec *rec)
{
	const struct ktr_ev_target_end *end = EV_AS(target_end, rec);

	return end && text_is_barred(end);
}

void out_counts_now(struct out *o, uint64_t after)
{
	if (o->opts.json)
		buf_printf(&o->sink.b, "{\"event\":\"counts\",\"after\":%llu}\n",
			   (unsigned long long)after);
	else
		buf_printf(&o->sink.b, "after %.3f s:\n", after / 1e9);
	out_print_tally(o);
	if (!o->opts.json)
		buf_putc(&o->sink.b, '\n');
}

static void say_who(struct out *o, const struct ktr_rec *rec)
{
	const struct ktr_ev_target_end *end = EV_AS(target_end, rec);
	const struct proc *p = procs_find(&o->procs, rec->tid);
	struct ktr_ev_task_new room;
	const struct ktr_ev_task_new *born = ev_task_new(rec, &room);

	if (born && born->followed == 1)
		out_said(o, born->child, "attached");
	if (end && ((p && p->gone) || (end->reason == KTR_END_DETACH && o->interrupted)))
		out_said(o, rec->tid, "detached");
	/* What a set-id program does from here on is in no row. */
	if (is_barred(rec) && !o->opts.json)
		buf_printf(&o->sink.b, "[pid %5u] +++ trace ended: %s +++\n", rec->tid,
			   text_why_ended(end->reason));
}

/* -c: nothing but the table, which out.c prints. */
static void summary_record(struct out *o, const struct ktr_rec *rec,
			   unsigned int cpu)
{
	say_who(o, rec);
	if (o->opts.json && is_barred(rec)) {
		out_json_ops.record(o, rec, cpu);
		return;
	}
	procs_note(&o->procs, rec);
	procs_after(&o->procs, rec);
}

static void summary_footer(struct out *o, uint64_t records, uint64_t lost)
{
	if (o->opts.json)
		out_json_ops.footer(o, records, lost);
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

const struct out_ops out_summary_ops = {
	.header = summary_header,
	.record = summary_record,
	.tick = summary_tick,
	.footer = summary_footer,
};
