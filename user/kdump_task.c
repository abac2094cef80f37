// SPDX-License-Identifier: GPL-2.0-or-later
/* kdump_task.c - signals, births and ends of tasks in kdump(1)'s lines */
#include <sys/wait.h>

#include "events.h"
#include "fmt_signal.h"
#include "kdump_line.h"
#include "kills.h"
#include "text_end.h"

#define NO_MEMORY 2		/* "followed" of task_new */

static void put_delivered(struct buf *b, const struct delivered *d)
{
	char tmp[16];

	buf_puts(b, sig_name(d->sig, tmp));
	if (d->handler == 0)
		buf_puts(b, " SIG_DFL");
	else if (d->handler == 1)
		buf_puts(b, " SIG_IGN");
	else
		buf_printf(b, " caught handler=0x%llx mask=0x%llx",
			   (unsigned long long)d->handler, (unsigned long long)d->mask);
	buf_puts(b, " code=");
	if (d->known)
		fmt_sigcode(b, d->sig, d->code);
	else
		buf_putc(b, '?');
}

static bool put_signal(struct where *w, const struct ktr_rec *rec)
{
	struct delivered d;

	if (!EV_AS(signal_deliver, rec))
		return false;
	if (!kills_delivered(&w->o->procs, w->p, rec, &d) || !kdump_begin(w, KD_PSIG))
		return true;
	put_delivered(&w->s->b, &d);
	kdump_end(w);
	return true;
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
	struct ktr_ev_exit room;
	const struct ktr_ev_exit *ev = ev_exit(rec, &room);
	char tmp[16];
	int sig;

	if (!ev)
		return false;
	sig = kills_signal(ev);
	kills_exit(&w->o->procs, w->p, ev);
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

/*
 * It goes on, and nothing more of it is recorded. One that has ended does not, also if
 * the trace was faster to end than it was let go.
 */
static bool put_end(struct where *w, const struct ktr_rec *rec)
{
	const struct ktr_ev_target_end *ev = EV_AS(target_end, rec);
	const char *why = ev ? text_why_ended(ev->reason) : NULL;

	if (!why || w->p->exited || w->o->opts.show & 1ULL << rec->kind)
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
		kills_sent(w->p, rec);
		return false;	/* to be shown itself, if it is wanted */
	case KTR_KIND_task_new:
		return put_new(w, rec);
	case KTR_KIND_exit:
		return put_exit(w, rec);
	case KTR_KIND_target_end:
		return put_end(w, rec);
	}
	return false;
}
