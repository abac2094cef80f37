// SPDX-License-Identifier: GPL-2.0-or-later
/* Sysctls, capabilities that are missing, calls that seccomp refuses. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "ktr_test.h"

FIXTURE(denied) {
	struct ktr_session s;
	struct ktr_child child;
	int status;
};

FIXTURE_SETUP(denied)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(sysctl) | KTR_BIT(cap_fail) |
				       KTR_BIT(denied)));
}

FIXTURE_TEARDOWN(denied)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

static int trace(FIXTURE_DATA(denied) *self, int (*fn)(void *), void *arg)
{
	int ret = ktr_child_traced(&self->child, &self->s, 0, fn, arg);

	if (ret)
		return ret;
	self->status = ktr_child_run(&self->child);
	return ktr_session_finish(&self->s);
}

/* The n-th sysctl record, from 0; NULL: there are not so many. */
static const struct ktr_ev_sysctl *sysctl_at(FIXTURE_DATA(denied) *self, int n)
{
	const struct ktr_rec *rec = NULL;
	size_t at = 0;

	for (; n >= 0; n--) {
		rec = ktr_log_next(&self->s.log, &at, KTR_KIND_sysctl, self->child.pid);
		if (!rec)
			return NULL;
	}
	return ktr_payload(rec);
}

#define SYSCTL "/proc/sys/kernel/printk_ratelimit"

static int reads_and_writes(void *arg)
{
	int fd = open(SYSCTL, O_RDWR);
	char old[16];
	ssize_t n = read(fd, old, sizeof(old));

	if (n < 2 || pwrite(fd, "17\n", 3, 0) != 3 || pwrite(fd, old, n, 0) != n)
		return 1;
	return pwrite(fd, "none\n", 5, 0) == -1 && errno == EINVAL ? 0 : 2;
}

TEST_F(denied, sysctl)
{
	const struct ktr_ev_sysctl *ev;
	char first[16];

	ASSERT_EQ(0, trace(self, reads_and_writes, NULL));
	ASSERT_EQ(0, self->status);
	ev = sysctl_at(self, 0);
	ASSERT_NE(NULL, ev);
	EXPECT_STREQ("kernel.printk_ratelimit", ev->name);
	EXPECT_EQ(KTR_SYSCTL_READ, ev->what);
	EXPECT_LE(2, ev->ret);
	ASSERT_EQ(ev->ret, ev->len);
	ASSERT_GT(sizeof(first), ev->len);
	memcpy(first, ev + 1, ev->len);
	EXPECT_EQ('\n', first[ev->len - 1]);
	ev = sysctl_at(self, 1);
	ASSERT_NE(NULL, ev);
	EXPECT_EQ(KTR_SYSCTL_WRITE, ev->what);
	EXPECT_EQ(3, ev->ret);
	EXPECT_EQ(0, memcmp("17\n", ev + 1, 3));
	ev = sysctl_at(self, 2);
	ASSERT_NE(NULL, ev);
	EXPECT_EQ(0, memcmp(first, ev + 1, ev->len));
	ev = sysctl_at(self, 3);
	ASSERT_NE(NULL, ev);
	EXPECT_EQ(-EINVAL, ev->ret);
	EXPECT_EQ(0, ev->len);
	EXPECT_EQ(NULL, sysctl_at(self, 4));
}

/* How many checks for @cap in call @nr failed. */
static int count_caps(FIXTURE_DATA(denied) *self, __u32 cap, int nr)
{
	const struct ktr_rec *rec;
	size_t at = 0;
	int n = 0;

	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_cap_fail, self->child.pid))) {
		const struct ktr_ev_cap_fail *ev = ktr_payload(rec);

		n += ev->cap == cap && ev->nr == nr && ev->abi == KTR_ABI_NATIVE;
	}
	return n;
}

static int is_nobody(void *arg)
{
	if (syscall(SYS_setgid, 65534) || syscall(SYS_setuid, 65534))
		return 1;
	if (syscall(SYS_sethostname, "x", 1) != -1 || errno != EPERM)
		return 2;
	return syscall(SYS_chroot, "/") == -1 && errno == EPERM ? 0 : 3;
}

TEST_F(denied, capabilities)
{
	ASSERT_EQ(0, trace(self, is_nobody, NULL));
	ASSERT_EQ(0, self->status);
	EXPECT_EQ(1, count_caps(self, CAP_SYS_ADMIN, SYS_sethostname));
	EXPECT_EQ(1, count_caps(self, CAP_SYS_CHROOT, SYS_chroot));
	/* As root it had these. */
	EXPECT_EQ(0, count_caps(self, CAP_SETGID, SYS_setgid));
	EXPECT_EQ(0, count_caps(self, CAP_SETUID, SYS_setuid));
}

/* @arg: what becomes of getppid. */
static int is_filtered(void *arg)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, *(__u32 *)arg),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = 4, .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 1;
	syscall(SYS_getpid);
	return syscall(SYS_getppid) == -1 ? errno : 0;
}

TEST_F(denied, seccomp_error)
{
	__u32 verdict = SECCOMP_RET_ERRNO | EDOM;
	const struct ktr_ev_denied *ev;
	const struct ktr_rec *rec;

	ASSERT_EQ(0, trace(self, is_filtered, &verdict));
	ASSERT_EQ(EDOM << 8, self->status);
	rec = ktr_log_only(&self->s.log, KTR_KIND_denied, self->child.pid);
	ASSERT_NE(NULL, rec);
	ev = ktr_payload(rec);
	EXPECT_EQ(KTR_DENIED_SECCOMP, ev->by);
	EXPECT_EQ(SYS_getppid, ev->nr);
	EXPECT_EQ(KTR_ABI_NATIVE, ev->abi);
	EXPECT_EQ(EDOM, ev->err);
}

TEST_F(denied, seccomp_trap)
{
	__u32 verdict = SECCOMP_RET_TRAP;
	const struct ktr_ev_denied *ev;
	const struct ktr_rec *rec;

	ASSERT_EQ(0, trace(self, is_filtered, &verdict));
	EXPECT_EQ(SIGSYS, WTERMSIG(self->status));
	rec = ktr_log_only(&self->s.log, KTR_KIND_denied, self->child.pid);
	ASSERT_NE(NULL, rec);
	ev = ktr_payload(rec);
	EXPECT_EQ(SYS_getppid, ev->nr);
	EXPECT_EQ(0, ev->err);
}

/* Only while somebody wants them is the kernel hooked. */
TEST_F(denied, not_asked_for)
{
	__u64 all = KTR_BIT(sysctl) | KTR_BIT(cap_fail) | KTR_BIT(denied);

	EXPECT_EQ(all, ktr_session_u64(&self->s, KTR_A_PROBES) & all);
	ASSERT_EQ(0, ktr_session_set(&self->s, KTR_A_EVENTS, KTR_BIT(syscall)));
	EXPECT_EQ(0, ktr_session_u64(&self->s, KTR_A_PROBES) & all);
	ASSERT_EQ(0, trace(self, is_nobody, NULL));
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_cap_fail, 0));
}

TEST_HARNESS_MAIN
