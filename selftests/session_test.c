// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions: making, finding, changing and ending them, and what they hold. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "ktr_test.h"

FIXTURE(session) {
	struct ktr_client client;
	__u64 used;		/* bytes accounted before the test */
};

FIXTURE_SETUP(session)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_client_open(&self->client));
	self->used = ktr_info_u64(&self->client, KTR_A_USED_BYTES);
}

/* Whatever a test did, nothing of it is left. */
FIXTURE_TEARDOWN(session)
{
	EXPECT_TRUE(ktr_wait_for(ktr_info_u64(&self->client, KTR_A_USED_BYTES) ==
				 self->used));
	ktr_client_close(&self->client);
}

static int new_named(struct ktr_client *c, const char *name, struct ktr_answer *a)
{
	struct ktr_msg m;

	ktr_msg_init(&m, KTR_CMD_SESSION_NEW);
	ktr_msg_str(&m, KTR_A_NAME, name);
	ktr_msg_u64(&m, KTR_A_BUF_SIZE, KTR_BUF_MIN);
	ktr_msg_u64(&m, KTR_A_CTL_SIZE, KTR_BUF_MIN);
	return ktr_client_call(c, &m, a);
}

static int del_named(struct ktr_client *c, const char *name)
{
	struct ktr_msg m;

	ktr_msg_init(&m, KTR_CMD_SESSION_DEL);
	ktr_msg_str(&m, KTR_A_NAME, name);
	return ktr_client_call(c, &m, NULL);
}

static int count_sessions(const struct ktr_answer *part, void *arg)
{
	*(int *)arg += part->attr[KTR_A_SESSION] != NULL;
	return 0;
}

static int sessions(struct ktr_client *c)
{
	struct ktr_msg m;
	int n = 0;

	ktr_msg_init(&m, KTR_CMD_SESSION_GET);
	return ktr_client_dump(c, &m, count_sessions, &n) ?: n;
}

TEST_F(session, named_stays_until_deleted)
{
	struct ktr_client *c = &self->client;
	struct ktr_answer a;
	int before = sessions(c);

	ASSERT_EQ(0, new_named(c, "one", &a));
	EXPECT_STREQ("one", ktr_answer_str(&a, KTR_A_NAME));
	EXPECT_EQ(KTR_STATE_STOPPED, ktr_answer_u32(&a, KTR_A_STATE));
	EXPECT_EQ(0, ktr_answer_u64(&a, KTR_A_EVENTS));
	EXPECT_EQ(0, ktr_answer_u32(&a, KTR_A_NTARGETS));
	EXPECT_EQ(0, ktr_answer_u32(&a, KTR_A_READER));
	EXPECT_EQ(before + 1, sessions(c));
	EXPECT_EQ(-EEXIST, new_named(c, "one", &a));
	EXPECT_NE('\0', c->text[0]);
	EXPECT_EQ(0, del_named(c, "one"));
	EXPECT_EQ(-ENOENT, del_named(c, "one"));
	EXPECT_EQ(before, sessions(c));
}

TEST_F(session, bad_names_are_refused)
{
	char long_name[KTR_NAME_MAX + 1];
	struct ktr_client *c = &self->client;
	struct ktr_answer a;

	memset(long_name, 'n', sizeof(long_name));
	long_name[KTR_NAME_MAX] = 0;
	EXPECT_EQ(-EINVAL, new_named(c, long_name, &a));
	EXPECT_EQ(-EINVAL, new_named(c, "", &a));
	EXPECT_EQ(-EINVAL, new_named(c, "a/b", &a));
	EXPECT_EQ(-EINVAL, new_named(c, "a\nb", &a));
	EXPECT_EQ(-EINVAL, new_named(c, "\x7f", &a));
	long_name[KTR_NAME_MAX - 1] = 0;
	EXPECT_EQ(0, new_named(c, long_name, &a));
	EXPECT_EQ(0, del_named(c, long_name));
}

TEST_F(session, anonymous_ends_with_its_descriptor)
{
	struct ktr_session s;
	struct ktr_answer a;
	int before = sessions(&self->client);

	ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_get(&s, &a));
	EXPECT_EQ(NULL, a.attr[KTR_A_NAME]);
	EXPECT_EQ(1, ktr_answer_u32(&a, KTR_A_READER));
	EXPECT_EQ(before + 1, sessions(&self->client));
	ktr_reader_close(&s.reader);
	close(s.fd);
	EXPECT_EQ(-ENOENT, ktr_session_get(&s, &a));
	EXPECT_EQ(before, sessions(&self->client));
	s.fd = -1;
	ktr_session_close(&s);
}

TEST_F(session, mapping_keeps_the_descriptor_alive)
{
	struct ktr_session s;
	struct ktr_answer a;

	ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){}));
	close(s.fd);
	EXPECT_EQ(0, ktr_session_get(&s, &a));
	EXPECT_EQ(KTR_VERSION, s.reader.map[0].prod->version);
	ktr_reader_close(&s.reader);
	EXPECT_EQ(-ENOENT, ktr_session_get(&s, &a));
	s.fd = -1;
	ktr_session_close(&s);
}

static int own_session(void *arg)
{
	struct ktr_session s;

	if (ktr_session_open(&s, &(struct ktr_setup){}) ||
	    ktr_session_all_calls(&s) ||
	    ktr_session_start(&s, KTR_BIT(syscall)))
		return 1;
	for (;;)
		pause();
}

TEST_F(session, anonymous_ends_when_its_owner_is_killed)
{
	int before = sessions(&self->client);
	struct ktr_child child;

	ASSERT_EQ(0, ktr_child_start(&child, own_session, NULL));
	ktr_child_go(&child);
	EXPECT_TRUE(ktr_wait_for(sessions(&self->client) == before + 1));
	EXPECT_TRUE(ktr_task_sleeps(child.pid, SYS_pause));
	kill(child.pid, SIGKILL);
	ASSERT_EQ(SIGKILL, ktr_child_wait(&child));
	EXPECT_TRUE(ktr_wait_for(sessions(&self->client) == before));
}

TEST_F(session, second_reader_gets_ebusy)
{
	struct ktr_bind b = { .size = sizeof(b), .name = "two" };
	struct ktr_answer a;
	int fd1, fd2;

	ASSERT_EQ(0, new_named(&self->client, "two", &a));
	fd1 = open(KTR_DEVICE, O_RDWR);
	fd2 = open(KTR_DEVICE, O_RDWR);
	ASSERT_EQ(0, ioctl(fd1, KTR_IOC_BIND, &b));
	EXPECT_EQ(ktr_answer_u32(&a, KTR_A_SESSION), b.session);
	EXPECT_EQ(KTR_BUF_MIN, b.buf_size);
	EXPECT_EQ(KTR_BUF_MIN, b.ctl_size);
	b.session = 0;
	EXPECT_EQ(-1, ioctl(fd2, KTR_IOC_BIND, &b));
	EXPECT_EQ(EBUSY, errno);
	/* A descriptor binds once. */
	b.session = 0;
	EXPECT_EQ(-1, ioctl(fd1, KTR_IOC_BIND, &b));
	EXPECT_EQ(EBUSY, errno);
	/* Only to write markers: that is not a reader. */
	b.session = 0;
	b.flags = KTR_BIND_F_MARK;
	EXPECT_EQ(0, ioctl(fd2, KTR_IOC_BIND, &b));
	close(fd2);
	/* The place is free when the reader goes. */
	close(fd1);
	fd1 = open(KTR_DEVICE, O_RDWR);
	b.session = 0;
	b.flags = 0;
	EXPECT_EQ(0, ioctl(fd1, KTR_IOC_BIND, &b));
	close(fd1);
	EXPECT_EQ(0, del_named(&self->client, "two"));
}

static int new_on_fd(struct ktr_client *c, int fd)
{
	struct ktr_msg m;

	ktr_msg_init(&m, KTR_CMD_SESSION_NEW);
	ktr_msg_u32(&m, KTR_A_FD, fd);
	ktr_msg_u64(&m, KTR_A_BUF_SIZE, KTR_BUF_MIN);
	ktr_msg_u64(&m, KTR_A_CTL_SIZE, KTR_BUF_MIN);
	return ktr_client_call(c, &m, NULL);
}

TEST_F(session, descriptor_must_be_the_device_and_free)
{
	int dev = open(KTR_DEVICE, O_RDWR), null = open("/dev/null", O_RDWR);

	EXPECT_EQ(-EBADF, new_on_fd(&self->client, null));
	EXPECT_EQ(-EBADF, new_on_fd(&self->client, 4000));
	EXPECT_EQ(0, new_on_fd(&self->client, dev));
	EXPECT_EQ(-EBUSY, new_on_fd(&self->client, dev));
	close(dev);
	close(null);
}

TEST_F(session, name_and_descriptor_exclude_each_other)
{
	int dev = open(KTR_DEVICE, O_RDWR);
	struct ktr_msg m;

	ktr_msg_init(&m, KTR_CMD_SESSION_NEW);
	EXPECT_EQ(-EINVAL, ktr_client_call(&self->client, &m, NULL));
	ktr_msg_init(&m, KTR_CMD_SESSION_NEW);
	ktr_msg_u32(&m, KTR_A_FD, dev);
	ktr_msg_str(&m, KTR_A_NAME, "both");
	EXPECT_EQ(-EINVAL, ktr_client_call(&self->client, &m, NULL));
	close(dev);
}

TEST_F(session, sizes_are_rounded_and_told)
{
	struct ktr_setup setup = { .buf_size = 70000, .ctl_size = 4097,
				   .watermark = 1234, .flush_ms = 7 };
	struct ktr_session s;
	struct ktr_answer a;
	__u64 data, total;

	ASSERT_EQ(0, ktr_session_open(&s, &setup));
	ASSERT_EQ(0, ktr_session_get(&s, &a));
	EXPECT_EQ(131072, ktr_answer_u64(&a, KTR_A_BUF_SIZE));
	EXPECT_EQ(8192, ktr_answer_u64(&a, KTR_A_CTL_SIZE));
	EXPECT_EQ(1234, ktr_answer_u64(&a, KTR_A_WATERMARK));
	EXPECT_EQ(7, ktr_answer_u32(&a, KTR_A_FLUSH_MS));
	total = ktr_answer_u64(&a, KTR_A_TOTAL_BYTES);
	data = (131072 + 8192) * ktr_answer_u32(&a, KTR_A_NCPUS);
	EXPECT_LE(data, total);
	EXPECT_EQ(self->used + total,
		  ktr_info_u64(&self->client, KTR_A_USED_BYTES));
	ktr_session_close(&s);
}

TEST_F(session, defaults_are_those_of_the_header)
{
	struct ktr_session s;
	struct ktr_answer a;

	ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_get(&s, &a));
	EXPECT_EQ(KTR_BUF_DEFAULT, ktr_answer_u64(&a, KTR_A_BUF_SIZE));
	EXPECT_EQ(KTR_CTL_DEFAULT, ktr_answer_u64(&a, KTR_A_CTL_SIZE));
	EXPECT_EQ(KTR_BUF_DEFAULT / 4, ktr_answer_u64(&a, KTR_A_WATERMARK));
	EXPECT_EQ(100, ktr_answer_u32(&a, KTR_A_FLUSH_MS));
	EXPECT_EQ(KTR_MODE_DISCARD, ktr_answer_u32(&a, KTR_A_MODE));
	EXPECT_EQ(getuid(), ktr_answer_u32(&a, KTR_A_OWNER));
	ktr_session_close(&s);
}

static int new_with(struct ktr_client *c, int attr, __u64 val, bool wide)
{
	struct ktr_msg m;

	ktr_msg_init(&m, KTR_CMD_SESSION_NEW);
	ktr_msg_str(&m, KTR_A_NAME, "limits");
	if (wide)
		ktr_msg_u64(&m, attr, val);
	else
		ktr_msg_u32(&m, attr, val);
	return ktr_client_call(c, &m, NULL);
}

TEST_F(session, limits_are_kept)
{
	struct ktr_client *c = &self->client;

	EXPECT_EQ(-ERANGE, new_with(c, KTR_A_BUF_SIZE, KTR_BUF_MIN - 1, true));
	EXPECT_EQ(-ERANGE, new_with(c, KTR_A_BUF_SIZE, KTR_BUF_MAX + 1, true));
	EXPECT_EQ(-ERANGE, new_with(c, KTR_A_BUF_SIZE, ~0ULL, true));
	EXPECT_EQ(-ERANGE, new_with(c, KTR_A_CTL_SIZE, 0, true));
	EXPECT_EQ(-ERANGE, new_with(c, KTR_A_FLUSH_MS, 0, false));
	EXPECT_EQ(-ERANGE, new_with(c, KTR_A_FLUSH_MS, 10001, false));
	EXPECT_EQ(-ERANGE, new_with(c, KTR_A_MODE, __KTR_MODE_LAST, false));
	EXPECT_EQ(-EOPNOTSUPP, new_with(c, KTR_A_FLAGS,
					KTR_SESSION_F__ALL + 1, false));
	/* Everything above what all may have together. */
	EXPECT_EQ(-EDQUOT, new_with(c, KTR_A_BUF_SIZE, KTR_BUF_MAX, true));
	EXPECT_NE('\0', c->text[0]);
}

TEST_F(session, number_is_bounded)
{
	struct ktr_client *c = &self->client;
	int before = sessions(c), n, ret = 0;
	struct ktr_answer a;
	char name[32];

	ASSERT_LE(0, before);
	for (n = 0; n <= KTR_SESSIONS_MAX && !ret; n++) {
		snprintf(name, sizeof(name), "many-%d", n);
		ret = new_named(c, name, &a);
	}
	EXPECT_EQ(-ENFILE, ret);
	EXPECT_EQ(KTR_SESSIONS_MAX, sessions(c));
	for (n -= 2; n >= 0; n--) {
		snprintf(name, sizeof(name), "many-%d", n);
		EXPECT_EQ(0, del_named(c, name));
	}
	EXPECT_EQ(before, sessions(c));
}

TEST_F(session, must_be_named_in_just_one_way)
{
	struct ktr_answer a;
	struct ktr_msg m;

	ktr_msg_init(&m, KTR_CMD_SESSION_SET);
	EXPECT_EQ(-EINVAL, ktr_client_call(&self->client, &m, NULL));
	ASSERT_EQ(0, new_named(&self->client, "way", &a));
	ktr_msg_init(&m, KTR_CMD_SESSION_GET);
	ktr_msg_str(&m, KTR_A_NAME, "way");
	ktr_msg_u32(&m, KTR_A_SESSION, ktr_answer_u32(&a, KTR_A_SESSION));
	EXPECT_EQ(-EINVAL, ktr_client_call(&self->client, &m, NULL));
	EXPECT_EQ(0, del_named(&self->client, "way"));
}

TEST_F(session, unknown_event_and_state_are_refused)
{
	struct ktr_session s;

	ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){}));
	EXPECT_EQ(-EOPNOTSUPP, ktr_session_set(&s, KTR_A_EVENTS, 1ULL << 62));
	EXPECT_EQ(-EOPNOTSUPP, ktr_session_set(&s, KTR_A_EVENTS_ADD, 1ULL << 40));
	EXPECT_EQ(-ERANGE, ktr_session_set(&s, KTR_A_STATE, KTR_STATE_ENDED));
	EXPECT_EQ(0, ktr_session_u64(&s, KTR_A_EVENTS));
	EXPECT_EQ(KTR_STATE_STOPPED, ktr_session_u32(&s, KTR_A_STATE));
	ktr_session_close(&s);
}

TEST_F(session, probes_are_attached_only_while_needed)
{
	struct ktr_session s;

	ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){}));
	EXPECT_EQ(0, ktr_session_u64(&s, KTR_A_PROBES) & KTR_BIT(syscall));
	ASSERT_EQ(0, ktr_session_set(&s, KTR_A_EVENTS, KTR_BIT(syscall)));
	EXPECT_EQ(0, ktr_session_u64(&s, KTR_A_PROBES) & KTR_BIT(syscall));
	ASSERT_EQ(0, ktr_session_set(&s, KTR_A_STATE, KTR_STATE_RUNNING));
	EXPECT_NE(0, ktr_session_u64(&s, KTR_A_PROBES) & KTR_BIT(syscall));
	ASSERT_EQ(0, ktr_session_stop(&s));
	EXPECT_EQ(0, ktr_session_u64(&s, KTR_A_PROBES) & KTR_BIT(syscall));
	ktr_session_close(&s);
}

/* What is asked for, and the kind by whose probe that is told. */
static const struct {
	__u64 select;
	__u64 attached;
} needs[] = {
	{ KTR_BIT(syscall), KTR_BIT(syscall) },
	{ KTR_BIT(signal_generate), KTR_BIT(signal_generate) },
	{ KTR_BIT(signal_deliver), KTR_BIT(signal_deliver) },
	{ KTR_BIT(wakeup), KTR_BIT(wakeup) },
	/* How long a task was runnable begins with its waking. */
	{ KTR_BIT(sched_in), KTR_BIT(wakeup) },
};

/* Births, deaths and switches: while there is a session at all. */
#define FOLLOWING (KTR_BIT(task_new) | KTR_BIT(exec) | KTR_BIT(exit) | \
		   KTR_BIT(rename) | KTR_BIT(sched_out))

TEST_F(session, probes_go_with_the_last_session_that_needs_them)
{
	struct ktr_client *c = &self->client;
	struct ktr_session a, b;
	int i;

	for (i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		ASSERT_EQ(0, ktr_info_u64(c, KTR_A_PROBES));
		ASSERT_EQ(0, ktr_session_open(&a, &(struct ktr_setup){}));
		ASSERT_EQ(0, ktr_session_open(&b, &(struct ktr_setup){}));
		ASSERT_EQ(0, ktr_session_start(&a, needs[i].select));
		ASSERT_EQ(0, ktr_session_start(&b, needs[i].select));
		EXPECT_EQ(needs[i].attached,
			  ktr_info_u64(c, KTR_A_PROBES) & needs[i].attached);
		ktr_session_close(&a);
		EXPECT_EQ(needs[i].attached,
			  ktr_info_u64(c, KTR_A_PROBES) & needs[i].attached);
		ASSERT_EQ(0, ktr_session_set(&b, KTR_A_EVENTS, 0));
		EXPECT_EQ(0, ktr_info_u64(c, KTR_A_PROBES) & needs[i].attached);
		EXPECT_EQ(FOLLOWING, ktr_info_u64(c, KTR_A_PROBES) & FOLLOWING);
		ktr_session_close(&b);
		EXPECT_TRUE(ktr_wait_for(!ktr_info_u64(c, KTR_A_PROBES)));
	}
}

TEST_F(session, every_change_is_a_record_with_a_new_generation)
{
	static const __u32 what[] = { KTR_CHANGE_EVENTS, KTR_CHANGE_START,
		KTR_CHANGE_SIGNALS, KTR_CHANGE_SYSCALLS, KTR_CHANGE_EVENTS,
		KTR_CHANGE_FILTER, KTR_CHANGE_STOP };
	struct ktr_session s;
	const struct ktr_rec *rec;
	size_t at = 0, i;

	ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&s, KTR_BIT(syscall)));
	ASSERT_EQ(0, ktr_session_set(&s, KTR_A_SIGNALS, 1));
	ASSERT_EQ(0, ktr_session_all_calls(&s));
	ASSERT_EQ(0, ktr_session_set(&s, KTR_A_EVENTS_ADD, KTR_BIT(sched_in)));
	ASSERT_EQ(0, ktr_session_filter(&s, NULL, 0));
	ASSERT_EQ(0, ktr_session_stop(&s));
	ASSERT_EQ(0, ktr_session_drain(&s));
	for (i = 0; i < ARRAY_SIZE(what); i++) {
		const struct ktr_ev_change *ev;

		rec = ktr_log_next(&s.log, &at, KTR_KIND_change, 0);
		ASSERT_NE(NULL, rec);
		ev = ktr_payload(rec);
		EXPECT_EQ(what[i], ev->what);
		EXPECT_EQ(i + 1, ev->generation);
		EXPECT_EQ(ev->generation & 15, rec->flags >> KTR_REC_GEN_SHIFT);
	}
	EXPECT_EQ(NULL, ktr_log_next(&s.log, &at, KTR_KIND_change, 0));
	EXPECT_EQ(i, ktr_session_u32(&s, KTR_A_GENERATION));
	KTR_EXPLAIN(&s);
	ktr_session_close(&s);
}

TEST_F(session, clock_record_ties_the_clocks)
{
	const struct ktr_ev_clock *ev;
	const struct ktr_rec *rec;
	struct ktr_session s;
	struct timespec real;
	__s64 off, seen;
	size_t at = 0;

	ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&s, 0));
	ASSERT_EQ(0, ktr_session_drain(&s));
	clock_gettime(CLOCK_REALTIME, &real);
	off = real.tv_sec * KTR_SECOND + real.tv_nsec - ktr_now();
	rec = ktr_log_next(&s.log, &at, KTR_KIND_clock, 0);
	ASSERT_NE(NULL, rec);
	ev = ktr_payload(rec);
	seen = ev->realtime - rec->time;
	/* Reading two clocks takes the emulated machine a while. */
	EXPECT_GT((__s64)(50 * KTR_SECOND / 1000), llabs(seen - off));
	EXPECT_LE(rec->time, ev->boottime + KTR_SECOND / 1000);
	ktr_session_close(&s);
}

TEST_F(session, deletion_hangs_up_and_leaves_the_data)
{
	struct pollfd p = { .events = POLLIN };
	struct ktr_session s;
	struct ktr_msg m;

	ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&s, 0));
	ktr_session_msg(&s, &m, KTR_CMD_SESSION_DEL);
	ASSERT_EQ(0, ktr_client_call(&s.client, &m, NULL));
	p.fd = s.fd;
	EXPECT_EQ(1, poll(&p, 1, 10000));
	EXPECT_EQ(POLLIN | POLLHUP, p.revents);
	ASSERT_EQ(0, ktr_session_drain(&s));
	EXPECT_LE(1, ktr_log_count(&s.log, KTR_KIND_change, 0));
	EXPECT_EQ(1, poll(&p, 1, 10000));
	EXPECT_EQ(POLLHUP, p.revents);
	s.id = 0;
	ktr_session_close(&s);
}

TEST_F(session, drain_throws_away_what_is_unread)
{
	struct ktr_setup setup = { .name = "drain" };
	struct ktr_session s;
	struct ktr_counts sum;

	ASSERT_EQ(0, ktr_session_new(&s, &setup));
	ASSERT_EQ(0, ktr_session_start(&s, 0));
	ASSERT_EQ(0, ktr_session_counts(&s, &sum));
	EXPECT_LT(0, sum.unread);
	ASSERT_EQ(0, ktr_session_set(&s, KTR_A_DRAIN, 1));
	ASSERT_EQ(0, ktr_session_read(&s));
	ASSERT_EQ(0, ktr_session_drain(&s));
	/* Only the change itself. */
	EXPECT_EQ(1, s.log.n);
	EXPECT_EQ(1, ktr_log_count(&s.log, KTR_KIND_change, 0));
	EXPECT_EQ(-EBUSY, ktr_session_set(&s, KTR_A_DRAIN, 1));
	ktr_session_close(&s);
}

TEST_F(session, next_reader_goes_on_where_the_last_one_stopped)
{
	struct ktr_setup setup = { .name = "next" };
	struct ktr_session s;

	ASSERT_EQ(0, ktr_session_open(&s, &setup));
	ASSERT_EQ(0, ktr_session_start(&s, 0));
	ASSERT_EQ(0, ktr_session_drain(&s));
	ktr_reader_close(&s.reader);
	close(s.fd);
	s.fd = -1;
	ktr_log_clear(&s.log);
	ASSERT_EQ(0, ktr_session_stop(&s));
	ASSERT_EQ(0, ktr_session_read(&s));
	ASSERT_EQ(0, ktr_session_drain(&s));
	EXPECT_EQ(1, ktr_log_count(&s.log, KTR_KIND_change, 0));
	ktr_session_close(&s);
}

TEST_F(session, notices_are_sent)
{
	struct ktr_client *c = &self->client;
	struct ktr_session s;
	struct ktr_answer a;
	bool stopped = false, ended = false;

	ASSERT_EQ(0, ktr_client_listen(c));
	ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&s, 0));
	ASSERT_EQ(0, ktr_session_stop(&s));
	while (!ktr_client_receive(c, &a))
		stopped |= ktr_answer_u32(&a, KTR_A_SESSION) == s.id &&
			   ktr_answer_u32(&a, KTR_A_NOTICE) ==
			   KTR_NOTICE_SESSION_STOP;
	EXPECT_TRUE(stopped);
	ktr_session_close(&s);
	while (!ktr_client_receive(c, &a))
		ended |= ktr_answer_u32(&a, KTR_A_NOTICE) ==
			 KTR_NOTICE_SESSION_END;
	EXPECT_TRUE(ended);
	/* Leave the group: the teardown talks on this socket. */
	ktr_client_close(c);
	ASSERT_EQ(0, ktr_client_open(c));
}

TEST_HARNESS_MAIN
