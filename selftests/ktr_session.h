/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session with its reader: what most tests need. */
#ifndef _KTR_SESSION_H
#define _KTR_SESSION_H

#include <sys/types.h>
#include "ktr_client.h"
#include "ktr_reader.h"

/* What is zero takes the module's default. */
struct ktr_setup {
	const char *name;	/* NULL: anonymous */
	__u64 buf_size, ctl_size, watermark;
	__u32 mode, flush_ms, flags;
	bool count;		/* calls, as KTR_SUM_F_* say */
	__u32 summary, slots;
};

struct ktr_session {
	struct ktr_client client;
	__u32 id;
	bool plain;		/* a user's without privilege */
	int fd;			/* of the device, bound as its reader */
	struct ktr_reader reader;
	struct ktr_log log;
};

/*
 * All return 0 or -errno unless they say otherwise; client.text says what the
 * module said.
 */
int ktr_session_open(struct ktr_session *s, const struct ktr_setup *setup);
/* An anonymous session ends with it, a named one is deleted. */
void ktr_session_close(struct ktr_session *s);
/* The two halves of open: a session nobody reads; becoming its reader. */
int ktr_session_new(struct ktr_session *s, const struct ktr_setup *setup);
int ktr_session_read(struct ktr_session *s);

/* A command on this session; the caller may put more into @m. */
void ktr_session_msg(const struct ktr_session *s, struct ktr_msg *m, __u8 cmd);
int ktr_session_set(struct ktr_session *s, int attr, __u64 val);
int ktr_session_get(struct ktr_session *s, struct ktr_answer *a);
int ktr_session_start(struct ktr_session *s, __u64 events);
int ktr_session_stop(struct ktr_session *s);
/* Return: the number of tasks. A plain session shows /proc/ID/mem, the second this one. */
int ktr_session_attach(struct ktr_session *s, int kind, pid_t id, __u32 flags);
int ktr_session_attach_by(struct ktr_session *s, int kind, pid_t id, __u32 flags, int mem);
int ktr_session_detach(struct ktr_session *s, int kind, pid_t id, __u32 flags);
int ktr_session_filter(struct ktr_session *s, const struct ktr_pred *preds,
		       int n);
/* Return: a field of KTR_CMD_SESSION_GET; ~0 if there is no answer. */
__u32 ktr_session_u32(struct ktr_session *s, int attr);
__u64 ktr_session_u64(struct ktr_session *s, int attr);

/* What the list of all sessions tells of one, which may have ended. */
struct ktr_listed {
	__u32 id;		/* the caller's: which one; 0: any */
	int n;			/* entries */
	__u32 state, error;	/* of the last of them; enum ktr_state, errno of its file */
	__u64 missing;		/* in its file */
	char file[KTR_NAME_MAX];
};
int ktr_session_listed(struct ktr_client *c, struct ktr_listed *l);

/* Sums over CPUs of KTR_CMD_SESSION_GET. */
struct ktr_counts {
	__u64 recorded, bytes, unread, evicted;
	__u64 lost;			/* all rings, kinds and reasons */
	__u64 lost_kind[64];
	__u64 lost_why[__KTR_LOSS_LAST];
};
int ktr_session_counts(struct ktr_session *s, struct ktr_counts *sum);

/* Functions at these addresses, with KTR_FUNCS_F_*; all of them if @addr is NULL. */
int ktr_session_func_add(struct ktr_session *s, const __u64 *addr, size_t n, __u32 flags);
int ktr_session_func_del(struct ktr_session *s, const __u64 *addr, size_t n);
/* Graphs of this depth (0: any) begin with them. */
int ktr_session_graph_add(struct ktr_session *s, const __u64 *addr, size_t n, __u32 depth);

/* What a session counted: the rows, each with its histogram. */
struct ktr_sums {
	size_t n;
	struct ktr_sum_row row[4096];
	__u64 hist[4096][KTR_SUM_BUCKETS];
};
int ktr_session_sums(struct ktr_session *s, struct ktr_sums *sums);

/* Rows of the syscall table. */
struct ktr_rows {
	size_t len;
	unsigned char buf[KTR_ROWS_BYTES_MAX];
};

void ktr_rows_add(struct ktr_rows *rows, int abi, int nr, int nargs, int fd_arg,
		  const struct ktr_op *ops, int nops);
/* Put them in force in place of all others. */
int ktr_session_rows(struct ktr_session *s, const struct ktr_rows *rows,
		     __u32 more_flags);
/* Record these native calls, six arguments, no captures; ends with -1. */
int ktr_session_calls(struct ktr_session *s, const int *nrs);
/* Record every call. */
int ktr_session_all_calls(struct ktr_session *s);

/*
 * Read what there is into the log; sort it. The second waits first until all
 * targets are gone and their last records are written.
 */
int ktr_session_drain(struct ktr_session *s);
int ktr_session_finish(struct ktr_session *s);
/* Read until the log has @n records of a kind and thread. */
int ktr_session_await(struct ktr_session *s, int kind, __u32 tid, size_t n);

#define KTR_BIT(name) (1ULL << KTR_KIND_##name)

#endif
