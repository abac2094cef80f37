/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Targets: tasks under trace. One object per (task, session), found from a
 * probe by hashing the task's address.
 */
#ifndef _KTR_TARGETS_H
#define _KTR_TARGETS_H

#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/llist.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <asm/local.h>
#include "capture.h"
#include "emit.h"
#include "graph.h"
#include "permit.h"
#include "users.h"

#define KTR_TARGET_BITS 10

/* States of a target. At entry of a call all are off, at exit mostly the first is on. */
#define KTR_T_ACTIVE	(1u << 0)	/* in the call that "call" describes */
#define KTR_T_ARMED	(1u << 1)	/* nothing yet: waits for its execve */
#define KTR_T_FRESH	(1u << 2)	/* a child that has not come out of its clone */
#define KTR_T_SNAPPED	(1u << 3)	/* "call" is what the attach saw, if the exit agrees */
#define KTR_T_AT_EXIT	(1u << 4)	/* there is something to capture at exit */
#define KTR_T_BUFFER	(1u << 5)	/* the call has a buffer */
#define KTR_T_SWITCHED	(1u << 6)	/* it left the CPU inside the call */

struct ktr_target_set;

struct ktr_target {
	struct hlist_node hash;		/* targets_lock to write, RCU to read */
	/* The task, to probes that need ask nobody; NULL in a plain user's session. */
	const struct task_struct *key;
	struct task_struct *task;	/* referenced */
	struct ktr_stream *stream;
	struct ktr_target_set *set;
	u32 flags;			/* KTR_TARGET_F_*; FOLLOW may come later */
	u32 batch;			/* the attach that made it; fixed, 0: followed */

	/*
	 * Written by the task's own probes and its switches, which exclude each
	 * other; others read whether it is armed.
	 */
	u32 state;			/* KTR_T_* */
	struct ktr_call call;

	/* sched_switch and sched_waking: under the task's run queue lock or pi_lock. */
	u64 out_time;			/* 0: on a CPU, or unknown */
	u64 woken;
	bool out_voluntary;
	u64 call_blocked;		/* valid with KTR_T_SWITCHED, as the next */
	u64 call_runnable;

	/* Graphs: of calls of the task and those that interrupt it, which nest. */
	struct ktr_graph_place graph;

	/* By records of its own context, and by those that others write for it. */
	local_t recorded, lost, syscalls_lost;
	atomic64_t recorded_by_others, lost_by_others;

	struct list_head in_set;	/* targets_lock */
	bool hashed;			/* targets_lock */
	struct kref ref;		/* the hash, and the list of the dead */
	struct llist_node dead;
	/* A plain user's; written by the task's own probes. */
	u64 exec_id;			/* of the program that was judged last */
	u32 barred;			/* enum ktr_end, why no more may be seen; 0: it may */
	bool dying;			/* final switch-out seen, or barred; its own probes only */
	u32 end_tid;			/* its number at its exit; an exec may give it another */
	struct rcu_head rcu;
};

/* The targets of one session. */
struct ktr_target_set {
	struct ktr_stream *stream;
	struct list_head list;		/* targets_lock */
	u32 count;			/* targets_lock to write */
	atomic_t unfinished;		/* inserted, last record not yet written */
	bool closed;			/* targets_lock: takes no more */
	bool had;			/* ever had one */
	bool arm;			/* new ones start armed */
	u32 batch;			/* of the last attach; the session's mutex */
	pid_t reader_tgid;		/* left out; 0: nobody */
	struct ktr_user *user;		/* who is charged; fixed, NULL: nobody */
	/*
	 * From process context: a target is gone, its last record is written.
	 * @last: so it is with all others.
	 */
	void (*ended)(struct ktr_target_set *set, u32 tid, enum ktr_end why, bool last);
};

extern struct hlist_head ktr_targets[1 << KTR_TARGET_BITS];

static __always_inline struct hlist_head *ktr_target_bucket(const struct task_struct *task)
{
	return &ktr_targets[hash_ptr(task, KTR_TARGET_BITS)];
}

/*
 * A target of a plain user's session: whether what its task does may be recorded
 * now. Asked before every record. If it may not, its own probes end it.
 */
bool ktr_target_permitted(struct ktr_target *t);
/* End it: no more of it may be seen. From its task's own probes. */
void ktr_target_bar(struct ktr_target *t, enum ktr_end why);

/* All targets that are @task, one per session that traces it. Preemption off. */
#define ktr_for_each_target(t, task_)						\
	hlist_for_each_entry_rcu_notrace(t, ktr_target_bucket(task_), hash)	\
		if ((t)->key == (task_) ||					\
		    (unlikely((t)->task == (task_)) && ktr_target_permitted(t)))

/* Those of privileged sessions alone; for probes that may interrupt another one. */
#define ktr_for_each_privileged(t, task_)					\
	hlist_for_each_entry_rcu_notrace(t, ktr_target_bucket(task_), hash)	\
		if ((t)->key == (task_))

/* Those of all sessions, to look at and not to record anything. */
#define ktr_for_each_any(t, task_)						\
	hlist_for_each_entry_rcu_notrace(t, ktr_target_bucket(task_), hash)	\
		if ((t)->task == (task_))

/* What @task's bucket begins with, or NULL. Preemption off. */
static __always_inline struct ktr_target *ktr_target_first(const struct task_struct *task)
{
	return hlist_entry_safe(READ_ONCE(ktr_target_bucket(task)->first), struct ktr_target, hash);
}

/* Whether that is @task, in a privileged session, and alone in its bucket. */
static __always_inline bool ktr_target_only(const struct ktr_target *first,
					    const struct task_struct *task)
{
	return likely(first->key == task && !READ_ONCE(first->hash.next));
}

int ktr_targets_init(void);
void ktr_targets_exit(void);

void ktr_target_set_init(struct ktr_target_set *set, struct ktr_stream *st);

struct ktr_target_info {
	u32 tid, tgid, flags;
	char comm[TASK_COMM_LEN];
	u64 recorded, lost, syscalls_lost;
};
/* The @index-th target. Return: false if there are not so many. */
bool ktr_targets_info(struct ktr_target_set *set, u32 index, struct ktr_target_info *info);

/* With a reference, for ktr_target_insert(); NULL: no memory, or its user has too many. */
struct ktr_target *ktr_target_new(struct ktr_target_set *set, struct task_struct *task,
				  u32 flags, gfp_t gfp);
void ktr_target_put(struct ktr_target *t);
/* From here on probes find it. 0, -EEXIST, or -ESHUTDOWN. */
int ktr_target_insert(struct ktr_target *t);
/* Undo the insertion; false: it is ending by itself. Sleeps. */
bool ktr_target_take_back(struct ktr_target *t);
/* Take those that match out of the hash, onto @mine. Return: how many. */
int ktr_targets_take(struct ktr_target_set *set,
		     bool (*match)(const struct ktr_target *t, const void *arg),
		     const void *arg, struct list_head *mine);
/* Wait until no probe is at them, write their last records, free them. */
void ktr_targets_finish(struct list_head *mine, enum ktr_end why);
/* The set takes no more. */
void ktr_targets_shut(struct ktr_target_set *set);
/* The same, if it has none whose last record is still to come. Return: whether. */
bool ktr_targets_shut_idle(struct ktr_target_set *set);
/* There were some, and the last record of each is written. */
static inline bool ktr_targets_idle(const struct ktr_target_set *set)
{
	return READ_ONCE(set->had) && !atomic_read(&set->unfinished);
}

/* Wait for the work on targets whose tasks have ended. */
void ktr_targets_flush(void);

/* From task_newtask: @child of target @parent becomes one too. 1, or 2: no memory. */
int ktr_target_follow(struct ktr_target *parent, struct task_struct *child);
/* From the final sched_switch of its task, or when it is barred. */
void ktr_target_dead(struct ktr_target *t);

/* Write the facts of a target's task. Preemption off. */
void ktr_target_facts(struct ktr_target *t, u32 more_flags);
/* The facts of a target's task, to be told without its ring. */
struct ktr_target_fact {
	u32 tid;
	struct ktr_ev_task ev;
};
/* Of all, in the order in which they came. Return: how many, at most @room. */
u32 ktr_targets_facts(struct ktr_target_set *set, struct ktr_target_fact *to, u32 room);
/* What the task is: KTR_TASK_F_*. */
u32 ktr_target_flags(struct task_struct *task);

static __always_inline bool ktr_target_armed(const struct ktr_target *t)
{
	return READ_ONCE(t->state) & KTR_T_ARMED;
}

/* Count a record of the target; @rec is what ktr_emit_begin() returned. */
static __always_inline bool ktr_target_count(struct ktr_target *t, const void *rec)
{
	if (likely(rec)) {
		local_inc(&t->recorded);
		return true;
	}
	local_inc(&t->lost);
	return false;
}

static __always_inline bool ktr_target_count_other(struct ktr_target *t, const void *rec)
{
	atomic64_inc(rec ? &t->recorded_by_others : &t->lost_by_others);
	return rec;
}

#endif
