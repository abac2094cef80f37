// SPDX-License-Identifier: GPL-2.0-or-later
/* Data from here to there without passing through the process; attributes; mounts. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

static void copies(int from, int to)
{
	loff_t off = 0, out = 10;
	off_t pos = 2;
	int p[2];

	if (pipe2(p, O_CLOEXEC))
		_exit(1);
	splice(from, &off, p[1], NULL, 8, SPLICE_F_MOVE);
	tee(p[0], p[1], 0, SPLICE_F_NONBLOCK);
	splice(p[0], NULL, to, &out, 8, 0);
	sendfile(to, from, &pos, 5);
	sendfile(to, from, NULL, 3);
	copy_file_range(from, NULL, to, NULL, 4, 0);
	vmsplice(p[1], &(struct iovec){ "vm", 2 }, 1, SPLICE_F_GIFT);
}

static void vectors(int fd)
{
	char a[4] = "abc", b[8];
	struct iovec iov[2] = { { a, 3 }, { b, 5 } };

	pwritev(fd, iov, 1, 100);
	preadv(fd, iov, 2, 98);
	preadv2(fd, iov, 2, 0, RWF_HIPRI);
	sync_file_range(fd, 0, 10, SYNC_FILE_RANGE_WRITE);
}

static void attributes(int fd)
{
	struct open_how how = {
		.flags = O_RDONLY, .resolve = RESOLVE_BENEATH,
	};
	struct statx stx;
	struct statfs fs;
	char buf[64];

	setxattr("source", "user.one", "value", 5, XATTR_CREATE);
	getxattr("source", "user.one", buf, sizeof(buf));
	fgetxattr(fd, "user.none", buf, sizeof(buf));
	/* How long it is, whatever lies there. */
	strcpy(buf, "before");
	getxattr("source", "user.one", buf, 0);
	getxattr("source", "user.one", NULL, 0);
	getxattr("source", "user.one", buf, 2);
	lgetxattr("source", "user.one", buf, 0);
	lgetxattr("source", "user.one", NULL, 0);
	fgetxattr(fd, "user.one", buf, 0);
	fgetxattr(fd, "user.none", buf, 0);
	fgetxattr(fd, "user.one", NULL, 0);
	listxattr("source", buf, sizeof(buf));
	listxattr("source", buf, 0);
	llistxattr("/proc/self", buf, 0);
	flistxattr(fd, NULL, 0);
	removexattr("source", "user.one");
	statx(AT_FDCWD, "source", AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &stx);
	statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &stx);
	close(syscall(SYS_openat2, AT_FDCWD, "source", &how, sizeof(how)));
	syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", &how, sizeof(how));
	syscall(SYS_openat2, AT_FDCWD, "source", &how, 3);
	fstatfs(fd, &fs);
	syscall(SYS_faccessat2, AT_FDCWD, "source", R_OK, AT_EACCESS);
}

static void mounts(void)
{
	int fd;

	if (unshare(CLONE_NEWNS))
		return;
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	mkdir("mnt", 0755);
	mount("none", "mnt", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k");
	mount("mnt", "mnt", NULL, MS_BIND, NULL);
	umount2("mnt", MNT_DETACH);
	umount2("none", UMOUNT_NOFOLLOW);
	fd = syscall(SYS_fsopen, "tmpfs", 1);
	syscall(SYS_fsconfig, fd, 1, "size", "1m", 0);
	syscall(SYS_fsconfig, fd, 6, NULL, NULL, 0);
	close(syscall(SYS_fsmount, fd, 1, 0));
	close(fd);
	close(syscall(SYS_open_tree, AT_FDCWD, "mnt", 1));
}

int main(void)
{
	int from = open("source", O_RDWR | O_CREAT, 0600);
	int to = open("target", O_RDWR | O_CREAT, 0600);

	if (write(from, "0123456789", 10) != 10)
		return 1;
	lseek(from, 0, SEEK_SET);
	copies(from, to);
	vectors(to);
	attributes(from);
	mounts();
	return 0;
}
