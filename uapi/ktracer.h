/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktracer.h - the wire between ktracer.ko and those who read it
 *
 * Control goes over generic netlink, family "ktracer", version 1. Records come
 * out of /dev/ktracer. Everything is in host byte order. The interface grows
 * only by appending: attributes, fields at the end of a payload, new kinds.
 * Unknown flag bits are refused with EOPNOTSUPP, reserved words must be zero.
 *
 * Who may: who holds CAP_SYS_ADMIN or CAP_PERFMON in the initial user namespace is
 * privileged and may all. Others are plain users: each has sessions of his own
 * (by effective user id and user namespace), with names of their own, and knows of
 * no other; he attaches what he shows an open /proc/PID/mem for, and gets EPERM for
 * kernel functions, their addresses, and whatever is not his. Both opener and sender
 * of the socket (or opener and user of the device's descriptor) must be privileged,
 * or be the same plain user; else all is EPERM. What a session may record is decided
 * by who made it, not by who commands it later. The module's parameter "users" shuts
 * plain users out; user_mib, user_sessions and user_targets bound what each takes.
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
 *   KTR_A_EVENTS u64 (kinds it can make), KTR_A_PROBES u64 (kinds whose probes
 *   are attached now), KTR_A_MAX_BYTES u64 (all rings together without
 *   KTR_SESSION_F_BIG), KTR_A_USED_BYTES u64, KTR_A_NCPUS u32 (possible CPUs, one
 *   data and one control ring each), KTR_A_PRIVILEGED u32 (1: the caller is; else
 *   the numbers are his own limits), KTR_A_NARROW u32 enum ktr_narrow_state (not
 *   to plain users: it tells of sessions of others),
 *   KTR_A_GENIO_SIZE and KTR_A_REQUEST_POOL u32 (the sysctls below kernel.ktrace).
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
 *   EDQUOT more than KTR_A_MAX_BYTES in all; ENFILE over KTR_SESSIONS_MAX; EUSERS
 *   more sessions than plain users may have.
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
 *   of struct ktr_pred in postfix order (empty: no filter); KTR_A_PATHS binary,
 *   at most KTR_PATHS_MAX strings, each with its NUL, KTR_PATHS_BYTES_MAX bytes
 *   in all: the paths that KTR_FIELD_PATH of that filter, which must come
 *   along, is about; one that ends with '/' stands for every path that begins
 *   so, others for just themselves; KTR_A_DRAIN u32
 *   (1: what is in the rings is thrown away); KTR_A_LABEL u64 a word of the
 *   caller's, kept and told and of no meaning here (ktrace() keeps its trace
 *   points there, see ktracer_facility.h); KTR_A_STACK struct ktr_stack_want.
 *   Each is a "change" record. KTR_A_FILE_NAME string, at most PATH_MAX-1 bytes: where
 *   the session's reader puts what it reads, kept and told and of no meaning here; it
 *   is no record. Errors: EIO it cannot run, since its file could not be
 *   written; EBUSY its rings cannot be drained while it is read.
 *
 * KTR_CMD_SESSION_GET   session, or dump for all, also those that are just ending
 *   answers KTR_A_SESSION, KTR_A_NAME (if named), KTR_A_STATE, KTR_A_MODE,
 *   KTR_A_BUF_SIZE, KTR_A_CTL_SIZE, KTR_A_WATERMARK, KTR_A_FLUSH_MS,
 *   KTR_A_FLAGS, KTR_A_NCPUS, KTR_A_TOTAL_BYTES u64, KTR_A_EVENTS,
 *   KTR_A_SIGNALS, KTR_A_GENERATION u32, KTR_A_OWNER u32 uid, KTR_A_PRIVILEGED
 *   u32 (1: made by one who is),
 *   KTR_A_NTARGETS u32, KTR_A_NSYSCALLS u32 rows, KTR_A_NFUNCS u32, KTR_A_NRETS u32
 *   (of these, with returns), KTR_A_RETS_MISSED u64 (their calls that were not hooked),
 *   KTR_A_RETS_INSIDE u64 (calls of targets that were entered and not seen to return),
 *   KTR_A_HOOKS_MISSED u64 (calls, by any task, of the functions that tell of faults,
 *   sysctls and refusals, that were not hooked: the kernel had no room for more at once),
 *   KTR_A_NGRAPHS u32 (functions that begin graphs; they count as KTR_A_NFUNCS too),
 *   KTR_A_NWAITS u32 (modules that are waited for),
 *   KTR_A_NBELOW u32 (hooked for graphs), KTR_A_GRAPH_MISSED u64 (calls that belong
 *   into a graph and have no record: there was no room, or it was too deep),
 *   KTR_A_FILTER_LEN u32, KTR_A_READER u32 (1: a reader is bound), KTR_A_PROBES
 *   u64 (kinds whose probes are attached now), KTR_A_NOT_FOLLOWED u64,
 *   KTR_A_LABEL u64, KTR_A_STACK (if it takes stacks), KTR_A_FILE_NAME (if known),
 *   KTR_A_REFUSED u64 (records the predicate refused), and per CPU
 *   KTR_A_CPU nested { KTR_A_CPU_NR u32, KTR_A_CPU_RECORDED u64,
 *   KTR_A_CPU_BYTES u64, KTR_A_CPU_UNREAD u64 bytes, KTR_A_CPU_EVICTED u64,
 *   KTR_A_LOSS binary, an array of struct ktr_loss_count, one per (ring,
 *   kind, reason) that is not zero }.
 *
 * KTR_CMD_TARGET_ADD    session, KTR_A_TARGET_KIND u32 enum ktr_target_kind (r),
 *   KTR_A_TARGET_ID u32 (r; ids as the caller's namespaces see them), KTR_A_FLAGS u32
 *   KTR_TARGET_F_*. Of users, cgroups and all: those that are there now, and with
 *   FOLLOW those that they make. The session's reader and the threads by which the
 *   module writes files are left out; what kernel threads make is not followed. In a
 *   plain user's session only processes and threads, without DESCEND, and
 *   KTR_A_FD u32 (r): the task's /proc/PID/mem, opened by the owner.
 *   Answers KTR_A_NTARGETS u32, tasks that became targets (those that were are
 *   not counted). Errors: ESRCH no such task, or it is exiting; EEXIST all of
 *   them are targets of this session already; for plain users EBADF not a
 *   /proc/PID/mem, ESTALE of another address space than the task's, EACCES the task
 *   has other ids, more capabilities or is set-id, EDQUOT too many tasks.
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
 *   kernel functions, at most KTR_FUNCS_MSG_MAX a message. All or nothing. KTR_A_FLAGS
 *   u32 KTR_FUNCS_F_*; with KTR_FUNCS_F_TEST nothing is added, and the answer is
 *   KTR_A_ADDRS, those of them that could be.
 *   Errors: EINVAL an address is not a traceable function (the ack says
 *   which); EEXIST all are there; E2BIG more returns than this kernel hooks.
 *   With KTR_FUNCS_F_BELOW they are hooked for graphs, which those begin that are
 *   added with KTR_FUNCS_F_GRAPH: of a call of one of these, and of all hooked
 *   ones that are called below it, there are "graph" records. KTR_A_GRAPH_DEPTH
 *   u32 comes with the latter: records have a smaller depth; 0: all. EOPNOTSUPP:
 *   this kernel lets nobody hook so many returns.
 * KTR_CMD_FUNC_DEL      addresses; without: all. KTR_A_FLAGS KTR_FUNCS_F_GRAPH: only
 *   those that begin graphs. With the last of them goes what is hooked below.
 * KTR_CMD_FUNC_GET      dump, session: KTR_A_ADDRS, KTR_A_FLAGS KTR_FUNCS_F_RET or
 *   KTR_FUNCS_F_GRAPH.
 *
 * KTR_CMD_WAIT_ADD      session, KTR_A_MODULE string (r), KTR_A_GLOBS binary (r): globs
 *   of functions, each with its NUL, at most KTR_GLOBS_BYTES_MAX bytes in all; the last
 *   that matches a name decides, one with '!' in front against it. Whenever a kernel
 *   module of that name is loaded from now on, its functions are added as if by
 *   KTR_CMD_FUNC_ADD, before its init function runs. KTR_A_FLAGS u32 KTR_FUNCS_F_RET,
 *   KTR_FUNCS_F_BELOW or KTR_FUNCS_F_GRAPH, this one with KTR_A_GRAPH_DEPTH; while one of
 *   these is waited for, what is hooked for graphs stays, even if none begins yet.
 *   What is asked for the same module later comes on top of it. What came of it is a
 *   "module" record. Errors: EEXIST it is waited for just so already; EINVAL no name of
 *   a module, no globs; E2BIG over KTR_WAITS_MAX modules, KTR_WAIT_LAYERS_MAX times.
 * KTR_CMD_WAIT_DEL      the same: these are not waited for any more; if "*" alone is
 *   taken away, nothing of the module is. KTR_A_FLAGS KTR_FUNCS_F_UNDO: the last
 *   KTR_CMD_WAIT_ADD, which was just this with the other flags, is taken back. What is
 *   traced already stays. ENOENT: the module is not waited for. KTR_CMD_FUNC_DEL
 *   without addresses ends all waiting too.
 * KTR_CMD_WAIT_GET      dump, session: KTR_A_MODULE, KTR_A_GLOBS, KTR_A_FLAGS, one for
 *   each that was asked for, in that order; KTR_FUNCS_F_UNDO: of one that takes away.
 *
 * KTR_CMD_FUNC_ROWS_ADD session, KTR_A_FUNC_ROWS binary: struct ktr_func_row, each with
 *   what follows it; at most KTR_ROWS_BYTES_MAX bytes a message. They are in force at
 *   once, in place of those that were there for the same addresses, whether these are
 *   traced or not; KTR_CMD_FUNC_DEL takes a function's row away with it.
 *   Errors: EINVAL a row the engine will not run (the ack says which and why);
 *   E2BIG more than KTR_FUNC_ROWS_MAX.
 * KTR_CMD_FUNC_ROWS_GET dump, session: KTR_A_FUNC_ROWS, one row each.
 *
 * KTR_CMD_NOTICE        sent to the multicast group "notices" (CAP_SYS_ADMIN):
 *   KTR_A_SESSION, KTR_A_NOTICE u32 enum ktr_notice, and with
 *   KTR_NOTICE_TARGET_END KTR_A_TARGET_ID, KTR_A_END u32 enum ktr_end.
 *   Notices may be dropped; KTR_CMD_SESSION_GET has the truth.
 *
 * KTR_CMD_SUMMARY_GET, and sessions that count: see ktracer_summary.h.
 * KTR_CMD_FILE, sessions that the module writes to a file: see ktracer_file.h.
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
 *           (success also if none does); none make an empty one. EINVAL: longer.
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
#include "ktracer_summary.h"

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
#define KTR_GLOBS_BYTES_MAX	8192
#define KTR_WAITS_MAX		64
#define KTR_WAIT_LAYERS_MAX	16	/* for one module */
#define KTR_PREDS_MAX		256
#define KTR_PATHS_MAX		64
#define KTR_PATHS_BYTES_MAX	16384
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
	KTR_CMD_SUMMARY_GET,
	KTR_CMD_FILE,
	KTR_CMD_FUNC_ROWS_ADD,
	KTR_CMD_FUNC_ROWS_GET,
	KTR_CMD_WAIT_ADD,
	KTR_CMD_WAIT_DEL,
	KTR_CMD_WAIT_GET,
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
	KTR_A_SUMMARY,
	KTR_A_SUM_SLOTS,
	KTR_A_SUM_MISSED,
	KTR_A_SUM_ROW,
	KTR_A_PATHS,
	KTR_A_NRETS,
	KTR_A_RETS_MISSED,
	KTR_A_FILE_BYTES,
	KTR_A_FILE_ERROR,
	KTR_A_PRIVILEGED,
	KTR_A_RETS_INSIDE,
	KTR_A_LABEL,
	KTR_A_GENIO_SIZE,
	KTR_A_REQUEST_POOL,
	KTR_A_FUNC_ROWS,
	KTR_A_STACK,
	KTR_A_HOOKS_MISSED,
	KTR_A_GRAPH_DEPTH,
	KTR_A_NGRAPHS,
	KTR_A_NBELOW,
	KTR_A_GRAPH_MISSED,
	KTR_A_FILE_NAME,
	KTR_A_MODULE,
	KTR_A_GLOBS,
	KTR_A_NWAITS,
	KTR_A_FILE_MISSING,
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
#define KTR_SESSION_F_EXEC_ARM	(1u << 2)	/* KTR_TARGET_F_EXEC_ARM for all */
#define KTR_SESSION_F_UNTIL_IDLE (1u << 3)	/* ends when its last target has ended */
#define KTR_SESSION_F__ALL	15u

/* KTR_A_FLAGS of KTR_CMD_TARGET_ADD and _GET */
#define KTR_TARGET_F_FOLLOW	(1u << 0)	/* future children and threads become targets; may come later */
#define KTR_TARGET_F_DESCEND	(1u << 1)	/* present descendants too */
#define KTR_TARGET_F_THREADS	(1u << 2)	/* future threads do; told only */
#define KTR_TARGET_F_EXEC_ARM	(1u << 3)	/* records start with its next execve; is not told */
#define KTR_TARGET_F__ALL	11u	/* that may be asked for */

#define KTR_ROWS_F_BEGIN	(1u << 0)
#define KTR_ROWS_F_COMMIT	(1u << 1)
#define KTR_ROWS_F_EMPTY	(1u << 2)	/* the staged copy starts empty */
#define KTR_ROWS_F_OTHERS	(1u << 3)	/* record numbers without a row too */
#define KTR_ROWS_F__ALL		15u

/* KTR_A_FLAGS of KTR_CMD_FUNC_ADD, the second of KTR_CMD_FUNC_GET too */
#define KTR_FUNCS_F_TEST	(1u << 0)	/* only tell which can be traced */
#define KTR_FUNCS_F_RET		(1u << 1)	/* returns too, also of those that are there */
#define KTR_FUNCS_F_BELOW	(1u << 2)	/* hooked for graphs */
#define KTR_FUNCS_F_GRAPH	(1u << 3)	/* graphs begin with them; also of KTR_CMD_FUNC_DEL */
#define KTR_FUNCS_F__ALL	15u
#define KTR_FUNCS_F_UNDO	(1u << 4)	/* of KTR_CMD_WAIT_DEL, KTR_CMD_WAIT_GET alone */

enum ktr_target_kind {
	KTR_TARGET_PID,		/* a process: all its threads, also those to come */
	KTR_TARGET_TID,		/* one thread */
	KTR_TARGET_PGRP,	/* all processes of a group */
	KTR_TARGET_UID,		/* all whose effective user this is, but for kernel threads */
	KTR_TARGET_CGROUP,	/* all in a cgroup or below it; the id: a descriptor of its directory */
	KTR_TARGET_ALL,		/* all tasks there are; the id is not looked at */
	__KTR_TARGET_LAST
};

/* Who takes the slow path into syscalls while a session traces them. */
enum ktr_narrow_state {
	KTR_NARROW_IDLE,	/* nobody: no session does */
	KTR_NARROW_ON,		/* targets alone */
	KTR_NARROW_OFF_PARAM,	/* all threads: switched off by the module's parameter */
	KTR_NARROW_OFF_OTHERS,	/* all: another tracer uses the same tracepoints */
	KTR_NARROW_OFF_HOOK,	/* all: ftrace was off at load: who comes cannot be seen */
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
	KTR_END_PROGRAM,	/* it runs a program that its plain user may not look into */
	KTR_END_CREDENTIALS,	/* it has got other ids or more capabilities than he has */
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
	KTR_CHANGE_LABEL,
	KTR_CHANGE_STACK,
};

/* Why a record is not there. */
enum ktr_loss {
	KTR_LOSS_FULL,		/* discard mode: no room */
	KTR_LOSS_EVICTED,	/* overwrite mode: overwritten unread */
	KTR_LOSS_BIG,		/* longer than the ring takes */
	KTR_LOSS_NESTED,	/* the room was held by a record under construction */
	KTR_LOSS_MEMORY,	/* no memory for the target or its capture */
	KTR_LOSS_FILE,		/* it was recorded, but its file had no room: none of a ring's */
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
#define KTR_REC_STACK		0x04	/* it has a stack, see ktracer_stack.h */
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

#include "ktracer_values.h"
#include "ktracer_capture.h"
#include "ktracer_stack.h"

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
	KTR_FIELD_PATH,		/* bit i: path i of KTR_A_PATHS is among the call's */
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
