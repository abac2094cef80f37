/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory_calls.h - structs of single calls, see memory.h */
struct ABI(landlock_ruleset) {
	ULL handled_access_fs, handled_access_net, scoped;
};
struct ABI(landlock_path) {
	ULL allowed_access;
	int parent_fd;
} __attribute__((packed));
struct ABI(landlock_port) { ULL allowed_access, port; };

struct ABI(io_event) { ULL data, obj; LL res, res2; };
struct ABI(iocb) {
	ULL aio_data;
	uint32_t aio_key, aio_rw_flags;
	uint16_t aio_lio_opcode;
	int16_t aio_reqprio;
	uint32_t aio_fildes;
	ULL aio_buf, aio_nbytes;
	LL aio_offset;
	ULL aio_reserved2;
	uint32_t aio_flags, aio_resfd;
};
struct ABI(file_handle) { uint32_t handle_bytes; int handle_type; };

struct ABI(key_dh) { int32_t private_key, prime, base; };
struct ABI(key_op) { int32_t key_id; uint32_t in_len, out_len, spare[7]; };
struct ABI(uring_files) { uint32_t offset, resv; ULL fds; };
struct ABI(uring_ring) { uint32_t offset, resv; ULL data; };
struct ABI(uring_pbuf) {
	ULL ring_addr;
	uint32_t ring_entries;
	uint16_t bgid, pad;
	ULL resv[3];
};

struct ABI(kexec_segment) { UWORD buf, bufsz, mem, memsz; };

struct ABI(dqinfo) {
	ULL dqi_bgrace, dqi_igrace;
	uint32_t dqi_flags, dqi_valid;
};
struct ABI(dqblk) {
	ULL dqb_bhardlimit, dqb_bsoftlimit, dqb_curspace, dqb_ihardlimit,
	    dqb_isoftlimit, dqb_curinodes, dqb_btime, dqb_itime;
	uint32_t dqb_valid;
};
struct ABI(nextdqblk) {
	ULL dqb_bhardlimit, dqb_bsoftlimit, dqb_curspace, dqb_ihardlimit,
	    dqb_isoftlimit, dqb_curinodes, dqb_btime, dqb_itime;
	uint32_t dqb_valid, dqb_id;
};
struct ABI(xfs_dqblk) {
	int8_t d_version, d_flags;
	uint16_t d_fieldmask;
	uint32_t d_id;
	ULL d_blk_hardlimit, d_blk_softlimit, d_ino_hardlimit, d_ino_softlimit,
	    d_bcount, d_icount;
	int d_itimer, d_btimer;
	uint16_t d_iwarns, d_bwarns;
	int d_padding2;
	ULL d_rtb_hardlimit, d_rtb_softlimit, d_rtbcount;
	int d_rtbtimer;
	uint16_t d_rtbwarns;
	int16_t d_padding3;
	char d_padding4[8];
};
struct ABI(xfs_qfile) { ULL qfs_ino, qfs_nblks; uint32_t qfs_nextents; };
struct ABI(xfs_qstat) {
	int8_t qs_version;
	uint16_t qs_flags;
	int8_t qs_pad;
	struct ABI(xfs_qfile) qs_uquota, qs_gquota;
	uint32_t qs_incoredqs;
	int qs_btimelimit, qs_itimelimit, qs_rtbtimelimit;
	uint16_t qs_bwarnlimit, qs_iwarnlimit;
};
struct ABI(xfs_qfilev) { ULL qfs_ino, qfs_nblks; uint32_t qfs_nextents, qfs_pad; };
struct ABI(xfs_qstatv) {
	int8_t qs_version;
	uint8_t qs_pad1;
	uint16_t qs_flags;
	uint32_t qs_incoredqs;
	struct ABI(xfs_qfilev) qs_uquota, qs_gquota, qs_pquota;
	int qs_btimelimit, qs_itimelimit, qs_rtbtimelimit;
	uint16_t qs_bwarnlimit, qs_iwarnlimit;
	ULL qs_pad2[8];
};

struct ABI(user_regs) {
	UWORD r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx,
	      rsi, rdi, orig_rax, rip, cs, eflags, rsp, ss, fs_base, gs_base,
	      ds, es, fs, gs;
};
struct ABI(syscall_info) {
	uint8_t op, pad[3];
	uint32_t arch;
	ULL instruction_pointer, stack_pointer;
};

struct ABI(clone_range) { LL src_fd; ULL src_offset, src_length, dest_offset; };
struct ABI(fstrim_range) { ULL start, len, minlen; };
struct ABI(fsxattr) {
	uint32_t fsx_xflags, fsx_extsize, fsx_nextents, fsx_projid, fsx_cowextsize, pad[2];
};
struct ABI(rtc_time) {
	int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
};
struct ABI(rtc_wkalrm) { uint8_t enabled, pending; struct ABI(rtc_time) time; };
struct ABI(rtc_pll) {
	int pll_ctrl, pll_value, pll_max, pll_min, pll_posmult, pll_negmult;
	WORD pll_clock;
};
