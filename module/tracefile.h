/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace file as the module appends to it: blocks, one behind the other.
 *
 * Somebody may cut the file meanwhile, to nothing or to a part: then it begins with
 * what it began with before, unless that is still there, and goes on with the facts.
 * If there is no room any more it is made to end as files do all the same.
 *
 * All is one thread's, but for what is said to be read by others.
 */
#ifndef _KTR_TRACEFILE_H
#define _KTR_TRACEFILE_H

#include <linux/errseq.h>
#include <linux/types.h>
#include "../uapi/ktracer_file.h"
#include "filestart.h"

struct file;

/* What the file held when a block began, which may be the end that is left of it. */
struct ktr_tracefile_place {
	u64 at;
	u64 round;		/* all that is older than this stood before it */
	struct ktr_file_footer foot;
};

struct ktr_tracefile {
	/* Records that must stand before all later ones, for kvfree(), or an error. */
	void *(*facts)(void *arg, u32 *len);
	void *arg;
	struct file *file;
	struct ktr_filestart start;
	u64 max_size;		/* of the file */
	u64 end;		/* where the file ended when it was written last */
	u64 whole;		/* behind the last block that is there in whole */
	u64 reached;		/* after an error: so far there was room */
	u64 round;		/* all that is older has been written, or was never to be */
	bool torn;		/* it was cut between two pieces of a block; the second is at: */
	u64 torn_at;
	errseq_t since;		/* errors of its disk that were before */
	u64 bytes;		/* written; others read it */
	int error;		/* errno; nothing is written behind it */
	struct ktr_file_footer foot;
	struct ktr_tracefile_place near, far;	/* so far apart that an end has room */
	struct ktr_ev_lost missing;	/* records, and what they told of that was lost before */
	struct ktr_ev_lost partial;	/* the same of what stands in front of an error, in no whole block */
};

/**
 * ktr_tracefile_open() - begin to append
 * @t: zeroed, but for facts, arg and round
 * @file: stays open for as long as @t is used; its limit is that of who runs now
 *
 * Context: may sleep, as all here.
 * Return: 0 or -ENOMEM; then nothing is to be freed.
 */
int ktr_tracefile_open(struct ktr_tracefile *t, struct file *file);
void ktr_tracefile_free(struct ktr_tracefile *t);

/*
 * Append a block. Of data, whole records, what there is no room for is counted
 * as missing. The first error stays: then all that comes is missing.
 */
void ktr_tracefile_put(struct ktr_tracefile *t, enum ktr_file_type type, u32 cpu, u32 ring,
		       u64 time, const void *p, size_t n);
void ktr_tracefile_put_footer(struct ktr_tracefile *t);

/* Records that are not in the file. @ev: as its fields say. */
void ktr_tracefile_lose(struct ktr_tracefile *t, const struct ktr_ev_lost *ev);

/**
 * ktr_tracefile_put_end() - after an error
 * @t: has an error; it stays
 * @now: the time
 *
 * A file that has no room is made to end as files do, with a lost record of what
 * is missing, where there was written enough behind the beginning of a block to
 * make room for that. What stood there is missing then, too. Where there was not it
 * ends behind the last whole block: what was whole before stays so.
 */
void ktr_tracefile_put_end(struct ktr_tracefile *t, u64 now);

#endif
