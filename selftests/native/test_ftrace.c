// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions and graphs in ftrace's lines. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "out_text.h"
#include "tap.h"

static char path[] = "/tmp/test_ftrace.XXXXXX";
static struct out out;

static void put_name(uint32_t tid, const char *comm)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_task ev;
	} t = {
		{ .len8 = sizeof(t) / 8, .tid = tid, .kind = KTR_KIND_task },
		{ .tgid = tid },
	};

	snprintf(t.ev.comm, sizeof(t.ev.comm), "%s", comm);
	out_record(&out, &t.rec, 0);
}

static void put_function(uint32_t tid, uint64_t time, uint64_t ip, unsigned int flags)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_function ev;
	} f = {
		{ .len8 = sizeof(f) / 8, .tid = tid, .time = time, .kind = KTR_KIND_function,
		  .flags = flags },
		{ .ip = ip, .parent = 0x2012 },
	};

	out_record(&out, &f.rec, 3);
}

static void put_return(uint32_t tid, uint64_t time, int64_t ret)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_function_return ev;
	} f = {
		{ .len8 = sizeof(f) / 8, .tid = tid, .time = time,
		  .kind = KTR_KIND_function_return },
		{ .ip = 0x1004, .parent = 0x2012, .ret = ret, .start = time - 1000 },
	};

	out_record(&out, &f.rec, 0);
}

static void put_graph(uint32_t tid, uint64_t time, uint64_t ip, uint32_t number, uint32_t calls,
		      uint32_t depth)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_graph ev;
	} g = {
		{ .len8 = sizeof(g) / 8, .tid = tid, .time = time, .kind = KTR_KIND_graph },
		{ .ip = ip, .start = time - 500, .number = number, .calls = calls,
		  .depth = depth, .entry_cpu = 1, .nr = 7 },
	};

	out_record(&out, &g.rec, 1);
}

static void put_lost(void)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_lost ev;
	} l = {
		{ .len8 = sizeof(l) / 8, .kind = KTR_KIND_lost },
		{ .count = 12 },
	};

	out_record(&out, &l.rec, 1);
}

static bool begin(void)
{
	static const struct view view = VIEW_DEFAULT;
	struct out_opts opts = { .file = path, .as_ftrace = true };
	struct fault f;

	if (!CHECK_EQ(out_open(&out, &opts, &view, &f), 0))
		return false;
	ksyms_add(&out.syms, 0x1000, "do_sys_poll", NULL);
	ksyms_add(&out.syms, 0x2000, "__x64_sys_poll", NULL);
	ksyms_add(&out.syms, 0x3000, "e1000_clean", "e1000");
	ksyms_sort(&out.syms);
	out.syms.loaded = true;
	return true;
}

/* What stands below the lines with "#". */
static void end(const char *first, const char *want)
{
	const char *text = out_text(&out, path), *p = text, *next;

	CHECK(!strncmp(text, first, strlen(first)));
	while (*p == '#' && (next = strchr(p, '\n')))
		p = next + 1;
	CHECK(p != text);
	if (!CHECK(!strcmp(p, want)))
		printf("# %s", text);
}

static void test_functions(void)
{
	if (!begin())
		return;
	put_name(7, "python3");
	put_function(7, 12345678499, 0x1004, 0);
	put_function(7, 12345678500, 0x3004, 1);
	put_function(7, 12345678501, 0x1000, 2);
	put_lost();
	put_function(1234567, 1000012345678501, 0x1000, 3);
	put_function(8, 0, 0x9000, 0);
	end("# tracer: function\n",
	    "         python3-7       [003] .....    12.345678: do_sys_poll <-__x64_sys_poll\n"
	    "         python3-7       [003] ..s..    12.345679: e1000_clean [e1000] <-__x64_sys_poll\n"
	    "         python3-7       [003] ..h..    12.345679: do_sys_poll <-__x64_sys_poll\n"
	    "CPU:1 [LOST 12 EVENTS]\n"
	    "           <...>-1234567 [003] ..z.. 1000012.345679: do_sys_poll <-__x64_sys_poll\n"
	    "           <...>-8       [003] .....     0.000000: 0x9000 <-__x64_sys_poll\n");
}

static void test_returns(void)
{
	if (!begin())
		return;
	put_name(7, "a name of fifteen");
	put_return(7, 1000000, 0);
	put_return(7, 1000000, -4);
	end("# tracer: function\n",
	    " a name of fifte-7       [000] .....     0.001000: do_sys_poll: (__x64_sys_poll+0x12 <- do_sys_poll) ret=0x0\n"
	    " a name of fifte-7       [000] .....     0.001000: do_sys_poll: (__x64_sys_poll+0x12 <- do_sys_poll) ret=0xfffffffffffffffc\n");
}

/* Each thread's stand together; the first that is not whole comes at the end. */
static void test_graphs(void)
{
	if (!begin())
		return;
	put_name(7, "python3");
	put_name(123456, "a long name");
	put_graph(12345678, 1500, 0x2000, 2, 0, 1);
	put_graph(7, 2000, 0x3004, 2, 0, 1);
	put_graph(7, 2100, 0x1004, 1, 1, 0);
	put_graph(123456, 2200, 0x1004, 1, 0, 0);
	put_graph(123456, 2300, 0x1004, 2, 0, 0);
	end("# tracer: function_graph\n",
	    " 1)               |  do_sys_poll() {\n"
	    " 1)   0.500 us    |    e1000_clean [e1000]();\n"
	    " 1)   0.500 us    |  }\n"
	    " ------------------------------------------\n"
	    " 1)   python3-7    => a long -123456\n"
	    " ------------------------------------------\n"
	    "\n"
	    " 1)   0.500 us    |  do_sys_poll();\n"
	    " 1)   0.500 us    |  do_sys_poll();\n"
	    " ------------------------------------------\n"
	    " 1) a long -123456 => <...>-12345678\n"
	    " ------------------------------------------\n"
	    "\n"
	    " 1)   0.500 us    |    __x64_sys_poll();\n");
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	RUN(test_functions);
	RUN(test_returns);
	RUN(test_graphs);
	unlink(path);
	return tap_done();
}
