// SPDX-License-Identifier: GPL-2.0-or-later
/* What is lost is counted, everywhere alike, and to the last record. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include "ktr_test.h"

#define FULL 2000000	/* calls of one thread at KTR_SCALE=1 */

FIXTURE(loss) {
	struct ktr_session s;
	struct ktr_child child;
	long n;			/* calls of each thread */
};

FIXTURE_SETUP(loss)
{
	KTR_NEED_MODULE();
	self->n = ktr_scaled(FULL);
	self->s.fd = -1;
	self->s.client.fd = -1;
}

FIXTURE_TEARDOWN(loss)
{
	ktr_child_kill(&self->child);
	if (self->s.id)
		ktr_session_close(&self->s);
}

/* What the child tells the test. */
struct shared {
	long n;
	long ahead;		/* calls that nobody has read yet, at most; 0: any */
	volatile long read[2];	/* the test says how far it is */
	pid_t tid[2];
	struct {
		int cpu;
		struct shared *shared;
	} thread[2];
};

static void *flood(void *arg)
{
	typeof(((struct shared *)0)->thread[0]) *me = arg;
	struct shared *sh = me->shared;
	long i;

	ktr_pin(me->cpu % get_nprocs());
	sh->tid[me->cpu] = syscall(SYS_gettid);
	for (i = 0; i < sh->n; i++) {
		while (sh->ahead && i - sh->read[me->cpu] >= sh->ahead)
			sched_yield();
		syscall(SYS_getppid, i);
	}
	return NULL;
}

static int two_floods(void *arg)
{
	struct shared *sh = arg;
	pthread_t other;

	sh->thread[0].shared = sh;
	sh->thread[1].shared = sh;
	sh->thread[1].cpu = 1;
	if (pthread_create(&other, NULL, flood, &sh->thread[1]))
		return 1;
	flood(&sh->thread[0]);
	pthread_join(other, NULL);
	return 0;
}

/* Sums of what is in the stream. */
struct sums {
	__u64 seen[2];		/* getppid records of each thread */
	__u64 last[2];		/* first argument of the newest, plus one */
	__u64 gaps[2];		/* numbers that are missing between two */
	__u64 lost;		/* by lost records */
	__u64 unmarked;		/* gaps in front of which there is no lost record */
	__u64 records;
	__u64 marked[256];	/* by CPU: a lost record came since the last call */
	__u64 kinds, reasons;
	__u64 lost_first_bad;	/* lost records whose times make no sense */
	struct { __u64 recorded, lost, calls; int n; } end[2];
	struct shared *sh;
};

static int whose(const struct sums *sum, __u32 tid)
{
	return tid == (__u32)sum->sh->tid[0] ? 0 :
	       tid == (__u32)sum->sh->tid[1] ? 1 : -1;
}

static void add_lost(struct sums *sum, __u32 cpu, const struct ktr_rec *rec)
{
	const struct ktr_ev_lost *ev = ktr_payload(rec);

	sum->lost += ev->count;
	sum->kinds |= ev->kinds;
	sum->reasons |= ev->reasons;
	sum->marked[cpu]++;
	if (!ev->count || ev->first > ev->last || ev->last > rec->time)
		sum->lost_first_bad++;
}

static void add_call(struct sums *sum, __u32 cpu, const struct ktr_rec *rec)
{
	struct ktr_call_view v;
	int i = whose(sum, rec->tid);

	if (i < 0 || ktr_call_parse(rec, &v) || v.nr != SYS_getppid)
		return;
	sum->sh->read[i] = ++sum->seen[i];
	if (v.args[0] != sum->last[i]) {
		sum->gaps[i] += v.args[0] - sum->last[i];
		sum->unmarked += !sum->marked[cpu];
	}
	sum->last[i] = v.args[0] + 1;
	sum->marked[cpu] = 0;
}

static void add_end(struct sums *sum, const struct ktr_rec *rec)
{
	const struct ktr_ev_target_end *ev = ktr_payload(rec);
	int i = whose(sum, rec->tid);

	if (i < 0)
		return;
	sum->end[i].n++;
	sum->end[i].recorded = ev->recorded;
	sum->end[i].lost = ev->lost;
	sum->end[i].calls = ev->syscalls_lost;
}

static int add(void *arg, __u32 cpu, int ring, __u64 pos,
	       const struct ktr_rec *rec)
{
	struct sums *sum = arg;

	sum->records++;
	if (rec->kind == KTR_KIND_lost)
		add_lost(sum, cpu & 255, rec);
	else if (rec->kind == KTR_KIND_syscall)
		add_call(sum, cpu & 255, rec);
	else if (rec->kind == KTR_KIND_target_end)
		add_end(sum, rec);
	return 0;
}

/* Sums of what the producers' pages say. */
static __u64 page_sum(struct ktr_session *s, size_t field)
{
	__u64 sum = 0;
	__u32 i;

	for (i = 0; i < s->reader.ncpus * __KTR_RING_LAST; i++)
		sum += *(__u64 *)((char *)s->reader.map[i].prod + field);
	return sum;
}

#define PAGES(s, field) page_sum(s, offsetof(struct ktr_ring_prod, field))

static int start(FIXTURE_DATA(loss) *self, const struct ktr_setup *setup,
		 struct shared *sh)
{
	static const int nrs[] = { SYS_getppid, -1 };

	sh->n = self->n;
	return ktr_session_open(&self->s, setup) ?:
	       ktr_session_calls(&self->s, nrs) ?:
	       ktr_session_start(&self->s, KTR_BIT(syscall)) ?:
	       ktr_child_traced(&self->child, &self->s, 0, two_floods, sh);
}

/* Wait until the session has no targets any more, without reading. */
static bool ended(FIXTURE_DATA(loss) *self)
{
	struct pollfd p = { .fd = self->s.fd, .events = 0 };

	return ktr_wait_for(poll(&p, 1, 100) == 1 && p.revents & POLLHUP);
}

static struct shared *new_shared(void)
{
	return mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/*
 * Case A-01. The reader reads, pauses until both rings are full, and reads on.
 * Both threads' ends are lost to nobody who looks at the counters.
 */
TEST_F(loss, recorded_and_lost_add_up)
{
	struct ktr_setup setup = { .buf_size = 65536 };
	struct shared *sh = new_shared();
	struct sums sum = { .sh = sh };
	struct ktr_counts counts;
	int i;

	ASSERT_EQ(0, start(self, &setup, sh));
	ktr_child_go(&self->child);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, ktr_reader_round(&self->s.reader, add, &sum));
		usleep(1000);
	}
	/* The pause ends when something was lost: it must be. */
	EXPECT_TRUE(ktr_wait_for(PAGES(&self->s, refused) > 100));
	while (!ktr_task_state(self->child.pid) ||
	       ktr_task_state(self->child.pid) != 'Z') {
		ASSERT_EQ(0, ktr_reader_round(&self->s.reader, add, &sum));
		usleep(2000);
	}
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_TRUE(ended(self));
	ASSERT_EQ(0, ktr_reader_round(&self->s.reader, add, &sum));
	ASSERT_EQ(0, ktr_session_counts(&self->s, &counts));

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(1, sum.end[i].n);
		EXPECT_LT(0, sum.end[i].lost);
		EXPECT_EQ(self->n, sum.seen[i] + sum.end[i].calls);
		EXPECT_EQ(sum.end[i].lost, sum.end[i].calls);
		/* What is missing is between records, or after the last. */
		EXPECT_EQ(self->n - sum.seen[i],
			  sum.gaps[i] + self->n - sum.last[i]);
	}
	EXPECT_EQ(0, sum.unmarked);
	EXPECT_EQ(0, sum.lost_first_bad);
	EXPECT_EQ(1ULL << KTR_LOSS_FULL, sum.reasons);
	EXPECT_EQ(KTR_BIT(syscall), sum.kinds);
	/* Pages, netlink and targets say the same. */
	EXPECT_EQ(sum.end[0].lost + sum.end[1].lost, counts.lost);
	EXPECT_EQ(counts.lost, counts.lost_kind[KTR_KIND_syscall]);
	EXPECT_EQ(counts.lost, counts.lost_why[KTR_LOSS_FULL]);
	EXPECT_EQ(counts.lost, PAGES(&self->s, refused));
	EXPECT_EQ(counts.recorded, PAGES(&self->s, records));
	EXPECT_EQ(counts.recorded, sum.records);
	EXPECT_EQ(0, counts.unread);
	/* What was refused after the last record that fitted is still pending. */
	EXPECT_LE(sum.lost, counts.lost);
	TH_LOG("%ld calls each: recorded %llu and %llu, lost %llu and %llu",
	       self->n, sum.seen[0], sum.seen[1], sum.end[0].calls,
	       sum.end[1].calls);
}

/* A marker that fits again takes what is pending along. */
static void mark_all_cpus(int fd)
{
	int cpu;

	for (cpu = 0; cpu < get_nprocs(); cpu++) {
		ktr_pin(cpu);
		if (write(fd, "mark", 4) != 4)
			return;
	}
}

TEST_F(loss, lost_records_account_for_all)
{
	struct ktr_setup setup = { .buf_size = KTR_BUF_MIN };
	struct shared *sh = new_shared();
	struct sums sum = { .sh = sh };

	self->n = ktr_scaled(20000);
	ASSERT_EQ(0, start(self, &setup, sh));
	EXPECT_EQ(0, ktr_child_run(&self->child));
	ASSERT_TRUE(ended(self));
	/* Nobody has read: what fits is the oldest, and the first call is in. */
	ASSERT_EQ(0, ktr_reader_round(&self->s.reader, add, &sum));
	EXPECT_EQ(0, sum.lost);
	EXPECT_EQ(0, sum.gaps[0] + sum.gaps[1]);
	mark_all_cpus(self->s.fd);
	ASSERT_EQ(0, ktr_reader_round(&self->s.reader, add, &sum));
	EXPECT_EQ(PAGES(&self->s, refused), sum.lost);
	EXPECT_EQ(2 * self->n, sum.seen[0] + sum.seen[1] + sum.lost);
	EXPECT_EQ(0, sum.lost_first_bad);
}

TEST_F(loss, ring_that_holds_the_run_loses_nothing)
{
	struct ktr_setup setup = { .flags = KTR_SESSION_F_BIG };
	struct shared *sh = new_shared();
	struct sums sum = { .sh = sh };
	struct ktr_counts counts;
	int i;

	self->n = ktr_scaled(FULL / 4);
	/* Both threads may come to run on one CPU. */
	setup.buf_size = 2 * self->n * 96 + 65536;
	ASSERT_EQ(0, start(self, &setup, sh));
	EXPECT_EQ(0, ktr_child_run(&self->child));
	ASSERT_TRUE(ended(self));
	ASSERT_EQ(0, ktr_reader_round(&self->s.reader, add, &sum));
	ASSERT_EQ(0, ktr_session_counts(&self->s, &counts));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(self->n, sum.seen[i]);
		EXPECT_EQ(0, sum.gaps[i]);
		EXPECT_EQ(0, sum.end[i].lost);
	}
	EXPECT_EQ(0, sum.lost);
	EXPECT_EQ(0, counts.lost);
	EXPECT_EQ(0, PAGES(&self->s, refused));
}

/* Two floods, read all the time in a ring much smaller than they are. */
static void small_ring(struct __test_metadata *_metadata,
		       FIXTURE_DATA(loss) *self, struct sums *sum)
{
	struct ktr_setup setup = { .buf_size = 65536 };

	ASSERT_EQ(0, start(self, &setup, sum->sh));
	ktr_child_go(&self->child);
	while (ktr_task_state(self->child.pid) != 'Z')
		ASSERT_EQ(0, ktr_reader_round(&self->s.reader, add, sum));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_TRUE(ended(self));
	ASSERT_EQ(0, ktr_reader_round(&self->s.reader, add, sum));
	EXPECT_EQ(2 * self->n, sum->seen[0] + sum->seen[1] +
		  PAGES(&self->s, refused));
}

TEST_F(loss, small_ring_loses_nothing_of_a_paced_producer)
{
	struct shared *sh = new_shared();
	struct sums sum = { .sh = sh };

	self->n = ktr_scaled(FULL / 4);
	sh->ahead = 100;
	small_ring(_metadata, self, &sum);
	EXPECT_EQ(2 * self->n, sum.seen[0] + sum.seen[1]);
	EXPECT_EQ(0, sum.gaps[0] + sum.gaps[1]);
	EXPECT_EQ(0, sum.lost);
}

TEST_F(loss, small_ring_tells_what_it_loses_of_an_unpaced_one)
{
	struct shared *sh = new_shared();
	struct sums sum = { .sh = sh };

	self->n = ktr_scaled(FULL / 4);
	small_ring(_metadata, self, &sum);
	TH_LOG("of %ld calls %llu were lost", 2 * self->n,
	       2 * self->n - sum.seen[0] - sum.seen[1]);
}

/* Overwrite mode: what is read and what was evicted is what was written. */
TEST_F(loss, overwrite_keeps_the_newest)
{
	struct ktr_setup setup = { .buf_size = 65536,
				   .mode = KTR_MODE_OVERWRITE };
	struct shared *sh = new_shared();
	struct sums sum = { .sh = sh };
	struct ktr_counts counts;
	int i;

	ASSERT_EQ(0, start(self, &setup, sh));
	EXPECT_EQ(0, ktr_child_run(&self->child));
	ASSERT_TRUE(ended(self));
	ASSERT_EQ(0, ktr_reader_round(&self->s.reader, add, &sum));
	ASSERT_EQ(0, ktr_session_counts(&self->s, &counts));
	EXPECT_EQ(counts.recorded, sum.records + PAGES(&self->s, evicted));
	EXPECT_EQ(counts.evicted, PAGES(&self->s, evicted));
	EXPECT_LT(0, counts.evicted);
	EXPECT_EQ(PAGES(&self->s, evicted),
		  PAGES(&self->s, evicted_kind[KTR_KIND_syscall]));
	EXPECT_EQ(2 * self->n, sum.seen[0] + sum.seen[1] +
		  PAGES(&self->s, evicted_kind[KTR_KIND_syscall]));
	EXPECT_EQ(0, counts.lost);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(self->n, sum.last[i]);	/* the newest is there */
		EXPECT_EQ(self->n, sum.gaps[i] + sum.seen[i]);
		EXPECT_EQ(0, sum.end[i].lost);
	}
}

/* The same with a reader that runs all the time and is overtaken. */
TEST_F(loss, overwrite_while_it_is_read)
{
	struct ktr_setup setup = { .buf_size = KTR_BUF_MIN,
				   .mode = KTR_MODE_OVERWRITE };
	struct shared *sh = new_shared();
	struct sums sum = { .sh = sh };
	__u64 torn = 0;
	__u32 i;

	ASSERT_EQ(0, start(self, &setup, sh));
	ktr_child_go(&self->child);
	while (ktr_task_state(self->child.pid) != 'Z')
		ASSERT_EQ(0, ktr_reader_round(&self->s.reader, add, &sum));
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	ASSERT_TRUE(ended(self));
	ASSERT_EQ(0, ktr_reader_round(&self->s.reader, add, &sum));
	for (i = 0; i < self->s.reader.ncpus; i++)
		torn += ktr_reader_ring(&self->s.reader, i, KTR_RING_DATA)->torn;
	EXPECT_EQ(2 * self->n, sum.seen[0] + sum.seen[1] +
		  sum.gaps[0] + sum.gaps[1]);
	EXPECT_EQ(self->n, sum.last[0]);
	EXPECT_EQ(self->n, sum.last[1]);
	/* What was overtaken is missing, and nothing else is. */
	EXPECT_EQ(!torn, !(sum.gaps[0] + sum.gaps[1]));
}

static int writes_much(void *arg)
{
	return write(*(int *)arg, arg, 60000) == 60000 ? 0 : 1;
}

/* A record that the ring can never take is lost with its own reason. */
TEST_F(loss, record_too_big_for_the_ring)
{
	static const struct ktr_op op = { .form = KTR_FORM_BYTES,
		.base_src = KTR_SRC_ARG, .base_ref = 1,
		.len_src = KTR_SRC_ARG, .len_ref = 2, .max = KTR_CAP_MAX };
	static int buf[15000];
	struct ktr_setup setup = { .buf_size = KTR_BUF_MIN };
	struct ktr_rows rows = {};
	struct ktr_counts counts;

	buf[0] = open("/dev/null", O_WRONLY);
	ASSERT_EQ(0, ktr_session_open(&self->s, &setup));
	ktr_rows_add(&rows, KTR_ABI_NATIVE, SYS_write, 3, 0, &op, 1);
	ASSERT_EQ(0, ktr_session_rows(&self->s, &rows, 0));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0,
				      writes_much, buf));
	EXPECT_EQ(0, ktr_child_run(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	ASSERT_EQ(0, ktr_session_counts(&self->s, &counts));
	EXPECT_EQ(1, counts.lost);
	EXPECT_EQ(1, counts.lost_why[KTR_LOSS_BIG]);
	EXPECT_EQ(1, counts.lost_kind[KTR_KIND_syscall]);
}

/* No flood of data displaces what later records need. */
TEST_F(loss, process_records_survive_a_flood)
{
	struct ktr_setup setup = { .buf_size = KTR_BUF_MIN };
	struct shared *sh = new_shared();

	self->n = ktr_scaled(20000);
	ASSERT_EQ(0, start(self, &setup, sh));
	EXPECT_EQ(0, ktr_child_run(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	EXPECT_EQ(2, ktr_log_count(&self->s.log, KTR_KIND_task, 0));
	EXPECT_EQ(1, ktr_log_count(&self->s.log, KTR_KIND_task_new, 0));
	EXPECT_EQ(2, ktr_log_count(&self->s.log, KTR_KIND_exit, 0));
	EXPECT_EQ(2, ktr_log_count(&self->s.log, KTR_KIND_target_end, 0));
}

TEST_HARNESS_MAIN
