// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace: an anonymous session, bound to our descriptor of the device, so that
 * whatever ends us ends it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "live.h"
#include "setup.h"
#include "tracee.h"

static void said(void *arg, uint32_t pid, const struct fault *f)
{
	const struct opts *o = arg;

	if (f)
		cmd_message("%s", f->text);
	else if (!o->out.quiet)
		cmd_message("Process %u attached", pid);
}

int tracee_check(const struct command *cmd, const struct opts *o)
{
	if (o->argc && o->sel.pids.n)
		return cmd_usage("%s: give a command or -p, not both",
				 cmd->name);
	if (!o->argc && !o->sel.pids.n)
		return cmd_usage("%s: what? Give a command (-- CMD) or running processes (-p PID)",
				 cmd->name);
	return ST_OK;
}

int tracee_prepare(struct run *run, struct opts *o, struct fault *f)
{
	int err = 0;

	if (o->argc)
		err = child_find(&run->child, o->argv[0], f);
	if (!err)
		err = run_signals(run, f);
	if (!err && o->argc)
		err = child_start(&run->child, o->argv, o->env, o->nenv,
				  &run->oldmask, f);
	return err;
}

int tracee_session(struct run *run, struct opts *o, unsigned int datasize,
		   struct ksyms *ks, struct ctl_session *s, struct fault *f)
{
	struct ctl_new n = {
		.mode = o->sel.mode < 0 ? KTR_MODE_DISCARD : o->sel.mode,
		.buf_size = o->sel.buffer,
		.flags = (o->argc ? KTR_SESSION_F_EXEC_ARM : 0) |
			 (o->sel.big ? KTR_SESSION_F_BIG : 0),
	};
	int err;

	n.fd = reader_device(f);
	if (n.fd < 0)
		return n.fd;
	err = ctl_session_new(run->ctl, &n, s);
	if (err) {
		close(n.fd);
		return setup_fault(run->ctl, err, "session", f);
	}
	run->ref.id = s->id;
	run->ref.name = NULL;
	err = reader_open(run->rd, n.fd, s->ncpus, s->buf_size, s->ctl_size, f);
	return err ?: setup_session(run->ctl, run->ref, &o->sel, &o->view,
				    datasize, ks, f);
}

int tracee_attach(struct run *run, struct opts *o, unsigned int kind,
		  struct fault *f)
{
	unsigned int flags = (o->sel.follow ? KTR_TARGET_F_FOLLOW : 0) |
			     (o->sel.descend ? KTR_TARGET_F_DESCEND : 0);
	int err = setup_state(run->ctl, run->ref, KTR_STATE_RUNNING, f);

	if (err)
		return err;
	if (!o->argc)
		return setup_targets(run->ctl, run->ref, &o->sel, kind, flags,
				     said, o, f);
	err = ctl_target_add(run->ctl, run->ref, kind, run->child.pid, flags,
			     NULL);
	if (err)
		return setup_fault(run->ctl, err, "command", f);
	child_go(&run->child);
	return 0;
}

int tracee_status(const struct run *run, const struct opts *o, uint64_t lost)
{
	if (run->child.pid > 0) {
		int status = child_status(run->wstatus);

		if (status)
			return status;
	}
	return lost && o->sel.fail_on_loss ? ST_LOST : ST_OK;
}

static void say_start(const struct opts *o, const struct ctl_session *s)
{
	struct buf b;

	if (!o->view.verbose)
		return;
	buf_init(&b);
	setup_size(&b, s);
	cmd_message("%s", buf_str(&b));
	buf_free(&b);
}

/* strace's -f decides whether other threads count too. */
static unsigned int target_kind(const struct opts *o)
{
	return o->sel.follow ? KTR_TARGET_PID : KTR_TARGET_TID;
}

static int prepare(struct live *l, struct opts *o, struct out *out,
		   struct fault *f)
{
	struct ctl_session s = { 0 };
	int err = tracee_prepare(&l->run, o, f);

	if (!err)
		err = tracee_session(&l->run, o, 0, &out->syms, &s, f);
	if (!err) {
		say_start(o, &s);
		out_header(out, NULL);
		err = tracee_attach(&l->run, o, target_kind(o), f);
	}
	ctl_session_free(&s);
	return err;
}

static int finish(struct live *l, struct opts *o, struct out *out)
{
	if (out->error && out->error != EPIPE) {
		cmd_message("cannot write: %s: the trace is incomplete",
			    strerror(out->error));
		return ST_LOST;
	}
	if (o->view.verbose || (l->lost && !o->out.json))
		cmd_counts(&out->procs, reader_records(&l->rd), l->lost,
			   o->view.verbose);
	return tracee_status(&l->run, o, l->lost);
}

int cmd_trace(const struct command *cmd, struct opts *o)
{
	struct ctl *ctl = NULL;
	struct live l;
	struct fault f;
	struct out out;
	int status = tracee_check(cmd, o);

	if (status)
		return status;
	if (setup_open(&ctl, &f))
		return cmd_fail(&f);
	if (out_open(&out, &o->out, &o->view, &f)) {
		ctl_close(ctl);
		return cmd_fail(&f);
	}
	out.syms.lazy = true;
	out.procs.keep_counts = o->view.verbose || o->out.json;
	live_init(&l, ctl, (struct ctl_ref){ 0 }, &o->sel, &out);
	if (prepare(&l, o, &out, &f)) {
		child_cancel(&l.run.child);
		status = cmd_fail(&f);
	} else if (live_run(&l, &f)) {
		status = cmd_fail(&f);
	} else {
		run_end(&l.run);
		status = finish(&l, o, &out);
	}
	live_free(&l);
	out_close(&out);
	ctl_close(ctl);
	return status;
}
