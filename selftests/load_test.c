// SPDX-License-Identifier: GPL-2.0-or-later
/* Is the module there, does it say what it is, does it go and come again? */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include "ktr_module.h"
#include "ktr_test.h"

FIXTURE(load) {
	struct ktr_client client;
};

FIXTURE_SETUP(load)
{
	if (!ktr_module_loaded() && access(ktr_module_path(), R_OK))
		SKIP(return, "no module: neither loaded nor at %s",
		     ktr_module_path());
	ASSERT_EQ(0, ktr_module_load());
	ASSERT_EQ(0, ktr_client_open(&self->client));
}

FIXTURE_TEARDOWN(load)
{
	ktr_client_close(&self->client);
}

static int info(struct ktr_client *c, struct ktr_answer *a)
{
	struct ktr_msg m;

	ktr_msg_init(&m, KTR_CMD_INFO);
	return ktr_client_call(c, &m, a);
}

TEST_F(load, tells_its_version)
{
	struct ktr_answer a;

	ASSERT_EQ(0, info(&self->client, &a));
	EXPECT_EQ(KTR_CMD_INFO, a.cmd);
	EXPECT_EQ(KTR_VERSION, ktr_answer_u32(&a, KTR_A_VERSION));
	ASSERT_NE(NULL, ktr_answer_str(&a, KTR_A_RELEASE));
	EXPECT_NE('\0', *ktr_answer_str(&a, KTR_A_RELEASE));
	EXPECT_LE(1, ktr_answer_u64(&a, KTR_A_MAX_BYTES));
	EXPECT_NE(NULL, a.attr[KTR_A_USED_BYTES]);
	EXPECT_EQ(get_nprocs_conf(), ktr_answer_u32(&a, KTR_A_NCPUS));
}

TEST_F(load, makes_every_kind_of_the_table)
{
	struct ktr_answer a;
	__u64 all = 0;

#define KTR_EVENT(number, name, group, ring, source) all |= 1ULL << number;
#include "ktracer_events.h"
	ASSERT_EQ(0, info(&self->client, &a));
	EXPECT_EQ(all, ktr_answer_u64(&a, KTR_A_EVENTS));
}

TEST_F(load, device_is_open_to_all)
{
	struct stat st;

	ASSERT_EQ(0, stat(KTR_DEVICE, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0666, st.st_mode & 0777);
}

TEST_F(load, unknown_command_is_refused)
{
	struct ktr_msg m;

	ktr_msg_init(&m, KTR_CMD_MAX + 1);
	EXPECT_EQ(-EOPNOTSUPP, ktr_client_call(&self->client, &m, NULL));
	/* A notice only comes from the kernel. */
	ktr_msg_init(&m, KTR_CMD_NOTICE);
	EXPECT_EQ(-EOPNOTSUPP, ktr_client_call(&self->client, &m, NULL));
}

TEST_F(load, unknown_attribute_is_refused)
{
	struct ktr_msg m;

	ktr_msg_init(&m, KTR_CMD_INFO);
	ktr_msg_u32(&m, KTR_A_MAX + 1, 1);
	EXPECT_EQ(-EINVAL, ktr_client_call(&self->client, &m, NULL));
}

TEST_F(load, idle_module_has_no_session_and_no_memory)
{
	struct ktr_answer a;

	ASSERT_EQ(0, info(&self->client, &a));
	EXPECT_EQ(0, ktr_answer_u64(&a, KTR_A_USED_BYTES));
}

TEST_F(load, unloads_and_loads_again)
{
	int i;

	if (access(ktr_module_path(), R_OK))
		SKIP(return, "no module file at %s", ktr_module_path());
	ktr_client_close(&self->client);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, ktr_module_unload());
		ASSERT_FALSE(ktr_module_loaded());
		ASSERT_EQ(-ENOENT, ktr_client_open(&self->client));
		ASSERT_NE(0, access(KTR_DEVICE, F_OK));
		ASSERT_EQ(0, ktr_module_load());
		ASSERT_TRUE(ktr_wait_for(!access(KTR_DEVICE, F_OK)));
	}
	ASSERT_EQ(0, ktr_client_open(&self->client));
}

TEST_F(load, open_descriptor_holds_it)
{
	int fd = open(KTR_DEVICE, O_RDWR);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EWOULDBLOCK, ktr_module_unload());
	close(fd);
}

TEST_HARNESS_MAIN
