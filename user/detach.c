// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record --detach NAME: a named session that the module writes to the file. It
 * ends with the last of its processes, or with `ktrctl clear -s NAME`.
 */
#include <errno.h>
#include <string.h>

#include "capfile.h"
#include "detach.h"
#include "meta.h"
#include "tracee.h"

static int make_session(struct run *run, struct opts *o, struct ctl_session *s,
			struct ksyms *ks, struct fnsigs *sigs, struct fault *f)
{
	struct ctl_new n = {
		.name = o->detach, .fd = -1, .mode = KTR_MODE_DISCARD,
		.buf_size = o->sel.buffer,
		.flags = KTR_SESSION_F_UNTIL_IDLE |
			 (o->sel.big ? KTR_SESSION_F_BIG : 0),
	};
	int err = ctl_session_new(run->ctl, &n, s);

	if (err)
		return setup_fault(run->ctl, err, o->detach, f);
	run->ref.id = s->id;
	return setup_session(run->ctl, run->ref, &o->sel, &o->view, 0, ks, sigs, f);
}

/* What stands in front of the module's blocks; then the file is the module's. */
static int hand_over(struct run *run, struct opts *o, const struct ctl_session *s,
		     const struct fnsigs *sigs, struct fault *f)
{
	struct cap_writer w;
	struct buf b;
	int err = cap_create(&w, o->out.file, true, f);

	if (err)
		return err;
	/* Before anything is written: in a file of procfs or its kind that is an order. */
	err = ctl_file_try(run->ctl, run->ref, w.fd);
	if (err) {
		cap_abandon(&w);
		return setup_fault(run->ctl, err, o->out.file, f);
	}
	buf_init(&b);
	meta_make(&b, o, s);
	err = cap_put(&w, KTR_FILE_META, 0, 0, 0, b.p, b.len) ?:
	      write_sigs(&w, sigs) ?: cap_flush(&w);
	buf_free(&b);
	if (err) {
		cap_finish(&w);
		return fault_set(f, ST_USAGE, "cannot write %s: %s", o->out.file,
				 strerror(-err));
	}
	err = ctl_file(run->ctl, run->ref, w.fd);
	cap_finish(&w);
	return err ? setup_fault(run->ctl, err, o->out.file, f) : 0;
}

static int begin(struct run *run, struct opts *o, struct fault *f)
{
	struct ctl_session s = { 0 };
	struct fnsigs sigs = { 0 };
	struct ksyms ks;
	int err;

	ksyms_init(&ks);
	err = tracee_prepare(run, o, f) ?: make_session(run, o, &s, &ks, &sigs, f);
	if (!err && sigs.notes.len)
		cmd_message("%s", buf_str(&sigs.notes));
	if (!err)
		err = hand_over(run, o, &s, &sigs, f) ?:
		      tracee_attach(run, o, KTR_TARGET_PID, f);
	if (err && run->ref.id)
		ctl_session_del(run->ctl, run->ref);
	ctl_session_free(&s);
	ksyms_free(&ks);
	fnsigs_free(&sigs);
	return err;
}

static int check(const struct opts *o)
{
	if (o->sel.for_ns || o->sel.limit || o->sel.max_size)
		return cmd_usage("record: --for, --limit and --max-size need a tracer that stays: leave --detach out");
	if (o->sel.mode == KTR_MODE_OVERWRITE)
		return cmd_usage("record: --detach writes all there is: --mode overwrite has no meaning with it");
	return ST_OK;
}

int record_detached(struct opts *o)
{
	struct run run = { .sel = &o->sel, .sigfd = -1, .child.go = -1 };
	struct fault f;
	int status = check(o);

	if (status)
		return status;
	if (setup_open(&run.ctl, &f))
		return cmd_fail(&f);
	if (begin(&run, o, &f)) {
		child_cancel(&run.child);
		status = cmd_fail(&f);
	} else {
		cmd_message("session %s writes %s: `ktrctl clear -s %s` ends it",
			    o->detach, o->out.file, o->detach);
	}
	ctl_close(run.ctl);
	return status;
}
