// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "fmt_syscall.h"
#include "live.h"
#include "sys.h"
#include "sys_table.h"

#define CARRY_MS 20
#define HELD_MS 100

static int take_span(void *arg, const struct ring_read *ring,
		     const unsigned char *p, size_t len)
{
	struct live *l = arg;
	long n = merge_add(&l->mg, ring->cpu * 2 + ring->ring, p, len);

	return n < 0 ? (int)n : 0;
}

/* -b execve: whoever runs another program is let go, but for the command. */
static void detach_on_exec(struct live *l, const struct ktr_rec *rec)
{
	const struct ktr_ev_exec *ev = EV_AS(exec, rec);

	if (!ev || !l->run.sel->detach_on_exec)
		return;
	if (ev->tgid == (uint32_t)l->run.child.pid && !l->command_runs) {
		l->command_runs = true;
		return;
	}
	ctl_target_del(l->run.ctl, l->run.ref, KTR_TARGET_PID, ev->tgid, 0, NULL);
	procs_get(&l->out->procs, rec->tid)->gone = 1;
}

/* It is told after the exec: by its end, if the call is asked for at all. */
static bool is_execve(const struct ktr_rec *rec)
{
	const struct sys_desc *desc;
	struct sys_rec r;

	if (rec->kind != KTR_KIND_syscall || sys_parse(rec, &r))
		return false;
	desc = sys_lookup(r.abi, r.nr);
	return desc && !strncmp(desc->name, "execve", strlen("execve"));
}

/* Until the detach is through, more comes of a process that was let go. */
static bool is_gone(struct live *l, const struct ktr_rec *rec)
{
	struct proc *p = procs_find(&l->out->procs, rec->tid);

	if (!p || !p->gone || rec->kind == KTR_KIND_target_end)
		return false;
	if (p->gone == 1 && is_execve(rec)) {
		p->gone = 2;
		return false;
	}
	procs_set_live(&l->out->procs, p, false);
	return true;
}

static bool is_bookkeeping(const struct ktr_rec *rec)
{
	const struct ev_desc *d = ev_by_kind(rec->kind);

	return !d || d->group == EVG_CONTROL || d->ring == KTR_RING_CONTROL;
}

/* What a named session records was chosen by others: select here. */
static bool wanted(struct live *l, const struct ktr_rec *rec)
{
	const struct select *sel = l->run.sel;
	const struct proc *p;

	if (!l->run.keep_targets)
		return select_rest(sel, rec);
	p = procs_find(&l->out->procs, rec->tid);
	return select_pass(sel, rec, p ? p->tgid : 0);
}

static int show(void *arg, const struct ktr_rec *rec, unsigned int src)
{
	struct live *l = arg;
	const struct select *sel = l->run.sel;

	if (is_gone(l, rec) || !wanted(l, rec))
		return 0;
	if (sel->limit && l->shown >= sel->limit && !is_bookkeeping(rec))
		return 0;
	out_record(l->out, rec, src / 2);
	detach_on_exec(l, rec);
	if (!is_bookkeeping(rec))
		l->shown++;
	if (sel->limit && l->shown >= sel->limit)
		l->run.stop = l->run.limited = true;
	return l->out->error;
}

static int add_row(void *arg, const struct ktr_sum_row *row,
		   const uint64_t *hist)
{
	return tally_row(arg, row, hist);
}

/* What the kernel has counted by now. */
static int take_counts(struct live *l)
{
	struct ctl_session s;
	int err;

	if (!l->out->kernel_counts)
		return 0;
	tallies_clear(l->out->tally);
	err = ctl_summary_get(l->run.ctl, l->run.ref, add_row, l->out->tally);
	if (err)
		return err;
	err = ctl_session_get(l->run.ctl, l->run.ref, &s);
	l->out->tally->missed = s.sum_missed;
	l->run.inside = s.rets_inside;
	ctl_session_free(&s);
	return err;
}

/* --interval: the counts up to now, from time to time. */
static int show_counts(struct live *l)
{
	uint64_t now = reader_now(), every = l->out->opts.sum.interval_ns;
	int err;

	if (!l->started)
		l->next_show = (l->started = now) + every;
	if (now < l->next_show)
		return 0;
	while (l->next_show <= now)
		l->next_show += every;
	err = take_counts(l);
	if (!err)
		out_counts_now(l->out, now - l->started);
	return err;
}

/* In milliseconds, 0: when there is something to read. */
static unsigned int next_tick(const struct live *l)
{
	uint64_t now = reader_now(), ms;
	/* What is left over is not in the rings any more: nobody wakes us. */
	unsigned int tick = l->mg.bytes ? CARRY_MS : l->out->procs.nheld ? HELD_MS : 0;

	if (!l->out->opts.sum.interval_ns)
		return tick;
	ms = l->next_show > now ? (l->next_show - now) / 1000000 + 1 : 1;
	if (ms > 60000)
		ms = 60000;
	return tick && tick < ms ? tick : ms;
}

/* enough: nothing more is shown, whatever is there. */
static int finish(struct live *l, bool enough)
{
	bool over = !l->run.keep_targets || l->rd.hup;
	int err = enough ? 0 : reader_trailing(&l->rd, over, take_span, l);

	if (!err && !enough)
		err = merge_run(&l->mg, UINT64_MAX, show, l);
	l->lost = reader_lost(&l->rd);
	reader_told(&l->rd);
	l->out->goes_on = !over;
	return err ?: take_counts(l);
}

static int live_round(struct run *run, bool last)
{
	struct live *l = run->arg;
	bool enough = run->sel->limit && l->shown >= run->sel->limit;
	int err = enough ? 0 : reader_round(&l->rd, take_span, l);

	l->out->interrupted = run->interrupted;
	if (!err && !enough)
		err = merge_run(&l->mg, l->rd.horizon, show, l);
	if (!err && last)
		err = finish(l, enough);
	else if (!err && l->out->opts.sum.interval_ns)
		err = show_counts(l);
	out_tick(l->out, l->rd.horizon);
	if (last)
		out_footer(l->out, reader_records(&l->rd), l->lost);
	if (!err)
		err = out_flush(l->out);
	run->tick_ms = next_tick(l);
	return err;
}

/* Its records come later, and it may have ended by then. */
static void know_spaces(struct run *run, uint32_t pid)
{
	struct live *l = run->arg;

	spaces_read(&l->out->spaces, pid);
}

void live_init(struct live *l, struct ctl *ctl, struct ctl_ref ref,
	       const struct select *sel, struct out *out)
{
	memset(l, 0, sizeof(*l));
	l->run.ctl = ctl;
	l->run.ref = ref;
	l->run.sel = sel;
	l->run.rd = &l->rd;
	l->run.round = live_round;
	l->run.joined = know_spaces;
	l->run.arg = l;
	l->run.sigfd = -1;
	l->run.child.go = -1;
	l->rd.fd = -1;
	l->out = out;
	merge_init(&l->mg);
}

void live_know_targets(struct live *l)
{
	struct ctl_target *t;
	size_t i, n;

	if (ctl_target_list(l->run.ctl, l->run.ref, &t, &n))
		return;
	for (i = 0; i < n; i++)
		procs_known(&l->out->procs, t[i].tid, t[i].tgid, t[i].comm);
	free(t);
}

int live_run(struct live *l, struct fault *f)
{
	procs_wall(&l->out->procs);
	return run_loop(&l->run, f);
}

void live_free(struct live *l)
{
	merge_free(&l->mg);
	reader_close(&l->rd);
}
