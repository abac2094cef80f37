// SPDX-License-Identifier: GPL-2.0-or-later
/* Page faults: where, how, in which mode, with which end. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "ktr_test.h"

#define PAGES	64
#define PAGE	4096

FIXTURE(pagefault) {
	struct ktr_session s;
	struct ktr_child child;
	char *area;		/* fresh pages, at the same place in the child */
	int status;
};

FIXTURE_SETUP(pagefault)
{
	KTR_NEED_MODULE();
	/* A hole in front of it: never one mapping with another. */
	self->area = mmap(NULL, (PAGES + 2) * PAGE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->area);
	self->area += PAGE;
	ASSERT_EQ(0, mprotect(self->area, PAGES * PAGE, PROT_READ | PROT_WRITE));
	/* One page, one fault: no huge ones. */
	madvise(self->area, PAGES * PAGE, MADV_NOHUGEPAGE);
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(fault) | KTR_BIT(fault_end)));
}

FIXTURE_TEARDOWN(pagefault)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

static int trace(FIXTURE_DATA(pagefault) *self, int (*fn)(void *), void *arg)
{
	int ret = ktr_child_traced(&self->child, &self->s, 0, fn, arg);

	if (ret)
		return ret;
	self->status = ktr_child_run(&self->child);
	return ktr_session_finish(&self->s);
}

static bool inside(FIXTURE_DATA(pagefault) *self, __u64 address)
{
	return address - (__u64)self->area < PAGES * PAGE;
}

struct found {
	int n, reads, writes, execs, users;	/* faults that were to be served */
	int ok, major, failed, no_time;		/* how they ended */
	__u64 first;
};

/* Those in the area; what is tried again counts once. */
static struct found look(FIXTURE_DATA(pagefault) *self)
{
	const struct ktr_rec *rec;
	struct found f = { 0 };
	size_t at = 0;

	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_fault, self->child.pid))) {
		const struct ktr_ev_fault *ev = ktr_payload(rec);

		if (!inside(self, ev->address))
			continue;
		if (!f.n++)
			f.first = ev->address;
		f.reads += ev->access == KTR_FAULT_READ;
		f.writes += ev->access == KTR_FAULT_WRITE;
		f.execs += ev->access == KTR_FAULT_EXEC;
		f.users += !!(ev->flags & KTR_FAULT_F_USER);
	}
	at = 0;
	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_fault_end, self->child.pid))) {
		const struct ktr_ev_fault_end *ev = ktr_payload(rec);

		if (!inside(self, ev->address))
			continue;
		if (ev->result == KTR_FAULT_RETRY) {
			f.n--;
			continue;
		}
		f.ok += ev->result == KTR_FAULT_OK;
		f.failed += ev->result != KTR_FAULT_OK;
		f.major += !!(ev->flags & KTR_FAULT_F_MAJOR);
		f.no_time += rec->time <= ev->start;
	}
	return f;
}

static int touches(void *arg)
{
	volatile char *p = arg;
	int i;

	for (i = 0; i < PAGES; i++)
		p[i * PAGE + 8] = 1;
	return 0;
}

TEST_F(pagefault, fresh_pages_are_minor)
{
	struct found f;

	ASSERT_EQ(0, trace(self, touches, self->area));
	ASSERT_EQ(0, self->status);
	f = look(self);
	EXPECT_EQ(PAGES, f.n);
	EXPECT_EQ(PAGES, f.ok);
	EXPECT_LE(PAGES, f.writes);
	EXPECT_EQ(0, f.reads + f.execs);
	EXPECT_EQ(f.writes, f.users);
	EXPECT_EQ(0, f.major);
	EXPECT_EQ(0, f.failed);
	EXPECT_EQ(0, f.no_time);
	/* The very byte, not its page. */
	EXPECT_EQ((__u64)self->area + 8, f.first);
}

static int looks_at(void *arg)
{
	volatile char *p = arg;
	int i, sum = 0;

	for (i = 0; i < PAGES; i++)
		sum += p[i * PAGE];
	return sum;
}

TEST_F(pagefault, reads_are_reads)
{
	struct found f;

	ASSERT_EQ(0, trace(self, looks_at, self->area));
	f = look(self);
	EXPECT_EQ(PAGES, f.n);
	EXPECT_LE(PAGES, f.reads);
	EXPECT_EQ(0, f.writes);
}

static int lets_the_kernel(void *arg)
{
	int pipes[2];

	if (pipe(pipes) || syscall(SYS_write, pipes[1], "0123456789", 10) != 10)
		return 1;
	return syscall(SYS_read, pipes[0], arg, 10) != 10;
}

TEST_F(pagefault, of_the_kernel_in_a_call)
{
	struct found f;

	ASSERT_EQ(0, trace(self, lets_the_kernel, self->area));
	ASSERT_EQ(0, self->status);
	f = look(self);
	EXPECT_EQ(1, f.n);
	EXPECT_LE(1, f.writes);
	EXPECT_EQ(0, f.users);
	EXPECT_EQ(1, f.ok);
}

static int jumps(void *arg)
{
	((void (*)(void))arg)();
	return 0;
}

/* Memory that may not be run: asked for, refused, and the signal comes. */
TEST_F(pagefault, execution)
{
	ASSERT_EQ(0, mprotect(self->area, PAGE, PROT_READ | PROT_EXEC));
	ASSERT_EQ(0, trace(self, jumps, self->area));
	EXPECT_TRUE(WIFSIGNALED(self->status));
	EXPECT_LE(1, look(self).execs);
}

/* What lies behind the end of a file. */
TEST_F(pagefault, beyond_a_file)
{
	int fd = memfd_create("short", 0);
	struct found f;

	ASSERT_LE(0, fd);
	ASSERT_EQ(self->area, mmap(self->area, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0));
	ASSERT_EQ(0, trace(self, looks_at, self->area));
	EXPECT_EQ(SIGBUS, WTERMSIG(self->status));
	f = look(self);
	EXPECT_EQ(0, f.ok);
	EXPECT_LE(1, f.failed);
}

/* A file on the disk of which the kernel has kept nothing; -1: there is none. */
static int uncached(void)
{
	static const char *const paths[] = { "/usr/bin/strace", "/usr/bin/gdb", "/usr/bin/perf" };
	int i, fd;

	for (i = 0; i < 3; i++) {
		fd = open(paths[i], O_RDONLY);
		if (fd >= 0 && !posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
			return fd;
		close(fd);
	}
	return -1;
}

static int looks_once(void *arg)
{
	return *(volatile char *)arg & 0;
}

TEST_F(pagefault, page_from_the_disk_is_major)
{
	unsigned char there;
	struct found f;
	int fd = uncached();

	if (fd < 0)
		SKIP(return, "no file that nobody uses");
	ASSERT_EQ(self->area, mmap(self->area, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0));
	madvise(self->area, PAGE, MADV_RANDOM);
	ASSERT_EQ(0, mincore(self->area, PAGE, &there));
	if (there & 1)
		SKIP(return, "the file lies in memory, not on a disk");
	ASSERT_EQ(0, trace(self, looks_once, self->area));
	ASSERT_EQ(0, self->status);
	f = look(self);
	EXPECT_EQ(1, f.n);
	EXPECT_EQ(1, f.ok);
	EXPECT_EQ(1, f.major);
	EXPECT_EQ(0, f.no_time);
}

/* Only while somebody wants them is the kernel hooked. */
TEST_F(pagefault, not_asked_for)
{
	ASSERT_EQ(0, ktr_session_set(&self->s, KTR_A_EVENTS, KTR_BIT(syscall)));
	EXPECT_FALSE(ktr_session_u64(&self->s, KTR_A_PROBES) &
		     (KTR_BIT(fault) | KTR_BIT(fault_end)));
	ASSERT_EQ(0, trace(self, touches, self->area));
	EXPECT_EQ(0, look(self).n);
}

TEST_F(pagefault, ends_alone)
{
	struct found f;

	ASSERT_EQ(0, ktr_session_set(&self->s, KTR_A_EVENTS, KTR_BIT(fault_end)));
	ASSERT_EQ(0, trace(self, touches, self->area));
	f = look(self);
	EXPECT_EQ(PAGES, f.ok);
	EXPECT_GE(0, f.n);
}

#define MANY	1200	/* more than one hook has room for before 6.14 */
#define STACK	16384

static int touches_one(void *arg)
{
	*(volatile char *)arg = 1;
	return 0;
}

/* MANY tasks stand in the same fault until all of them do. */
static int stand_in_it(int fd, char *page, char *stacks)
{
	struct uffdio_zeropage zero = { .range = { (__u64)page, PAGE } };
	struct uffd_msg msg;
	int i, status, bad = 0;

	for (i = 0; i < MANY; i++)
		if (clone(touches_one, stacks + (i + 1) * STACK, CLONE_VM | SIGCHLD, page) < 0)
			return 1;
	for (i = 0; i < MANY; i++)
		if (read(fd, &msg, sizeof(msg)) != sizeof(msg) ||
		    msg.event != UFFD_EVENT_PAGEFAULT)
			return 2;
	if (ioctl(fd, UFFDIO_ZEROPAGE, &zero))
		return 3;
	for (i = 0; i < MANY; i++)
		bad |= wait(&status) < 0 || status;
	return bad ? 4 : 0;
}

static int many_fault(void *arg)
{
	struct uffdio_register reg = { .range = { (__u64)arg, PAGE },
				       .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, 0);
	char *stacks = mmap(NULL, MANY * STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fd < 0 || stacks == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &reg))
		return 5;
	return stand_in_it(fd, arg, stacks);
}

/* How many tasks faulted on that page, as far as is told. */
static int tasks_told(FIXTURE_DATA(pagefault) *self)
{
	static bool told[1 << 22];
	const struct ktr_rec *rec;
	size_t at = 0;
	int n = 0;

	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_fault_end, 0))) {
		const struct ktr_ev_fault_end *ev = ktr_payload(rec);

		if (ev->result != KTR_FAULT_RETRY || ev->address - (__u64)self->area >= PAGE ||
		    told[rec->tid])
			continue;
		told[rec->tid] = true;
		n++;
	}
	return n;
}

/* A fault that found no room is counted: nothing is missing without a word. */
TEST_F(pagefault, those_without_room_are_counted)
{
	__u64 missed;
	int n;

	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, KTR_TARGET_F_FOLLOW, many_fault,
				      self->area));
	ASSERT_EQ(0, ktr_child_run(&self->child));
	missed = ktr_session_u64(&self->s, KTR_A_HOOKS_MISSED);
	ASSERT_EQ(0, ktr_session_finish(&self->s));
	n = tasks_told(self);
	TH_LOG("%d of %d tasks told of, %llu calls missed", n, MANY, missed);
	EXPECT_LE(MANY, n + missed);
	if (!missed)
		EXPECT_EQ(MANY, n);
}

TEST_HARNESS_MAIN
