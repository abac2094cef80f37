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

/* "fork/vm: Move common PF_IO_WORKER behavior to new flag", 6.4 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define PF_USER_WORKER	PF_IO_WORKER
#endif

/* "tracing: add sched_prepare_exec tracepoint", 6.10 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define KTR_PREPARE_EXEC
#endif

/* "tracing: sched: exit: Add group_dead", 6.16: one more argument for the probe. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define KTR_EXIT_PROTO	void *data, struct task_struct *task, bool group_dead
#else
#define KTR_EXIT_PROTO	void *data, struct task_struct *task
#endif

/*
 * "tracing: Disable preemption in syscall probes", 6.13: before, all tracepoints
 * ran their probes with preemption off; later neither that nor RCU is sure.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define KTR_PROBE_GUARD()	lockdep_assert_preemption_disabled()
#else
#define KTR_PROBE_GUARD()	guard(preempt_notrace)()
#endif

/*
 * Registers of an ftrace callback, of which those of the arguments count. On x86 it has
 * always been a pt_regs that struct ftrace_regs hid, under names that stable releases
 * changed too.
 */
#define ktr_fregs_pt(fregs)	((const struct pt_regs *)(fregs))

/* "ftrace: abstract fregs argument/return manipulation", 6.2 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define ftrace_regs_get_argument(fregs, n) regs_get_kernel_argument(&(fregs)->regs, n)
#endif

/*
 * Returns: "fprobe: Skip exit_handler if entry_handler returns !0", 6.4, made fprobe
 * usable. "fprobe: Rewrite fprobe on function-graph tracer", 6.14, changed what its
 * callbacks get, and took the room for calls from each probe.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0) && IS_ENABLED(CONFIG_FPROBE)
#define KTR_RETURNS_BY_FPROBE
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define KTR_FPROBE_ON_RETHOOK
#endif
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define KTR_FPROBE_REGS	struct ftrace_regs
#define ktr_fprobe_pt(regs) ktr_fregs_pt(regs)
#define ktr_fprobe_value(regs) ftrace_regs_get_return_value(regs)
#define ktr_fprobe_set_room(fp, calls) do { } while (0)
#else
#define KTR_FPROBE_REGS	struct pt_regs
#define ktr_fprobe_pt(regs) (regs)
#define ktr_fprobe_value(regs) regs_return_value(regs)
#define ktr_fprobe_set_room(fp, calls) ((fp)->nr_maxactive = (calls))
#endif

/*
 * Graphs: until 6.14 by handing the calls they choose to a fprobe's own ftrace handler,
 * which has to be its alone; since then by fprobes on all functions, which are shown a
 * call before it takes room for good.
 */
#ifdef KTR_RETURNS_BY_FPROBE
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define KTR_GRAPH_BY_HANDLER
#else
#define KTR_GRAPH_BY_FPROBES
#endif
#endif

/* Calls of the running task that found no room on its shadow stack, whoever hooked them. */
#ifdef KTR_GRAPH_BY_FPROBES
#define ktr_shadow_overrun() ((u32)atomic_read(&current->trace_overrun))
#else
#define ktr_shadow_overrun() 0U
#endif

/* What a hooked function was called with: from fprobe as above, else from a kretprobe. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define KTR_HOOK_REGS	struct ftrace_regs
#define ktr_hook_argument(regs, n) ftrace_regs_get_argument((KTR_HOOK_REGS *)(regs), n)
#else
#define KTR_HOOK_REGS	struct pt_regs
#define ktr_hook_argument(regs, n) regs_get_kernel_argument((KTR_HOOK_REGS *)(regs), n)
#endif

/* "iov_iter: add iter_iov_addr() and iter_iov_len() helpers", 6.4 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define ktr_iter_base(iter) \
	((iter_is_ubuf(iter) ? (iter)->ubuf : (iter)->iov->iov_base) + (iter)->iov_offset)
#else
#define ktr_iter_base(iter)	iter_iov_addr(iter)
#endif

/* "sysctl: treewide: constify the ctl_table argument of proc_handlers", 6.11 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define KTR_CTL_TABLE	struct ctl_table
#else
#define KTR_CTL_TABLE	const struct ctl_table
#endif

/* "sysctl: Add size to register_sysctl", 6.6: before, an empty entry ended a table. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define KTR_CTL_TABLE_END	{ }
#else
#define KTR_CTL_TABLE_END
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

/* "module: replace module_layout with module_memory", 6.4 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define ktr_module_text(mod)	((unsigned long)(mod)->core_layout.base)
#define ktr_module_text_size(mod) ((mod)->core_layout.text_size)
#define ktr_module_init(mod)	((unsigned long)(mod)->init_layout.base)
#define ktr_module_init_size(mod) ((mod)->init_layout.text_size)
#else
#define ktr_module_text(mod)	((unsigned long)(mod)->mem[MOD_TEXT].base)
#define ktr_module_text_size(mod) ((mod)->mem[MOD_TEXT].size)
#define ktr_module_init(mod)	((unsigned long)(mod)->mem[MOD_INIT_TEXT].base)
#define ktr_module_init_size(mod) ((mod)->mem[MOD_INIT_TEXT].size)
#endif

/* "lib/crc32: make crc32c() go directly to lib", 6.14: before, crc32c() was another module's. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define ktr_crc32c(p, n) (~__crc32c_le(~0, (const void *)(p), n))
#else
#define ktr_crc32c(p, n) (~crc32c(~0, p, n))
#endif

/* The lock and the sequence of fs_struct became one seqlock, 6.17. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define ktr_fs_lock(fs)		spin_lock(&(fs)->lock)
#define ktr_fs_unlock(fs)	spin_unlock(&(fs)->lock)
#else
#define ktr_fs_lock(fs)		read_seqlock_excl(&(fs)->seq)
#define ktr_fs_unlock(fs)	read_sequnlock_excl(&(fs)->seq)
#endif

/* do_filp_open() lost its letters on the way to 7.3. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define KTR_OPEN_FUNCTION	"do_filp_open"
#else
#define KTR_OPEN_FUNCTION	"do_file_open"
#endif

/* By 7.3 what a seccomp filter said is a bool: whether the call is permitted. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
#define KTR_SECCOMP_FUNCTION	"__secure_computing"
#define ktr_seccomp_refused(value)	((int)(value) == -1)
#else
#define KTR_SECCOMP_FUNCTION	"__seccomp_permit_syscall"
#define ktr_seccomp_refused(value)	(!(u8)(value))
#endif

/* "pidfs", 6.9: pidfds got a filesystem of their own, the pid moved to the inode. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#define KTR_PIDFD_MAGIC		ANON_INODE_FS_MAGIC
#define ktr_pidfd_pid(file)	((struct pid *)(file)->private_data)
#else
#define KTR_PIDFD_MAGIC		PID_FS_MAGIC
#define ktr_pidfd_pid(file)	((struct pid *)file_inode(file)->i_private)
#endif

/*
 * "exec_state: relocate dumpable information", on the way to 7.3: from the address
 * space to the task. Of the running task, or with task_lock() held.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
#include <linux/sched/coredump.h>
#define ktr_task_dumpable(task) ((task)->mm && get_dumpable((task)->mm) == SUID_DUMP_USER)
#else
#include <linux/sched/exec_state.h>
#define ktr_task_dumpable(task)						\
	(rcu_dereference_sched((task)->exec_state)->dumpable == TASK_DUMPABLE_OWNER)
#endif

#endif
