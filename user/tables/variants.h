/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variants.h - what the last arguments of a call mean for a value of another
 *
 *   VARIANTS(call, ABI, reg, mask)  the selector: a register and its bits
 *   V(key, RESULT, ARGUMENTS)       from the register behind the selector on
 *   VN(key, name, RESULT, ARGUMENTS)  it is another call then, with these
 *   VARIANTS_END(call, ABI)
 *
 * Keys not listed are as the row of the call says.
 */

#define FCNTL_COMMON \
	V(F_DUPFD, FD, DEC(arg)) \
	V(F_DUPFD_CLOEXEC, FD, DEC(arg)) \
	V(F_GETFD, FDFLAGS, ) \
	V(F_SETFD, DEC, FLAGS(arg, fd_flags)) \
	V(F_GETFL, OPENFLAGS, ) \
	V(F_SETFL, DEC, FLAGS(arg, open_flags)) \
	V(F_GETOWN, DEC, ) \
	V(F_SETOWN, DEC, INT(arg)) \
	V(F_GETSIG, FCNTLSIG, ) \
	V(F_SETSIG, DEC, SIGNO(arg)) \
	V(F_GETLEASE, LEASE, ) \
	V(F_SETLEASE, DEC, ENUM(arg, lease_types)) \
	V(F_NOTIFY, DEC, FLAGS(arg, notify_flags)) \
	V(F_SETPIPE_SZ, DEC, DEC(arg)) \
	V(F_GETPIPE_SZ, DEC, ) \
	V(F_ADD_SEALS, DEC, FLAGS(arg, seals)) \
	V(F_GET_SEALS, SEALS, ) \
	V(F_SETOWN_EX, DEC, S_IN(arg, f_owner_ex)) \
	V(F_GETOWN_EX, DEC, S_OUT(arg, f_owner_ex)) \
	V(F_GET_RW_HINT, DEC, VALUE(arg, W_OUT, K_ENUM, 8, 8, \
				    .tab = &xlat_rw_hints)) \
	V(F_SET_RW_HINT, DEC, VALUE(arg, W_IN, K_ENUM, 8, 8, \
				    .tab = &xlat_rw_hints)) \
	V(F_GET_FILE_RW_HINT, DEC, VALUE(arg, W_OUT, K_ENUM, 8, 8, \
					 .tab = &xlat_rw_hints)) \
	V(F_SET_FILE_RW_HINT, DEC, VALUE(arg, W_IN, K_ENUM, 8, 8, \
					 .tab = &xlat_rw_hints)) \
	V(F_SETLK, DEC, S_IN(arg, flock)) \
	V(F_SETLKW, DEC, S_IN(arg, flock)) \
	V(F_GETLK, DEC, S_OUT(arg, flock_pid)) \
	V(F_OFD_SETLK, DEC, S_IN(arg, flock64)) \
	V(F_OFD_SETLKW, DEC, S_IN(arg, flock64)) \
	V(F_OFD_GETLK, DEC, S_OUT(arg, flock64_pid)) \
	V(12, DEC, S_OUT(arg, flock64_pid))	/* F_GETLK64 .. */ \
	V(13, DEC, S_IN(arg, flock64)) \
	V(14, DEC, S_IN(arg, flock64))

VARIANTS(fcntl, N, 1, ~0u)
	FCNTL_COMMON
VARIANTS_END(fcntl, N)

VARIANTS(fcntl, C, 1, ~0u)
	FCNTL_COMMON
VARIANTS_END(fcntl, C)

VARIANTS(fcntl64, C, 1, ~0u)
	FCNTL_COMMON
VARIANTS_END(fcntl64, C)

#include "variants_ioctl.h"
#include "variants_net.h"
VARIANTS(ioctl, B, 1, ~0u)
	TTY_IOCTLS
	FILE_IOCTLS
	BLOCK_IOCTLS
	CLOCK_IOCTLS
	OTHER_IOCTLS
	SOCKET_IOCTLS
VARIANTS_END(ioctl, B)

/* Neither strict nor filter. */
#define UNKNOWN_SECCOMP(n, ...)	HEX(n, IF_OUTSIDE(1, 1, 2), ##__VA_ARGS__)

#define PRCTL_COMMON \
	V(PR_SET_NAME, DEC, STR(name, .size = 15)) \
	V(PR_GET_NAME, DEC, ARG(name, K_STR, .when = W_OUT, .size = 15)) \
	V(PR_SET_PDEATHSIG, DEC, SIGNO(sig)) \
	V(PR_GET_PDEATHSIG, DEC, VALUE(sig, W_OUT, K_SIGNO, 4, 4)) \
	V(PR_SET_DUMPABLE, DEC, ENUML(mode, suid_dump)) \
	V(PR_GET_DUMPABLE, SUIDDUMP, ) \
	V(PR_SET_KEEPCAPS, DEC, UDEC(arg)) \
	V(PR_GET_KEEPCAPS, DEC, ) \
	V(PR_CAPBSET_READ, DEC, ENUML(cap, caps)) \
	V(PR_CAPBSET_DROP, DEC, ENUML(cap, caps)) \
	V(PR_CAP_AMBIENT, DEC, ENUML(op, cap_ambient) \
			       ARG(cap, K_AMBIENT) HEX(arg4) HEX(arg5)) \
	V(PR_SET_NO_NEW_PRIVS, DEC, UDEC(arg) HEX(b) HEX(c) HEX(d)) \
	V(PR_GET_NO_NEW_PRIVS, DEC, HEX(a) HEX(b) HEX(c) HEX(d)) \
	V(PR_SET_THP_DISABLE, DEC, UDEC(arg) HEX(b) HEX(c) HEX(d)) \
	V(PR_GET_THP_DISABLE, DEC, HEX(a) HEX(b) HEX(c) HEX(d)) \
	V(PR_SET_IO_FLUSHER, DEC, UDEC(arg) HEX(b) HEX(c) HEX(d)) \
	V(PR_GET_IO_FLUSHER, DEC, HEX(a) HEX(b) HEX(c) HEX(d)) \
	V(PR_SET_CHILD_SUBREAPER, DEC, UDEC(arg)) \
	V(PR_GET_CHILD_SUBREAPER, DEC, VALUE(arg, W_OUT, K_UINT, 4, 4)) \
	V(PR_SET_TIMERSLACK, DEC, DEC(arg)) \
	V(PR_GET_TIMERSLACK, DEC, ) \
	V(PR_SET_TIMING, DEC, DEC(arg)) \
	V(PR_GET_TIMING, DEC, ) \
	V(PR_SET_TSC, DEC, ENUML(mode, tsc_modes)) \
	V(PR_GET_TSC, DEC, VALUE(mode, W_OUT, K_ENUM, 4, 4, \
				 .tab = &xlat_tsc_modes)) \
	V(PR_SET_SPECULATION_CTRL, DEC, ENUML(which, spec_which) \
		ENUML(control, spec_controls, IF_EQ(1, PR_SPEC_STORE_BYPASS)) \
		ENUML(control, spec_controls, REG(2), IF_EQ(1, PR_SPEC_INDIRECT_BRANCH)) \
		ENUML(control, spec_controls, REG(2), IF_EQ(1, PR_SPEC_L1D_FLUSH)) \
		HEX(control, REG(2), IF_OUTSIDE(1, PR_SPEC_STORE_BYPASS, PR_SPEC_L1D_FLUSH))) \
	V(PR_GET_SPECULATION_CTRL, SPEC, ENUML(which, spec_which)) \
	V(PR_MCE_KILL, DEC, ENUML(op, mce_ops) ENUML(policy, mce_policies, IF_EQ(1, 1)) \
			    HEX(b, REG(2), IF_OUTSIDE(1, 1, 1)) HEX(c) HEX(d)) \
	V(PR_MCE_KILL_GET, MCE, HEX(a) HEX(b) HEX(c) HEX(d)) \
	V(PR_SET_PTRACER, DEC, ARG(pid, K_PTRACER)) \
	V(PR_SET_MM, DEC, ENUML(what, prctl_mm) HEX(addr) HEX(len) HEX(d)) \
	V(PR_TASK_PERF_EVENTS_DISABLE, DEC, ) \
	V(PR_TASK_PERF_EVENTS_ENABLE, DEC, ) \
	V(PR_SET_SECCOMP, DEC, ENUML(mode, seccomp_modes) \
			       S_IN(filter, sock_fprog, IF_EQ(1, SECCOMP_MODE_FILTER)) \
			       UNKNOWN_SECCOMP(b, REG(2)) UNKNOWN_SECCOMP(c) \
			       UNKNOWN_SECCOMP(d)) \
	V(PR_GET_SECCOMP, DEC, ) \
	V(PR_SET_SECUREBITS, DEC, FLAGSL(bits, secbits)) \
	V(PR_GET_SECUREBITS, SECBITS, ) \
	V(PR_GET_TID_ADDRESS, DEC, ADDR_OUT(addr)) \
	V(PR_GET_UNALIGN, DEC, VALUE(arg, W_OUT, K_FLAGS, 4, 4, \
				     .tab = &xlat_unaligns)) \
	V(PR_SET_UNALIGN, DEC, FLAGSL(arg, unaligns)) \
	V(PR_GET_FPEMU, DEC, VALUE(arg, W_OUT, K_UINT, 4, 4)) \
	V(PR_SET_FPEMU, DEC, UDEC(arg)) \
	V(PR_GET_FPEXC, DEC, VALUE(arg, W_OUT, K_UINT, 4, 4)) \
	V(PR_SET_FPEXC, DEC, UDEC(arg)) \
	V(PR_GET_ENDIAN, DEC, VALUE(arg, W_OUT, K_ENUM, 4, 4, \
				    .tab = &xlat_endians)) \
	V(PR_SET_ENDIAN, DEC, UDEC(arg)) \
	V(PR_SET_FP_MODE, DEC, FLAGSL(mode, fp_modes)) \
	V(PR_GET_FP_MODE, DEC, ) \
	V(PR_SVE_SET_VL, DEC, HEX(arg)) \
	V(PR_SVE_GET_VL, DEC, ) \
	V(PR_PAC_RESET_KEYS, DEC, FLAGSL(keys, pac_keys) HEX(b) HEX(c) HEX(d)) \
	V(PR_PAC_SET_ENABLED_KEYS, DEC, FLAGSL(keys, pac_enabled_keys) \
		FLAGSL(enabled, pac_enabled_keys) HEX(c) HEX(d)) \
	V(PR_PAC_GET_ENABLED_KEYS, DEC, HEX(a) HEX(b) HEX(c) HEX(d)) \
	V(PR_SET_SYSCALL_USER_DISPATCH, DEC, ENUML(mode, dispatch_modes) \
					     HEX(offset) HEX(len) ADDR(selector)) \
	V(PR_SCHED_CORE, DEC, ENUML(cmd, sched_core_cmds) INT(pid) \
			      ENUML(type, sched_core_types, .numbered = true) ADDR(cookie)) \
	V(PR_SET_VMA, DEC, ENUML(attr, prctl_vma) ADDR(addr, IF_EQ(1, 0)) UDEC(len, IF_EQ(1, 0)) \
			   STR(name, .size = 79, IF_EQ(1, 0)) \
			   HEX(b, REG(2), IF_OUTSIDE(1, 0, 0)) HEX(c, IF_OUTSIDE(1, 0, 0)) \
			   HEX(d, IF_OUTSIDE(1, 0, 0)))

VARIANTS(prctl, N, 0, ~0u)
	PRCTL_COMMON
VARIANTS_END(prctl, N)

VARIANTS(prctl, C, 0, ~0u)
	PRCTL_COMMON
VARIANTS_END(prctl, C)

VARIANTS(fsconfig, B, 1, ~0u)
	V(0, DEC, STR(key) ADDR(value) INT(aux))	/* FSCONFIG_SET_FLAG .. */
	V(1, DEC, STR(key) STR(value) INT(aux))
	V(2, DEC, STR(key) BUF_IN(value, 4, .hex = true) INT(aux))
	V(3, DEC, STR(key) PATH(value) DIRFD(aux))
	V(4, DEC, STR(key) PATH(value) DIRFD(aux))
	V(5, DEC, STR(key) ADDR(value) FD(aux))
VARIANTS_END(fsconfig, B)

VARIANTS(syslog, B, 0, ~0u)
	V(0, DEC, )
	V(1, DEC, )
	V(5, DEC, )
	V(6, DEC, )
	V(7, DEC, )
	V(8, DEC, ADDR(buf) ENUM(len, loglevels, .numbered = true))
	V(9, DEC, )
	V(10, DEC, )
VARIANTS_END(syslog, B)

VARIANTS(seccomp, B, 0, ~0u)
	V(SECCOMP_SET_MODE_FILTER, DEC, FLAGS(flags, seccomp_flags)
					S_IN(uargs, sock_fprog))
	V(SECCOMP_GET_ACTION_AVAIL, DEC, HEX32(flags)
		VALUE(uargs, W_IN, K_ENUM, 4, 4, .tab = &xlat_seccomp_actions))
	V(SECCOMP_GET_NOTIF_SIZES, DEC, HEX32(flags)
					S_OUT(uargs, seccomp_sizes))
VARIANTS_END(seccomp, B)

VARIANTS(kcmp, B, 2, ~0u)
	V(KCMP_FILE, DEC, FD(idx1) FD(idx2))
	V(KCMP_VM, DEC, )
	V(KCMP_FILES, DEC, )
	V(KCMP_FS, DEC, )
	V(KCMP_SIGHAND, DEC, )
	V(KCMP_IO, DEC, )
	V(KCMP_SYSVSEM, DEC, )
VARIANTS_END(kcmp, B)

VARIANTS(epoll_ctl, B, 1, ~0u)
	V(EPOLL_CTL_DEL, DEC, FD(fd) ADDR(event))
VARIANTS_END(epoll_ctl, B)

VARIANTS(arch_prctl, B, 0, ~0u)
	V(ARCH_SET_GS, DEC, HEX(addr))
	V(ARCH_SET_FS, DEC, HEX(addr))
	V(ARCH_GET_FS, DEC, VALUE(addr, W_OUT, K_ADDR, 8, 8))
	V(ARCH_GET_GS, DEC, VALUE(addr, W_OUT, K_ADDR, 8, 8))
	V(ARCH_GET_CPUID, DEC, )
	V(ARCH_SET_CPUID, DEC, UDEC(arg))
VARIANTS_END(arch_prctl, B)

/* The command is what is left without FUTEX_PRIVATE_FLAG and _CLOCK_REALTIME. */
#define FUTEX_COMMON(ts) \
	V(FUTEX_WAIT, DEC, UINT(val) S_IN(utime, ts)) \
	V(FUTEX_WAKE, DEC, UINT(val)) \
	V(FUTEX_FD, DEC, UINT(val)) \
	V(FUTEX_REQUEUE, DEC, UINT(val) UINT(val2) ADDR(uaddr2)) \
	V(FUTEX_CMP_REQUEUE, DEC, UINT(val) UINT(val2) ADDR(uaddr2) \
				  UINT(val3)) \
	V(FUTEX_WAKE_OP, DEC, UINT(val) UINT(val2) ADDR(uaddr2) \
			      ARG(val3, K_WAKEOP)) \
	V(FUTEX_LOCK_PI, DEC, SKIP(val) S_IN(utime, ts)) \
	V(FUTEX_UNLOCK_PI, DEC, ) \
	V(FUTEX_TRYLOCK_PI, DEC, ) \
	V(FUTEX_WAIT_BITSET, DEC, UINT(val) S_IN(utime, ts) SKIP(uaddr2) \
				  ENUM(val3, futex_bitset)) \
	V(FUTEX_WAKE_BITSET, DEC, UINT(val) SKIP(utime) SKIP(uaddr2) \
				  ENUM(val3, futex_bitset)) \
	V(FUTEX_WAIT_REQUEUE_PI, DEC, UINT(val) S_IN(utime, ts) \
				      ADDR(uaddr2)) \
	V(FUTEX_CMP_REQUEUE_PI, DEC, UINT(val) UINT(val2) ADDR(uaddr2) \
				     UINT(val3)) \
	V(FUTEX_LOCK_PI2, DEC, SKIP(val) S_IN(utime, ts))

VARIANTS(futex, B, 1, 127)
	FUTEX_COMMON(timespec)
VARIANTS_END(futex, B)

VARIANTS(futex_time64, C, 1, 127)
	FUTEX_COMMON(timespec64)
VARIANTS_END(futex_time64, C)

#include "variants_ipc.h"
#include "variants_more.h"
#include "variants_bpf.h"
