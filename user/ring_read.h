/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading one ring, the pure part: it gets its memory handed in and knows
 * neither files nor time, so that native tests run it against module/ring.c.
 *
 * A turn: ring_snapshot(), ring_settled() until it is true, ring_take() until
 * it returns 0, ring_done().
 */
#ifndef KTR_RING_READ_H
#define KTR_RING_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ktracer.h"

#define RING_LOST_LEN (sizeof(struct ktr_rec) + sizeof(struct ktr_ev_lost))
#define RING_NOTES_MAGIC 0x6b74726e6f746531ULL

/*
 * The consumer's page outlives a reader of a named session; behind the
 * position he leaves what the next one needs to count losses exactly. The
 * kernel does not look at it.
 */
struct ring_notes {
	uint64_t magic;
	uint64_t read_kind[64];		/* records read so far, by kind */
	uint64_t evicted_kind[64];	/* evicted unread, told so far */
	uint64_t lost_seen;		/* sum of the lost records read */
	uint64_t refused_told;		/* "refused" as last told to a user */
	uint64_t pos;			/* the position as a reader left it */
	uint64_t drained;		/* 1: somebody else has moved it since */
	uint64_t last_time;		/* of the last record read; 0: none was */
};

#define RING_NOTES_OFFSET 64

struct ring_read {
	const struct ktr_ring_prod *prod;
	struct ktr_ring_cons *cons;
	struct ring_notes *notes;
	const unsigned char *data;	/* mapped twice in a row */
	uint64_t size;
	unsigned int cpu;
	unsigned int ring;
	bool overwrite;
	bool broken;			/* what is no record was met */
	uint64_t pos;			/* read up to here */
	uint64_t limit;			/* "reserved" at the snapshot */
	uint64_t end;			/* "committed" as last seen */
	uint64_t last_time;		/* of the last record read: where a gap begins */
	uint64_t records;		/* given by this reader, made ones included */
	uint64_t kinds[64];		/* the same by kind */
	uint64_t evicted_before;	/* told by readers before this one */
	uint64_t refused_before;
};

/* cons: the whole page, KTR_PAGE bytes. Return: 0, -EPROTO, -EINVAL. */
int ring_read_init(struct ring_read *r, const struct ktr_ring_prod *prod,
		   void *cons, const unsigned char *data, uint64_t size,
		   unsigned int cpu, unsigned int ring);

/* Of the first record that can be read in a ring that is not overwritten; 0: none. */
uint64_t ring_first_time(const struct ring_read *r);

void ring_snapshot(struct ring_read *r);
bool ring_settled(struct ring_read *r);

/*
 * The next whole records, at most cap bytes of them; 0: no more for now.
 * Discard mode: *p points into the ring and is good until ring_done().
 * Overwrite mode: they are copied to scratch, and where the producer has
 * overtaken the reader a lost record made here stands in front.
 * cap must be at least KTR_REC_MAX + RING_LOST_LEN.
 */
size_t ring_take(struct ring_read *r, unsigned char *scratch, size_t cap,
		 const unsigned char **p);

/* Give the room of what was taken back to the producer. */
void ring_done(struct ring_read *r);

/*
 * At the end: what was lost and is told by no lost record, as one more lost
 * record of that time, written to rec (RING_LOST_LEN bytes). False: none.
 * over: no producer will come and tell what was refused since his last record.
 */
bool ring_trailing(struct ring_read *r, bool over, uint64_t now, void *rec);

/* All records lost so far that no reader before this one has told. */
uint64_t ring_lost(const struct ring_read *r);
/* Note them as told. */
void ring_told(struct ring_read *r);

#endif
