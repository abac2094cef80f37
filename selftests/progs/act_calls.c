// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that tracers get wrong, one kind per word on the command line. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long call32(long nr, long a, long b, long c)
{
	long ret;

	asm volatile("int $0x80" : "=a" (ret)
		     : "a" (nr), "b" (a), "c" (b), "d" (c)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

/* 32-bit calls of a 64-bit program: numbers of the other table. */
static int i386(void)
{
	char *low = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (low == MAP_FAILED)
		return 1;
	strcpy(low, "i386 write\n");
	if (call32(4, 1, (long)low, 11) != 11)
		return 2;
	if (call32(20, 0, 0, 0) != getpid())
		return 3;
	return 0;
}

/* Numbers that no table has. */
static int numbers(void)
{
	syscall(-1);
	syscall(9999);
	syscall(0x7fffffff);
	syscall(0x40000000 | 39);
	return 0;
}

/* Calls newer than many tables, and one that no kernel has yet. */
static int new(void)
{
	syscall(425, 1, 0);		/* io_uring_setup */
	syscall(451, -1, 0, 0, 0);	/* cachestat */
	syscall(453, 0, 0, 0);		/* map_shadow_stack */
	syscall(777, 1, 2, 3, 4, 5, 6);
	return 0;
}

/* mkdir is denied before the kernel's entry hook. */
static int denied(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mkdir, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { 4, filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 1;
	return mkdir("/tmp/x", 0700) != -1 || errno != EPERM;
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* A read that a signal interrupts and the kernel restarts. */
static int restart(void)
{
	struct sigaction sa = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval it = { .it_value.tv_usec = 200000 };
	char c;
	int p[2];

	if (pipe(p))
		return 1;
	sigaction(SIGALRM, &sa, NULL);
	if (fork() == 0) {
		usleep(600000);
		_exit(write(p[1], "x", 1) != 1);
	}
	setitimer(ITIMER_REAL, &it, NULL);
	if (read(p[0], &c, 1) != 1)
		return 2;
	wait(NULL);
	return 0;
}

/* The argument vector lies in a page of a file that nobody has touched yet. */
static int argv(void)
{
	char path[] = "/tmp/argv.XXXXXX", *page;
	int fd = mkstemp(path);
	struct {
		char *argv[3];
		char text[2][16];
	} in_file;

	if (fd < 0 || ftruncate(fd, 4096))
		return 1;
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	memset(&in_file, 0, sizeof(in_file));
	strcpy(in_file.text[0], "true");
	strcpy(in_file.text[1], "unread");
	in_file.argv[0] = page + offsetof(typeof(in_file), text[0]);
	in_file.argv[1] = page + offsetof(typeof(in_file), text[1]);
	if (pwrite(fd, &in_file, sizeof(in_file), 0) != sizeof(in_file))
		return 2;
	unlink(path);
	syscall(SYS_execve, "/bin/true", page, NULL);
	return 3;
}

/* The C library asks the vDSO, which has this clock on every machine. */
static int vdso(void)
{
	struct timespec ts;
	int i;

	for (i = 0; i < 1000; i++)
		clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	for (i = 0; i < 10; i++)
		syscall(SYS_clock_gettime, CLOCK_MONOTONIC_COARSE, &ts);
	return 0;
}

int main(int argc, char **args)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} acts[] = {
		{ "i386", i386 }, { "numbers", numbers }, { "new", new },
		{ "denied", denied }, { "restart", restart }, { "argv", argv },
		{ "vdso", vdso },
	};
	size_t i;

	for (i = 0; argc == 2 && i < sizeof(acts) / sizeof(acts[0]); i++)
		if (!strcmp(args[1], acts[i].name))
			return acts[i].run();
	fprintf(stderr, "act_calls: what?\n");
	return 64;
}
