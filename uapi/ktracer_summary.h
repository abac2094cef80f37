/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Calls of the system and of kernel functions counted in the kernel; included by
 * ktracer.h.
 *
 * KTR_CMD_SESSION_NEW with KTR_A_SUMMARY u32 (KTR_SUM_F_*): the session counts
 *   its calls where they return, those that its rows and its predicate let
 *   pass, while it runs and has the kind "syscall" among its events. Nothing is
 *   lost by full rings. KTR_A_SUM_SLOTS u32: for how many different keys one
 *   CPU has room (rounded up to a power of two; KTR_SUM_SLOTS_MIN to
 *   KTR_SUM_SLOTS_MAX, default KTR_SUM_SLOTS_DEFAULT). The memory comes out of
 *   KTR_A_MAX_BYTES. Errors: EINVAL slots without KTR_A_SUMMARY.
 *   With KTR_SUM_F_FUNCS its functions are counted too: those with returns where
 *   they return, if it has the kind "function_return" among its events, all others
 *   where they are entered, if it has "function". Each call counts, also one inside
 *   another of the same function; times are from entry to return and contain what
 *   the function called.
 *
 * KTR_CMD_SESSION_GET then also answers KTR_A_SUMMARY, KTR_A_SUM_SLOTS and
 *   KTR_A_SUM_MISSED u64: calls for whose key there was no room. They are in no
 *   row. KTR_A_DRAIN of KTR_CMD_SESSION_SET begins all counts anew.
 *
 * KTR_CMD_SUMMARY_GET   dump, session: per key KTR_A_SUM_ROW binary, a struct
 *   ktr_sum_row, and with KTR_SUM_F_HIST __u64[KTR_SUM_BUCKETS] behind it. Sums
 *   over all CPUs, ordered by process, thread, function, ABI and number. Fields of a row
 *   agree with each other once the calls they count are over. Errors: EINVAL the
 *   session does not count.
 *
 * Not counted: a call that never returns, and one that ends because its thread
 * is being killed (KTR_SYS_F_KILLED without KTR_SYS_F_FATAL).
 */
#ifndef _UAPI_KTRACER_SUMMARY_H
#define _UAPI_KTRACER_SUMMARY_H

#include <linux/types.h>

#define KTR_SUM_F_TGID		(1u << 0)	/* rows for each process */
#define KTR_SUM_F_TID		(1u << 1)	/* rows for each thread */
#define KTR_SUM_F_HIST		(1u << 2)	/* with histograms */
#define KTR_SUM_F_ONLY		(1u << 3)	/* no records of what is counted */
#define KTR_SUM_F_FUNCS		(1u << 4)	/* functions too */
#define KTR_SUM_F__ALL		31u

#define KTR_SUM_SLOTS_MIN	16
#define KTR_SUM_SLOTS_DEFAULT	2048
#define KTR_SUM_SLOTS_MAX	65536
/* Bucket b: durations from 2^b ns to less than twice that; the last: all longer ones. */
#define KTR_SUM_BUCKETS		40

struct ktr_sum_row {
	__u32 tgid;		/* 0: all processes */
	__u32 tid;		/* 0: all threads */
	__s32 nr;
	__u8 abi;		/* enum ktr_abi */
	__u8 reserved[3];
	__u64 calls;
	__u64 errors;		/* results from -4095 to -1, restarts too; 0 for functions */
	__u64 wall;		/* ns, from entry to exit */
	__u64 wall_min;		/* ~0: of its calls no time is known */
	__u64 wall_max;
	__u64 cpu;		/* ns of these on a CPU; 0 for functions */
	__u64 ip;		/* the function, as in its records; 0: a syscall */
};

#endif
