/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscalls_new.h - calls since Linux 6.5: their numbers are in "numbers" too */

SYS(cachestat, B, DESC, DEC, FD(fd) S_IN(cstat_range, cachestat_range)
	S_OUT(cstat, cachestat) FLAGS(flags, no_flags))
SYS(fchmodat2, B, DESC|FILES, DEC, DIRFD(dfd) PATH(filename) MODE(mode)
	FLAGS(flags, at_flags))
SYS(fchroot, B, DESC|FILES, DEC, FD(fd) FLAGS(flags, no_flags))

/* Memory */
SYS(map_shadow_stack, B, MEMORY, HEX, ADDR(addr) UDEC(size)
	FLAGS(flags, shadow_stack_flags))
SYS(mseal, B, MEMORY, DEC, ADDR(start) UDEC(len) FLAGSL(flags, no_flags))

/* Threads */
SYS(futex_wake, B, 0, DEC, ADDR(uaddr) HEX(mask) INT(nr)
	FLAGS(flags, futex2_call_flags))
SYS(futex_wait, B, 0, DEC, ADDR(uaddr) HEX(val) HEX(mask)
	FLAGS(flags, futex2_call_flags) S_IN(timespec, timespec64)
	CLOCK(clockid))
SYS(futex_requeue, B, 0, DEC,
	S_LIST(waiters, W_IN, futex_waitv, REF_CONST, .size = 2)
	FLAGS(flags, no_flags) INT(nr_wake) INT(nr_requeue))
SYS(rseq_slice_yield, B, 0, DEC, )
SYS(uretprobe, N, 0, HEX, )
SYS(uprobe, N, 0, HEX, )

/* Mounts and namespaces */
SYS(statmount, B, 0, DEC, S_IN(req, mnt_id_req) S_OUT(buf, statmount)
	UDEC(bufsize) FLAGS(flags, statmount_flags))
SYS(listmount, B, 0, DEC, S_IN(req, mnt_id_req)
	LIST(mnt_ids, W_OUT, K_HEX, 8, 8, REF_RET) UDEC(nr_mnt_ids)
	FLAGS(flags, listmount_flags))
SYS(listns, B, 0, DEC, S_IN(req, ns_id_req)
	LIST(ns_ids, W_OUT, K_UDEC, 8, 8, REF_RET) UDEC(nr_ns_ids)
	FLAGS(flags, no_flags))
SYS(open_tree_attr, B, DESC|FILES, FD, DIRFD(dfd) PATH(filename)
	FLAGS(flags, open_tree_flags) S_SIZED(uattr, W_IN, mount_attr, 4)
	UDEC(usize))

/* Security modules */
SYS(lsm_get_self_attr, B, 0, DEC, ENUM(attr, lsm_attrs) S_OUT(ctx, lsm_ctx)
	LENP(size) FLAGS(flags, lsm_flags))
SYS(lsm_set_self_attr, B, 0, DEC, ENUM(attr, lsm_attrs) S_IN(ctx, lsm_ctx)
	UINT(size) FLAGS(flags, no_flags))
SYS(lsm_list_modules, B, 0, DEC,
	LIST(ids, W_OUT, K_ENUM, 8, 8, REF_RET, .tab = &xlat_lsm_ids)
	LENP(size) FLAGS(flags, no_flags))

/* Attributes of files */
SYS(setxattrat, B, DESC|FILES, DEC, DIRFD(dfd) PATH(path)
	FLAGS(at_flags, at_flags) STR(name) S_SIZED(args, W_IN, xattr_args, 5)
	UDEC(size))
SYS(getxattrat, B, DESC|FILES, DEC, DIRFD(dfd) PATH(path)
	FLAGS(at_flags, at_flags) STR(name) S_SIZED(args, W_IN, xattr_args, 5)
	UDEC(size))
SYS(listxattrat, B, DESC|FILES, DEC, DIRFD(dfd) PATH(path)
	FLAGS(at_flags, at_flags) BUF_OUT(list) UDEC(size))
SYS(removexattrat, B, DESC|FILES, DEC, DIRFD(dfd) PATH(path)
	FLAGS(at_flags, at_flags) STR(name))
SYS(file_getattr, B, DESC|FILES, DEC, DIRFD(dfd) PATH(filename)
	S_SIZED(attr, W_OUT, file_attr, 3) UDEC(usize)
	FLAGS(at_flags, at_flags))
SYS(file_setattr, B, DESC|FILES, DEC, DIRFD(dfd) PATH(filename)
	S_SIZED(attr, W_IN, file_attr, 3) UDEC(usize)
	FLAGS(at_flags, at_flags))
