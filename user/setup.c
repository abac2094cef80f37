// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "events.h"
#include "own.h"
#include "setup.h"
#include "sys.h"

int setup_fault(const struct ctl *ctl, int err, const char *what,
		struct fault *f)
{
	const char *why = ctl ? ctl_reason(ctl) : "";

	if (!*why && err == -EPERM)
		why = "run as root or with CAP_PERFMON";
	else if (!*why)
		why = strerror(-err);
	switch (err) {
	case -EPERM:
	case -EACCES:
		return fault_set(f, ST_DENIED, "%s: not permitted: %s", what, why);
	case -EDQUOT:
		if (!strstr(why, "memory"))
			break;
		return fault_set(f, ST_USAGE, "%s: %s: use a smaller --buffer%s", what, why,
				 strstr(why, "plain users") ? "" : ", or --big");
	case -ENFILE:
	case -EUSERS:
		return fault_set(f, ST_ABSENT, "%s: %s: `ktrctl clear -s NAME` ends one", what, why);
	case -ENOMEM:
		return fault_set(f, ST_ABSENT, "%s: %s: use a smaller --buffer, or end sessions", what,
				 why);
	case -EOPNOTSUPP:
		return fault_set(f, ST_ABSENT, "%s: the module cannot do this: %s",
				 what, why);
	case -ESRCH:
		return fault_set(f, ST_USAGE, "%s: no such process", what);
	}
	return fault_set(f, ST_USAGE, "%s: %s", what, why);
}

int setup_open(struct ctl **ctl, struct fault *f)
{
	struct ctl_info info;
	int err = ctl_open(ctl);

	if (err == -ENOENT)
		return fault_set(f, ST_ABSENT, "the module is not loaded: modprobe ktracer (`ktrctl check` says more)");
	if (err)
		return fault_set(f, ST_ABSENT, "no generic netlink: %s",
				 strerror(-err));
	err = ctl_info(*ctl, &info);
	if (err) {
		setup_fault(*ctl, err, "module", f);
		goto err_close;
	}
	if (info.version == KTR_VERSION)
		return 0;
	fault_set(f, ST_ABSENT, "the module speaks version %u (%s), ktrctl %u: install both from one release",
		  info.version, info.release, KTR_VERSION);
err_close:
	ctl_close(*ctl);
	*ctl = NULL;
	return -EINVAL;
}

/* Rows on their way to the module, as many as one message takes. */
struct rows {
	struct ctl *ctl;
	struct ctl_ref ref;
	bool del;
	bool bare;		/* nothing is captured: calls are counted only */
	unsigned int flags;	/* of the next message */
	struct buf b;
};

static int rows_send(struct rows *r, unsigned int more)
{
	int err;

	if (r->del)
		err = ctl_syscall_del(r->ctl, r->ref, r->b.p, r->b.len,
				      r->flags | more);
	else
		err = ctl_syscall_add(r->ctl, r->ref, r->b.p, r->b.len,
				      r->flags | more);
	r->flags &= ~(KTR_ROWS_F_BEGIN | KTR_ROWS_F_EMPTY);
	buf_reset(&r->b);
	return err;
}

static int rows_add(struct rows *r, const struct ktr_row *row,
		    const struct ktr_op *ops, unsigned int nops)
{
	size_t n = sizeof(*row) + nops * sizeof(*ops);
	int err = 0;

	if (r->b.len + n > KTR_ROWS_BYTES_MAX)
		err = rows_send(r, 0);
	buf_write(&r->b, row, sizeof(*row));
	buf_write(&r->b, ops, nops * sizeof(*ops));
	return err;
}

/* Whether no call that has a name is left out. */
static bool takes_all(const struct sysset *set)
{
	unsigned int abi;
	int nr;

	for (abi = 0; abi < __KTR_ABI_LAST; abi++)
		for (nr = 0; nr < KTR_SYSCALLS_MAX; nr++)
			if (sys_lookup(abi, nr) && !sysset_has(set, abi, nr))
				return false;
	return set->others;
}

/*
 * Numbers without a name need no row where all are taken: the module records
 * them with six arguments. It would do so with those that are left out as well,
 * so that otherwise each number that is wanted has a row.
 */
static bool needs_row(const struct sysset *set, bool all, unsigned int abi, int nr)
{
	return sysset_has(set, abi, nr) &&
	       (sys_lookup(abi, nr) || nr < sys_limit(abi) || !all);
}

/* Last, since others refer to each other by number. */
static int add_ip(struct ktr_op *ops, int n)
{
	ops[n] = (struct ktr_op){ .form = KTR_FORM_IP, .base_src = KTR_SRC_ARG };
	return n + 1;
}

static int add_rows(struct rows *r, const struct sysset *set,
		    const struct view *view, unsigned int datasize)
{
	struct sys_more more = {
		.fds = view && view->decode_fds,
		.io = view ? &view->io : NULL,
	};
	struct ktr_op ops[KTR_OPS_MAX];
	struct ktr_row row;
	bool all = takes_all(set);
	unsigned int abi;
	int nr, n, err = 0;

	for (abi = 0; abi < __KTR_ABI_LAST; abi++)
		for (nr = 0; nr < KTR_SYSCALLS_MAX && !err; nr++) {
			if (!needs_row(set, all, abi, nr))
				continue;
			n = 0;
			memset(&row, 0, sizeof(row));
			row.nr = nr;
			row.abi = abi;
			row.fd_arg = 255;
			if (!r->del)
				n = sys_program(abi, nr, view->strsize,
						datasize, &more, &row,
						ops);
			if (r->bare)
				n = row.nops = 0;
			else if (view && view->ip && n >= 0 && n < KTR_OPS_MAX)
				n = row.nops = add_ip(ops, n);
			if (n >= 0)
				err = rows_add(r, &row, ops, n);
		}
	return err;
}

int setup_calls(struct ctl *ctl, struct ctl_ref ref, const struct sysset *set,
		const struct view *view, unsigned int datasize,
		unsigned int flags, struct fault *f)
{
	struct rows r = {
		.ctl = ctl, .ref = ref,
		.flags = flags | KTR_ROWS_F_BEGIN |
			 (takes_all(set) ? KTR_ROWS_F_OTHERS : 0),
		.bare = datasize == SETUP_BARE,
	};
	int err;

	/* Long lists and the environment are kept only if they are to be shown. */
	if (r.bare)
		datasize = 0;
	else if (view->verbose && datasize <= view->strsize)
		datasize = view->strsize + 1;
	buf_init(&r.b);
	err = add_rows(&r, set, view, datasize);
	if (!err)
		err = rows_send(&r, KTR_ROWS_F_COMMIT);
	buf_free(&r.b);
	return err ? setup_fault(ctl, err, "syscalls", f) : 0;
}

int setup_calls_del(struct ctl *ctl, struct ctl_ref ref,
		    const struct sysset *set, struct fault *f)
{
	struct rows r = {
		.ctl = ctl, .ref = ref, .del = true,
		.flags = KTR_ROWS_F_BEGIN,
	};
	int err;

	if (takes_all(set)) {
		err = ctl_syscall_del(ctl, ref, NULL, 0,
				      KTR_ROWS_F_BEGIN | KTR_ROWS_F_COMMIT);
	} else {
		buf_init(&r.b);
		err = add_rows(&r, set, NULL, 0);
		if (!err)
			err = rows_send(&r, KTR_ROWS_F_COMMIT);
		buf_free(&r.b);
	}
	return err ? setup_fault(ctl, err, "syscalls", f) : 0;
}

/* A name of several functions may not be what was meant. */
static void note_several(struct funcset *funcs, struct buf *notes)
{
	if (funcs->several.len)
		buf_printf(notes, "%s%s", notes->len ? "; " : "", buf_str(&funcs->several));
}

static int add_funcs(struct ctl *ctl, struct ctl_ref ref, const struct select *sel,
		     const struct funcs_wanted *want, struct ksyms *ks, struct fnsigs *sigs,
		     struct fault *f)
{
	struct funcset funcs;
	struct buf pattern;
	int err;

	buf_init(&pattern);
	setup_pattern(&pattern, sel->funcs, sel->nfuncs);
	funcset_init(&funcs);
	err = setup_funcs(ctl, ref, ks, buf_str(&pattern), want, &funcs, sigs, f);
	note_several(&funcs, &sigs->notes);
	funcset_free(&funcs);
	buf_free(&pattern);
	return err;
}

static int add_graphs(struct ctl *ctl, struct ctl_ref ref, const struct select *sel,
		      const struct funcs_wanted *want, struct ksyms *ks, struct buf *notes,
		      struct fault *f)
{
	struct funcset funcs;
	struct buf pattern;
	int err;

	buf_init(&pattern);
	setup_pattern(&pattern, sel->graphs, sel->ngraphs);
	funcset_init(&funcs);
	err = setup_graph(ctl, ref, ks, buf_str(&pattern), want, &funcs, notes, f);
	note_several(&funcs, notes);
	funcset_free(&funcs);
	buf_free(&pattern);
	return err;
}

int setup_session(struct ctl *ctl, struct ctl_ref ref, const struct select *sel,
		  const struct view *view, unsigned int datasize,
		  struct ksyms *ks, struct fnsigs *sigs, struct fault *f)
{
	struct ctl_set set = {
		.set = CTL_SET_EVENTS | CTL_SET_SIGNALS,
		.events = select_events(sel), .signals = sel->signals,
		.filter = sel->filter.p, .nfilter = sel->filter.n,
		.paths = sel->paths.text, .paths_len = sel->paths.len,
		.stack = select_stacks(sel),
	};
	struct view recorded = *view;
	struct funcs_wanted want = sel->fn;
	int err = 0;

	want.args.strsize = view->strsize;
	/* Predicates by path need the names that -y would show. */
	if (sel->paths.n)
		recorded.decode_fds |= VIEW_FD_ASKED;
	if (!sysset_empty(&sel->calls))
		err = setup_calls(ctl, ref, &sel->calls, &recorded, datasize,
				  KTR_ROWS_F_EMPTY, f);
	if (!err && sel->nfuncs)
		err = add_funcs(ctl, ref, sel, &want, ks, sigs, f);
	if (!err && sel->ngraphs)
		err = add_graphs(ctl, ref, sel, &want, ks, &sigs->notes, f);
	if (err)
		return err;
	if (set.nfilter)
		set.set |= CTL_SET_FILTER;
	if (sel->paths.n)
		set.set |= CTL_SET_PATHS;
	if (set.stack.kinds)
		set.set |= CTL_SET_STACK;
	err = ctl_session_set(ctl, ref, &set);
	return err ? setup_fault(ctl, err, "session", f) : 0;
}

int setup_state(struct ctl *ctl, struct ctl_ref ref, unsigned int state,
		struct fault *f)
{
	struct ctl_set set = { .set = CTL_SET_STATE, .state = state };
	int err = ctl_session_set(ctl, ref, &set);

	return err ? setup_fault(ctl, err, "session", f) : 0;
}

static void say_left_out(const struct own *o, setup_said_fn said, void *arg)
{
	struct fault note;

	if (!o->left_out)
		return;
	fault_set(&note, ST_DENIED, "%s: %u %s left out: not yours, or of a set-id program", o->what,
		  o->left_out, o->left_out == 1 ? "process is" : "processes are");
	said(arg, 0, o->what, 0, &note);
}

/* How many of a process are attached. */
static unsigned int threads_of(struct ctl *ctl, struct ctl_ref ref, uint32_t pid)
{
	unsigned int threads = 0;
	struct ctl_target *t;
	size_t i, n;

	if (ctl_target_list(ctl, ref, &t, &n))
		return 0;
	for (i = 0; i < n; i++)
		threads += t[i].tgid == pid;
	free(t);
	return threads;
}

int setup_targets(struct ctl *ctl, struct ctl_ref ref,
		  const struct select *sel, unsigned int kind,
		  unsigned int flags, setup_said_fn said, void *arg,
		  struct fault *f)
{
	size_t i, n = sel->pids.n + sel->whom.n, good = 0;
	char pid[32];

	for (i = 0; i < n; i++) {
		const struct whom *w = i < sel->pids.n ? NULL : &sel->whom.v[i - sel->pids.n];
		struct own o = { .flags = flags };
		int err;

		o.kind = w ? w->kind : kind;
		o.id = w ? w->id : sel->pids.pid[i];
		o.what = w ? w->what : pid;
		if (!w)
			snprintf(pid, sizeof(pid), "process %u", o.id);
		err = own_attach(ctl, ref, &o, f);
		good += !err;
		if (!err || n > 1)
			said(arg, w ? 0 : o.id, o.what,
			     w || err ? 0 : threads_of(ctl, ref, o.id), err ? f : NULL);
		if (!err)
			say_left_out(&o, said, arg);
	}
	if (good)
		return 0;
	if (n > 1)
		fault_set(f, f->status, "none of these processes can be traced");
	return -EINVAL;
}

static void put_size(struct buf *b, uint64_t bytes)
{
	uint64_t kib = bytes >> 10;

	if (kib & 1023)
		buf_printf(b, "%llu KiB", (unsigned long long)kib);
	else
		buf_printf(b, "%llu MiB", (unsigned long long)kib >> 10);
}

void setup_size(struct buf *b, const struct ctl_session *s)
{
	buf_printf(b, "%u CPU%s x ", s->ncpus, s->ncpus == 1 ? "" : "s");
	put_size(b, s->buf_size);
	buf_puts(b, " = ");
	put_size(b, s->buf_size * s->ncpus);
}
