// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The traced side of the benches: one call, many times, and what it cost.
 *
 *	loop WORK N
 *
 * Prints nanoseconds per round, by the thread's own CPU clock and by the wall
 * clock. Under the emulator's instruction clock both are instructions.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void call_getppid(void)
{
	syscall(SYS_getppid);
}

#define FRAME __attribute__((noinline, optimize("no-omit-frame-pointer")))

/* Nothing is left to be done by a jump. */
#define STAY() asm volatile("" ::: "memory")

/* Eight frames, this one the outermost, above the call. */
static void FRAME descend(int n)
{
	if (n > 1)
		descend(n - 1);
	else
		call_getppid();
	STAY();
}

static void call_deep(void)
{
	descend(8);
}

static void call_poll(void)
{
	static struct pollfd fd = { .fd = 1, .events = POLLPRI };

	syscall(SYS_poll, &fd, 1, 0);
}

/* What the rounds below work on; open before they are counted. */
static int file = -1, there[2], back[2];
static char *page;

static void use_zero(void)
{
	file = open("/dev/zero", O_RDWR);
}

/* 4 KiB written, which nobody keeps. */
static void call_write(void)
{
	static const char bytes[4096];

	syscall(SYS_write, file, bytes, sizeof(bytes));
}

/* One name is looked up. */
static void call_access(void)
{
	syscall(SYS_access, "/etc/hostname", F_OK);
}

static void ignore(int sig)
{
	(void)sig;
}

static void use_signal(void)
{
	signal(SIGUSR1, ignore);
}

/* Sent, delivered, handled. */
static void call_kill(void)
{
	syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
}

static void echo(void)
{
	char c;

	while (read(there[0], &c, 1) == 1)
		if (write(back[1], &c, 1) != 1)
			return;
}

/* Somebody on the same CPU who takes turns. */
static void use_other(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (pipe(there) || pipe(back) || fork())
		return;
	close(there[1]);
	echo();
	_exit(0);
}

/* Off the CPU, and on it again. */
static void call_switch(void)
{
	char c;

	syscall(SYS_write, there[1], "", 1);
	syscall(SYS_read, back[0], &c, 1);
}

static void use_page(void)
{
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* A fresh page. */
static void call_fault(void)
{
	madvise(page, 4096, MADV_DONTNEED);
	*(volatile char *)page = 1;
}

static void use_sysctl(void)
{
	file = open("/proc/sys/kernel/pid_max", O_RDONLY);
}

static void call_sysctl(void)
{
	char text[32];

	syscall(SYS_pread64, file, text, sizeof(text), 0);
}

static void use_nobody(void)
{
	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		exit(1);
}

/* CAP_SYS_CHROOT is looked for, in vain. */
static void call_chroot(void)
{
	syscall(SYS_chroot, "/");
}

static void use_seccomp(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = 4, .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		exit(1);
}

/* Made, run, waited for. */
static void call_fork(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static const struct work {
	const char *name;
	void (*use)(void);
	void (*call)(void);
} works[] = {
	{ "getppid", NULL, call_getppid },
	{ "poll", NULL, call_poll },
	{ "deep", NULL, call_deep },
	{ "write", use_zero, call_write },
	{ "access", NULL, call_access },
	{ "kill", use_signal, call_kill },
	{ "switch", use_other, call_switch },
	{ "fault", use_page, call_fault },
	{ "sysctl", use_sysctl, call_sysctl },
	{ "chroot", use_nobody, call_chroot },
	{ "seccomp", use_seccomp, call_getppid },
	{ "fork", NULL, call_fork },
};

static const struct work *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (!strcmp(name, works[i].name))
			return &works[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct work *w = argc == 3 ? find(argv[1]) : NULL;
	long long own, wall;
	long i, n;

	if (!w) {
		fprintf(stderr, "usage: loop WORK N\n");
		return 2;
	}
	n = atol(argv[2]);
	if (w->use)
		w->use();
	for (i = 0; i < 200; i++)
		w->call();
	own = now(CLOCK_THREAD_CPUTIME_ID);
	wall = now(CLOCK_MONOTONIC);
	for (i = 0; i < n; i++)
		w->call();
	wall = now(CLOCK_MONOTONIC) - wall;
	own = now(CLOCK_THREAD_CPUTIME_ID) - own;
	printf("%.1f %.1f\n", (double)own / n, (double)wall / n);
	return 0;
}
