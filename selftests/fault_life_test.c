// SPDX-License-Identifier: GPL-2.0-or-later
/* No memory while the module is loaded, and while tasks are born. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "ktr_fault.h"
#include "ktr_look.h"
#include "ktr_module.h"
#include "ktr_sweep.h"
#include "ktr_test.h"

FIXTURE(fault) {
	struct ktr_fault nth;
	struct ktr_session s;
};

FIXTURE_SETUP(fault)
{
	int ret;

	KTR_NEED_MODULE();
	ret = ktr_fault_open(&self->nth);
	if (ret == -ENOENT)
		SKIP(return, "this kernel cannot make allocations fail");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(fault)
{
	if (self->s.id)
		ktr_session_close(&self->s);
	ktr_fault_close(&self->nth);
}

static int ends_at_once(void *arg)
{
	_exit(0);
}

/* A child while the @n-th allocation fails: its id, 0 if there was none. */
static pid_t birth(struct ktr_fault *nth, int n, bool *hit)
{
	static char stack[16384] __attribute__((aligned(16)));
	pid_t pid;

	if (ktr_fault_arm(nth, n))
		return -1;
	pid = clone(ends_at_once, stack + sizeof(stack),
		    CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	*hit = ktr_fault_disarm(nth) == 1;
	if (pid < 0)
		return 0;
	return waitpid(pid, NULL, 0) == pid ? pid : -1;
}

/* What the parent's record says of the child; -1: there is none. */
static int followed(const struct ktr_log *log, pid_t child)
{
	const struct ktr_ev_task_new *ev;
	const struct ktr_rec *rec;
	size_t at = 0;

	while ((rec = ktr_log_next(log, &at, KTR_KIND_task_new, getpid()))) {
		ev = ktr_payload(rec);
		if (ev->child == (__u32)child)
			return ev->followed;
	}
	return -1;
}

struct births {
	int up_to, unborn, missed;
};

/*
 * One child after the other, until nothing fails. One that is born is followed,
 * or counted as not followed; then nothing of it is recorded.
 */
static void births(struct __test_metadata *_metadata,
		   FIXTURE_DATA(fault) *self, struct births *b)
{
	bool hit = true;
	int n, how;

	for (n = 1; hit; n++) {
		pid_t child = birth(&self->nth, n, &hit);

		ASSERT_LE(0, child);
		b->unborn += !child;
		if (!child)
			continue;
		ASSERT_EQ(0, ktr_session_drain(&self->s));
		how = followed(&self->s.log, child);
		ASSERT_TRUE(how == 1 || how == 2)
			TH_LOG("child of the %d-th: %d", n, how);
		EXPECT_EQ(how == 1, ktr_log_count(&self->s.log, KTR_KIND_exit,
						  child));
		b->missed += how == 2;
		EXPECT_EQ(b->missed, ktr_session_u64(&self->s,
						     KTR_A_NOT_FOLLOWED));
	}
	b->up_to = n - 2;
}

/* The only allocation that a probe makes: its failure does not disturb a fork. */
TEST_F(fault, child_is_not_followed)
{
	struct births b = {};
	int missed;

	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){
			.flags = KTR_SESSION_F_KEEP_SELF }));
	ASSERT_EQ(1, ktr_session_attach(&self->s, KTR_TARGET_PID, getpid(),
					KTR_TARGET_F_FOLLOW));
	ASSERT_EQ(0, ktr_session_start(&self->s, 0));
	births(_metadata, self, &b);
	TH_LOG("child: up to the %d-th, %d not born, %d not followed", b.up_to,
	       b.unborn, b.missed);
	EXPECT_LT(0, b.unborn);
	/* What a fork asks for varies, so the probe's may not have been met. */
	missed = b.missed;
	ASSERT_EQ(0, ktr_fault_only("ktr_target_new"));
	births(_metadata, self, &b);
	ASSERT_EQ(0, ktr_fault_only(NULL));
	TH_LOG("of the probe: up to the %d-th", b.up_to);
	EXPECT_EQ(missed + 1, b.missed);
	ASSERT_EQ(1, ktr_session_detach(&self->s, KTR_TARGET_PID, getpid(), 0));
}

/* Load it while the @n-th allocation fails. */
static int load(struct ktr_fault *nth, int n, bool *hit)
{
	int file = open(ktr_module_path(), O_RDONLY | O_CLOEXEC), ret;

	if (file < 0)
		return -errno;
	ret = ktr_fault_arm(nth, n);
	if (!ret)
		ret = syscall(SYS_finit_module, file, "", 0) ? -errno : 0;
	*hit = ktr_fault_disarm(nth) == 1;
	close(file);
	return ret;
}

static bool nothing_is_there(__u64 hooks)
{
	struct ktr_client c;

	return !ktr_module_loaded() && access(KTR_DEVICE, F_OK) &&
	       ktr_client_open(&c) == -ENOENT && ktr_look_hooks() == hooks;
}

TEST_F(fault, load)
{
	int n = 0, ret = -1, failed = 0;
	bool hit = true;
	__u64 hooks;

	if (access(ktr_module_path(), R_OK))
		SKIP(return, "no module file at %s", ktr_module_path());
	/* If that fails, kernels up to 6.12 at least leak the name of a cache. */
	ret = ktr_fault_spare("sysfs_slab_add");
	ASSERT_TRUE(!ret || ret == -ENOENT);
	ASSERT_EQ(0, ktr_module_unload());
	hooks = ktr_look_hooks();
	while (hit) {
		n = ktr_sweep_next(n);
		ret = load(&self->nth, n, &hit);
		failed += ret != 0;
		if (!ret && hit)
			ASSERT_TRUE(ktr_wait_for(!ktr_module_unload()));
		if (hit)
			ASSERT_TRUE(nothing_is_there(hooks))
				TH_LOG("load, %d: %s", n, strerror(-ret));
	}
	ASSERT_EQ(0, ktr_fault_spare(NULL));
	ASSERT_EQ(0, ret);
	EXPECT_LT(0, failed);
	TH_LOG("load: up to the %d-th; %d times it failed", n - 1, failed);
	/* And it works. */
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
}

TEST_HARNESS_MAIN
