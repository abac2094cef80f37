/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls counted where they end, or are entered: a table per CPU, of fixed size. */
#ifndef _KTR_SUMMARY_H
#define _KTR_SUMMARY_H

#include <asm/local.h>
#include <linux/types.h>
#include "../uapi/ktracer.h"

struct ktr_target;
struct ktr_user;

/* A key and what was counted for it; free unless the epoch is the table's. */
struct ktr_sum_slot {
	u32 epoch;		/* or KTR_SUM_TAKING */
	u64 who;		/* tgid << 32 | tid */
	u64 what;		/* a function's address, or ABI << 32 | number */
	local_t calls, errors;
	local_t wall, cpu;
	u64 wall_min, wall_max;
};

/*
 * One CPU's share. Written with preemption off by the probes of this CPU's tasks;
 * those of functions nest in all others, and in each other. Others read.
 */
struct ktr_sum_cpu {
	struct ktr_sum_slot *slot;
	local_t *hist;		/* KTR_SUM_BUCKETS for each slot; or NULL */
	local_t missed;		/* never reset */
};

struct ktr_summary {
	u32 flags;		/* KTR_SUM_F_*, fixed */
	u32 bits;		/* of the number of slots, fixed */
	u32 epoch;		/* the session's mutex to write; never 0 */
	u64 missed_before;	/* this epoch; as the epoch */
	u64 bytes;		/* accounted */
	struct ktr_user *user;	/* to whom, too; NULL: nobody */
	struct ktr_sum_cpu __percpu *cpu;
};

/*
 * ERR_PTR: -EDQUOT, -ENOMEM. @big: may pass the limit of all sessions. @user: who
 * pays; a session of his keeps him.
 */
struct ktr_summary *ktr_summary_new(u32 flags, u32 slots, bool big, struct ktr_user *user);
/* No probe may find it any more. Takes NULL. */
void ktr_summary_free(struct ktr_summary *s);

/* Count the call of @t that ended at @end; from the task's own probes. */
void ktr_summary_count(struct ktr_summary *s, const struct ktr_target *t, u64 end);
/*
 * The same for a call of the function at @ip, which took so long; -1: that is not
 * known. From the target's own task, in any context.
 */
void ktr_summary_function(struct ktr_summary *s, const struct ktr_target *t, u64 ip, s64 wall);

/* All below: under the session's mutex. Begin anew; takes NULL. */
void ktr_summary_clear(struct ktr_summary *s);
u64 ktr_summary_missed(const struct ktr_summary *s);

/* Rows as the wire has them, one behind the other; ktr_summary_rows_free(). */
struct ktr_sum_rows {
	u32 n;
	u32 size;		/* of one, in bytes */
	char *row;
};

int ktr_summary_rows(const struct ktr_summary *s, struct ktr_sum_rows *rows);
void ktr_summary_rows_free(struct ktr_sum_rows *rows);

static inline bool ktr_summary_only(const struct ktr_summary *s)
{
	return s && s->flags & KTR_SUM_F_ONLY;
}

static inline bool ktr_summary_functions(const struct ktr_summary *s)
{
	return s && s->flags & KTR_SUM_F_FUNCS;
}

#endif
