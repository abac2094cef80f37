/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probes' prototypes: each must be its tracepoint's with "void *data" in
 * front, which no compiler checks for probes registered by name.
 */
#ifndef _KTR_PROBE_FNS_H
#define _KTR_PROBE_FNS_H

#include <linux/types.h>

struct kernel_siginfo;
struct k_sigaction;
struct linux_binprm;
struct pt_regs;
struct task_struct;

void ktr_probe_sys_enter(void *data, struct pt_regs *regs, long id);
void ktr_probe_sys_exit(void *data, struct pt_regs *regs, long ret);
void ktr_probe_sched_switch(void *data, bool preempt, struct task_struct *prev,
			    struct task_struct *next, unsigned int prev_state);
void ktr_probe_sched_waking(void *data, struct task_struct *task);
void ktr_probe_signal_generate(void *data, int sig, struct kernel_siginfo *info,
			       struct task_struct *task, int group, int result);
void ktr_probe_signal_deliver(void *data, int sig, struct kernel_siginfo *info,
			      struct k_sigaction *ka);
void ktr_probe_task_newtask(void *data, struct task_struct *task, KTR_CLONE_FLAGS flags);
void ktr_probe_task_rename(void *data, struct task_struct *task, const char *comm);
void ktr_probe_sched_process_exec(void *data, struct task_struct *task, pid_t old_pid,
				  struct linux_binprm *bprm);
#ifdef KTR_PREPARE_EXEC
void ktr_probe_sched_prepare_exec(void *data, struct task_struct *task,
				  struct linux_binprm *bprm);
#endif
void ktr_probe_sched_process_exit(KTR_EXIT_PROTO);

#endif
