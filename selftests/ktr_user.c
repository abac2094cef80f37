// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ktr_user.h"

static const char act_name[] = "ktr-act";

/* Where a copy of a test program begins. */
__attribute__((constructor)) static void act(int argc, char **argv)
{
	int i;

	if (argc != 1 || strcmp(argv[0], act_name))
		return;
	for (i = 0; i < KTR_ACT_CALLS; i++)
		syscall(KTR_ACT_CALL, KTR_ACT_ARG);
	_exit(geteuid() ? KTR_ACT_PLAIN : KTR_ACT_ROOT);
}

int ktr_user_exec(const char *path)
{
	execve(path, (char *[]){ (char *)act_name, NULL }, (char *[]){ NULL });
	return -errno;
}

int ktr_user_program(char *path, size_t size, mode_t mode)
{
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), out;
	struct stat st;

	snprintf(path, size, "/tmp/ktr-act-%d-%o", getpid(), mode);
	unlink(path);
	out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (in < 0 || out < 0 || fstat(in, &st))
		return -errno;
	while (sendfile(out, in, NULL, st.st_size) > 0)
		;
	if (fchmod(out, mode))
		return -errno;
	close(in);
	return close(out) ? -errno : 0;
}

int ktr_user_become(uid_t uid, __u64 caps)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {};
	int i;

	if (prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) || syscall(SYS_setgid, uid) ||
	    syscall(SYS_setuid, uid))
		return -errno;
	for (i = 0; i < 2; i++)
		data[i].permitted = data[i].effective = caps >> (32 * i);
	if (syscall(SYS_capset, &head, data))
		return -errno;
	/* Who changes his ids is closed to others, himself of before among them. */
	return prctl(PR_SET_DUMPABLE, 1) ? -errno : 0;
}

int ktr_user_run(uid_t uid, __u64 caps, int (*fn)(void *arg), void *arg)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(ktr_user_become(uid, caps) ? 254 : fn(arg));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 253;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

int ktr_user_send_fd(int sock, int fd)
{
	char space[CMSG_SPACE(sizeof(int))] = {}, c = 'f';
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			    .msg_control = space, .msg_controllen = sizeof(space) };
	struct cmsghdr *cm = CMSG_FIRSTHDR(&m);

	cm->cmsg_level = SOL_SOCKET;
	cm->cmsg_type = SCM_RIGHTS;
	cm->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cm), &fd, sizeof(int));
	return sendmsg(sock, &m, 0) == 1 ? 0 : -1;
}

int ktr_user_receive_fd(int sock)
{
	char space[CMSG_SPACE(sizeof(int))], c;
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			    .msg_control = space, .msg_controllen = sizeof(space) };
	int fd = -1;

	if (recvmsg(sock, &m, 0) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int));
	return fd;
}

int ktr_user_acts_seen(const struct ktr_session *s)
{
	struct ktr_call_view v;
	size_t at = 0;
	int n = 0;

	while (!ktr_log_call(&s->log, &at, KTR_ACT_CALL, 0, &v))
		n += v.args[0] == KTR_ACT_ARG;
	return n;
}
