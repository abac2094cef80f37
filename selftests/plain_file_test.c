// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of a user without privilege, to which the module writes for him. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include "ktr_fuse.h"
#include "ktr_test.h"
#include "ktr_user.h"

FIXTURE(plain_file) {
	int pair[2];		/* sockets: one end for root, one for him */
};

FIXTURE_SETUP(plain_file)
{
	KTR_NEED_MODULE();
	if (getuid())
		SKIP(return, "this starts as root");
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, self->pair));
}

FIXTURE_TEARDOWN(plain_file)
{
}

/* Return: what the module says. */
static int give(int fd)
{
	struct ktr_session s;
	struct ktr_msg m;
	int ret;

	ret = ktr_session_new(&s, &(struct ktr_setup){ .name = "file" });
	if (ret)
		return ret;
	ktr_session_msg(&s, &m, KTR_CMD_FILE);
	ktr_msg_u32(&m, KTR_A_FD, fd);
	ret = ktr_client_call(&s.client, &m, NULL);
	ktr_session_close(&s);
	return ret;
}

/* The module writes for him where he could write himself. */
static int gives_files(void *arg)
{
	FIXTURE_DATA(plain_file) *self = arg;
	const int how = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
	int fd[5], i, want[5] = { -EPERM, -EINVAL, -EBADF, -EBADF, 0 };
	char name[64];

	snprintf(name, sizeof(name), "/tmp/plain-%d", getpid());
	fd[0] = ktr_user_receive_fd(self->pair[1]);
	fd[1] = mkfifo(name, 0600) ? -1 : open(name, O_RDWR | O_APPEND);
	unlink(name);
	fd[2] = open("/proc/self/exe", O_RDONLY);
	fd[3] = open(name, O_WRONLY | O_CREAT, 0600);	/* not for appending */
	fd[4] = open(name, how, 0600);
	unlink(name);
	for (i = 0; i < 5; i++) {
		KTR_WANT(fd[i] >= 0);
		KTR_WANT(give(fd[i]) == want[i]);
	}
	return 0;
}

TEST_F(plain_file, must_be_his)
{
	int fd = open("/tmp/roots", O_WRONLY | O_APPEND | O_CREAT, 0600);
	struct stat st;

	ASSERT_EQ(0, ktr_user_send_fd(self->pair[0], fd));
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, gives_files, self));
	EXPECT_EQ(0, fstat(fd, &st));
	EXPECT_EQ(0, st.st_size);
	unlink("/tmp/roots");
}

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), ret = write(fd, text, strlen(text)) < 0;

	close(fd);
	return ret;
}

/* He is himself in it, and may mount. */
static int enter_namespaces(void)
{
	char map[64];
	uid_t uid = getuid();
	gid_t gid = getgid();

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) || put("/proc/self/setgroups", "deny"))
		return 77;
	snprintf(map, sizeof(map), "%d %d 1", uid, uid);
	KTR_WANT(!put("/proc/self/uid_map", map));
	snprintf(map, sizeof(map), "%d %d 1", gid, gid);
	KTR_WANT(!put("/proc/self/gid_map", map));
	return 0;
}

static int try_file(const char *dir, int want)
{
	char path[64];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
	ret = fd < 0 ? -errno : give(fd);
	close(fd);
	return ret == want ? 0 : (fprintf(stderr, "# %s: %d\n", path, ret), 1);
}

/* A disk that he makes wait for ever would hold the module; one in memory is fine. */
static int gives_his_own_disk(void *unused)
{
	char dir[] = "/tmp/plain-XXXXXX";
	pid_t server;
	int ret;

	KTR_WANT(mkdtemp(dir));
	ret = enter_namespaces();
	if (ret)
		goto out;
	ret = mount("none", dir, "tmpfs", 0, "size=64k") ? 77 : try_file(dir, 0);
	umount(dir);
	if (ret)
		goto out;
	server = ktr_fuse_mount(dir, 0, KTR_FUSE_HANG);
	if (server > 0) {
		ret = try_file(dir, -EACCES);
		ktr_fuse_end(server, dir);
	} else {
		ret = 77;
	}
out:
	rmdir(dir);
	return ret;
}

TEST_F(plain_file, must_not_be_on_a_disk_of_his)
{
	int ret;

	/* As udev has it. */
	chmod("/dev/fuse", 0666);
	ret = ktr_user_run(KTR_NOBODY, 0, gives_his_own_disk, NULL);

	if (ret == 77)
		SKIP(return, "a user cannot mount FUSE here");
	EXPECT_EQ(0, ret);
}

TEST_HARNESS_MAIN
