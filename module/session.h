/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions. One mutex in each guards all control of it; the data path takes
 * none. Found by number or name; whoever found one holds a reference.
 */
#ifndef _KTR_SESSION_H
#define _KTR_SESSION_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/uidgid.h>
#include "attach.h"
#include "channel.h"
#include "filter.h"
#include "functions.h"
#include "permit.h"
#include "probes.h"
#include "summary.h"
#include "users.h"
#include "waits.h"
#include "writer.h"

struct file;
struct ktr_kmod_text;
struct ktr_span;
struct netlink_ext_ack;

/* The socket whose command made it. Of "net" nothing but the address counts. */
struct ktr_maker {
	const void *net;
	u32 port;
};

struct ktr_session {
	struct kref ref;
	u32 id;				/* fixed */
	char name[KTR_NAME_MAX];	/* fixed; empty: anonymous */
	kuid_t owner;			/* fixed */
	const struct cred *cred;	/* a plain user's, who owns it; fixed, NULL: privileged */
	struct ktr_user *user;		/* who is charged; fixed, NULL: nobody */
	u32 flags;			/* KTR_SESSION_F_*, fixed */
	struct ktr_maker maker;		/* fixed */
	struct list_head node;		/* sessions_lock */
	bool ending;			/* sessions_lock */
	struct completion ended;	/* nothing of it is left to do */
	struct work_struct end_work;	/* holds a reference while it is queued */
	bool end_asked;			/* by command: the work ends it also with targets */

	struct mutex lock;		/* all below, and what it calls */
	enum ktr_state state;
	u64 events;			/* asked for, also while stopped */
	struct ktr_probes probes;
	u32 generation;
	struct ktr_table *staged;	/* rows on their way */
	u32 filter_len;
	u64 label;			/* the caller's word */
	bool reader;			/* a descriptor or the writer reads it */
	char *saved;			/* where its reader says that he puts it; or NULL */
	struct ktr_writer *writer;	/* NULL: none, or the session has ended */
	bool file_failed;		/* it writes no more; told only when the file is as it stays */

	spinlock_t idle_lock;		/* channel.idle, to write */
	struct ktr_stream stream;
	struct ktr_channel channel;
	struct ktr_pool pool;
	struct ktr_target_set targets;
	struct ktr_functions functions;
	struct ktr_waits waits;
};

struct ktr_session_opts {
	const char *name;		/* NULL: anonymous */
	u32 flags;
	struct ktr_maker maker;
	bool plain;			/* the running task's, who is not privileged */
	struct ktr_channel_opts channel;	/* with the user who is charged */
	struct ktr_summary *summary;	/* the session's, if it is made; or NULL */
};

/* What KTR_CMD_SESSION_SET brings; "has" says what of it is there. */
struct ktr_session_change {
	bool has_state, has_events, has_signals, has_filter, has_label, has_stack, drain;
	u32 state;
	u64 events, events_add, events_del;
	u64 signals, signals_add, signals_del;
	u64 label;
	const char *saved;		/* NULL: as it is */
	struct ktr_stack_want stack;	/* checked */
	const struct ktr_pred *preds;
	u32 npreds;
	const void *paths;		/* of the filter */
	u32 paths_len;
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
/*
 * By number, or by name: each user has names of his own, those who are privileged
 * have theirs together. NULL: none that @who may use.
 */
struct ktr_session *ktr_session_find(u32 id, const char *name, const struct ktr_who *who);
/*
 * The first of his whose number is not below @id, also while it is ending; NULL:
 * none. @who NULL: any.
 */
struct ktr_session *ktr_session_next(u32 id, const struct ktr_who *who);
/* He may read and change it. */
bool ktr_session_is_his(const struct ktr_session *s, const struct ktr_who *who);
/* Kinds that it may be asked for. */
u64 ktr_session_kinds(const struct ktr_session *s);
void ktr_session_put(struct ktr_session *s);

/* Give it a number and let it be found, with a reference; -EEXIST, -ENFILE. */
int ktr_sessions_add(struct ktr_session *s);
/* Nobody finds it any more, to end it is the caller's. False: it is another's. */
bool ktr_sessions_claim(struct ktr_session *s);
/* Nobody sees it any more. The list's reference is the caller's. */
void ktr_sessions_remove(struct ktr_session *s);

/*
 * End it: nobody finds it any more, no probe touches it, readers see the end. When
 * this returns its file is whole, whoever began to end it.
 */
void ktr_session_end(struct ktr_session *s);
void ktr_session_end_all(void);
/* The same by a work, unless there are targets by then. May be called with any lock held. */
void ktr_session_end_soon(struct ktr_session *s);
/* A socket is no more: what it made until idle, and has no targets, ends. */
void ktr_sessions_maker_gone(const struct ktr_maker *maker);
/* The same, but one whose file's disk does not answer keeps nobody who is killed. */
int ktr_session_end_killable(struct ktr_session *s);

int ktr_session_change(struct ktr_session *s, const struct ktr_session_change *c,
		       struct netlink_ext_ack *ack);
int ktr_session_attach(struct ktr_session *s, const struct ktr_attach *a);
int ktr_session_detach(struct ktr_session *s, const struct ktr_attach *a);
int ktr_session_rows(struct ktr_session *s, const void *rows, u32 len, u32 flags, bool del,
		     struct netlink_ext_ack *ack);
int ktr_session_functions(struct ktr_session *s, u64 *addr, u32 n,
			  struct ktr_functions_ask *ask);
/* The same, under the lock of one that has not ended. */
int ktr_session_functions_locked(struct ktr_session *s, u64 *addr, u32 n,
				 struct ktr_functions_ask *ask);
/* Wait for a module, or not any more; as ktr_waits_change(). */
int ktr_session_wait(struct ktr_session *s, const struct ktr_wait_ask *ask);
bool ktr_session_waits_for(struct ktr_session *s, const char *name);
/*
 * A module is being loaded: what is wanted of it is hooked. @error: its text could not
 * be read.
 */
void ktr_session_module_comes(struct ktr_session *s, const char *name,
			      const struct ktr_kmod_text *t, int error);
/* Text is about to be freed: of the module @name, which goes; NULL: of init functions. */
void ktr_session_module_goes(struct ktr_session *s, const char *name,
			     const struct ktr_span *span);
/* What functions show; as ktr_frows_add(). */
int ktr_session_frows(struct ktr_session *s, const void *rows, u32 len,
		      struct netlink_ext_ack *ack);
/* Functions that go take their rows with them; @addr is in order. Under the lock. */
void ktr_session_drop_frows(struct ktr_session *s, const u64 *addr, u32 n);
/* The same of all in the span. Under the lock. */
void ktr_session_sweep_frows(struct ktr_session *s, const struct ktr_span *span);
/* A change is a record; what comes after carries its generation. Under the lock. */
void ktr_session_tell(struct ktr_session *s, enum ktr_change what, u64 value);
/* Which records have stacks. Under the lock. */
void ktr_session_set_stack(struct ktr_session *s, const struct ktr_stack_want *want);
/* Stop it, if it runs. Under the lock. */
void ktr_session_halt(struct ktr_session *s);
/* What probes look at, after a change. Under the lock. */
void ktr_session_update_live(struct ktr_session *s);

/*
 * Let the module write the records to @file, as ktr_writer_new() says; -EBUSY:
 * there is a reader; -EOPNOTSUPP: the rings are overwritten. @just_try: say whether
 * it would do.
 */
int ktr_session_write(struct ktr_session *s, struct file *file, bool just_try);

/* A write has failed. */
bool ktr_session_has_failed(struct ktr_session *s);

/* Become the reader; -EBUSY: there is one. */
int ktr_session_read_begin(struct ktr_session *s, pid_t tgid);
void ktr_session_read_end(struct ktr_session *s);
/* A marker record; -ESHUTDOWN, or 0 also when it was lost. */
int ktr_session_mark(struct ktr_session *s, const void *text, u32 len);
/* The same in all sessions that trace the running task. */
void ktr_session_mark_own(const void *text, u32 len);

#endif
