/* SPDX-License-Identifier: GPL-2.0-or-later */
/* structs_file.h - layouts: files and descriptors */
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
	F(mount_attr, propagation, FLAGS, T(mount_propagation))
	F(mount_attr, userns_fd, DEC)
LAYOUT_END(mount_attr, mount_attr, .least = 32)

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

#define TERMIOS_FIELDS(t) \
	F(t, c_iflag, PARTS, .tab = tty_iflag_parts) \
	F(t, c_oflag, PARTS, .tab = tty_oflag_parts) \
	F(t, c_cflag, PARTS, .tab = tty_cflag_parts) \
	F(t, c_lflag, PARTS, .tab = tty_lflag_parts) \
	F(t, c_line, ENUM, T(tty_lines), V) \
	F(t, c_cc, NAMED_BYTES, T(tty_chars), V)

LAYOUT(termios)
	TERMIOS_FIELDS(termios)
LAYOUT_END(termios, termios)

/* System V's */
LAYOUT(termio)
	TERMIOS_FIELDS(termio)
LAYOUT_END(termio, termio)

LAYOUT(winsize)
	F(winsize, ws_row, UDEC)
	F(winsize, ws_col, UDEC)
	F(winsize, ws_xpixel, UDEC)
	F(winsize, ws_ypixel, UDEC)
LAYOUT_END(winsize, winsize)
