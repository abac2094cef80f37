// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A chain of execs: sd_chain N runs itself with N - 1, each time in another way;
 * between them come attempts that fail.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char long_value[400];

static int run(char *self, char **argv, int n)
{
	char *none[] = { NULL };
	char *some[] = { "A=1", "B=two words", "C=\n", NULL };
	char *many[] = { long_value, long_value, "END=", NULL };
	int fd;

	switch (n % 4) {
	case 0:
		return execve(self, argv, none);
	case 1:
		return execve(self, argv, some);
	case 2:
		memset(long_value, 'v', sizeof(long_value) - 1);
		return execve(self, argv, many);
	default:
		fd = open(self, O_PATH | O_CLOEXEC);
		return syscall(SYS_execveat, fd, "", argv, some, AT_EMPTY_PATH);
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	char text[16];
	char *next[] = { "next \"link\"", text, "with", "more", "words", NULL };

	if (!n)
		return 7;
	snprintf(text, sizeof(text), "%d", n - 1);
	execve("/no/such/program", next, NULL);
	execve("", next, NULL);
	execve(".", next, next);
	syscall(SYS_execveat, AT_FDCWD, "/proc/self/none", next, NULL, 0);
	return run("/proc/self/exe", next, n);
}
