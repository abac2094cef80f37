// SPDX-License-Identifier: GPL-2.0-or-later
/* sys_rows.c - tables/syscalls.h and variants.h as data, by number */
#include <asm/ioctls.h>
#include <asm/prctl.h>
#include <asm/ptrace-abi.h>
#include <linux/eventpoll.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/blkzoned.h>
#include <linux/bpf.h>
#include <linux/dqblk_xfs.h>
#include <linux/kcmp.h>
#include <linux/keyctl.h>
#include <linux/loop.h>
#include <linux/membarrier.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/msg.h>
#include <linux/nsfs.h>
#include <linux/perf_event.h>
#include <linux/prctl.h>
#include <linux/ptrace.h>
#include <linux/quota.h>
#include <linux/random.h>
#include <linux/rtc.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/sem.h>
#include <linux/shm.h>
#include <linux/sockios.h>
#include <linux/watchdog.h>
#include <stddef.h>
#include "consts.h"
#include "sys_layouts.h"
#include "sys_rows.h"
#include "tables/words.h"

#define DESC		C_DESC
#define FILES		C_FILES
#define PROCESS		C_PROCESS
#define NET		C_NET
#define SIGNAL		C_SIGNAL
#define IPC		C_IPC
#define MEMORY		C_MEMORY
#define CREDS		C_CREDS
#define CLOCKS		C_CLOCKS
#define PURE		C_PURE
#define STAT		C_STAT
#define LSTAT		C_LSTAT
#define FSTAT		C_FSTAT
#define STAT_LIKE	C_STAT_LIKE
#define STATFS		C_STATFS
#define FSTATFS		C_FSTATFS
#define STATFS_LIKE	C_STATFS_LIKE

/* Names that an option of a number has in one of the two calls alone. */
static const struct sys_opt_names get_names[] = {
	{ 0, &xlat_ip_get_options }, { 1, &xlat_so_get_options },
	{ 41, &xlat_ipv6_get_options }, { 0, NULL },
};

static const struct sys_opt_names set_names[] = {
	{ 0, &xlat_ip_set_options }, { 41, &xlat_ipv6_set_options },
	{ 0, NULL },
};

/* Results */
#define RET_DEC		.ret = R_DEC
#define RET_PID		.ret = R_PID
#define RET_UDEC	.ret = R_UDEC
#define RET_HEX		.ret = R_HEX
#define RET_OCT		.ret = R_OCT
#define RET_FD		.ret = R_FD
#define RET_NONE	.ret = R_NONE
#define RET_POLL	.ret = R_POLL
#define RET_SELECT	.ret = R_SELECT
#define RET_TIME	.ret = R_TIME
#define RET_SIGNO	.ret = R_SIGNO
#define RET_IOPRIO	.ret = R_IOPRIO
#define RET_MMSG	.ret = R_MMSG
#define RET_SIGMASK	.ret = R_MASK, .ret_text = "mask "
#define RET_OLDMASK	.ret = R_MASK, .ret_text = "old mask "
#define RET_TLS		.ret = R_TLS
#define RET_SIGHAND	.ret = R_SIGHAND
#define RET_RESUMED	.ret = R_DEC, .resumes = true
#define RET_CMD		.ret = R_DEC
#define RET_FLAGS(t, text) \
	.ret = R_FLAGS, .ret_tab = &xlat_##t, .ret_text = text
#define RET_ENUM(t)	.ret = R_ENUM, .ret_tab = &xlat_##t
#define RET_FDFLAGS	RET_FLAGS(fd_flags, "flags ")
#define RET_OPENFLAGS	RET_FLAGS(open_flags, "flags ")
#define RET_SEALS	RET_FLAGS(seals, "seals ")
#define RET_SECBITS	RET_FLAGS(secbits, "")
#define RET_PERSONA	RET_FLAGS(personality, NULL)
#define RET_SCHED	.ret = R_POLICY, .ret_tab = &xlat_sched_other
#define RET_LEASE	RET_ENUM(lease_types)
#define RET_SUIDDUMP	.ret = R_POLICY, .ret_tab = &xlat_suid_dump
#define RET_MCE		.ret = R_POLICY, .ret_tab = &xlat_mce_policies
#define RET_SPEC	RET_ENUM(spec_controls)
#define RET_TIMEX	.ret = R_POLICY, .ret_tab = &xlat_adjtimex_state
#define RET_MEMBARRIER	RET_FLAGS(membarrier_mask, NULL)
#define RET_NSTYPE	.ret = R_POLICY, .ret_tab = &xlat_ns_types
#define RET_FCNTLSIG	.ret = R_SIGNO

/* mount only changes how what is mounted is shared. */
#define MS_CHANGE	(MS_SHARED | MS_PRIVATE | MS_SLAVE | MS_UNBINDABLE)

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Variants: arguments, then rows, then the table of a call. */
#define VNAME2(prefix, line) prefix##line
#define VNAME(prefix, line) VNAME2(prefix, line)

#define VARIANTS(call, abi, r, m) \
	static const struct sys_variant v_##call##_##abi[] = {
#define V(k, r, ...) {							\
	.key = k, RET_##r,						\
	.nargs = COUNT(((const struct sys_arg[]){ __VA_ARGS__ { 0 } })) - 1, \
	.args = (const struct sys_arg[]){ __VA_ARGS__ { 0 } } },
#define VN(k, call, r, ...)						\
	{ .key = k, .name = #call, RET_##r,				\
	.nargs = COUNT(((const struct sys_arg[]){ __VA_ARGS__ { 0 } })) - 1, \
	.args = (const struct sys_arg[]){ __VA_ARGS__ { 0 } } },
#define VARIANTS_END(call, abi) };
#include "tables/variants.h"
#undef VARIANTS
#undef V
#undef VN
#undef VARIANTS_END

#define VARIANTS(call, abi, r, m) \
	static const struct sys_variants variants_##call##_##abi = { \
		.v = v_##call##_##abi, .n = COUNT(v_##call##_##abi), \
		.reg = r, .mask = m };
#define V(k, r, ...)
#define VN(k, call, r, ...)
#define VARIANTS_END(call, abi)
#undef FCNTL_COMMON
#undef PRCTL_COMMON
#undef FUTEX_COMMON
#include "tables/variants.h"

/* Arguments of the calls, then the calls. */
#define SYS(call, abi, cls, r, ...) \
	static const struct sys_arg args_##call##_##abi[] = \
		{ __VA_ARGS__ { 0 } };
#define SYSV SYS
#define SYSI SYS
#include "tables/syscalls.h"
#undef SYS
#undef SYSV
#undef SYSI

#define SUBS(call, r) static const struct sys_subs subs_##call;
#define SUB(k, call, abi)
#define SUBS_END(call)
#include "tables/subcalls.h"
#undef SUBS
#undef SUB
#undef SUBS_END

#define ROW(call, abi, cls, r, ...) \
	static const struct sys_desc row_##call##_##abi = {		\
		.name = #call, RET_##r, .classes = cls,			\
		.nargs = COUNT(args_##call##_##abi) - 1,		\
		.args = args_##call##_##abi, ##__VA_ARGS__ };
#define SYS(call, abi, cls, r, ...)	ROW(call, abi, cls, r)
#define SYSV(call, abi, cls, r, ...) \
	ROW(call, abi, cls, r, .variants = &variants_##call##_##abi)
#define SYSI(call, abi, cls, r, ...) \
	ROW(call, abi, cls, r, .subs = &subs_##call)
#include "tables/syscalls.h"

#define SUBS(call, r) static const struct sys_sub sub_##call[] = {
#define SUB(k, call, abi) { k, &row_##call##_##abi },
#define SUBS_END(call) };
#include "tables/subcalls.h"
#undef SUBS
#undef SUB
#undef SUBS_END

#define SUBS(call, r) static const struct sys_subs subs_##call = {	\
	.sub = sub_##call, .n = COUNT(sub_##call), .reg = r };
#define SUB(k, call, abi)
#define SUBS_END(call)
#include "tables/subcalls.h"

/* Calls of newer headers for which there is no row yet. */
static const struct sys_arg args_bare[] __attribute__((unused)) = {
	HEX(a) HEX(b) HEX(c) HEX(d) HEX(e) HEX(f)
};
#define KTR_NR(abi, nr, call, row)
#define KTR_BARE(abi, nr, call) \
	static const struct sys_desc bare_##abi##_##call = {		\
		.name = #call, .nargs = COUNT(args_bare), .args = args_bare };
#include "sysnr.h"
#undef KTR_NR
#undef KTR_BARE

#define ONLY_NATIVE(...) __VA_ARGS__
#define ONLY_COMPAT(...)
#define KTR_NR(abi, nr, call, row) ONLY_##abi([nr] = &row_##call##_##row,)
#define KTR_BARE(abi, nr, call) ONLY_##abi([nr] = &bare_##abi##_##call,)
static const struct sys_desc *const native[] = {
#include "sysnr.h"
};

#undef ONLY_NATIVE
#undef ONLY_COMPAT
#define ONLY_NATIVE(...)
#define ONLY_COMPAT(...) __VA_ARGS__
static const struct sys_desc *const compat[] = {
#include "sysnr.h"
};

const struct sys_rows sys_rows[__KTR_ABI_LAST] = {
	[KTR_ABI_NATIVE] = { native, COUNT(native) },
	[KTR_ABI_COMPAT] = { compat, COUNT(compat) },
};
