// SPDX-License-Identifier: GPL-2.0-or-later
/* kdump_task.c - signals, births and ends of tasks in kdump(1)'s lines */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "events.h"
#include "fmt_signal.h"
#include "kdump_line.h"
#include "text_end.h"

#define NO_MEMORY 2		/* "followed" of task_new */

/* The threads of a process, and what is asked or said of them. */
struct group {
	const struct proc *but;
	uint32_t tgid;
	int sig;
	bool found;
};

static bool is_in(const struct group *g, const struct proc *p)
{
	return (p->tgid ? p->tgid : p->tid) == g->tgid && p != g->but;
}

static void find_told(void *arg, struct proc *p)
{
	struct group *g = arg;

	if (is_in(g, p) && (p->told == g->sig || procs_is_sent(p, g->sig)))
		g->found = true;
}

static void set_told(void *arg, struct proc *p)
{
	const struct group *g = arg;

	if (is_in(g, p))
		p->told = g->sig;
}

static struct group group_of(const struct proc *p, int sig)
{
	return (struct group){ .tgid = p->tgid ? p->tgid : p->tid, .sig = sig };
}

static int fatal_signal(const struct ktr_ev_exit *ev)
{
	return WIFSIGNALED(ev->code) ? WTERMSIG(ev->code) : 0;
}

/*
 * One line for a process. Of its threads it is that of the one which the signal was
 * sent to; if that has ended before, or it is not recorded, that of the last one.
 */
static bool takes_it(struct procs *ps, const struct proc *p, int sig)
{
	struct group g = group_of(p, sig);

	if (!sig || p->told == sig)
		return false;
	if (!procs_is_sent(p, sig)) {
		g.but = p;
		procs_each(ps, find_told, &g);
		if (g.found || !(p->end->flags & KTR_EXIT_F_GROUP))
			return false;
		g.but = NULL;
	}
	procs_each(ps, set_told, &g);
	return true;
}

bool kdump_is_kill(const struct ktr_rec *rec)
{
	const struct ktr_ev_signal_deliver *ev = EV_AS(signal_deliver, rec);

	return ev && ev->sig == SIGKILL;
}

/*
 * Whatever ends a process at once, a signal, an exit or an execve of one of its
 * threads, the kernel delivers SIGKILL without siginfo to each thread. What it was is
 * known at their exit, and more of it from when it was sent.
 */
static void put_kill(struct where *w)
{
	int sig = w->p->end ? fatal_signal(w->p->end) : SIGKILL;
	const struct ktr_ev_signal_generate *ev;
	struct held *h;
	char tmp[16];

	if (w->p->end && !takes_it(&w->o->procs, w->p, sig))
		return;
	h = procs_unsend(w->p, sig);
	if (kdump_begin(w, KD_PSIG)) {
		buf_printf(&w->s->b, "%s SIG_DFL code=", sig_name(sig, tmp));
		ev = h ? EV_AS(signal_generate, h->rec) : NULL;
		if (ev)
			fmt_sigcode(&w->s->b, sig, ev->code);
		else
			buf_putc(&w->s->b, '?');
		kdump_end(w);
	}
	free(h);
}

static void put_caught(struct buf *b, const struct ktr_ev_signal_deliver *ev)
{
	char tmp[16];

	buf_puts(b, sig_name(ev->sig, tmp));
	if (ev->handler == 0)
		buf_puts(b, " SIG_DFL");
	else if (ev->handler == 1)
		buf_puts(b, " SIG_IGN");
	else
		buf_printf(b, " caught handler=0x%llx mask=0x%llx",
			   (unsigned long long)ev->handler,
			   (unsigned long long)ev->blocked);
	buf_puts(b, " code=");
	fmt_sigcode(b, ev->sig, ev->code);
}

static bool put_signal(struct where *w, const struct ktr_rec *rec)
{
	const struct ktr_ev_signal_deliver *ev = EV_AS(signal_deliver, rec);

	if (!ev)
		return false;
	if (ev->sig == SIGKILL) {
		put_kill(w);
		return true;
	}
	free(procs_unsend(w->p, ev->sig));
	w->p->told = ev->handler ? 0 : ev->sig;
	if (!kdump_begin(w, KD_PSIG))
		return true;
	put_caught(&w->s->b, ev);
	kdump_end(w);
	return true;
}

/* Kept until it is delivered. False: to be shown itself. */
static bool note_sent(struct where *w, const struct ktr_rec *rec)
{
	const struct ktr_ev_signal_generate *ev = EV_AS(signal_generate, rec);

	if (ev && !(ev->flags & KTR_SIG_F_IGNORED))
		procs_sent(w->p, rec, ev->sig);
	return false;
}

/* 32 bits of addresses, in the long mode of the processor. */
static const char *abi_of(uint32_t flags)
{
	if (flags & KTR_TASK_F_X32)
		return "x32";
	return flags & KTR_TASK_F_COMPAT ? "i386" : "x86-64";
}

static bool put_new(struct where *w, const struct ktr_rec *rec)
{
	struct ktr_ev_task_new room;
	const struct ktr_ev_task_new *ev = ev_task_new(rec, &room);

	if (!ev || !kdump_begin(w, KD_PCTR))
		return ev;
	buf_printf(&w->s->b, "child=%u parent=%u", ev->child, ev->parent_tgid);
	if (ev_has_child_flags(rec))
		buf_printf(&w->s->b, " abi=%s", abi_of(ev->flags));
	if (ev->followed == NO_MEMORY)
		buf_puts(&w->s->b, " not traced: no memory");
	kdump_end(w);
	return true;
}

static bool put_exit(struct where *w, const struct ktr_rec *rec)
{
	const struct ktr_ev_exit *ev = EV_AS(exit, rec);
	struct group g;
	char tmp[16];
	int sig;

	if (!ev)
		return false;
	sig = fatal_signal(ev);
	g = group_of(w->p, sig);
	if (sig && w->p->told == sig)
		procs_each(&w->o->procs, set_told, &g);
	w->p->dying = false;
	if (!kdump_begin(w, KD_PDTR))
		return true;
	if (sig)
		buf_printf(&w->s->b, "killed by %s%s", sig_name(sig, tmp),
			   WCOREDUMP(ev->code) ? ", core dumped" : "");
	else
		buf_printf(&w->s->b, "exited with %d", WEXITSTATUS(ev->code));
	kdump_end(w);
	return true;
}

/* It goes on, and nothing more of it is recorded. */
static bool put_end(struct where *w, const struct ktr_rec *rec)
{
	const struct ktr_ev_target_end *ev = EV_AS(target_end, rec);
	const char *why = ev ? text_why_ended(ev->reason) : NULL;

	if (!why || w->o->opts.show & 1ULL << rec->kind)
		return false;
	if (!kdump_begin(w, KD_END))
		return true;
	buf_printf(&w->s->b, "trace ended: %s", why);
	kdump_end(w);
	return true;
}

bool kdump_task(struct where *w, const struct ktr_rec *rec)
{
	switch (rec->kind) {
	case KTR_KIND_signal_deliver:
		return put_signal(w, rec);
	case KTR_KIND_signal_generate:
		return note_sent(w, rec);
	case KTR_KIND_task_new:
		return put_new(w, rec);
	case KTR_KIND_exit:
		return put_exit(w, rec);
	case KTR_KIND_target_end:
		return put_end(w, rec);
	}
	return false;
}
