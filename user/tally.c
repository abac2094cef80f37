// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "sys.h"
#include "tally.h"

struct tally_name {
	uint32_t tid;
	char comm[17];
};

struct tallies *tallies_new(enum sum_by by)
{
	struct tallies *s = calloc(1, sizeof(*s));

	if (s)
		s->by = by;
	return s;
}

void tallies_free(struct tallies *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->n; i++)
		free(s->t[i].name);
	free(s->t);
	free(s->index);
	free(s->names);
	free(s);
}

void tallies_clear(struct tallies *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		free(s->t[i].name);
	s->n = 0;
	s->missed = 0;
	if (s->index)
		memset(s->index, 0, s->size * sizeof(*s->index));
}

static size_t hash_of(const struct ktr_sum_row *r)
{
	uint64_t h = (uint64_t)r->tgid << 32 | r->tid;

	h = h * 31 + (r->ip ?: ((uint64_t)r->abi << 32 | (uint32_t)r->nr));
	return h * 0x9e3779b97f4a7c15ULL >> 32;
}

static bool same_key(const struct ktr_sum_row *x, const struct ktr_sum_row *y)
{
	return x->nr == y->nr && x->abi == y->abi && x->ip == y->ip &&
	       x->tid == y->tid && x->tgid == y->tgid;
}

/* Where the key stands in the index, or would. */
static size_t place_of(const struct tallies *s, const struct ktr_sum_row *key)
{
	size_t at = hash_of(key) & (s->size - 1);

	while (s->index[at] && !same_key(&s->t[s->index[at] - 1].r, key))
		at = (at + 1) & (s->size - 1);
	return at;
}

static int grow(struct tallies *s)
{
	size_t size = s->size ? s->size * 2 : 512, i;
	struct tally *t = realloc(s->t, size / 2 * sizeof(*t));
	uint32_t *index = calloc(size, sizeof(*index));

	if (t)
		s->t = t;
	if (!t || !index) {
		free(index);
		return -ENOMEM;
	}
	free(s->index);
	s->index = index;
	s->size = size;
	for (i = 0; i < s->n; i++)
		index[place_of(s, &s->t[i].r)] = i + 1;
	return 0;
}

/* The tally of a key, made if it is new; NULL: no memory. */
static struct tally *get(struct tallies *s, const struct ktr_sum_row *key)
{
	struct tally *t;
	size_t at;

	if (s->n == s->size / 2 && grow(s))
		return NULL;
	at = place_of(s, key);
	if (s->index[at])
		return &s->t[s->index[at] - 1];
	t = &s->t[s->n++];
	s->index[at] = s->n;
	memset(t, 0, sizeof(*t));
	t->r.tgid = key->tgid;
	t->r.tid = key->tid;
	t->r.abi = key->abi;
	t->r.nr = key->nr;
	t->r.ip = key->ip;
	t->r.wall_min = UINT64_MAX;
	return t;
}

int tally_row(struct tallies *s, const struct ktr_sum_row *r,
	      const uint64_t *hist)
{
	struct tally *t = get(s, r);
	unsigned int i;

	if (!t)
		return -ENOMEM;
	t->r.calls += r->calls;
	t->r.errors += r->errors;
	t->r.wall += r->wall;
	t->r.cpu += r->cpu;
	if (r->wall_min < t->r.wall_min)
		t->r.wall_min = r->wall_min;
	if (r->wall_max > t->r.wall_max)
		t->r.wall_max = r->wall_max;
	for (i = 0; hist && i < KTR_SUM_BUCKETS; i++)
		t->hist[i] += hist[i];
	return 0;
}

/* As the kernel counts: see ktracer_summary.h. */
static bool returned(const struct sys_rec *r)
{
	if (r->flags & KTR_SYS_F_NO_EXIT)
		return false;
	return !(r->flags & KTR_SYS_F_KILLED) || r->flags & KTR_SYS_F_FATAL;
}

static void put_who(const struct tallies *s, struct ktr_sum_row *row, uint32_t tid,
		    uint32_t tgid)
{
	if (s->by != SUM_CALL)
		row->tgid = tgid;
	if (s->by == SUM_TID)
		row->tid = tid;
}

static unsigned int bucket_of(uint64_t wall)
{
	unsigned int b = wall ? 63 - __builtin_clzll(wall) : 0;

	return b < KTR_SUM_BUCKETS ? b : KTR_SUM_BUCKETS - 1;
}

int tally_function(struct tallies *s, const struct ktr_rec *rec, uint32_t tgid)
{
	const struct ktr_ev_function_return *ret = EV_AS(function_return, rec);
	const struct ktr_ev_function *fn = EV_AS(function, rec);
	uint64_t hist[KTR_SUM_BUCKETS] = { 0 };
	struct ktr_sum_row row = { .wall_min = UINT64_MAX };
	struct tally *t;

	if (!fn && !ret)
		return 0;
	row.ip = fn ? fn->ip : ret->ip;
	put_who(s, &row, rec->tid, tgid);
	if (ret) {
		row.calls = 1;
		row.wall = row.wall_min = row.wall_max = rec->time - ret->start;
		hist[bucket_of(row.wall)] = 1;
		return tally_row(s, &row, hist);
	}
	t = get(s, &row);
	if (!t)
		return -ENOMEM;
	t->entries++;
	return 0;
}

int tally_call(struct tallies *s, const struct sys_rec *r, uint32_t tgid)
{
	uint64_t hist[KTR_SUM_BUCKETS] = { 0 }, wall = r->rec->time - r->start;
	uint64_t off = r->blocked + r->runnable;
	struct ktr_sum_row row = {
		.nr = r->nr, .abi = r->abi, .calls = 1,
		.errors = r->ret < 0 && r->ret > -4096,
		.wall = wall, .wall_min = wall, .wall_max = wall,
		.cpu = wall > off ? wall - off : 0,
	};

	if (!returned(r))
		return 0;
	put_who(s, &row, r->rec->tid, tgid);
	hist[bucket_of(wall)] = 1;
	return tally_row(s, &row, hist);
}

void tally_name(struct tallies *s, uint32_t tid, const char *comm)
{
	struct tally_name *n;

	if (s->by == SUM_CALL)
		return;
	n = realloc(s->names, (s->nnames + 1) * sizeof(*n));
	if (!n)
		return;
	s->names = n;
	n += s->nnames++;
	n->tid = tid;
	snprintf(n->comm, sizeof(n->comm), "%s", comm);
}

const char *tally_name_of(const struct tallies *s, uint32_t tid)
{
	size_t i;

	for (i = s->nnames; i; i--)
		if (s->names[i - 1].tid == tid)
			return s->names[i - 1].comm;
	return "";
}

static int by_group(const struct ktr_sum_row *x, const struct ktr_sum_row *y)
{
	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (!x->ip != !y->ip)
		return x->ip ? 1 : -1;
	return (int)x->abi - (int)y->abi;
}

static uint64_t average(const struct tally *t, const struct sum_opts *o)
{
	return t->r.calls ? tally_time(t, o) / t->r.calls : 0;
}

static uint64_t key_of(const struct tally *t, const struct sum_opts *o)
{
	switch (o->sort) {
	case COL_PERCENT:
	case COL_TOTAL:
		return tally_time(t, o);
	case COL_CPU:
		return t->r.cpu;
	case COL_MIN:
		return t->r.wall_min;
	case COL_MAX:
		return t->r.wall_max;
	case COL_AVG:
		return average(t, o);
	case COL_CALLS:
		return t->r.calls;
	case COL_ERRORS:
		return t->r.errors;
	}
	return 0;
}

const char *tally_what(const struct tally *t, char tmp[32])
{
	if (!t->r.ip)
		return sys_name(t->r.abi, t->r.nr, tmp);
	return t->name ?: "?";
}

/* The largest first; of equals the lower number. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct tally *x = a, *y = b;
	const struct sum_opts *o = arg;
	int group = by_group(&x->r, &y->r);
	char tmp[2][32];

	if (group)
		return group;
	if (o->sort == COL_NAME)
		return strcmp(tally_what(x, tmp[0]), tally_what(y, tmp[1]));
	if (key_of(x, o) != key_of(y, o))
		return key_of(x, o) < key_of(y, o) ? 1 : -1;
	if (x->r.ip != y->r.ip)
		return x->r.ip < y->r.ip ? -1 : 1;
	return x->r.nr == y->r.nr ? 0 : x->r.nr < y->r.nr ? -1 : 1;
}

static void take_off(__u64 *ns, uint64_t overhead)
{
	*ns -= overhead < *ns ? overhead : *ns;
}

void tallies_sort(struct tallies *s, const struct sum_opts *o)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->t[i].r.ip && !s->t[i].r.calls)
			s->t[i].r.calls = s->t[i].entries;
	for (i = 0; i < s->n && o->overhead_ns; i++) {
		if (s->t[i].r.ip)
			continue;
		take_off(&s->t[i].r.wall, o->overhead_ns * s->t[i].r.calls);
		take_off(&s->t[i].r.cpu, o->overhead_ns * s->t[i].r.calls);
	}
	if (s->n)
		qsort_r(s->t, s->n, sizeof(*s->t), compare, (void *)o);
}

size_t tallies_group(const struct tallies *s, size_t i)
{
	size_t n = 1;

	while (i + n < s->n && !by_group(&s->t[i].r, &s->t[i + n].r))
		n++;
	return n;
}
