// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls whose callers are known: main calls outer, that middle, that inner, that
 * getppid. Words on the command line are done in order: "chain", "fork" (a child does
 * the rest), "wait" (for a byte on standard input). Built with frame pointers.
 */
#ifndef WITHOUT_POINTERS
#pragma GCC optimize("no-omit-frame-pointer")
#endif

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLED __attribute__((noinline, noclone))
/* Nothing is left to be done by a jump. */
#define STAY() asm volatile("" ::: "memory")

static int CALLED inner(int n)
{
	int id = getppid();

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

static int in_child(void)
{
	pid_t pid = fork();

	if (pid <= 0)
		return pid;
	waitpid(pid, NULL, 0);
	return 1;
}

int main(int argc, char **argv)
{
	int i, sum = 0;
	char c;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "chain"))
			sum += outer(i);
		else if (!strcmp(argv[i], "fork") && in_child())
			return 0;
		else if (!strcmp(argv[i], "wait") && read(0, &c, 1) < 0)
			return 1;
	}
	return sum == -1;
}
