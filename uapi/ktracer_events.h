/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The event table: one row per kind of record.
 *
 * This is data in header clothing: it has no include guard, is included
 * several times with different meanings of its macros, and undefines them at
 * its end. Whoever includes it defines those it wants; the others are empty.
 *
 *   KTR_EVENT(number, name, GROUP, ring, "source")   begins a kind
 *   KTR_FIELD(type, name, FORMAT)       a fixed field, in record order
 *   KTR_TEXT(name, size, FORMAT)        a fixed array of bytes
 *   KTR_TAIL(name, FORMAT)              the rest of the record, at most one, last
 *   KTR_EVENT_END(name)
 *
 * "ring" is data or control. "source" is the tracepoint the probe hangs on, or
 * a word in parentheses where the record comes from somewhere else.
 *
 * Rules: numbers are written here, below 64, and never reused; fields are only
 * appended (before a tail only in a new kind); another meaning is another
 * kind; padding is a field of format HIDE; the fixed part of every kind is a
 * multiple of 8 bytes.
 *
 * Formats: DEC HEX NS (nanoseconds of CLOCK_MONOTONIC) DUR (nanoseconds)
 * TID UID SIGNO SIGCODE ERRNO SYM (kernel address) MASK (signal set) COMM STR
 * BYTES CAPTURE (arguments and captured sections, see struct ktr_cap; of functions
 * struct ktr_func_tail)
 * SIGINFO STACK (kernel addresses) ENUM FLAGS HIDE.
 */
#ifndef KTR_EVENT
#define KTR_EVENT(number, name, group, ring, source)
#endif
#ifndef KTR_FIELD
#define KTR_FIELD(type, name, format)
#endif
#ifndef KTR_TEXT
#define KTR_TEXT(name, size, format)
#endif
#ifndef KTR_TAIL
#define KTR_TAIL(name, format)
#endif
#ifndef KTR_EVENT_END
#define KTR_EVENT_END(name)
#endif

/* clang-format off */

/* Records were lost in this ring just before this place. */
KTR_EVENT(1, lost, CONTROL, data, "(ring)")
	KTR_FIELD(__u64, count,		DEC)	/* records, since the last one of these */
	KTR_FIELD(__u64, first,		NS)	/* when the first of them was refused */
	KTR_FIELD(__u64, last,		NS)	/* when the last of them was refused */
	KTR_FIELD(__u64, kinds,		FLAGS)	/* bit k: a record of kind k was among them */
	KTR_FIELD(__u64, reasons,	FLAGS)	/* bit r: enum ktr_loss r was among the reasons */
KTR_EVENT_END(lost)

/* What the wall clock showed at this record's time. */
KTR_EVENT(2, clock, CONTROL, control, "(session)")
	KTR_FIELD(__u64, realtime,	NS)	/* CLOCK_REALTIME */
	KTR_FIELD(__u64, boottime,	NS)	/* CLOCK_BOOTTIME */
KTR_EVENT_END(clock)

/* The session was changed; later records carry out the new generation. */
KTR_EVENT(3, change, CONTROL, control, "(session)")
	KTR_FIELD(__u32, generation,	DEC)
	KTR_FIELD(__u32, what,		ENUM)	/* enum ktr_change */
	KTR_FIELD(__u64, value,		HEX)	/* new event mask, number of rows, of functions */
KTR_EVENT_END(change)

/* Facts of one task, written when it becomes a target. */
KTR_EVENT(4, task, PROCESS, control, "(target)")
	KTR_FIELD(__u32, tgid,		TID)
	KTR_FIELD(__u32, ppid,		TID)
	KTR_FIELD(__u32, uid,		UID)
	KTR_FIELD(__u32, gid,		UID)
	KTR_FIELD(__u32, inner_tid,	TID)	/* tid in its own pid namespace */
	KTR_FIELD(__u32, flags,		FLAGS)	/* KTR_TASK_F_* */
	KTR_FIELD(__u64, started,	NS)	/* start of the task */
	KTR_TEXT(comm, 16, COMM)
KTR_EVENT_END(task)

/* A task was made; the record is the parent's. */
KTR_EVENT(5, task_new, PROCESS, control, "task_newtask")
	KTR_FIELD(__u32, child,		TID)
	KTR_FIELD(__u32, child_tgid,	TID)
	KTR_FIELD(__u64, clone_flags,	HEX)
	KTR_FIELD(__u32, followed,	DEC)	/* 0 not wanted, 1 yes, 2 no memory */
	KTR_FIELD(__u32, parent_tgid,	TID)
	KTR_TEXT(comm, 16, COMM)
	KTR_FIELD(__u32, flags,		FLAGS)	/* KTR_TASK_F_*, of the child */
	KTR_FIELD(__u32, reserved,	HIDE)
KTR_EVENT_END(task_new)

/* The task runs another program. */
KTR_EVENT(6, exec, PROCESS, control, "sched_process_exec")
	KTR_FIELD(__u32, tgid,		TID)
	KTR_FIELD(__u32, old_tid,	TID)	/* not tid: it took over its leader's id */
	KTR_FIELD(__u32, uid,		UID)
	KTR_FIELD(__u32, gid,		UID)
	KTR_TEXT(comm, 16, COMM)
	KTR_TAIL(path, STR)
KTR_EVENT_END(exec)

/* The task ends. */
KTR_EVENT(7, exit, PROCESS, control, "sched_process_exit")
	KTR_FIELD(__u32, code,		HEX)	/* as wait4 reports it */
	KTR_FIELD(__u32, flags,		FLAGS)	/* KTR_EXIT_F_* */
	KTR_FIELD(__u64, utime,		DUR)
	KTR_FIELD(__u64, stime,		DUR)
	KTR_FIELD(__s32, nr,		DEC)	/* of the last call it made, traced or not; -1: unknown */
	KTR_FIELD(__u32, abi,		ENUM)	/* enum ktr_abi, of that call */
KTR_EVENT_END(exit)

/* The task has another name. */
KTR_EVENT(8, rename, PROCESS, control, "task_rename")
	KTR_TEXT(comm, 16, COMM)
KTR_EVENT_END(rename)

/* The last record of a target: its counts. */
KTR_EVENT(9, target_end, PROCESS, control, "(target)")
	KTR_FIELD(__u32, reason,	ENUM)	/* enum ktr_end */
	KTR_FIELD(__u32, tgid,		TID)
	KTR_FIELD(__u64, recorded,	DEC)	/* records written for it */
	KTR_FIELD(__u64, lost,		DEC)	/* records of it that were refused */
	KTR_FIELD(__u64, syscalls_lost,	DEC)	/* of these, syscall records */
KTR_EVENT_END(target_end)

/* Bytes that a user wrote into the stream. */
KTR_EVENT(10, marker, MARKER, data, "(device)")
	KTR_FIELD(__u32, tgid,		TID)
	KTR_FIELD(__u32, len,		DEC)
	KTR_TAIL(text, BYTES)
KTR_EVENT_END(marker)

/* One syscall, whole: written at its exit. Its duration is time - start. */
KTR_EVENT(16, syscall, SYSCALL, data, "sys_exit")
	KTR_FIELD(__s32, nr,		DEC)
	KTR_FIELD(__u8,  abi,		ENUM)	/* enum ktr_abi */
	KTR_FIELD(__u8,  flags,		FLAGS)	/* KTR_SYS_F_* */
	KTR_FIELD(__u8,  nargs,		DEC)	/* words of arguments at the start of data */
	KTR_FIELD(__u8,  ncaps,		DEC)	/* captured sections behind them */
	KTR_FIELD(__s64, ret,		DEC)
	KTR_FIELD(__u64, start,		NS)
	KTR_TAIL(data, CAPTURE)
KTR_EVENT_END(syscall)

/*
 * A syscall that blocks: an early copy, at its first voluntary switch-out. Of an
 * execve that gives its thread another number: at the exec, with the old number.
 */
KTR_EVENT(17, syscall_begun, SYSCALL, data, "sched_switch")
	KTR_FIELD(__s32, nr,		DEC)
	KTR_FIELD(__u8,  abi,		ENUM)
	KTR_FIELD(__u8,  flags,		FLAGS)
	KTR_FIELD(__u8,  nargs,		DEC)
	KTR_FIELD(__u8,  ncaps,		DEC)
	KTR_FIELD(__u64, start,		NS)
	KTR_TAIL(data, CAPTURE)
KTR_EVENT_END(syscall_begun)

/* A signal was sent to the task. */
KTR_EVENT(18, signal_generate, SIGNAL, data, "signal_generate")
	KTR_FIELD(__s32, sig,		SIGNO)
	KTR_FIELD(__s32, code,		SIGCODE)
	KTR_FIELD(__s32, err,		ERRNO)
	KTR_FIELD(__u32, result,	ENUM)	/* enum ktr_siggen */
	KTR_FIELD(__u32, flags,		FLAGS)	/* KTR_SIG_F_* */
	KTR_FIELD(__u32, sender,	TID)
	KTR_FIELD(__u32, sender_tgid,	TID)
	KTR_FIELD(__u32, sender_uid,	UID)
	KTR_TEXT(sender_comm, 16, COMM)
	KTR_TAIL(info, SIGINFO)
KTR_EVENT_END(signal_generate)

/* A signal reached the task. */
KTR_EVENT(19, signal_deliver, SIGNAL, data, "signal_deliver")
	KTR_FIELD(__s32, sig,		SIGNO)
	KTR_FIELD(__s32, code,		SIGCODE)
	KTR_FIELD(__s32, err,		ERRNO)
	KTR_FIELD(__u32, flags,		FLAGS)	/* KTR_SIG_F_* */
	KTR_FIELD(__u64, handler,	HEX)	/* 0 default, 1 ignored, else an address */
	KTR_FIELD(__u64, sa_flags,	HEX)
	KTR_FIELD(__u64, blocked,	MASK)
	KTR_TAIL(info, SIGINFO)
KTR_EVENT_END(signal_deliver)

/* The task leaves its CPU. */
KTR_EVENT(20, sched_out, SCHED, data, "sched_switch")
	KTR_FIELD(__u32, state,		HEX)	/* as in /proc/PID/stat, a bit each; 0: runnable */
	KTR_FIELD(__u32, flags,		FLAGS)	/* KTR_OUT_F_* */
	KTR_FIELD(__u32, next,		TID)
	KTR_FIELD(__u32, cpu,		DEC)
	KTR_TEXT(next_comm, 16, COMM)
	KTR_TAIL(stack, STACK)			/* where it waits, innermost first */
KTR_EVENT_END(sched_out)

/* The task gets a CPU. */
KTR_EVENT(21, sched_in, SCHED, data, "sched_switch")
	KTR_FIELD(__u64, off,		DUR)	/* since it left, 0 if unknown */
	KTR_FIELD(__u64, runnable,	DUR)	/* of that, since it was woken */
	KTR_FIELD(__u32, prev,		TID)
	KTR_FIELD(__u32, cpu,		DEC)
KTR_EVENT_END(sched_in)

/* The task is woken. */
KTR_EVENT(22, wakeup, SCHED, data, "sched_waking")
	KTR_FIELD(__u32, waker,		TID)
	KTR_FIELD(__u32, waker_tgid,	TID)
	KTR_TEXT(waker_comm, 16, COMM)
KTR_EVENT_END(wakeup)

/* A kernel function was entered. */
KTR_EVENT(23, function, FUNCTION, data, "(ftrace)")
	KTR_FIELD(__u64, ip,		SYM)
	KTR_FIELD(__u64, parent,	SYM)
	KTR_TAIL(data, CAPTURE)
KTR_EVENT_END(function)

/* The task looks a path up; the name is the kernel's own copy. */
KTR_EVENT(24, namei, LOOKUP, data, "(lookup)")
	KTR_FIELD(__u32, what,		ENUM)	/* enum ktr_namei */
	KTR_FIELD(__s32, dirfd,		DEC)	/* -100: the working directory */
	KTR_FIELD(__s32, nr,		DEC)	/* of the call under way, -1: not one that is traced */
	KTR_FIELD(__u32, abi,		ENUM)	/* enum ktr_abi */
	KTR_TAIL(name, STR)
KTR_EVENT_END(namei)

/* A kernel function returned. Its duration is time - start. */
KTR_EVENT(25, function_return, FUNCTION, data, "(ftrace)")
	KTR_FIELD(__u64, ip,		SYM)	/* as in function */
	KTR_FIELD(__u64, parent,	SYM)	/* where it returned to */
	KTR_FIELD(__s64, ret,		DEC)	/* the result's register, whatever its type */
	KTR_FIELD(__u64, start,		NS)	/* time of its entry */
	KTR_TAIL(data, CAPTURE)
KTR_EVENT_END(function_return)

/* The task touched memory that is not mapped yet, or not for that. */
KTR_EVENT(26, fault, FAULT, data, "(fault)")
	KTR_FIELD(__u64, address,	HEX)
	KTR_FIELD(__u32, access,	ENUM)	/* enum ktr_fault_access */
	KTR_FIELD(__u32, flags,		FLAGS)	/* KTR_FAULT_F_* */
KTR_EVENT_END(fault)

/* The kernel is through with a page fault. It took time - start. */
KTR_EVENT(27, fault_end, FAULT, data, "(fault)")
	KTR_FIELD(__u64, address,	HEX)
	KTR_FIELD(__u32, result,	ENUM)	/* enum ktr_fault_result */
	KTR_FIELD(__u32, flags,		FLAGS)	/* KTR_FAULT_F_* */
	KTR_FIELD(__u64, start,		NS)
KTR_EVENT_END(fault_end)

/* A file below /proc/sys was read or written. */
KTR_EVENT(28, sysctl, SYSCTL, data, "(sysctl)")
	KTR_FIELD(__u32, what,		ENUM)	/* enum ktr_sysctl_way */
	KTR_FIELD(__u32, len,		DEC)	/* bytes of value, at most 256 */
	KTR_FIELD(__s64, ret,		DEC)	/* bytes that went over, or -errno */
	KTR_TEXT(name, 128, STR)		/* kernel.pid_max */
	KTR_TAIL(value, BYTES)
KTR_EVENT_END(sysctl)

/* The kernel looked for a capability that the task has not. */
KTR_EVENT(29, cap_fail, DENIED, data, "(cap_capable)")
	KTR_FIELD(__u32, cap,		ENUM)	/* CAP_* */
	KTR_FIELD(__u32, flags,		FLAGS)	/* KTR_CAPFAIL_F_* */
	KTR_FIELD(__s32, nr,		DEC)	/* of the call it is in, -1: none */
	KTR_FIELD(__u32, abi,		ENUM)	/* enum ktr_abi */
KTR_EVENT_END(cap_fail)

/* A call was refused before it was made. */
KTR_EVENT(30, denied, DENIED, data, "(seccomp)")
	KTR_FIELD(__u32, by,		ENUM)	/* enum ktr_denied */
	KTR_FIELD(__u32, abi,		ENUM)	/* enum ktr_abi */
	KTR_FIELD(__s32, nr,		DEC)
	KTR_FIELD(__s32, err,		ERRNO)	/* what it returned; 0: a signal instead, or a result */
KTR_EVENT_END(denied)

/*
 * A kernel function that a graph begins with, or that was called below one,
 * returned. Its duration is time - start.
 */
KTR_EVENT(31, graph, FUNCTION, data, "(ftrace)")
	KTR_FIELD(__u64, ip,		SYM)	/* as in function */
	KTR_FIELD(__u64, start,		NS)	/* time of its entry */
	KTR_FIELD(__u32, number,	DEC)	/* of the entry, in its task: each one more */
	KTR_FIELD(__u32, calls,		DEC)	/* entries below it: the numbers that follow its own */
	KTR_FIELD(__u32, depth,		DEC)	/* 0: the graph begins with it */
	KTR_FIELD(__u32, entry_cpu,	DEC)	/* where it was entered */
	KTR_FIELD(__s32, nr,		DEC)	/* of the call under way, -1: not one that is traced */
	KTR_FIELD(__u32, abi,		ENUM)	/* enum ktr_abi */
KTR_EVENT_END(graph)

/* Memory with code in it was mapped into the process. */
KTR_EVENT(32, mapped, MAP, control, "(mmap)")
	KTR_FIELD(__u64, start,		HEX)
	KTR_FIELD(__u64, end,		HEX)
	KTR_FIELD(__u64, offset,	HEX)	/* in the file, in bytes */
	KTR_FIELD(__u64, ino,		DEC)	/* of the file, as the next */
	KTR_FIELD(__u32, dev,		HEX)	/* major << 20 | minor */
	KTR_FIELD(__u32, tgid,		TID)
	KTR_FIELD(__u32, flags,		FLAGS)	/* KTR_MAP_F_* */
	KTR_FIELD(__u32, reserved,	HIDE)
	KTR_TAIL(path, STR)			/* empty: of no file */
KTR_EVENT_END(mapped)

/* A kernel module that the session waits for, or has functions of, came or went. */
KTR_EVENT(33, module, CONTROL, control, "(module)")
	KTR_FIELD(__u32, what,		ENUM)	/* enum ktr_module_what */
	KTR_FIELD(__s32, err,		ERRNO)	/* why not all that was wanted of it is traced; 0: it is */
	KTR_FIELD(__u32, hooked,	DEC)	/* functions added; of one that went: taken away */
	KTR_FIELD(__u32, failed,	DEC)	/* functions that were wanted and could not be added */
	KTR_TEXT(name, 64, STR)
KTR_EVENT_END(module)

/* Where functions are in a part of a module's text; these follow a "module". */
KTR_EVENT(34, module_text, CONTROL, control, "(module)")
	KTR_FIELD(__u64, start,		HEX)
	KTR_FIELD(__u64, size,		DEC)
	KTR_FIELD(__u32, more,		DEC)	/* 0: what was known of these addresses is void */
	KTR_FIELD(__u32, len,		DEC)	/* bytes of symbols */
	KTR_TEXT(name, 64, STR)
	KTR_TAIL(symbols, BYTES)		/* each: offset as 4 bytes, name, NUL */
KTR_EVENT_END(module_text)

/* clang-format on */

#undef KTR_EVENT
#undef KTR_FIELD
#undef KTR_TEXT
#undef KTR_TAIL
#undef KTR_EVENT_END
