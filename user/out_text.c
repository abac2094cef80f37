// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * strace's form. A call that blocks was written in two records; its line stays
 * open until its end comes, or is closed as unfinished when another line has
 * to be written first.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "events.h"
#include "fmt_signal.h"
#include "out.h"
#include "out_generic.h"
#include "out_graph.h"
#include "stack.h"
#include "text_lead.h"

#define HOLD_NS 300000000ULL
#define RESTART_BLOCK (-516)	/* the kernel's: goes on by restart_syscall */

static void put_begun(struct out *o, struct proc *p, const struct sys_rec *r);

/* What was known of a call when it blocked has waited long enough. */
static void put_early(struct out *o, struct proc *p)
{
	struct held *h = procs_early(&o->procs, p);
	struct sys_rec r;

	if (h && !sys_parse(h->rec, &r))
		put_begun(o, p, &r);
	free(h);
}

static struct sink *leader(struct out *o, struct proc *p, uint64_t time, int nr)
{
	put_early(o, p);
	return text_line(o, p, time, nr);
}

/* Graphs that began before that time; with rest, what there is of one under way. */
static void put_graphs(struct out *o, struct proc *p, uint64_t before, bool rest)
{
	if (!graph_due(p, before) && !(rest && p->graph && p->graph->n))
		return;
	put_early(o, p);
	graph_show(o, p, before, rest);
}

/* As strace, which says such things on a terminal only. */
static void put_mode(struct out *o, struct proc *p, const struct sys_rec *r)
{
	if (r->abi == p->abi)
		return;
	p->abi = r->abi;
	if (o->opts.file || o->opts.quiet & QUIET_PERSONALITY)
		return;
	text_close(&o->sink);
	buf_printf(&o->sink.b, "[ Process PID=%u runs in %d bit mode. ]\n",
		   p->tid, r->abi == KTR_ABI_COMPAT ? 32 : 64);
}

static void put_attached(struct out *o, const struct ktr_rec *rec)
{
	const struct ktr_ev_task_new *ev = EV_AS(task_new, rec);

	if (!ev || ev->followed != 1 || o->opts.file || o->opts.to_stdout ||
	    o->opts.quiet & QUIET_ATTACH)
		return;
	text_close(&o->sink);
	buf_printf(&o->sink.b, "ktrctl: Process %u attached\n", ev->child);
}

static void put_signal(struct out *o, struct proc *p, const struct ktr_rec *rec, int sig,
		       const unsigned char *info, size_t len)
{
	struct sink *s = leader(o, p, rec->time, p->begun_nr);
	char tmp[16];

	buf_puts(&s->b, "--- ");
	buf_puts(&s->b, sig_name(sig, tmp));
	buf_putc(&s->b, ' ');
	fmt_siginfo(&s->b, &o->view, info, len);
	buf_puts(&s->b, " ---");
	sink_end_line(s);
	stack_text(o, s, rec);
	p->told = sig;
}

static void put_sent(struct out *o, struct proc *p,
			const struct ktr_rec *rec)
{
	const struct ktr_ev_signal_generate *ev = EV_AS(signal_generate, rec);
	const unsigned char *info;
	size_t len = ev_tail(ev_by_kind(rec->kind), rec, &info);

	if (ev)
		put_signal(o, p, rec, ev->sig, info, len);
}

/* Signals that came before that time are due. */
static void release(struct out *o, struct proc *p, uint64_t before)
{
	struct held *h;

	while (p->held && p->held->rec->time < before) {
		h = procs_unhold(&o->procs, p);
		put_sent(o, p, h->rec);
		free(h);
	}
}

static void drop_held(struct out *o, struct proc *p)
{
	struct held *h;

	while ((h = procs_unhold(&o->procs, p)))
		free(h);
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
	s = leader(o, p, r->rec->time, r->nr);
	buf_puts(&s->b, "<... ");
	fmt_syscall_name(&s->b, r);
	buf_puts(&s->b, " resumed>");
	return s;
}

static void put_syscall(struct out *o, struct proc *p, const struct sys_rec *r)
{
	bool resumed = p->begun && p->begun_nr == r->nr &&
		       p->begun_abi == r->abi;
	struct sink *s;

	free(procs_early(&o->procs, p));	/* this one is whole */
	if (!resumed)
		release(o, p, r->start);
	if (resumed) {
		s = resume(o, p, r);
	} else {
		put_mode(o, p, r);
		s = leader(o, p, r->start, r->nr);
		fmt_syscall_entry(&s->b, &o->view, r);
	}
	p->begun = false;
	p->begun_nr = r->nr;
	p->resumes = r->ret == RESTART_BLOCK ? r->nr + 1 : 0;
	if (p->gone) {
		buf_puts(&s->b, " <detached ...>");
		sink_end_line(s);
		return;
	}
	fmt_syscall_exit(&s->b, &o->view, r);
	put_result(o, s, r);
	release(o, p, r->rec->time);
}

static void put_begun(struct out *o, struct proc *p, const struct sys_rec *r)
{
	struct sink *s;

	release(o, p, r->start);
	put_mode(o, p, r);
	s = leader(o, p, r->start, r->nr);
	fmt_syscall_entry(&s->b, &o->view, r);
	p->begun = true;
	p->begun_nr = r->nr;
	p->begun_abi = r->abi;
}

static void put_fatal(struct out *o, struct proc *p, int sig)
{
	struct held *h = procs_unsend(p, sig);

	/* Nobody sees his own SIGKILL; one more of the deadly kind kills nobody. */
	if (h && sig != SIGKILL && p->told != sig)
		put_sent(o, p, h->rec);
	free(h);
}

/* strace's -e signal= leaves out deaths by other signals, too. */
static bool is_mute(const struct out *o, int code)
{
	int sig = WTERMSIG(code);

	/* A file may say anything. */
	return WIFSIGNALED(code) && sig <= 64 && o->opts.mute & 1ULL << (sig - 1);
}

static void tell_exit(struct out *o, struct proc *p, const struct ktr_rec *rec)
{
	int code = EV_AS(exit, rec)->code;
	struct sink *s;
	char tmp[16];

	if (WIFSIGNALED(code))
		put_fatal(o, p, WTERMSIG(code));
	if (o->opts.quiet & QUIET_EXIT || is_mute(o, code))
		return;
	p->ip = 0;
	s = leader(o, p, rec->time, p->begun_nr);
	if (WIFSIGNALED(code))
		buf_printf(&s->b, "+++ killed by %s%s+++",
			   sig_name(WTERMSIG(code), tmp),
			   WCOREDUMP(code) ? " (core dumped) " : " ");
	else
		buf_printf(&s->b, "+++ exited with %d +++", WEXITSTATUS(code));
	sink_end_line(s);
}

/* The task goes on, but may not be seen any more. */
static void put_barred(struct out *o, struct proc *p, const struct ktr_rec *rec)
{
	const struct ktr_ev_target_end *ev = EV_AS(target_end, rec);
	struct sink *s;

	if (!ev || (ev->reason != KTR_END_PROGRAM && ev->reason != KTR_END_CREDENTIALS))
		return;
	p->ip = 0;
	s = leader(o, p, rec->time, p->begun_nr);
	buf_printf(&s->b, "+++ trace ended: %s +++", ev->reason == KTR_END_PROGRAM ?
		   "a set-id program, or one that may not be read" :
		   "other ids, or more capabilities");
	sink_end_line(s);
}

/* The leader's entry may be gone by now. */
static void tell_outlived(struct out *o, uint32_t tid)
{
	struct held *h = procs_outlived(&o->procs, tid);

	if (!h)
		return;
	tid = h->rec->tid;
	tell_exit(o, procs_get(&o->procs, tid), h->rec);
	procs_drop(&o->procs, tid);
	free(h);
}

static void put_exit(struct out *o, struct proc *p, const struct ktr_rec *rec)
{
	const struct ktr_ev_exit *ev = EV_AS(exit, rec);
	uint32_t tgid = p->tgid;

	if (ev && WIFSIGNALED(ev->code) && p->told == WTERMSIG((int)ev->code))
		drop_held(o, p);	/* nobody takes them any more */
	release(o, p, rec->time);
	if (!ev)
		return;
	if (p->tid == tgid && !(ev->flags & KTR_EXIT_F_GROUP) &&
	    !o->opts.separate && procs_outlive(&o->procs, rec))
		return;
	tell_exit(o, p, rec);
	if (ev->flags & KTR_EXIT_F_GROUP && p->tid != tgid && tgid)
		tell_outlived(o, tgid);
}

/* If nothing else was written since the execve, its line says how it goes on. */
static void change_pid(struct sink *s, uint32_t tid, uint32_t old)
{
	if (!s->col || s->tid != old)
		return;
	buf_printf(&s->b, " <pid changed to %u ...>", tid);
	sink_end_line(s);
}

/* The leader is gone, the thread that called execve has its number now. */
static void put_superseded(struct out *o, const struct ktr_rec *rec,
			   const struct ktr_ev_exec *ev)
{
	struct proc *p = procs_get(&o->procs, rec->tid), *old;
	struct sink *s;

	if (!ev->old_tid || ev->old_tid == rec->tid)
		return;
	old = procs_find(&o->procs, ev->old_tid);
	if (old)
		put_early(o, old);
	if (old)
		change_pid(out_sink(o, old), rec->tid, old->tid);
	free(procs_outlived(&o->procs, rec->tid));
	if (o->opts.quiet & QUIET_THREAD_EXECVE)
		return;
	s = leader(o, p, rec->time, p->begun_nr);
	buf_printf(&s->b, "+++ superseded by execve in pid %u +++",
		   ev->old_tid);
	sink_end_line(s);
}

static void put_lost(struct out *o, const struct ktr_ev_lost *ev,
		     unsigned int cpu)
{
	struct sink *s = &o->sink;

	text_close(s);
	buf_printf(&s->b, "--- lost %llu records on CPU %u, %llu.%09llu to %llu.%09llu ---\n",
		   (unsigned long long)ev->count, cpu,
		   (unsigned long long)(ev->first / 1000000000),
		   (unsigned long long)(ev->first % 1000000000),
		   (unsigned long long)(ev->last / 1000000000),
		   (unsigned long long)(ev->last % 1000000000));
}

static void put_generic(struct out *o, struct proc *p,
			const struct ktr_rec *rec)
{
	struct sink *s;

	release(o, p, rec->time);
	s = leader(o, p, rec->time, p->begun_nr);
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
		put_syscall(o, p, &r);
		put_graphs(o, p, UINT64_MAX, true);
	} else if (!fmt_syscall_lacks(&r) || !procs_keep_early(&o->procs, p, rec)) {
		put_begun(o, p, &r);
	} else {
		p->early_at = out_sink(o, p)->lines;
	}
}

/* Of the signals that stop only this one always does. */
static void put_stopped(struct out *o, struct proc *p, uint64_t time)
{
	struct sink *s = leader(o, p, time, p->begun_nr);

	buf_puts(&s->b, "--- stopped by SIGSTOP ---");
	sink_end_line(s);
}

static void put_delivered(struct out *o, struct proc *p,
			  const struct ktr_rec *rec)
{
	const struct ktr_ev_signal_deliver *ev = EV_AS(signal_deliver, rec);
	const unsigned char *info;
	size_t len = ev_tail(ev_by_kind(rec->kind), rec, &info);

	release(o, p, rec->time);
	if (!ev || ev->sig == SIGKILL)
		return;
	free(procs_unsend(p, ev->sig));
	put_signal(o, p, rec, ev->sig, info, len);
	if (ev->sig == SIGSTOP)
		put_stopped(o, p, rec->time);
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
	else if (!procs_hold(&o->procs, p, rec))
		put_sent(o, p, rec);
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
		put_delivered(o, p, rec);
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
		put_exit(o, p, rec);
		break;
	case KTR_KIND_target_end:
		put_early(o, p);
		put_graphs(o, p, UINT64_MAX, true);
		put_barred(o, p, rec);
		/* fall through */
	case KTR_KIND_task_new:
		put_attached(o, rec);
		/* fall through */
	case KTR_KIND_clock:
	case KTR_KIND_change:
	case KTR_KIND_task:
	case KTR_KIND_exec:
	case KTR_KIND_rename:
	case KTR_KIND_mapped:
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
		put_begun(o, old, &r);
		/* Had it been written at once, lines since then would have cut it. */
		if (cut)
			text_close(out_sink(o, old));
	}
	put_superseded(o, h->rec, ev);
	procs_note(&o->procs, h->rec);
	dispatch(o, h->rec, 0);
	free(h);
}

static void text_record(struct out *o, const struct ktr_rec *rec,
			unsigned int cpu)
{
	const struct ktr_ev_exec *exec = EV_AS(exec, rec);
	struct proc *p = procs_find(&o->procs, rec->tid);
	int err;

	/* What the new program maps is told before its execve is over, as calls below it. */
	if (p && p->exec && rec->kind != KTR_KIND_mapped && rec->kind != KTR_KIND_graph)
		take_over(o, p, rec);
	if (exec && postpone(o, rec, exec))
		return;
	if (exec)
		put_superseded(o, rec, exec);
	procs_note(&o->procs, rec);
	dispatch(o, rec, cpu);
	procs_after(&o->procs, rec);
	err = sink_ease(&o->sink);
	if (err)
		o->error = -err;
}

static void release_late(void *arg, struct proc *p)
{
	struct out *o = arg;
	uint64_t before = o->now > HOLD_NS ? o->now - HOLD_NS : 0;

	if (p->exec && p->exec->rec->time < before)
		take_over(o, p, NULL);
	if (p->early && p->early->rec->time < before)
		put_early(o, p);
	if (graph_ended(p) < before)
		put_graphs(o, p, UINT64_MAX, false);
	if (!p->begun && !p->early)
		release(o, p, before);
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
	put_early(o, p);
	put_graphs(o, p, UINT64_MAX, true);
	release(o, p, UINT64_MAX);
	if (p->sink && p->sink->col) {
		buf_puts(&p->sink->b, " <detached ...>");
		sink_end_line(p->sink);
	}
}

static void text_footer(struct out *o, uint64_t records, uint64_t lost)
{
	(void)records;
	(void)lost;
	while (o->procs.outlived)
		tell_outlived(o, 0);
	procs_each(&o->procs, end_thread, o);
	if (!o->sink.col)
		return;
	buf_puts(&o->sink.b, " <detached ...>");
	sink_end_line(&o->sink);
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
};
