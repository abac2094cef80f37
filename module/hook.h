/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One kernel function, hooked at its entry and at its return, while some
 * session wants what it tells: fprobe where the kernel has it, else a kretprobe.
 */
#ifndef _KTR_HOOK_H
#define _KTR_HOOK_H

#include <linux/ftrace.h>
#include <linux/types.h>

/* Of what a call keeps from its entry to its return. */
#define KTR_HOOK_DATA_MAX 64

struct ktr_hook {
	const char *name;		/* the function */
	/*
	 * Both run in the context of the call, with preemption off. @data is the
	 * call's own. Entered: false if its return is of no interest.
	 */
	bool (*entered)(const KTR_HOOK_REGS *regs, void *data);
	void (*left)(unsigned long value, void *data);
	u32 data_size;
	void *backend;			/* NULL: not hooked */
	u64 missed;			/* calls that former backends missed */
};

/* -ENOMEM, or -EOPNOTSUPP: the kernel lets nobody hook it. Callers serialize. */
int ktr_hook_add(struct ktr_hook *h);
/* No callback can run when it returns; calls that are inside return unseen. */
void ktr_hook_remove(struct ktr_hook *h);
/* Calls that passed unhooked since the module was loaded: there was no room. */
u64 ktr_hook_missed(const struct ktr_hook *h);

#endif
