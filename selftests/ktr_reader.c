// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "ktr_reader.h"

struct ktr_map *ktr_reader_ring(struct ktr_reader *r, __u32 cpu, int ring)
{
	return &r->map[cpu * __KTR_RING_LAST + ring];
}

static int map_ring(int fd, struct ktr_map *m, __u32 cpu, int ring, __u64 size)
{
	void *cons, *prod;

	cons = mmap(NULL, KTR_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    KTR_MMAP_CONS(cpu, ring));
	if (cons == MAP_FAILED)
		return -errno;
	prod = mmap(NULL, KTR_PAGE + 2 * size, PROT_READ, MAP_SHARED, fd,
		    KTR_MMAP_DATA(cpu, ring));
	if (prod == MAP_FAILED) {
		int ret = -errno;

		munmap(cons, KTR_PAGE);
		return ret;
	}
	m->cons = cons;
	m->prod = prod;
	m->data = (unsigned char *)prod + KTR_PAGE;
	m->size = size;
	m->pos = m->cons->consumed;
	return m->prod->size == size && m->prod->version == KTR_VERSION ?
	       0 : -EBADMSG;
}

int ktr_reader_open(struct ktr_reader *r, int fd, __u32 ncpus, __u64 buf_size,
		    __u64 ctl_size)
{
	__u32 cpu;
	int ret = 0;

	memset(r, 0, sizeof(*r));
	r->fd = fd;
	r->ncpus = ncpus;
	r->map = calloc(ncpus, __KTR_RING_LAST * sizeof(*r->map));
	if (!r->map)
		return -ENOMEM;
	for (cpu = 0; cpu < ncpus && !ret; cpu++) {
		ret = map_ring(fd, ktr_reader_ring(r, cpu, KTR_RING_DATA), cpu,
			       KTR_RING_DATA, buf_size);
		if (!ret)
			ret = map_ring(fd, ktr_reader_ring(r, cpu, KTR_RING_CONTROL),
				       cpu, KTR_RING_CONTROL, ctl_size);
	}
	if (ret)
		ktr_reader_close(r);
	return ret;
}

void ktr_reader_close(struct ktr_reader *r)
{
	__u32 i;

	for (i = 0; r->map && i < r->ncpus * __KTR_RING_LAST; i++) {
		struct ktr_map *m = &r->map[i];

		if (!m->prod)
			continue;
		munmap((void *)m->prod, KTR_PAGE + 2 * m->size);
		munmap((void *)m->cons, KTR_PAGE);
	}
	free(r->map);
	r->map = NULL;
}

/* A record in a ring that may be overwritten: a copy that is whole, or NULL. */
static const struct ktr_rec *copy_whole(struct ktr_map *m, __u64 limit,
					struct ktr_rec *copy)
{
	const struct ktr_rec *rec;
	size_t len;

	rec = (const void *)(m->data + (m->pos & (m->size - 1)));
	len = (size_t)*(volatile const __u16 *)&rec->len8 * 8;
	if (len > limit - m->pos)
		len = limit - m->pos;	/* torn: the tail will say so */
	memcpy(copy, rec, len);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&m->prod->tail, __ATOMIC_ACQUIRE) > m->pos)
		return NULL;
	return copy;
}

static const struct ktr_rec *next_record(struct ktr_map *m, __u64 limit,
					 struct ktr_rec *copy)
{
	if (m->prod->mode == KTR_MODE_DISCARD)
		return (const void *)(m->data + (m->pos & (m->size - 1)));
	return copy_whole(m, limit, copy);
}

static int read_ring(struct ktr_reader *r, struct ktr_map *m, int ring,
		     ktr_record_fn fn, void *arg)
{
	static __thread __u64 copy[(KTR_REC_MAX + 8) / 8];
	__u64 limit = __atomic_load_n(&m->prod->committed, __ATOMIC_ACQUIRE);
	__u64 tail = __atomic_load_n(&m->prod->tail, __ATOMIC_ACQUIRE);
	int ret = 0;

	if (m->prod->mode == KTR_MODE_OVERWRITE && m->pos < tail) {
		m->torn += tail - m->pos;
		m->pos = tail;
	}
	while (m->pos < limit && !ret) {
		const struct ktr_rec *rec = next_record(m, limit, (void *)copy);
		__u64 len;

		if (!rec)	/* evicted meanwhile: all below the tail is gone */
			break;
		len = rec->len8 * 8;
		if (len < sizeof(*rec) || len > limit - m->pos)
			return -EBADMSG;
		if (rec->kind == 0 || rec->kind > KTR_KIND_MAX)
			return -EBADMSG;
		ret = fn(arg, m->prod->cpu, ring, m->pos, rec);
		m->pos += len;
		m->seen++;
	}
	if (!r->keep)
		__atomic_store_n(&m->cons->consumed, m->pos, __ATOMIC_RELEASE);
	return ret;
}

int ktr_reader_round(struct ktr_reader *r, ktr_record_fn fn, void *arg)
{
	__u32 i;
	int ret;

	for (i = 0; i < r->ncpus * __KTR_RING_LAST; i++) {
		ret = read_ring(r, &r->map[i], i % __KTR_RING_LAST, fn, arg);
		if (ret)
			return ret;
	}
	return 0;
}

int ktr_log_add(void *arg, __u32 cpu, int ring, __u64 pos,
		const struct ktr_rec *rec)
{
	struct ktr_log *log = arg;
	void *copy;

	if (log->n == log->room) {
		size_t room = log->room ? 2 * log->room : 1024;
		void *v = realloc(log->v, room * sizeof(*log->v));

		if (!v)
			return -ENOMEM;
		log->v = v;
		log->room = room;
	}
	copy = malloc(rec->len8 * 8);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, rec, rec->len8 * 8);
	log->v[log->n++] = (struct ktr_entry){
		.cpu = cpu, .ring = ring, .pos = pos, .rec = copy,
	};
	return 0;
}

void ktr_log_clear(struct ktr_log *log)
{
	while (log->n)
		free((void *)log->v[--log->n].rec);
	free(log->v);
	memset(log, 0, sizeof(*log));
}

/* By time, then by place, so that the order is always the same. */
static int older(const void *a, const void *b)
{
	const struct ktr_entry *x = a, *y = b;

	if (x->rec->time != y->rec->time)
		return x->rec->time < y->rec->time ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->ring != y->ring)		/* process life before what it is about */
		return x->ring > y->ring ? -1 : 1;
	return x->pos < y->pos ? -1 : x->pos > y->pos;
}

void ktr_log_sort(struct ktr_log *log)
{
	if (log->n)
		qsort(log->v, log->n, sizeof(*log->v), older);
}

const struct ktr_rec *ktr_log_next(const struct ktr_log *log, size_t *at,
				   int kind, __u32 tid)
{
	while (*at < log->n) {
		const struct ktr_rec *rec = log->v[(*at)++].rec;

		if (rec->kind == kind && (!tid || rec->tid == tid))
			return rec;
	}
	return NULL;
}

size_t ktr_log_count(const struct ktr_log *log, int kind, __u32 tid)
{
	size_t at = 0, n = 0;

	while (ktr_log_next(log, &at, kind, tid))
		n++;
	return n;
}

const struct ktr_rec *ktr_log_only(const struct ktr_log *log, int kind,
				   __u32 tid)
{
	size_t at = 0;

	return ktr_log_count(log, kind, tid) == 1 ?
	       ktr_log_next(log, &at, kind, tid) : NULL;
}

static int parse_sections(const unsigned char *p, size_t len,
			  struct ktr_call_view *v)
{
	int i;

	if (v->ncaps > 2 * KTR_OPS_MAX)
		return -EBADMSG;
	for (i = 0; i < v->ncaps; i++) {
		const struct ktr_cap *head = (const void *)p;
		size_t size;

		if (len < sizeof(*head))
			return -EBADMSG;
		size = sizeof(*head) + ((head->len + 7ULL) & ~7ULL);
		if (size > len || head->op >= KTR_OPS_MAX)
			return -EBADMSG;
		v->cap[i].head = head;
		v->cap[i].bytes = (const void *)(head + 1);
		p += size;
		len -= size;
	}
	return len ? -EBADMSG : 0;
}

int ktr_call_parse(const struct ktr_rec *rec, struct ktr_call_view *v)
{
	const struct ktr_ev_syscall *end = ktr_payload(rec);
	const struct ktr_ev_syscall_begun *begun = ktr_payload(rec);
	size_t len = ktr_payload_len(rec), fixed, words;

	memset(v, 0, sizeof(*v));
	v->rec = rec;
	v->begun = rec->kind == KTR_KIND_syscall_begun;
	fixed = v->begun ? sizeof(*begun) : sizeof(*end);
	if (len < fixed)
		return -EBADMSG;
	/* The two begin alike. */
	v->nr = end->nr;
	v->abi = end->abi;
	v->flags = end->flags;
	v->nargs = end->nargs;
	v->ncaps = end->ncaps;
	v->ret = v->begun ? 0 : end->ret;
	v->start = v->begun ? begun->start : end->start;
	v->args = (const void *)((const char *)(rec + 1) + fixed);
	words = v->nargs + (v->flags & KTR_SYS_F_TIMES ? 2 : 0);
	if (v->nargs > 6 || v->abi >= __KTR_ABI_LAST || len < fixed + 8 * words)
		return -EBADMSG;
	if (v->flags & KTR_SYS_F_TIMES) {
		v->blocked = v->args[v->nargs];
		v->runnable = v->args[v->nargs + 1];
	}
	return parse_sections((const void *)(v->args + words),
			      len - fixed - 8 * words, v);
}

int ktr_log_call(const struct ktr_log *log, size_t *at, int nr, __u32 tid,
		 struct ktr_call_view *v)
{
	const struct ktr_rec *rec;

	while ((rec = ktr_log_next(log, at, KTR_KIND_syscall, tid))) {
		int ret = ktr_call_parse(rec, v);

		if (ret)
			return ret;
		if (nr == -2 || v->nr == nr)
			return 0;
	}
	return -ENOENT;
}

const struct ktr_section *ktr_call_section(const struct ktr_call_view *v,
					   int op, int flags)
{
	int i;

	for (i = 0; i < v->ncaps; i++)
		if (v->cap[i].head->op == op && v->cap[i].head->flags == flags)
			return &v->cap[i];
	return NULL;
}

static const char *kind_name(int kind)
{
	switch (kind) {
#define KTR_EVENT(number, name, group, ring, source) case number: return #name;
#include "ktracer_events.h"
	}
	return "?";
}

#define PRINT_MAX 100

/* For the reader of a failed test: its beginning and its end. */
void ktr_log_print(const struct ktr_log *log)
{
	struct ktr_call_view v;
	size_t i;

	for (i = 0; i < log->n; i++) {
		const struct ktr_rec *rec = log->v[i].rec;

		if (i == PRINT_MAX / 2 && log->n > PRINT_MAX) {
			fprintf(stderr, "# ... %zu more\n", log->n - PRINT_MAX);
			i = log->n - PRINT_MAX / 2;
		}
		fprintf(stderr, "# %llu cpu %u tid %u flags %#x %s",
			(unsigned long long)rec->time, log->v[i].cpu, rec->tid,
			rec->flags, kind_name(rec->kind));
		if ((rec->kind == KTR_KIND_syscall ||
		     rec->kind == KTR_KIND_syscall_begun) &&
		    !ktr_call_parse(rec, &v))
			fprintf(stderr, " nr %d abi %d flags %#x ret %lld",
				v.nr, v.abi, v.flags, (long long)v.ret);
		fprintf(stderr, "\n");
	}
}
