// SPDX-License-Identifier: GPL-2.0-or-later
/* The module writes a session's records to a file by itself. */
#define _GNU_SOURCE
#include "writer_fixture.h"

TEST_F(writer, all_records_are_in_the_file)
{
	long n = ktr_scaled(200000);
	struct ktr_found f;

	ASSERT_EQ(0, begin(self, KTR_SESSION_F_UNTIL_IDLE, 0)) TH_LOG("%s", self->s.client.text);
	ASSERT_EQ(0, give(&self->s, self->fd)) TH_LOG("%s", self->s.client.text);
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_READER));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, make_calls, (void *)n));
	ASSERT_EQ(0, ktr_child_run(&self->child));
	/* Its last target has ended; the file is finished behind that. */
	EXPECT_TRUE(ktr_wait_for(session_is_gone(&self->s)));
	ASSERT_TRUE(ktr_wait_for(ktr_found_look(self->path, &f) && f.footer));
	EXPECT_EQ(n, f.calls + f.lost);
	EXPECT_LT(0, f.rounds);
	EXPECT_EQ(f.lost, f.foot.lost);
	EXPECT_EQ(f.kinds[KTR_KIND_syscall], f.foot.kinds[KTR_KIND_syscall]);
	EXPECT_EQ(1, f.kinds[KTR_KIND_exit]);
	EXPECT_EQ(1, f.kinds[KTR_KIND_target_end]);
}

TEST_F(writer, small_rings_lose_and_tell)
{
	long n = ktr_scaled(200000);
	struct ktr_found f;

	ASSERT_EQ(0, begin(self, KTR_SESSION_F_UNTIL_IDLE, KTR_BUF_MIN));
	ASSERT_EQ(0, give(&self->s, self->fd));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, make_calls, (void *)n));
	ASSERT_EQ(0, ktr_child_run(&self->child));
	ASSERT_TRUE(ktr_wait_for(ktr_found_look(self->path, &f) && f.footer));
	EXPECT_EQ(n, f.calls + f.lost);
	EXPECT_EQ(f.lost, f.foot.lost);
}

static pid_t sets_and_goes(FIXTURE_DATA(writer) *self)
{
	pid_t setter = fork();

	if (!setter)
		_exit(!!(begin(self, KTR_SESSION_F_UNTIL_IDLE, 0) ?:
			 give(&self->s, self->fd)) ||
		      ktr_session_attach(&self->s, KTR_TARGET_PID, self->child.pid, 0) != 1);
	return setter;
}

/* Records come into the file while the trace goes on, and after its setter has gone. */
TEST_F(writer, setter_may_go)
{
	struct ktr_found f;
	pid_t setter;
	int status;

	ASSERT_EQ(0, ktr_child_start(&self->child, make_calls, (void *)1000L));
	setter = sets_and_goes(self);
	ASSERT_EQ(setter, waitpid(setter, &status, 0));
	ASSERT_EQ(0, status);
	close(self->fd);
	self->fd = -1;
	ASSERT_TRUE(ktr_wait_for(ktr_found_look(self->path, &f) && f.kinds[KTR_KIND_task]));
	EXPECT_FALSE(f.footer);
	ASSERT_EQ(0, ktr_child_run(&self->child));
	ASSERT_TRUE(ktr_wait_for(ktr_found_look(self->path, &f) && f.footer));
	EXPECT_EQ(1000, f.calls);
}

/*
 * An hour's worth of a busy program, with nobody there who set it. What has been
 * looked at is cut out of the file again, which may be larger than the memory.
 */
TEST_F(writer, ten_million_records)
{
	/* Of its scaled part a tenth is enough. */
	long all = 10000000, n = ktr_scaled(all) < all ? ktr_scaled(all) / 10 : all;
	struct ktr_follower w = { .at = 0 };
	int status;

	ASSERT_EQ(0, ktr_child_start(&self->child, make_calls, (void *)n));
	ASSERT_EQ(0, (waitpid(sets_and_goes(self), &status, 0), status));
	close(self->fd);
	self->fd = -1;
	w.fd = open(self->path, O_RDWR);
	ASSERT_LE(0, w.fd);
	ktr_child_go(&self->child);
	do {
		ASSERT_TRUE(ktr_found_go_on(&w)) TH_LOG("bad block before %lld", (long long)w.at);
		if (w.at)
			fallocate(w.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, w.at);
		ASSERT_TRUE(ktr_wait_for(ktr_found_size(w.fd) > w.at || w.found.footer));
	} while (!w.found.footer);
	EXPECT_EQ(w.at, ktr_found_size(w.fd));
	EXPECT_EQ(n, w.found.calls + w.found.lost);
	EXPECT_EQ(w.found.lost, w.found.foot.lost);
	EXPECT_EQ(w.found.kinds[KTR_KIND_syscall], w.found.foot.kinds[KTR_KIND_syscall]);
	EXPECT_EQ(1, w.found.kinds[KTR_KIND_exit]);
	TH_LOG("%ld calls: %llu recorded, %llu lost, %lld bytes in %llu blocks", n,
	       (unsigned long long)w.found.calls, (unsigned long long)w.found.lost,
	       (long long)w.at, (unsigned long long)w.found.blocks);
	close(w.fd);
}

TEST_F(writer, only_files_that_may_be_appended_to)
{
	int fds[2], fd;

	ASSERT_EQ(0, begin(self, 0, 0));
	EXPECT_EQ(-EBADF, give(&self->s, 1000));
	ASSERT_EQ(0, pipe(fds));
	EXPECT_EQ(-EINVAL, give(&self->s, fds[1]));
	close(fds[0]);
	close(fds[1]);
	fd = open(self->path, O_RDONLY | O_APPEND);
	EXPECT_EQ(-EBADF, give(&self->s, fd));
	close(fd);
	fd = open(self->path, O_WRONLY);
	EXPECT_EQ(-EBADF, give(&self->s, fd));
	close(fd);
	fd = open(self->dir, O_RDONLY | O_DIRECTORY);
	EXPECT_EQ(-EINVAL, give(&self->s, fd));
	close(fd);
	fd = open(self->path, O_PATH | O_APPEND);
	EXPECT_EQ(-EBADF, give(&self->s, fd));
	close(fd);
	fd = open("/dev/null", O_WRONLY | O_APPEND);
	EXPECT_EQ(-EINVAL, give(&self->s, fd));
	close(fd);
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_READER));
}

TEST_F(writer, one_reader)
{
	struct ktr_setup setup = { .mode = KTR_MODE_OVERWRITE, .name = "kept" };
	struct ktr_session other = { .fd = -1 };
	int fd = open(self->path, O_WRONLY | O_APPEND);

	ASSERT_EQ(0, begin(self, 0, 0));
	ASSERT_EQ(0, give(&self->s, self->fd));
	EXPECT_EQ(-EBUSY, give(&self->s, self->fd));
	EXPECT_EQ(-EBUSY, ktr_session_read(&self->s));
	ASSERT_EQ(0, ktr_session_new(&other, &setup));
	EXPECT_EQ(-EOPNOTSUPP, give(&other, self->fd));
	ktr_session_close(&other);
	/* And one who writes a file, whoever has opened it. */
	ASSERT_EQ(0, ktr_session_new(&other, &(struct ktr_setup){ .name = "other" }));
	EXPECT_EQ(-ETXTBSY, give(&other, fd));
	EXPECT_EQ(0, ktr_session_u32(&other, KTR_A_READER));
	ktr_session_close(&self->s);
	EXPECT_EQ(0, give(&other, fd));
	ktr_session_close(&other);
	close(fd);
}

/* Not by a look at it all: it grows faster than that. */
static void begin_busy(struct __test_metadata *_metadata, FIXTURE_DATA(writer) *self)
{
	ASSERT_EQ(0, begin(self, 0, 0));
	ASSERT_EQ(0, give(&self->s, self->fd));
	ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0, make_calls,
				      (void *)100000000L));
	ktr_child_go(&self->child);
	ASSERT_TRUE(ktr_wait_for(ktr_found_size(self->fd) > 200000));
}

/*
 * More than what was left, and than a block whose second half was written behind the cut,
 * which may be all that the file has for a while.
 */
#define BEGUN_ANEW 1300000

/* Facts that a reader needs; the footer tells of what stands there. */
static void expect_begun_anew(struct __test_metadata *_metadata, const struct ktr_found *f)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < 64; i++) {
		sum += f->kinds[i];
		EXPECT_EQ(f->kinds[i], f->foot.kinds[i]) TH_LOG("kind %d", i);
	}
	EXPECT_TRUE(f->footer);
	EXPECT_EQ(sum, f->foot.records);
	EXPECT_EQ(f->lost, f->foot.lost);
	/* Those of the beginning may have come behind the cut themselves. */
	EXPECT_LE(1, f->kinds[KTR_KIND_task]);
	EXPECT_LE(1, f->kinds[KTR_KIND_clock]);
	EXPECT_LE(1, f->kinds[KTR_KIND_change]);
	EXPECT_LT(0, f->calls);
}

TEST_F(writer, cut_to_nothing)
{
	struct ktr_found f;

	begin_busy(_metadata, self);
	ASSERT_EQ(0, truncate(self->path, 0));
	ASSERT_TRUE(ktr_wait_for(ktr_found_size(self->fd) > BEGUN_ANEW));
	ktr_session_close(&self->s);
	ASSERT_TRUE(ktr_found_look(self->path, &f));
	EXPECT_TRUE(f.header);
	expect_begun_anew(_metadata, &f);
}

/* What is left of a block is passed over, as of one that was cut by a full disk. */
TEST_F(writer, cut_to_a_part)
{
	struct ktr_follower w = { .at = 100008 };

	begin_busy(_metadata, self);
	ASSERT_EQ(0, truncate(self->path, w.at - 5));
	ASSERT_TRUE(ktr_wait_for(ktr_found_size(self->fd) > BEGUN_ANEW));
	ktr_session_close(&self->s);
	w.fd = open(self->path, O_RDONLY);
	ASSERT_TRUE(ktr_found_go_on(&w));
	expect_begun_anew(_metadata, &w.found);
	close(w.fd);
}

/* Also in the middle of a block, and of what is written after the cut before. */
TEST_F(writer, cut_all_the_time)
{
	long i, n = ktr_scaled(1000000), grown = 0;
	struct ktr_found f;

	begin_busy(_metadata, self);
	for (i = 0; i < n; i++) {
		grown += ktr_found_size(self->fd) > 0;
		ASSERT_EQ(0, truncate(self->path, 0));
	}
	EXPECT_LT(0, grown);
	ASSERT_TRUE(ktr_wait_for(ktr_found_size(self->fd) > BEGUN_ANEW));
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_FILE_ERROR));
	ktr_session_close(&self->s);
	ASSERT_TRUE(ktr_found_look(self->path, &f));
	EXPECT_TRUE(f.header);
	expect_begun_anew(_metadata, &f);
}

/* The module goes in the middle of it: the file ends as files do. */
TEST_F(writer, module_unloaded)
{
	struct ktr_found f;

	begin_busy(_metadata, self);
	ktr_client_close(&self->s.client);
	ASSERT_EQ(0, ktr_module_unload());
	ASSERT_EQ(0, ktr_module_load());
	ASSERT_TRUE(ktr_found_look(self->path, &f));
	EXPECT_TRUE(f.footer);
	EXPECT_LT(0, f.calls);
}

TEST_HARNESS_MAIN
