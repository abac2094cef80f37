// SPDX-License-Identifier: GPL-2.0-or-later
/* The device: binding, mapping, waking, markers. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include "ktr_test.h"

FIXTURE(device) {
	struct ktr_session s;
	struct ktr_child child;
	__u64 data_len;		/* of the mapping of a data ring */
};

FIXTURE_SETUP(device)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){
			.buf_size = 65536, .ctl_size = 8192 }));
	self->data_len = KTR_PAGE + 2 * 65536;
}

FIXTURE_TEARDOWN(device)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

/* errno of a mapping that must not be; 0 if it was made. */
static int map(int fd, __u64 off, size_t len, int prot, int flags)
{
	void *p = mmap(NULL, len, prot, flags, fd, off);

	if (p == MAP_FAILED)
		return errno;
	munmap(p, len);
	return 0;
}

TEST_F(device, mappings_that_are_refused)
{
	__u64 data = KTR_MMAP_DATA(0, KTR_RING_DATA), len = self->data_len;
	__u64 cons = KTR_MMAP_CONS(0, KTR_RING_DATA);
	int fd = self->s.fd, rw = PROT_READ | PROT_WRITE;

	EXPECT_EQ(0, map(fd, data, len, PROT_READ, MAP_SHARED));
	EXPECT_EQ(EPERM, map(fd, data, len, rw, MAP_SHARED));
	EXPECT_EQ(EPERM, map(fd, data, len, PROT_READ | PROT_EXEC, MAP_SHARED));
	EXPECT_EQ(EINVAL, map(fd, data, len, PROT_READ, MAP_PRIVATE));
	EXPECT_EQ(EINVAL, map(fd, data, len + KTR_PAGE, PROT_READ, MAP_SHARED));
	EXPECT_EQ(EINVAL, map(fd, data, len - KTR_PAGE, PROT_READ, MAP_SHARED));
	EXPECT_EQ(EINVAL, map(fd, data, KTR_PAGE, PROT_READ, MAP_SHARED));
	EXPECT_EQ(EINVAL, map(fd, data + KTR_PAGE, len, PROT_READ, MAP_SHARED));
	/* The length of the other ring. */
	EXPECT_EQ(EINVAL, map(fd, KTR_MMAP_DATA(0, KTR_RING_CONTROL), len,
			      PROT_READ, MAP_SHARED));
	EXPECT_EQ(0, map(fd, cons, KTR_PAGE, rw, MAP_SHARED));
	EXPECT_EQ(EPERM, map(fd, cons, KTR_PAGE, rw | PROT_EXEC, MAP_SHARED));
	EXPECT_EQ(EINVAL, map(fd, cons, 2 * KTR_PAGE, rw, MAP_SHARED));
	EXPECT_EQ(EINVAL, map(fd, cons, len, PROT_READ, MAP_SHARED));
	/* CPUs that cannot be. */
	EXPECT_EQ(EINVAL, map(fd, KTR_MMAP_CONS(100000, 0), KTR_PAGE, rw,
			      MAP_SHARED));
	EXPECT_EQ(EINVAL, map(fd, KTR_MMAP_DATA(self->s.reader.ncpus, 0), len,
			      PROT_READ, MAP_SHARED));
}

TEST_F(device, protection_cannot_be_changed_later)
{
	struct ktr_map *m = &self->s.reader.map[0];
	void *prod = (void *)m->prod, *cons = (void *)m->cons;

	EXPECT_EQ(-1, mprotect(prod, KTR_PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(prod, KTR_PAGE, PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(cons, KTR_PAGE, PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(0, mprotect(cons, KTR_PAGE, PROT_READ));
	EXPECT_EQ(0, mprotect(cons, KTR_PAGE, PROT_READ | PROT_WRITE));
}

TEST_F(device, mapping_cannot_grow)
{
	struct ktr_map *m = &self->s.reader.map[0];
	void *p = mremap((void *)m->cons, KTR_PAGE, 4 * KTR_PAGE, MREMAP_MAYMOVE);

	EXPECT_EQ(MAP_FAILED, p);
}

TEST_F(device, data_lie_twice_in_a_row)
{
	struct ktr_map *m = ktr_reader_ring(&self->s.reader, 0, KTR_RING_DATA);

	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(marker)));
	/* The marker comes to this CPU's data ring. */
	ktr_pin(0);
	ASSERT_EQ(4, write(self->s.fd, "mark", 4));
	ASSERT_LT(0, m->prod->committed);
	EXPECT_EQ(0, memcmp(m->data, m->data + m->size, m->size));
	EXPECT_EQ(sizeof(struct ktr_ring_prod), m->prod->struct_len);
	EXPECT_EQ(0, m->prod->cpu);
}

TEST_F(device, unbound_descriptor)
{
	int fd = open(KTR_DEVICE, O_RDWR);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	EXPECT_EQ(ENOTCONN, map(fd, 0, KTR_PAGE, PROT_READ, MAP_SHARED));
	EXPECT_EQ(-1, ioctl(fd, KTR_IOC_FLUSH));
	EXPECT_EQ(ENOTCONN, errno);
	EXPECT_EQ(1, poll(&p, 1, 1000));
	EXPECT_EQ(POLLERR, p.revents);
	close(fd);
}

TEST_F(device, bind_errors)
{
	struct ktr_bind good = { .size = sizeof(good), .session = self->s.id };
	struct ktr_bind b;
	int fd = open(KTR_DEVICE, O_RDWR);

#define REFUSED(error, change) do {					\
	b = good;							\
	change;								\
	EXPECT_EQ(-1, ioctl(fd, KTR_IOC_BIND, &b));			\
	EXPECT_EQ(error, errno);					\
} while (0)
	REFUSED(EINVAL, b.size--);
	REFUSED(EINVAL, b.size = 0);
	REFUSED(EOPNOTSUPP, b.flags = KTR_BIND_F__ALL + 1);
	REFUSED(EINVAL, b.session = 0);
	REFUSED(EINVAL, strcpy(b.name, "both"));
	REFUSED(EINVAL, b.session = 0; memset(b.name, 'x', sizeof(b.name)));
	REFUSED(ENOENT, b.session = 0; strcpy(b.name, "nobody"));
	REFUSED(ENOENT, b.session = ~0U);
	REFUSED(EBUSY, (void)0);
	EXPECT_EQ(-1, ioctl(fd, KTR_IOC_BIND, (void *)8));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(fd, _IO(KTR_IOC_MAGIC, 99)));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, lseek(fd, 0, SEEK_SET));
	EXPECT_EQ(-1, read(fd, &b, sizeof(b)));
	close(fd);
}

TEST_F(device, marker_of_a_reader)
{
	static const char text[] = "a) b\n\0[pid 1] \377";
	const struct ktr_ev_marker *ev;
	const struct ktr_rec *rec;

	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(marker)));
	ASSERT_EQ(sizeof(text), write(self->s.fd, text, sizeof(text)));
	ASSERT_EQ(0, ktr_session_drain(&self->s));
	rec = ktr_log_only(&self->s.log, KTR_KIND_marker, 0);
	ASSERT_NE(NULL, rec);
	ev = ktr_payload(rec);
	EXPECT_EQ(getpid(), rec->tid);
	EXPECT_EQ(getpid(), ev->tgid);
	ASSERT_EQ(sizeof(text), ev->len);
	EXPECT_EQ(0, memcmp(text, ev + 1, sizeof(text)));
}

TEST_F(device, marker_has_a_limit)
{
	char text[KTR_MARK_MAX + 1];

	memset(text, 'm', sizeof(text));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(marker)));
	EXPECT_EQ(KTR_MARK_MAX, write(self->s.fd, text, KTR_MARK_MAX));
	EXPECT_EQ(-1, write(self->s.fd, text, KTR_MARK_MAX + 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, syscall(SYS_write, self->s.fd, 8, 8));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(0, write(self->s.fd, text, 0));
	ASSERT_EQ(0, ktr_session_drain(&self->s));
	EXPECT_EQ(2, ktr_log_count(&self->s.log, KTR_KIND_marker, 0));
}

static int marks(void *arg)
{
	int fd = open(KTR_DEVICE, O_WRONLY);

	return write(fd, "mine", 4) == 4 ? 0 : 1;
}

/* Unbound: in every session that traces the writer, and only there. */
TEST_F(device, marker_of_a_target)
{
	struct ktr_session other;

	ASSERT_EQ(0, ktr_session_open(&other, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&other, KTR_BIT(marker)));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(marker)));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, marks, NULL));
	EXPECT_EQ(0, ktr_child_run(&self->child));
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	EXPECT_EQ(1, ktr_log_count(&self->s.log, KTR_KIND_marker, 0));
	ASSERT_EQ(0, ktr_session_drain(&other));
	EXPECT_EQ(0, ktr_log_count(&other.log, KTR_KIND_marker, 0));
	ktr_session_close(&other);
	/* Nobody traces this one: that is no error. */
	EXPECT_EQ(0, marks(NULL));
}

TEST_F(device, marker_by_a_descriptor_of_its_own)
{
	struct ktr_bind b = { .size = sizeof(b), .session = self->s.id,
			      .flags = KTR_BIND_F_MARK };
	int fd = open(KTR_DEVICE, O_RDWR);

	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(marker)));
	ASSERT_EQ(0, ioctl(fd, KTR_IOC_BIND, &b));
	EXPECT_EQ(5, write(fd, "other", 5));
	/* He is no reader. */
	EXPECT_EQ(ENOTCONN, map(fd, 0, KTR_PAGE, PROT_READ, MAP_SHARED));
	close(fd);
	ASSERT_EQ(0, ktr_session_drain(&self->s));
	EXPECT_EQ(1, ktr_log_count(&self->s.log, KTR_KIND_marker, 0));
}

/* A little is told after the flush time, not before and not never. */
TEST_F(device, flush_time_wakes)
{
	struct ktr_session s;
	struct pollfd p = { .events = POLLIN };
	__u64 begin;

	ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){
			.flush_ms = 300 }));
	ASSERT_EQ(0, ktr_session_start(&s, KTR_BIT(marker)));
	ASSERT_EQ(0, ktr_session_drain(&s));
	p.fd = s.fd;
	/* Whatever was due for the start is past. */
	while (poll(&p, 1, 1000) == 1)
		ASSERT_EQ(0, ktr_session_drain(&s));
	begin = ktr_now();
	ASSERT_EQ(4, write(s.fd, "mark", 4));
	EXPECT_EQ(1, poll(&p, 1, 60000));
	EXPECT_EQ(POLLIN, p.revents);
	EXPECT_LE(KTR_SECOND / 4, ktr_now() - begin);
	ktr_session_close(&s);
}

TEST_F(device, nothing_wakes_an_idle_reader)
{
	struct pollfd p = { .fd = self->s.fd, .events = POLLIN };
	struct rusage before, after;

	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(marker)));
	while (poll(&p, 1, 1000) == 1)
		ASSERT_EQ(0, ktr_session_drain(&self->s));
	getrusage(RUSAGE_SELF, &before);
	EXPECT_EQ(0, poll(&p, 1, 1000));
	getrusage(RUSAGE_SELF, &after);
	/* It slept once: that is all. */
	EXPECT_GE(3, after.ru_nvcsw - before.ru_nvcsw);
}

TEST_F(device, watermark_wakes_at_once)
{
	struct ktr_session s;
	struct pollfd p = { .events = POLLIN };
	int i;

	ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){
			.flush_ms = 10000, .watermark = 2000,
			.buf_size = 65536 }));
	ASSERT_EQ(0, ktr_session_start(&s, KTR_BIT(marker)));
	ASSERT_EQ(0, ktr_session_drain(&s));
	p.fd = s.fd;
	EXPECT_EQ(0, poll(&p, 1, 0));
	ktr_pin(0);
	for (i = 0; i < 100; i++)
		ASSERT_EQ(4, write(s.fd, "mark", 4));
	/* Long before the flush time of ten seconds. */
	EXPECT_EQ(1, poll(&p, 1, 5000));
	EXPECT_EQ(POLLIN, p.revents);
	ktr_session_close(&s);
}

TEST_F(device, flush_wakes_by_command)
{
	struct ktr_session s;
	struct pollfd p = { .events = POLLIN };

	ASSERT_EQ(0, ktr_session_open(&s, &(struct ktr_setup){
			.flush_ms = 10000 }));
	ASSERT_EQ(0, ktr_session_start(&s, KTR_BIT(marker)));
	ASSERT_EQ(0, ktr_session_drain(&s));
	p.fd = s.fd;
	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(4, write(s.fd, "mark", 4));
	ASSERT_EQ(0, ioctl(s.fd, KTR_IOC_FLUSH));
	EXPECT_EQ(1, poll(&p, 1, 5000));
	ktr_session_close(&s);
}

TEST_HARNESS_MAIN
