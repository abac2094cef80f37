// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "events.h"
#include "procs.h"

#define SIZE_MIN 64

void procs_init(struct procs *ps)
{
	memset(ps, 0, sizeof(*ps));
}

static void free_proc(struct procs *ps, struct proc *p)
{
	struct held *h;

	while ((h = procs_unhold(ps, p)))
		free(h);
	free(procs_early(ps, p));
	free(procs_exec(ps, p));
	while ((h = p->sent)) {
		p->sent = h->next;
		free(h);
	}
	ps->nheld -= p->graph && p->graph->n;
	callgraph_free(p->graph);
	if (p->sink) {
		sink_close(p->sink);
		free(p->sink);
	}
	free(p);
}

void procs_free(struct procs *ps)
{
	struct held *h;
	struct proc *p;
	size_t i;

	for (i = 0; i < ps->size; i++)
		while ((p = ps->table[i])) {
			ps->table[i] = p->next;
			free_proc(ps, p);
		}
	while ((h = procs_outlived(ps, 0)))
		free(h);
	free(ps->table);
	free(ps->counts);
	procs_init(ps);
}

static size_t chain(const struct procs *ps, uint32_t tid)
{
	return (tid * 2654435761u >> 8) & (ps->size - 1);
}

struct proc *procs_find(struct procs *ps, uint32_t tid)
{
	struct proc *p = ps->size ? ps->table[chain(ps, tid)] : NULL;

	while (p && p->tid != tid)
		p = p->next;
	return p;
}

static void grow(struct procs *ps)
{
	struct procs bigger = *ps;
	struct proc *p;
	size_t i, at;

	bigger.size = ps->size ? ps->size * 2 : SIZE_MIN;
	bigger.table = calloc(bigger.size, sizeof(*bigger.table));
	if (!bigger.table)
		return;		/* longer chains do as well */
	for (i = 0; i < ps->size; i++)
		while ((p = ps->table[i])) {
			ps->table[i] = p->next;
			at = chain(&bigger, p->tid);
			p->next = bigger.table[at];
			bigger.table[at] = p;
		}
	free(ps->table);
	*ps = bigger;
}

struct proc *procs_get(struct procs *ps, uint32_t tid)
{
	struct proc *p = procs_find(ps, tid);
	size_t at;

	if (p)
		return p;
	if (ps->n >= ps->size)
		grow(ps);
	p = calloc(1, sizeof(*p));
	if (!p || !ps->size)
		abort();	/* as buf.h: nothing better to do */
	at = chain(ps, tid);
	p->tid = tid;
	p->next = ps->table[at];
	ps->table[at] = p;
	ps->n++;
	return p;
}

void procs_drop(struct procs *ps, uint32_t tid)
{
	struct proc **pp, *p;

	if (!ps->size)
		return;
	pp = &ps->table[chain(ps, tid)];
	while ((p = *pp) && p->tid != tid)
		pp = &p->next;
	if (!p)
		return;
	*pp = p->next;
	ps->n--;
	procs_set_live(ps, p, false);
	free_proc(ps, p);
}

void procs_set_live(struct procs *ps, struct proc *p, bool live)
{
	if (p->live == live)
		return;
	p->live = live;
	ps->nlive += live ? 1 : -1;
}

static struct held *copy(const struct ktr_rec *rec)
{
	struct held *h = malloc(sizeof(*h) + rec->len8 * 8u);

	if (!h)
		return NULL;
	memcpy(h->rec, rec, rec->len8 * 8u);
	h->next = NULL;
	h->cpu = 0;
	return h;
}

bool procs_hold(struct procs *ps, struct proc *p, const struct ktr_rec *rec)
{
	struct held **last = &p->held, *h = copy(rec);

	if (!h)
		return false;
	while (*last)
		last = &(*last)->next;
	*last = h;
	ps->nheld++;
	return true;
}

void procs_held_on(struct proc *p, unsigned int cpu)
{
	struct held *h = p->held;

	while (h && h->next)
		h = h->next;
	if (h)
		h->cpu = cpu;
}

struct held *procs_unhold(struct procs *ps, struct proc *p)
{
	struct held *h = p->held;

	if (h) {
		p->held = h->next;
		ps->nheld--;
	}
	return h;
}

struct held *procs_unhold_all(struct procs *ps, struct proc *p)
{
	struct held *all = p->held, *h;

	for (h = all; h; h = h->next)
		ps->nheld--;
	p->held = NULL;
	return all;
}

static bool keep(struct procs *ps, struct held **where,
		 const struct ktr_rec *rec)
{
	if (!*where) {
		*where = copy(rec);
		ps->nheld += !!*where;
	}
	return *where;
}

static struct held *take_out(struct procs *ps, struct held **where)
{
	struct held *h = *where;

	ps->nheld -= !!h;
	*where = NULL;
	return h;
}

bool procs_keep_early(struct procs *ps, struct proc *p,
		      const struct ktr_rec *rec)
{
	return keep(ps, &p->early, rec);
}

struct held *procs_early(struct procs *ps, struct proc *p)
{
	return take_out(ps, &p->early);
}

bool procs_keep_exec(struct procs *ps, struct proc *p,
		     const struct ktr_rec *rec)
{
	return keep(ps, &p->exec, rec);
}

struct held *procs_exec(struct procs *ps, struct proc *p)
{
	return take_out(ps, &p->exec);
}

bool procs_outlive(struct procs *ps, const struct ktr_rec *rec)
{
	struct held *h = copy(rec);

	if (!h)
		return false;
	h->next = ps->outlived;
	ps->outlived = h;
	return true;
}

struct held *procs_outlived(struct procs *ps, uint32_t tid)
{
	struct held **pp = &ps->outlived, *h;

	while ((h = *pp) && tid && h->rec->tid != tid)
		pp = &h->next;
	if (h)
		*pp = h->next;
	return h;
}

/* Its end is to be told yet, into the same file with -ff. */
static bool is_outlived(const struct procs *ps, uint32_t tid)
{
	const struct held *h = ps->outlived;

	while (h && h->rec->tid != tid)
		h = h->next;
	return h;
}

static int sig_of(const struct ktr_rec *rec)
{
	return EV_AS(signal_generate, rec)->sig;
}

void procs_sent(struct proc *p, const struct ktr_rec *rec, int sig)
{
	struct held *h = copy(rec);

	free(procs_unsend(p, sig));
	if (!h)
		return;
	h->next = p->sent;
	p->sent = h;
}

struct held *procs_unsend(struct proc *p, int sig)
{
	struct held **pp = &p->sent, *h;

	while ((h = *pp) && sig_of(h->rec) != sig)
		pp = &h->next;
	if (h)
		*pp = h->next;
	return h;
}

bool procs_is_sent(const struct proc *p, int sig)
{
	const struct held *h = p->sent;

	while (h && sig_of(h->rec) != sig)
		h = h->next;
	return h;
}

void procs_each(struct procs *ps, void (*fn)(void *arg, struct proc *p),
		void *arg)
{
	struct proc *p;
	size_t i;

	for (i = 0; i < ps->size; i++)
		for (p = ps->table[i]; p; p = p->next)
			fn(arg, p);
}

static void set_comm(struct proc *p, const char comm[16])
{
	memcpy(p->comm, comm, 16);
	p->comm[16] = '\0';
}

/* An execve is told twice: by the new name, then by its exec. */
static void rename_to(struct proc *p, const char comm[16], uint64_t time)
{
	if (!strncmp(p->comm, comm, 16))
		return;
	memcpy(p->was, p->comm, sizeof(p->was));
	p->named_at = time;
	set_comm(p, comm);
}

const char *procs_named(const struct proc *p, uint64_t time)
{
	return time < p->named_at && p->was[0] ? p->was : p->comm;
}

const char *procs_comm(struct procs *ps, uint32_t tid)
{
	const struct proc *p = procs_find(ps, tid);
	unsigned int i, n = ps->nended < PROCS_ENDED ? ps->nended : PROCS_ENDED;

	if (p && p->comm[0])
		return p->comm;
	for (i = 1; i <= n; i++) {
		const struct proc_name *e = &ps->ended[(ps->nended - i) % PROCS_ENDED];

		if (e->tid == tid)
			return e->comm;
	}
	return NULL;
}

static void note_ended(struct procs *ps, const struct proc *p)
{
	struct proc_name *e = &ps->ended[ps->nended++ % PROCS_ENDED];

	e->tid = p->tid;
	memcpy(e->comm, p->comm, sizeof(e->comm));
}

void procs_known(struct procs *ps, uint32_t tid, uint32_t tgid,
		 const char *comm)
{
	struct proc *p = procs_get(ps, tid);

	p->tgid = tgid;
	snprintf(p->comm, sizeof(p->comm), "%s", comm);
	procs_set_live(ps, p, true);
}

void procs_wall(struct procs *ps)
{
	struct timespec mono, real;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	ps->wall = (real.tv_sec - mono.tv_sec) * 1000000000LL +
		   real.tv_nsec - mono.tv_nsec;
	ps->have_wall = true;
}

static void note_new(struct procs *ps, const struct ktr_ev_task_new *ev)
{
	struct proc *p;

	if (ev->followed != 1)
		return;
	/* A tid that comes back is another thread. */
	procs_drop(ps, ev->child);
	p = procs_get(ps, ev->child);
	p->tgid = ev->child_tgid;
	set_comm(p, ev->comm);
	procs_set_live(ps, p, true);
}

static void note_task(struct procs *ps, uint32_t tid,
		      const struct ktr_ev_task *ev)
{
	struct proc *p = procs_get(ps, tid);

	p->tgid = ev->tgid;
	set_comm(p, ev->comm);
	procs_set_live(ps, p, true);
}

/* A thread's exec ends its siblings and takes over the leader's number. */
static void note_exec(struct procs *ps, uint32_t tid, uint64_t time,
		      const struct ktr_ev_exec *ev)
{
	struct proc *p = procs_get(ps, tid), *old;

	p->tgid = ev->tgid;
	p->exited = false;
	rename_to(p, ev->comm, time);
	procs_set_live(ps, p, true);
	if (!ev->old_tid || ev->old_tid == tid)
		return;
	old = procs_find(ps, ev->old_tid);
	if (!old)
		return;
	p->begun = old->begun;
	p->begun_nr = old->begun_nr;
	p->begun_abi = old->begun_abi;
	ps->nheld -= callgraph_join(&p->graph, &old->graph);
	procs_drop(ps, ev->old_tid);
}

void procs_note(struct procs *ps, const struct ktr_rec *rec)
{
	const struct ktr_ev_clock *clock = EV_AS(clock, rec);
	const struct ktr_ev_task *task = EV_AS(task, rec);
	struct ktr_ev_task_new room;
	const struct ktr_ev_task_new *new = ev_task_new(rec, &room);
	const struct ktr_ev_exec *exec = EV_AS(exec, rec);
	const struct ktr_ev_rename *rename = EV_AS(rename, rec);

	if (clock) {
		ps->wall = (int64_t)(clock->realtime - rec->time);
		ps->have_wall = true;
	} else if (task) {
		note_task(ps, rec->tid, task);
	} else if (new) {
		note_new(ps, new);
	} else if (exec) {
		note_exec(ps, rec->tid, rec->time, exec);
	} else if (rename) {
		rename_to(procs_get(ps, rec->tid), rename->comm, rec->time);
	}
}

static void keep_count(struct procs *ps, const struct proc *p,
		       const struct ktr_ev_target_end *ev)
{
	struct proc_count *c;

	/* Room for a power of two of them. */
	if (!(ps->ncounts & (ps->ncounts - 1))) {
		size_t n = ps->ncounts ? ps->ncounts * 2 : 1;

		c = realloc(ps->counts, n * sizeof(*c));
		if (!c)
			return;
		ps->counts = c;
	}
	c = &ps->counts[ps->ncounts++];
	memset(c, 0, sizeof(*c));
	c->tid = p->tid;
	c->tgid = ev->tgid;
	c->reason = ev->reason;
	memcpy(c->comm, p->comm, sizeof(c->comm));
	c->recorded = ev->recorded;
	c->lost = ev->lost;
	c->syscalls_lost = ev->syscalls_lost;
}

void procs_after(struct procs *ps, const struct ktr_rec *rec)
{
	const struct ktr_ev_target_end *end = EV_AS(target_end, rec);
	struct proc *p;

	if (rec->kind != KTR_KIND_exit && !end)
		return;
	p = end ? procs_get(ps, rec->tid) : procs_find(ps, rec->tid);
	if (!p)
		return;
	if (end && ps->keep_counts)
		keep_count(ps, p, end);
	/* Of a leader that a thread took the number of, or gave its own. */
	if (end && end->reason == KTR_END_EXIT && p->live && !p->exited)
		return;
	procs_set_live(ps, p, false);
	p->exited = true;
	if (end && !is_outlived(ps, rec->tid)) {
		note_ended(ps, p);
		procs_drop(ps, rec->tid);
	}
}
