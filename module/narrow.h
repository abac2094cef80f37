/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which threads take the slow path into a syscall.
 *
 * While a probe hangs on sys_enter or sys_exit, the kernel keeps a flag on
 * every thread of the machine, and each syscall of each pays for it. This unit
 * takes the flag off all threads but the targets, as long as it can be sure
 * that nobody else counts on it.
 */
#ifndef _KTR_NARROW_H
#define _KTR_NARROW_H

#include "../uapi/ktracer.h"

struct task_struct;
struct tracepoint;

int ktr_narrow_init(struct tracepoint *enter, void *enter_fn, struct tracepoint *leave,
		    void *leave_fn);
void ktr_narrow_exit(void);

/* Both syscall probes of ours are on; or one of them is about to go. */
void ktr_narrow_begin(void);
void ktr_narrow_end(void);
/* Around our own registering, which is no stranger's. */
void ktr_narrow_own(bool now);

/* The task is a target now (found in the hash), or is one no longer. */
void ktr_narrow_target_in(struct task_struct *task);
void ktr_narrow_target_out(struct task_struct *task);
/* From task_newtask, for every task of the machine, before it runs. */
void ktr_narrow_born(struct task_struct *child);

enum ktr_narrow_state ktr_narrow_state(void);

#endif
