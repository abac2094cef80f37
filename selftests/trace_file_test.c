// SPDX-License-Identifier: GPL-2.0-or-later
/* Which files the module writes to. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "ktr_test.h"
#include "ktracer_file.h"

FIXTURE(trace_file) {
	struct ktr_session s;
	char dir[32];
};

FIXTURE_SETUP(trace_file)
{
	KTR_NEED_MODULE();
	if (getuid())
		SKIP(return, "only root may write to such files");
	strcpy(self->dir, "/tmp/trace-file-XXXXXX");
	ASSERT_TRUE(!!mkdtemp(self->dir));
	ASSERT_EQ(0, ktr_session_new(&self->s, &(struct ktr_setup){ .name = "file" }));
}

FIXTURE_TEARDOWN(trace_file)
{
	if (!self->dir[0])
		return;
	ktr_session_close(&self->s);
	umount(self->dir);
	rmdir(self->dir);
}

static int give(struct ktr_session *s, int fd, __u32 flags)
{
	struct ktr_msg m;

	ktr_session_msg(s, &m, KTR_CMD_FILE);
	ktr_msg_u32(&m, KTR_A_FD, fd);
	if (flags)
		ktr_msg_u32(&m, KTR_A_FLAGS, flags);
	return ktr_client_call(&s->client, &m, NULL);
}

/* Return: what the module says; 1: there is no such file. */
static int give_path(FIXTURE_DATA(trace_file) *self, const char *path, __u32 flags)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), ret;

	if (fd < 0)
		return 1;
	ret = give(&self->s, fd, flags);
	close(fd);
	return ret;
}

/* What is written there is an order, or nonsense. */
TEST_F(trace_file, is_none_of_the_kernels_own)
{
	static const char *const paths[] = {
		"/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches",
		"/proc/self/oom_score_adj", "/proc/self/mem", "/proc/self/comm",
		"/proc/sysrq-trigger", "/proc/irq/default_smp_affinity",
		"/sys/module/ktracer/parameters/user_mib", "/sys/power/state",
		"/sys/kernel/mm/transparent_hugepage/enabled", "/sys/fs/cgroup/cgroup.procs",
		"/sys/kernel/tracing/trace_marker", "/sys/kernel/tracing/tracing_on",
		"/sys/kernel/debug/dynamic_debug/control", "/sys/kernel/debug/sched/features",
		"/sys/kernel/security/lockdown", "/proc/sys/fs/binfmt_misc/register",
	};
	int i, ret, tried = 0;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		ret = give_path(self, paths[i], 0);
		tried += ret != 1;
		if (ret != 1)
			EXPECT_EQ(-EINVAL, ret) TH_LOG("%s", paths[i]);
		ret = give_path(self, paths[i], KTR_FILE_F_TRY);
		if (ret != 1)
			EXPECT_EQ(-EINVAL, ret) TH_LOG("%s, asked", paths[i]);
	}
	EXPECT_LT(8, tried);
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_READER));
}

/* Of whatever can be mounted here without a disk. */
TEST_F(trace_file, is_none_of_what_keeps_no_data)
{
	static const char *const types[] = { "configfs", "securityfs", "binfmt_misc", "debugfs",
					     "tracefs", "mqueue", "cgroup2", "sysfs", "proc" };
	char path[80];
	int i, fd;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (mount("none", self->dir, types[i], 0, NULL))
			continue;
		/* Most of them let nobody make a file. */
		snprintf(path, sizeof(path), "%s/file", self->dir);
		fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
		if (fd >= 0)
			EXPECT_EQ(-EINVAL, give(&self->s, fd, 0)) TH_LOG("%s", types[i]);
		close(fd);
		unlink(path);
		umount(self->dir);
	}
}

static void try_type(struct __test_metadata *_metadata, FIXTURE_DATA(trace_file) *self,
		     const char *type, const char *options)
{
	struct ktr_session s;
	char path[80];
	int fd;

	if (mount("none", self->dir, type, 0, options)) {
		TH_LOG("%s cannot be mounted: %s", type, strerror(errno));
		return;
	}
	snprintf(path, sizeof(path), "%s/file", self->dir);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	EXPECT_LE(0, fd);
	ASSERT_EQ(0, ktr_session_new(&s, &(struct ktr_setup){ .name = type }));
	EXPECT_EQ(0, give(&s, fd, KTR_FILE_F_TRY)) TH_LOG("%s: %s", type, s.client.text);
	EXPECT_EQ(0, give(&s, fd, 0)) TH_LOG("%s: %s", type, s.client.text);
	ktr_session_close(&s);
	close(fd);
	unlink(path);
	EXPECT_TRUE(ktr_wait_for(!umount(self->dir)));
}

/* In memory, too. */
TEST_F(trace_file, is_one_of_what_keeps_data)
{
	char options[240], dirs[3][48];
	static const char *const names[] = { "l", "u", "w" };
	int i;

	try_type(_metadata, self, "tmpfs", "size=1m");
	try_type(_metadata, self, "ramfs", NULL);
	for (i = 0; i < 3; i++) {
		snprintf(dirs[i], sizeof(dirs[i]), "%s.%s", self->dir, names[i]);
		mkdir(dirs[i], 0700);
	}
	snprintf(options, sizeof(options), "lowerdir=%s,upperdir=%s,workdir=%s", dirs[0], dirs[1],
		 dirs[2]);
	try_type(_metadata, self, "overlay", options);
	for (i = 0; i < 3; i++) {
		snprintf(options, sizeof(options), "%s/work", dirs[i]);
		rmdir(options);
		rmdir(dirs[i]);
	}
}

/* To ask is to do nothing; then another may still be given. */
TEST_F(trace_file, may_be_asked_about)
{
	char path[64];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/file", self->dir);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, give(&self->s, fd, KTR_FILE_F_TRY)) TH_LOG("%s", self->s.client.text);
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_READER));
	EXPECT_EQ(-EOPNOTSUPP, give(&self->s, fd, KTR_FILE_F__ALL + 1));
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_READER));
	EXPECT_EQ(0, fstat(fd, &st));
	EXPECT_EQ(0, st.st_size);
	EXPECT_EQ(0, give(&self->s, fd, 0)) TH_LOG("%s", self->s.client.text);
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_READER));
	EXPECT_EQ(-EBUSY, give(&self->s, fd, KTR_FILE_F_TRY));
	close(fd);
	unlink(path);
}

TEST_HARNESS_MAIN
