// SPDX-License-Identifier: GPL-2.0-or-later
/* A 32-bit program, without a library: the calls of i386 as they are. */
#include <asm/unistd_32.h>
#include <stdint.h>

static long call6(long nr, long a, long b, long c, long d, long e, long f)
{
	long args[2] = { f, a }, ret;

	/* The sixth argument goes through ebp, the first through ebx. */
	__asm__ volatile("push %%ebp\n\tpush %%ebx\n\tmov (%%ebx), %%ebp\n\t"
			 "mov 4(%%ebx), %%ebx\n\tint $0x80\n\t"
			 "pop %%ebx\n\tpop %%ebp"
			 : "=a"(ret)
			 : "a"(nr), "b"(args), "c"(b), "d"(c), "S"(d), "D"(e)
			 : "memory");
	return ret;
}

#define P(p) ((long)(p))
#define C0(n)			call6(__NR_##n, 0, 0, 0, 0, 0, 0)
#define C1(n, a)		call6(__NR_##n, a, 0, 0, 0, 0, 0)
#define C2(n, a, b)		call6(__NR_##n, a, b, 0, 0, 0, 0)
#define C3(n, a, b, c)		call6(__NR_##n, a, b, c, 0, 0, 0)
#define C4(n, a, b, c, d)	call6(__NR_##n, a, b, c, d, 0, 0)
#define C5(n, a, b, c, d, e)	call6(__NR_##n, a, b, c, d, e, 0)
#define C6(n, a, b, c, d, e, f)	call6(__NR_##n, a, b, c, d, e, f)

static char buf[4096];

static void files(void)
{
	uint32_t iov[4] = { P("vec"), 3, P("tor"), 3 };
	uint64_t pos = 0;
	long fd = C3(open, P("file32"), 0102, 0640);

	C3(write, fd, P("0123456789"), 10);
	C5(pread64, fd, P(buf), 4, 2, 0);
	C5(pwrite64, fd, P("at the end"), 10, 0, 1);
	C3(writev, fd, P(iov), 2);
	C5(_llseek, fd, 0, 3, P(&pos), 0);
	C3(lseek, fd, 5, 0);
	C3(ftruncate64, fd, 100, 0);
	C6(sync_file_range, fd, 0, 0, 10, 0, 2);
	C6(fallocate, fd, 1, 0, 0, 4096, 0);
	C6(fadvise64_64, fd, 0, 0, 10, 0, 1);
	C2(fstat64, fd, P(buf));
	C2(stat64, P("file32"), P(buf));
	C2(stat, P("nothing"), P(buf));
	C3(fstatfs64, fd, 84, P(buf));
	C3(fcntl64, fd, 3, 0);
	C3(getdents64, C2(open, P("."), 0200000), P(buf), 4096);
	C1(close, fd);
	C1(unlink, P("file32"));
	C3(fchownat, -100, P("nothing"), -1);
}

static void memory(void)
{
	long p = C6(mmap2, 0, 8192, 3, 0x22, -1, 0);
	uint32_t old[6] = { 0, 4096, 1, 0x22, -1u, 0 };

	C1(mmap, P(old));
	C3(mprotect, p, 4096, 1);
	C2(munmap, p, 8192);
	C1(brk, 0);
}

static void sockets(void)
{
	uint32_t pair[4] = { 1, 1, 0, P(buf) }, made[3] = { 2, 2, 0 };
	struct { uint16_t family, port; uint32_t addr; char pad[8]; } in = {
		.family = 2, .port = 0x3412, .addr = 0x0100007f,
	};
	uint32_t bound[3], sent[6];
	long fd = C2(socketcall, 1, P(made));

	bound[0] = fd;
	bound[1] = P(&in);
	bound[2] = 16;
	C2(socketcall, 2, P(bound));
	sent[0] = fd;
	sent[1] = P("data");
	sent[2] = 4;
	sent[3] = 0x4000;
	sent[4] = P(&in);
	sent[5] = 16;
	C2(socketcall, 11, P(sent));
	C2(socketcall, 8, P(pair));
	C2(socketcall, 77, P(pair));
	C4(socketpair, 1, 2, 0, P(buf));
	C1(close, fd);
}

static void process(void)
{
	uint32_t ts[2] = { 0, 1000 };
	uint64_t ts64[2] = { 0, 1000 };
	uint32_t fds[32] = { 1 }, zero[2] = { 0, 0 };
	uint32_t args[5] = { 1, P(fds), 0, 0, P(zero) };

	C0(getpid);
	C0(getuid);
	C0(getuid32);
	C2(nanosleep, P(ts), 0);
	C4(clock_nanosleep_time64, 1, 0, P(ts64), 0);
	C2(clock_gettime, 1, P(buf));
	C2(clock_gettime64, 1, P(buf));
	C2(getrlimit, 7, P(buf));
	C2(ugetrlimit, 7, P(buf));
	C5(_newselect, 1, P(fds), 0, 0, P(zero));
	C1(select, P(args));
	C3(poll, P(buf), 0, 0);
	C1(uname, P(buf));
	C1(olduname, 8);
	C3(sigprocmask, 0, 0, P(buf));
	C4(rt_sigprocmask, 0, 0, P(buf), 8);
	C2(getrusage, 0, P(buf));
	C1(times, P(buf));
	C1(time, 0);
	C5(ipc, 23, 77, 0, 0, 0);
	C5(ipc, 13, 77, 0, 0, 0);
}

/* QCMD: the command, the kind of quota in the lowest byte */
static void quotas(void)
{
	buf[0] = 1;
	C4(quotactl, 0x80000700, P("/dev/none"), 1000, P(buf));
	C4(quotactl, 0x80000801, P("/dev/none"), -1, P(buf));
	C4(quotactl, 0x80000600, P("/dev/none"), 0, P(buf));
	C4(quotactl, 0x00580400, P("/dev/none"), 5, P(buf));
	C4(quotactl_fd, -1, 0x80000100, 0, 0);
	C4(quotactl_fd, -1, 0x80000800, 5, P(buf));
}

/* What the kernel gives lies behind addresses of 64 bits. */
static void clones(void)
{
	static uint32_t pidfd, tid, tids[2] = { 0, 5 };
	uint64_t args[11] = { 0x101000, P(&pidfd), 0, P(&tid) };

	if (!C2(clone3, P(args), 64))
		C1(exit, 0);
	C4(wait4, -1, 0, 0x40000000, 0);
	args[0] = 0x1800;
	args[1] = 16;
	args[8] = P(tids);
	args[9] = 2;
	C2(clone3, P(args), 88);
	C2(clone3, 16, 88);
}

/* TCSETS, TCSETAW, FITRIM, RTC_WKALM_SET, BLKDISCARD, TIOCMSET; BLKRASET's is a number */
static void ioctls(void)
{
	static const uint32_t cmds[] = {
		0x5402, 0x5407, 0xc0185879, 0x4028700f, 0x1277, 0x5418
	};
	uint32_t words[16] = { 3, 5, 0x1006, 7, 1 };

	for (unsigned int i = 0; i < sizeof(cmds) / sizeof(cmds[0]); i++)
		C3(ioctl, -1, cmds[i], P(words));
	C3(ioctl, -1, 0x1262, 1001);
}

void __attribute__((used, noreturn)) _start(void)
{
	ioctls();
	clones();
	quotas();
	files();
	memory();
	sockets();
	process();
	C1(exit_group, 3);
	__builtin_unreachable();
}
