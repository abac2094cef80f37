/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * structs.h - how structs are shown: their fields in the order of printing
 *
 *   LAYOUT(name)                    begins the rows of a layout
 *   F(struct, member, KIND, ...)      a field; what follows are more members of
 *                                   struct sys_field: V, .flags = FF_*, .bits =
 *   FN(struct, "text", member, KIND)  a field that is called otherwise
 *   LAYOUT_END(name, struct)        of memory.h, whose size it has
 *
 * V marks a field that only -v shows. T(x) is a table of constants, S(x) the
 * layout of a struct inside.
 */
LAYOUT(timespec)
	F(timespec, tv_sec, DEC)
	F(timespec, tv_nsec, UDEC)
LAYOUT_END(timespec, timespec)

LAYOUT(timespec64)
	F(timespec64, tv_sec, DEC)
	F(timespec64, tv_nsec, UDEC)
LAYOUT_END(timespec64, timespec64)

/* For utimensat: the date behind, and its two special values. */
LAYOUT(utimespec)
	F(timespec, tv_sec, TIMESPEC)
	F(timespec, tv_nsec, UDEC)
LAYOUT_END(utimespec, timespec)

LAYOUT(utimespec64)
	F(timespec64, tv_sec, TIMESPEC)
	F(timespec64, tv_nsec, UDEC)
LAYOUT_END(utimespec64, timespec64)

/* For utimes. */
LAYOUT(utimeval)
	F(timeval, tv_sec, TIMESPEC)
	F(timeval, tv_usec, UDEC)
LAYOUT_END(utimeval, timeval)

LAYOUT(timeval64)
	F(timeval64, tv_sec, DEC)
	F(timeval64, tv_usec, UDEC)
LAYOUT_END(timeval64, timeval64)

LAYOUT(timeval)
	F(timeval, tv_sec, DEC)
	F(timeval, tv_usec, UDEC)
LAYOUT_END(timeval, timeval)

LAYOUT(timezone)
	F(timezone, tz_minuteswest, DEC)
	F(timezone, tz_dsttime, DEC)
LAYOUT_END(timezone, timezone)

LAYOUT(itimerval)
	F(itimerval, it_interval, STRUCT, S(timeval))
	F(itimerval, it_value, STRUCT, S(timeval))
LAYOUT_END(itimerval, itimerval)

LAYOUT(itimerspec)
	F(itimerspec, it_interval, STRUCT, S(timespec))
	F(itimerspec, it_value, STRUCT, S(timespec))
LAYOUT_END(itimerspec, itimerspec)

LAYOUT(itimerspec64)
	F(itimerspec64, it_interval, STRUCT, S(timespec64))
	F(itimerspec64, it_value, STRUCT, S(timespec64))
LAYOUT_END(itimerspec64, itimerspec64)

LAYOUT(utimbuf)
	F(utimbuf, actime, TIMESTAMP)
	F(utimbuf, modtime, TIMESTAMP)
LAYOUT_END(utimbuf, utimbuf)

LAYOUT(tms)
	F(tms, tms_utime, TICKS)
	F(tms, tms_stime, TICKS)
	F(tms, tms_cutime, TICKS)
	F(tms, tms_cstime, TICKS)
LAYOUT_END(tms, tms)

#define TIMEX_FIELDS(t, timefield) \
	F(t, modes, FLAGS, T(adjtimex_modes)) \
	F(t, offset, DEC) \
	F(t, freq, DEC) \
	F(t, maxerror, DEC) \
	F(t, esterror, UDEC) \
	F(t, status, FLAGS, T(adjtimex_status)) \
	F(t, constant, DEC) \
	F(t, precision, UDEC) \
	F(t, tolerance, DEC) \
	timefield \
	F(t, tick, DEC) \
	F(t, ppsfreq, DEC) \
	F(t, jitter, DEC) \
	F(t, shift, DEC) \
	F(t, stabil, DEC) \
	F(t, jitcnt, DEC) \
	F(t, calcnt, DEC) \
	F(t, errcnt, DEC) \
	F(t, stbcnt, DEC) \
	F(t, tai, DEC)

LAYOUT(timex)
	TIMEX_FIELDS(timex, F(timex, time, STRUCT, S(timeval)))
LAYOUT_END(timex, timex)

LAYOUT(timex64)
	TIMEX_FIELDS(timex64, F(timex64, time, STRUCT, S(timeval64)))
LAYOUT_END(timex64, timex64)

#define STAT_FIELDS(t) \
	F(t, st_dev, DEV, V) \
	F(t, st_ino, UDEC, V) \
	F(t, st_mode, FILEMODE) \
	F(t, st_nlink, UDEC, V) \
	F(t, st_uid, UDEC, V) \
	F(t, st_gid, UDEC, V) \
	F(t, st_blksize, UDEC, V) \
	F(t, st_blocks, UDEC, V) \
	F(t, st_size, UDEC, .flags = FF_NODEV) \
	F(t, st_rdev, DEV, .flags = FF_DEV) \
	FN(t, "st_atime", st_atime_, FILETIME, V) \
	F(t, st_atime_nsec, UDEC, V) \
	FN(t, "st_mtime", st_mtime_, FILETIME, V) \
	F(t, st_mtime_nsec, UDEC, V) \
	FN(t, "st_ctime", st_ctime_, FILETIME, V) \
	F(t, st_ctime_nsec, UDEC, V)

LAYOUT(stat)
	STAT_FIELDS(stat)
LAYOUT_END(stat, stat)

LAYOUT(stat64)
	STAT_FIELDS(stat64)
LAYOUT_END(stat64, stat64)

/* i386 before 1993 */
LAYOUT(oldstat)
	F(oldstat, st_dev, DEV, V)
	F(oldstat, st_ino, UDEC, V)
	F(oldstat, st_mode, FILEMODE)
	F(oldstat, st_nlink, UDEC, V)
	F(oldstat, st_uid, UDEC, V)
	F(oldstat, st_gid, UDEC, V)
	F(oldstat, st_size, UDEC, .flags = FF_NODEV)
	F(oldstat, st_rdev, DEV, .flags = FF_DEV)
	FN(oldstat, "st_atime", st_atime_, TIMESTAMP, V)
	FN(oldstat, "st_mtime", st_mtime_, TIMESTAMP, V)
	FN(oldstat, "st_ctime", st_ctime_, TIMESTAMP, V)
LAYOUT_END(oldstat, oldstat)

LAYOUT(statx_ts)
	F(statx_ts, tv_sec, TIMESPEC)
	F(statx_ts, tv_nsec, UDEC)
LAYOUT_END(statx_ts, statx_ts)

LAYOUT(statx)
	F(statx, stx_mask, FLAGS, T(statx_masks))
	F(statx, stx_blksize, UDEC, V)
	F(statx, stx_attributes, FLAGS, T(statx_attrs))
	F(statx, stx_nlink, UDEC, V, .bits = STATX_NLINK)
	F(statx, stx_uid, UDEC, V, .bits = STATX_UID)
	F(statx, stx_gid, UDEC, V, .bits = STATX_GID)
	F(statx, stx_mode, FILEMODE, .bits = STATX_TYPE | STATX_MODE)
	F(statx, stx_ino, UDEC, V, .bits = STATX_INO)
	F(statx, stx_size, UDEC, .bits = STATX_SIZE)
	F(statx, stx_blocks, UDEC, V, .bits = STATX_BLOCKS)
	F(statx, stx_attributes_mask, FLAGS, T(statx_attrs), V)
	F(statx, stx_atime, STRUCT, S(statx_ts), V, .bits = STATX_ATIME)
	F(statx, stx_btime, STRUCT, S(statx_ts), V, .bits = STATX_BTIME)
	F(statx, stx_ctime, STRUCT, S(statx_ts), V, .bits = STATX_CTIME)
	F(statx, stx_mtime, STRUCT, S(statx_ts), V, .bits = STATX_MTIME)
	F(statx, stx_rdev_major, UDEC, V)
	F(statx, stx_rdev_minor, UDEC, V)
	F(statx, stx_dev_major, UDEC, V)
	F(statx, stx_dev_minor, UDEC, V)
	F(statx, stx_mnt_id, HEX, V)
LAYOUT_END(statx, statx)

#define STATFS_FIELDS(t) \
	F(t, f_type, ENUM, T(fsmagic)) \
	F(t, f_bsize, UDEC) \
	F(t, f_blocks, UDEC) \
	F(t, f_bfree, UDEC) \
	F(t, f_bavail, UDEC) \
	F(t, f_files, UDEC) \
	F(t, f_ffree, UDEC) \
	FN(t, "f_fsid", f_fsid, FSID) \
	F(t, f_namelen, UDEC) \
	F(t, f_frsize, UDEC) \
	F(t, f_flags, FLAGS, T(statfs_flags), .bits = 0x20 /* ST_VALID */)

LAYOUT(statfs)
	STATFS_FIELDS(statfs)
LAYOUT_END(statfs, statfs)

LAYOUT(statfs64)
	STATFS_FIELDS(statfs64)
LAYOUT_END(statfs64, statfs64)

LAYOUT(open_how)
	F(open_how, flags, FLAGS, T(open_flags))
	F(open_how, mode, OCT, .flags = FF_NONZERO)
	F(open_how, resolve, FLAGS, T(resolve_flags))
LAYOUT_END(open_how, open_how)

LAYOUT(mount_attr)
	F(mount_attr, attr_set, FLAGS, T(mount_attr_flags))
	F(mount_attr, attr_clr, FLAGS, T(mount_attr_flags))
	F(mount_attr, propagation, FLAGS, T(mount_flags))
	F(mount_attr, userns_fd, DEC)
LAYOUT_END(mount_attr, mount_attr)

LAYOUT(dirent)
	F(dirent, d_ino, UDEC)
	F(dirent, d_off, UDEC)
	F(dirent, d_reclen, UDEC)
LAYOUT_END(dirent, dirent)

LAYOUT(dirent64)
	F(dirent64, d_ino, UDEC)
	F(dirent64, d_off, DEC)
	F(dirent64, d_reclen, UDEC)
	F(dirent64, d_type, ENUM, T(dirent_types))
LAYOUT_END(dirent64, dirent64)

LAYOUT(iovec)
	F(iovec, iov_base, ADDR)
	F(iovec, iov_len, UDEC)
LAYOUT_END(iovec, iovec)

LAYOUT(pollfd)
	F(pollfd, fd, FD)
	F(pollfd, events, FLAGS, T(poll_flags), .flags = FF_IF_FD)
LAYOUT_END(pollfd, pollfd)

/* What poll answers: shown beside the result. */
LAYOUT(pollfd_out)
	F(pollfd, fd, FD)
	F(pollfd, revents, FLAGS, T(poll_flags))
LAYOUT_END(pollfd_out, pollfd)

LAYOUT(epoll_data)
	FN(epoll_data, "u32", u.u32, UDEC)
	FN(epoll_data, "u64", u.u64, UDEC)
LAYOUT_END(epoll_data, epoll_data)

LAYOUT(epoll_event)
	F(epoll_event, events, FLAGS, T(epoll_events))
	F(epoll_event, data, STRUCT, S(epoll_data))
LAYOUT_END(epoll_event, epoll_event)

LAYOUT(sigset_argpack)
	F(sigset_argpack, sigmask, ADDR)
	F(sigset_argpack, sigsetsize, UDEC)
LAYOUT_END(sigset_argpack, sigset_argpack)

#define FLOCK_FIELDS(t) \
	F(t, l_type, ENUM, T(lock_types)) \
	F(t, l_whence, ENUM, T(seek_whence)) \
	F(t, l_start, DEC) \
	F(t, l_len, DEC)

LAYOUT(flock)
	FLOCK_FIELDS(flock)
LAYOUT_END(flock, flock)

LAYOUT(flock_pid)
	FLOCK_FIELDS(flock)
	F(flock, l_pid, DEC)
LAYOUT_END(flock_pid, flock)

LAYOUT(flock64)
	FLOCK_FIELDS(flock64)
LAYOUT_END(flock64, flock64)

LAYOUT(flock64_pid)
	FLOCK_FIELDS(flock64)
	F(flock64, l_pid, DEC)
LAYOUT_END(flock64_pid, flock64)

LAYOUT(f_owner_ex)
	F(f_owner_ex, type, ENUM, T(f_owner_types))
	F(f_owner_ex, pid, DEC)
LAYOUT_END(f_owner_ex, f_owner_ex)

LAYOUT(termios)
	F(termios, c_iflag, PARTS, .tab = tty_iflag_parts)
	F(termios, c_oflag, PARTS, .tab = tty_oflag_parts)
	F(termios, c_cflag, PARTS, .tab = tty_cflag_parts)
	F(termios, c_lflag, PARTS, .tab = tty_lflag_parts)
	F(termios, c_line, ENUM, T(tty_lines), V)
	F(termios, c_cc, NAMED_BYTES, T(tty_chars), V)
LAYOUT_END(termios, termios)

LAYOUT(winsize)
	F(winsize, ws_row, UDEC)
	F(winsize, ws_col, UDEC)
	F(winsize, ws_xpixel, UDEC)
	F(winsize, ws_ypixel, UDEC)
LAYOUT_END(winsize, winsize)

LAYOUT(sigaction)
	FN(sigaction, "sa_handler", handler, SIGHAND)
	FN(sigaction, "sa_mask", mask, SIGSET)
	FN(sigaction, "sa_flags", flags, FLAGS, T(sa_flags))
	FN(sigaction, "sa_restorer", restorer, ADDR, .bits = SA_RESTORER)
LAYOUT_END(sigaction, sigaction)

LAYOUT(old_sigaction)
	FN(old_sigaction, "sa_handler", handler, SIGHAND)
	FN(old_sigaction, "sa_mask", mask, SIGSET)
	FN(old_sigaction, "sa_flags", flags, FLAGS, T(sa_flags))
	FN(old_sigaction, "sa_restorer", restorer, ADDR, .bits = SA_RESTORER)
LAYOUT_END(old_sigaction, old_sigaction)

LAYOUT(stack)
	F(stack, ss_sp, ADDR)
	F(stack, ss_flags, FLAGS, T(sigaltstack_flags))
	F(stack, ss_size, UDEC)
LAYOUT_END(stack, stack)

LAYOUT(sigevent)
	FN(sigevent, "sigev_value", sival_ptr, SIGVAL, .flags = FF_NONZERO)
	F(sigevent, sigev_signo, SIGEV)
	F(sigevent, sigev_notify, ENUM, T(sigev_notify))
	FN(sigevent, "sigev_notify_thread_id", sigev_tid, DEC,
	   .enum1 = SIGEV_THREAD_ID + 1)
LAYOUT_END(sigevent, sigevent)

LAYOUT(clone_args)
	F(clone_args, flags, FLAGS, T(clone3_flags))
	F(clone_args, pidfd, ADDR, .bits = CLONE_PIDFD)
	F(clone_args, child_tid, ADDR,
	  .bits = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)
	F(clone_args, parent_tid, ADDR, .bits = CLONE_PARENT_SETTID)
	F(clone_args, exit_signal, SIGNO)
	F(clone_args, stack, ADDR)
	F(clone_args, stack_size, HEX)
	F(clone_args, tls, HEX, .bits = CLONE_SETTLS)
	F(clone_args, set_tid, ADDR, .flags = FF_NONZERO)
	F(clone_args, set_tid_size, UDEC, .flags = FF_NONZERO)
	F(clone_args, cgroup, UDEC, .flags = FF_NONZERO)
LAYOUT_END(clone_args, clone_args)

LAYOUT(user_desc)
	F(user_desc, entry_number, DEC)
	F(user_desc, base_addr, HEX)
	F(user_desc, limit, HEX16)
	FN(user_desc, "seg_32bit", bits, BITS, .n = 0, .ekind = 1)
	FN(user_desc, "contents", bits, BITS, .n = 1, .ekind = 2)
	FN(user_desc, "read_exec_only", bits, BITS, .n = 3, .ekind = 1)
	FN(user_desc, "limit_in_pages", bits, BITS, .n = 4, .ekind = 1)
	FN(user_desc, "seg_not_present", bits, BITS, .n = 5, .ekind = 1)
	FN(user_desc, "useable", bits, BITS, .n = 6, .ekind = 1)
	FN(user_desc, "lm", bits, BITS, .n = 7, .ekind = 1, .flags = FF_NATIVE)
LAYOUT_END(user_desc, user_desc)

LAYOUT(mmap_arg)
	F(mmap_arg, addr, ADDR)
	F(mmap_arg, len, UDEC)
	F(mmap_arg, prot, FLAGS, T(mmap_prot))
	F(mmap_arg, flags, FLAGS, T(mmap_flags))
	F(mmap_arg, fd, FD)
	F(mmap_arg, offset, HEX)
LAYOUT_END(mmap_arg, mmap_arg)

LAYOUT(rusage)
	F(rusage, ru_utime, STRUCT, S(timeval))
	F(rusage, ru_stime, STRUCT, S(timeval))
	F(rusage, ru_maxrss, UDEC, V)
	F(rusage, ru_ixrss, UDEC, V)
	F(rusage, ru_idrss, UDEC, V)
	F(rusage, ru_isrss, UDEC, V)
	F(rusage, ru_minflt, UDEC, V)
	F(rusage, ru_majflt, UDEC, V)
	F(rusage, ru_nswap, UDEC, V)
	F(rusage, ru_inblock, UDEC, V)
	F(rusage, ru_oublock, UDEC, V)
	F(rusage, ru_msgsnd, UDEC, V)
	F(rusage, ru_msgrcv, UDEC, V)
	F(rusage, ru_nsignals, UDEC, V)
	F(rusage, ru_nvcsw, UDEC, V)
	F(rusage, ru_nivcsw, UDEC, V)
LAYOUT_END(rusage, rusage)

LAYOUT(rlimit)
	F(rlimit, rlim_cur, RLIM)
	F(rlimit, rlim_max, RLIM)
LAYOUT_END(rlimit, rlimit)

LAYOUT(rlimit64)
	F(rlimit64, rlim_cur, RLIM)
	F(rlimit64, rlim_max, RLIM)
LAYOUT_END(rlimit64, rlimit64)

LAYOUT(sysinfo)
	F(sysinfo, uptime, UDEC)
	F(sysinfo, loads, ARRAY, .ekind = K_UDEC, .n = 3)
	F(sysinfo, totalram, UDEC)
	F(sysinfo, freeram, UDEC)
	F(sysinfo, sharedram, UDEC)
	F(sysinfo, bufferram, UDEC)
	F(sysinfo, totalswap, UDEC)
	F(sysinfo, freeswap, UDEC)
	F(sysinfo, procs, UDEC)
	F(sysinfo, totalhigh, UDEC)
	F(sysinfo, freehigh, UDEC)
	F(sysinfo, mem_unit, UDEC)
LAYOUT_END(sysinfo, sysinfo)

LAYOUT(utsname)
	F(utsname, sysname, CHARS)
	F(utsname, nodename, CHARS)
	F(utsname, release, CHARS, V)
	F(utsname, version, CHARS, V)
	F(utsname, machine, CHARS, V)
	F(utsname, domainname, CHARS, V)
LAYOUT_END(utsname, utsname)

LAYOUT(sched_attr)
	F(sched_attr, size, UDEC)
	F(sched_attr, sched_policy, ENUM, T(sched_other), .flags = FF_SIZED)
	F(sched_attr, sched_flags, FLAGS, T(sched_flags), .flags = FF_SIZED)
	F(sched_attr, sched_nice, DEC, .flags = FF_SIZED)
	F(sched_attr, sched_priority, UDEC, .flags = FF_SIZED)
	F(sched_attr, sched_runtime, UDEC, .flags = FF_SIZED)
	F(sched_attr, sched_deadline, UDEC, .flags = FF_SIZED)
	F(sched_attr, sched_period, UDEC, .flags = FF_SIZED)
	F(sched_attr, sched_util_min, UDEC, .flags = FF_SIZED)
	F(sched_attr, sched_util_max, UDEC, .flags = FF_SIZED)
LAYOUT_END(sched_attr, sched_attr)

LAYOUT(cap_header)
	F(cap_header, version, ENUM, T(cap_versions))
	F(cap_header, pid, DEC)
LAYOUT_END(cap_header, cap_header)

/* Two halves, 32 capabilities each; the second since version 2. */
LAYOUT(cap_data)
	F(cap_data, effective, CAPMASK, T(caps))
	F(cap_data, permitted, CAPMASK, T(caps))
	F(cap_data, inheritable, CAPMASK, T(caps))
LAYOUT_END(cap_data, cap_data)

LAYOUT(sock_fprog)
	F(sock_fprog, len, UDEC)
	F(sock_fprog, filter, ADDR)
LAYOUT_END(sock_fprog, sock_fprog)

LAYOUT(seccomp_sizes)
	F(seccomp_sizes, seccomp_notif, UDEC)
	F(seccomp_sizes, seccomp_notif_resp, UDEC)
	F(seccomp_sizes, seccomp_data, UDEC)
LAYOUT_END(seccomp_sizes, seccomp_sizes)

LAYOUT(futex_waitv)
	F(futex_waitv, val, HEX)
	F(futex_waitv, uaddr, ADDR)
	F(futex_waitv, flags, FLAGS, T(futex2_flags))
	FN(futex_waitv, "__reserved", reserved, HEX, .flags = FF_NONZERO)
LAYOUT_END(futex_waitv, futex_waitv)

LAYOUT(sembuf)
	F(sembuf, sem_num, UDEC)
	F(sembuf, sem_op, DEC)
	F(sembuf, sem_flg, FLAGS, T(sem_flags))
LAYOUT_END(sembuf, sembuf)

LAYOUT(mq_attr)
	F(mq_attr, mq_flags, FLAGS, T(mq_flags))
	F(mq_attr, mq_maxmsg, DEC)
	F(mq_attr, mq_msgsize, DEC)
	F(mq_attr, mq_curmsgs, DEC)
LAYOUT_END(mq_attr, mq_attr)

LAYOUT(io_uring_params)
	F(io_uring_params, flags, FLAGS, T(uring_setup_flags))
	F(io_uring_params, sq_thread_cpu, HEX)
	F(io_uring_params, sq_thread_idle, UDEC)
	F(io_uring_params, sq_entries, UDEC)
	F(io_uring_params, cq_entries, UDEC)
	F(io_uring_params, features, FLAGS, T(uring_features))
LAYOUT_END(io_uring_params, io_uring_params)

/* Sockets; messages are printed by hand, their size is what counts. */
LAYOUT(msghdr)
	F(msghdr, msg_namelen, DEC)
	F(msghdr, msg_flags, FLAGS, T(msg_flags))
LAYOUT_END(msghdr, msghdr)

LAYOUT(mmsghdr)
	F(mmsghdr, msg_len, UDEC)
LAYOUT_END(mmsghdr, mmsghdr)

LAYOUT(sockaddr_in)
	F(sockaddr_in, sa_family, ENUM, T(addrfams))
	F(sockaddr_in, sin_port, PORT)
	F(sockaddr_in, sin_addr, INADDR)
LAYOUT_END(sockaddr_in, sockaddr_in)

LAYOUT(sockaddr_in6)
	F(sockaddr_in6, sa_family, ENUM, T(addrfams))
	F(sockaddr_in6, sin6_port, PORT)
	F(sockaddr_in6, sin6_flowinfo, HTONL)
	F(sockaddr_in6, sin6_addr, IN6ADDR, .flags = FF_BARE)
	F(sockaddr_in6, sin6_scope_id, UDEC)
LAYOUT_END(sockaddr_in6, sockaddr_in6)

LAYOUT(sockaddr_nl)
	F(sockaddr_nl, sa_family, ENUM, T(addrfams))
	F(sockaddr_nl, nl_pid, DEC)
	F(sockaddr_nl, nl_groups, HEX08)
LAYOUT_END(sockaddr_nl, sockaddr_nl)

LAYOUT(linger)
	F(linger, l_onoff, DEC)
	F(linger, l_linger, DEC)
LAYOUT_END(linger, linger)

LAYOUT(ucred)
	F(ucred, pid, DEC)
	F(ucred, uid, UID)
	F(ucred, gid, UID)
LAYOUT_END(ucred, ucred)

LAYOUT(ip_mreq)
	F(ip_mreq, imr_multiaddr, INADDR)
	F(ip_mreq, imr_interface, INADDR)
LAYOUT_END(ip_mreq, ip_mreq)

LAYOUT(ipv6_mreq)
	F(ipv6_mreq, ipv6mr_multiaddr, IN6ADDR, .flags = FF_BARE)
	F(ipv6_mreq, ipv6mr_interface, UDEC)
LAYOUT_END(ipv6_mreq, ipv6_mreq)

LAYOUT(sockaddr_ll)
	F(sockaddr_ll, sa_family, ENUM, T(addrfams))
	F(sockaddr_ll, sll_protocol, PORT)
	F(sockaddr_ll, sll_ifindex, DEC)
	F(sockaddr_ll, sll_hatype, UDEC)
	F(sockaddr_ll, sll_pkttype, UDEC)
	F(sockaddr_ll, sll_halen, UDEC)
	F(sockaddr_ll, sll_addr, BYTES)
LAYOUT_END(sockaddr_ll, sockaddr_ll)

LAYOUT(cmsghdr)
	F(cmsghdr, cmsg_len, UDEC)
	F(cmsghdr, cmsg_level, ENUM, T(sock_levels))
	F(cmsghdr, cmsg_type, DEC)
LAYOUT_END(cmsghdr, cmsghdr)
