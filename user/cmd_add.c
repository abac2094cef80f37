// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * add-* and del-*: a named session, made when it is first needed, in overwrite
 * mode and started.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "events.h"
#include "setup.h"

struct change {
	struct ctl *ctl;
	struct ctl_ref ref;
	struct ctl_session s;
	struct opts *o;
	bool del;
	bool made;		/* the session is ours and new */
	struct fault f;
};

static uint64_t base_events(void)
{
	return ev_group_mask("control", 7) | ev_group_mask("process", 7) |
	       ev_group_mask("marker", 6);
}

static int make_session(struct change *c)
{
	struct ctl_new n = { .name = c->ref.name, .mode = KTR_MODE_OVERWRITE };
	struct ctl_set set = {
		.set = CTL_SET_STATE | CTL_SET_EVENTS_ADD,
		.state = KTR_STATE_RUNNING, .events_add = base_events(),
	};
	int err = ctl_session_new(c->ctl, &n, &c->s);

	if (err)
		return setup_fault(c->ctl, err, c->ref.name, &c->f);
	c->made = true;
	err = ctl_session_set(c->ctl, c->ref, &set);
	return err ? setup_fault(c->ctl, err, c->ref.name, &c->f) : 0;
}

static int open_session(struct change *c)
{
	int err = setup_open(&c->ctl, &c->f);

	if (err)
		return err;
	err = ctl_session_get(c->ctl, c->ref, &c->s);
	if (err == -ENOENT && !c->del)
		return make_session(c);
	if (err == -ENOENT)
		return fault_set(&c->f, ST_USAGE, "no session named %s: `ktrctl list` shows those there are",
				 c->ref.name);
	return err ? setup_fault(c->ctl, err, c->ref.name, &c->f) : 0;
}

static int change_events(struct change *c, uint64_t mask)
{
	struct ctl_set set = {
		.set = c->del ? CTL_SET_EVENTS_DEL : CTL_SET_EVENTS_ADD,
		.events_add = mask, .events_del = mask,
	};
	int err = ctl_session_set(c->ctl, c->ref, &set);

	if (err)
		return setup_fault(c->ctl, err, "events", &c->f);
	c->s.events = c->del ? c->s.events & ~mask : c->s.events | mask;
	return 0;
}

/*
 * A session begins with all signals, for whoever asks for the events alone; while it
 * records none of those, nobody has.
 */
static int change_signals(struct change *c, uint64_t mask)
{
	bool first = !c->del && !(c->s.events & ev_group_mask("signal", 6));
	struct ctl_set set = {
		.set = c->del ? CTL_SET_SIGNALS_DEL :
		       first ? CTL_SET_SIGNALS : CTL_SET_SIGNALS_ADD,
		.signals = mask, .signals_add = mask, .signals_del = mask,
	};
	int err = ctl_session_set(c->ctl, c->ref, &set);

	return err ? setup_fault(c->ctl, err, "signals", &c->f) : 0;
}

/* what: NULL for a process. */
static int let_go(struct change *c, unsigned int kind, uint32_t id, const char *what)
{
	int err = ctl_target_del(c->ctl, c->ref, kind, id, 0, NULL);
	char pid[32];

	if (!err)
		return 0;
	snprintf(pid, sizeof(pid), "process %u", id);
	return setup_fault(c->ctl, err, what ?: pid, &c->f);
}

static void said(void *arg, const char *what, const struct fault *f)
{
	(void)arg;
	(void)what;
	if (f)
		cmd_message("%s", f->text);
}

static int change_targets(struct change *c)
{
	unsigned int flags = (c->o->sel.follow ? KTR_TARGET_F_FOLLOW : 0) |
			     (c->o->sel.descend ? KTR_TARGET_F_DESCEND : 0);
	int err = 0;
	size_t i;

	if (!select_running(&c->o->sel))
		return 0;
	if (!c->del)
		return setup_targets(c->ctl, c->ref, &c->o->sel,
				     KTR_TARGET_PID, flags, said, NULL, &c->f);
	for (i = 0; i < c->o->sel.pids.n && !err; i++)
		err = let_go(c, KTR_TARGET_PID, c->o->sel.pids.pid[i], NULL);
	for (i = 0; i < c->o->sel.whom.n && !err; i++)
		err = let_go(c, c->o->sel.whom.v[i].kind, c->o->sel.whom.v[i].id,
			     c->o->sel.whom.v[i].what);
	return err;
}

typedef int (*change_fn)(struct change *c, const char *arg);

/* A session made for a command that then fails would only be in the way. */
static int apply(const struct command *cmd, struct opts *o, change_fn fn)
{
	struct change c = {
		.ref.name = o->session ? o->session : "default",
		.o = o, .del = !strncmp(cmd->name, "del-", 4),
	};
	int i, err = open_session(&c);

	for (i = 0; i < o->argc && !err; i++)
		err = fn(&c, o->argv[i]);
	if (!err)
		err = change_targets(&c);
	if (err && c.made)
		ctl_session_del(c.ctl, c.ref);
	ctl_session_free(&c.s);
	ctl_close(c.ctl);
	return err ? cmd_fail(&c.f) : ST_OK;
}

static int some_funcs(struct change *c, const char *pattern)
{
	struct fnsigs sigs = { 0 };
	struct funcset set;
	struct ksyms ks;
	int err;

	ksyms_init(&ks);
	funcset_init(&set);
	c->o->sel.fn.args.strsize = c->o->view.strsize;
	if (c->del)
		err = setup_funcs_del(c->ctl, c->ref, &ks, pattern, &set, &c->f);
	else if (c->o->sel.fn.graph)
		err = setup_graph(c->ctl, c->ref, &ks, pattern, &c->o->sel.fn, &set, &c->f);
	else
		err = setup_funcs(c->ctl, c->ref, &ks, pattern, &c->o->sel.fn,
				  &set, &sigs, &c->f);
	ksyms_free(&ks);
	if (!err && sigs.notes.len)
		cmd_message("%s", buf_str(&sigs.notes));
	fnsigs_free(&sigs);
	if (!err)
		cmd_message("%s: %zu function%s %s session %s%s%s", pattern,
			    set.n, set.n == 1 ? "" : "s",
			    c->del ? "taken from" : "added to", c->ref.name,
			    set.notes.len ? ": " : "", buf_str(&set.notes));
	funcset_free(&set);
	if (err || c->del)
		return err;
	return change_events(c, c->o->sel.fn.graph ? select_graph_events() :
						     select_func_events(c->o->sel.fn.ret));
}

static int one_syscall(struct change *c, const char *arg)
{
	struct sysset set;
	int err = sysset_parse(&set, arg, &c->f);

	if (!err && c->del)
		return setup_calls_del(c->ctl, c->ref, &set, &c->f);
	if (!err)
		err = setup_calls(c->ctl, c->ref, &set, &c->o->view, 0, 0,
				  &c->f);
	return err ?: change_events(c, ev_group_mask("syscall", 7));
}

static int one_signal(struct change *c, const char *arg)
{
	uint64_t mask;
	int err = sigset_parse(&mask, arg, &c->f);

	if (!err)
		err = change_signals(c, mask);
	if (err || c->del)
		return err;
	return change_events(c, ev_group_mask("signal", 6));
}

/* Kinds that need a set beside them get all of it, if there is none yet. */
static int one_event(struct change *c, const char *arg)
{
	struct sysset all;
	const char *bad;
	uint64_t mask;
	size_t n;
	int err = 0;

	if (ev_parse_mask(arg, &mask, &bad, &n))
		return fault_set(&c->f, ST_USAGE, "unknown event '%.*s': `ktrctl events` shows those there are",
				 (int)n, bad);
	if (!c->del && mask & ev_group_mask("signal", 6) && !c->s.signals)
		err = change_signals(c, ~0ULL);
	sysset_all(&all);
	if (!err && !c->del && mask & ev_group_mask("syscall", 7) &&
	    !c->s.nsyscalls)
		err = setup_calls(c->ctl, c->ref, &all, &c->o->view, 0, 0,
				  &c->f);
	return err ?: change_events(c, mask);
}

/* All patterns are one list: a "!" takes away from what stands before it. */
int cmd_add_func(const struct command *cmd, struct opts *o)
{
	char **argv = o->argv, *pattern;
	int i, status, argc = o->argc;
	struct buf b;

	buf_init(&b);
	for (i = 0; i < argc; i++)
		buf_printf(&b, "%s%s", i ? "," : "", argv[i]);
	pattern = (char *)buf_str(&b);
	o->argv = &pattern;
	o->argc = 1;
	status = apply(cmd, o, some_funcs);
	o->argv = argv;
	o->argc = argc;
	buf_free(&b);
	return status;
}

int cmd_add_syscall(const struct command *cmd, struct opts *o)
{
	return apply(cmd, o, one_syscall);
}

int cmd_add_signal(const struct command *cmd, struct opts *o)
{
	return apply(cmd, o, one_signal);
}

int cmd_add_event(const struct command *cmd, struct opts *o)
{
	return apply(cmd, o, one_event);
}
