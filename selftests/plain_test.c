// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A user without privilege traces processes of his own: what he sees, what he is
 * refused, and what happens when they become what is not his (cases D-10, N-01).
 * Each test runs in a child that is that user.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "ktr_test.h"
#include "ktr_user.h"

#define EVENTS (KTR_BIT(syscall) | KTR_BIT(syscall_begun) | KTR_BIT(signal_generate) |	\
		KTR_BIT(signal_deliver) | KTR_BIT(sched_out) | KTR_BIT(sched_in) |	\
		KTR_BIT(wakeup) | KTR_BIT(namei))
#define FOLLOW KTR_TARGET_F_FOLLOW

FIXTURE(plain) {
	char path[64];		/* of a program */
};

FIXTURE_SETUP(plain)
{
	KTR_NEED_MODULE();
	if (getuid())
		SKIP(return, "this starts as root");
}

FIXTURE_TEARDOWN(plain)
{
	if (self->path[0])
		unlink(self->path);
}

static int begin(struct ktr_session *s, __u32 flags)
{
	KTR_WANT(!ktr_session_open(s, &(struct ktr_setup){ .buf_size = 1 << 20,
							   .flags = flags }));
	KTR_WANT(!ktr_session_all_calls(s));
	KTR_WANT(!ktr_session_start(s, EVENTS));
	return 0;
}

static __u32 end_of(const struct ktr_session *s, pid_t tid)
{
	const struct ktr_rec *rec = ktr_log_only(&s->log, KTR_KIND_target_end, tid);
	const struct ktr_ev_target_end *ev = rec ? ktr_payload(rec) : NULL;

	return ev ? ev->reason : ~0U;
}

static int writes(void *arg)
{
	char text[] = "0123456", c;
	int pair[2], i;

	if (pipe(pair))
		return 1;
	for (i = 0; i < 10; i++)
		if (write(pair[1], text, 7) != 7 || read(pair[0], &c, 1) != 1)
			return 2;
	return fork() ? (wait(NULL), 3) : (syscall(SYS_getppid), _exit(4), 0);
}

static int traces_his_own(void *unused)
{
	const struct ktr_op op = { .form = KTR_FORM_BYTES, .base_src = KTR_SRC_ARG, .base_ref = 1,
				   .len_src = KTR_SRC_ARG, .len_ref = 2, .max = 64 };
	const struct ktr_section *bytes;
	static struct ktr_rows rows;
	struct ktr_child child;
	struct ktr_call_view v;
	struct ktr_session s;
	size_t at = 0, n = 0;
	pid_t pid;

	KTR_WANT(!begin(&s, 0));
	KTR_WANT(s.plain);
	ktr_rows_add(&rows, KTR_ABI_NATIVE, SYS_write, 3, 0, &op, 1);
	ktr_rows_add(&rows, KTR_ABI_NATIVE, SYS_getppid, 0, 255, NULL, 0);
	KTR_WANT(!ktr_session_rows(&s, &rows, 0));
	KTR_WANT(!ktr_child_traced(&child, &s, FOLLOW, writes, NULL));
	pid = child.pid;
	KTR_WANT(ktr_child_run(&child) == 3 << 8);
	KTR_WANT(!ktr_session_finish(&s));
	for (; !ktr_log_call(&s.log, &at, SYS_write, pid, &v); n++) {
		bytes = ktr_call_section(&v, 0, 0);
		KTR_WANT(bytes && bytes->head->len == 7 && !memcmp(bytes->bytes, "0123456", 7));
	}
	KTR_WANT(n == 10);
	at = 0;
	KTR_WANT(!ktr_log_call(&s.log, &at, SYS_getppid, 0, &v));	/* his child's, followed */
	KTR_WANT(ktr_log_count(&s.log, KTR_KIND_exit, 0) == 2);
	KTR_WANT(end_of(&s, pid) == KTR_END_EXIT);
	ktr_session_close(&s);
	return 0;
}

TEST_F(plain, sees_calls_and_memory_of_his_own)
{
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, traces_his_own, NULL));
}

/* What only root may, one by one, each with its words. */
static int asks_for_more(void *unused)
{
	struct ktr_session s;
	struct ktr_answer a;
	struct ktr_msg m;
	__u64 addr = 0xffffffff81000000;

	KTR_WANT(!begin(&s, 0));
	KTR_WANT(ktr_session_set(&s, KTR_A_EVENTS_ADD, KTR_BIT(function)) == -EPERM);
	KTR_WANT(strstr(s.client.text, "CAP_PERFMON"));
	KTR_WANT(ktr_session_set(&s, KTR_A_EVENTS, EVENTS | KTR_BIT(function_return)) == -EPERM);
	ktr_session_msg(&s, &m, KTR_CMD_FUNC_ADD);
	ktr_msg_put(&m, KTR_A_ADDRS, &addr, sizeof(addr));
	KTR_WANT(ktr_client_call(&s.client, &m, NULL) == -EPERM);
	KTR_WANT(strstr(s.client.text, "CAP_PERFMON"));
	ktr_session_msg(&s, &m, KTR_CMD_FUNC_ADD);
	ktr_msg_u32(&m, KTR_A_FLAGS, KTR_FUNCS_F_TEST);
	ktr_msg_put(&m, KTR_A_ADDRS, &addr, sizeof(addr));
	KTR_WANT(ktr_client_call(&s.client, &m, NULL) == -EPERM);
	KTR_WANT(ktr_session_attach(&s, KTR_TARGET_PGRP, getpid(), 0) == -EPERM);
	KTR_WANT(ktr_session_attach(&s, KTR_TARGET_PID, getpid(), KTR_TARGET_F_DESCEND) == -EPERM);
	KTR_WANT(s.client.text[0]);
	KTR_WANT(ktr_session_u64(&s, KTR_A_EVENTS) == EVENTS);
	KTR_WANT(ktr_session_u64(&s, KTR_A_PROBES) == 0);
	ktr_session_close(&s);
	KTR_WANT(ktr_session_open(&s, &(struct ktr_setup){ .flags = KTR_SESSION_F_BIG }) == -EPERM);
	/* What he is told of the machine is about himself. */
	KTR_WANT(!ktr_client_open(&s.client));
	ktr_msg_init(&m, KTR_CMD_INFO);
	KTR_WANT(!ktr_client_call(&s.client, &m, &a));
	KTR_WANT(ktr_answer_u64(&a, KTR_A_USED_BYTES) == 0);
	KTR_WANT(!a.attr[KTR_A_NARROW]);
	KTR_WANT(!(ktr_answer_u64(&a, KTR_A_EVENTS) & KTR_BIT(function)));
	KTR_WANT(ktr_answer_u64(&a, KTR_A_EVENTS) & KTR_BIT(syscall));
	return 0;
}

TEST_F(plain, is_refused_what_is_roots)
{
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, asks_for_more, NULL));
}

struct run {
	const char *path;
	int status;		/* expected, as exit() */
	__u32 reason;		/* of the target's end */
	int acts;		/* calls of the program that are seen; -1: all */
	uid_t uid;
};

static int execs(void *path)
{
	syscall(SYS_getpgid, 0);
	return ktr_user_exec(path) ? 99 : 0;
}

/* @arg runs as a target; what is seen of it. */
static int runs_program(void *arg)
{
	const struct run *run = arg;
	struct ktr_child child;
	struct ktr_call_view v;
	struct ktr_session s;
	size_t at = 0;
	pid_t pid;

	KTR_WANT(!begin(&s, 0));
	KTR_WANT(!ktr_child_traced(&child, &s, 0, execs, (void *)run->path));
	pid = child.pid;
	KTR_WANT(ktr_child_run(&child) == run->status << 8);
	KTR_WANT(!ktr_session_finish(&s));
	KTR_WANT(end_of(&s, pid) == run->reason);
	/* The call that ran it is there in any case, whole with what was known. */
	KTR_WANT(!ktr_log_call(&s.log, &at, SYS_execve, pid, &v));
	KTR_WANT(!(v.flags & KTR_SYS_F_NO_EXIT) == !!run->acts);
	KTR_WANT(ktr_user_acts_seen(&s) == run->acts);
	KTR_WANT(ktr_log_count(&s.log, KTR_KIND_exec, pid) == !!run->acts);
	KTR_WANT(ktr_log_count(&s.log, KTR_KIND_exit, pid) == !!run->acts);
	ktr_session_close(&s);
	return 0;
}

TEST_F(plain, goes_on_with_another_program)
{
	struct run run = { self->path, KTR_ACT_PLAIN, KTR_END_EXIT, KTR_ACT_CALLS };

	ASSERT_EQ(0, ktr_user_program(self->path, sizeof(self->path), 0755));
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, runs_program, &run));
}

TEST_F(plain, set_id_program_keeps_its_rights_and_is_not_seen)
{
	struct run run = { self->path, KTR_ACT_ROOT, KTR_END_PROGRAM, 0 };

	ASSERT_EQ(0, ktr_user_program(self->path, sizeof(self->path), 04755));
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, runs_program, &run));
}

TEST_F(plain, program_that_he_may_not_read_is_not_seen)
{
	struct run run = { self->path, KTR_ACT_PLAIN, KTR_END_PROGRAM, 0 };

	ASSERT_EQ(0, ktr_user_program(self->path, sizeof(self->path), 0711));
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, runs_program, &run));
}

/* Root's session follows a user's process into the same program. */
static int execs_as_nobody(void *path)
{
	if (ktr_user_become(KTR_NOBODY, 0))
		return 98;
	return execs(path);
}

TEST_F(plain, root_sees_the_set_id_program)
{
	struct ktr_child child;
	struct ktr_session s;
	pid_t pid;

	ASSERT_EQ(0, ktr_user_program(self->path, sizeof(self->path), 04755));
	ASSERT_EQ(0, begin(&s, 0));
	ASSERT_EQ(0, ktr_child_traced(&child, &s, 0, execs_as_nobody, self->path));
	pid = child.pid;
	EXPECT_EQ(KTR_ACT_ROOT << 8, ktr_child_run(&child));
	ASSERT_EQ(0, ktr_session_finish(&s));
	EXPECT_EQ(KTR_END_EXIT, end_of(&s, pid));
	EXPECT_EQ(KTR_ACT_CALLS, ktr_user_acts_seen(&s));
	ktr_session_close(&s);
}

/* A capability of his own is no privilege here, but lets him change his ids. */
static int becomes_another(void *unused)
{
	syscall(SYS_getppid);
	if (syscall(SYS_setresuid, KTR_SOMEBODY, KTR_SOMEBODY, KTR_SOMEBODY))
		return 1;
	syscall(SYS_getpgid, KTR_ACT_ARG);
	return 0;
}

static int loses_who_changes_ids(void *unused)
{
	struct ktr_child child;
	struct ktr_session s;
	size_t at = 0;
	struct ktr_call_view v;
	pid_t pid;

	KTR_WANT(!begin(&s, 0));
	KTR_WANT(s.plain);
	KTR_WANT(!ktr_child_traced(&child, &s, 0, becomes_another, NULL));
	pid = child.pid;
	KTR_WANT(ktr_child_run(&child) == 0);
	KTR_WANT(!ktr_session_finish(&s));
	KTR_WANT(!ktr_log_call(&s.log, &at, SYS_getppid, pid, &v));
	KTR_WANT(!ktr_log_call(&s.log, &at, SYS_setresuid, pid, &v));
	KTR_WANT(v.flags & KTR_SYS_F_NO_EXIT);
	KTR_WANT(!ktr_user_acts_seen(&s));
	KTR_WANT(end_of(&s, pid) == KTR_END_CREDENTIALS);
	ktr_session_close(&s);
	return 0;
}

TEST_F(plain, other_ids_end_it)
{
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 1ULL << CAP_SETUID, loses_who_changes_ids, NULL));
}

/* As with ptrace: who is traced stays so, and nobody gets at him any more. */
static int closes_itself(void *done)
{
	syscall(SYS_getpgid, KTR_ACT_ARG);
	if (prctl(PR_SET_DUMPABLE, 0))
		return 1;
	syscall(SYS_getpgid, KTR_ACT_ARG);
	if (write(*(int *)done, "d", 1) != 1)
		return 2;
	pause();
	return 0;
}

static int meets_a_closed_one(void *unused)
{
	struct ktr_session s, late;
	struct ktr_child child;
	int mem, done[2];
	char path[40], c;

	KTR_WANT(!begin(&s, 0) && !pipe(done));
	KTR_WANT(!ktr_child_traced(&child, &s, 0, closes_itself, &done[1]));
	snprintf(path, sizeof(path), "/proc/%d/mem", child.pid);
	mem = open(path, O_RDONLY);
	KTR_WANT(mem >= 0);
	ktr_child_go(&child);
	KTR_WANT(read(done[0], &c, 1) == 1);
	/* He had the right, and shows it; a new one he does not get. */
	KTR_WANT(!begin(&late, 0));
	KTR_WANT(ktr_session_attach_by(&late, KTR_TARGET_PID, child.pid, 0, mem) == -EACCES);
	KTR_WANT(open(path, O_RDONLY) < 0 && errno == EACCES);
	ktr_session_close(&late);
	ktr_child_kill(&child);
	KTR_WANT(!ktr_session_finish(&s));
	KTR_WANT(ktr_user_acts_seen(&s) == 2);
	ktr_session_close(&s);
	return 0;
}

TEST_F(plain, one_that_closes_itself)
{
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, meets_a_closed_one, NULL));
}

static int becomes_nothing(void *unused)
{
	syscall(SYS_getpgid, KTR_ACT_ARG);
	return 0;
}

static int makes_namespace(void *unused)
{
	if (unshare(CLONE_NEWUSER))
		return 77;
	syscall(SYS_getpgid, KTR_ACT_ARG);
	return 0;
}

/* He is all-powerful in it, and it is his: as with ptrace, it stays open to him. */
static int follows_into_his_namespace(void *unused)
{
	struct ktr_child child;
	struct ktr_session s;
	int status;

	KTR_WANT(!begin(&s, 0));
	KTR_WANT(!ktr_child_traced(&child, &s, 0, makes_namespace, NULL));
	status = ktr_child_run(&child);
	if (status == 77 << 8)
		return 77;
	KTR_WANT(!status);
	KTR_WANT(!ktr_session_finish(&s));
	KTR_WANT(ktr_user_acts_seen(&s) == 1);
	ktr_session_close(&s);
	return 0;
}

TEST_F(plain, own_user_namespace_stays_open)
{
	int ret = ktr_user_run(KTR_NOBODY, 0, follows_into_his_namespace, NULL);

	if (ret == 77)
		SKIP(return, "no user namespaces here");
	EXPECT_EQ(0, ret);
}

/* In a container of his own, where he is 1 and root: numbers are the inner ones. */
static int attaches_inside(void)
{
	const struct ktr_ev_task *facts;
	const struct ktr_rec *rec;
	struct ktr_child child;
	struct ktr_session s;
	size_t at = 0;

	if (mount("proc", "/proc", "proc", 0, NULL))
		return 77;
	KTR_WANT(!begin(&s, 0));
	KTR_WANT(s.plain && getpid() == 1);
	/* Himself, the reader, and not the one who is 1 outside. */
	KTR_WANT(ktr_session_attach(&s, KTR_TARGET_PID, 1, 0) == -EPERM);
	KTR_WANT(strstr(s.client.text, "reader"));
	KTR_WANT(!ktr_child_traced(&child, &s, 0, becomes_nothing, NULL));
	KTR_WANT(child.pid < 10);
	KTR_WANT(!ktr_child_run(&child));
	KTR_WANT(!ktr_session_finish(&s));
	rec = ktr_log_next(&s.log, &at, KTR_KIND_task, 0);
	facts = rec ? ktr_payload(rec) : NULL;
	KTR_WANT(facts && facts->inner_tid > 1 && facts->inner_tid < 10);
	KTR_WANT(rec->tid != facts->inner_tid);
	KTR_WANT(ktr_user_acts_seen(&s) == 1);
	ktr_session_close(&s);
	return 0;
}

static int makes_container(void *unused)
{
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS))
		return 77;
	pid = fork();
	if (!pid)
		_exit(attaches_inside());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* Case D-10. */
TEST_F(plain, means_the_numbers_of_his_container)
{
	int ret = ktr_user_run(KTR_NOBODY, 0, makes_container, NULL);

	if (ret == 77)
		SKIP(return, "no container can be made here");
	EXPECT_EQ(0, ret);
}

static void on_signal(int sig)
{
}

static int is_signalled(void *unused)
{
	signal(SIGUSR1, on_signal);
	while (pause() && !syscall(SYS_getpgid, KTR_ACT_ARG))
		;
	return 0;
}

struct meet {
	int pid[2], done[2];	/* pipes: whom to signal; it was seen */
};

static int is_woken_by_root(void *arg)
{
	struct meet *meet = arg;
	const struct ktr_rec *rec;
	struct ktr_child child;
	struct ktr_session s;
	size_t at = 0;
	char c;

	KTR_WANT(!begin(&s, 0));
	KTR_WANT(!ktr_child_traced(&child, &s, 0, is_signalled, NULL));
	ktr_child_go(&child);
	KTR_WANT(ktr_task_sleeps(child.pid, SYS_pause));
	KTR_WANT(write(meet->pid[1], &child.pid, sizeof(pid_t)) == sizeof(pid_t));
	KTR_WANT(read(meet->done[0], &c, 1) == 1);
	KTR_WANT(!ktr_session_await(&s, KTR_KIND_signal_deliver, child.pid, 1));
	ktr_child_kill(&child);
	KTR_WANT(!ktr_session_finish(&s));
	/* The receiver's own siginfo has the sender; who runs root's processes is hidden. */
	while ((rec = ktr_log_next(&s.log, &at, KTR_KIND_signal_generate, 0))) {
		const struct ktr_ev_signal_generate *ev = ktr_payload(rec);
		const siginfo_t *info = (const void *)(ev + 1);

		if (ev->sig != SIGUSR1)
			continue;
		KTR_WANT(info->si_pid == getppid() && info->si_uid == 0);
		KTR_WANT(!ev->sender && !ev->sender_tgid && !ev->sender_comm[0]);
	}
	for (at = 0; (rec = ktr_log_next(&s.log, &at, KTR_KIND_wakeup, 0));) {
		const struct ktr_ev_wakeup *ev = ktr_payload(rec);

		KTR_WANT(!ev->waker == !ev->waker_comm[0]);
		KTR_WANT(ev->waker_tgid != getppid());
	}
	for (at = 0; (rec = ktr_log_next(&s.log, &at, KTR_KIND_sched_out, 0));) {
		const struct ktr_ev_sched_out *ev = ktr_payload(rec);

		KTR_WANT(ktr_payload_len(rec) == sizeof(*ev));	/* no stack */
		KTR_WANT(!ev->next == !ev->next_comm[0]);
		KTR_WANT(!strstr(ev->next_comm, "swapper"));
	}
	KTR_WANT(ktr_log_count(&s.log, KTR_KIND_sched_out, 0) > 0);
	ktr_session_close(&s);
	return 0;
}

static int runs_as_nobody(void *arg)
{
	if (ktr_user_become(KTR_NOBODY, 0))
		return 254;
	return is_woken_by_root(arg);
}

TEST_F(plain, others_and_the_kernel_stay_hidden)
{
	struct meet meet;
	int status;
	pid_t user, pid;

	ASSERT_EQ(0, pipe(meet.pid) | pipe(meet.done));
	user = fork();
	if (!user)
		_exit(runs_as_nobody(&meet));
	close(meet.pid[1]);
	ASSERT_EQ(sizeof(pid), read(meet.pid[0], &pid, sizeof(pid)));
	EXPECT_EQ(0, kill(pid, SIGUSR1));
	ASSERT_EQ(1, write(meet.done[1], "d", 1));
	waitpid(user, &status, 0);
	EXPECT_EQ(0, status);
}

/* What he may lies with the module's parameter. */
static int is_shut_out(void *unused)
{
	struct ktr_session s;
	int fd;

	KTR_WANT(ktr_session_open(&s, &(struct ktr_setup){}) == -EPERM);
	KTR_WANT(strstr(s.client.text, "users=0"));
	fd = open(KTR_DEVICE, O_RDWR);
	KTR_WANT(fd >= 0 && write(fd, "x", 1) < 0 && errno == EPERM);
	return 0;
}

static int set_parameter(const char *name, const char *value)
{
	char path[96];
	int fd, ret;

	snprintf(path, sizeof(path), "/sys/module/ktracer/parameters/%s", name);
	fd = open(path, O_WRONLY);
	ret = write(fd, value, strlen(value)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

TEST_F(plain, parameter_shuts_users_out)
{
	ASSERT_EQ(0, set_parameter("users", "0"));
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, is_shut_out, NULL));
	ASSERT_EQ(0, set_parameter("users", "1"));
	EXPECT_EQ(0, ktr_user_run(KTR_NOBODY, 0, traces_his_own, NULL));
}

TEST_HARNESS_MAIN
