/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktracer_values.h - what fields of the records hold: flags and enumerations. Part
 * of ktracer.h.
 */
#ifndef _UAPI_KTRACER_VALUES_H
#define _UAPI_KTRACER_VALUES_H

enum ktr_abi {
	KTR_ABI_NATIVE,		/* x86-64 */
	KTR_ABI_COMPAT,		/* i386 */
	__KTR_ABI_LAST
};

/* "flags" of syscall and syscall_begun */
#define KTR_SYS_F_NO_ENTRY	(1u << 0)	/* entry not seen: seccomp, attach */
#define KTR_SYS_F_NO_EXIT	(1u << 1)	/* never returned: exit, or killed inside */
#define KTR_SYS_F_ATTACHED	(1u << 2)	/* start is the attach's time */
#define KTR_SYS_F_BEGUN		(1u << 3)	/* a begun record was written before */
#define KTR_SYS_F_TIMES		(1u << 4)	/* ns blocked and runnable follow the arguments */
#define KTR_SYS_F_KILLED	(1u << 5)	/* no restart: the task is being killed */
#define KTR_SYS_F_FATAL		(1u << 6)	/* and by a signal of its own, not SIGKILL */

/* "flags" of signal records */
#define KTR_SIG_F_GROUP		(1u << 0)	/* sent to the process */
#define KTR_SIG_F_KERNEL	(1u << 1)	/* sent by the kernel: sender is who ran */
#define KTR_SIG_F_NOINFO	(1u << 2)	/* no siginfo came with it */
#define KTR_SIG_F_IGNORED	(1u << 3)	/* dropped at once: it is never delivered */
#define KTR_SIG_F_STOPS		(1u << 4)	/* delivered: it stops the process */
/*
 * above: the thread's last call, traced or not, plus one; 0: unknown, as where it is
 * sent by another
 */
#define KTR_SIG_NR_SHIFT	16

enum ktr_siggen {		/* "result", the kernel's TRACE_SIGNAL_* */
	KTR_SIGGEN_DELIVERED,
	KTR_SIGGEN_IGNORED,
	KTR_SIGGEN_ALREADY_PENDING,
	KTR_SIGGEN_OVERFLOW_FAIL,
	KTR_SIGGEN_LOSE_INFO,
};

enum ktr_namei {		/* "what" of namei */
	KTR_NAMEI_LOOKUP,	/* of what the path names */
	KTR_NAMEI_PARENT,	/* of the directory that it is in */
	KTR_NAMEI_OPEN,		/* to open it, programs and interpreters too */
};

enum ktr_fault_access {		/* "access" of fault */
	KTR_FAULT_READ,
	KTR_FAULT_WRITE,
	KTR_FAULT_EXEC,
};

/* "flags" of mapped */
#define KTR_MAP_F_EXEC		(1u << 0)	/* of a program that is being started: others are gone */
#define KTR_MAP_F_DELETED	(1u << 1)	/* the file is in no directory any more */
#define KTR_MAP_F_NO_NAME	(1u << 2)	/* it has a name that is too long */

enum ktr_fault_result {		/* "result" of fault_end */
	KTR_FAULT_OK,
	KTR_FAULT_RETRY,	/* not yet: another fault follows at once */
	KTR_FAULT_SIGSEGV,
	KTR_FAULT_SIGBUS,
	KTR_FAULT_OOM,
};

/* "flags" of fault and fault_end */
#define KTR_FAULT_F_USER	(1u << 0)	/* in user mode; else the kernel, for the task */
#define KTR_FAULT_F_REMOTE	(1u << 1)	/* in the memory of another process */
#define KTR_FAULT_F_TRIED	(1u << 2)	/* tried before */
#define KTR_FAULT_F_MAJOR	(1u << 3)	/* fault_end: it had to wait for a device */

enum ktr_sysctl_way {		/* "what" of sysctl */
	KTR_SYSCTL_READ,
	KTR_SYSCTL_WRITE,
};

/* "flags" of cap_fail */
#define KTR_CAPFAIL_F_NOAUDIT	(1u << 0)	/* only asked: not to be noted as a refusal */
#define KTR_CAPFAIL_F_INNER	(1u << 1)	/* in another user namespace than the first */
#define KTR_CAPFAIL_F_OTHER	(1u << 2)	/* with other credentials than the task's own */

enum ktr_denied {		/* "by" of denied */
	KTR_DENIED_SECCOMP,
};

enum ktr_module_what {		/* "what" of module */
	KTR_MODULE_CAME,
	KTR_MODULE_WENT,
};

#define KTR_TASK_F_THREAD	(1u << 0)	/* not its process's leader */
#define KTR_TASK_F_KTHREAD	(1u << 1)
#define KTR_TASK_F_COMPAT	(1u << 2)	/* a 32-bit process */
#define KTR_TASK_F_ATTACHED	(1u << 3)	/* attached by command, not by fork */
#define KTR_TASK_F_X32		(1u << 4)	/* with KTR_TASK_F_COMPAT: in 64-bit mode */
#define KTR_TASK_STOP_SHIFT	24		/* above: the signal that it is stopped by, or 0 */
#define KTR_EXIT_F_GROUP	(1u << 0)	/* the last thread of the process */
#define KTR_OUT_F_PREEMPT	(1u << 0)	/* it could have run on */
#define KTR_OUT_F_DEAD		(1u << 1)

#endif
