// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of a user without privilege, to which the module writes for him. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
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

#define KEPT 16		/* sessions of a user that could not write and are told of */

/* One that ends without a footer: its file may have no more than what stands in it. */
static int fails(const char *name, __u32 *id)
{
	struct ktr_setup setup = { .name = name, .flush_ms = 10000, .buf_size = KTR_BUF_MIN };
	struct rlimit limit = { 8, 8 }, old;
	char path[] = "/tmp/plain-XXXXXX";
	struct ktr_session s;
	struct ktr_msg m;
	int fd = mkstemp(path);

	KTR_WANT(!fcntl(fd, F_SETFL, O_APPEND));
	KTR_WANT(!ktr_session_new(&s, &setup));
	getrlimit(RLIMIT_FSIZE, &old);
	limit.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	ktr_session_msg(&s, &m, KTR_CMD_FILE);
	ktr_msg_u32(&m, KTR_A_FD, fd);
	KTR_WANT(!ktr_client_call(&s.client, &m, NULL));
	setrlimit(RLIMIT_FSIZE, &old);
	*id = s.id;
	ktr_session_close(&s);
	close(fd);
	unlink(path);
	return 0;
}

/* The last few are there, and take nothing of what he may have. */
static int fails_often(void *arg)
{
	__u32 *id = arg;
	struct ktr_listed l;
	struct ktr_client c;
	char name[8];
	int i;

	KTR_WANT(!ktr_client_open(&c));
	for (i = 0; i < KEPT + 4; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		KTR_WANT(!fails(name, &id[i]));
	}
	l.id = 0;
	KTR_WANT(!ktr_session_listed(&c, &l) && l.n == KEPT);
	for (i = 0; i < KEPT + 4; i++) {
		l.id = id[i];
		KTR_WANT(!ktr_session_listed(&c, &l) && l.n == (i >= 4));
	}
	KTR_WANT(l.state == KTR_STATE_ENDED && l.error == EFBIG);
	KTR_WANT(!strncmp(l.file, "/tmp/plain-", 11));
	return 0;
}

static int clear(struct ktr_client *c, __u32 id, const char *name)
{
	struct ktr_msg m;

	ktr_msg_init(&m, KTR_CMD_SESSION_DEL);
	if (name)
		ktr_msg_str(&m, KTR_A_NAME, name);
	else
		ktr_msg_u32(&m, KTR_A_SESSION, id);
	return ktr_client_call(c, &m, NULL);
}

static int sees_none(void *arg)
{
	__u32 *id = arg;
	struct ktr_listed l = {};
	struct ktr_client c;

	KTR_WANT(!ktr_client_open(&c));
	KTR_WANT(!ktr_session_listed(&c, &l) && !l.n);
	KTR_WANT(clear(&c, id[KEPT], NULL) == -ENOENT);
	KTR_WANT(clear(&c, 0, "f17") == -ENOENT);
	return 0;
}

static int clears(void *arg)
{
	__u32 *id = arg;
	struct ktr_listed l = {};
	struct ktr_client c;
	struct ktr_session s;
	int i;

	KTR_WANT(!ktr_client_open(&c));
	/* The name again: what was is forgotten. */
	KTR_WANT(!ktr_session_new(&s, &(struct ktr_setup){ .name = "f19" }));
	KTR_WANT(!ktr_session_listed(&c, &l) && l.n == KEPT);
	ktr_session_close(&s);
	KTR_WANT(clear(&c, id[19], NULL) == -ENOENT);
	KTR_WANT(!clear(&c, 0, "f18") && clear(&c, id[18], NULL) == -ENOENT);
	for (i = 4; i < 17; i++)
		KTR_WANT(!clear(&c, id[i], NULL));
	KTR_WANT(!ktr_session_listed(&c, &l) && l.n == 1);
	return 0;
}

TEST_F(plain_file, failures_are_his_and_few)
{
	const size_t size = (KEPT + 4) * sizeof(__u32);
	__u32 *id = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct ktr_listed l = {};
	struct ktr_client c;

	ASSERT_NE(MAP_FAILED, id);
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, fails_often, id));
	EXPECT_EQ(0, ktr_user_run(KTR_SOMEBODY, 0, sees_none, id));
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, clears, id));
	/* Root sees it, by its number; a name would be one of root's. */
	ASSERT_EQ(0, ktr_client_open(&c));
	l.id = id[17];
	EXPECT_EQ(0, ktr_session_listed(&c, &l));
	EXPECT_EQ(1, l.n);
	EXPECT_EQ(-ENOENT, clear(&c, 0, "f17"));
	EXPECT_EQ(0, clear(&c, id[17], NULL));
	EXPECT_EQ(0, ktr_session_listed(&c, &l));
	EXPECT_EQ(0, l.n);
	ktr_client_close(&c);
	munmap(id, size);
}

TEST_HARNESS_MAIN
