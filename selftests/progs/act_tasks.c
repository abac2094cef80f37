// SPDX-License-Identifier: GPL-2.0-or-later
/* Births, deaths and changes of tasks, one kind per word. */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *exec_true(void *arg)
{
	(void)arg;
	/* When the leader sleeps in pause(). */
	usleep(200000);
	execl("/bin/true", "true", NULL);
	return NULL;
}

/* A second thread execs. Prints both ids first. */
static int exec_thread(void)
{
	pthread_t t;

	printf("%d\n", getpid());
	fflush(stdout);
	if (pthread_create(&t, NULL, exec_true, NULL))
		return 1;
	pause();
	return 2;
}

/*
 * Many children at once; each first writes its pid to standard output.
 * $1: how many. At most 200 live at a time.
 */
static int children(int n)
{
	int i, status, failed = 0;
	char text[16];
	pid_t pid;

	for (i = 0; i < n; i++) {
		pid = fork();
		if (!pid) {
			pid = syscall(SYS_getpid);
			snprintf(text, sizeof(text), "%7d\n", pid);
			_exit(write(1, text, 8) != 8);
		}
		if (pid < 0)
			failed++;
		if (i >= 200)
			wait(&status);
	}
	while (wait(&status) > 0)
		failed += status != 0;
	return failed != 0;
}

static void *nothing(void *arg)
{
	syscall(SYS_getppid);
	return arg;
}

/* fork, vfork, a thread, clone3: each child asks for its parent, and ends. */
static int births(void)
{
	struct clone_args ca = { .exit_signal = SIGCHLD };
	pthread_t t;
	pid_t pid;

	pid = syscall(SYS_fork);
	if (!pid) {
		syscall(SYS_getppid);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	pid = vfork();
	if (!pid) {
		syscall(SYS_getppid);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	if (pthread_create(&t, NULL, nothing, NULL))
		return 1;
	pthread_join(t, NULL);
	pid = syscall(SYS_clone3, &ca, sizeof(ca));
	if (!pid) {
		syscall(SYS_getppid);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return 0;
}

/* Names that would break lines, fields and terminals; a call under each. */
static int names(void)
{
	static const char *const all[] = {
		"a) b\n[pid 1]", "\x1b[2J\"\\,:", "\xff\xfe(", "plain",
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (prctl(PR_SET_NAME, all[i]))
			return 1;
		syscall(SYS_getppid);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "exec"))
		return exec_thread();
	if (argc == 3 && !strcmp(argv[1], "children"))
		return children(atoi(argv[2]));
	if (argc == 2 && !strcmp(argv[1], "births"))
		return births();
	if (argc == 2 && !strcmp(argv[1], "names"))
		return names();
	fprintf(stderr, "act_tasks: what?\n");
	return 64;
}
