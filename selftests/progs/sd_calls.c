// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that the usual programs make rarely, good and bad ones. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/dqblk_xfs.h>
#include <linux/futex.h>
#include <linux/quota.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static void files(void)
{
	struct timespec ts[2] = { { 1000000000, 5000 }, { 0, UTIME_OMIT } };
	struct flock fl = { .l_type = F_WRLCK, .l_len = 10 };
	char buf[128];
	int fd = open("file", O_RDWR | O_CREAT | O_EXCL, 0640);

	pwrite(fd, "0123456789", 10, 5);
	pread(fd, buf, 7, 3);
	lseek(fd, 0, SEEK_END);
	lseek(fd, -100, SEEK_SET);
	ftruncate(fd, 100);
	fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 4096);
	flock(fd, LOCK_EX | LOCK_NB);
	fcntl(fd, F_SETLK, &fl);
	fcntl(fd, F_GETFL);
	fchmod(fd, 0600);
	fchown(fd, 0, 0);
	futimens(fd, ts);
	fdatasync(fd);
	symlink("file", "link");
	readlink("link", buf, sizeof(buf));
	link("file", "hard");
	rename("hard", "other");
	renameat2(AT_FDCWD, "link", AT_FDCWD, "other", RENAME_NOREPLACE);
	chmod("nothing", 04755);
	mkdir("dir", 0755);
	chdir("dir");
	getcwd(buf, sizeof(buf));
	chdir("..");
	rmdir("dir");
	unlinkat(AT_FDCWD, "other", 0);
	faccessat(AT_FDCWD, "file", R_OK | W_OK, 0);
	mknod("fifo", S_IFIFO | 0600, 0);
	close(fd);
	close(fd);
}

static void bad_pointers(void)
{
	struct iovec iov = { (void *)8, 5 };

	syscall(SYS_openat, AT_FDCWD, 8, O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, 0, O_RDONLY);
	syscall(SYS_write, 1, 8, 10);
	syscall(SYS_read, 0, 8, 10);
	syscall(SYS_execve, "/nothing", 8, 0);
	syscall(SYS_newfstatat, AT_FDCWD, "file", 8, 0);
	syscall(SYS_writev, 1, 8, 2);
	syscall(SYS_writev, 1, &iov, 1);
	syscall(SYS_nanosleep, 8, 0);
	syscall(SYS_rt_sigaction, 99, 0, 0, 8);
	syscall(SYS_rt_sigprocmask, 77, 8, 0, 8);
	syscall(SYS_pipe2, 8, O_CLOEXEC);
}

static void memory(void)
{
	void *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, 4096, MADV_DONTNEED);
	mprotect(p, 4096, PROT_NONE);
	p = mremap(p, 8192, 16384, MREMAP_MAYMOVE);
	msync(p, 4096, MS_SYNC);
	mlock(p, 0);
	munmap(p, 16384);
	mmap((void *)1, 0, 0x80, 0, 77, 0);
	close(memfd_create("mem", MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

static void process(void)
{
	struct rlimit rl = { 100, 200 };
	struct sched_param sp = { 0 };
	struct utsname uts;
	struct timespec ts;
	int word = 0;

	getrlimit(RLIMIT_NOFILE, &rl);
	setrlimit(RLIMIT_CORE, &rl);
	prctl(PR_SET_NAME, "new name");
	prctl(PR_SET_DUMPABLE, 1);
	uname(&uts);
	getpgid(0);
	getsid(0);
	setpgid(0, 0);
	umask(027);
	getpriority(PRIO_PROCESS, 0);
	syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 4);
	syscall(SYS_ioprio_get, 1, 0);
	syscall(SYS_ioprio_set, 1, 0, 6 << 13 | 1);
	setpriority(PRIO_PROCESS, 0, 1);
	sched_getscheduler(0);
	sched_setscheduler(0, SCHED_BATCH, &sp);
	sched_yield();
	syscall(SYS_clock_getres, CLOCK_MONOTONIC, &ts);
	syscall(SYS_clock_nanosleep, CLOCK_REALTIME, 0, &(struct timespec){ 0 },
		NULL);
	syscall(SYS_gettid);
	syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
	syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL);
	setreuid(-1, 0);
	setresgid(-1, -1, -1);
	syscall(9999, 1, 2, 3, 4, 5, 6);
}

static void quotas(void)
{
	uint64_t words[20] = { 1, 2, 3 };

	syscall(SYS_quotactl, QCMD(Q_GETQUOTA, USRQUOTA), "/dev/none", 1000, words);
	syscall(SYS_quotactl, QCMD(Q_SETQUOTA, GRPQUOTA), "/dev/none", -1, words);
	syscall(SYS_quotactl, QCMD(Q_GETINFO, 2), NULL, 0, words);
	syscall(SYS_quotactl, QCMD(Q_QUOTAON, 7), "/dev/none", 2, "file");
	syscall(SYS_quotactl, QCMD(Q_XSETQLIM, USRQUOTA), "/dev/none", 5, words);
	syscall(SYS_quotactl, QCMD(Q_XGETQSTAT, USRQUOTA), "/dev/none", 5, words);
	syscall(SYS_quotactl, QCMD(0x300, USRQUOTA), "/dev/none", 5, words);
	syscall(SYS_quotactl_fd, -1, QCMD(Q_SYNC, USRQUOTA), 0, NULL);
	syscall(SYS_quotactl_fd, -1, QCMD(Q_SETINFO, USRQUOTA), 0, words);
	syscall(SYS_quotactl_fd, -1, QCMD(Q_XQUOTARM, USRQUOTA), 0, words);
}

int main(void)
{
	quotas();
	files();
	bad_pointers();
	memory();
	process();
	return 0;
}
