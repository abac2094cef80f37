// SPDX-License-Identifier: GPL-2.0-or-later
/* text_lead.c - the beginning of a line of strace's form */
#include <string.h>
#include <time.h>

#include "fmt.h"
#include "text_lead.h"

void text_fraction(struct buf *b, uint64_t ns, unsigned int digits)
{
	unsigned int part = ns % 1000000000, i;

	for (i = digits; i < 9; i++)
		part /= 10;
	if (digits)
		buf_printf(b, ".%0*u", (int)digits, part);
}

static void put_stamp(struct out *o, struct sink *s, uint64_t time)
{
	uint64_t wall = time + o->procs.wall;
	time_t sec = wall / 1000000000;
	char text[32];
	struct tm tm;

	if (o->opts.stamp == STAMP_UNIX) {
		buf_printf(&s->b, "%lld", (long long)sec);
	} else {
		localtime_r(&sec, &tm);
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
		buf_puts(&s->b, text);
	}
	text_fraction(&s->b, wall, o->opts.stamp_digits);
	buf_putc(&s->b, ' ');
}

/* Lines of several threads may start in another order than they end. */
static void put_relative(struct out *o, struct sink *s, uint64_t time)
{
	uint64_t since = 0;

	if (s->last_time && time > s->last_time)
		since = time - s->last_time;
	if (time > s->last_time)
		s->last_time = time;
	buf_printf(&s->b, o->opts.stamp ? "(+%6llu" : "%6llu",
		   (unsigned long long)(since / 1000000000));
	text_fraction(&s->b, since, o->opts.relative_digits);
	buf_puts(&s->b, o->opts.stamp ? ") " : " ");
}

/* -Y: the name that it had then, as the line's call began. */
static void put_comm(struct out *o, struct sink *s, const struct proc *p, uint64_t time)
{
	const char *comm = procs_named(p, time);

	buf_putc(&s->b, '<');
	fmt_quote_name(&s->b, &o->view, comm, strlen(comm));
	buf_putc(&s->b, '>');
}

static void put_pid(struct out *o, struct sink *s, const struct proc *p, uint64_t time)
{
	bool named = o->view.comms && p->comm[0];
	bool many = o->procs.nlive + !!o->procs.outlived > 1;

	if (o->opts.separate)
		return;
	if (o->opts.file) {
		if (!o->opts.follow && !o->opts.show_pid && !many)
			return;
		buf_printf(&s->b, named ? "%u" : "%-5u", p->tid);
	} else if (many || o->opts.show_pid) {
		buf_printf(&s->b, "[pid %5u", p->tid);
	} else {
		return;
	}
	if (named)
		put_comm(o, s, p, time);
	buf_puts(&s->b, o->opts.file ? " " : "] ");
}

static void put_ip(struct buf *b, const struct proc *p)
{
	int width = p->abi == KTR_ABI_COMPAT ? 8 : 16;

	if (p->ip)
		buf_printf(b, "[%0*llx] ", width, (unsigned long long)p->ip);
	else
		buf_printf(b, "[%.*s] ", width, "????????????????");
}

void text_lead(struct out *o, struct sink *s, const struct proc *p,
	       uint64_t time, int nr)
{
	sink_begin_line(s, p->tid);
	put_pid(o, s, p, time);
	if (o->opts.stamp)
		put_stamp(o, s, time);
	if (o->opts.relative)
		put_relative(o, s, time);
	if (o->opts.number && nr != -1)
		buf_printf(&s->b, "[%4d] ", nr);
	else if (o->opts.number)
		buf_puts(&s->b, "[???] ");
	if (o->view.ip)
		put_ip(&s->b, p);
}

void text_close(struct sink *s)
{
	if (!s->col)
		return;
	buf_puts(&s->b, " <unfinished ...>");
	sink_end_line(s);
}

struct sink *text_line(struct out *o, struct proc *p, uint64_t time, int nr)
{
	struct sink *s = out_sink(o, p);

	text_close(s);
	p->told = 0;
	text_lead(o, s, p, time, nr);
	return s;
}
