// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls in strace's form. A call that blocks was written in two records;
 * its line stays open until its end comes, or is closed as unfinished when
 * another line has to be written first.
 */
#include <stdlib.h>

#include "stack.h"
#include "text_call.h"
#include "text_lead.h"
#include "text_signal.h"

#define RESTART_BLOCK (-516)	/* the kernel's: goes on by restart_syscall */

/* As strace, which says such things on a terminal only, after the call before. */
static void put_mode(struct out *o, struct proc *p, const struct sys_rec *r)
{
	struct sink *s;

	if (r->abi == p->abi)
		return;
	p->abi = r->abi;
	if (o->opts.file || o->opts.quiet & QUIET_PERSONALITY)
		return;
	s = text_leader(o, p, r->start, p->begun_nr);
	buf_printf(&s->b, "[ Process PID=%u runs in %d bit mode. ]",
		   p->tid, r->abi == KTR_ABI_COMPAT ? 32 : 64);
	sink_end_line(s);
}

void text_early(struct out *o, struct proc *p)
{
	struct held *h = procs_early(&o->procs, p);
	struct sys_rec r;

	if (h && !sys_parse(h->rec, &r))
		text_begun(o, p, &r);
	free(h);
}

struct sink *text_leader(struct out *o, struct proc *p, uint64_t time, int nr)
{
	text_early(o, p);
	return text_line(o, p, time, nr);
}

static void put_result(struct out *o, struct sink *s, const struct sys_rec *r)
{
	size_t col = sink_col(s);
	uint64_t ns = r->rec->time - r->start;

	if (col + 1 < o->view.col)
		buf_pad(&s->b, ' ', o->view.col - 1 - col);
	fmt_syscall_ret(&s->b, &o->view, r);
	if (o->opts.duration && !(r->flags & KTR_SYS_F_NO_EXIT)) {
		buf_printf(&s->b, " <%llu",
			   (unsigned long long)(ns / 1000000000));
		text_fraction(&s->b, ns, o->opts.duration_digits);
		buf_putc(&s->b, '>');
	}
	sink_end_line(s);
	fmt_dump(&s->b, &o->view, r);
	stack_text(o, s, r->rec);
}

/* The line of the call's beginning, to be gone on with. */
static struct sink *resume(struct out *o, struct proc *p,
			   const struct sys_rec *r)
{
	struct sink *s = out_sink(o, p);

	if (s->col && s->tid == p->tid)
		return s;
	s = text_leader(o, p, r->rec->time, r->nr);
	buf_puts(&s->b, "<... ");
	fmt_syscall_name(&s->b, r);
	buf_puts(&s->b, " resumed>");
	return s;
}

void text_call(struct out *o, struct proc *p, const struct sys_rec *r)
{
	bool resumed = p->begun && p->begun_nr == r->nr &&
		       p->begun_abi == r->abi;
	struct sink *s;

	free(procs_early(&o->procs, p));	/* this one is whole */
	if (!resumed)
		text_release(o, p, r->start);
	if (resumed) {
		s = resume(o, p, r);
	} else {
		put_mode(o, p, r);
		s = text_leader(o, p, r->start, r->nr);
		fmt_syscall_entry(&s->b, &o->view, r);
	}
	p->begun = false;
	p->begun_nr = r->nr;
	p->resumes = r->ret == RESTART_BLOCK ? r->nr + 1 : 0;
	if (p->gone) {
		if (!o->opts.to_stdout)
			out_said(o, p->tid, "detached");
		buf_puts(&s->b, " <detached ...>");
		sink_end_line(s);
		return;
	}
	fmt_syscall_exit(&s->b, &o->view, r);
	put_result(o, s, r);
	text_release(o, p, r->rec->time);
}

void text_begun(struct out *o, struct proc *p, const struct sys_rec *r)
{
	struct sink *s;

	text_release(o, p, r->start);
	put_mode(o, p, r);
	s = text_leader(o, p, r->start, r->nr);
	fmt_syscall_entry(&s->b, &o->view, r);
	p->begun = true;
	p->begun_nr = r->nr;
	p->begun_abi = r->abi;
}
