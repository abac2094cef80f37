// SPDX-License-Identifier: GPL-2.0-or-later
/* A process that takes its own rights away: prctl, capabilities, seccomp, Landlock. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void capabilities(void)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2] = { 0 };

	syscall(SYS_capget, &h, d);
	d[0].inheritable = 0;
	d[0].effective &= ~(1u << CAP_SYS_TIME);
	syscall(SYS_capset, &h, d);
	prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN);
	prctl(PR_CAPBSET_READ, 99);
	prctl(PR_SET_KEEPCAPS, 1);
	prctl(PR_GET_SECUREBITS);
}

static void sandbox(void)
{
	struct landlock_ruleset_attr attr = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_SYM |
				     LANDLOCK_ACCESS_FS_MAKE_FIFO,
	};
	struct landlock_path_beneath_attr beneath = {
		.allowed_access = LANDLOCK_ACCESS_FS_MAKE_FIFO,
	};
	int fd;

	syscall(SYS_landlock_create_ruleset, NULL, 0,
		LANDLOCK_CREATE_RULESET_VERSION);
	fd = syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	beneath.parent_fd = open(".", O_PATH | O_CLOEXEC);
	syscall(SYS_landlock_add_rule, fd, LANDLOCK_RULE_PATH_BENEATH, &beneath,
		0);
	syscall(SYS_landlock_restrict_self, fd, 0);
	close(fd);
}

static void filter(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 5),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { 4, code };
	unsigned int action = SECCOMP_RET_TRAP;

	syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
	syscall(SYS_getppid);
	prctl(PR_GET_SECCOMP);
	/* Refused, since there is a filter. */
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 8, 9, 10);
}

/* What the arguments behind it are the mode says. */
static void modes(void)
{
	prctl(PR_SET_SECCOMP, 7, 8, 9, 10);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_DISABLED, 8, 9, 10);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 8, 9, 10);
	prctl(PR_MCE_KILL, PR_MCE_KILL_CLEAR, 0, 1, 2);
	prctl(PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_DEFAULT, 0, 0);
	prctl(PR_MCE_KILL, 5, 1, 3, 4);
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, 0, 4096, 8);
	prctl(PR_SET_VMA, 1, 0x1000, 4096, "name");
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 5, 6, 7);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_KILL, 6, 7);
	prctl(PR_CAP_AMBIENT, 9, 5, 6, 7);
	prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
	prctl(PR_SCHED_CORE, PR_SCHED_CORE_CREATE, 0, 5, 0x10);
	prctl(PR_SCHED_CORE, PR_SCHED_CORE_SHARE_TO, 99999999, 1, 0);
	prctl(PR_SET_DUMPABLE, 7);
}

int main(void)
{
	struct rlimit rl = { 0, RLIM_INFINITY };

	capabilities();
	setrlimit(RLIMIT_CORE, &rl);
	prlimit(0, RLIMIT_NPROC, NULL, &rl);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, 15);
	prctl(12345, 1, 2, 3, 4);
	unshare(CLONE_FS | CLONE_FILES);
	setns(-1, CLONE_NEWNET);
	sandbox();
	modes();
	filter();
	return 0;
}
