// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of ftrace's function tracer and function graph tracer, as the file
 * "trace" has them, for the scripts that read it. Of all events only the calls of
 * functions have such lines; the states of interrupts, preemption and rescheduling
 * are not recorded, and stand as dots.
 */
#include <stdio.h>

#include "events.h"
#include "out.h"
#include "out_graph.h"

/* What the file begins with, which tells readers what it is. */
static void begin(struct sink *s, bool graph)
{
	static const char functions[] =
		"# tracer: function\n"
		"#\n"
		"#                                _-----=> irqs-off/BH-disabled\n"
		"#                               / _----=> need-resched\n"
		"#                              | / _---=> hardirq/softirq\n"
		"#                              || / _--=> preempt-depth\n"
		"#                              ||| / _-=> migrate-disable\n"
		"#                              |||| /     delay\n"
		"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
		"#              | |         |   |||||     |         |\n";
	static const char graphs[] =
		"# tracer: function_graph\n"
		"#\n"
		"# CPU  DURATION                  FUNCTION CALLS\n"
		"# |     |   |                     |   |   |   |\n";

	if (!s->lines)
		buf_puts(&s->b, graph ? graphs : functions);
}

static const char *comm_of(const struct proc *p)
{
	return p->comm[0] ? p->comm : "<...>";
}

/* Of an address its function alone. */
static void put_symbol(struct out *o, struct buf *b, uint64_t addr)
{
	const struct ksym *sym = ksyms_find(&o->syms, addr);

	if (!sym) {
		buf_hex(b, addr);
		return;
	}
	buf_puts(b, ksyms_name(&o->syms, sym));
	if (sym->module)
		buf_printf(b, " [%s]", ksyms_module(&o->syms, sym));
}

/* "            comm-TID     [CPU] .....    12.345678: " */
static struct sink *lead(struct out *o, struct proc *p, const struct ktr_rec *rec,
			 unsigned int cpu)
{
	static const char contexts[] = { '.', 's', 'h', 'z' };
	struct sink *s = out_sink(o, p);
	uint64_t us = (rec->time + 500) / 1000;

	begin(s, false);
	sink_begin_line(s, p->tid);
	buf_printf(&s->b, "%16s-%-7u [%03u] ..%c.. %5llu.%06llu: ", comm_of(p), p->tid, cpu,
		   contexts[rec->flags & KTR_REC_CTX_MASK],
		   (unsigned long long)us / 1000000, (unsigned long long)us % 1000000);
	return s;
}

static void put_function(struct out *o, struct proc *p, const struct ktr_rec *rec,
			 unsigned int cpu)
{
	const struct ktr_ev_function *ev = EV_AS(function, rec);
	struct sink *s;

	if (!ev)
		return;
	s = lead(o, p, rec, cpu);
	put_symbol(o, &s->b, ev->ip);
	buf_puts(&s->b, " <-");
	put_symbol(o, &s->b, ev->parent);
	sink_end_line(s);
}

/* As a kretprobe event, which is what ftrace has for them. */
static void put_return(struct out *o, struct proc *p, const struct ktr_rec *rec, unsigned int cpu)
{
	const struct ktr_ev_function_return *ev = EV_AS(function_return, rec);
	struct sink *s;

	if (!ev)
		return;
	s = lead(o, p, rec, cpu);
	put_symbol(o, &s->b, ev->ip);
	buf_puts(&s->b, ": (");
	ksyms_format(&o->syms, &s->b, ev->parent);
	buf_puts(&s->b, " <- ");
	put_symbol(o, &s->b, ev->ip);
	buf_printf(&s->b, ") ret=0x%llx", (unsigned long long)ev->ret);
	sink_end_line(s);
}

static void put_lost(struct out *o, const struct ktr_rec *rec, unsigned int cpu)
{
	const struct ktr_ev_lost *ev = EV_AS(lost, rec);

	if (ev)
		buf_printf(&o->sink.b, "CPU:%u [LOST %llu EVENTS]\n", cpu,
			   (unsigned long long)ev->count);
}

/* In the middle of 14 columns. NULL: it is gone. */
static void put_task(struct buf *b, const struct proc *p, uint32_t tid)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%.7s-%u", p ? comm_of(p) : "<...>", tid);
	int spaces = n < 14 ? 14 - n : 0;

	buf_pad(b, ' ', spaces / 2);
	buf_puts(b, text);
	buf_pad(b, ' ', spaces - spaces / 2);
}

struct sink *ftrace_graph_line(struct out *o, struct proc *p, unsigned int cpu)
{
	static const char rule[] = " ------------------------------------------\n";
	struct sink *s = out_sink(o, p);

	begin(s, true);
	if (s->tid && s->tid != p->tid) {
		buf_printf(&s->b, "%s%2u) ", rule, cpu);
		put_task(&s->b, procs_find(&o->procs, s->tid), s->tid);
		buf_puts(&s->b, " => ");
		put_task(&s->b, p, p->tid);
		buf_printf(&s->b, "\n%s\n", rule);
	}
	sink_begin_line(s, p->tid);
	return s;
}

static void dispatch(struct out *o, const struct ktr_rec *rec, unsigned int cpu)
{
	struct proc *p = procs_get(&o->procs, rec->tid);

	switch (rec->kind) {
	case KTR_KIND_lost:
		put_lost(o, rec, cpu);
		break;
	case KTR_KIND_function:
		put_function(o, p, rec, cpu);
		break;
	case KTR_KIND_function_return:
		put_return(o, p, rec, cpu);
		break;
	case KTR_KIND_graph:
		graph_keep(o, p, rec, cpu);
		graph_show(o, p, UINT64_MAX, false);
		break;
	case KTR_KIND_exit:
	case KTR_KIND_target_end:
		graph_show(o, p, UINT64_MAX, true);
		break;
	}
}

static void ftrace_record(struct out *o, const struct ktr_rec *rec, unsigned int cpu)
{
	procs_note(&o->procs, rec);
	dispatch(o, rec, cpu);
	procs_after(&o->procs, rec);
	out_ease(o, &o->sink);
}

static void show_rest(void *arg, struct proc *p)
{
	graph_show(arg, p, UINT64_MAX, true);
}

static void ftrace_hole(struct out *o, uint64_t at, uint64_t bytes)
{
	buf_printf(&o->sink.b, "# damaged file: %llu bytes at offset %llu are missing here\n",
		   (unsigned long long)bytes, (unsigned long long)at);
}

static void ftrace_footer(struct out *o, uint64_t records, uint64_t lost)
{
	(void)records;
	(void)lost;
	procs_each(&o->procs, show_rest, o);
}

static void ftrace_header(struct out *o, const char *meta)
{
	(void)o;
	(void)meta;
}

static void ftrace_tick(struct out *o, uint64_t now)
{
	(void)o;
	(void)now;
}

const struct out_ops out_ftrace_ops = {
	.header = ftrace_header,
	.record = ftrace_record,
	.tick = ftrace_tick,
	.footer = ftrace_footer,
	.hole = ftrace_hole,
};
