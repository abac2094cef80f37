// SPDX-License-Identifier: GPL-2.0-or-later
/* How tasks end, in strace's form, and how one takes over another's number. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "events.h"
#include "fmt_signal.h"
#include "text_call.h"
#include "text_end.h"
#include "text_signal.h"

/* nr: of the last call. */
static void put_fatal(struct out *o, struct proc *p, int nr, int sig)
{
	struct held *h = procs_unsend(p, sig);

	/* Nobody sees his own SIGKILL; one more of the deadly kind kills nobody. */
	if (h && sig != SIGKILL && p->told != sig)
		text_sent(o, p, h->rec, nr);
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
	struct ktr_ev_exit room;
	const struct ktr_ev_exit *ev = ev_exit(rec, &room);
	int nr = ev->nr >= 0 ? ev->nr : p->begun_nr;
	int code = ev->code;
	struct sink *s;
	char tmp[16];

	if (WIFSIGNALED(code))
		put_fatal(o, p, nr, WTERMSIG(code));
	if ((o->opts.quiet & QUIET_EXIT && !WIFSIGNALED(code)) || is_mute(o, code))
		return;
	p->ip = 0;
	s = text_leader(o, p, rec->time, nr);
	if (WIFSIGNALED(code))
		buf_printf(&s->b, "+++ killed by %s%s+++",
			   sig_name(WTERMSIG(code), tmp),
			   WCOREDUMP(code) ? " (core dumped) " : " ");
	else
		buf_printf(&s->b, "+++ exited with %d +++", WEXITSTATUS(code));
	sink_end_line(s);
}

const char *text_why_ended(uint32_t reason)
{
	switch (reason) {
	case KTR_END_EXIT:
		return NULL;
	case KTR_END_DETACH:
		return "the process was detached";
	case KTR_END_SESSION:
		return "the session ended";
	case KTR_END_PROGRAM:
		return "a set-id program, or one that may not be read";
	case KTR_END_CREDENTIALS:
		return "other ids, or more capabilities";
	default:
		return "for a reason of a newer module";
	}
}

bool text_is_barred(const struct ktr_ev_target_end *ev)
{
	return ev->reason == KTR_END_PROGRAM || ev->reason == KTR_END_CREDENTIALS;
}

void text_barred(struct out *o, struct proc *p, const struct ktr_rec *rec)
{
	const struct ktr_ev_target_end *ev = EV_AS(target_end, rec);
	struct sink *s;

	if (!ev || !text_is_barred(ev))
		return;
	p->ip = 0;
	s = text_leader(o, p, rec->time, p->begun_nr);
	buf_printf(&s->b, "+++ trace ended: %s +++", text_why_ended(ev->reason));
	sink_end_line(s);
}

void text_outlived(struct out *o, uint32_t tid)
{
	struct held *h = procs_outlived(&o->procs, tid);

	if (!h)
		return;
	tid = h->rec->tid;
	tell_exit(o, procs_get(&o->procs, tid), h->rec);
	procs_drop(&o->procs, tid);
	free(h);
}

void text_exit(struct out *o, struct proc *p, const struct ktr_rec *rec)
{
	struct ktr_ev_exit room;
	const struct ktr_ev_exit *ev = ev_exit(rec, &room);
	uint32_t tgid = p->tgid;

	if (ev && WIFSIGNALED(ev->code) && p->told == WTERMSIG((int)ev->code))
		text_drop_held(o, p);	/* nobody takes them any more */
	text_release(o, p, rec->time);
	if (!ev)
		return;
	if (p->tid == tgid && !(ev->flags & KTR_EXIT_F_GROUP) &&
	    procs_outlive(&o->procs, rec))
		return;
	tell_exit(o, p, rec);
	if (ev->flags & KTR_EXIT_F_GROUP && p->tid != tgid && tgid)
		text_outlived(o, tgid);
}

/* If nothing else was written since the execve, its line says how it goes on. */
static void change_pid(struct sink *s, uint32_t tid, uint32_t old)
{
	if (!s->col || s->tid != old)
		return;
	buf_printf(&s->b, " <pid changed to %u ...>", tid);
	sink_end_line(s);
}

void text_superseded(struct out *o, const struct ktr_rec *rec,
			   const struct ktr_ev_exec *ev)
{
	struct proc *p = procs_get(&o->procs, rec->tid), *old;
	struct sink *s;
	int nr;

	if (!ev->old_tid || ev->old_tid == rec->tid)
		return;
	old = procs_find(&o->procs, ev->old_tid);
	if (old)
		text_early(o, old);
	if (old)
		change_pid(out_sink(o, old), rec->tid, old->tid);
	/* The call is the other thread's. */
	nr = old ? old->begun_nr : p->begun_nr;
	free(procs_outlived(&o->procs, rec->tid));
	if (o->opts.quiet & QUIET_THREAD_EXECVE)
		return;
	s = text_leader(o, p, rec->time, nr);
	buf_printf(&s->b, "+++ superseded by execve in pid %u +++",
		   ev->old_tid);
	sink_end_line(s);
}
