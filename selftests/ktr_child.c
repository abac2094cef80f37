// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ktr_child.h"
#include "ktr_wait.h"

static void child_main(int wait_fd, int (*fn)(void *arg), void *arg)
{
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(wait_fd, &c, 1) < 0 && errno == EINTR)
		;
	close(wait_fd);
	_exit(fn(arg));
}

int ktr_child_start(struct ktr_child *c, int (*fn)(void *arg), void *arg)
{
	int go[2];

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	c->pid = fork();
	if (c->pid == 0) {
		close(go[1]);
		child_main(go[0], fn, arg);
	}
	close(go[0]);
	c->go = go[1];
	if (c->pid > 0)
		return ktr_task_sleeps(c->pid, -1) ? 0 : -ETIME;
	close(go[1]);
	return -errno;
}

int ktr_child_traced(struct ktr_child *c, struct ktr_session *s, __u32 flags,
		     int (*fn)(void *arg), void *arg)
{
	int ret = ktr_child_start(c, fn, arg);

	if (ret)
		return ret;
	ret = ktr_session_attach(s, KTR_TARGET_PID, c->pid, flags);
	if (ret == 1)
		return 0;
	ktr_child_kill(c);
	return ret < 0 ? ret : -ECHILD;
}

void ktr_child_go(struct ktr_child *c)
{
	/* A byte, not the end of file: a later child has a copy of the pipe. */
	if (c->go >= 0 && write(c->go, "g", 1) == 1)
		close(c->go);
	c->go = -1;
}

int ktr_child_wait(struct ktr_child *c)
{
	int status;

	while (waitpid(c->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	c->pid = 0;
	return status;
}

int ktr_child_run(struct ktr_child *c)
{
	ktr_child_go(c);
	return ktr_child_wait(c);
}

void ktr_child_kill(struct ktr_child *c)
{
	if (c->pid <= 0)
		return;
	kill(c->pid, SIGKILL);
	/* A byte for one who is dead already would be SIGPIPE for us. */
	if (c->go >= 0)
		close(c->go);
	c->go = -1;
	ktr_child_wait(c);
}

static bool read_proc(pid_t tid, const char *name, char *buf, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	buf[n < 0 ? 0 : n] = 0;
	return n > 0;
}

char ktr_task_state(pid_t tid)
{
	char buf[512], *end;

	if (!read_proc(tid, "stat", buf, sizeof(buf)))
		return 0;
	end = strrchr(buf, ')');	/* a name may hold anything */
	return end && end[1] ? end[2] : 0;
}

static bool sleeps_now(pid_t tid, int nr)
{
	char state = ktr_task_state(tid), buf[512];

	if (state != 'S' && state != 'D')
		return false;
	if (!read_proc(tid, "syscall", buf, sizeof(buf)))
		return nr == -1;	/* this kernel does not tell */
	if (buf[0] < '0' || buf[0] > '9')
		return false;
	return nr == -1 || atoi(buf) == nr;
}

bool ktr_task_sleeps(pid_t tid, int nr)
{
	return ktr_wait_for(sleeps_now(tid, nr));
}

int ktr_sleep_in_poll(void *arg)
{
	struct pollfd p = { .fd = *(int *)arg, .events = POLLIN };

	return poll(&p, 1, -1) == 1 ? 0 : 1;
}

int ktr_many_sleep(void *arg)
{
	int i, status, bad = 0;

	for (i = 0; i < KTR_MANY; i++)
		if (!fork())
			_exit(ktr_sleep_in_poll(arg));
	for (i = 0; i < KTR_MANY; i++)
		bad += wait(&status) < 0 || status;
	return !!bad;
}
