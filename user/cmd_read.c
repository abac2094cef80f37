// SPDX-License-Identifier: GPL-2.0-or-later
/* read: what a named session holds. */
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "live.h"
#include "setup.h"

static int run(struct live *l, const char *name, struct fault *f)
{
	int err = reader_bind(&l->rd, name, f);

	if (err)
		return err;
	live_know_targets(l);
	setup_sigs(l->run.ctl, l->run.ref, &l->out->syms, &l->out->sigs);
	out_header(l->out, NULL);
	return live_run(l, f);
}

static int finish(struct live *l, const struct opts *o)
{
	struct out *out = l->out;

	int status = cmd_output(out);

	if (status || out->error)
		return status;
	if (l->run.limited)
		cmd_message("stopped at the limit of %llu events: what else was there is consumed, too",
			    (unsigned long long)o->sel.limit);
	cmd_counts(&out->procs, reader_records(&l->rd), l->lost,
		   o->view.verbose);
	return l->lost && o->sel.fail_on_loss ? ST_LOST : ST_OK;
}

int cmd_read(const struct command *cmd, struct opts *o)
{
	const char *name = o->session ? o->session : "default";
	struct ctl *ctl = NULL;
	struct live l;
	struct fault f;
	struct out out;
	int status;

	(void)cmd;
	o->out.to_stdout = true;
	o->out.follow = true;	/* a file's lines say whose they are */
	live_init(&l, NULL, (struct ctl_ref){ .name = name }, &o->sel, &out);
	if (run_signals(&l.run, &f) || setup_open(&ctl, &f))
		return cmd_fail(&f);
	o->view.interfaces = true;
	if (out_open(&out, &o->out, &o->view, &f)) {
		ctl_close(ctl);
		return cmd_fail(&f);
	}
	out.procs.keep_counts = o->view.verbose || o->out.json;
	out.syms.lazy = true;
	out.spaces.live = true;
	l.run.ctl = ctl;
	l.run.keep_targets = true;
	l.run.once = !o->tail;
	status = run(&l, name, &f) ? cmd_fail(&f) : finish(&l, o);
	run_end(&l.run);
	live_free(&l);
	out_close(&out);
	ctl_close(ctl);
	return status;
}
