/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the rings of a session, and a log of what was read. */
#ifndef _KTR_READER_H
#define _KTR_READER_H

#include <stdbool.h>
#include <stddef.h>
#include "ktracer.h"

struct ktr_map {
	volatile struct ktr_ring_prod *prod;	/* NULL: no such CPU */
	volatile struct ktr_ring_cons *cons;
	const unsigned char *data;
	__u64 size;
	__u64 pos;		/* read so far */
	__u64 torn;		/* overwrite mode: bytes that went before we came */
	__u64 seen;		/* records read */
	__u64 shared;		/* "reserved" at the last look, for the time order */
};

struct ktr_reader {
	int fd;
	__u32 ncpus;
	struct ktr_map *map;	/* ncpus * 2, by CPU and ring */
	bool keep;		/* do not tell the producer what was read */
};

/*
 * Map all rings of the session that @fd is bound to. All return 0 or -errno;
 * -EBADMSG: a record that breaks the rules.
 */
int ktr_reader_open(struct ktr_reader *r, int fd, __u32 ncpus, __u64 buf_size,
		    __u64 ctl_size);
void ktr_reader_close(struct ktr_reader *r);

struct ktr_map *ktr_reader_ring(struct ktr_reader *r, __u32 cpu, int ring);

typedef int (*ktr_record_fn)(void *arg, __u32 cpu, int ring, __u64 pos,
			     const struct ktr_rec *rec);
/* One look at all rings; @fn sees every new record, in the order of its ring. */
int ktr_reader_round(struct ktr_reader *r, ktr_record_fn fn, void *arg);

/* A record that was read, with where it was. */
struct ktr_entry {
	__u32 cpu;
	__u32 ring;
	__u64 pos;
	const struct ktr_rec *rec;
};

struct ktr_log {
	struct ktr_entry *v;
	size_t n, room;
};

/* A ktr_record_fn: keeps a copy. @arg: the log. */
int ktr_log_add(void *arg, __u32 cpu, int ring, __u64 pos,
		const struct ktr_rec *rec);
void ktr_log_sort(struct ktr_log *log);
void ktr_log_clear(struct ktr_log *log);

/*
 * The record at or behind *at of that kind and thread (0: any), or NULL; *at is
 * then the place behind it.
 */
const struct ktr_rec *ktr_log_next(const struct ktr_log *log, size_t *at,
				   int kind, __u32 tid);
/* The only one; NULL if there is none or more than one. */
const struct ktr_rec *ktr_log_only(const struct ktr_log *log, int kind,
				   __u32 tid);
size_t ktr_log_count(const struct ktr_log *log, int kind, __u32 tid);
void ktr_log_print(const struct ktr_log *log);

/* A syscall or syscall_begun record, taken apart. */
struct ktr_section {
	const struct ktr_cap *head;
	const unsigned char *bytes;
};

struct ktr_call_view {
	const struct ktr_rec *rec;
	bool begun;
	int nr;
	__u8 abi, flags, nargs, ncaps;
	__s64 ret;		/* 0 if begun */
	__u64 start;
	const __u64 *args;
	__u64 blocked, runnable;	/* with KTR_SYS_F_TIMES */
	struct ktr_section cap[2 * KTR_OPS_MAX];
};

int ktr_call_parse(const struct ktr_rec *rec, struct ktr_call_view *v);
/* The next syscall record of number @nr (-2: any). -ENOENT: there is none. */
int ktr_log_call(const struct ktr_log *log, size_t *at, int nr, __u32 tid,
		 struct ktr_call_view *v);
/* The section of operation @op whose flags are @flags; NULL: none. */
const struct ktr_section *ktr_call_section(const struct ktr_call_view *v,
					   int op, int flags);

#define ktr_payload(rec) ((const void *)((rec) + 1))
#define ktr_payload_len(rec) ((rec)->len8 * 8 - sizeof(struct ktr_rec))

#endif
