// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace: an anonymous session, bound to our descriptor of the device, so that
 * whatever ends us ends it.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "live.h"
#include "own.h"
#include "setup.h"
#include "tracee.h"

struct attaching {
	struct run *run;
	const struct opts *o;
};

/* strace's words for a process; who reads them may let it go on, and end. */
static void said(void *arg, uint32_t pid, const char *what, unsigned int threads,
		 const struct fault *f)
{
	const struct attaching *a = arg;
	char with[32] = "";

	if (!f && pid && a->run->joined)
		a->run->joined(a->run, pid);

	if (threads > 1)
		snprintf(with, sizeof(with), " with %u threads", threads);
	if (f)
		cmd_message("%s", f->text);
	else if (!(a->o->out.quiet & QUIET_ATTACH))
		cmd_message("%c%s attached%s", toupper((unsigned char)*what), what + 1, with);
}

/* Of a process that joins or leaves while lines go to a file. */
static void said_later(uint32_t tid, const char *what)
{
	cmd_message("Process %u %s", tid, what);
}

int tracee_check(const struct command *cmd, const struct opts *o)
{
	if (o->out.folded && !o->sel.stack.user && !o->sel.stack.kernel && !o->sel.stack.copy)
		return cmd_usage("--format folded: of which stacks? Give -k or --kstack");
	if (o->sel.ngraphs && o->out.sum.only)
		return cmd_usage("--graph: calls in graphs are not counted: use --func, or leave out -c");
	if (o->argc && o->sel.whom.n)
		return cmd_usage("%s: give a command, or %s: not both", cmd->name,
				 o->sel.whom.v[0].what);
	if (!o->argc && !select_running(&o->sel))
		return cmd_usage("must have PROG [ARGS] or -p PID: a command, or running processes");
	if (o->ndaemon && !o->argc)
		return cmd_usage("PROG [ARGS] must be specified with -D/--daemonize");
	return ST_OK;
}

int tracee_prepare(struct run *run, struct opts *o, struct fault *f)
{
	int err = 0;

	if (o->argc)
		err = child_find(&run->child, o->argv[0], f);
	if (!err && o->user)
		err = child_as(&run->child, o->user, f);
	run->child.daemon = o->ndaemon;
	/* strace: where lines go to a file, signals are the command's affair. */
	run->deaf = o->interruptible ? o->interruptible > 2 :
		    run->mortal && o->argc && o->out.file;
	if (!err)
		err = run_signals(run, f);
	if (!err && o->argc)
		err = child_start(&run->child, o->argv, o->env, o->nenv,
				  &run->oldmask, f);
	return err;
}

static void said_path(const char *path, const char *resolved)
{
	cmd_message("Requested path \"%s\" resolved into \"%s\"", path, resolved);
}

int tracee_session(struct run *run, struct opts *o, unsigned int datasize,
		   struct ksyms *ks, struct fnsigs *sigs, struct ctl_session *s,
		   struct fault *f)
{
	struct ctl_new n = {
		.mode = o->sel.mode < 0 ? KTR_MODE_DISCARD : o->sel.mode,
		.buf_size = o->sel.buffer,
		.flags = (o->sel.big ? KTR_SESSION_F_BIG : 0) |
			 (o->sel.self ? KTR_SESSION_F_KEEP_SELF : 0),
		.count = o->sel.count, .sum_flags = o->sel.count_flags,
	};
	int err = pathlist_resolve(&o->sel.paths, said_path, f);

	if (err)
		return err;
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
	if (!err)
		err = setup_session(run->ctl, run->ref, &o->sel, &o->view,
				    datasize, ks, sigs, f);
	if (!err && sigs->notes.len)
		cmd_message("%s", buf_str(&sigs->notes));
	return err;
}

int tracee_attach(struct run *run, struct opts *o, unsigned int kind,
		  struct fault *f)
{
	unsigned int flags = (o->sel.follow ? KTR_TARGET_F_FOLLOW : 0) |
			     (o->sel.descend ? KTR_TARGET_F_DESCEND : 0);
	struct attaching a = { run, o };
	struct own command = { kind, run->child.pid, flags | KTR_TARGET_F_EXEC_ARM,
			       "command", 0 };
	int err = setup_state(run->ctl, run->ref, KTR_STATE_RUNNING, f);

	if (!err && o->argc)
		err = own_attach(run->ctl, run->ref, &command, f);
	if (err)
		return err;
	if (select_running(&o->sel))
		err = setup_targets(run->ctl, run->ref, &o->sel, kind, flags,
				    said, &a, f);
	if (!o->argc)
		return err;
	/* As with strace, that a process is not there does not keep the command. */
	if (err)
		cmd_message("%s", f->text);
	child_go(&run->child);
	return 0;
}

void tracee_missed(const struct run *run)
{
	struct ctl_session s = { 0 };

	if (ctl_session_get(run->ctl, run->ref, &s))
		return;
	if (run->inside)
		cmd_message("calls of functions that were not seen to return, and are not counted: %llu",
			    (unsigned long long)run->inside);
	if (s.rets_missed)
		cmd_message("%llu calls of functions were missed: the kernel had no room to hook them",
			    (unsigned long long)s.rets_missed);
	if (s.graph_missed)
		cmd_message("%llu calls in graphs were missed: the kernel had no room to hook them, or they were too deep",
			    (unsigned long long)s.graph_missed);
	if (s.hooks_missed)
		cmd_message("%llu faults, sysctls or refusals, of any task, may be missing: the kernel had no room to hook so many calls at once",
			    (unsigned long long)s.hooks_missed);
	ctl_session_free(&s);
}

void tracee_end(struct run *run)
{
	int err;

	run_end(run);
	err = child_failed(&run->child);
	if (err)
		cmd_message("exec: %s: %s", strerror(err), run->child.path);
}

int tracee_status(const struct run *run, const struct opts *o, uint64_t lost)
{
	if (run->child.pid > 0 && !run->child.daemon) {
		int status = child_status(run->wstatus);

		if (status)
			return status;
	}
	return lost && o->sel.fail_on_loss ? ST_LOST : ST_OK;
}

void tracee_limit(struct run *run)
{
	const char *command = run_command_goes_on(run) ?
			      ": the command goes on untraced" : "";

	if (run->full)
		cmd_message("stopped at the limit of %llu bytes%s",
			    (unsigned long long)run->sel->max_size, command);
	else if (run->limited)
		cmd_message("stopped at the limit of %llu events%s",
			    (unsigned long long)run->sel->limit, command);
	else if (run->timed_out)
		cmd_message("stopped after %g s, as --for says%s",
			    run->sel->for_ns / 1e9, command);
}

/* strace's -f decides whether other threads count too. */
static unsigned int target_kind(const struct opts *o)
{
	return o->sel.follow ? KTR_TARGET_PID : KTR_TARGET_TID;
}

/*
 * The kernel can count all that it can select; a limit of events needs the
 * events, and so do ways to end that only a record tells.
 */
static void choose_counting(struct opts *o)
{
	const struct sum_opts *sum = &o->out.sum;

	if ((!sum->only && !sum->also) || o->sel.limit || o->sel.detach_on_exec ||
	    (o->sel.status != STATUS_ALL && !o->sel.filter.n))
		return;
	o->sel.count = true;
	o->sel.count_flags = (sum->only ? KTR_SUM_F_ONLY : 0) |
			     (sum->by == SUM_PID ? KTR_SUM_F_TGID : 0) |
			     (sum->by == SUM_TID ? KTR_SUM_F_TID : 0) |
			     (sum->hist ? KTR_SUM_F_HIST : 0) |
			     (o->sel.nfuncs ? KTR_SUM_F_FUNCS : 0);
}

static int prepare(struct live *l, struct opts *o, struct out *out,
		   struct fault *f)
{
	struct ctl_session s = { 0 };
	bool bare = o->sel.count && o->sel.count_flags & KTR_SUM_F_ONLY &&
		    !o->sel.paths.n;
	int err = tracee_prepare(&l->run, o, f);

	if (!err)
		err = tracee_session(&l->run, o, bare ? SETUP_BARE : 0,
				     &out->syms, &out->sigs, &s, f);
	if (!err) {
		out_header(out, NULL);
		err = tracee_attach(&l->run, o, target_kind(o), f);
	}
	if (!err && select_running(&o->sel))
		live_know_targets(l);
	ctl_session_free(&s);
	return err;
}

static int finish(struct live *l, struct opts *o, struct out *out)
{
	int status = cmd_output(out);

	if (status)
		return tracee_status(&l->run, o, 0) ?: status;
	/* strace says nothing of what it has seen: so it is unless something is missing. */
	if (l->lost && !o->out.json)
		cmd_counts(&out->procs, reader_records(&l->rd), l->lost,
			   o->view.verbose && o->out.file);
	tracee_missed(&l->run);
	return tracee_status(&l->run, o, l->lost);
}

/* As strace does: who waits for us is to see what he would see of the command. */
static int killed_by(const struct run *run, int status)
{
	int wstatus = run->wstatus;

	if (run->child.pid <= 0 || run->child.daemon || !WIFSIGNALED(wstatus))
		return 0;
	return status == child_status(wstatus) ? WTERMSIG(wstatus) : 0;
}

int cmd_trace(const struct command *cmd, struct opts *o)
{
	struct ctl *ctl = NULL;
	struct live l;
	struct fault f;
	struct out out;
	int status = tracee_check(cmd, o), sig;

	if (status)
		return status;
	choose_counting(o);
	if (o->out.sum.interval_ns && !o->sel.count)
		return cmd_usage("--interval: it shows what the kernel counts: with summary, hist, -c or -C, and without --limit, -b and -e status");
	if (setup_open(&ctl, &f))
		return cmd_fail(&f);
	/* From the first line on a file says whose each is, if many are asked for. */
	o->out.follow |= o->sel.pids.n + !!o->argc > 1;
	/* Of a command whose lines go to a file strace says nothing, unless it is told to. */
	o->out.said = o->argc && !o->long_quiet ? NULL : said_later;
	o->view.interfaces = true;
	if (out_open(&out, &o->out, &o->view, &f)) {
		ctl_close(ctl);
		return cmd_fail(&f);
	}
	out.syms.lazy = true;
	out.spaces.live = true;
	out.kernel_counts = o->sel.count;
	out.procs.keep_counts = o->view.verbose || o->out.json;
	live_init(&l, ctl, (struct ctl_ref){ 0 }, &o->sel, &out);
	l.run.mortal = true;
	if (prepare(&l, o, &out, &f)) {
		child_cancel(&l.run.child);
		status = cmd_fail(&f);
	} else if (live_run(&l, &f)) {
		status = cmd_fail(&f);
	} else {
		if (!out.error && !(o->out.quiet & QUIET_ATTACH))
			tracee_limit(&l.run);
		tracee_end(&l.run);
		status = finish(&l, o, &out);
	}
	live_free(&l);
	out_close(&out);
	ctl_close(ctl);
	/* What was lost is said by a status where that was asked for. */
	sig = status ? killed_by(&l.run, status) : l.run.died_of;
	return sig ? run_die(sig) : status;
}
