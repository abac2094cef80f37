// SPDX-License-Identifier: GPL-2.0-or-later
/* Readers that die, modules that go, CPUs that come and go: all under load. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include "ktr_ksyms.h"
#include "ktr_module.h"
#include "ktr_random.h"
#include "ktr_test.h"

FIXTURE(stress) {
	struct ktr_client client;
	struct ktr_session s;
	struct ktr_child child;
	__u64 used;
};

FIXTURE_SETUP(stress)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_client_open(&self->client));
	self->used = ktr_info_u64(&self->client, KTR_A_USED_BYTES);
	self->s.fd = self->s.client.fd = -1;
}

FIXTURE_TEARDOWN(stress)
{
	ktr_child_kill(&self->child);
	if (self->s.id)
		ktr_session_close(&self->s);
	ktr_client_close(&self->client);
	ASSERT_EQ(0, ktr_client_open(&self->client));
	EXPECT_TRUE(ktr_wait_for(ktr_info_u64(&self->client, KTR_A_USED_BYTES) ==
				 self->used));
	ktr_client_close(&self->client);
}

static long at_least(long full, long least)
{
	long n = ktr_scaled(full);

	return n < least ? least : n;
}

/* What a flood shows of itself. */
struct shared {
	volatile int stop;
	volatile long done[2];
	pid_t tid[2];
};

struct flooder {
	struct shared *sh;
	int cpu;
	bool pinned;
};

static void *flood(void *arg)
{
	const struct flooder *f = arg;

	if (f->pinned)
		ktr_pin(f->cpu);
	f->sh->tid[f->cpu] = syscall(SYS_gettid);
	while (!f->sh->stop) {
		syscall(SYS_getppid);
		f->sh->done[f->cpu]++;
	}
	return NULL;
}

static int two_floods(void *arg)
{
	struct flooder f[2] = { { arg, 0 }, { arg, 1 } };
	pthread_t t;

	if (pthread_create(&t, NULL, flood, &f[1]))
		return 1;
	flood(&f[0]);
	return pthread_join(t, NULL);
}

static struct shared *new_shared(void)
{
	return mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static int ignore(void *arg, __u32 cpu, int ring, __u64 pos,
		  const struct ktr_rec *rec)
{
	*(volatile __u64 *)arg += 1;
	return 0;
}

/* A reader as tools are; *seen counts its records. Runs until it is killed. */
static int reader(pid_t target, volatile __u64 *seen)
{
	__u64 addr = ktr_ksym_addr("do_sys_poll");
	struct ktr_setup setup = { .buf_size = 65536 };
	struct pollfd p = { .events = POLLIN };
	struct ktr_session s;
	struct ktr_msg m;

	if (ktr_session_open(&s, &setup) ||
	    ktr_session_all_calls(&s) ||
	    ktr_session_start(&s, KTR_BIT(syscall) | KTR_BIT(sched_in) |
			      KTR_BIT(sched_out) | KTR_BIT(function)))
		return 1;
	ktr_session_msg(&s, &m, KTR_CMD_FUNC_ADD);
	ktr_msg_put(&m, KTR_A_ADDRS, &addr, sizeof(addr));
	if (addr && ktr_client_call(&s.client, &m, NULL))
		return 2;
	if (ktr_session_attach(&s, KTR_TARGET_PID, target,
			       KTR_TARGET_F_FOLLOW) < 1)
		return 3;
	p.fd = s.fd;
	for (;;) {
		poll(&p, 1, 10);
		if (ktr_reader_round(&s.reader, ignore, (void *)seen))
			return 4;
	}
}

static int sessions(const struct ktr_answer *part, void *arg)
{
	*(int *)arg += part->attr[KTR_A_SESSION] != NULL;
	return 0;
}

static int count_sessions(struct ktr_client *c)
{
	struct ktr_msg m;
	int n = 0;

	ktr_msg_init(&m, KTR_CMD_SESSION_GET);
	return ktr_client_dump(c, &m, sessions, &n) ?: n;
}

/* Case H-09, a hundred times. */
TEST_F(stress, reader_is_killed_under_load)
{
	volatile __u64 *seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int before = count_sessions(&self->client);
	long n = at_least(100, 10), i;
	struct shared *sh = new_shared();
	struct ktr_random rnd;

	ktr_random_init(&rnd, ktr_seed());
	ASSERT_EQ(0, ktr_child_start(&self->child, two_floods, sh));
	ktr_child_go(&self->child);
	for (i = 0; i < n; i++) {
		pid_t pid;
		int status;
		long done;

		*seen = 0;
		pid = fork();
		if (!pid)
			_exit(reader(self->child.pid, seen));
		ASSERT_TRUE(ktr_wait_for(*seen > 100 ||
				waitpid(pid, &status, WNOHANG) == pid));
		usleep(ktr_random_below(&rnd, 3000));
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(SIGKILL, status);
		ASSERT_TRUE(ktr_wait_for(count_sessions(&self->client) == before));
		/* The program goes on. */
		done = sh->done[0];
		ASSERT_TRUE(ktr_wait_for(sh->done[0] > done));
	}
	sh->stop = 1;
	EXPECT_EQ(0, ktr_child_wait(&self->child));
}

static int sleeps_in_hooked_calls(void *arg)
{
	const int *fd = arg;
	struct pollfd p = { .fd = fd[0], .events = POLLIN };
	pid_t pid = fork();
	char c;

	if (!pid) {
		poll(&p, 1, -1);
		_exit(read(fd[0], &c, 1) == 1 ? 3 : 4);
	}
	/* Asleep in wait4 until its child has had its byte. */
	return waitpid(pid, NULL, 0) == pid ? 0 : 1;
}

/* Trace two that sleep, and leave the session without a reader. */
static int trace_sleepers(pid_t pid)
{
	__u64 addr = ktr_ksym_addr("do_sys_poll");
	struct ktr_setup setup = { .name = "stress", .buf_size = 65536 };
	struct ktr_session s;
	struct ktr_msg m;
	int ret;

	ret = ktr_session_new(&s, &setup);
	if (ret)
		return ret;
	ret = ktr_session_all_calls(&s) ?:
	      ktr_session_start(&s, KTR_BIT(syscall) | KTR_BIT(syscall_begun) |
				KTR_BIT(sched_in) | KTR_BIT(sched_out) |
				KTR_BIT(function) | KTR_BIT(signal_generate));
	if (!ret && addr) {
		ktr_session_msg(&s, &m, KTR_CMD_FUNC_ADD);
		ktr_msg_put(&m, KTR_A_ADDRS, &addr, sizeof(addr));
		ret = ktr_client_call(&s.client, &m, NULL);
	}
	if (!ret)
		ret = ktr_session_attach(&s, KTR_TARGET_PID, pid,
					 KTR_TARGET_F_FOLLOW |
					 KTR_TARGET_F_DESCEND);
	ktr_client_close(&s.client);
	return ret;
}

/* Case H-01. */
TEST_F(stress, unloaded_while_targets_sleep)
{
	long n = at_least(50, 5), i;
	int fd[2];

	if (access(ktr_module_path(), R_OK))
		SKIP(return, "no module file at %s", ktr_module_path());
	ktr_client_close(&self->client);
	ASSERT_EQ(0, pipe(fd));
	ASSERT_EQ(0, ktr_child_start(&self->child, sleeps_in_hooked_calls, fd));
	ktr_child_go(&self->child);
	ASSERT_TRUE(ktr_task_sleeps(self->child.pid, SYS_wait4));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(2, trace_sleepers(self->child.pid));
		ASSERT_EQ('S', ktr_task_state(self->child.pid));
		ASSERT_EQ(0, ktr_module_unload());
		ASSERT_EQ('S', ktr_task_state(self->child.pid));
		ASSERT_EQ(0, ktr_module_load());
		ASSERT_TRUE(ktr_wait_for(!access(KTR_DEVICE, F_OK)));
	}
	ASSERT_EQ(1, write(fd[1], "x", 1));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
}

/* The same while they run, all the time, into hooked calls and out of them. */
TEST_F(stress, unloaded_while_targets_run)
{
	struct shared *sh = new_shared();
	long n = at_least(50, 5), i;

	if (access(ktr_module_path(), R_OK))
		SKIP(return, "no module file at %s", ktr_module_path());
	ktr_client_close(&self->client);
	ASSERT_EQ(0, ktr_child_start(&self->child, two_floods, sh));
	ktr_child_go(&self->child);
	for (i = 0; i < n; i++) {
		long done = sh->done[1];

		ASSERT_LE(1, trace_sleepers(self->child.pid));
		ASSERT_TRUE(ktr_wait_for(sh->done[1] > done + 100));
		ASSERT_EQ(0, ktr_module_unload());
		ASSERT_EQ(0, ktr_module_load());
		ASSERT_TRUE(ktr_wait_for(!access(KTR_DEVICE, F_OK)));
	}
	sh->stop = 1;
	EXPECT_EQ(0, ktr_child_wait(&self->child));
}

#define CPU1 "/sys/devices/system/cpu/cpu1/online"

/* Write 0 or 1; wait until it is so. */
static bool switch_cpu1(int on)
{
	int fd = open(CPU1, O_WRONLY);
	bool ok = fd >= 0 && write(fd, on ? "1" : "0", 1) == 1;

	if (fd >= 0)
		close(fd);
	return ok && ktr_wait_for(get_nprocs() == get_nprocs_conf() - !on);
}

/* Records of a flood by CPU. */
struct by_cpu {
	__u64 n[2];
};

static int count_by_cpu(void *arg, __u32 cpu, int ring, __u64 pos,
			const struct ktr_rec *rec)
{
	struct by_cpu *sum = arg;

	if (rec->kind == KTR_KIND_syscall && cpu < 2)
		sum->n[cpu]++;
	return 0;
}

/* Two floods that are counted, to their end, in a session that is read. */
static int start_flood(FIXTURE_DATA(stress) *self, struct shared *sh)
{
	static const int nrs[] = { SYS_getppid, -1 };
	int ret;

	ret = ktr_session_open(&self->s, &(struct ktr_setup){}) ?:
	      ktr_session_calls(&self->s, nrs) ?:
	      ktr_session_start(&self->s, KTR_BIT(syscall)) ?:
	      ktr_child_traced(&self->child, &self->s, 0, two_floods, sh);
	if (!ret)
		ktr_child_go(&self->child);
	return ret;
}

static __u64 lost_records(struct ktr_session *s)
{
	struct ktr_counts sum;

	return ktr_session_counts(s, &sum) ? ~0ULL : sum.lost;
}

/* What was made is what was read and what was refused. */
static void end_flood(struct __test_metadata *_metadata,
		      FIXTURE_DATA(stress) *self, struct shared *sh,
		      struct by_cpu *sum)
{
	struct pollfd p = { .fd = self->s.fd, .events = 0 };

	sh->stop = 1;
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_TRUE(ktr_wait_for(poll(&p, 1, 100) == 1 && p.revents & POLLHUP));
	ASSERT_EQ(0, ktr_reader_round(&self->s.reader, count_by_cpu, sum));
	EXPECT_EQ(sh->done[0] + sh->done[1],
		  sum->n[0] + sum->n[1] + lost_records(&self->s));
}

static bool cpu1_records(FIXTURE_DATA(stress) *self, struct by_cpu *sum)
{
	__u64 before = sum->n[1];

	return ktr_wait_for(!ktr_reader_round(&self->s.reader, count_by_cpu,
					      sum) && sum->n[1] > before);
}

/* Case H-03. */
TEST_F(stress, cpu_goes_and_comes_under_flood)
{
	long n = at_least(50, 5), i;
	struct shared *sh = new_shared();
	struct by_cpu sum = {};

	if (get_nprocs() != 2 || access(CPU1, W_OK))
		SKIP(return, "this needs two CPUs, one that can be switched off");
	ASSERT_EQ(0, start_flood(self, sh));
	for (i = 0; i < n; i++) {
		__u64 off;

		ASSERT_TRUE(cpu1_records(self, &sum));
		ASSERT_TRUE(switch_cpu1(0));
		ASSERT_EQ(0, ktr_reader_round(&self->s.reader, count_by_cpu,
					      &sum));
		off = sum.n[1];
		ASSERT_EQ(0, ktr_reader_round(&self->s.reader, count_by_cpu,
					      &sum));
		EXPECT_EQ(off, sum.n[1]);
		ASSERT_TRUE(switch_cpu1(1));
	}
	ASSERT_TRUE(cpu1_records(self, &sum));
	end_flood(_metadata, self, sh, &sum);
}

TEST_F(stress, session_begun_while_a_cpu_is_off)
{
	struct shared *sh = new_shared();
	struct by_cpu sum = {};

	if (get_nprocs() != 2 || access(CPU1, W_OK))
		SKIP(return, "this needs two CPUs, one that can be switched off");
	ASSERT_TRUE(switch_cpu1(0));
	ASSERT_EQ(0, start_flood(self, sh));
	EXPECT_EQ(2, self->s.reader.ncpus);
	ASSERT_TRUE(ktr_wait_for(!ktr_reader_round(&self->s.reader,
				count_by_cpu, &sum) && sum.n[0] > 100));
	EXPECT_EQ(0, sum.n[1]);
	ASSERT_TRUE(switch_cpu1(1));
	EXPECT_TRUE(cpu1_records(self, &sum));
	end_flood(_metadata, self, sh, &sum);
}

TEST_HARNESS_MAIN
