// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "named.h"

/* Of a plain user's: as many as he may have fit into the memory he may have. */
#define PLAIN_BUFFER (512u << 10)

static uint64_t base_events(void)
{
	return ev_group_mask("control", 7) | ev_group_mask("process", 7) |
	       ev_group_mask("marker", 6);
}

static int make(struct named *n, struct fault *f)
{
	const struct select *sel = &n->o->sel;
	struct ctl_new new = {
		.name = n->ref.name,
		.mode = sel->mode < 0 ? KTR_MODE_OVERWRITE : sel->mode,
		.buf_size = sel->buffer ?: ctl_plain(n->ctl) ? PLAIN_BUFFER : 0,
		.flags = sel->big ? KTR_SESSION_F_BIG : 0,
	};
	struct ctl_set set = {
		.set = CTL_SET_STATE | CTL_SET_EVENTS_ADD,
		.state = KTR_STATE_RUNNING, .events_add = base_events(),
		.filter = sel->filter.p, .nfilter = sel->filter.n,
		.stack = select_stacks_of_all(sel),
	};
	int err = ctl_session_new(n->ctl, &new, &n->s);

	if (err)
		return setup_fault(n->ctl, err, n->ref.name, f);
	n->made = true;
	if (set.nfilter)
		set.set |= CTL_SET_FILTER;
	if (set.stack.kinds)
		set.set |= CTL_SET_STACK;
	if (set.stack.user || set.stack.copy)
		set.events_add |= 1ULL << KTR_KIND_mapped;
	err = ctl_session_set(n->ctl, n->ref, &set);
	return err ? setup_fault(n->ctl, err, n->ref.name, f) : 0;
}

static uint64_t rounded(uint64_t size)
{
	uint64_t n = KTR_BUF_MIN;

	while (n < size)
		n *= 2;
	return n;
}

/* What a session begins with stays. */
static int check_old(const struct named *n, struct fault *f)
{
	const struct select *sel = &n->o->sel;
	const char *what = sel->buffer && rounded(sel->buffer) != n->s.buf_size ? "--buffer" :
			   sel->mode >= 0 && (unsigned int)sel->mode != n->s.mode ? "--mode" :
			   NULL;

	if (what)
		return fault_set(f, ST_USAGE, "%s: session %s exists, with other rings: `ktrctl clear -s %s` ends it",
				 what, n->ref.name, n->ref.name);
	if (select_stacks_of_all(sel).kinds)
		return fault_set(f, ST_USAGE, "--kstack, --stack-traces: session %s exists, and takes stacks or none from its beginning: `ktrctl clear -s %s` ends it",
				 n->ref.name, n->ref.name);
	if (sel->filter.n)
		return fault_set(f, ST_USAGE, "--filter, --errno: session %s exists: `ktrctl start -s %s --filter EXPR` gives it another filter",
				 n->ref.name, n->ref.name);
	return 0;
}

int named_open(struct named *n, bool may_make, struct fault *f)
{
	int err = setup_open(&n->ctl, f);

	if (err)
		return err;
	err = ctl_session_get(n->ctl, n->ref, &n->s);
	if (!err)
		return check_old(n, f);
	if (err == -ENOENT && may_make)
		return make(n, f);
	if (err == -ENOENT)
		return fault_set(f, ST_USAGE, "no session named %s: `ktrctl list` shows those there are",
				 n->ref.name);
	return setup_fault(n->ctl, err, n->ref.name, f);
}

int named_set(struct named *n, const struct ctl_set *set, const char *what, struct fault *f)
{
	int err = ctl_session_set(n->ctl, n->ref, set);

	n->changed |= !err;
	return err ? setup_fault(n->ctl, err, what, f) : 0;
}

static int look(struct named *n, struct fault *f)
{
	int err = ctl_target_list(n->ctl, n->ref, &n->had, &n->nhad);

	return err ? setup_fault(n->ctl, err, n->ref.name, f) : 0;
}

static bool had(const struct named *n, uint32_t tid)
{
	size_t i;

	for (i = 0; i < n->nhad; i++)
		if (n->had[i].tid == tid)
			return true;
	return false;
}

int named_attach(struct named *n, setup_said_fn said, struct fault *f)
{
	const struct select *sel = &n->o->sel;
	unsigned int flags = (sel->follow ? KTR_TARGET_F_FOLLOW : 0) |
			     (sel->descend ? KTR_TARGET_F_DESCEND : 0);
	int err;

	if (!select_running(sel))
		return 0;
	err = n->made ? 0 : look(n, f);
	n->attached = !err && !n->made;
	return err ?: setup_targets(n->ctl, n->ref, sel, KTR_TARGET_PID, flags, said, NULL, f);
}

/* what: NULL for a process. */
static int let_go(struct named *n, unsigned int kind, uint32_t id, const char *what,
		  struct fault *f)
{
	int err = ctl_target_del(n->ctl, n->ref, kind, id, 0, NULL);
	char pid[32];

	if (!err)
		return 0;
	snprintf(pid, sizeof(pid), "process %u", id);
	if (err == -ESRCH)
		return fault_set(f, ST_USAGE, "%s: not traced by session %s", what ?: pid,
				 n->ref.name);
	return setup_fault(n->ctl, err, what ?: pid, f);
}

int named_detach(struct named *n, setup_said_fn said, struct fault *f)
{
	const struct select *sel = &n->o->sel;
	size_t i, count = sel->pids.n + sel->whom.n, good = 0;
	int err;

	for (i = 0; i < count; i++) {
		const struct whom *w = i < sel->pids.n ? NULL : &sel->whom.v[i - sel->pids.n];

		err = let_go(n, w ? w->kind : KTR_TARGET_PID, w ? w->id : sel->pids.pid[i],
			     w ? w->what : NULL, f);
		good += !err;
		if (err && count > 1)
			said(NULL, 0, "", 0, f);
	}
	if (good)
		return 0;
	if (count > 1)
		fault_set(f, f->status, "session %s traces none of these processes", n->ref.name);
	return -EINVAL;
}

static bool traces(const struct named *n, uint32_t pid)
{
	size_t i;

	for (i = 0; i < n->nhad; i++)
		if (n->had[i].tgid == pid)
			return true;
	return false;
}

int named_check_alone(struct named *n, const char *cmd, struct fault *f)
{
	const struct pidlist *pids = &n->o->sel.pids;
	size_t i;
	int err;

	if (n->o->sel.whom.n)
		return fault_set(f, ST_USAGE, "%s: what is given is taken from all processes of the session: leave out --pgid, --uid, --cgroup or --all, or let those go without it",
				 cmd);
	err = look(n, f);
	if (err)
		return err;
	for (i = 0; i < pids->n; i++)
		if (!traces(n, pids->pid[i]))
			return fault_set(f, ST_USAGE, "process %u: not traced by session %s",
					 pids->pid[i], n->ref.name);
	for (i = 0; i < n->nhad; i++)
		if (!pidlist_has(pids, n->had[i].tgid))
			return fault_set(f, ST_USAGE, "%s: session %s traces process %u too, which would lose it as well: leave out --pid, or `ktrctl %s --pid` alone lets a process go",
					 cmd, n->ref.name, n->had[i].tgid, cmd);
	return 0;
}

/* New ones: those that were asked for, and what they have made since. */
static void undo_targets(struct named *n)
{
	struct ctl_target *now;
	size_t i, count;

	if (ctl_target_list(n->ctl, n->ref, &now, &count))
		return;
	for (i = 0; i < count; i++)
		if (!had(n, now[i].tid))
			ctl_target_del(n->ctl, n->ref, KTR_TARGET_TID, now[i].tid, 0, NULL);
	free(now);
}

static void undo(struct named *n)
{
	struct ctl_set set = {
		.set = CTL_SET_EVENTS | CTL_SET_SIGNALS,
		.events = n->s.events, .signals = n->s.signals,
	};

	if (n->made) {
		ctl_session_del(n->ctl, n->ref);
		return;
	}
	if (n->attached)
		undo_targets(n);
	if (n->changed)
		ctl_session_set(n->ctl, n->ref, &set);
}

void named_close(struct named *n, bool failed)
{
	if (failed && n->ctl)
		undo(n);
	free(n->had);
	ctl_session_free(&n->s);
	ctl_close(n->ctl);
}
