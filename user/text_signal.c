// SPDX-License-Identifier: GPL-2.0-or-later
/* Signals in strace's form. */
#include <signal.h>
#include <stdlib.h>

#include "events.h"
#include "fmt_signal.h"
#include "stack.h"
#include "text_call.h"
#include "text_signal.h"

static void put_signal(struct out *o, struct proc *p, const struct ktr_rec *rec, int nr,
		       int sig, const unsigned char *info, size_t len)
{
	struct sink *s = text_leader(o, p, rec->time, nr);
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

/* A fault and an interrupt leave no number, and so does a handler that is through. */
static int last_call(const struct proc *p, uint32_t flags)
{
	unsigned int nr = flags >> KTR_SIG_NR_SHIFT;

	return nr ? (int)nr - 1 : p->begun_nr;
}

void text_sent(struct out *o, struct proc *p, const struct ktr_rec *rec, int nr)
{
	const struct ktr_ev_signal_generate *ev = EV_AS(signal_generate, rec);
	const unsigned char *info;
	size_t len = ev_tail(ev_by_kind(rec->kind), rec, &info);

	if (ev)
		put_signal(o, p, rec, nr >= 0 ? nr : last_call(p, ev->flags), ev->sig, info,
			   len);
}

void text_release(struct out *o, struct proc *p, uint64_t before)
{
	struct held *h;

	while (p->held && p->held->rec->time < before) {
		h = procs_unhold(&o->procs, p);
		text_sent(o, p, h->rec, -1);
		free(h);
	}
}

void text_drop_held(struct out *o, struct proc *p)
{
	struct held *h;

	while ((h = procs_unhold(&o->procs, p)))
		free(h);
}

static void put_stopped(struct out *o, struct proc *p, uint64_t time, int nr, int sig)
{
	struct sink *s;
	char tmp[16];

	if (sig > 0 && sig <= 64 && o->opts.mute & 1ULL << (sig - 1))
		return;
	s = text_leader(o, p, time, nr);
	buf_printf(&s->b, "--- stopped by %s ---", sig_name(sig, tmp));
	sink_end_line(s);
}

void text_found(struct out *o, struct proc *p, const struct ktr_rec *rec)
{
	const struct ktr_ev_task *ev = EV_AS(task, rec);
	int sig = ev ? ev->flags >> KTR_TASK_STOP_SHIFT : 0;

	if (sig)
		put_stopped(o, p, rec->time, p->begun_nr, sig);
}

void text_delivered(struct out *o, struct proc *p,
			  const struct ktr_rec *rec)
{
	const struct ktr_ev_signal_deliver *ev = EV_AS(signal_deliver, rec);
	const unsigned char *info;
	size_t len = ev_tail(ev_by_kind(rec->kind), rec, &info);
	int nr;

	text_release(o, p, rec->time);
	if (!ev || ev->sig == SIGKILL)
		return;
	free(procs_unsend(p, ev->sig));
	nr = last_call(p, ev->flags);
	put_signal(o, p, rec, nr, ev->sig, info, len);
	/* Older records do not tell; this one always does. */
	if (ev->sig == SIGSTOP || ev->flags & KTR_SIG_F_STOPS)
		put_stopped(o, p, rec->time, nr, ev->sig);
}
