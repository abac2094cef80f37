/* SPDX-License-Identifier: GPL-2.0-or-later */
/* structs_calls.h - layouts: structs of single calls */
LAYOUT(landlock_ruleset)
	F(landlock_ruleset, handled_access_fs, FLAGS, T(landlock_fs))
	F(landlock_ruleset, handled_access_net, FLAGS, T(landlock_net))
	F(landlock_ruleset, scoped, FLAGS, T(landlock_scopes))
LAYOUT_END(landlock_ruleset, landlock_ruleset, .least = 8)

LAYOUT(landlock_path)
	F(landlock_path, allowed_access, FLAGS, T(landlock_fs))
	F(landlock_path, parent_fd, FD)
LAYOUT_END(landlock_path, landlock_path)

LAYOUT(landlock_port)
	F(landlock_port, allowed_access, FLAGS, T(landlock_net))
	F(landlock_port, port, UDEC)
LAYOUT_END(landlock_port, landlock_port)

LAYOUT(io_event)
	F(io_event, data, HEX)
	F(io_event, obj, HEX)
	F(io_event, res, DEC)
	F(io_event, res2, DEC)
LAYOUT_END(io_event, io_event)

LAYOUT(key_dh)
	FN(key_dh, "private", private_key, KEYSERIAL)
	F(key_dh, prime, KEYSERIAL)
	F(key_dh, base, KEYSERIAL)
LAYOUT_END(key_dh, key_dh)

#define KEY_OP(name_, text) \
LAYOUT(name_) \
	F(key_op, key_id, KEYSERIAL) \
	F(key_op, in_len, UDEC) \
	FN(key_op, text, out_len, UDEC) \
LAYOUT_END(name_, key_op)

KEY_OP(key_op, "out_len")
KEY_OP(key_verify, "in2_len")

LAYOUT(uring_files)
	F(uring_files, offset, UDEC)
	F(uring_files, resv, HEX, .flags = FF_NONZERO)
	F(uring_files, fds, ADDR)
LAYOUT_END(uring_files, uring_files)

LAYOUT(uring_ring)
	F(uring_ring, offset, UDEC)
	F(uring_ring, resv, HEX, .flags = FF_NONZERO)
	F(uring_ring, data, UDEC)
LAYOUT_END(uring_ring, uring_ring)

LAYOUT(uring_ring_hex)
	F(uring_ring, offset, UDEC)
	F(uring_ring, resv, HEX, .flags = FF_NONZERO)
	F(uring_ring, data, HEX)
LAYOUT_END(uring_ring_hex, uring_ring)

LAYOUT(uring_pbuf)
	F(uring_pbuf, ring_addr, HEX)
	F(uring_pbuf, ring_entries, UDEC)
	F(uring_pbuf, bgid, UDEC)
LAYOUT_END(uring_pbuf, uring_pbuf)

LAYOUT(kexec_segment)
	F(kexec_segment, buf, ADDR)
	F(kexec_segment, bufsz, UDEC)
	F(kexec_segment, mem, ADDR)
	F(kexec_segment, memsz, UDEC)
LAYOUT_END(kexec_segment, kexec_segment)

LAYOUT(dqinfo)
	F(dqinfo, dqi_bgrace, UDEC)
	F(dqinfo, dqi_igrace, UDEC)
	F(dqinfo, dqi_flags, FLAGS, T(dq_flags))
	F(dqinfo, dqi_valid, FLAGS, T(dqi_valid))
LAYOUT_END(dqinfo, dqinfo)

#define DQBLK_FIELDS(t) \
	F(t, dqb_bhardlimit, UDEC) \
	F(t, dqb_bsoftlimit, UDEC) \
	F(t, dqb_curspace, UDEC) \
	F(t, dqb_ihardlimit, UDEC) \
	F(t, dqb_isoftlimit, UDEC) \
	F(t, dqb_curinodes, UDEC) \
	F(t, dqb_btime, UDEC, V) \
	F(t, dqb_itime, UDEC, V) \
	F(t, dqb_valid, FLAGS, T(dq_valid), V)

LAYOUT(dqblk)
	DQBLK_FIELDS(dqblk)
LAYOUT_END(dqblk, dqblk)

LAYOUT(nextdqblk)
	DQBLK_FIELDS(nextdqblk)
	F(nextdqblk, dqb_id, UDEC)
LAYOUT_END(nextdqblk, nextdqblk)

LAYOUT(xfs_dqblk)
	F(xfs_dqblk, d_version, DEC)
	F(xfs_dqblk, d_flags, FLAGS, T(xfs_dq_flags))
	F(xfs_dqblk, d_fieldmask, HEX)
	F(xfs_dqblk, d_id, UDEC)
	F(xfs_dqblk, d_blk_hardlimit, UDEC)
	F(xfs_dqblk, d_blk_softlimit, UDEC)
	F(xfs_dqblk, d_ino_hardlimit, UDEC)
	F(xfs_dqblk, d_ino_softlimit, UDEC)
	F(xfs_dqblk, d_bcount, UDEC)
	F(xfs_dqblk, d_icount, UDEC)
	F(xfs_dqblk, d_itimer, DEC, V)
	F(xfs_dqblk, d_btimer, DEC, V)
	F(xfs_dqblk, d_iwarns, UDEC, V)
	F(xfs_dqblk, d_bwarns, UDEC, V)
	F(xfs_dqblk, d_rtb_hardlimit, UDEC, V)
	F(xfs_dqblk, d_rtb_softlimit, UDEC, V)
	F(xfs_dqblk, d_rtbcount, UDEC, V)
	F(xfs_dqblk, d_rtbtimer, DEC, V)
	F(xfs_dqblk, d_rtbwarns, UDEC, V)
LAYOUT_END(xfs_dqblk, xfs_dqblk)

#define QFILE_FIELDS(t) \
	F(t, qfs_ino, UDEC) \
	F(t, qfs_nblks, UDEC) \
	F(t, qfs_nextents, UDEC)

#define QLIMIT_FIELDS(t) \
	F(t, qs_btimelimit, DEC, V) \
	F(t, qs_itimelimit, DEC, V) \
	F(t, qs_rtbtimelimit, DEC, V) \
	F(t, qs_bwarnlimit, UDEC, V) \
	F(t, qs_iwarnlimit, UDEC, V)

LAYOUT(xfs_qfile)
	QFILE_FIELDS(xfs_qfile)
LAYOUT_END(xfs_qfile, xfs_qfile)

LAYOUT(xfs_qfilev)
	QFILE_FIELDS(xfs_qfilev)
LAYOUT_END(xfs_qfilev, xfs_qfilev)

LAYOUT(xfs_qstat)
	F(xfs_qstat, qs_version, DEC)
	F(xfs_qstat, qs_flags, FLAGS, T(xfs_quota_flags), V)
	F(xfs_qstat, qs_uquota, STRUCT, S(xfs_qfile), V)
	F(xfs_qstat, qs_gquota, STRUCT, S(xfs_qfile), V)
	F(xfs_qstat, qs_incoredqs, UDEC, V)
	QLIMIT_FIELDS(xfs_qstat)
LAYOUT_END(xfs_qstat, xfs_qstat)

LAYOUT(xfs_qstatv)
	F(xfs_qstatv, qs_version, DEC)
	F(xfs_qstatv, qs_flags, FLAGS, T(xfs_quota_flags), V)
	F(xfs_qstatv, qs_incoredqs, UDEC, V)
	F(xfs_qstatv, qs_uquota, STRUCT, S(xfs_qfilev), V)
	F(xfs_qstatv, qs_gquota, STRUCT, S(xfs_qfilev), V)
	F(xfs_qstatv, qs_pquota, STRUCT, S(xfs_qfilev), V)
	QLIMIT_FIELDS(xfs_qstatv)
LAYOUT_END(xfs_qstatv, xfs_qstatv)

LAYOUT(user_regs)
	F(user_regs, r15, HEX)
	F(user_regs, r14, HEX)
	F(user_regs, r13, HEX)
	F(user_regs, r12, HEX)
	F(user_regs, rbp, HEX)
	F(user_regs, rbx, HEX)
	F(user_regs, r11, HEX)
	F(user_regs, r10, HEX)
	F(user_regs, r9, HEX)
	F(user_regs, r8, HEX)
	F(user_regs, rax, HEX)
	F(user_regs, rcx, HEX)
	F(user_regs, rdx, HEX)
	F(user_regs, rsi, HEX)
	F(user_regs, rdi, HEX)
	F(user_regs, orig_rax, HEX)
	F(user_regs, rip, HEX)
	F(user_regs, cs, HEX)
	F(user_regs, eflags, HEX)
	F(user_regs, rsp, HEX)
	F(user_regs, ss, HEX)
	F(user_regs, fs_base, HEX)
	F(user_regs, gs_base, HEX)
	F(user_regs, ds, HEX)
	F(user_regs, es, HEX)
	F(user_regs, fs, HEX)
	F(user_regs, gs, HEX)
LAYOUT_END(user_regs, user_regs)

LAYOUT(syscall_info)
	F(syscall_info, op, UDEC)
	F(syscall_info, arch, ENUM, T(audit_archs))
	F(syscall_info, instruction_pointer, HEX)
	F(syscall_info, stack_pointer, HEX)
LAYOUT_END(syscall_info, syscall_info)

LAYOUT(io_uring_params_in)
	F(io_uring_params, flags, FLAGS, T(uring_setup_flags))
	F(io_uring_params, sq_thread_cpu, HEX)
	F(io_uring_params, sq_thread_idle, UDEC)
	F(io_uring_params, wq_fd, FD, .bits = IORING_SETUP_ATTACH_WQ)
LAYOUT_END(io_uring_params_in, io_uring_params)

LAYOUT(uring_sq_off)
	F(uring_sq_off, head, UDEC)
	F(uring_sq_off, tail, UDEC)
	F(uring_sq_off, ring_mask, UDEC)
	F(uring_sq_off, ring_entries, UDEC)
	F(uring_sq_off, flags, UDEC)
	F(uring_sq_off, dropped, UDEC)
	F(uring_sq_off, array, UDEC)
LAYOUT_END(uring_sq_off, uring_sq_off)

LAYOUT(uring_cq_off)
	F(uring_cq_off, head, UDEC)
	F(uring_cq_off, tail, UDEC)
	F(uring_cq_off, ring_mask, UDEC)
	F(uring_cq_off, ring_entries, UDEC)
	F(uring_cq_off, overflow, UDEC)
	F(uring_cq_off, cqes, UDEC)
	F(uring_cq_off, flags, UDEC)
LAYOUT_END(uring_cq_off, uring_cq_off)

LAYOUT(io_uring_params)
	F(io_uring_params, flags, FLAGS, T(uring_setup_flags))
	F(io_uring_params, sq_thread_cpu, HEX)
	F(io_uring_params, sq_thread_idle, UDEC)
	F(io_uring_params, wq_fd, FD, .bits = IORING_SETUP_ATTACH_WQ)
	F(io_uring_params, sq_entries, UDEC)
	F(io_uring_params, cq_entries, UDEC)
	F(io_uring_params, features, FLAGS, T(uring_features))
	F(io_uring_params, sq_off, STRUCT, S(uring_sq_off))
	F(io_uring_params, cq_off, STRUCT, S(uring_cq_off))
LAYOUT_END(io_uring_params, io_uring_params)

LAYOUT(clone_range)
	F(clone_range, src_fd, FD)
	F(clone_range, src_offset, UDEC)
	F(clone_range, src_length, UDEC)
	F(clone_range, dest_offset, UDEC)
LAYOUT_END(clone_range, clone_range)

LAYOUT(fstrim_range)
	F(fstrim_range, start, HEX)
	F(fstrim_range, len, UDEC)
	F(fstrim_range, minlen, UDEC)
LAYOUT_END(fstrim_range, fstrim_range)

LAYOUT(fsxattr)
	F(fsxattr, fsx_xflags, FLAGS, T(fs_xflags))
	F(fsxattr, fsx_extsize, UDEC)
	F(fsxattr, fsx_nextents, UDEC)
	F(fsxattr, fsx_projid, HEX)
	F(fsxattr, fsx_cowextsize, UDEC)
LAYOUT_END(fsxattr, fsxattr)

/* What the kernel does not take is left out. */
LAYOUT(fsxattr_set)
	F(fsxattr, fsx_xflags, FLAGS, T(fs_xflags))
	F(fsxattr, fsx_extsize, UDEC)
	F(fsxattr, fsx_projid, HEX)
	F(fsxattr, fsx_cowextsize, UDEC)
LAYOUT_END(fsxattr_set, fsxattr)

LAYOUT(rtc_time)
	F(rtc_time, tm_sec, DEC)
	F(rtc_time, tm_min, DEC)
	F(rtc_time, tm_hour, DEC)
	F(rtc_time, tm_mday, DEC)
	F(rtc_time, tm_mon, DEC)
	F(rtc_time, tm_year, DEC)
	F(rtc_time, tm_wday, DEC, V)
	F(rtc_time, tm_yday, DEC, V)
	F(rtc_time, tm_isdst, DEC, V)
LAYOUT_END(rtc_time, rtc_time)

LAYOUT(rtc_wkalrm)
	F(rtc_wkalrm, enabled, UDEC)
	F(rtc_wkalrm, pending, UDEC)
	F(rtc_wkalrm, time, STRUCT, S(rtc_time))
LAYOUT_END(rtc_wkalrm, rtc_wkalrm)

LAYOUT(rtc_pll)
	F(rtc_pll, pll_ctrl, DEC)
	F(rtc_pll, pll_value, DEC)
	F(rtc_pll, pll_max, DEC)
	F(rtc_pll, pll_min, DEC)
	F(rtc_pll, pll_posmult, DEC)
	F(rtc_pll, pll_negmult, DEC)
	F(rtc_pll, pll_clock, DEC)
LAYOUT_END(rtc_pll, rtc_pll)
