// SPDX-License-Identifier: GPL-2.0-or-later
/* Graphs as text: what is kept, in what order it comes, what is missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "out_text.h"
#include "tap.h"

static char path[] = "/tmp/test_graph.XXXXXX";
static struct out out;

/* A call of function "ip" that returns at "time" and took so many ns. */
static void put(uint64_t ip, uint64_t time, uint64_t took, uint32_t number, uint32_t calls,
		uint32_t depth, int nr)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_graph ev;
	} g = {
		{ .len8 = sizeof(g) / 8, .tid = 7, .time = time, .kind = KTR_KIND_graph },
		{ .ip = ip, .start = time - took, .number = number, .calls = calls,
		  .depth = depth, .entry_cpu = 1, .nr = nr },
	};

	out_record(&out, &g.rec, 2);
}

/* getppid() */
static void put_call(uint64_t start, uint64_t time)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_syscall ev;
	} c = {
		{ .len8 = sizeof(c) / 8, .tid = 7, .time = time, .kind = KTR_KIND_syscall },
		{ .nr = SYS_getppid, .start = start, .ret = 1 },
	};

	out_record(&out, &c.rec, 0);
}

static bool begin(void)
{
	static const struct view view = VIEW_DEFAULT;
	struct out_opts opts = { .file = path };
	struct fault f;

	return CHECK_EQ(out_open(&out, &opts, &view, &f), 0);
}

static void end(const char *want)
{
	out_text_is(&out, path, want);
}

#define CALL "getppid()                               = 1\n"

static void test_below_the_call(void)
{
	if (!begin())
		return;
	put(0x30, 3500, 500, 3, 0, 2, SYS_getppid);
	put(0x20, 4000, 2000, 2, 1, 1, SYS_getppid);
	put(0x40, 5000, 100, 4, 0, 1, SYS_getppid);
	put(0x10, 6000, 5000, 1, 3, 0, SYS_getppid);
	put_call(900, 7000);
	end(CALL " 1)               |  0x10() {\n"
	    " 1)               |    0x20() {\n"
	    " 2)   0.500 us    |      0x30();\n"
	    " 2)   2.000 us    |    }\n"
	    " 2)   0.100 us    |    0x40();\n"
	    " 2)   5.000 us    |  }\n");
}

/* Of an earlier call, whose record did not come, and of no call. */
static void test_of_other_calls(void)
{
	if (!begin())
		return;
	put(0x10, 2000, 1000, 1, 0, 0, SYS_getpid);
	put(0x20, 5000, 1000, 2, 0, 0, SYS_getppid);
	put_call(3000, 6000);
	put(0x30, 9000, 1000, 3, 0, 0, -1);
	put_call(10000, 11000);
	end(" 2)   1.000 us    |  0x10();\n" CALL " 2)   1.000 us    |  0x20();\n"
	    " 2)   1.000 us    |  0x30();\n" CALL);
}

static void test_times(void)
{
	static const uint64_t ns[] = {
		0, 999, 10000, 10001, 123456, 1234567, 12345678, 123456789, 1234567890,
		12345678901234ULL,
	};
	size_t i;

	if (!begin())
		return;
	for (i = 0; i < sizeof(ns) / sizeof(ns[0]); i++)
		put(0x10, ns[9] + i, ns[i], i + 1, 0, 0, -1);
	end(" 2)   0.000 us    |  0x10();\n"
	    " 2)   0.999 us    |  0x10();\n"
	    " 2)   10.000 us   |  0x10();\n"
	    " 2) + 10.001 us   |  0x10();\n"
	    " 2) ! 123.456 us  |  0x10();\n"
	    " 2) # 1234.567 us |  0x10();\n"
	    " 2) * 12345.67 us |  0x10();\n"
	    " 2) @ 123456.7 us |  0x10();\n"
	    " 2) $ 1234567 us  |  0x10();\n"
	    " 2) $ 12345678901 us |  0x10();\n");
}

/* What was below is lost, what is around is lost. */
static void test_losses(void)
{
	if (!begin())
		return;
	put(0x10, 3000, 1000, 1, 2, 0, -1);
	put(0x30, 4100, 100, 6, 0, 2, -1);
	put(0x40, 4300, 100, 7, 0, 2, -1);
	put(0x10, 5000, 1000, 4, 3, 0, -1);
	put(0x50, 6000, 100, 9, 0, 1, -1);
	end(" 2)   1.000 us    |  0x10();\n"
	    " 1)               |  0x10() {\n"
	    " 2)   0.100 us    |      0x30();\n"
	    " 2)   0.100 us    |      0x40();\n"
	    " 2)   1.000 us    |  }\n"
	    " 2)   0.100 us    |    0x50();\n");
}

/* A thread that goes on for ever inside does not fill the memory. */
static void test_no_end(void)
{
	uint32_t i;

	if (!begin())
		return;
	for (i = 2; i < 200000; i++)
		put(0x20, 1000 * i, 10, i, 0, 1, -1);
	put(0x10, 1000 * i, 1000, 1, i - 2, 0, -1);
	CHECK(out.procs.nheld == 0);
	out_close(&out);
}

/* Numbers that mean nothing, as a file may have them. */
static void test_nonsense(void)
{
	uint32_t i;

	if (!begin())
		return;
	for (i = 0; i < 5000; i++)
		put(0x20, 1000 + i, 1u << i % 32, i % 3 * 0x7fffffff, i * 0x1234567,
		    i % 7 ? i * 0x7654321 : 0, i % 2 - 1);
	out_footer(&out, 0, 0);
	CHECK(out.procs.nheld == 0);
	out_close(&out);
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	RUN(test_below_the_call);
	RUN(test_of_other_calls);
	RUN(test_times);
	RUN(test_losses);
	RUN(test_no_end);
	RUN(test_nonsense);
	unlink(path);
	return tap_done();
}
