// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"

#define SRC_MAX 65536

struct item {
	uint64_t time;
	size_t offset;		/* in bytes[] */
};

struct merge_source {
	unsigned char *bytes;
	size_t len, cap;
	struct item *items;
	size_t n, nalloc;
	size_t next;		/* while running: first not handed out */
	bool inverted;		/* items are not in order of time */
};

void merge_init(struct merge *m)
{
	memset(m, 0, sizeof(*m));
}

void merge_free(struct merge *m)
{
	size_t i;

	for (i = 0; i < m->nsrc; i++) {
		free(m->src[i].bytes);
		free(m->src[i].items);
	}
	free(m->src);
	free(m->heap);
	merge_init(m);
}

static int have_source(struct merge *m, unsigned int src)
{
	struct merge_source *s;
	size_t *heap;

	if (src < m->nsrc)
		return 0;
	if (src >= SRC_MAX)
		return -ENOMEM;
	s = realloc(m->src, (src + 1) * sizeof(*s));
	if (!s)
		return -ENOMEM;
	m->src = s;
	heap = realloc(m->heap, (src + 1) * sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	m->heap = heap;
	memset(s + m->nsrc, 0, (src + 1 - m->nsrc) * sizeof(*s));
	m->nsrc = src + 1;
	return 0;
}

static int have_bytes(struct merge_source *s, size_t len)
{
	size_t cap = s->cap;
	void *p;

	if (s->cap - s->len >= len)
		return 0;
	while (cap - s->len < len)
		cap = cap ? cap * 2 : 65536;
	p = realloc(s->bytes, cap);
	if (!p)
		return -ENOMEM;
	s->bytes = p;
	s->cap = cap;
	return 0;
}

static int add_item(struct merge_source *s, uint64_t time, size_t offset)
{
	size_t nalloc = s->nalloc ? s->nalloc * 2 : 1024;
	struct item *p;

	if (s->n == s->nalloc) {
		p = realloc(s->items, nalloc * sizeof(*p));
		if (!p)
			return -ENOMEM;
		s->items = p;
		s->nalloc = nalloc;
	}
	if (s->n && time < s->items[s->n - 1].time)
		s->inverted = true;
	s->items[s->n].time = time;
	s->items[s->n++].offset = offset;
	return 0;
}

long merge_add(struct merge *m, unsigned int src, const void *bytes, size_t len)
{
	struct merge_source *s;
	struct ktr_rec rec;
	size_t done = 0;

	if (!len)
		return 0;
	if (have_source(m, src))
		return -ENOMEM;
	s = &m->src[src];
	if (have_bytes(s, len))
		return -ENOMEM;
	while (len - done >= sizeof(rec)) {
		memcpy(&rec, (const char *)bytes + done, sizeof(rec));
		if (rec.len8 < 2 || rec.len8 * 8u > len - done)
			break;
		if (add_item(s, rec.time, s->len + done))
			return -ENOMEM;
		done += rec.len8 * 8u;
	}
	memcpy(s->bytes + s->len, bytes, done);
	s->len += done;
	m->bytes += done;
	return done;
}

static int by_time(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static uint64_t first_time(const struct merge *m, size_t src)
{
	const struct merge_source *s = &m->src[src];

	return s->items[s->next].time;
}

static bool before(const struct merge *m, size_t a, size_t b)
{
	uint64_t ta = first_time(m, a), tb = first_time(m, b);

	return ta != tb ? ta < tb : a < b;
}

static void sift_down(struct merge *m, size_t i)
{
	size_t child, src = m->heap[i];

	while ((child = 2 * i + 1) < m->nheap) {
		if (child + 1 < m->nheap &&
		    before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m, m->heap[child], src))
			break;
		m->heap[i] = m->heap[child];
		i = child;
	}
	m->heap[i] = src;
}

static void build_heap(struct merge *m)
{
	struct merge_source *s;
	size_t i;

	m->nheap = 0;
	for (i = 0; i < m->nsrc; i++) {
		s = &m->src[i];
		s->next = 0;
		if (!s->n)
			continue;
		if (s->inverted)
			qsort(s->items, s->n, sizeof(*s->items), by_time);
		s->inverted = false;
		m->heap[m->nheap++] = i;
	}
	for (i = m->nheap / 2; i-- > 0;)
		sift_down(m, i);
}

/* Move what is left to the front of the source's memory. */
static int compact(struct merge *m, struct merge_source *s)
{
	size_t i, n = s->n - s->next, len = 0, size;
	unsigned char *tmp = NULL;

	if (!s->next)
		return 0;
	if (n) {
		tmp = malloc(s->len);
		if (!tmp)
			return -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		struct item it = s->items[s->next + i];
		const struct ktr_rec *rec = (void *)(s->bytes + it.offset);

		size = rec->len8 * 8u;
		memcpy(tmp + len, rec, size);
		s->items[i].time = it.time;
		s->items[i].offset = len;
		len += size;
	}
	if (len)
		memcpy(s->bytes, tmp, len);
	free(tmp);
	m->bytes -= s->len - len;
	s->len = len;
	s->n = n;
	s->next = 0;
	return 0;
}

int merge_run(struct merge *m, uint64_t horizon, merge_fn fn, void *arg)
{
	struct merge_source *s;
	size_t src, i;
	int err = 0;

	build_heap(m);
	while (m->nheap && !err) {
		src = m->heap[0];
		s = &m->src[src];
		if (first_time(m, src) >= horizon)
			break;
		err = fn(arg, (void *)(s->bytes + s->items[s->next].offset),
			 src);
		if (++s->next == s->n)
			m->heap[0] = m->heap[--m->nheap];
		if (m->nheap)
			sift_down(m, 0);
	}
	for (i = 0; i < m->nsrc; i++)
		if (compact(m, &m->src[i]) && !err)
			err = -ENOMEM;
	return err;
}
