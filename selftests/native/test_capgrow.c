// SPDX-License-Identifier: GPL-2.0-or-later
/* Capture files that somebody is still writing. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capfile.h"
#include "tap.h"
#include "writelock.h"

#define NBLOCKS 20

static char path[64], copy[80];

/* What is in the blocks is of no matter here. */
static void write_file(void)
{
	struct ktr_file_footer foot = { 0 };
	unsigned char p[1500];
	struct cap_writer w;
	struct fault f;
	unsigned int i;

	for (i = 0; i < sizeof(p); i++)
		p[i] = tap_random();
	REQUIRE(!cap_create(&w, path, false, &f));
	for (i = 0; i < NBLOCKS - 1; i++)
		CHECK_EQ(cap_put(&w, KTR_FILE_DATA, 0, 0, 0, p, 40 + tap_below(sizeof(p) - 40)),
			 0);
	cap_put(&w, KTR_FILE_FOOTER, 0, 0, 0, &foot, sizeof(foot));
	CHECK_EQ(cap_finish(&w), 0);
}

static size_t load(unsigned char **p)
{
	int fd = open(path, O_RDONLY);
	off_t n = lseek(fd, 0, SEEK_END);

	*p = malloc(n);
	CHECK_EQ(pread(fd, *p, n, 0), n);
	close(fd);
	return n;
}

/* A description that a child shares is held on, and goes with the last who has it. */
static void being_written(void)
{
	struct cap_reader r;
	struct fault f;
	int go[2], fd;
	pid_t pid;
	char c;

	write_file();
	fd = open(path, O_WRONLY | O_APPEND);
	REQUIRE(fd >= 0 && !pipe(go));
	CHECK_EQ(writelock_take(fd), 0);
	pid = fork();
	if (!pid) {
		close(go[1]);
		_exit(read(go[0], &c, 1) == 1);
	}
	close(fd);
	close(go[0]);
	fd = open(path, O_WRONLY | O_APPEND);
	CHECK_EQ(writelock_take(fd), -EAGAIN);
	REQUIRE(!cap_open(&r, path, &f));
	CHECK(r.growing);
	cap_close(&r);
	close(go[1]);
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK_EQ(writelock_take(fd), 0);
	close(fd);
	REQUIRE(!cap_open(&r, path, &f));
	CHECK(!r.growing);
	cap_close(&r);
}

/* Who may read it alone can keep nobody waiting for the end of a trace. */
static void locked_by_a_reader(void)
{
	struct flock whole = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	struct cap_reader r;
	struct fault f;
	int fd, reader;

	write_file();
	reader = open(path, O_RDONLY);
	fd = open(path, O_WRONLY | O_APPEND);
	REQUIRE(fd >= 0 && reader >= 0 && !fcntl(reader, F_OFD_SETLK, &whole));
	CHECK_EQ(writelock_take(fd), -EDEADLK);
	CHECK(!writelock_held(fd));
	REQUIRE(!cap_open(&r, path, &f));
	CHECK(!r.growing);
	cap_close(&r);
	close(reader);
	CHECK_EQ(writelock_take(fd), 0);
	close(fd);
}

/* A file that its writer makes longer each time that a reader waits. */
struct growing {
	const unsigned char *whole;	/* what it is to become */
	size_t size, have;
	int fd;
	bool torn;		/* something else stands where the next block is to come */
	unsigned int taken_back;
	bool shorter;
};

static bool grow(void *arg, uint64_t at)
{
	struct growing *g = arg;
	const size_t torn = sizeof(struct ktr_file_block) + 5;
	size_t n = 1 + tap_below(3000);

	CHECK(at <= g->have);
	if (g->torn) {
		CHECK(!ftruncate(g->fd, g->have));
		g->torn = false;
		g->taken_back++;
	} else if (at == g->have && g->have >= g->size / 2 && tap_below(2)) {
		/* A block that there was no room for: the first one, without its end. */
		CHECK_EQ(write(g->fd, g->whole + sizeof(struct ktr_file_header), torn), torn);
		g->torn = true;
		return true;
	} else if (g->have == g->size) {
		CHECK(!ftruncate(g->fd, g->have - 8));
		g->shorter = true;
		return false;
	}
	n = n < g->size - g->have ? n : g->size - g->have;
	CHECK_EQ(write(g->fd, g->whole + g->have, n), n);
	g->have += n;
	return true;
}

/* What a follower gets is what stands in the file at last, each block once. */
static void followed(void)
{
	struct growing g = { 0 };
	struct cap_reader r, all;
	unsigned int i, blocks;
	unsigned char *p;
	struct fault f;

	write_file();
	g.size = load(&p);
	g.whole = p;
	for (i = 0; i < 50; i++) {
		g.have = 0;
		g.fd = open(copy, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
		REQUIRE(g.fd >= 0);
		REQUIRE(!cap_open(&all, path, &f));
		REQUIRE(!cap_open_growing(&r, g.fd, copy, grow, &g, &f));
		for (blocks = 0; cap_next(&r) == 1; blocks++) {
			REQUIRE(cap_next(&all) == 1);
			CHECK(!memcmp(&r.block, &all.block, sizeof(r.block)));
			CHECK(!memcmp(r.payload, all.payload, r.block.length));
			CHECK_EQ(r.hole, 0);
		}
		CHECK_EQ(blocks, NBLOCKS);
		CHECK(g.shorter && r.footer && !r.damaged && !r.cut);
		cap_close(&all);
		cap_close(&r);
		close(g.fd);
	}
	CHECK(g.taken_back > 10);
	free(p);
}

int main(void)
{
	sprintf(path, "/tmp/test_capgrow.%d", getpid());
	sprintf(copy, "%s.copy", path);
	RUN(being_written);
	RUN(locked_by_a_reader);
	RUN(followed);
	unlink(path);
	unlink(copy);
	return tap_done();
}
