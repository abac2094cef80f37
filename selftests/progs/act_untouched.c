// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A child whose execve is given what lies on a page of the program's file that it has
 * not touched: fork() copies no page tables of files.
 */
#include <sys/wait.h>
#include <unistd.h>

#define ROOM 65536	/* what a page fault maps at once */

static const struct {
	char before[ROOM], path[16], name[16], arg[16], after[ROOM];
} text __attribute__((aligned(ROOM))) = {
	.path = "/bin/sh", .name = "sh", .arg = "-c",
};

int main(void)
{
	char *args[] = { (char *)text.name, (char *)text.arg, (char *)":", NULL };
	int status;
	pid_t pid = fork();

	if (!pid) {
		execv(text.path, args);
		_exit(1);
	}
	return waitpid(pid, &status, 0) != pid || status;
}
