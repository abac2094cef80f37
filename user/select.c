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
	whom_free(&s->whom);
	free(s->funcs);
	free(s->graphs);
	free(s->fn.exclude);
	free(s->fn.args.specs);
	free(s->paths.text);
	select_init(s);
}

bool select_running(const struct select *s)
{
	return s->pids.n || s->whom.n;
}

uint64_t select_graph_events(void)
{
	return 1ULL << KTR_KIND_graph;
}

uint64_t select_func_events(enum func_what what)
{
	uint64_t mask = ev_group_mask("function", 8) & ~select_graph_events();

	return what == FUNC_RETURNS_ONLY ? mask & ~(1ULL << KTR_KIND_function) :
					   mask;
}

uint64_t select_events(const struct select *s)
{
	uint64_t mask = ev_group_mask("control", 7) |
			ev_group_mask("process", 7) |
			ev_group_mask("marker", 6);

	if (s->nfuncs)
		mask |= select_func_events(s->fn.ret);
	if (s->ngraphs)
		mask |= select_graph_events();
	if (s->count && s->count_flags & KTR_SUM_F_ONLY) {
		if (!sysset_empty(&s->calls))
			mask |= 1ULL << KTR_KIND_syscall;
		return mask | s->events;
	}
	if (!sysset_empty(&s->calls))
		mask |= ev_group_mask("syscall", 7);
	if (s->signals)
		mask |= ev_group_mask("signal", 6);
	/* To tell what a program's addresses are. */
	if (s->stack.user || s->stack.copy)
		mask |= 1ULL << KTR_KIND_mapped;
	return mask | s->events;
}

/*
 * Records that say a thing once: what ends has had its stack where it began, unless
 * only its end is recorded.
 */
static struct ktr_stack_want stacks_of(const struct select *s, uint64_t events)
{
	uint64_t none = ev_group_mask("control", 7) | ev_group_mask("process", 7) | 1ULL << KTR_KIND_mapped |
			1ULL << KTR_KIND_syscall_begun | 1ULL << KTR_KIND_sched_in |
			1ULL << KTR_KIND_fault_end | select_graph_events();
	struct ktr_stack_want want = {
		.kernel = s->stack.kernel, .user = s->stack.user, .copy = s->stack.copy,
	};

	if (s->fn.ret != FUNC_RETURNS_ONLY)
		none |= 1ULL << KTR_KIND_function_return;
	if (want.kernel || want.user || want.copy)
		want.kinds = events & ~none;
	return want;
}

struct ktr_stack_want select_stacks(const struct select *s)
{
	return stacks_of(s, select_events(s));
}

struct ktr_stack_want select_stacks_of_all(const struct select *s)
{
	uint64_t all = 0;
	unsigned int k;

	for (k = 0; k < 64; k++)
		if (ev_by_kind(k) && ev_by_kind(k)->ring == KTR_RING_DATA)
			all |= 1ULL << k;
	return stacks_of(s, all);
}

static unsigned int status_of(const struct sys_rec *r)
{
	if (r->flags & KTR_SYS_F_NO_EXIT)
		return STATUS_UNFINISHED;
	return r->ret < 0 && r->ret > -4096 ? STATUS_FAILED :
					      STATUS_SUCCESSFUL;
}

/* As with strace, how a call ends is known before any of it is shown. */
static bool pass_status(const struct select *s, const struct sys_rec *r)
{
	return s->status == STATUS_ALL || (!r->begun && s->status & status_of(r));
}

static bool pass_number(const struct select *s, const struct sys_rec *r)
{
	if (r->nr < 0 || r->nr >= KTR_SYSCALLS_MAX)
		return s->calls.others;
	return sysset_has_call(&s->calls, r->abi, r->nr,
			       r->nargs ? r->args[0] : 0);
}

bool select_rest(const struct select *s, const struct ktr_rec *rec)
{
	struct sys_rec r;

	if (rec->kind != KTR_KIND_syscall &&
	    rec->kind != KTR_KIND_syscall_begun)
		return true;
	if (s->status == STATUS_ALL && sysset_is_plain(&s->calls))
		return true;
	return sys_parse(rec, &r) || (pass_number(s, &r) && pass_status(s, &r));
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
	if (!pass_number(s, &r) || !pass_status(s, &r))
		return false;
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
		return pass_call(s, rec);
	if (sig > 0 && sig <= 64)
		return s->signals & 1ULL << (sig - 1);
	return true;
}
