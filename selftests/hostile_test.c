// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Input that means harm: nothing but errors may come of it. A warning of the
 * kernel is the runner's to find; here everything must be answered, and the
 * module must still count right and give everything back afterwards.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "ktr_ksyms.h"
#include "ktr_random.h"
#include "ktr_test.h"
#include "ktr_user.h"

FIXTURE(hostile) {
	struct ktr_client client;
	struct ktr_random rnd;
	struct ktr_session s;
	struct ktr_child child;
	__u64 used;
	__u64 function;		/* one that can be traced */
	pid_t target;
	int mem;		/* of /proc/PID/mem of that one; -1: no need to show it */
};

static int open_patient(struct ktr_client *c)
{
	struct timeval patience = { .tv_sec = 600 };

	return ktr_client_open(c) ?:
	       setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
			  sizeof(patience));
}

FIXTURE_SETUP(hostile)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, open_patient(&self->client));
	self->used = ktr_info_u64(&self->client, KTR_A_USED_BYTES);
	self->function = ktr_ksym_addr("do_sys_poll");
	self->s.fd = self->s.client.fd = self->mem = -1;
	self->target = getpid();
	ktr_random_init(&self->rnd, ktr_seed());
	TH_LOG("KTR_SEED=%llu", ktr_seed());
}

static int delete_it(const struct ktr_answer *part, void *arg)
{
	struct ktr_client c;
	struct ktr_msg m;

	ktr_msg_init(&m, KTR_CMD_SESSION_DEL);
	ktr_msg_u32(&m, KTR_A_SESSION, ktr_answer_u32(part, KTR_A_SESSION));
	if (ktr_client_open(&c))
		return 1;
	ktr_client_call(&c, &m, NULL);
	ktr_client_close(&c);
	return 0;
}

static int delete_all(struct ktr_client *c)
{
	struct ktr_msg m;

	ktr_msg_init(&m, KTR_CMD_SESSION_GET);
	return ktr_client_dump(c, &m, delete_it, NULL);
}

FIXTURE_TEARDOWN(hostile)
{
	ktr_child_kill(&self->child);
	if (self->s.id)
		ktr_session_close(&self->s);
	EXPECT_EQ(0, delete_all(&self->client));
	EXPECT_TRUE(ktr_wait_for(ktr_info_u64(&self->client, KTR_A_USED_BYTES) ==
				 self->used));
	ktr_client_close(&self->client);
}

static void put_rows(struct ktr_msg *m)
{
	static const struct ktr_op ops[] = {
		{ .form = KTR_FORM_STR, .base_src = KTR_SRC_ARG, .max = 64 },
		{ .form = KTR_FORM_IOV, .base_src = KTR_SRC_ARG, .base_ref = 1,
		  .len_src = KTR_SRC_ARG, .len_ref = 2, .max = 64 },
	};
	struct ktr_rows rows = {};

	ktr_rows_add(&rows, KTR_ABI_NATIVE, SYS_openat, 4, 0, ops, 2);
	ktr_rows_add(&rows, KTR_ABI_COMPAT, 5, 3, -1, ops, 1);
	ktr_msg_put(m, KTR_A_ROWS, rows.buf, rows.len);
}

static void put_filter(struct ktr_msg *m)
{
	static const struct ktr_pred preds[] = {
		{ .op = KTR_PRED_EQ, .field = KTR_FIELD_RET, .value = 1 },
		{ .op = KTR_PRED_GT, .field = KTR_FIELD_DUR, .value = 1000 },
		{ .op = KTR_PRED_OR },
	};

	ktr_msg_put(m, KTR_A_FILTER, preds, sizeof(preds));
}

/* A valid message of each command. */
static void valid_message(FIXTURE_DATA(hostile) *self, struct ktr_msg *m)
{
	__u8 cmd = 1 + ktr_random_below(&self->rnd, KTR_CMD_MAX);

	ktr_msg_init(m, cmd);
	if (cmd == KTR_CMD_SESSION_NEW) {
		ktr_msg_str(m, KTR_A_NAME, "hostile");
		ktr_msg_u64(m, KTR_A_BUF_SIZE, KTR_BUF_MIN);
		ktr_msg_u64(m, KTR_A_CTL_SIZE, KTR_BUF_MIN);
		ktr_msg_u64(m, KTR_A_WATERMARK, 100);
		ktr_msg_u32(m, KTR_A_MODE, KTR_MODE_OVERWRITE);
		ktr_msg_u32(m, KTR_A_FLUSH_MS, 10);
		return;
	}
	ktr_msg_str(m, KTR_A_NAME, "hostile");
	switch (cmd) {
	case KTR_CMD_SESSION_SET:
		ktr_msg_u32(m, KTR_A_STATE, KTR_STATE_RUNNING);
		ktr_msg_u64(m, KTR_A_EVENTS, KTR_BIT(syscall));
		ktr_msg_u64(m, KTR_A_SIGNALS_ADD, 5);
		put_filter(m);
		break;
	case KTR_CMD_TARGET_ADD:
	case KTR_CMD_TARGET_DEL:
		ktr_msg_u32(m, KTR_A_TARGET_KIND, KTR_TARGET_PID);
		ktr_msg_u32(m, KTR_A_TARGET_ID, self->target);
		ktr_msg_u32(m, KTR_A_FLAGS, KTR_TARGET_F_FOLLOW);
		if (self->mem >= 0)
			ktr_msg_u32(m, KTR_A_FD, self->mem);
		break;
	case KTR_CMD_SYSCALL_ADD:
	case KTR_CMD_SYSCALL_DEL:
		put_rows(m);
		ktr_msg_u32(m, KTR_A_FLAGS, KTR_ROWS_F_COMMIT);
		break;
	case KTR_CMD_FUNC_ADD:
	case KTR_CMD_FUNC_DEL:
		ktr_msg_u64(m, KTR_A_ADDRS, self->function);
	}
}

static int new_session(struct ktr_client *c)
{
	struct ktr_msg m;

	ktr_msg_init(&m, KTR_CMD_SESSION_NEW);
	ktr_msg_str(&m, KTR_A_NAME, "hostile");
	ktr_msg_u64(&m, KTR_A_BUF_SIZE, KTR_BUF_MIN);
	ktr_msg_u64(&m, KTR_A_CTL_SIZE, KTR_BUF_MIN);
	return ktr_client_call(c, &m, NULL);
}

#define HEAD (NLMSG_HDRLEN + 4)

/* The place of an attribute of the message, chosen by chance. */
static struct nlattr *some_attr(struct ktr_random *r, struct ktr_msg *m)
{
	const struct nlattr *attr = (const void *)(m->buf + HEAD), *pick = attr;
	size_t len = m->len - HEAD;
	int n = 1;

	if (m->len < HEAD + NLA_HDRLEN)
		return NULL;
	while ((attr = ktr_attr_next(attr, &len)))
		if (ktr_one_in(r, ++n))
			pick = attr;
	return (struct nlattr *)pick;
}

static void put_nested(struct ktr_random *r, struct ktr_msg *m)
{
	char inner[200];
	size_t len = ktr_random_below(r, sizeof(inner));

	ktr_random_fill(r, inner, len);
	ktr_msg_put(m, ktr_random_below(r, KTR_A_MAX + 3) |
		    (ktr_one_in(r, 2) ? NLA_F_NESTED : 0), inner, len);
}

static void mutate(struct ktr_random *r, struct ktr_msg *m)
{
	struct nlattr *attr = some_attr(r, m);
	size_t len = m->len > HEAD ? m->len - HEAD : 0;
	unsigned char *p = (void *)(m->buf + HEAD);

	switch (ktr_random_below(r, 9)) {
	case 0:		/* bits */
		if (len)
			p[ktr_random_below(r, len)] ^= 1 << ktr_random_below(r, 8);
		break;
	case 1:		/* bytes */
		if (len)
			p[ktr_random_below(r, len)] = ktr_random(r);
		break;
	case 2:		/* another attribute */
		if (attr)
			attr->nla_type = ktr_random_below(r, KTR_A_MAX + 3);
		break;
	case 3:		/* a type with flags */
		if (attr)
			attr->nla_type ^= 1 << ktr_random_below(r, 16);
		break;
	case 4:		/* lengths that lie */
		if (attr)
			attr->nla_len = ktr_one_in(r, 2) ?
				ktr_random(r) : ktr_random_below(r, 16);
		break;
	case 5:		/* cut off */
		if (len)
			m->len -= ktr_random_below(r, len);
		break;
	case 6:		/* one more, or one twice */
		put_nested(r, m);
		break;
	case 7:		/* a number at its edge */
		if (attr && attr->nla_len >= 8 &&
		    (char *)attr + 8 <= m->buf + m->len) {
			__u32 edge = ktr_random_edge(r);

			memcpy((char *)attr + NLA_HDRLEN, &edge, 4);
		}
		break;
	case 8:		/* another command */
		m->buf[NLMSG_HDRLEN] = ktr_random_below(r, KTR_CMD_MAX + 3);
	}
}

/*
 * A big ring is no attack but an order, and one that could leave this machine
 * without memory.
 */
static bool orders_much_memory(const struct ktr_msg *m)
{
	const struct nlattr *attr = (const void *)(m->buf + HEAD);
	size_t len = m->len - HEAD;

	if (m->buf[NLMSG_HDRLEN] != KTR_CMD_SESSION_NEW || len < NLA_HDRLEN)
		return false;
	for (; attr; attr = ktr_attr_next(attr, &len)) {
		int type = attr->nla_type & NLA_TYPE_MASK;
		__u64 val = 0;

		if (attr->nla_len < NLA_HDRLEN + 8 || attr->nla_len > len)
			continue;
		memcpy(&val, ktr_attr_data(attr), sizeof(val));
		if ((type == KTR_A_BUF_SIZE || type == KTR_A_CTL_SIZE) &&
		    val > 1 << 20)
			return true;
	}
	return false;
}

/*
 * Most of the time of a message that does something is a wait for others to be
 * past it: so several send at once.
 */
#define SENDERS 8

struct tally {
	long answered, good;
	long silent;		/* the first without an answer, from 1 */
};

static void send_one(FIXTURE_DATA(hostile) *self, struct tally *tally, long i)
{
	struct ktr_random *r = &self->rnd;
	int times = ktr_random_below(r, 4), ret;
	struct ktr_msg m;

	valid_message(self, &m);
	while (times--)
		mutate(r, &m);
	if (m.len > KTR_MSG_MAX || orders_much_memory(&m))
		return;
	if (m.len < HEAD)
		m.len = HEAD;
	ret = ktr_one_in(r, 8) ?
	      ktr_client_dump(&self->client, &m, NULL, NULL) :
	      ktr_client_call(&self->client, &m, NULL);
	if (ret == -EAGAIN && !tally->silent)
		tally->silent = i + 1;
	tally->good += ret == 0;
	tally->answered++;
}

/* Without privilege, and with a process of his own that he shows. */
static int is_nobody(FIXTURE_DATA(hostile) *self)
{
	char path[40];

	if (ktr_user_become(KTR_NOBODY, 0))
		return 4;
	self->target = fork();
	if (!self->target)
		_exit(pause());
	snprintf(path, sizeof(path), "/proc/%d/mem", self->target);
	self->mem = open(path, O_RDONLY);
	return self->mem < 0 ? 5 : 0;
}

/* In a process of its own, with random numbers of its own. */
static int sends(FIXTURE_DATA(hostile) *self, int who, long n,
		 struct tally *tally)
{
	long i;

	ktr_random_init(&self->rnd, ktr_seed() + who);
	if (open_patient(&self->client))
		return 1;
	for (i = 0; i < n && !tally->silent; i++) {
		if (i % 30 == 0) {	/* they need one that is there */
			int ret = new_session(&self->client);

			if (ret && ret != -EEXIST)
				return 2;
		}
		send_one(self, tally, i);
		if (i % 1000 == 999 && delete_all(&self->client))
			return 3;
	}
	return 0;
}

static int sends_as_nobody(FIXTURE_DATA(hostile) *self, int who, long n, struct tally *tally)
{
	int ret = is_nobody(self) ?: sends(self, who, n, tally);

	if (self->target > 0)
		kill(self->target, SIGKILL);
	return ret;
}

static void send_all(struct __test_metadata *_metadata, FIXTURE_DATA(hostile) *self, long n,
		     int (*fn)(FIXTURE_DATA(hostile) *self, int who, long n,
			       struct tally *tally))
{
	struct tally *tally = mmap(NULL, SENDERS * sizeof(*tally),
				   PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0), sum = {};
	pid_t pid[SENDERS];
	int i, status;

	for (i = 0; i < SENDERS; i++) {
		pid[i] = fork();
		if (!pid[i])
			_exit(fn(self, i, n / SENDERS + 1, &tally[i]));
	}
	for (i = 0; i < SENDERS; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
		EXPECT_EQ(0, tally[i].silent);
		sum.answered += tally[i].answered;
		sum.good += tally[i].good;
	}
	/* Those that were left as they were, at least, were understood. */
	EXPECT_LT(sum.answered / 20, sum.good);
	EXPECT_LT(sum.answered / 20, sum.answered - sum.good);
	TH_LOG("%ld messages, %ld accepted", sum.answered, sum.good);
}

TEST_F(hostile, netlink_messages)
{
	send_all(_metadata, self, ktr_scaled(100000), sends);
}

/* The same by one without privilege; root's session of that name is not touched. */
TEST_F(hostile, netlink_messages_of_a_plain_user)
{
	struct ktr_setup setup = { .name = "hostile" };
	struct ktr_answer a;

	ASSERT_EQ(0, ktr_session_new(&self->s, &setup));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(marker)));
	send_all(_metadata, self, ktr_scaled(50000), sends_as_nobody);
	ASSERT_EQ(0, ktr_session_get(&self->s, &a));
	EXPECT_EQ(KTR_STATE_RUNNING, ktr_answer_u32(&a, KTR_A_STATE));
	EXPECT_EQ(KTR_BIT(marker), ktr_answer_u64(&a, KTR_A_EVENTS));
	EXPECT_EQ(0, ktr_answer_u32(&a, KTR_A_NTARGETS));
	EXPECT_EQ(0, ktr_answer_u32(&a, KTR_A_READER));
}

TEST_F(hostile, ioctls)
{
	static const unsigned int cmds[] = { KTR_IOC_BIND, KTR_IOC_FLUSH };
	long n = ktr_scaled(100000), i;
	struct ktr_random *r = &self->rnd;
	int fd = open(KTR_DEVICE, O_RDWR);
	union {
		struct ktr_bind bind;
		char bytes[512];
	} arg;

	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){
			.buf_size = KTR_BUF_MIN, .ctl_size = KTR_BUF_MIN }));
	for (i = 0; i < n; i++) {
		unsigned int cmd = cmds[ktr_random_below(r, 2)];
		void *p = &arg;

		memset(&arg, 0, sizeof(arg));
		arg.bind.size = sizeof(arg.bind);
		arg.bind.session = ktr_random_below(r, 20);
		if (ktr_one_in(r, 2))
			ktr_random_fill(r, arg.bytes +
					ktr_random_below(r, sizeof(arg)), 1);
		if (ktr_one_in(r, 4))
			ktr_random_fill(r, &arg, sizeof(arg));
		if (ktr_one_in(r, 4))
			cmd ^= 1 << ktr_random_below(r, 32);
		if (ktr_one_in(r, 8))
			p = (void *)ktr_random_edge(r);
		ioctl(ktr_one_in(r, 2) ? fd : self->s.fd, cmd, p);
	}
	close(fd);
	/* The session that was there still is, with its reader. */
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_READER));
}

TEST_F(hostile, mappings)
{
	long n = ktr_scaled(100000), i;
	struct ktr_random *r = &self->rnd;

	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){
			.buf_size = KTR_BUF_MIN, .ctl_size = KTR_BUF_MIN }));
	for (i = 0; i < n; i++) {
		size_t len = KTR_PAGE * (1 + ktr_random_below(r, 5));
		__u64 off = KTR_MMAP_CONS(ktr_random_below(r, 5),
					  ktr_random_below(r, 3)) +
			    KTR_PAGE * ktr_random_below(r, 4);
		int prot = ktr_random_below(r, 8);
		void *p;

		if (ktr_one_in(r, 4))
			off = ktr_random_edge(r) & ~(KTR_PAGE - 1ULL);
		p = mmap(NULL, len, prot, ktr_one_in(r, 8) ? MAP_PRIVATE :
			 MAP_SHARED, self->s.fd, off);
		if (p == MAP_FAILED)
			continue;
		/* Just the two that the header names. */
		EXPECT_EQ(0, prot & PROT_EXEC);
		EXPECT_EQ(0, len == KTR_PAGE ? off % (1ULL << 33) :
					       (__u64)(prot & PROT_WRITE));
		EXPECT_TRUE(len == KTR_PAGE || len == 3 * KTR_PAGE);
		munmap(p, len);
	}
}

struct shared {
	long n;
	pid_t tid[2];
};

struct flooder {
	struct shared *sh;
	int cpu;
};

static void *flood(void *arg)
{
	const struct flooder *f = arg;
	long i;

	ktr_pin(f->cpu);
	f->sh->tid[f->cpu] = syscall(SYS_gettid);
	for (i = 0; i < f->sh->n; i++)
		syscall(SYS_getppid, i);
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

/* Writes where it may, until the child has ended. */
static void scribble(FIXTURE_DATA(hostile) *self)
{
	struct ktr_reader *rd = &self->s.reader;
	__u32 n = rd->ncpus * __KTR_RING_LAST, i = 0;

	while (ktr_task_state(self->child.pid) != 'Z') {
		struct ktr_map *m;
		int k;

		for (k = 0; k < 1000; k++) {
			m = &rd->map[i++ % n];
			m->cons->consumed = ktr_one_in(&self->rnd, 2) ?
				ktr_random_edge(&self->rnd) :
				m->prod->committed + ktr_random_below(
					&self->rnd, 100000) - 50000;
		}
		/* All of the page is his. */
		ktr_random_fill(&self->rnd, (void *)m->cons, KTR_PAGE);
	}
}

/* Sum of what the accounts of the two floods say; ~0: one is missing. */
static __u64 accounts(FIXTURE_DATA(hostile) *self, const struct shared *sh)
{
	struct ktr_map *m;
	__u64 sum = 0;
	__u32 cpu;
	int i, found = 0;

	/* What was scribbled makes readers start anywhere: start properly. */
	for (cpu = 0; cpu < self->s.reader.ncpus; cpu++) {
		m = ktr_reader_ring(&self->s.reader, cpu, KTR_RING_CONTROL);
		m->pos = 0;
	}
	self->s.reader.keep = true;
	for (cpu = 0; cpu < self->s.reader.ncpus; cpu++)
		ktr_reader_ring(&self->s.reader, cpu, KTR_RING_DATA)->pos =
			ktr_reader_ring(&self->s.reader, cpu,
					KTR_RING_DATA)->prod->committed;
	if (ktr_session_drain(&self->s))
		return ~0ULL;
	for (i = 0; i < 2; i++) {
		const struct ktr_rec *rec = ktr_log_only(&self->s.log,
			KTR_KIND_target_end, sh->tid[i]);
		const struct ktr_ev_target_end *ev = rec ? ktr_payload(rec) : NULL;
		const struct ktr_rec *other;
		size_t at;

		if (!ev)
			continue;
		found++;
		sum += ev->recorded + ev->lost;
		/* Of these some were of its life. */
		for (at = 0; (other = ktr_log_next(&self->s.log, &at,
				KTR_KIND_task_new, sh->tid[i])); )
			sum--;
		for (at = 0; (other = ktr_log_next(&self->s.log, &at,
				KTR_KIND_exit, sh->tid[i])); )
			sum--;
	}
	return found == 2 ? sum : ~0ULL;
}

static void scribbles(struct __test_metadata *_metadata,
		      FIXTURE_DATA(hostile) *self, __u32 mode)
{
	static const int nrs[] = { SYS_getppid, -1 };
	struct shared *sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct pollfd p = { .events = 0 };

	sh->n = ktr_scaled(1000000);
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){
			.buf_size = KTR_BUF_MIN, .mode = mode }));
	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, two_floods, sh));
	ktr_child_go(&self->child);
	scribble(self);
	EXPECT_EQ(0, ktr_child_wait(&self->child));
	p.fd = self->s.fd;
	ASSERT_TRUE(ktr_wait_for(poll(&p, 1, 100) == 1 && p.revents & POLLHUP));
	/* He harmed himself at most: the accounts are as exact as ever. */
	EXPECT_EQ(2 * sh->n, accounts(self, sh));
}

TEST_F(hostile, reader_scribbles_over_his_page)
{
	scribbles(_metadata, self, KTR_MODE_DISCARD);
}

TEST_F(hostile, reader_scribbles_in_overwrite_mode)
{
	scribbles(_metadata, self, KTR_MODE_OVERWRITE);
}

TEST_HARNESS_MAIN
