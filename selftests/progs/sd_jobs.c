// SPDX-License-Identifier: GPL-2.0-or-later
/* Job control: each step waits for the one before it. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int go[2];

/* Stops, goes on, and ends when it is told to: by a signal, or 0. */
static void job(int stop, int sig)
{
	char c;

	setpgid(0, 0);
	kill(getpid(), stop);
	if (read(go[0], &c, 1) != 1)
		_exit(1);
	if (sig)
		kill(getpid(), sig);
	_exit(3);
}

static int control(int stop, int sig)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		job(stop, sig);
	setpgid(pid, pid);
	if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
		return 1;
	kill(-pid, SIGCONT);
	if (waitpid(pid, &status, WCONTINUED) != pid || !WIFCONTINUED(status))
		return 1;
	if (write(go[1], "x", 1) != 1 || waitpid(pid, &status, 0) != pid)
		return 1;
	return sig ? WTERMSIG(status) != sig : WEXITSTATUS(status) != 3;
}

int main(void)
{
	sigset_t child;

	/* Ignored as it is, it would interrupt a call under strace, or not. */
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	return pipe(go) || control(SIGSTOP, 0) || control(SIGTSTP, SIGTERM);
}
