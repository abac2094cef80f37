// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "events.h"
#include "inorder.h"
#include "kills.h"

#define LATE_NS 300000000ULL
#define HELD_MAX 65536

#define BIT(kind) (1ULL << KTR_KIND_##kind)

/* What may happen inside a call. A switch waits behind others that do. */
#define INSIDE (BIT(namei) | BIT(sysctl) | BIT(marker) | BIT(task_new) | BIT(cap_fail) | \
		BIT(denied) | BIT(fault) | BIT(fault_end))
#define BEHIND (BIT(sched_out) | BIT(sched_in))

static bool is_of(uint64_t kinds, uint8_t kind)
{
	return kind < 64 && kinds & 1ULL << kind;
}

static const struct ktr_ev_task_new *followed(const struct ktr_rec *rec,
					      struct ktr_ev_task_new *room)
{
	const struct ktr_ev_task_new *ev = ev_task_new(rec, room);

	return ev && ev->followed == 1 && ev->child != rec->tid ? ev : NULL;
}

static void tell(const struct inorder *in, struct proc *p, const struct ktr_rec *rec,
		 unsigned int cpu);

/* What came before that time in a call that is only told now. */
static void release(const struct inorder *in, struct proc *p, uint64_t before)
{
	struct held *h;

	/* What is told now is a call itself, and those behind it come next. */
	if (p->releasing || p->born_by)
		return;
	p->releasing = true;
	while (p->held && p->held->rec->time < before) {
		h = procs_unhold(in->procs, p);
		tell(in, p, h->rec, h->cpu);
		free(h);
	}
	p->releasing = false;
}

static bool waits(const struct inorder *in, struct proc *p, const struct ktr_rec *rec)
{
	bool inside = *in->recorded & BIT(syscall) && !p->begun;

	/* With the target what waits would go. */
	if (p->born_by)
		return rec->kind != KTR_KIND_target_end;
	return kills_hold(p, rec) ||
	       (inside && is_of(p->held ? INSIDE | BEHIND : INSIDE, rec->kind));
}

static bool hold(const struct inorder *in, struct proc *p, const struct ktr_rec *rec,
		 unsigned int cpu)
{
	struct ktr_ev_task_new room;
	const struct ktr_ev_task_new *ev = followed(rec, &room);
	struct proc *child = ev ? procs_find(in->procs, ev->child) : NULL;

	if (!waits(in, p, rec) || in->procs->nheld >= HELD_MAX ||
	    !procs_hold(in->procs, p, rec))
		return false;
	procs_held_on(p, cpu);
	if (child)
		child->born_by = p->tid;
	return true;
}

static void take(const struct inorder *in, struct proc *p, const struct ktr_rec *rec,
		 unsigned int cpu);

/* Its birth has been told: each record of it that waited may wait for another thing. */
static void is_born(const struct inorder *in, struct proc *p)
{
	struct held *h = procs_unhold_all(in->procs, p), *next;

	p->born_by = 0;
	for (; h; h = next) {
		next = h->next;
		take(in, p, h->rec, h->cpu);
		free(h);
	}
}

/* Its birth is told now; not if its parent's is not yet. */
static void bear(const struct inorder *in, struct proc *p)
{
	struct proc *parent = procs_find(in->procs, p->born_by);

	if (parent)
		release(in, parent, UINT64_MAX);
	if (p->born_by)
		is_born(in, p);
}

static void tell_call(const struct inorder *in, struct proc *p, const struct sys_rec *r,
		      unsigned int cpu)
{
	if (!p->begun || p->begun_nr != r->nr) {
		release(in, p, r->start);
		in->fns->begin(in->arg, p, r, cpu);
	}
	release(in, p, UINT64_MAX);
	p->begun = r->begun;
	p->begun_nr = r->nr;
	if (!r->begun && !(r->flags & KTR_SYS_F_NO_EXIT))
		in->fns->end(in->arg, p, r, cpu);
}

static void tell_birth(const struct inorder *in, struct proc *p, const struct ktr_rec *rec,
		       unsigned int cpu)
{
	struct ktr_ev_task_new room;
	const struct ktr_ev_task_new *ev = followed(rec, &room);
	struct proc *child = ev ? procs_find(in->procs, ev->child) : NULL;

	in->fns->tell(in->arg, p, rec, cpu);
	if (child && child->born_by == p->tid)
		is_born(in, child);
}

static void tell(const struct inorder *in, struct proc *p, const struct ktr_rec *rec,
		 unsigned int cpu)
{
	struct sys_rec r;

	if (is_of(BIT(syscall) | BIT(syscall_begun), rec->kind) && !sys_parse(rec, &r))
		tell_call(in, p, &r, cpu);
	else if (rec->kind == KTR_KIND_task_new)
		tell_birth(in, p, rec, cpu);
	else
		in->fns->tell(in->arg, p, rec, cpu);
}

/* No line comes of it: what waits for its call's line goes on waiting. */
static bool is_silent(const struct inorder *in, uint8_t kind)
{
	/* With the target what waits for it would go. */
	return kind != KTR_KIND_target_end &&
	       is_of(in->silent | BIT(syscall) | BIT(syscall_begun), kind);
}

static void take(const struct inorder *in, struct proc *p, const struct ktr_rec *rec,
		 unsigned int cpu)
{
	struct ktr_ev_exit end;

	if (hold(in, p, rec, cpu))
		return;
	if (p->born_by)
		bear(in, p);
	p->end = ev_exit(rec, &end);
	if (!is_silent(in, rec->kind))
		release(in, p, UINT64_MAX);
	tell(in, p, rec, cpu);
	p->end = NULL;
}

void inorder_take(const struct inorder *in, const struct ktr_rec *rec, unsigned int cpu)
{
	take(in, procs_get(in->procs, rec->tid), rec, cpu);
}

struct late {
	const struct inorder *in;
	uint64_t before;
};

static void release_late(void *arg, struct proc *p)
{
	const struct late *l = arg;

	/* What kills it is known when it has ended, and nothing else of it is to come. */
	if (!p->held || p->held->rec->time >= l->before || (p->dying && !p->born_by))
		return;
	if (p->born_by)
		bear(l->in, p);
	else
		release(l->in, p, l->before);
}

void inorder_late(const struct inorder *in, uint64_t now)
{
	struct late l = { in, now > LATE_NS ? now - LATE_NS : 0 };

	if (in->procs->nheld)
		procs_each(in->procs, release_late, &l);
}

static void release_one(void *arg, struct proc *p)
{
	release(arg, p, UINT64_MAX);
}

static void bear_one(void *arg, struct proc *p)
{
	if (p->born_by)
		bear(arg, p);
	release(arg, p, UINT64_MAX);
}

void inorder_all(const struct inorder *in)
{
	procs_each(in->procs, release_one, (void *)in);
	/* Those whose parent was unborn itself. */
	procs_each(in->procs, bear_one, (void *)in);
}
