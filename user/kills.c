// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "kills.h"

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

int kills_signal(const struct ktr_ev_exit *ev)
{
	return WIFSIGNALED(ev->code) ? WTERMSIG(ev->code) : 0;
}

bool kills_hold(struct proc *p, const struct ktr_rec *rec)
{
	const struct ktr_ev_signal_deliver *ev = EV_AS(signal_deliver, rec);

	if (ev && ev->sig == SIGKILL)
		p->dying = true;
	return p->dying && rec->kind != KTR_KIND_exit && rec->kind != KTR_KIND_target_end;
}

void kills_sent(struct proc *p, const struct ktr_rec *rec)
{
	const struct ktr_ev_signal_generate *ev = EV_AS(signal_generate, rec);

	if (ev && !(ev->flags & KTR_SIG_F_IGNORED))
		procs_sent(p, rec, ev->sig);
}

/*
 * Once for a process. Of its threads it is that one which the signal was sent to; if
 * that has ended before, or it is not recorded, the last one.
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

static bool kill_delivered(struct procs *ps, struct proc *p, struct delivered *d)
{
	const struct ktr_ev_signal_generate *ev;
	struct held *h;

	if (p->end) {
		d->sig = kills_signal(p->end);
		if (!takes_it(ps, p, d->sig))
			return false;
	}
	h = procs_unsend(p, d->sig);
	ev = h ? EV_AS(signal_generate, h->rec) : NULL;
	d->known = ev;
	d->code = ev ? ev->code : 0;
	free(h);
	return true;
}

bool kills_delivered(struct procs *ps, struct proc *p, const struct ktr_rec *rec,
		     struct delivered *d)
{
	const struct ktr_ev_signal_deliver *ev = EV_AS(signal_deliver, rec);

	if (!ev)
		return false;
	*d = (struct delivered){ .sig = ev->sig, .known = true, .code = ev->code,
				 .handler = ev->handler, .mask = ev->blocked };
	if (ev->sig == SIGKILL)
		return kill_delivered(ps, p, d);
	free(procs_unsend(p, ev->sig));
	p->told = ev->handler ? 0 : ev->sig;
	return true;
}

void kills_exit(struct procs *ps, struct proc *p, const struct ktr_ev_exit *ev)
{
	struct group g = group_of(p, kills_signal(ev));

	if (g.sig && p->told == g.sig)
		procs_each(ps, set_told, &g);
	p->dying = false;
}
