// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "events.h"
#include "setup.h"
#include "sys.h"

int setup_fault(const struct ctl *ctl, int err, const char *what,
		struct fault *f)
{
	const char *why = ctl ? ctl_reason(ctl) : "";

	if (!*why)
		why = strerror(-err);
	switch (err) {
	case -EPERM:
		return fault_set(f, ST_DENIED, "%s: not permitted: run as root or with CAP_PERFMON",
				 what);
	case -EDQUOT:
		return fault_set(f, ST_USAGE, "%s: %s: use a smaller --buffer, or --big",
				 what, why);
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

/*
 * Numbers without a name need no row where all are taken: the module records
 * them with six arguments.
 */
static bool needs_row(const struct sysset *set, unsigned int abi, int nr)
{
	return sysset_has(set, abi, nr) &&
	       (sys_lookup(abi, nr) || nr < sys_limit(abi) || !set->others);
}

static int add_rows(struct rows *r, const struct sysset *set,
		    const struct view *view, unsigned int datasize)
{
	struct ktr_op ops[KTR_OPS_MAX];
	struct ktr_row row;
	unsigned int abi;
	int nr, n, err = 0;

	for (abi = 0; abi < __KTR_ABI_LAST; abi++)
		for (nr = 0; nr < KTR_SYSCALLS_MAX && !err; nr++) {
			if (!needs_row(set, abi, nr))
				continue;
			n = 0;
			memset(&row, 0, sizeof(row));
			row.nr = nr;
			row.abi = abi;
			row.fd_arg = 255;
			if (!r->del)
				n = sys_program(abi, nr, view->strsize,
						datasize, &row, ops);
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
			 (set->others ? KTR_ROWS_F_OTHERS : 0),
	};
	int err;

	/* The environment is kept only if it is to be shown. */
	if (view->verbose && datasize <= view->strsize)
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

	if (set->others) {	/* all of them */
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

/*
 * Names are not unique and one bearer may not be traceable: the module takes
 * all or none, so what it refuses is found by halves and left out.
 */
static int change_funcs(struct ctl *ctl, struct ctl_ref ref, bool add,
			const uint64_t *addrs, size_t n, size_t *good)
{
	int err = add ? ctl_func_add(ctl, ref, addrs, n) :
			ctl_func_del(ctl, ref, addrs, n);

	if (!err || err == -EEXIST) {
		*good += n;
		return 0;
	}
	if (err != -EINVAL || n < 2)
		return err;
	err = change_funcs(ctl, ref, add, addrs, n / 2, good);
	if (err && err != -EINVAL)
		return err;
	err = change_funcs(ctl, ref, add, addrs + n / 2, n - n / 2, good);
	return *good && err == -EINVAL ? 0 : err;
}

int setup_funcs(struct ctl *ctl, struct ctl_ref ref, struct ksyms *ks,
		const char *pattern, bool add, size_t *n, struct fault *f)
{
	uint64_t *addrs;
	size_t all;
	int err = ksyms_resolve(ks, pattern, &addrs, &all, f);

	*n = 0;
	if (err)
		goto out;
	err = change_funcs(ctl, ref, add, addrs, all, n);
	if (err == -EINVAL && !*n)
		fault_set(f, ST_USAGE, "%s cannot be traced: `ktrctl funcs PATTERN` shows those that can",
			  pattern);
	else if (err)
		setup_fault(ctl, err, pattern, f);
out:
	free(addrs);
	return err;
}

int setup_session(struct ctl *ctl, struct ctl_ref ref, const struct select *sel,
		  const struct view *view, unsigned int datasize,
		  struct ksyms *ks, struct fault *f)
{
	struct ctl_set set = {
		.set = CTL_SET_EVENTS | CTL_SET_SIGNALS,
		.events = select_events(sel), .signals = sel->signals,
		.filter = sel->filter.p, .nfilter = sel->filter.n,
	};
	size_t i, n;
	int err = 0;

	if (!sysset_empty(&sel->calls))
		err = setup_calls(ctl, ref, &sel->calls, view, datasize,
				  KTR_ROWS_F_EMPTY, f);
	for (i = 0; i < sel->nfuncs && !err; i++)
		err = setup_funcs(ctl, ref, ks, sel->funcs[i], true, &n, f);
	if (err)
		return err;
	if (set.nfilter)
		set.set |= CTL_SET_FILTER;
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

int setup_targets(struct ctl *ctl, struct ctl_ref ref,
		  const struct select *sel, unsigned int kind,
		  unsigned int flags, setup_said_fn said, void *arg,
		  struct fault *f)
{
	size_t i, good = 0;
	char what[32];
	int err;

	for (i = 0; i < sel->pids.n; i++) {
		snprintf(what, sizeof(what), "process %u", sel->pids.pid[i]);
		err = ctl_target_add(ctl, ref, kind, sel->pids.pid[i], flags,
				     NULL);
		if (!err || err == -EEXIST) {
			good++;
			if (said)
				said(arg, sel->pids.pid[i], NULL);
			continue;
		}
		setup_fault(ctl, err, what, f);
		if (err == -EPERM)
			return -EINVAL;
		if (said && sel->pids.n > 1)
			said(arg, sel->pids.pid[i], f);
	}
	return good ? 0 : -EINVAL;
}

void setup_size(struct buf *b, const struct ctl_session *s)
{
	uint64_t kib = s->buf_size >> 10;

	buf_printf(b, "%u CPU%s x ", s->ncpus, s->ncpus == 1 ? "" : "s");
	if (kib & 1023)
		buf_printf(b, "%llu KiB", (unsigned long long)kib);
	else
		buf_printf(b, "%llu MiB", (unsigned long long)kib >> 10);
}
