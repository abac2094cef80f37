// SPDX-License-Identifier: GPL-2.0-or-later
/* strace's form: what becomes of each record. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "out_generic.h"
#include "out_graph.h"
#include "stack.h"
#include "text_call.h"
#include "text_end.h"
#include "text_lead.h"
#include "text_signal.h"

#define HOLD_NS 300000000ULL

/* A call that is under way when nothing more is shown of it. */
static void end_line(const struct out *o, struct sink *s)
{
	if (!s->col)
		return;
	buf_puts(&s->b, o->goes_on ? " <unfinished ...>" : " <detached ...>");
	sink_end_line(s);
}

/* Graphs that began before that time; with rest, what there is of one under way. */
static void put_graphs(struct out *o, struct proc *p, uint64_t before, bool rest)
{
	if (!graph_due(p, before) && !(rest && p->graph && p->graph->n))
		return;
	text_early(o, p);
	graph_show(o, p, before, rest);
}

static void put_attached(struct out *o, const struct ktr_rec *rec)
{
	struct ktr_ev_task_new room;
	const struct ktr_ev_task_new *ev = ev_task_new(rec, &room);

	if (!ev || ev->followed != 1)
		return;
	if (!o->opts.file && !o->opts.to_stdout && !(o->opts.quiet & QUIET_ATTACH))
		text_close(&o->sink);
	out_said(o, ev->child, "attached");
}

/* As strace says it, also within a line. */
static void put_detached(struct out *o, struct proc *p, const struct ktr_rec *rec)
{
	const struct ktr_ev_target_end *ev = EV_AS(target_end, rec);
	struct sink *s = o->opts.separate ? p->sink : &o->sink;

	if (!ev || (ev->reason != KTR_END_DETACH && !p->gone) || o->opts.to_stdout)
		return;
	/* Of -b execve the line of that call has said it, if there was one. */
	if (p->gone ? p->gone == 1 : o->interrupted)
		out_said(o, p->tid, "detached");
	if (s && s->tid == p->tid)
		end_line(o, s);
}

static void put_lost(struct out *o, const struct ktr_ev_lost *ev,
		     unsigned int cpu)
{
	struct sink *s = &o->sink;

	text_close(s);
	buf_printf(&s->b, "--- lost %llu records ", (unsigned long long)ev->count);
	if (ev->reasons >> KTR_LOSS_FILE & 1)
		buf_puts(&s->b, "that the file had no room for");
	else
		buf_printf(&s->b, "on CPU %u", cpu);
	buf_printf(&s->b, ", %llu.%09llu to %llu.%09llu ---\n",
		   (unsigned long long)(ev->first / 1000000000),
		   (unsigned long long)(ev->first % 1000000000),
		   (unsigned long long)(ev->last / 1000000000),
		   (unsigned long long)(ev->last % 1000000000));
}

static void put_generic(struct out *o, struct proc *p,
			const struct ktr_rec *rec)
{
	struct sink *s;

	text_release(o, p, rec->time);
	s = text_leader(o, p, rec->time, p->begun_nr);
	generic_text(&s->b, o, rec);
	sink_end_line(s);
	stack_text(o, s, rec);
}

/*
 * A call that ends because its thread is being killed. Of the one that took the
 * fatal signal, unless it is SIGKILL, strace sees the end.
 */
static void judge_killed(const struct proc *p, struct sys_rec *r)
{
	const struct held *h = p->sent;

	/* The kernel says so itself, also where no signals are recorded. */
	if (!(r->flags & KTR_SYS_F_KILLED) || r->flags & KTR_SYS_F_FATAL)
		return;
	while (h && EV_AS(signal_generate, h->rec)->sig == SIGKILL)
		h = h->next;
	if (!h)
		r->flags |= KTR_SYS_F_NO_EXIT;
}

static void put_call(struct out *o, struct proc *p, const struct ktr_rec *rec)
{
	struct sys_rec r;

	if (sys_parse(rec, &r)) {
		put_generic(o, p, rec);
		return;
	}
	judge_killed(p, &r);
	r.resumed = p->resumes - 1;
	p->ip = r.ip;
	if (rec->kind == KTR_KIND_syscall) {
		put_graphs(o, p, r.start, false);
		text_call(o, p, &r);
		put_graphs(o, p, UINT64_MAX, true);
	} else if (!fmt_syscall_lacks(&r) || !procs_keep_early(&o->procs, p, rec)) {
		text_begun(o, p, &r);
	} else {
		p->early_at = out_sink(o, p)->lines;
	}
}

/*
 * A signal to a task that is being killed is dropped like one that is ignored. This
 * one is dropped for nothing else.
 */
static bool is_dying(const struct proc *p, int sig)
{
	const struct held *h = p->sent;

	while (h && EV_AS(signal_generate, h->rec)->sig != SIGKILL)
		h = h->next;
	return h || sig == SIGKILL;
}

/* One that is dropped at once is what strace would see delivered. */
static void put_generated(struct out *o, struct proc *p,
			  const struct ktr_rec *rec)
{
	const struct ktr_ev_signal_generate *ev = EV_AS(signal_generate, rec);

	if (o->opts.show & 1ULL << rec->kind)
		put_generic(o, p, rec);
	else if (!ev)
		return;
	else if (!(ev->flags & KTR_SIG_F_IGNORED))
		procs_sent(p, rec, ev->sig);
	else if (is_dying(p, ev->sig))
		return;
	else if (!procs_hold(&o->procs, p, rec))
		text_sent(o, p, rec, -1);
}

static void dispatch(struct out *o, const struct ktr_rec *rec, unsigned int cpu)
{
	struct proc *p = procs_get(&o->procs, rec->tid);
	const struct ktr_ev_lost *lost = EV_AS(lost, rec);

	switch (rec->kind) {
	case KTR_KIND_lost:
		if (lost)
			put_lost(o, lost, cpu);
		break;
	case KTR_KIND_syscall:
	case KTR_KIND_syscall_begun:
		put_call(o, p, rec);
		break;
	case KTR_KIND_signal_deliver:
		text_delivered(o, p, rec);
		break;
	case KTR_KIND_signal_generate:
		put_generated(o, p, rec);
		break;
	case KTR_KIND_graph:
		if (graph_keep(o, p, rec, cpu))
			put_graphs(o, p, UINT64_MAX, false);
		break;
	case KTR_KIND_exit:
		put_graphs(o, p, UINT64_MAX, true);
		text_exit(o, p, rec);
		break;
	case KTR_KIND_target_end:
		text_early(o, p);
		put_graphs(o, p, UINT64_MAX, true);
		text_barred(o, p, rec);
		put_detached(o, p, rec);
		/* fall through */
	case KTR_KIND_task_new:
		put_attached(o, rec);
		/* fall through */
	case KTR_KIND_task:
		text_found(o, p, rec);
		/* fall through */
	case KTR_KIND_clock:
	case KTR_KIND_change:
	case KTR_KIND_module:
		/* Only what is missing is said. */
		if (rec->kind == KTR_KIND_module && EV_AS(module, rec) && EV_AS(module, rec)->err) {
			put_generic(o, p, rec);
			break;
		}
		/* fall through */
	case KTR_KIND_exec:
	case KTR_KIND_rename:
	case KTR_KIND_mapped:
	case KTR_KIND_module_text:
		if (o->opts.show & 1ULL << rec->kind)
			put_generic(o, p, rec);
		break;
	default:
		put_generic(o, p, rec);
	}
}

/* A thread's execve is known in full only when it has taken the new number. */
static bool postpone(struct out *o, const struct ktr_rec *rec,
		     const struct ktr_ev_exec *ev)
{
	const struct proc *old = NULL;

	if (ev->old_tid && ev->old_tid != rec->tid)
		old = procs_find(&o->procs, ev->old_tid);
	return old && old->early &&
	       procs_keep_exec(&o->procs, procs_get(&o->procs, rec->tid), rec);
}

/* What was postponed is due; "rec" may be that of the whole execve, or NULL. */
static void take_over(struct out *o, struct proc *p, const struct ktr_rec *rec)
{
	struct held *h = procs_exec(&o->procs, p);
	const struct ktr_ev_exec *ev;
	struct proc *old;
	struct sys_rec r;

	if (!h)
		return;
	ev = EV_AS(exec, h->rec);
	old = procs_find(&o->procs, ev->old_tid);
	if (old && old->early && rec && rec->kind == KTR_KIND_syscall &&
	    !sys_parse(rec, &r)) {
		bool cut = out_sink(o, old)->lines != old->early_at;

		free(procs_early(&o->procs, old));
		text_begun(o, old, &r);
		/* Had it been written at once, lines since then would have cut it. */
		if (cut)
			text_close(out_sink(o, old));
	}
	text_superseded(o, h->rec, ev);
	procs_note(&o->procs, h->rec);
	dispatch(o, h->rec, 0);
	free(h);
}

static void text_record(struct out *o, const struct ktr_rec *rec,
			unsigned int cpu)
{
	const struct ktr_ev_exec *exec = EV_AS(exec, rec);
	struct proc *p = procs_find(&o->procs, rec->tid);

	/* What the new program maps is told before its execve is over, as calls below it. */
	if (p && p->exec && rec->kind != KTR_KIND_mapped && rec->kind != KTR_KIND_graph)
		take_over(o, p, rec);
	if (exec && postpone(o, rec, exec))
		return;
	if (exec)
		text_superseded(o, rec, exec);
	procs_note(&o->procs, rec);
	dispatch(o, rec, cpu);
	procs_after(&o->procs, rec);
	out_ease(o, &o->sink);
}

static void release_late(void *arg, struct proc *p)
{
	struct out *o = arg;
	uint64_t before = o->now > HOLD_NS ? o->now - HOLD_NS : 0;

	if (p->exec && p->exec->rec->time < before)
		take_over(o, p, NULL);
	if (p->early && p->early->rec->time < before)
		text_early(o, p);
	if (graph_ended(p) < before)
		put_graphs(o, p, UINT64_MAX, false);
	if (!p->begun && !p->early)
		text_release(o, p, before);
}

static void text_tick(struct out *o, uint64_t now)
{
	o->now = now;
	if (o->procs.nheld)
		procs_each(&o->procs, release_late, o);
}

static void end_thread(void *arg, struct proc *p)
{
	struct out *o = arg;

	take_over(o, p, NULL);
	text_early(o, p);
	put_graphs(o, p, UINT64_MAX, true);
	text_release(o, p, UINT64_MAX);
	if (p->sink)
		end_line(o, p->sink);
}

static void text_hole(struct out *o, uint64_t at, uint64_t bytes)
{
	struct sink *s = &o->sink;

	text_close(s);
	buf_printf(&s->b, "--- damaged file: %llu bytes at offset %llu are missing here ---\n",
		   (unsigned long long)bytes, (unsigned long long)at);
}

static void text_footer(struct out *o, uint64_t records, uint64_t lost)
{
	(void)records;
	(void)lost;
	while (o->procs.outlived)
		text_outlived(o, 0);
	procs_each(&o->procs, end_thread, o);
	end_line(o, &o->sink);
}

static void text_header(struct out *o, const char *meta)
{
	(void)o;
	(void)meta;
}

const struct out_ops out_text_ops = {
	.header = text_header,
	.record = text_record,
	.tick = text_tick,
	.footer = text_footer,
	.hole = text_hole,
};
