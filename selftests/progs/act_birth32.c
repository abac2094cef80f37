// SPDX-License-Identifier: GPL-2.0-or-later
/* A 32-bit program, without a library, that has a child. */
#include <asm/unistd_32.h>

static long call3(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory");
	return ret;
}

void __attribute__((used, noreturn)) _start(void)
{
	long pid = call3(__NR_fork, 0, 0, 0);

	if (pid)
		call3(__NR_waitpid, pid, 0, 0);
	call3(__NR_exit_group, pid ? 3 : 4, 0, 0);
	__builtin_unreachable();
}
