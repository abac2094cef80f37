/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h - how structs lie in memory, for one word size
 *
 * Included twice, with ABI(name) naming the struct, WORD, UWORD a register's
 * width, and LL, ULL 64 bits with that ABI's alignment.
 */
struct ABI(timespec) { WORD tv_sec; WORD tv_nsec; };
struct ABI(timespec64) { LL tv_sec; LL tv_nsec; };
struct ABI(timeval64) { LL tv_sec; LL tv_usec; };
struct ABI(timeval) { WORD tv_sec; WORD tv_usec; };
struct ABI(timezone) { int tz_minuteswest; int tz_dsttime; };
struct ABI(itimerval) { struct ABI(timeval) it_interval, it_value; };
struct ABI(itimerspec) { struct ABI(timespec) it_interval, it_value; };
struct ABI(itimerspec64) { struct ABI(timespec64) it_interval, it_value; };
struct ABI(utimbuf) { WORD actime; WORD modtime; };
struct ABI(tms) { WORD tms_utime, tms_stime, tms_cutime, tms_cstime; };
struct ABI(timex) {
	uint32_t modes;
	WORD offset, freq, maxerror, esterror;
	int status;
	WORD constant, precision, tolerance;
	struct ABI(timeval) time;
	WORD tick, ppsfreq, jitter;
	int shift;
	WORD stabil, jitcnt, calcnt, errcnt, stbcnt;
	int tai;
	int pad[11];
};
struct ABI(timex64) {
	uint32_t modes, pad1;
	LL offset, freq, maxerror, esterror;
	int status, pad2;
	LL constant, precision, tolerance;
	struct { LL tv_sec, tv_usec; } time;
	LL tick, ppsfreq, jitter;
	int shift, pad3;
	LL stabil, jitcnt, calcnt, errcnt, stbcnt;
	int tai;
	int pad[11];
};

#if ABI_IS_64
struct ABI(stat) {
	UWORD st_dev, st_ino, st_nlink;
	uint32_t st_mode, st_uid, st_gid, pad;
	UWORD st_rdev;
	WORD st_size, st_blksize, st_blocks;
	UWORD st_atime_, st_atime_nsec, st_mtime_, st_mtime_nsec, st_ctime_,
	      st_ctime_nsec;
	WORD unused[3];
};
struct ABI(statfs) {
	WORD f_type, f_bsize, f_blocks, f_bfree, f_bavail, f_files, f_ffree;
	int f_fsid[2];
	WORD f_namelen, f_frsize, f_flags, f_spare[4];
};
#else
struct ABI(stat) {
	uint32_t st_dev, st_ino;
	uint16_t st_mode, st_nlink, st_uid, st_gid;
	uint32_t st_rdev, st_size, st_blksize, st_blocks;
	uint32_t st_atime_, st_atime_nsec, st_mtime_, st_mtime_nsec, st_ctime_,
		 st_ctime_nsec;
	uint32_t unused[2];
};
struct ABI(statfs) {
	int f_type, f_bsize, f_blocks, f_bfree, f_bavail, f_files, f_ffree;
	int f_fsid[2];
	int f_namelen, f_frsize, f_flags, f_spare[4];
};
#endif
/* i386 only, but harmless in the other */
struct ABI(stat64) {
	ULL st_dev;
	uint32_t pad0, ino32;
	uint32_t st_mode, st_nlink, st_uid, st_gid;
	ULL st_rdev;
	uint32_t pad3;
	LL st_size;
	uint32_t st_blksize;
	ULL st_blocks;
	uint32_t st_atime_, st_atime_nsec, st_mtime_, st_mtime_nsec, st_ctime_,
		 st_ctime_nsec;
	ULL st_ino;
};
struct ABI(statfs64) {
	uint32_t f_type, f_bsize;
	ULL f_blocks, f_bfree, f_bavail, f_files, f_ffree;
	int f_fsid[2];
	uint32_t f_namelen, f_frsize, f_flags, f_spare[4];
};
struct ABI(oldstat) {
	uint16_t st_dev, st_ino, st_mode, st_nlink, st_uid, st_gid, st_rdev;
	uint32_t st_size, st_atime_, st_mtime_, st_ctime_;
};
struct ABI(statx_ts) { LL tv_sec; uint32_t tv_nsec; int pad; };
struct ABI(statx) {
	uint32_t stx_mask, stx_blksize;
	ULL stx_attributes;
	uint32_t stx_nlink, stx_uid, stx_gid;
	uint16_t stx_mode, pad0;
	ULL stx_ino, stx_size, stx_blocks, stx_attributes_mask;
	struct ABI(statx_ts) stx_atime, stx_btime, stx_ctime, stx_mtime;
	uint32_t stx_rdev_major, stx_rdev_minor, stx_dev_major, stx_dev_minor;
	ULL stx_mnt_id;
	uint32_t stx_dio_mem_align, stx_dio_offset_align;
	ULL pad3[12];
};
struct ABI(open_how) { ULL flags, mode, resolve; };
struct ABI(cachestat_range) { ULL off, len; };
struct ABI(cachestat) {
	ULL nr_cache, nr_dirty, nr_writeback, nr_evicted, nr_recently_evicted;
};
struct ABI(mnt_id_req) { uint32_t size, mnt_ns_fd; ULL mnt_id, param, mnt_ns_id; };
struct ABI(ns_id_req) {
	uint32_t size, spare;
	ULL ns_id;
	uint32_t ns_type, spare2;
	ULL user_ns_id;
};
struct ABI(statmount) {
	uint32_t size, mnt_opts;
	ULL mask;
	uint32_t sb_dev_major, sb_dev_minor;
	ULL sb_magic;
	uint32_t sb_flags, fs_type;
	ULL mnt_id, mnt_parent_id;
	uint32_t mnt_id_old, mnt_parent_id_old;
	ULL mnt_attr, mnt_propagation, mnt_peer_group, mnt_master,
	    propagate_from;
	uint32_t mnt_root, mnt_point;
	ULL mnt_ns_id;
};
struct ABI(lsm_ctx) { ULL id, flags, len, ctx_len; };
struct ABI(xattr_args) { ULL value; uint32_t size, flags; };
struct ABI(file_attr) {
	ULL fa_xflags;
	uint32_t fa_extsize, fa_nextents, fa_projid, fa_cowextsize;
};
struct ABI(mount_attr) { ULL attr_set, attr_clr, propagation, userns_fd; };
struct ABI(dirent) { UWORD d_ino, d_off; uint16_t d_reclen; };
struct ABI(dirent64) { ULL d_ino; LL d_off; uint16_t d_reclen; uint8_t d_type; };
struct ABI(iovec) { UWORD iov_base, iov_len; };

struct ABI(pollfd) { int fd; int16_t events, revents; };
union ABI(epoll_union) { uint32_t u32; ULL u64; };
struct ABI(epoll_data) { union ABI(epoll_union) u; };
struct ABI(epoll_event) {
	uint32_t events;
	struct ABI(epoll_data) data;
} __attribute__((packed));
struct ABI(sigset_argpack) { UWORD sigmask, sigsetsize; };
struct ABI(flock) {
	int16_t l_type, l_whence;
	WORD l_start, l_len;
	int l_pid;
};
struct ABI(flock64) {
	int16_t l_type, l_whence;
	LL l_start, l_len;
	int l_pid;
};
struct ABI(f_owner_ex) { int type, pid; };
struct ABI(termios) {
	uint32_t c_iflag, c_oflag, c_cflag, c_lflag;
	uint8_t c_line, c_cc[19];
};
struct ABI(termio) { uint16_t c_iflag, c_oflag, c_cflag, c_lflag; uint8_t c_line, c_cc[8]; };
struct ABI(winsize) { uint16_t ws_row, ws_col, ws_xpixel, ws_ypixel; };

struct ABI(sigaction) { UWORD handler, flags, restorer; ULL mask; };
struct ABI(old_sigaction) { UWORD handler, mask, flags, restorer; };
struct ABI(stack) { UWORD ss_sp; int ss_flags; UWORD ss_size; };
struct ABI(sigevent) {
	UWORD sival_ptr;
	int sigev_signo, sigev_notify;
	int sigev_tid;
	int pad[11];
};

struct ABI(clone_args) {
	ULL flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size,
	    tls, set_tid, set_tid_size, cgroup;
};
struct ABI(user_desc) { uint32_t entry_number, base_addr, limit, bits; };
struct ABI(rusage) {
	struct ABI(timeval) ru_utime, ru_stime;
	WORD ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt,
	     ru_nswap, ru_inblock, ru_oublock, ru_msgsnd, ru_msgrcv,
	     ru_nsignals, ru_nvcsw, ru_nivcsw;
};
struct ABI(rlimit) { UWORD rlim_cur, rlim_max; };
struct ABI(rlimit64) { ULL rlim_cur, rlim_max; };
struct ABI(sysinfo) {
	WORD uptime;
	UWORD loads[3], totalram, freeram, sharedram, bufferram, totalswap,
	      freeswap;
	uint16_t procs, pad;
	UWORD totalhigh, freehigh;
	uint32_t mem_unit;
};
struct ABI(utsname) {
	char sysname[65], nodename[65], release[65], version[65], machine[65],
	     domainname[65];
};
struct ABI(sched_attr) {
	uint32_t size, sched_policy;
	ULL sched_flags;
	int sched_nice;
	uint32_t sched_priority;
	ULL sched_runtime, sched_deadline, sched_period;
	uint32_t sched_util_min, sched_util_max;
};
struct ABI(cap_header) { uint32_t version; int pid; };
struct ABI(cap_data) { uint32_t effective, permitted, inheritable, more[3]; };
struct ABI(sock_fprog) { uint16_t len; UWORD filter; };
struct ABI(seccomp_sizes) {
	uint16_t seccomp_notif, seccomp_notif_resp, seccomp_data;
};
struct ABI(futex_waitv) { ULL val, uaddr; uint32_t flags, reserved; };
struct ABI(sembuf) { uint16_t sem_num; int16_t sem_op, sem_flg; };
struct ABI(mq_attr) { WORD mq_flags, mq_maxmsg, mq_msgsize, mq_curmsgs; };
struct ABI(uring_sq_off) {
	uint32_t head, tail, ring_mask, ring_entries, flags, dropped, array,
		 resv1;
	ULL user_addr;
};
struct ABI(uring_cq_off) {
	uint32_t head, tail, ring_mask, ring_entries, overflow, cqes, flags,
		 resv1;
	ULL user_addr;
};
struct ABI(io_uring_params) {
	uint32_t sq_entries, cq_entries, flags, sq_thread_cpu, sq_thread_idle,
		 features, wq_fd, resv[3];
	struct ABI(uring_sq_off) sq_off;
	struct ABI(uring_cq_off) cq_off;
};

/* Sockets */
struct ABI(msghdr) {
	UWORD msg_name;
	int msg_namelen;
	UWORD msg_iov, msg_iovlen, msg_control, msg_controllen;
	int msg_flags;
};
struct ABI(mmsghdr) { struct ABI(msghdr) msg_hdr; uint32_t msg_len; };
struct ABI(cmsghdr) { UWORD cmsg_len; int cmsg_level, cmsg_type; };
struct ABI(sockaddr_in) {
	uint16_t sa_family, sin_port;
	uint32_t sin_addr;
	uint8_t pad[8];
};
struct ABI(sockaddr_in6) {
	uint16_t sa_family, sin6_port;
	uint32_t sin6_flowinfo;
	uint8_t sin6_addr[16];
	uint32_t sin6_scope_id;
};
struct ABI(sockaddr_nl) {
	uint16_t sa_family, nl_pad;
	uint32_t nl_pid, nl_groups;
};
struct ABI(sockaddr_ll) {
	uint16_t sa_family, sll_protocol;
	int sll_ifindex;
	uint16_t sll_hatype;
	uint8_t sll_pkttype, sll_halen, sll_addr[8];
};
struct ABI(linger) { int l_onoff, l_linger; };
struct ABI(ucred) { int pid; uint32_t uid, gid; };
struct ABI(ip_mreq) { uint32_t imr_multiaddr, imr_interface; };
struct ABI(ipv6_mreq) {
	uint8_t ipv6mr_multiaddr[16];
	uint32_t ipv6mr_interface;
};
union ABI(sockaddr_any) { UWORD align; uint8_t bytes[128]; };
struct ABI(group_req) { uint32_t gr_interface; union ABI(sockaddr_any) gr_group; };
struct ABI(packet_mreq) {
	int mr_ifindex;
	uint16_t mr_type, mr_alen;
	uint8_t mr_address[8];
};
struct ABI(tpacket_req) {
	uint32_t tp_block_size, tp_block_nr, tp_frame_size, tp_frame_nr;
};

#include "memory_ipc.h"
#include "memory_calls.h"
#include "memory_bpf.h"
#include "memory_netlink.h"

/* What an interface is asked for: its name, then one of many things. */
struct ABI(sockaddr_hw) { uint16_t sa_family; uint8_t sa_data[14]; };
struct ABI(ifmap) {
	UWORD mem_start, mem_end;
	uint16_t base_addr;
	uint8_t irq, dma, port;
};
union ABI(ifr) {
	uint16_t ifr_flags;
	struct ABI(sockaddr_hw) ifr_hwaddr;
	struct ABI(ifmap) ifr_map;
	char ifr_newname[16];
	int ifr_ifindex, ifr_mtu, ifr_metric, ifr_qlen;
	uint8_t ifr_addr[16];
	UWORD fill[2];
	char room[ABI_IS_64 ? 24 : 16];
};
struct ABI(ifreq) { char ifr_name[16]; union ABI(ifr) u; };
struct ABI(ifconf) { int ifc_len; UWORD ifc_buf; };
