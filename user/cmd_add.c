// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * add-* and del-*: a named session, made when it is first needed, in overwrite
 * mode and started.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "ending.h"
#include "events.h"
#include "named.h"

/* What all arguments mean together. */
struct change {
	struct named n;
	bool del;
	struct sysset calls;
	uint64_t mask;		/* signals or events */
	const char *pattern;
	struct buf told;	/* a line each, once all is done */
	struct fault f;
};

struct verb {
	int (*parse)(struct change *c, const char *arg);
	int (*change)(struct change *c);
};

static int had_none(struct change *c)
{
	return fault_set(&c->f, ST_USAGE, "none of them is traced by session %s: `ktrctl status -s %s` shows what is",
			 c->n.ref.name, c->n.ref.name);
}

static int set_events(struct change *c, uint64_t mask)
{
	struct ctl_set set = {
		.set = c->del ? CTL_SET_EVENTS_DEL : CTL_SET_EVENTS_ADD,
		.events_add = mask, .events_del = mask,
	};

	if (c->del && !(c->n.s.events & mask))
		return had_none(c);
	return named_set(&c->n, &set, "events", &c->f);
}

static int parse_calls(struct change *c, const char *arg)
{
	unsigned int abi, i;
	struct sysset set;

	if (sysset_parse(&set, arg, &c->f))
		return -EINVAL;
	for (abi = 0; abi < __KTR_ABI_LAST; abi++)
		for (i = 0; i < KTR_SYSCALLS_MAX / 64; i++)
			c->calls.bits[abi][i] |= set.bits[abi][i];
	for (i = 0; i < SYS_WRAPPERS; i++)
		c->calls.inner[i] |= set.inner[i];
	c->calls.others |= set.others;
	return 0;
}

static int add_calls(struct change *c, const struct sysset *set)
{
	return setup_calls(c->n.ctl, c->n.ref, set, &c->n.o->view, 0, 0, &c->f);
}

static int del_calls(struct change *c)
{
	struct ctl_session now;
	int err = setup_calls_del(c->n.ctl, c->n.ref, &c->calls, &c->f);

	if (err || ctl_session_get(c->n.ctl, c->n.ref, &now))
		return err;
	if (now.nsyscalls == c->n.s.nsyscalls)
		err = had_none(c);
	ctl_session_free(&now);
	return err;
}

static int change_calls(struct change *c)
{
	if (c->del)
		return del_calls(c);
	return set_events(c, ev_group_mask("syscall", 7)) ?: add_calls(c, &c->calls);
}

static int parse_signals(struct change *c, const char *arg)
{
	uint64_t mask;

	if (sigset_parse(&mask, arg, &c->f))
		return -EINVAL;
	c->mask |= mask;
	return 0;
}

/*
 * A session begins with all signals, for whoever asks for the events alone; while it
 * records none of those, nobody has.
 */
static int change_signals(struct change *c)
{
	uint64_t events = ev_group_mask("signal", 6);
	struct ctl_set set = {
		.set = c->del ? CTL_SET_SIGNALS_DEL :
		       c->n.s.events & events ? CTL_SET_SIGNALS_ADD : CTL_SET_SIGNALS,
		.signals = c->mask, .signals_add = c->mask, .signals_del = c->mask,
		.events_add = events,
	};

	if (!c->del)
		set.set |= CTL_SET_EVENTS_ADD;
	else if (!(c->n.s.events & events) || !(c->n.s.signals & c->mask))
		return had_none(c);
	return named_set(&c->n, &set, "signals", &c->f);
}

static int parse_events(struct change *c, const char *arg)
{
	const char *bad;
	uint64_t mask;
	size_t n;

	if (!arg[strspn(arg, ", \t\n")])
		return fault_set(&c->f, ST_USAGE, "a kind of event is missing: `ktrctl events` shows those there are");
	if (ev_parse_mask(arg, &mask, &bad, &n))
		return fault_set(&c->f, ST_USAGE, "unknown event '%.*s': `ktrctl events` shows those there are",
				 (int)n, bad);
	c->mask |= mask;
	return 0;
}

/* Kinds that need a set beside them get all of it, if there is none yet. */
static int change_events(struct change *c)
{
	struct ctl_set signals = { .set = CTL_SET_SIGNALS, .signals = ~0ULL };
	struct sysset all;
	int err = set_events(c, c->mask);

	if (err || c->del)
		return err;
	if (c->mask & ev_group_mask("signal", 6) && !c->n.s.signals)
		err = named_set(&c->n, &signals, "signals", &c->f);
	sysset_all(&all);
	if (!err && c->mask & ev_group_mask("syscall", 7) && !c->n.s.nsyscalls)
		err = add_calls(c, &all);
	return err;
}

static int parse_pattern(struct change *c, const char *arg)
{
	c->pattern = arg;
	return 0;
}

static void tell_funcs(struct change *c, struct funcset *set)
{
	const char *name = c->n.ref.name, *s = set->n == 1 ? "" : "s";

	buf_printf(&c->told, "%s: ", c->pattern);
	if (!set->n && set->waits)
		buf_printf(&c->told, "session %s waits for %s no more", name,
			   set->waits == 1 ? "this module" : "these modules");
	else if (c->del)
		buf_printf(&c->told, "%zu function%s taken from session %s", set->n, s, name);
	else if (set->fresh == set->n)
		buf_printf(&c->told, "%zu function%s added to session %s", set->n, s, name);
	else if (set->fresh)
		buf_printf(&c->told, "%zu of %zu functions added to session %s, which has the others",
			   set->fresh, set->n, name);
	else
		buf_printf(&c->told, "session %s has %s already", name,
			   set->n == 1 ? "this function" : "these functions");
	if (set->notes.len)
		buf_printf(&c->told, ": %s", buf_str(&set->notes));
	buf_putc(&c->told, '\n');
}

static int set_funcs(struct change *c, struct funcset *set, struct fnsigs *sigs)
{
	struct funcs_wanted *want = &c->n.o->sel.fn;
	struct ksyms ks;
	int err;

	ksyms_init(&ks);
	want->args.strsize = c->n.o->view.strsize;
	if (c->del)
		err = setup_funcs_del(c->n.ctl, c->n.ref, &ks, c->pattern, set, &c->f);
	else if (want->graph)
		err = setup_graph(c->n.ctl, c->n.ref, &ks, c->pattern, want, set,
				  &sigs->notes, &c->f);
	else
		err = setup_funcs(c->n.ctl, c->n.ref, &ks, c->pattern, want, set, sigs, &c->f);
	ksyms_free(&ks);
	return err;
}

static int change_funcs(struct change *c)
{
	const struct funcs_wanted *want = &c->n.o->sel.fn;
	struct fnsigs sigs = { 0 };
	uint64_t events = want->graph ? select_graph_events() : select_func_events(want->ret);
	struct funcset set;
	int err = 0;

	if (!c->del)
		err = setup_funcs_permitted(c->n.ctl, &c->f) ?: set_events(c, events);
	if (err)
		return err;
	funcset_init(&set);
	err = set_funcs(c, &set, &sigs);
	if (!err && sigs.notes.len)
		buf_printf(&c->told, "%s\n", buf_str(&sigs.notes));
	/* That nothing is there to be added yet has been said. */
	if (!err && (c->del || set.n || !set.waits))
		tell_funcs(c, &set);
	fnsigs_free(&sigs);
	funcset_free(&set);
	return err;
}

static void said(void *arg, uint32_t pid, const char *what, unsigned int threads,
		 const struct fault *f)
{
	(void)arg;
	(void)pid;
	(void)what;
	(void)threads;
	if (f)
		cmd_message("%s", f->text);
}

/*
 * A new session is told what to record before whom, so that the calls in which they wait
 * are recorded, too; of one that is there the targets are easier to take back.
 */
static int add(struct change *c, const struct verb *v)
{
	if (c->n.made)
		return v->change(c) ?: named_attach(&c->n, said, &c->f) ?:
		       ending_fault(c->n.ref.name, &c->f);
	return named_attach(&c->n, said, &c->f) ?: v->change(c);
}

static int del(struct change *c, const struct verb *v, const char *cmd)
{
	if (!c->n.o->argc)
		return named_detach(&c->n, said, &c->f);
	if (select_running(&c->n.o->sel) && named_check_alone(&c->n, cmd, &c->f))
		return -EINVAL;
	return v->change(c);
}

static void tell(struct change *c)
{
	char *rest = (char *)buf_str(&c->told), *line;

	while ((line = strsep(&rest, "\n")) && *line)
		cmd_message("%s", line);
}

static int apply(const struct command *cmd, struct opts *o, const struct verb *v)
{
	struct change c = {
		.n = { .ref.name = o->session ? o->session : "default", .o = o },
		.del = !strncmp(cmd->name, "del-", 4),
	};
	sigset_t old;
	int i, status, err = 0;

	if (c.del && !o->argc && !select_running(&o->sel))
		return cmd_usage("%s: %s is missing, or --pid to let processes go: see `ktrctl help %s`",
				 cmd->name, cmd->args, cmd->name);
	buf_init(&c.told);
	ending_hold(&old);
	for (i = 0; i < o->argc && !err; i++)
		err = v->parse(&c, o->argv[i]);
	if (!err)
		err = named_open(&c.n, !c.del, &c.f);
	if (!err)
		err = c.del ? del(&c, v, cmd->name) : add(&c, v);
	named_close(&c.n, err);
	if (!err)
		tell(&c);
	buf_free(&c.told);
	status = err ? cmd_fail(&c.f) : ST_OK;
	ending_release(&old);
	return status;
}

/* All patterns are one list: a "!" takes away from what stands before it. */
int cmd_add_func(const struct command *cmd, struct opts *o)
{
	static const struct verb verb = { parse_pattern, change_funcs };
	char **argv = o->argv, *pattern;
	int i, status, argc = o->argc;
	struct buf b;

	buf_init(&b);
	for (i = 0; i < argc; i++)
		buf_printf(&b, "%s%s", i ? "," : "", argv[i]);
	pattern = (char *)buf_str(&b);
	o->argv = &pattern;
	o->argc = argc > 0;
	status = apply(cmd, o, &verb);
	o->argv = argv;
	o->argc = argc;
	buf_free(&b);
	return status;
}

int cmd_add_syscall(const struct command *cmd, struct opts *o)
{
	static const struct verb verb = { parse_calls, change_calls };

	return apply(cmd, o, &verb);
}

int cmd_add_signal(const struct command *cmd, struct opts *o)
{
	static const struct verb verb = { parse_signals, change_signals };

	return apply(cmd, o, &verb);
}

int cmd_add_event(const struct command *cmd, struct opts *o)
{
	static const struct verb verb = { parse_events, change_events };

	return apply(cmd, o, &verb);
}
