// SPDX-License-Identifier: GPL-2.0-or-later
/* Disks that are full, broken or hang, and the limit on the size of files. */
#define _GNU_SOURCE
#include <sys/klog.h>
#include <sys/resource.h>
#include "writer_fixture.h"

/* It stops, says why, and harms nobody. */
static void expect_stop(struct __test_metadata *_metadata, FIXTURE_DATA(writer) *self, int error)
{
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, make_calls, (void *)50000L));
	ASSERT_EQ(0, ktr_child_run(&self->child));
	EXPECT_TRUE(ktr_wait_for(ktr_session_u32(&self->s, KTR_A_STATE) ==
				 KTR_STATE_STOPPED));
	/* Also before the error is told: nobody would read it. */
	EXPECT_EQ(-EIO, ktr_session_start(&self->s, KTR_BIT(syscall)));
	EXPECT_TRUE(ktr_wait_for(ktr_session_u32(&self->s, KTR_A_FILE_ERROR) == error));
	EXPECT_EQ(KTR_STATE_STOPPED, ktr_session_u32(&self->s, KTR_A_STATE));
}

/* Records that are in the file or that it tells of, but for what a session tells of itself. */
static uint64_t events(const struct ktr_found *f)
{
	uint64_t sum = f->lost;
	int k;

	for (k = 0; k < 64; k++)
		if (k != KTR_KIND_lost && k != KTR_KIND_clock && k != KTR_KIND_change)
			sum += f->kinds[k];
	return sum;
}

/* It ends as files do, and knows what is not in it. Return: that number. */
static uint64_t expect_whole(struct __test_metadata *_metadata, FIXTURE_DATA(writer) *self,
			     struct ktr_found *f)
{
	struct ktr_follower w = { .at = 0 };
	int k;

	w.fd = open(self->path, O_RDONLY);
	EXPECT_TRUE(ktr_found_go_on(&w));
	EXPECT_EQ(ktr_found_size(w.fd), w.at);
	close(w.fd);
	*f = w.found;
	EXPECT_TRUE(f->footer);
	for (k = 0; k < 64; k++)
		EXPECT_EQ(f->kinds[k], f->foot.kinds[k]) TH_LOG("kind %d", k);
	EXPECT_EQ(f->lost, f->foot.lost);
	return f->lost;
}

TEST_F(writer, full_disk)
{
	struct ktr_listed l = {};
	struct ktr_found f;

	ASSERT_EQ(0, mount("none", self->dir, "tmpfs", 0, "size=256k"));
	self->mounted = true;
	close(self->fd);
	self->fd = open(self->path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, begin(self, 0, 1 << 20));
	ASSERT_EQ(0, give(&self->s, self->fd));
	expect_stop(_metadata, self, ENOSPC);
	EXPECT_GE(256 << 10, ktr_found_size(self->fd));
	EXPECT_LT(250 << 10, ktr_found_size(self->fd));
	close(self->fd);
	self->fd = -1;
	l.id = self->s.id;
	EXPECT_EQ(0, ktr_session_listed(&self->s.client, &l));
	EXPECT_STREQ(self->path, l.file);
	EXPECT_EQ(l.missing, expect_whole(_metadata, self, &f));
	/* The calls up to then, and that the child was there and has ended. */
	EXPECT_GE(50003, events(&f));
	EXPECT_LT(0, l.missing);
	EXPECT_LT(1000, f.calls);
	ktr_session_close(&self->s);	/* or the mount is in use */
	/* Who ends it knows why it had stopped. */
	ASSERT_EQ(0, ktr_client_open(&self->s.client));
	EXPECT_EQ(0, ktr_session_listed(&self->s.client, &l));
	EXPECT_EQ(0, l.n);
}

static bool kernel_said(const char *line)
{
	static char log[1 << 18];
	int n = klogctl(3, log, sizeof(log) - 1);	/* all that there is */

	log[n > 0 ? n : 0] = '\0';
	return strstr(log, line);
}

/* Nothing is written before its last target has ended, and the session with it. */
static void trace_and_write_late(struct __test_metadata *_metadata, FIXTURE_DATA(writer) *self,
				 long calls)
{
	struct ktr_setup setup = { .name = "late", .flags = KTR_SESSION_F_UNTIL_IDLE,
				   .watermark = 1 << 20, .flush_ms = 10000 };

	ASSERT_EQ(0, ktr_session_new(&self->s, &setup));
	ASSERT_EQ(0, ktr_session_all_calls(&self->s));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
	ASSERT_EQ(0, give(&self->s, self->fd));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, make_calls, (void *)calls));
	ASSERT_EQ(0, ktr_child_run(&self->child));
	EXPECT_TRUE(ktr_wait_for(session_is_gone(&self->s)));
}

TEST_F(writer, full_disk_at_the_end)
{
	struct ktr_listed l = {};
	struct ktr_msg m;
	char line[80];

	ASSERT_EQ(0, mount("none", self->dir, "tmpfs", 0, "size=4k"));
	self->mounted = true;
	close(self->fd);
	self->fd = open(self->path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	ASSERT_LE(0, self->fd);
	trace_and_write_late(_metadata, self, 200);
	close(self->fd);
	self->fd = -1;
	l.id = self->s.id;
	snprintf(line, sizeof(line), "session %u late: cannot write to its file: -ENOSPC,",
		 self->s.id);
	EXPECT_TRUE(ktr_wait_for(kernel_said(line)));
	/* The list has it when the session has gone, until somebody clears it. */
	EXPECT_TRUE(ktr_wait_for(!ktr_session_listed(&self->s.client, &l) && l.n == 1 &&
				 l.error == ENOSPC));
	EXPECT_EQ(KTR_STATE_ENDED, l.state);
	EXPECT_STREQ(self->path, l.file);
	ktr_session_msg(&self->s, &m, KTR_CMD_SESSION_DEL);
	EXPECT_EQ(0, ktr_client_call(&self->s.client, &m, NULL));
	EXPECT_TRUE(ktr_wait_for(!ktr_session_listed(&self->s.client, &l) && !l.n));
	EXPECT_EQ(-ENOENT, ktr_client_call(&self->s.client, &m, NULL));
}

static void use_bad_disk(struct __test_metadata *_metadata, FIXTURE_DATA(writer) *self,
			 unsigned int flags)
{
	close(self->fd);
	unlink(self->path);
	self->fuse = ktr_fuse_mount(self->dir, 128 << 10, flags);
	if (self->fuse == -ENODEV)
		return;
	ASSERT_LT(0, self->fuse);
	self->fd = open(self->path, O_WRONLY | O_APPEND);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, begin(self, 0, 1 << 20));
	ASSERT_EQ(0, give(&self->s, self->fd)) TH_LOG("%s", self->s.client.text);
}

static void leave_bad_disk(FIXTURE_DATA(writer) *self)
{
	close(self->fd);
	self->fd = -1;
	ktr_session_close(&self->s);
}

TEST_F(writer, bad_disk)
{
	use_bad_disk(_metadata, self, 0);
	if (self->fuse == -ENODEV)
		SKIP(return, "no FUSE here");
	expect_stop(_metadata, self, EIO);
	EXPECT_GE(128 << 10, ktr_found_size(self->fd));
	leave_bad_disk(self);
}

/* What failed is known only when it is written back. */
TEST_F(writer, bad_disk_told_later)
{
	int fd;

	use_bad_disk(_metadata, self, KTR_FUSE_LATE);
	if (self->fuse == -ENODEV)
		SKIP(return, "no FUSE here");
	fd = open(self->path, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, make_calls,
				      (void *)100000000L));
	ktr_child_go(&self->child);
	EXPECT_TRUE(ktr_wait_for((fsync(fd), ktr_session_u32(&self->s, KTR_A_FILE_ERROR)) == EIO));
	EXPECT_TRUE(ktr_wait_for(ktr_session_u32(&self->s, KTR_A_STATE) == KTR_STATE_STOPPED));
	close(fd);
	leave_bad_disk(self);
}

/* Nor is it room alone that is missing then: the file stays as long as it was. */
TEST_F(writer, full_disk_told_later)
{
	off_t size, most = 0;
	int fd;

	use_bad_disk(_metadata, self, KTR_FUSE_LATE | KTR_FUSE_FULL);
	if (self->fuse == -ENODEV)
		SKIP(return, "no FUSE here");
	fd = open(self->path, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, make_calls,
				      (void *)100000000L));
	ktr_child_go(&self->child);
	do {
		size = ktr_found_size(fd);
		most = size > most ? size : most;
	} while (most < 200 << 10);
	EXPECT_TRUE(ktr_wait_for((fsync(fd), ktr_session_u32(&self->s, KTR_A_FILE_ERROR)) ==
				 ENOSPC));
	EXPECT_LE(most, ktr_found_size(fd));
	close(fd);
	leave_bad_disk(self);
}

static int deletes(FIXTURE_DATA(writer) *self)
{
	struct ktr_client c;
	struct ktr_msg m;

	ktr_session_msg(&self->s, &m, KTR_CMD_SESSION_DEL);
	return ktr_client_open(&c) ?: ktr_client_call(&c, &m, NULL);
}

/* Who ends it waits for the disk, but can be killed; others are not kept. */
TEST_F(writer, disk_that_hangs)
{
	struct ktr_session other;
	int status;
	pid_t pid;

	use_bad_disk(_metadata, self, KTR_FUSE_HANG);
	if (self->fuse == -ENODEV)
		SKIP(return, "no FUSE here");
	/* Who closes it waits, too. */
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, make_calls, (void *)50000L));
	ASSERT_EQ(0, ktr_child_run(&self->child));
	pid = fork();
	if (!pid)
		_exit(deletes(self));
	EXPECT_TRUE(ktr_wait_for(ktr_task_state(pid) == 'D'));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(SIGKILL, status);
	ASSERT_EQ(0, ktr_session_new(&other, &(struct ktr_setup){ .name = "other" }));
	ktr_session_close(&other);
}

static bool is_written(FIXTURE_DATA(writer) *self, struct ktr_listed *l, int error)
{
	*l = (struct ktr_listed){ .id = self->s.id };
	return !ktr_session_listed(&self->s.client, l) && l->error == error && !error == !l->n;
}

/* A trace of a few calls, into a file that may have so many bytes. */
static void trace_limited(struct __test_metadata *_metadata, FIXTURE_DATA(writer) *self,
			  rlim_t size, struct ktr_listed *l)
{
	struct rlimit limit = { size, RLIM_INFINITY };
	int error = size == RLIM_INFINITY ? 0 : EFBIG;
	struct ktr_msg m;

	ASSERT_EQ(0, ftruncate(self->fd, 0));
	ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
	trace_and_write_late(_metadata, self, 100);
	EXPECT_TRUE(ktr_wait_for(is_written(self, l, error)));
	EXPECT_LE(ktr_found_size(self->fd), size);
	ktr_session_msg(&self->s, &m, KTR_CMD_SESSION_DEL);
	EXPECT_TRUE(ktr_wait_for(!error || !ktr_client_call(&self->s.client, &m, NULL)));
	ktr_session_close(&self->s);
}

/* Wherever in a block it lies: it is used, and what is missing behind it is counted. */
TEST_F(writer, limit_on_the_size_of_files)
{
	struct ktr_listed l;
	struct ktr_found f;
	uint64_t all, size;

	trace_limited(_metadata, self, RLIM_INFINITY, &l);
	expect_whole(_metadata, self, &f);
	all = events(&f);
	EXPECT_LE(100, f.calls);
	EXPECT_EQ(0, l.missing);
	for (size = 760; size < 9000; size += size < 3000 ? 176 : 2000) {
		trace_limited(_metadata, self, size, &l);
		EXPECT_EQ(l.missing, expect_whole(_metadata, self, &f));
		EXPECT_EQ(all, events(&f)) TH_LOG("size %llu", (unsigned long long)size);
		EXPECT_LT(0, l.missing);
		EXPECT_LT(0, f.lost_first);
		if (size > 4000)
			EXPECT_LT(10, f.calls);
	}
}

/* Of a file that begins with whole blocks and has no end; nothing else stands in it. */
static uint64_t events_without_end(struct __test_metadata *_metadata, const char *path)
{
	struct ktr_follower w = { .fd = open(path, O_RDONLY) };

	EXPECT_TRUE(ktr_found_go_on(&w));
	EXPECT_EQ(ktr_found_size(w.fd), w.at);
	EXPECT_FALSE(w.found.footer);
	close(w.fd);
	return events(&w.found);
}

/* No room for an end: blocks are whole, and what is missing is told outside, to a record. */
TEST_F(writer, limit_that_is_too_low)
{
	struct ktr_listed l;
	struct ktr_found f;
	uint64_t all;
	rlim_t size;

	trace_limited(_metadata, self, RLIM_INFINITY, &l);
	expect_whole(_metadata, self, &f);
	all = events(&f);
	for (size = 20; size < 700; size += 60) {
		trace_limited(_metadata, self, size, &l);
		EXPECT_EQ(all, events_without_end(_metadata, self->path) + l.missing)
			TH_LOG("size %llu", (unsigned long long)size);
	}
}

TEST_HARNESS_MAIN
