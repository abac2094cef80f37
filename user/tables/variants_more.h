/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variants_more.h - io_uring, landlock, keys, quotas, ptrace; see variants.h */

VARIANTS(membarrier, B, 0, ~0u)
	V(MEMBARRIER_CMD_QUERY, MEMBARRIER, FLAGS(flags, membarrier_flags)
	  INT(cpu_id, IF(1, MEMBARRIER_CMD_FLAG_CPU)))
VARIANTS_END(membarrier, B)

VARIANTS(landlock_add_rule, B, 1, ~0u)
	V(1, DEC, S_IN(rule_attr, landlock_path) FLAGS(flags, no_flags))
	V(2, DEC, S_IN(rule_attr, landlock_port) FLAGS(flags, no_flags))
VARIANTS_END(landlock_add_rule, B)

/* The numbers, as headers have them only from some version on. */
VARIANTS(io_uring_register, B, 1, ~0u)
	V(0, DEC, S_LIST(arg, W_IN, iovec, 3) UINT(nr_args))	/* BUFFERS */
	V(2, DEC, LIST(arg, W_IN, K_FD, 4, 4, 3) UINT(nr_args))	/* FILES */
	V(4, DEC, LIST(arg, W_IN, K_FD, 4, 4, 3) UINT(nr_args))	/* EVENTFD */
	V(7, DEC, LIST(arg, W_IN, K_FD, 4, 4, 3) UINT(nr_args))	/* _ASYNC */
	V(6, DEC, S_IN(arg, uring_files) UINT(nr_args))
	V(17, DEC, CPUS(arg, W_IN, 3) UINT(nr_args))	/* IOWQ_AFF */
	V(20, DEC, S_LIST(arg, W_IN, uring_ring, 3) UINT(nr_args))
	V(21, DEC, S_LIST(arg, W_IN, uring_ring_hex, 3) UINT(nr_args))
	V(22, DEC, S_IN(arg, uring_pbuf) UINT(nr_args))
	V(23, DEC, S_IN(arg, uring_pbuf) UINT(nr_args))
VARIANTS_END(io_uring_register, B)

#define KEY(n, ...)	ARG(n, K_KEYSERIAL, ##__VA_ARGS__)

VARIANTS(keyctl, B, 0, ~0u)
	V(KEYCTL_GET_KEYRING_ID, DEC, KEY(id) INT(create))
	V(KEYCTL_JOIN_SESSION_KEYRING, DEC, STR(name))
	V(KEYCTL_UPDATE, DEC, KEY(id) BUF_IN(payload, 3) UDEC(plen))
	V(KEYCTL_REVOKE, DEC, KEY(id))
	V(KEYCTL_CHOWN, DEC, KEY(id) UID(uid) UID(gid))
	V(KEYCTL_SETPERM, DEC, KEY(id) FLAGS(perm, keyperms))
	V(KEYCTL_DESCRIBE, DEC, KEY(id) BUF_OUT(buffer, ROOM(3), .trim_text = true)
				UDEC(buflen))
	V(KEYCTL_CLEAR, DEC, KEY(ringid))
	V(KEYCTL_LINK, DEC, KEY(id) KEY(ringid))
	V(KEYCTL_UNLINK, DEC, KEY(id) KEY(ringid))
	V(KEYCTL_SEARCH, DEC, KEY(ringid) STR(type) STR(description)
			      KEY(destringid))
	V(KEYCTL_READ, DEC, KEY(id) BUF_OUT(buffer, ROOM(3)) UDEC(buflen))
	V(KEYCTL_INSTANTIATE, DEC, KEY(id) BUF_IN(payload, 3) UDEC(plen)
				   KEY(ringid))
	V(KEYCTL_NEGATE, DEC, KEY(id) UINT(timeout) KEY(ringid))
	V(KEYCTL_SET_REQKEY_KEYRING, DEC, ENUM(reqkey_defl, key_reqkeys))
	V(KEYCTL_SET_TIMEOUT, DEC, KEY(id) UINT(timeout))
	V(KEYCTL_ASSUME_AUTHORITY, DEC, KEY(id))
	V(KEYCTL_GET_SECURITY, DEC, KEY(id)
	  BUF_OUT(buffer, ROOM(3), .trim_text = true) UDEC(buflen))
	V(KEYCTL_SESSION_TO_PARENT, DEC, )
	V(KEYCTL_REJECT, DEC, KEY(id) UINT(timeout) ARG(error, K_ERRNO)
			      KEY(ringid))
	V(KEYCTL_INSTANTIATE_IOV, DEC, KEY(id) S_LIST(iov, W_IN, iovec, 3)
				       UDEC(ioc) KEY(ringid))
	V(KEYCTL_INVALIDATE, DEC, KEY(id))
	V(KEYCTL_GET_PERSISTENT, DEC, UID(uid) KEY(destringid))
	V(KEYCTL_RESTRICT_KEYRING, DEC, KEY(ringid) STR(type) STR(restriction))
	V(KEYCTL_CAPABILITIES, DEC, LIST(buffer, W_OUT, K_FLAGS, 1, 1, REF_RET,
					 ROOM(2), .tab = &xlat_key_caps0,
					 .out = &xlat_key_caps1) UDEC(buflen))
	V(KEYCTL_DH_COMPUTE, DEC, S_IN(params, key_dh) ADDR(buffer) UDEC(buflen)
				  ADDR(kdf))
	V(KEYCTL_PKEY_QUERY, DEC, KEY(id) HEX(reserved) STR(info) ADDR(result))
	V(KEYCTL_PKEY_ENCRYPT, DEC, S_IN(params, key_op) STR(info) ADDR(in)
				    ADDR(out))
	V(KEYCTL_PKEY_DECRYPT, DEC, S_IN(params, key_op) STR(info) ADDR(in)
				    ADDR(out))
	V(KEYCTL_PKEY_SIGN, DEC, S_IN(params, key_op) STR(info) ADDR(in)
				 ADDR(out))
	V(KEYCTL_PKEY_VERIFY, DEC, S_IN(params, key_verify) STR(info) ADDR(in)
				   ADDR(in2))
	V(KEYCTL_MOVE, DEC, KEY(id) KEY(from) KEY(to)
			    FLAGS(flags, keyctl_move_flags))
VARIANTS_END(keyctl, B)

/* The kind of quota is in the lowest byte. */
#define QUOTA(cmd)	((cmd) << 8)
/* where: the file system, if it is not in a register in front */
#define QUOTACTL(where) \
	V(QUOTA(Q_SYNC), DEC, where) \
	V(QUOTA(Q_QUOTAON), DEC, where \
	  ENUM(id, quota_formats) PATH(addr)) \
	V(QUOTA(Q_QUOTAOFF), DEC, where) \
	V(QUOTA(Q_GETFMT), DEC, where VALUE(addr, W_OUT, K_ENUM, 4, 4, \
		REG(3), .tab = &xlat_quota_formats)) \
	V(QUOTA(Q_GETINFO), DEC, where S_OUT(addr, dqinfo, REG(3))) \
	V(QUOTA(Q_SETINFO), DEC, where S_IN(addr, dqinfo, REG(3))) \
	V(QUOTA(Q_GETQUOTA), DEC, where UID(id) S_OUT(addr, dqblk)) \
	V(QUOTA(Q_SETQUOTA), DEC, where UID(id) S_IN(addr, dqblk)) \
	V(QUOTA(Q_GETNEXTQUOTA), DEC, where UID(id) \
	  S_OUT(addr, nextdqblk)) \
	V(QUOTA(Q_XQUOTAON), DEC, where VALUE(addr, W_IN, K_FLAGS, 4, 4, \
		REG(3), .tab = &xlat_xfs_quota_flags)) \
	V(QUOTA(Q_XQUOTAOFF), DEC, where VALUE(addr, W_IN, K_FLAGS, 4, 4, \
		REG(3), .tab = &xlat_xfs_quota_flags)) \
	V(QUOTA(Q_XQUOTARM), DEC, where VALUE(addr, W_IN, K_FLAGS, 4, 4, \
		REG(3), .tab = &xlat_xfs_dq_flags)) \
	V(QUOTA(Q_XGETQUOTA), DEC, where UID(id) S_OUT(addr, xfs_dqblk)) \
	V(QUOTA(Q_XGETNEXTQUOTA), DEC, where UID(id) \
	  S_OUT(addr, xfs_dqblk)) \
	V(QUOTA(Q_XSETQLIM), DEC, where UID(id) S_IN(addr, xfs_dqblk)) \
	V(QUOTA(Q_XQUOTASYNC), DEC, where) \
	V(QUOTA(Q_XGETQSTAT), DEC, where S_OUT(addr, xfs_qstat, REG(3))) \
	V(QUOTA(Q_XGETQSTATV), DEC, where S_OUT(addr, xfs_qstatv, REG(3)))

VARIANTS(quotactl, B, 0, ~0xffu)
	QUOTACTL(PATH(special))
VARIANTS_END(quotactl, B)

VARIANTS(quotactl_fd, B, 1, ~0xffu)
	QUOTACTL()
VARIANTS_END(quotactl_fd, B)

#define CONT(cmd)	V(cmd, DEC, PID(pid) ADDR(addr) ARG(data, K_SIGINT))
#define PTRACE_COMMON \
	V(PTRACE_TRACEME, DEC, ) \
	V(PTRACE_PEEKTEXT, DEC, PID(pid) ADDR(addr) HEX_OUT(data)) \
	V(PTRACE_PEEKDATA, DEC, PID(pid) ADDR(addr) HEX_OUT(data)) \
	V(PTRACE_KILL, DEC, PID(pid)) \
	V(PTRACE_ATTACH, DEC, PID(pid)) \
	V(PTRACE_INTERRUPT, DEC, PID(pid)) \
	V(PTRACE_LISTEN, DEC, PID(pid)) \
	CONT(PTRACE_CONT) \
	CONT(PTRACE_SINGLESTEP) \
	CONT(PTRACE_DETACH) \
	CONT(PTRACE_SYSCALL) \
	CONT(PTRACE_SYSEMU) \
	CONT(PTRACE_SYSEMU_SINGLESTEP) \
	CONT(PTRACE_SINGLEBLOCK) \
	V(PTRACE_OLDSETOPTIONS, DEC, PID(pid) ADDR(addr) \
				     FLAGSL(data, ptrace_options)) \
	V(PTRACE_SETOPTIONS, DEC, PID(pid) ADDR(addr) \
				  FLAGSL(data, ptrace_options)) \
	V(PTRACE_SEIZE, DEC, PID(pid) ADDR(addr) FLAGSL(data, ptrace_options)) \
	V(PTRACE_GETEVENTMSG, DEC, PID(pid) ADDR(addr) ULONG_OUT(data)) \
	V(PTRACE_GETSIGINFO, DEC, PID(pid) ADDR(addr) SIGINFO_OUT(data)) \
	V(PTRACE_SETSIGINFO, DEC, PID(pid) ADDR(addr) SIGINFO_IN(data)) \
	V(PTRACE_GETSIGMASK, DEC, PID(pid) UDEC(addr) SIGSET_OUT(data, 2)) \
	V(PTRACE_SETSIGMASK, DEC, PID(pid) UDEC(addr) SIGSET_IN(data, 2)) \
	V(PTRACE_GETREGSET, DEC, PID(pid) ENUML(addr, regset_types) \
				 S_IN(data, iovec)) \
	V(PTRACE_SETREGSET, DEC, PID(pid) ENUML(addr, regset_types) \
				 S_IN(data, iovec)) \
	V(PTRACE_SECCOMP_GET_FILTER, DEC, PID(pid) UDEC(addr) ADDR(data)) \
	V(PTRACE_GET_SYSCALL_INFO, DEC, PID(pid) UDEC(addr) \
					S_OUT(data, syscall_info))

VARIANTS(ptrace, N, 0, ~0u)
	PTRACE_COMMON
	V(PTRACE_PEEKUSR, DEC, PID(pid) ENUML(addr, user_words_64)
			       HEX_OUT(data))
	V(PTRACE_POKEUSR, DEC, PID(pid) ENUML(addr, user_words_64) ADDR(data))
	V(PTRACE_GETREGS, DEC, PID(pid) S_OUT(data, user_regs, REG(3)))
	V(PTRACE_SETREGS, DEC, PID(pid) S_IN(data, user_regs, REG(3)))
	V(PTRACE_GETFPREGS, DEC, PID(pid) ADDR(data, REG(3)))
	V(PTRACE_SETFPREGS, DEC, PID(pid) ADDR(data, REG(3)))
VARIANTS_END(ptrace, N)

VARIANTS(ptrace, C, 0, ~0u)
	PTRACE_COMMON
	V(PTRACE_GETREGS, DEC, PID(pid) ADDR(data, REG(3)))
	V(PTRACE_SETREGS, DEC, PID(pid) ADDR(data, REG(3)))
	V(PTRACE_GETFPREGS, DEC, PID(pid) ADDR(data, REG(3)))
	V(PTRACE_SETFPREGS, DEC, PID(pid) ADDR(data, REG(3)))
VARIANTS_END(ptrace, C)
