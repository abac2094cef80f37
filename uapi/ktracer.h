/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktracer.h - the wire between ktracer.ko and those who read it
 *
 * Control goes over generic netlink, family "ktracer", version 1. Records come
 * out of /dev/ktracer. Everything is in host byte order. The interface grows
 * only by appending: attributes, fields at the end of a payload, new kinds.
 * Unknown flag bits are refused with EOPNOTSUPP, reserved words must be zero.
 *
 * Who may: opener and sender of the socket (or of the device's descriptor) must
 * both hold CAP_SYS_ADMIN or CAP_PERFMON in the initial user namespace; all
 * others get EPERM from every command, ioctl, mmap and write.
 *
 * Errors common to all commands: EPERM; ENOENT no such session; EINVAL an
 * attribute is missing or malformed; ERANGE out of range; EOPNOTSUPP unknown flag;
 * ESHUTDOWN the session is being deleted; ENOMEM. The extended ack says in
 * words which.
 *
 * Commands, their attributes (r: required) and what they answer:
 *
 * KTR_CMD_INFO
 *   answers KTR_A_VERSION u32, KTR_A_RELEASE string (module's version),
 *   KTR_A_EVENTS u64 (kinds it can make), KTR_A_MAX_BYTES u64 (all rings
 *   together without KTR_SESSION_F_BIG), KTR_A_USED_BYTES u64, KTR_A_NCPUS u32
 *   (possible CPUs, one data and one control ring each), KTR_A_NARROW u32 enum
 *   ktr_narrow_state.
 *
 * KTR_CMD_SESSION_NEW
 *   KTR_A_NAME string, at most KTR_NAME_MAX-1 bytes, no '/' and no control
 *   characters: a named session, which stays until it is deleted. Or KTR_A_FD
 *   u32: an open descriptor of /dev/ktracer: an anonymous session, bound to
 *   that descriptor for reading, ended when it closes. Just one of the two (r).
 *   KTR_A_MODE u32 enum ktr_mode (default discard), KTR_A_BUF_SIZE u64 bytes of
 *   one CPU's data ring (rounded up to a power of two; KTR_BUF_MIN to
 *   KTR_BUF_MAX, default KTR_BUF_DEFAULT), KTR_A_CTL_SIZE u64 the same for the
 *   control ring, KTR_A_WATERMARK u64 bytes in one ring that wake the reader
 *   (default a quarter of the ring), KTR_A_FLUSH_MS u32 time after which
 *   anything wakes him (1 to 10000, default 100), KTR_A_FLAGS u32
 *   KTR_SESSION_F_*.
 *   Answers as KTR_CMD_SESSION_GET. Errors: EEXIST the name is taken; EBUSY the
 *   descriptor is bound already; EBADF not a descriptor of /dev/ktracer;
 *   EDQUOT more than KTR_A_MAX_BYTES in all; ENFILE over KTR_SESSIONS_MAX.
 *   A new session is stopped and selects nothing.
 *
 * KTR_CMD_SESSION_DEL   KTR_A_SESSION u32 or KTR_A_NAME (r, as in all below)
 *   Ends it: targets go, readers see POLLHUP, what is in the rings can be read
 *   until the last descriptor closes.
 *
 * KTR_CMD_SESSION_SET   session
 *   Any of, applied together or not at all: KTR_A_STATE u32 enum ktr_state;
 *   KTR_A_EVENTS u64 the new mask of kinds, or KTR_A_EVENTS_ADD,
 *   KTR_A_EVENTS_DEL u64 changes to it; KTR_A_SIGNALS, KTR_A_SIGNALS_ADD,
 *   KTR_A_SIGNALS_DEL u64 the same for signals, bit sig-1; KTR_A_FILTER binary, an array
 *   of struct ktr_pred in postfix order (empty: no filter); KTR_A_DRAIN u32
 *   (1: what is in the rings is thrown away). Each is a "change" record.
 *
 * KTR_CMD_SESSION_GET   session, or dump for all
 *   answers KTR_A_SESSION, KTR_A_NAME (if named), KTR_A_STATE, KTR_A_MODE,
 *   KTR_A_BUF_SIZE, KTR_A_CTL_SIZE, KTR_A_WATERMARK, KTR_A_FLUSH_MS,
 *   KTR_A_FLAGS, KTR_A_NCPUS, KTR_A_TOTAL_BYTES u64, KTR_A_EVENTS,
 *   KTR_A_SIGNALS, KTR_A_GENERATION u32, KTR_A_OWNER u32 uid,
 *   KTR_A_NTARGETS u32, KTR_A_NSYSCALLS u32 rows, KTR_A_NFUNCS u32,
 *   KTR_A_FILTER_LEN u32, KTR_A_READER u32 (1: a reader is bound), KTR_A_PROBES
 *   u64 (kinds whose probes are attached now), KTR_A_NOT_FOLLOWED u64,
 *   KTR_A_REFUSED u64 (records the predicate refused), and per CPU
 *   KTR_A_CPU nested { KTR_A_CPU_NR u32, KTR_A_CPU_RECORDED u64,
 *   KTR_A_CPU_BYTES u64, KTR_A_CPU_UNREAD u64 bytes, KTR_A_CPU_EVICTED u64,
 *   KTR_A_LOSS binary, an array of struct ktr_loss_count, one per (ring,
 *   kind, reason) that is not zero }.
 *
 * KTR_CMD_TARGET_ADD    session, KTR_A_TARGET_KIND u32 enum ktr_target_kind (r),
 *   KTR_A_TARGET_ID u32 (r; ids as the caller's pid namespace sees them), KTR_A_FLAGS u32
 *   KTR_TARGET_F_*.
 *   Answers KTR_A_NTARGETS u32, tasks that became targets (those that were are
 *   not counted). Errors: ESRCH no such task, or it is exiting; EEXIST all of
 *   them are targets of this session already.
 *
 * KTR_CMD_TARGET_DEL    as TARGET_ADD; without kind and id: all targets.
 *   Answers KTR_A_NTARGETS, tasks that ceased to be targets; ESRCH if none.
 *
 * KTR_CMD_TARGET_GET    dump, session: per target KTR_A_TARGET_ID u32 tid,
 *   KTR_A_TGID u32, KTR_A_COMM string, KTR_A_FLAGS u32, KTR_A_RECORDED u64,
 *   KTR_A_LOST u64, KTR_A_SYSCALLS_LOST u64.
 *
 * KTR_CMD_SYSCALL_ADD   session, KTR_A_ROWS binary: struct ktr_row, each
 *   followed by its nops struct ktr_op; at most KTR_ROWS_BYTES_MAX bytes a
 *   message. KTR_A_FLAGS u32: KTR_ROWS_F_*.
 *   Rows collect in a staged copy of the session's table; the message with
 *   KTR_ROWS_F_COMMIT puts the copy in force at once; KTR_ROWS_F_BEGIN throws
 *   an unfinished one away first. Errors: EINVAL a row the engine will not run
 *   (the ack names the row's number and the operation).
 *
 * KTR_CMD_SYSCALL_DEL   session, KTR_A_ROWS: rows with nops 0 are taken away;
 *   without it all are. Flags as above.
 *
 * KTR_CMD_SYSCALL_GET   dump, session: KTR_A_ROWS, rows with their operations.
 *
 * KTR_CMD_FUNC_ADD      session, KTR_A_ADDRS binary u64[]: entry addresses of
 *   kernel functions, at most KTR_FUNCS_MSG_MAX a message. All or nothing.
 *   Errors: EINVAL an address is not a traceable function (KTR_A_ADDR in the
 *   ack's cookie says which); EEXIST all are there.
 * KTR_CMD_FUNC_DEL      the same; without addresses: all.
 * KTR_CMD_FUNC_GET      dump, session: KTR_A_ADDRS.
 *
 * KTR_CMD_NOTICE        sent to the multicast group "notices":
 *   KTR_A_SESSION, KTR_A_NOTICE u32 enum ktr_notice, and with
 *   KTR_NOTICE_TARGET_END KTR_A_TARGET_ID, KTR_A_END u32 enum ktr_end.
 *   Notices may be dropped; KTR_CMD_SESSION_GET has the truth.
 *
 * /dev/ktracer
 *   open    any number of times. ioctl(KTR_IOC_BIND) binds the descriptor to a
 *           session; one reader a session, the second gets EBUSY; a descriptor
 *           binds once.
 *   mmap    offset KTR_MMAP_CONS(cpu, ring), one page, may be writable: struct
 *           ktr_ring_cons. Offset KTR_MMAP_DATA(cpu, ring), read-only: one page
 *           struct ktr_ring_prod, then the data twice, so that no record wraps;
 *           length KTR_PAGE + 2 * size.
 *   poll    POLLIN: some ring has reached its watermark, or has anything and
 *           the flush time is over. POLLHUP: the session has ended, or is
 *           without targets after it had some; what is left can still be read.
 *   write   at most KTR_MARK_MAX bytes become a marker record: in the bound
 *           session, or, unbound, in every session that traces the writer
 *           (success also if none does). EINVAL: longer.
 *
 * Reading a ring: load "committed" (acquire), read records from the consumer's
 * position up to it, store the new position (release). In overwrite mode the
 * producer moves "tail" on; copy the record first, then load tail (acquire):
 * what lies below it may be torn and is to be thrown away. Positions are bytes
 * since the ring was made and never wrap; a record at position p starts at
 * data[p & (size - 1)].
 *
 * Time order over CPUs: take CLOCK_MONOTONIC, read "reserved" of all rings;
 * once every "committed" has reached the value seen, every record older than
 * that time is visible.
 */
#ifndef _UAPI_KTRACER_H
#define _UAPI_KTRACER_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define KTR_GENL_NAME		"ktracer"
#define KTR_GENL_VERSION	1
#define KTR_GENL_NOTICES	"notices"
/*
 * Of the whole interface, in KTR_CMD_INFO and in capture files. Raised when
 * something that older readers must not misread is added; they refuse a newer
 * one.
 */
#define KTR_VERSION		1
#define KTR_DEVICE		"/dev/ktracer"

#define KTR_NAME_MAX		64
#define KTR_SESSIONS_MAX	256
#define KTR_BUF_MIN		4096ULL
#define KTR_BUF_DEFAULT		(4ULL << 20)
#define KTR_BUF_MAX		(1ULL << 30)
#define KTR_CTL_DEFAULT		(256ULL << 10)
#define KTR_MARK_MAX		2048
#define KTR_ROWS_BYTES_MAX	49152
#define KTR_FUNCS_MSG_MAX	4096
#define KTR_PREDS_MAX		256
#define KTR_OPS_MAX		12
#define KTR_SYSCALLS_MAX	1024	/* rows are for numbers below */
#define KTR_CAP_MAX		(128u << 10)	/* bytes captured for one call */
#define KTR_BEGUN_MAX		256	/* captured bytes in a begun record */

enum ktr_cmd {
	KTR_CMD_UNSPEC,
	KTR_CMD_INFO,
	KTR_CMD_SESSION_NEW,
	KTR_CMD_SESSION_DEL,
	KTR_CMD_SESSION_SET,
	KTR_CMD_SESSION_GET,
	KTR_CMD_TARGET_ADD,
	KTR_CMD_TARGET_DEL,
	KTR_CMD_TARGET_GET,
	KTR_CMD_SYSCALL_ADD,
	KTR_CMD_SYSCALL_DEL,
	KTR_CMD_SYSCALL_GET,
	KTR_CMD_FUNC_ADD,
	KTR_CMD_FUNC_DEL,
	KTR_CMD_FUNC_GET,
	KTR_CMD_NOTICE,
	__KTR_CMD_LAST
};
#define KTR_CMD_MAX (__KTR_CMD_LAST - 1)

enum ktr_attr {
	KTR_A_UNSPEC,
	KTR_A_PAD,
	KTR_A_VERSION,
	KTR_A_RELEASE,
	KTR_A_MAX_BYTES,
	KTR_A_USED_BYTES,
	KTR_A_SESSION,
	KTR_A_NAME,
	KTR_A_FD,
	KTR_A_MODE,
	KTR_A_BUF_SIZE,
	KTR_A_CTL_SIZE,
	KTR_A_WATERMARK,
	KTR_A_FLUSH_MS,
	KTR_A_FLAGS,
	KTR_A_STATE,
	KTR_A_EVENTS,
	KTR_A_EVENTS_ADD,
	KTR_A_EVENTS_DEL,
	KTR_A_SIGNALS,
	KTR_A_SIGNALS_ADD,
	KTR_A_SIGNALS_DEL,
	KTR_A_FILTER,
	KTR_A_FILTER_LEN,
	KTR_A_DRAIN,
	KTR_A_NCPUS,
	KTR_A_TOTAL_BYTES,
	KTR_A_GENERATION,
	KTR_A_OWNER,
	KTR_A_NTARGETS,
	KTR_A_NSYSCALLS,
	KTR_A_NFUNCS,
	KTR_A_READER,
	KTR_A_PROBES,
	KTR_A_NOT_FOLLOWED,
	KTR_A_REFUSED,
	KTR_A_CPU,
	KTR_A_CPU_NR,
	KTR_A_CPU_RECORDED,
	KTR_A_CPU_BYTES,
	KTR_A_CPU_UNREAD,
	KTR_A_CPU_EVICTED,
	KTR_A_LOSS,
	KTR_A_TARGET_KIND,
	KTR_A_TARGET_ID,
	KTR_A_TGID,
	KTR_A_COMM,
	KTR_A_RECORDED,
	KTR_A_LOST,
	KTR_A_SYSCALLS_LOST,
	KTR_A_ROWS,
	KTR_A_ADDRS,
	KTR_A_ADDR,
	KTR_A_NOTICE,
	KTR_A_END,
	KTR_A_NARROW,
	__KTR_A_LAST
};
#define KTR_A_MAX (__KTR_A_LAST - 1)

enum ktr_mode {
	KTR_MODE_DISCARD,	/* full: the new record is refused */
	KTR_MODE_OVERWRITE,	/* full: the oldest records go */
	__KTR_MODE_LAST
};

enum ktr_state {
	KTR_STATE_STOPPED,
	KTR_STATE_RUNNING,
	KTR_STATE_ENDED,	/* told, never asked for */
};

/* KTR_A_FLAGS of KTR_CMD_SESSION_NEW */
#define KTR_SESSION_F_BIG	(1u << 0)	/* may pass KTR_A_MAX_BYTES */
#define KTR_SESSION_F_KEEP_SELF	(1u << 1)	/* the reader's own process may be a target */
#define KTR_SESSION_F_EXEC_ARM	(1u << 2)	/* a target's records start with its next execve */
#define KTR_SESSION_F__ALL	7u

/* KTR_A_FLAGS of KTR_CMD_TARGET_ADD and _GET */
#define KTR_TARGET_F_FOLLOW	(1u << 0)	/* future children and threads become targets */
#define KTR_TARGET_F_DESCEND	(1u << 1)	/* present descendants too */
#define KTR_TARGET_F_THREADS	(1u << 2)	/* future threads do; told only */
#define KTR_TARGET_F__ALL	3u	/* that may be asked for */

#define KTR_ROWS_F_BEGIN	(1u << 0)
#define KTR_ROWS_F_COMMIT	(1u << 1)
#define KTR_ROWS_F_EMPTY	(1u << 2)	/* the staged copy starts empty */
#define KTR_ROWS_F_OTHERS	(1u << 3)	/* record numbers without a row too */
#define KTR_ROWS_F__ALL		15u

enum ktr_target_kind {
	KTR_TARGET_PID,		/* a process: all its threads, also those to come */
	KTR_TARGET_TID,		/* one thread */
	KTR_TARGET_PGRP,	/* all processes of a group */
	__KTR_TARGET_LAST
};

/* Who takes the slow path into syscalls while a session traces them. */
enum ktr_narrow_state {
	KTR_NARROW_IDLE,	/* nobody: no session does */
	KTR_NARROW_ON,		/* targets alone */
	KTR_NARROW_OFF_PARAM,	/* all threads: switched off by the module's parameter */
	KTR_NARROW_OFF_OTHERS,	/* all: another tracer uses the same tracepoints */
	KTR_NARROW_OFF_HOOK,	/* all: ftrace is off, so another one could not be seen to come */
	KTR_NARROW_OFF_UNSURE,	/* all: one came whose going cannot be seen */
};

enum ktr_notice {
	KTR_NOTICE_TARGET_END,
	KTR_NOTICE_SESSION_STOP,
	KTR_NOTICE_SESSION_END,
	KTR_NOTICE_LIMIT,
};

/* "reason" of target_end */
enum ktr_end {
	KTR_END_EXIT,		/* the task ended */
	KTR_END_DETACH,		/* KTR_CMD_TARGET_DEL */
	KTR_END_SESSION,	/* the session ended */
};

/* "what" of change */
enum ktr_change {
	KTR_CHANGE_START,
	KTR_CHANGE_STOP,
	KTR_CHANGE_EVENTS,
	KTR_CHANGE_SIGNALS,
	KTR_CHANGE_FILTER,
	KTR_CHANGE_SYSCALLS,
	KTR_CHANGE_FUNCS,
	KTR_CHANGE_TARGETS,
	KTR_CHANGE_DRAIN,
};

/* Why a record is not there. */
enum ktr_loss {
	KTR_LOSS_FULL,		/* discard mode: no room */
	KTR_LOSS_EVICTED,	/* overwrite mode: overwritten unread */
	KTR_LOSS_BIG,		/* longer than the ring takes */
	KTR_LOSS_NESTED,	/* the room was held by a record under construction */
	KTR_LOSS_MEMORY,	/* no memory for the target or its capture */
	__KTR_LOSS_LAST
};

struct ktr_loss_count {
	__u8 ring;		/* enum ktr_ring_id */
	__u8 kind;
	__u8 reason;		/* enum ktr_loss */
	__u8 reserved[5];
	__u64 count;
};

/* Every record starts with this; it is a multiple of 8 bytes long. */
struct ktr_rec {
	__u16 len8;		/* whole record, in units of 8 bytes, at least 2 */
	__u8 kind;		/* enum ktr_kind */
	__u8 flags;		/* KTR_REC_* */
	__u32 tid;		/* whose record, in the initial pid namespace */
	__u64 time;		/* CLOCK_MONOTONIC, ns, when it was written */
};

#define KTR_REC_CTX_MASK	0x03	/* written in: 0 task, 1 softirq, 2 irq, 3 nmi */
#define KTR_REC_GEN_SHIFT	4	/* upper four bits: generation of the session, modulo 16 */
#define KTR_REC_MAX		(0xffffu * 8)

/* Kinds, from the table. */
enum ktr_kind {
#define KTR_EVENT(number, name, group, ring, source) KTR_KIND_##name = number,
#include "ktracer_events.h"
	KTR_KIND_MAX = 63
};

/* Fixed parts of the records, from the table: struct ktr_ev_NAME. */
#define KTR_EVENT(number, name, group, ring, source) struct ktr_ev_##name {
#define KTR_FIELD(type, name, format) type name;
#define KTR_TEXT(name, size, format) char name[size];
#define KTR_EVENT_END(name) };
#include "ktracer_events.h"

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

/* "flags" of signal records */
#define KTR_SIG_F_GROUP		(1u << 0)	/* sent to the process */
#define KTR_SIG_F_KERNEL	(1u << 1)	/* sent by the kernel: sender is who ran */
#define KTR_SIG_F_NOINFO	(1u << 2)	/* no siginfo came with it */
#define KTR_SIG_F_IGNORED	(1u << 3)	/* dropped at once: it is never delivered */

enum ktr_siggen {		/* "result", the kernel's TRACE_SIGNAL_* */
	KTR_SIGGEN_DELIVERED,
	KTR_SIGGEN_IGNORED,
	KTR_SIGGEN_ALREADY_PENDING,
	KTR_SIGGEN_OVERFLOW_FAIL,
	KTR_SIGGEN_LOSE_INFO,
};

#define KTR_TASK_F_THREAD	(1u << 0)	/* not its process's leader */
#define KTR_TASK_F_KTHREAD	(1u << 1)
#define KTR_TASK_F_COMPAT	(1u << 2)	/* a 32-bit process */
#define KTR_TASK_F_ATTACHED	(1u << 3)	/* attached by command, not by fork */
#define KTR_EXIT_F_GROUP	(1u << 0)	/* the last thread of the process */
#define KTR_OUT_F_PREEMPT	(1u << 0)	/* it could have run on */
#define KTR_OUT_F_DEAD		(1u << 1)

/*
 * CAPTURE tails: "nargs" words u64, then (KTR_SYS_F_TIMES) two more, then
 * sections, each a struct ktr_cap and len bytes, filled up to a multiple of 8.
 */
struct ktr_cap {
	__u8 op;		/* index of the operation in its row */
	__u8 flags;		/* KTR_CAP_F_* */
	__u16 count;		/* elements, for vectors */
	__u32 len;		/* bytes that follow, without the filling */
};

#define KTR_CAP_F_LATE		(1u << 0)	/* unreadable at entry, read at exit */
#define KTR_CAP_F_UNREADABLE	(1u << 1)	/* nothing (more) could be read */
#define KTR_CAP_F_CUT		(1u << 2)	/* there was more */
#define KTR_CAP_F_EXIT		(1u << 3)	/* read at exit */
#define KTR_CAP_F_NULL		(1u << 4)	/* the base was a null pointer */
#define KTR_CAP_F_MEMORY	(1u << 5)	/* no capture buffer at entry */

/* Strings and iovecs: "count" of these, each with its bytes, filled up to 8. */
struct ktr_elem {
	__u64 addr;
	__u64 size;		/* iov_len; 0 for strings */
	__u32 len;		/* bytes that follow, without the filling */
	__u32 flags;		/* KTR_CAP_F_* */
};

enum ktr_form {
	KTR_FORM_BYTES,		/* length bytes */
	KTR_FORM_STR,		/* up to the NUL, which is not stored */
	KTR_FORM_STRV,		/* a vector of string pointers that ends with a null */
	KTR_FORM_IOV,		/* a vector of struct iovec: its bytes */
	__KTR_FORM_LAST
};

/* Where a base or a length comes from. */
enum ktr_src {
	KTR_SRC_CONST,		/* length: the constant "len" */
	KTR_SRC_ARG,		/* argument "ref" */
	KTR_SRC_RET,		/* the result; nothing is captured if it is an error */
	KTR_SRC_WORD,		/* word of the ABI's size in "ref"'s capture at "off" */
	KTR_SRC_U32,		/* 32 bits there */
	KTR_SRC_STACK,		/* base: the caller's stack pointer plus "base_off", at entry */
	__KTR_SRC_LAST
};

#define KTR_OP_F_EXIT		(1u << 0)	/* run at exit, not at entry */
#define KTR_OP_F_IF_OK		(1u << 1)	/* at exit: only if the result is not an error */
#define KTR_OP_F_NEED		(1u << 2)	/* with base from a capture: skip quietly if that is missing */
#define KTR_OP_F__ALL		7u

/*
 * One operation of a capture program. Bytes read: min(length * elem, max), for
 * STRV and IOV length is the number of elements (STRV: at most), and max bounds
 * each element, total the bytes of all; an IOV read at exit with len_src
 * KTR_SRC_ARG stops after the result's number of bytes.
 */
struct ktr_op {
	__u8 flags;		/* KTR_OP_F_* */
	__u8 form;		/* enum ktr_form */
	__u8 base_src;		/* ARG, WORD, STACK */
	__u8 base_ref;
	__u16 base_off;
	__u8 len_src;		/* any of enum ktr_src */
	__u8 len_ref;
	__u16 len_off;
	__u16 elem;		/* 0 counts as 1 */
	__u32 len;		/* KTR_SRC_CONST */
	__u32 max;		/* at most KTR_CAP_MAX */
	__u32 total;		/* vectors: bytes of all elements; 0: max */
};

/* A row of the session's syscall table: record this call, thus. */
struct ktr_row {
	__u16 nr;
	__u8 abi;		/* enum ktr_abi */
	__u8 nargs;		/* argument words to store, at most 6 */
	__u8 nops;		/* operations that follow, at most KTR_OPS_MAX */
	__u8 fd_arg;		/* argument that is a descriptor, for the predicate; 255: none */
	__u16 reserved;
};

/* Predicates: fields of a syscall record and what to do with them. */
enum ktr_field {
	KTR_FIELD_NR,
	KTR_FIELD_ABI,
	KTR_FIELD_RET,		/* signed */
	KTR_FIELD_ERRNO,	/* 0 if it did not fail; restarts are no failures */
	KTR_FIELD_DUR,		/* ns */
	KTR_FIELD_FD,		/* -1 if the call has none */
	KTR_FIELD_TID,
	KTR_FIELD_ARG0,
	KTR_FIELD_ARG1,
	KTR_FIELD_ARG2,
	KTR_FIELD_ARG3,
	KTR_FIELD_ARG4,
	KTR_FIELD_ARG5,
	__KTR_FIELD_LAST
};

enum ktr_pred_op {
	KTR_PRED_EQ,
	KTR_PRED_NE,
	KTR_PRED_LT,		/* signed */
	KTR_PRED_LE,
	KTR_PRED_GT,
	KTR_PRED_GE,
	KTR_PRED_BITS,		/* field & value is not 0 */
	KTR_PRED_AND,		/* of the two results before; field and value 0 */
	KTR_PRED_OR,
	KTR_PRED_NOT,
	__KTR_PRED_LAST
};

/* Postfix: at the end one result must be left; at most 32 wait at a time. */
struct ktr_pred {
	__u16 op;
	__u16 field;
	__u32 reserved;
	__s64 value;
};

enum ktr_ring_id {
	KTR_RING_DATA,
	KTR_RING_CONTROL,
	__KTR_RING_LAST
};

#define KTR_PAGE		4096

/* The producer's page: read-only. Positions count bytes since the start. */
struct ktr_ring_prod {
	__u32 version;		/* KTR_VERSION */
	__u32 struct_len;	/* sizeof(struct ktr_ring_prod) of the module */
	__u64 size;		/* of the data, a power of two */
	__u32 mode;		/* enum ktr_mode */
	__u32 cpu;
	__u64 reserved;		/* position: given out to producers */
	__u64 committed;	/* position: whole and readable below it */
	__u64 tail;		/* position: oldest record that is still whole */
	__u64 records;		/* written */
	__u64 refused;		/* records refused, all reasons but evicted */
	__u64 evicted;		/* records below tail, read or not */
	__u64 evicted_kind[64];	/* of these, by kind */
	/* Tail and counts agree if "finished", read before them, is "begun", read after. */
	__u64 evict_begun;
	__u64 evict_finished;
};

/* The consumer's page: the reader's position, which the producer only clamps. */
struct ktr_ring_cons {
	__u64 consumed;
};

#define KTR_MMAP_CONS(cpu, ring)	((((__u64)(cpu) * 2 + (ring)) << 33))
#define KTR_MMAP_DATA(cpu, ring)	(KTR_MMAP_CONS(cpu, ring) + KTR_PAGE)

/* KTR_IOC_BIND: flags of struct ktr_bind */
#define KTR_BIND_F_MARK		(1u << 0)	/* writes markers; is no reader */
#define KTR_BIND_F__ALL		1u

struct ktr_bind {
	__u32 size;		/* sizeof(struct ktr_bind), in */
	__u32 flags;		/* in */
	__u32 session;		/* in: its number, or 0 and the name; out: its number */
	__u32 ncpus;		/* out: possible CPUs, numbers below it */
	char name[KTR_NAME_MAX];	/* in */
	__u64 buf_size;		/* out: data ring */
	__u64 ctl_size;		/* out: control ring */
};

#define KTR_IOC_MAGIC		0xb7
#define KTR_IOC_BIND		_IOWR(KTR_IOC_MAGIC, 1, struct ktr_bind)
/* The reader has looked at all rings: wake it for what comes after. */
#define KTR_IOC_FLUSH		_IO(KTR_IOC_MAGIC, 2)	/* wake at once if anything is there */

#endif
