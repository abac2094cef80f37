/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions. One mutex in each guards all control of it; the data path takes
 * none. Found by number or name; whoever found one holds a reference.
 */
#ifndef _KTR_SESSION_H
#define _KTR_SESSION_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/uidgid.h>
#include "attach.h"
#include "channel.h"
#include "filter.h"
#include "functions.h"

struct file;
struct netlink_ext_ack;

struct ktr_session {
	struct kref ref;
	u32 id;				/* fixed */
	char name[KTR_NAME_MAX];	/* fixed; empty: anonymous */
	kuid_t owner;			/* fixed */
	u32 flags;			/* KTR_SESSION_F_*, fixed */
	struct list_head node;		/* sessions_lock */

	struct mutex lock;		/* all below, and what it calls */
	enum ktr_state state;
	u64 events;			/* asked for, also while stopped */
	u64 probes;			/* kinds whose probes it holds */
	bool holds_probes;
	u32 generation;
	struct ktr_table *staged;	/* rows on their way */
	u32 filter_len;
	bool reader;			/* a descriptor reads it */

	struct ktr_stream stream;
	struct ktr_channel channel;
	struct ktr_pool pool;
	struct ktr_target_set targets;
	struct ktr_functions functions;
};

struct ktr_session_opts {
	const char *name;		/* NULL: anonymous */
	u32 flags;
	struct ktr_channel_opts channel;
};

/* What KTR_CMD_SESSION_SET brings; "has" says what of it is there. */
struct ktr_session_change {
	bool has_state, has_events, has_signals, has_filter, drain;
	u32 state;
	u64 events, events_add, events_del;
	u64 signals, signals_add, signals_del;
	const struct ktr_pred *preds;
	u32 npreds;
};

struct ktr_session_notice {
	u32 session;
	enum ktr_notice what;
	u32 tid;			/* KTR_NOTICE_TARGET_END */
	enum ktr_end end;
};

/* Set by the one who sends notices; called in process context. */
extern void (*ktr_session_notify)(const struct ktr_session_notice *notice);

/* With a reference, ended by ktr_session_put(). */
struct ktr_session *ktr_session_new(const struct ktr_session_opts *o);
struct ktr_session *ktr_session_find(u32 id, const char *name);
/* The first whose number is not below @id; NULL: none. */
struct ktr_session *ktr_session_next(u32 id);
void ktr_session_put(struct ktr_session *s);

/* End it: nobody finds it any more, no probe touches it, readers see the end. */
void ktr_session_end(struct ktr_session *s);
void ktr_session_end_all(void);

int ktr_session_change(struct ktr_session *s, const struct ktr_session_change *c,
		       struct netlink_ext_ack *ack);
int ktr_session_attach(struct ktr_session *s, const struct ktr_attach *a);
int ktr_session_detach(struct ktr_session *s, const struct ktr_attach *a);
int ktr_session_rows(struct ktr_session *s, const void *rows, u32 len, u32 flags, bool del,
		     struct netlink_ext_ack *ack);
int ktr_session_functions(struct ktr_session *s, const u64 *addr, u32 n, bool del, u64 *bad);

/* Become the reader; -EBUSY: there is one. */
int ktr_session_read_begin(struct ktr_session *s, pid_t tgid);
void ktr_session_read_end(struct ktr_session *s);
/* A marker record; -ESHUTDOWN, or 0 also when it was lost. */
int ktr_session_mark(struct ktr_session *s, const void *text, u32 len);
/* The same in all sessions that trace the running task. */
void ktr_session_mark_own(const void *text, u32 len);

#endif
