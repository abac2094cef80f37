// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For i386, without a C library: a chain of calls that ends in getppid. Built with
 * frame pointers.
 */
#pragma GCC optimize("no-omit-frame-pointer")

#include <asm/unistd_32.h>

#define CALLED __attribute__((noinline, noclone))
/* Nothing is left to be done by a jump. */
#define STAY() asm volatile("" ::: "memory")

static int syscall1(int nr, int arg)
{
	int ret;

	asm volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(arg) : "memory");
	return ret;
}

static int CALLED inner(int n)
{
	int id = syscall1(__NR_getppid, 0);

	STAY();
	return id + n;
}

static int CALLED middle(int n)
{
	int id = inner(n + 1);

	STAY();
	return id + n;
}

static int CALLED outer(int n)
{
	int id = middle(n + 1);

	STAY();
	return id + n;
}

void __attribute__((used)) begin(void)
{
	outer(1);
	syscall1(__NR_exit, 0);
}

/* As the kernel starts it: no frame yet. */
asm(".globl _start\n_start:\n\txor %ebp, %ebp\n\tcall begin\n\thlt\n");
