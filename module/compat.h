/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All knowledge of kernel versions, force-included before every source, so
 * that the sources read as for the newest kernel. Each entry names the change
 * and the release it came with.
 */
#ifndef _KTR_COMPAT_H
#define _KTR_COMPAT_H

/* Before any header that might define it. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/version.h>
#include <linux/types.h>

#define KTR_RELEASE "0.1.0"

/* The newest series this is built and tested against; the scripts read it. */
#define KTR_NEWEST_SERIES "7.3"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "ktracer needs Linux 6.1 or newer"
#endif

#ifdef CONFIG_X86_64
#include <linux/thread_info.h>
/* Numbers of the 32-bit table that the armed start of a trace looks for. */
#define KTR_COMPAT_execve	11
#define KTR_COMPAT_execveat	358
/* Which table the current call came in by; int $0x80 counts, whoever does it. */
#ifdef CONFIG_IA32_EMULATION
#define ktr_task_compat_call(task)	(task_thread_info(task)->status & TS_COMPAT)
#else
#define ktr_task_compat_call(task)	0
#endif
#else
#error "ktracer knows x86-64 only so far"
#endif

/* "mm: introduce vma->vm_flags wrapper functions", 6.3 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define vm_flags_clear(vma, flags) ((vma)->vm_flags &= ~(flags))
#define vm_flags_set(vma, flags) ((vma)->vm_flags |= (flags))
#endif

/* "tracing: sched: exit: Add group_dead", 6.16: one more argument for the probe. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define KTR_EXIT_PROTO	void *data, struct task_struct *task, bool group_dead
#else
#define KTR_EXIT_PROTO	void *data, struct task_struct *task
#endif

/* "ftrace: abstract fregs argument/return manipulation", 6.2 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define ftrace_regs_get_argument(fregs, n) regs_get_kernel_argument(&(fregs)->regs, n)
#endif

/* "copy_process: pass clone_flags as u64", 6.18 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define KTR_CLONE_FLAGS	u64
#else
#define KTR_CLONE_FLAGS	unsigned long
#endif

/*
 * "netlink: add support for formatted extack messages", 6.3. Before, an ack only points
 * at its text; a few buffers take turns at each place that formats one.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define NL_SET_ERR_MSG_FMT_MOD(ack, fmt, ...) do {				\
	static char ktr_text[8][96];						\
	static atomic_t ktr_turn;						\
	char *ktr_buf = ktr_text[(u32)atomic_inc_return(&ktr_turn) % 8];	\
	struct netlink_ext_ack *ktr_ack = (ack);				\
										\
	snprintf(ktr_buf, sizeof(ktr_text[0]), KBUILD_MODNAME ": " fmt,	\
		 ##__VA_ARGS__);						\
	if (ktr_ack)								\
		ktr_ack->_msg = ktr_buf;					\
} while (0)
#endif

/* "genetlink: use attrs from struct genl_info", 6.7 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define ktr_dump_attrs(cb) (genl_dumpit_info(cb)->attrs)
#else
#define ktr_dump_attrs(cb) (genl_info_dump(cb)->attrs)
#endif

#endif
