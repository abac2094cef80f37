/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring in this process: the shipped producer (module/ring.c), the shipped
 * reader (user/ring_read.c), and memory laid out as the module lays it out, a
 * hole behind it.
 */
#ifndef NATIVE_RING_PAIR_H
#define NATIVE_RING_PAIR_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/compiler.h>
#include "../../module/ring.h"
#include "ring_read.h"

/* For the one reader of a process. */
static unsigned char pair_scratch[KTR_REC_MAX + 2 * RING_LOST_LEN];

struct ring_pair {
	struct ktr_ring ring;
	struct ring_read read;
	unsigned char *map;	/* producer's page, data twice, hole */
	void *cons;
	u64 size;
	unsigned char *scratch;
	size_t cap;
};

/* What the payload of a test's record holds; every byte follows from it. */
struct mark {
	u64 seq;
	u64 len;	/* of the payload with this head */
};

static inline void *must_map(void *at, size_t len, int fd)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *p = mmap(at, len, PROT_READ | PROT_WRITE,
		       flags | (at ? MAP_FIXED : 0), fd, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

static inline void pair_make(struct ring_pair *p, u64 size, u32 mode)
{
	int fd = memfd_create("ring", 0);
	unsigned char *data;

	memset(p, 0, sizeof(*p));
	if (fd < 0 || ftruncate(fd, size))
		abort();
	p->size = size;
	p->map = mmap(NULL, 2 * KTR_PAGE + 2 * size, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->map == MAP_FAILED)
		abort();
	must_map(p->map, KTR_PAGE, -1);
	data = p->map + KTR_PAGE;
	must_map(data, size, fd);
	must_map(data + size, size, fd);
	close(fd);
	p->cons = must_map(NULL, KTR_PAGE, -1);
	p->scratch = pair_scratch;
	p->cap = sizeof(pair_scratch);
	ktr_ring_init(&p->ring, (struct ktr_ring_prod *)p->map, p->cons, data,
		      size, mode, 0);
	if (ring_read_init(&p->read, (struct ktr_ring_prod *)p->map, p->cons,
			   data, size, 0, KTR_RING_DATA))
		abort();
}

static inline void pair_free(struct ring_pair *p)
{
	munmap(p->map, 2 * KTR_PAGE + 2 * p->size);
	munmap(p->cons, KTR_PAGE);
}

static inline unsigned char mark_byte(u64 seq, u64 i)
{
	return (seq * 167 + i * 13) >> 2;
}

static inline void mark_write(struct ktr_rec *rec, u64 seq, u32 len)
{
	struct mark *m = (struct mark *)(rec + 1);
	unsigned char *body = (unsigned char *)(m + 1);
	u64 i, n = len - sizeof(*rec) - sizeof(*m);

	m->seq = seq;
	m->len = len - sizeof(*rec);
	for (i = 0; i < n; i++)
		body[i] = mark_byte(seq, i);
}

/* A record just as it was written? */
static inline bool mark_whole(const struct ktr_rec *rec)
{
	const struct mark *m = (const struct mark *)(rec + 1);
	const unsigned char *body = (const unsigned char *)(m + 1);
	u64 i, n;

	if (rec->len8 * 8u < sizeof(*rec) + sizeof(*m) ||
	    m->len != rec->len8 * 8u - sizeof(*rec))
		return false;
	n = m->len - sizeof(*m);
	for (i = 0; i < n; i++)
		if (body[i] != mark_byte(m->seq, i))
			return false;
	return true;
}

#define MARK_MIN (sizeof(struct ktr_rec) + sizeof(struct mark))

static inline u64 mark_seq(const struct ktr_rec *rec)
{
	return ((const struct mark *)(rec + 1))->seq;
}

/* As module/emit.h does it: the short way first. NULL: refused, and accounted. */
static inline struct ktr_rec *pair_begin(struct ring_pair *p, u8 kind, u32 len,
					 u64 now)
{
	struct ktr_rec *rec;
	u32 why = 0;

	if (len > KTR_RING_SHORT)
		rec = ktr_ring_reserve(&p->ring, len, kind, &why);
	else if (!ktr_ring_try(&p->ring, len / 8, kind, &rec))
		rec = ktr_ring_reserve_slow(&p->ring, len, kind, &why);
	if (!rec) {
		ktr_ring_refused(&p->ring, kind, why, now);
		return NULL;
	}
	rec->flags = 0;
	rec->tid = 1;
	rec->time = now;
	if (why == KTR_RING_LOST)
		ktr_ring_lost(rec)->time = now;
	return rec;
}

/* Return: whether it was written. */
static inline bool pair_emit(struct ring_pair *p, u8 kind, u64 seq, u32 len,
			     u64 now)
{
	struct ktr_rec *rec = pair_begin(p, kind, len, now);

	if (!rec)
		return false;
	mark_write(rec, seq, len);
	ktr_ring_commit(&p->ring);
	return true;
}

/* Calls fn for every record that is there now; for none if one is under way. */
static inline void pair_drain(struct ring_pair *p,
		       void (*fn)(const struct ktr_rec *rec, void *ctx),
		       void *ctx)
{
	const unsigned char *at;
	size_t n, done;

	ring_snapshot(&p->read);
	if (!ring_settled(&p->read))
		return;
	while ((n = ring_take(&p->read, p->scratch, p->cap, &at))) {
		for (done = 0; done < n;
		     done += ((const struct ktr_rec *)(at + done))->len8 * 8u)
			fn((const struct ktr_rec *)(at + done), ctx);
		ring_done(&p->read);
	}
	ring_done(&p->read);
}

#endif
