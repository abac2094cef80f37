// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kill_at [-s] N PROGRAM [ARG...]: kills it when it has done N calls by which something
 * outside it may change; with -s it is stopped and left so, and its number printed.
 * Status: 0 that was done, 9 it ended before, 1 an error.
 *
 * Between two such calls others see no difference, so all N are all moments.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static int counts(long nr)
{
	static const long calls[] = {
		SYS_sendto, SYS_sendmsg, SYS_write, SYS_writev, SYS_ftruncate, SYS_fcntl,
		SYS_execve, SYS_clone, SYS_clone3, SYS_fork, SYS_vfork, SYS_ioctl, SYS_kill,
	};
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (nr == calls[i])
			return 1;
	return 0;
}

static int run(char **argv)
{
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	raise(SIGSTOP);
	execv(argv[0], argv);
	perror(argv[0]);
	return 1;
}

/* Return: 0 when it stands behind such a call, -1: it has ended. */
static int next_call(pid_t pid)
{
	struct user_regs_struct regs;
	int status, sig = 0, inside = 0;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, pid, 0, sig) ||
		    waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			return -1;
		sig = WSTOPSIG(status);
		if (sig == SIGTRAP)
			sig = 0;	/* of an execve, which is told so and queues no signal */
		if (sig != (SIGTRAP | 0x80))
			continue;
		sig = 0;
		inside = !inside;
		if (!inside && !ptrace(PTRACE_GETREGS, pid, 0, &regs) && counts(regs.orig_rax))
			return 0;
	}
}

static int done(pid_t pid, int stop)
{
	int status;

	if (stop) {
		printf("%d\n", pid);
		/* It meets that when it goes on. */
		return kill(pid, SIGSTOP) || ptrace(PTRACE_DETACH, pid, 0, 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return !WIFSIGNALED(status);
}

int main(int argc, char **argv)
{
	int stop = argc > 1 && !strcmp(argv[1], "-s"), n, status;
	pid_t pid;

	argv += 1 + stop;
	n = argc > 2 + stop ? atoi(argv[0]) : -1;
	if (n < 0 || argv[1][0] != '/') {
		fprintf(stderr, "use kill_at [-s] N /PATH/OF/PROGRAM [ARG...]\n");
		return 1;
	}
	pid = fork();
	if (!pid)
		_exit(run(argv + 1));
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC |
		   PTRACE_O_EXITKILL))
		return 1;
	while (n--)
		if (next_call(pid))
			return 9;
	return done(pid, stop);
}
