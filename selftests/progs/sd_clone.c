// SPDX-License-Identifier: GPL-2.0-or-later
/* clone3 with all that it takes, good and bad, and what it gives. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define P(p)	((uint64_t)(uintptr_t)(p))
#define ODD	16	/* no address */

/* One word more than the kernel knows. */
struct args {
	struct clone_args a;
	uint64_t tail[2];
};

static int pidfd, tid, tids[40] = { 0, -1, 1, 77 };

static void make(const struct args *args, size_t size)
{
	long pid = syscall(SYS_clone3, args, size);

	if (!pid)
		syscall(SYS_exit, 7);
	if (pid > 0)
		waitpid(pid, NULL, __WALL);
	if (pid > 0 && args->a.flags & CLONE_PIDFD)
		close(pidfd);
}

#define MAKE(size, ...) \
	make(&(struct args){ .a = { .exit_signal = SIGCHLD, ##__VA_ARGS__ } }, size)
#define TAIL(size, ...) \
	make(&(struct args){ .a = { .exit_signal = SIGCHLD }, .tail = { __VA_ARGS__ } }, size)

static void given(void)
{
	const uint64_t both = CLONE_PIDFD | CLONE_PARENT_SETTID;

	MAKE(88, .flags = CLONE_PIDFD, .pidfd = P(&pidfd));
	MAKE(88, .flags = CLONE_PIDFD, .pidfd = ODD);
	MAKE(88, .flags = CLONE_PIDFD);
	MAKE(88, .flags = both, .pidfd = P(&pidfd), .parent_tid = P(&tid));
	MAKE(88, .flags = both, .pidfd = P(&pidfd), .parent_tid = ODD);
	MAKE(88, .flags = both, .pidfd = P(&pidfd));
	MAKE(88, .flags = both, .pidfd = P(&tid), .parent_tid = P(&tid));
	MAKE(64, .flags = both, .pidfd = P(&pidfd), .parent_tid = P(&tid));
	MAKE(104, .flags = CLONE_PIDFD, .pidfd = P(&pidfd));
	MAKE(88, .flags = CLONE_PARENT_SETTID, .parent_tid = P(&tid));
	MAKE(88, .flags = CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID, .child_tid = P(&tid));
	MAKE(88, .parent_tid = 5, .child_tid = 6, .pidfd = 7);
}

static void taken(void)
{
	int dir = open("/", O_RDONLY);

	MAKE(80, .set_tid = P(tids), .set_tid_size = 4);
	MAKE(80, .set_tid = P(tids), .set_tid_size = 33);
	MAKE(80, .set_tid = P(tids));
	MAKE(80, .set_tid_size = 2);
	MAKE(80, .set_tid = ODD, .set_tid_size = 2);
	MAKE(88, .flags = CLONE_INTO_CGROUP);
	MAKE(88, .flags = CLONE_INTO_CGROUP, .cgroup = dir);
	MAKE(88, .flags = CLONE_INTO_CGROUP, .cgroup = -1);
	MAKE(80, .flags = CLONE_INTO_CGROUP, .cgroup = 3);
	MAKE(84, .cgroup = 5);
	MAKE(88, .flags = CLONE_INTO_CGROUP | SIGCHLD, .cgroup = 3);
	MAKE(88, .flags = CLONE_CLEAR_SIGHAND);
	MAKE(88, .flags = CLONE_SETTLS);
	MAKE(88, .tls = 5, .stack = 5, .stack_size = 4096);
	make(&(struct args){ .a.exit_signal = 65 }, 88);
	make(&(struct args){ .a.exit_signal = -1 }, 88);
}

static void sizes(void)
{
	TAIL(96, 0);
	TAIL(96, 1);
	TAIL(104, 0, 5);
	TAIL(63, 0);
	TAIL(0, 0);
	syscall(SYS_clone3, 0, 88);
	syscall(SYS_clone3, ODD, 88);
}

/* The old call puts the descriptor where the other number would be. */
static void old(void)
{
	long pid = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, &pidfd, 0, 0);

	if (!pid)
		syscall(SYS_exit, 0);
	waitpid(pid, NULL, 0);
	syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, ODD, 0, 0);
}

int main(void)
{
	given();
	taken();
	sizes();
	old();
	return 0;
}
