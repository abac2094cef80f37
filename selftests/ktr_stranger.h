/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other tracers of syscalls that count what a crew does, beside ktracer. */
#ifndef _KTR_STRANGER_H
#define _KTR_STRANGER_H

#include "ktr_crew.h"
#include "ktr_tracefs.h"

enum ktr_stranger_kind {
	KTR_FTRACE,		/* raw_syscalls events in an instance */
	KTR_PERF_TASK,		/* perf counters of each thread */
	KTR_PERF_CPU,		/* perf counters of each CPU */
	KTR_BPF,		/* a BPF program on the raw tracepoint: entries only */
	KTR_STRANGERS
};

#define KTR_STRANGER_FDS	64

struct ktr_stranger {
	enum ktr_stranger_kind kind;
	struct ktr_instance t;
	int fd[2][KTR_STRANGER_FDS];	/* perf: entry and exit; BPF: map, program, link */
	int nfds;
};

const char *ktr_stranger_name(enum ktr_stranger_kind kind);
/* Count from now on. 0 or -errno; -ENOSYS, -ENOENT: this kernel has it not. */
int ktr_stranger_start(struct ktr_stranger *s, enum ktr_stranger_kind kind,
		       const struct ktr_crew *crew);
/* @want: what should have been seen; what he himself says he missed counts as that. */
/* Calls of the whole crew since: entries and exits, the same if all is well. */
int ktr_stranger_count(struct ktr_stranger *s, long want, long count[2]);
void ktr_stranger_stop(struct ktr_stranger *s);

#endif
