// SPDX-License-Identifier: GPL-2.0-or-later
/* Signals: who sent them, what became of them, how they were received. */
#define _GNU_SOURCE
#include <linux/time_types.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include "ktr_test.h"

FIXTURE(signal) {
	struct ktr_session s;
	struct ktr_child child;
	pid_t pid;
	int status;
};

FIXTURE_SETUP(signal)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(signal_generate) |
				       KTR_BIT(signal_deliver)));
}

FIXTURE_TEARDOWN(signal)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

static int start(FIXTURE_DATA(signal) *self, int (*fn)(void *), void *arg)
{
	int ret = ktr_child_traced(&self->child, &self->s, 0, fn, arg);

	self->pid = self->child.pid;
	return ret;
}

static int run(FIXTURE_DATA(signal) *self, int (*fn)(void *), void *arg)
{
	int ret = start(self, fn, arg);

	if (ret)
		return ret;
	self->status = ktr_child_run(&self->child);
	return ktr_session_finish(&self->s);
}

/* The first record about @sig; its number of those. */
static const struct ktr_ev_signal_generate *
generated(FIXTURE_DATA(signal) *self, int sig, int *n)
{
	const struct ktr_ev_signal_generate *ev, *first = NULL;
	const struct ktr_rec *rec;
	size_t at = 0;

	*n = 0;
	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_signal_generate,
				   self->pid))) {
		ev = ktr_payload(rec);
		if (ev->sig == sig && !(*n)++)
			first = ev;
	}
	return first;
}

static const struct ktr_ev_signal_deliver *
delivered(FIXTURE_DATA(signal) *self, int sig, int *n)
{
	const struct ktr_ev_signal_deliver *ev, *first = NULL;
	const struct ktr_rec *rec;
	size_t at = 0;

	*n = 0;
	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_signal_deliver,
				   self->pid))) {
		ev = ktr_payload(rec);
		if (ev->sig == sig && !(*n)++)
			first = ev;
	}
	return first;
}

#define info_of(ev) ((const siginfo_t *)((ev) + 1))

static volatile sig_atomic_t seen;

static void handler(int sig)
{
	seen++;
}

/* Ends when it has had @arg signals USR1. */
static int handles_usr1(void *arg)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_NODEFER };
	sigset_t block;

	sigemptyset(&block);
	sigaddset(&block, SIGHUP);
	sigaddset(&block, SIGINT);
	sigprocmask(SIG_BLOCK, &block, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	prctl(PR_SET_NAME, "ready");
	while (seen < (long)arg)
		usleep(1000);
	return 0;
}

static int await_ready(FIXTURE_DATA(signal) *self)
{
	ktr_child_go(&self->child);
	return ktr_session_await(&self->s, KTR_KIND_rename, self->pid, 1);
}

TEST_F(signal, sender_and_receiver_are_told)
{
	const struct ktr_ev_signal_generate *gen;
	const struct ktr_ev_signal_deliver *del;
	int n;

	ASSERT_EQ(0, start(self, handles_usr1, (void *)1));
	ASSERT_EQ(0, await_ready(self));
	ASSERT_EQ(0, kill(self->pid, SIGUSR1));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));

	gen = generated(self, SIGUSR1, &n);
	ASSERT_EQ(1, n);
	EXPECT_EQ(SI_USER, gen->code);
	EXPECT_EQ(0, gen->err);
	EXPECT_EQ(KTR_SIGGEN_DELIVERED, gen->result);
	/* From 7.x on kill passes no siginfo of its own; what is told is the same. */
	EXPECT_EQ(KTR_SIG_F_GROUP, gen->flags & ~KTR_SIG_F_NOINFO);
	EXPECT_EQ(getpid(), gen->sender);
	EXPECT_EQ(getpid(), gen->sender_tgid);
	EXPECT_EQ(getuid(), gen->sender_uid);
	EXPECT_STREQ("signal_test", gen->sender_comm);
	EXPECT_EQ(SIGUSR1, info_of(gen)->si_signo);
	EXPECT_EQ(getpid(), info_of(gen)->si_pid);

	del = delivered(self, SIGUSR1, &n);
	ASSERT_EQ(1, n);
	EXPECT_EQ(SI_USER, del->code);
	EXPECT_EQ((unsigned long)handler, del->handler);
	EXPECT_NE(0, del->sa_flags & SA_NODEFER);
	EXPECT_EQ(1ULL << (SIGHUP - 1) | 1ULL << (SIGINT - 1), del->blocked);
	EXPECT_EQ(0, del->flags & KTR_SIG_F_NOINFO);
	EXPECT_EQ(getpid(), info_of(del)->si_pid);
}

TEST_F(signal, queued_value_comes_along)
{
	const struct ktr_ev_signal_generate *gen;
	const struct ktr_ev_signal_deliver *del;
	union sigval val = { .sival_int = 4711 };
	int n;

	ASSERT_EQ(0, start(self, handles_usr1, (void *)1));
	ASSERT_EQ(0, await_ready(self));
	ASSERT_EQ(0, sigqueue(self->pid, SIGUSR1, val));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	gen = generated(self, SIGUSR1, &n);
	ASSERT_EQ(1, n);
	EXPECT_EQ(SI_QUEUE, gen->code);
	EXPECT_EQ(4711, info_of(gen)->si_value.sival_int);
	del = delivered(self, SIGUSR1, &n);
	ASSERT_EQ(1, n);
	EXPECT_EQ(SI_QUEUE, del->code);
	EXPECT_EQ(4711, info_of(del)->si_value.sival_int);
}

static int signals_itself(void *arg)
{
	signal(SIGUSR2, handler);
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR2);
	return 0;
}

TEST_F(signal, to_a_thread)
{
	const unsigned int call = (SYS_tgkill + 1u) << KTR_SIG_NR_SHIFT;
	const struct ktr_ev_signal_generate *gen;
	const struct ktr_ev_signal_deliver *del;
	int n;

	ASSERT_EQ(0, run(self, signals_itself, NULL));
	gen = generated(self, SIGUSR2, &n);
	ASSERT_EQ(1, n);
	EXPECT_EQ(SI_TKILL, gen->code);
	EXPECT_EQ(call, gen->flags);
	del = delivered(self, SIGUSR2, &n);
	ASSERT_EQ(1, n);
	EXPECT_EQ(call, del->flags);
	EXPECT_EQ(self->pid, gen->sender);
}

static int gets_alarm(void *arg)
{
	struct itimerval it = { .it_value.tv_usec = 10000 };

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &it, NULL);
	while (!seen)
		usleep(1000);
	return 0;
}

/* From the kernel, with a pointer to a siginfo that is none. */
TEST_F(signal, of_a_timer_is_the_kernels)
{
	const struct ktr_ev_signal_generate *gen;
	const struct ktr_ev_signal_deliver *del;
	int n;

	ASSERT_EQ(0, run(self, gets_alarm, NULL));
	gen = generated(self, SIGALRM, &n);
	ASSERT_EQ(1, n);
	EXPECT_EQ(SI_KERNEL, gen->code);
	EXPECT_EQ(KTR_SIG_F_KERNEL | KTR_SIG_F_NOINFO | KTR_SIG_F_GROUP,
		  gen->flags);
	EXPECT_EQ(SIGALRM, info_of(gen)->si_signo);
	EXPECT_EQ(0, info_of(gen)->si_pid);
	del = delivered(self, SIGALRM, &n);
	ASSERT_EQ(1, n);
	EXPECT_EQ(SI_KERNEL, del->code);
}

static int breaks(void *arg)
{
	*(volatile char *)0x1230 = 1;
	return 0;
}

TEST_F(signal, of_a_fault_has_its_address)
{
	const struct ktr_ev_signal_generate *gen;
	const struct ktr_ev_signal_deliver *del;
	int n;

	ASSERT_EQ(0, run(self, breaks, NULL));
	EXPECT_TRUE(WIFSIGNALED(self->status));
	gen = generated(self, SIGSEGV, &n);
	ASSERT_EQ(1, n);
	EXPECT_EQ(SEGV_MAPERR, gen->code);
	EXPECT_NE(0, gen->flags & KTR_SIG_F_KERNEL);
	EXPECT_EQ((void *)0x1230, info_of(gen)->si_addr);
	EXPECT_EQ(self->pid, gen->sender);
	del = delivered(self, SIGSEGV, &n);
	ASSERT_EQ(1, n);
	EXPECT_EQ(0, del->handler);
	EXPECT_EQ((void *)0x1230, info_of(del)->si_addr);
}

static int writes_to_nobody(void *arg)
{
	int fd[2];

	signal(SIGPIPE, handler);
	if (pipe(fd))
		return 1;
	close(fd[0]);
	return write(fd[1], "x", 1) < 0 && seen == 1 ? 0 : 1;
}

TEST_F(signal, of_a_broken_pipe_came_without_siginfo)
{
	const struct ktr_ev_signal_generate *gen;
	int n;

	ASSERT_EQ(0, run(self, writes_to_nobody, NULL));
	EXPECT_EQ(0, self->status);
	gen = generated(self, SIGPIPE, &n);
	ASSERT_EQ(1, n);
	EXPECT_NE(0, gen->flags & KTR_SIG_F_NOINFO);
	EXPECT_EQ(self->pid, gen->sender);
}

static int has_child(void *arg)
{
	pid_t pid = fork();

	if (!pid)
		_exit(7);
	*(pid_t *)arg = pid;
	return waitpid(pid, NULL, 0) == pid ? 0 : 1;
}

/* Nobody waits for it, so it is never delivered: only its sending shows it. */
TEST_F(signal, ignored_sigchld_is_flagged)
{
	pid_t *pid = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct ktr_ev_signal_generate *gen;
	int n;

	ASSERT_EQ(0, run(self, has_child, pid));
	gen = generated(self, SIGCHLD, &n);
	ASSERT_EQ(1, n);
	EXPECT_EQ(KTR_SIGGEN_IGNORED, gen->result);
	EXPECT_NE(0, gen->flags & KTR_SIG_F_IGNORED);
	EXPECT_EQ(CLD_EXITED, gen->code);
	EXPECT_EQ(*pid, gen->sender);
	EXPECT_EQ(*pid, info_of(gen)->si_pid);
	EXPECT_EQ(7, info_of(gen)->si_status);
	delivered(self, SIGCHLD, &n);
	EXPECT_EQ(0, n);
}

static int unblocks_later(void *arg)
{
	sigset_t set;

	signal(SIGUSR1, handler);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR1);
	prctl(PR_SET_NAME, "unblocks");
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return seen == 1 ? 0 : 1;
}

TEST_F(signal, blocked_one_is_delivered_later_and_once)
{
	const struct ktr_rec *first, *again, *del, *name;
	int n;
	size_t at = 0;

	ASSERT_EQ(0, run(self, unblocks_later, NULL));
	EXPECT_EQ(0, self->status);
	generated(self, SIGUSR1, &n);
	ASSERT_EQ(2, n);
	delivered(self, SIGUSR1, &n);
	ASSERT_EQ(1, n);
	first = ktr_log_next(&self->s.log, &at, KTR_KIND_signal_generate, 0);
	again = ktr_log_next(&self->s.log, &at, KTR_KIND_signal_generate, 0);
	EXPECT_EQ(KTR_SIGGEN_DELIVERED, ((const struct ktr_ev_signal_generate *)
					 ktr_payload(first))->result);
	EXPECT_EQ(KTR_SIGGEN_ALREADY_PENDING,
		  ((const struct ktr_ev_signal_generate *)
		   ktr_payload(again))->result);
	del = ktr_log_only(&self->s.log, KTR_KIND_signal_deliver, 0);
	name = ktr_log_only(&self->s.log, KTR_KIND_rename, 0);
	ASSERT_NE(NULL, name);
	EXPECT_LT(again->time, name->time);
	EXPECT_LT(name->time, del->time);
}

static int sleeps(void *arg)
{
	while (pause())
		;
	return 0;
}

TEST_F(signal, kill_9)
{
	const struct ktr_ev_signal_generate *gen;
	const struct ktr_ev_signal_deliver *del;
	int n;

	ASSERT_EQ(0, start(self, sleeps, NULL));
	ktr_child_go(&self->child);
	ASSERT_TRUE(ktr_task_sleeps(self->pid, SYS_pause));
	kill(self->pid, SIGKILL);
	EXPECT_EQ(SIGKILL, ktr_child_wait(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	gen = generated(self, SIGKILL, &n);
	ASSERT_EQ(1, n);
	EXPECT_EQ(SI_USER, gen->code);
	EXPECT_EQ(getpid(), gen->sender);
	del = delivered(self, SIGKILL, &n);
	ASSERT_EQ(1, n);
	/* The kernel hands out no siginfo here: none is made up. */
	EXPECT_NE(0, del->flags & KTR_SIG_F_NOINFO);
	EXPECT_EQ(SIGKILL, info_of(del)->si_signo);
	EXPECT_EQ(0, info_of(del)->si_pid);
}

static int forks_and_dies(void *arg)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		*(volatile pid_t *)arg = getpid();
		sleeps(NULL);
	}
	return ktr_wait_for(*(volatile pid_t *)arg == pid) ? 0 : 1;
}

/* SIGKILL that the kernel sends: when the parent has died. */
TEST_F(signal, kernel_kills)
{
	pid_t *pid = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct ktr_ev_signal_generate *gen;
	int n;

	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s,
				      KTR_TARGET_F_FOLLOW, forks_and_dies, pid));
	self->status = ktr_child_run(&self->child);
	EXPECT_EQ(0, self->status);
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	self->pid = *pid;
	gen = generated(self, SIGKILL, &n);
	ASSERT_EQ(1, n);
	EXPECT_NE(0, gen->flags & KTR_SIG_F_NOINFO);
	EXPECT_NE(0, ktr_log_count(&self->s.log, KTR_KIND_exit, *pid));
}

static int signals_many(void *arg)
{
	signal(SIGUSR1, handler);
	signal(SIGUSR2, handler);
	signal(SIGRTMAX, handler);
	raise(SIGUSR1);
	raise(SIGUSR2);
	raise(SIGRTMAX);
	return 0;
}

TEST_F(signal, only_those_selected)
{
	int n;

	ASSERT_EQ(0, ktr_session_set(&self->s, KTR_A_SIGNALS,
				     1ULL << (SIGUSR2 - 1) | 1ULL << 63));
	ASSERT_EQ(0, run(self, signals_many, NULL));
	generated(self, SIGUSR1, &n);
	EXPECT_EQ(0, n);
	delivered(self, SIGUSR1, &n);
	EXPECT_EQ(0, n);
	generated(self, SIGUSR2, &n);
	EXPECT_EQ(1, n);
	delivered(self, SIGUSR2, &n);
	EXPECT_EQ(1, n);
	delivered(self, SIGRTMAX, &n);
	EXPECT_EQ(1, n);
}

TEST_HARNESS_MAIN
