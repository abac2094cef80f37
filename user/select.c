// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "fmt_syscall.h"
#include "select.h"
#include "sys.h"

void select_init(struct select *s)
{
	memset(s, 0, sizeof(*s));
	sysset_all(&s->calls);
	s->signals = ~0ULL;
	s->status = STATUS_ALL;
	s->mode = -1;
}

void select_free(struct select *s)
{
	free(s->pids.pid);
	free(s->funcs);
	select_init(s);
}

uint64_t select_events(const struct select *s)
{
	uint64_t mask = ev_group_mask("control", 7) |
			ev_group_mask("process", 7) |
			ev_group_mask("marker", 6);

	if (!sysset_empty(&s->calls))
		mask |= ev_group_mask("syscall", 7);
	if (s->signals)
		mask |= ev_group_mask("signal", 6);
	if (s->nfuncs)
		mask |= ev_group_mask("function", 8);
	return mask | s->events;
}

static unsigned int status_of(const struct sys_rec *r)
{
	if (r->flags & KTR_SYS_F_NO_EXIT)
		return STATUS_UNFINISHED;
	return r->ret < 0 && r->ret > -4096 ? STATUS_FAILED :
					      STATUS_SUCCESSFUL;
}

bool select_status(const struct select *s, const struct ktr_rec *rec)
{
	struct sys_rec r;

	if (s->status == STATUS_ALL || rec->kind != KTR_KIND_syscall)
		return true;
	return sys_parse(rec, &r) || s->status & status_of(&r);
}

/*
 * The restart codes are no failures: the call goes on. Descriptors are not
 * known here: fd is the first argument.
 */
static void filter_fields(int64_t v[__KTR_FIELD_LAST], const struct sys_rec *r)
{
	unsigned int i;

	v[KTR_FIELD_NR] = r->nr;
	v[KTR_FIELD_ABI] = r->abi;
	v[KTR_FIELD_RET] = r->ret;
	v[KTR_FIELD_ERRNO] = r->ret < 0 && r->ret > -512 ? -r->ret : 0;
	v[KTR_FIELD_DUR] = r->rec->time - r->start;
	v[KTR_FIELD_FD] = r->nargs ? (int32_t)r->args[0] : -1;
	v[KTR_FIELD_TID] = r->rec->tid;
	for (i = 0; i < 6; i++)
		v[KTR_FIELD_ARG0 + i] = i < r->nargs ? r->args[i] : 0;
}

static bool pass_call(const struct select *s, const struct ktr_rec *rec)
{
	int64_t v[__KTR_FIELD_LAST];
	struct sys_rec r;

	if (sys_parse(rec, &r))
		return true;	/* damaged ones are shown as they are */
	if (r.nr < 0 || r.nr >= KTR_SYSCALLS_MAX) {
		if (!s->calls.others)
			return false;
	} else if (!sysset_has(&s->calls, r.abi, r.nr)) {
		return false;
	}
	if (!s->filter.n)
		return true;
	if (r.begun)
		return false;	/* as in the kernel: no result yet */
	filter_fields(v, &r);
	return filter_pass(&s->filter, v);
}

static int signal_of(const struct ktr_rec *rec)
{
	const struct ktr_ev_signal_generate *gen = EV_AS(signal_generate, rec);
	const struct ktr_ev_signal_deliver *del = EV_AS(signal_deliver, rec);

	return gen ? gen->sig : del ? del->sig : 0;
}

bool select_pass(const struct select *s, const struct ktr_rec *rec,
		 uint32_t tgid)
{
	int sig = signal_of(rec);

	if (s->pids.n && rec->tid && !pidlist_has(&s->pids, rec->tid) &&
	    !(tgid && pidlist_has(&s->pids, tgid)))
		return false;
	if (rec->kind == KTR_KIND_syscall ||
	    rec->kind == KTR_KIND_syscall_begun)
		return pass_call(s, rec) && select_status(s, rec);
	if (sig > 0 && sig <= 64)
		return s->signals & 1ULL << (sig - 1);
	return true;
}
