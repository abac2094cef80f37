/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instances of ftrace: buffers, events and a function tracer of their own. */
#ifndef _KTR_TRACEFS_H
#define _KTR_TRACEFS_H

#include <stdbool.h>
#include <sys/types.h>

struct ktr_instance {
	char dir[96];
};

/* 0 or -errno, as all here unless they say otherwise. */
int ktr_instance_open(struct ktr_instance *t, const char *name);
void ktr_instance_close(struct ktr_instance *t);
int ktr_instance_write(const struct ktr_instance *t, const char *file,
		       const char *text);
/* To what is there. */
int ktr_instance_append(const struct ktr_instance *t, const char *file,
			const char *text);
/* What is in the buffer: whose, and the line from the event's name on. */
typedef void (*ktr_line_fn)(void *arg, pid_t tid, const char *what);
int ktr_instance_each(const struct ktr_instance *t, ktr_line_fn fn, void *arg);

/* The number of "GROUP/NAME" for perf_event_open. */
int ktr_event_id(const char *event);
/* Write a file, without regard to what is in it. */
int ktr_put(const char *path, const char *text);

/*
 * Which threads go the slow way into a syscall: all entries of the function
 * that is called there only, while it watches.
 */
struct ktr_watch {
	struct ktr_instance t;
};

/* -ENOENT: no function of this kernel is known to be it. */
int ktr_watch_open(struct ktr_watch *w);
void ktr_watch_close(struct ktr_watch *w);
int ktr_watch_begin(struct ktr_watch *w);
int ktr_watch_end(struct ktr_watch *w);
/* Entries between the two by @tid; by all threads but @except. */
long ktr_watch_hits(struct ktr_watch *w, pid_t tid);
long ktr_watch_others(struct ktr_watch *w, const pid_t *except, int n);

#endif
