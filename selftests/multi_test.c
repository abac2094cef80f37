// SPDX-License-Identifier: GPL-2.0-or-later
/* Many at once: sessions on one task, threads at the controls. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include "ktr_ksyms.h"
#include "ktr_random.h"
#include "ktr_test.h"

#define THREADS 8

FIXTURE(multi) {
	struct ktr_client client;
	struct ktr_child child;
	__u64 used;
};

FIXTURE_SETUP(multi)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_client_open(&self->client));
	self->used = ktr_info_u64(&self->client, KTR_A_USED_BYTES);
}

FIXTURE_TEARDOWN(multi)
{
	ktr_child_kill(&self->child);
	EXPECT_TRUE(ktr_wait_for(ktr_info_u64(&self->client, KTR_A_USED_BYTES) ==
				 self->used));
	ktr_client_close(&self->client);
}

static int three_kinds(void *arg)
{
	int i;

	for (i = 0; i < 50; i++) {
		syscall(SYS_getppid);
		syscall(SYS_getuid);
		syscall(SYS_close, -1);
	}
	return 0;
}

static int open_with(struct ktr_session *s, int nr)
{
	int nrs[] = { nr, -1 };

	return ktr_session_open(s, &(struct ktr_setup){}) ?:
	       ktr_session_calls(s, nrs) ?:
	       ktr_session_start(s, KTR_BIT(syscall));
}

TEST_F(multi, sessions_on_one_task_do_not_disturb_each_other)
{
	struct ktr_pred none = { .op = KTR_PRED_EQ, .field = KTR_FIELD_NR,
				 .value = -5 };
	struct ktr_session a, b, c, d;

	ASSERT_EQ(0, open_with(&a, SYS_getppid));
	ASSERT_EQ(0, open_with(&b, SYS_getuid));
	ASSERT_EQ(0, open_with(&c, SYS_getppid));
	ASSERT_EQ(0, open_with(&d, SYS_close));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &a, 0, three_kinds, NULL));
	ASSERT_EQ(1, ktr_session_attach(&b, KTR_TARGET_PID, self->child.pid, 0));
	ASSERT_EQ(1, ktr_session_attach(&c, KTR_TARGET_PID, self->child.pid, 0));
	ASSERT_EQ(1, ktr_session_attach(&d, KTR_TARGET_PID, self->child.pid, 0));
	/* One refuses all, one goes. */
	ASSERT_EQ(0, ktr_session_filter(&c, &none, 1));
	ktr_session_close(&d);
	EXPECT_EQ(0, ktr_child_run(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&a));
	ASSERT_EQ(0, ktr_session_finish(&b));
	ASSERT_EQ(0, ktr_session_finish(&c));
	EXPECT_EQ(50, ktr_log_count(&a.log, KTR_KIND_syscall, 0));
	EXPECT_EQ(50, ktr_log_count(&b.log, KTR_KIND_syscall, 0));
	EXPECT_EQ(0, ktr_log_count(&c.log, KTR_KIND_syscall, 0));
	EXPECT_EQ(1, ktr_log_count(&a.log, KTR_KIND_exit, 0));
	EXPECT_EQ(1, ktr_log_count(&b.log, KTR_KIND_exit, 0));
	EXPECT_EQ(1, ktr_log_count(&c.log, KTR_KIND_exit, 0));
	ktr_session_close(&a);
	ktr_session_close(&b);
	ktr_session_close(&c);
}

/* Forks, polls and calls until it is told to end. */
static int busy(void *arg)
{
	volatile int *stop = arg;
	struct pollfd p = { .fd = -1 };

	while (!*stop) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		poll(&p, 1, 0);
		syscall(SYS_getppid);
		waitpid(pid, NULL, 0);
	}
	return 0;
}

static volatile int *new_flag(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

struct worker {
	pthread_t thread;
	struct ktr_random rnd;
	pid_t target;
	long rounds;
	__u64 function;
	__u32 session;		/* shared by all, or 0 */
	int fd;			/* shared by all */
	int error;		/* the first that must not be */
	int line;
};

/* Note an unexpected result; those in @allowed (0-terminated) are fine. */
static void expect(struct worker *w, int line, int ret, const int *allowed)
{
	if (ret >= 0 || w->error)
		return;
	for (; *allowed; allowed++)
		if (ret == -*allowed)
			return;
	w->error = ret;
	w->line = line;
}

#define EXPECT_OF(w, ret, ...)						\
	expect(w, __LINE__, ret, (const int[]){ __VA_ARGS__, 0 })

static int add_function(struct ktr_session *s, __u64 addr, __u8 cmd)
{
	struct ktr_msg m;

	ktr_session_msg(s, &m, cmd);
	ktr_msg_put(&m, KTR_A_ADDRS, &addr, sizeof(addr));
	return ktr_client_call(&s->client, &m, NULL);
}

/* Sessions of its own: made, used, thrown away at any point. */
static void *makes_sessions(void *arg)
{
	struct worker *w = arg;
	long i;

	for (i = 0; i < w->rounds && !w->error; i++) {
		struct ktr_session s;
		int ret = ktr_session_open(&s, &(struct ktr_setup){
			.buf_size = 16384, .ctl_size = 16384,
			.mode = ktr_random_below(&w->rnd, 2) });

		EXPECT_OF(w, ret, ENFILE);
		if (ret)
			continue;
		if (ktr_one_in(&w->rnd, 2))
			EXPECT_OF(w, ktr_session_all_calls(&s), 0);
		EXPECT_OF(w, ktr_session_start(&s, KTR_BIT(syscall) |
			  KTR_BIT(sched_in) | KTR_BIT(function) |
			  (ktr_one_in(&w->rnd, 2) ? KTR_BIT(wakeup) : 0)), 0);
		if (ktr_one_in(&w->rnd, 4))
			EXPECT_OF(w, add_function(&s, w->function,
						  KTR_CMD_FUNC_ADD), 0);
		EXPECT_OF(w, ktr_session_attach(&s, KTR_TARGET_PID, w->target,
			  ktr_random_below(&w->rnd, KTR_TARGET_F__ALL + 1) & KTR_TARGET_F__ALL),
			  ESRCH);
		if (ktr_one_in(&w->rnd, 2))
			EXPECT_OF(w, ktr_session_drain(&s), 0);
		if (ktr_one_in(&w->rnd, 3))
			EXPECT_OF(w, ktr_session_detach(&s, KTR_TARGET_PID,
							w->target, 0), ESRCH);
		ktr_session_close(&s);
	}
	return NULL;
}

static int run_workers(struct worker *w, int n, void *(*fn)(void *))
{
	int i, bad = 0;

	for (i = 0; i < n; i++)
		if (pthread_create(&w[i].thread, NULL, fn, &w[i]))
			return -EAGAIN;
	for (i = 0; i < n; i++) {
		pthread_join(w[i].thread, NULL);
		if (!w[i].error)
			continue;
		fprintf(stderr, "# thread %d: error %d in line %d\n", i,
			w[i].error, w[i].line);
		bad++;
	}
	return bad;
}

static void init_workers(struct worker *w, int n, pid_t target, long rounds)
{
	__u64 addr = ktr_ksym_addr("do_sys_poll");
	int i;

	memset(w, 0, n * sizeof(*w));
	for (i = 0; i < n; i++) {
		ktr_random_init(&w[i].rnd, ktr_seed() + i);
		w[i].target = target;
		w[i].rounds = rounds;
		w[i].function = addr;
	}
}

TEST_F(multi, eight_threads_with_sessions_of_their_own)
{
	volatile int *stop = new_flag();
	struct worker w[THREADS];

	ASSERT_EQ(0, ktr_child_start(&self->child, busy, (void *)stop));
	ktr_child_go(&self->child);
	init_workers(w, THREADS, self->child.pid, ktr_scaled(200));
	EXPECT_EQ(0, run_workers(w, THREADS, makes_sessions));
	*stop = 1;
	EXPECT_EQ(0, ktr_child_wait(&self->child));
}

/* All at one session: what they do may come in any order, and must be whole. */
static void *changes_session(void *arg)
{
	struct ktr_pred pred = { .op = KTR_PRED_GE, .field = KTR_FIELD_RET };
	struct worker *w = arg;
	struct ktr_session s = { .id = w->session, .fd = -1 };
	struct ktr_answer a;
	long i;

	EXPECT_OF(w, ktr_client_open(&s.client), 0);
	for (i = 0; i < w->rounds && !w->error; i++) {
		switch (ktr_random_below(&w->rnd, 9)) {
		case 0:
			EXPECT_OF(w, ktr_session_start(&s, KTR_BIT(syscall) |
				  ktr_random_below(&w->rnd, 2) << 20), 0);
			break;
		case 1:
			EXPECT_OF(w, ktr_session_stop(&s), 0);
			break;
		case 2:
			EXPECT_OF(w, ktr_session_filter(&s, &pred,
				  ktr_random_below(&w->rnd, 2)), 0);
			break;
		case 3:
			EXPECT_OF(w, ktr_session_all_calls(&s), 0);
			break;
		case 4:
			EXPECT_OF(w, ktr_session_attach(&s, KTR_TARGET_PID,
				  w->target, KTR_TARGET_F_FOLLOW), EEXIST);
			break;
		case 5:
			EXPECT_OF(w, ktr_session_detach(&s, KTR_TARGET_PID,
				  w->target, KTR_TARGET_F_DESCEND), ESRCH);
			break;
		case 6:
			EXPECT_OF(w, add_function(&s, w->function,
				  KTR_CMD_FUNC_ADD), EEXIST);
			break;
		case 7:
			EXPECT_OF(w, add_function(&s, w->function,
				  KTR_CMD_FUNC_DEL), ENOENT);
			break;
		default:
			EXPECT_OF(w, ktr_session_get(&s, &a), 0);
		}
	}
	ktr_client_close(&s.client);
	return NULL;
}

/* Reads a session while others change it. */
struct change_reader {
	pthread_t thread;
	struct ktr_session *s;
	volatile bool stop;
	__u64 changes;
	int error;
};

static int count_change(void *arg, __u32 cpu, int ring, __u64 pos,
			const struct ktr_rec *rec)
{
	*(__u64 *)arg += rec->kind == KTR_KIND_change;
	return 0;
}

static void *reads_changes(void *arg)
{
	struct change_reader *r = arg;
	bool last;

	do {
		last = r->stop;
		r->error = ktr_reader_round(&r->s->reader, count_change,
					    &r->changes);
		usleep(1000);
	} while (!r->error && !last);
	return NULL;
}

TEST_F(multi, eight_threads_with_one_session)
{
	struct ktr_setup setup = { .ctl_size = 4 << 20 };
	volatile int *stop = new_flag();
	struct worker w[THREADS];
	struct change_reader r = {};
	struct ktr_session s;
	int i;

	ASSERT_EQ(0, ktr_child_start(&self->child, busy, (void *)stop));
	ktr_child_go(&self->child);
	ASSERT_EQ(0, ktr_session_open(&s, &setup));
	r.s = &s;
	ASSERT_EQ(0, pthread_create(&r.thread, NULL, reads_changes, &r));
	init_workers(w, THREADS, self->child.pid, ktr_scaled(1000));
	for (i = 0; i < THREADS; i++)
		w[i].session = s.id;
	EXPECT_EQ(0, run_workers(w, THREADS, changes_session));
	r.stop = true;
	pthread_join(r.thread, NULL);
	EXPECT_EQ(0, r.error);
	/* Every change is in the stream. */
	EXPECT_EQ(ktr_session_u32(&s, KTR_A_GENERATION), r.changes);
	ktr_session_close(&s);
	*stop = 1;
	EXPECT_EQ(0, ktr_child_wait(&self->child));
}

/* All at one descriptor, which binds once and is closed under them. */
static void *uses_descriptor(void *arg)
{
	struct worker *w = arg;
	struct ktr_bind b = { .size = sizeof(b), .session = w->session };
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	void *map;
	long i;

	for (i = 0; i < w->rounds; i++) {
		switch (ktr_random_below(&w->rnd, 6)) {
		case 0:
			ioctl(w->fd, KTR_IOC_BIND, &b);
			break;
		case 1:
			ioctl(w->fd, KTR_IOC_FLUSH);
			break;
		case 2:
			map = mmap(NULL, KTR_PAGE, PROT_READ | PROT_WRITE,
				   MAP_SHARED, w->fd, KTR_MMAP_CONS(0, 0));
			if (map != MAP_FAILED)
				munmap(map, KTR_PAGE);
			break;
		case 3:
			poll(&p, 1, 0);
			break;
		case 4:
			if (write(w->fd, "mark", 4) > 4)
				w->error = -EIO;
			break;
		default:
			/* Another open file gets the number. */
			if (ktr_one_in(&w->rnd, 4)) {
				int fd = open(KTR_DEVICE, O_RDWR | O_CLOEXEC);

				dup3(fd, w->fd, O_CLOEXEC);
				close(fd);
			}
		}
	}
	return NULL;
}

TEST_F(multi, eight_threads_with_one_descriptor)
{
	struct ktr_setup setup = { .name = "multi", .buf_size = 16384 };
	struct worker w[THREADS];
	struct ktr_session s;
	int fd = open(KTR_DEVICE, O_RDWR | O_CLOEXEC), i;

	ASSERT_EQ(0, ktr_session_new(&s, &setup));
	ASSERT_EQ(0, ktr_session_start(&s, KTR_BIT(marker)));
	init_workers(w, THREADS, 0, ktr_scaled(20000));
	for (i = 0; i < THREADS; i++) {
		w[i].session = s.id;
		w[i].fd = fd;
	}
	EXPECT_EQ(0, run_workers(w, THREADS, uses_descriptor));
	close(fd);
	EXPECT_EQ(0, ktr_session_u32(&s, KTR_A_READER));
	ktr_session_close(&s);
}

static void *calls_for_ever(void *arg)
{
	volatile int *stop = arg;

	while (!*stop)
		syscall(SYS_getppid);
	return NULL;
}

static int two_threads(void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, calls_for_ever, arg))
		return 1;
	calls_for_ever(arg);
	return pthread_join(t, NULL);
}

TEST_F(multi, session_deleted_under_flood)
{
	volatile int *stop = new_flag();
	long n = ktr_scaled(1000), i;

	ASSERT_EQ(0, ktr_child_start(&self->child, two_threads, (void *)stop));
	ktr_child_go(&self->child);
	for (i = 0; i < n; i++) {
		struct ktr_session s;

		ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){
			.buf_size = 65536, .mode = i & 1 }));
		ASSERT_EQ(0, ktr_session_all_calls(&s));
		ASSERT_EQ(0, ktr_session_start(&s, KTR_BIT(syscall)));
		ASSERT_LE(1, ktr_session_attach(&s, KTR_TARGET_PID,
						self->child.pid, 0));
		ASSERT_EQ(0, ktr_session_await(&s, KTR_KIND_syscall, 0, 1));
		ktr_session_close(&s);
	}
	*stop = 1;
	EXPECT_EQ(0, ktr_child_wait(&self->child));
}

TEST_HARNESS_MAIN
