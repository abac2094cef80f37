// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of tasks in kdump's lines: which signal ended them, and that none is left out. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "events.h"
#include "out.h"
#include "tap.h"

#define CORE 0x80

static char path[] = "/tmp/test_kdump.XXXXXX";
static struct out out;
static uint64_t now;

static void give(unsigned int kind, uint32_t tid, const void *payload, size_t n)
{
	static union {
		struct ktr_rec rec;
		unsigned char bytes[512];
	} r;

	memset(&r, 0, sizeof(r));
	r.rec = (struct ktr_rec){ .len8 = (sizeof(r.rec) + n) / 8, .tid = tid,
				  .time = now += 1000, .kind = kind };
	memcpy(&r.rec + 1, payload, n);
	out_record(&out, &r.rec, 1);
}

#define GIVE(name, tid, ...) do { \
	struct ktr_ev_##name ev_ = { __VA_ARGS__ }; \
	give(KTR_KIND_##name, tid, &ev_, sizeof(ev_)); \
} while (0)

static void sent(uint32_t tid, int sig, int code)
{
	GIVE(signal_generate, tid, .sig = sig, .code = code);
}

static void delivered(uint32_t tid, int sig, int code)
{
	GIVE(signal_deliver, tid, .sig = sig, .code = code);
}

static void ended(uint32_t tid, unsigned int code, bool last)
{
	GIVE(exit, tid, .code = code, .flags = last ? KTR_EXIT_F_GROUP : 0);
	GIVE(target_end, tid, .reason = KTR_END_EXIT, .tgid = 7);
}

static void begin(const struct kdump_view *kv)
{
	static const struct view view = VIEW_DEFAULT;
	struct out_opts opts = { .file = path, .as_kdump = true };
	struct fault f;
	uint32_t tid;

	now = 0;
	if (kv)
		opts.kdump = *kv;
	CHECK_EQ(out_open(&out, &opts, &view, &f), 0);
	for (tid = 7; tid < 10; tid++)
		GIVE(task, tid, .tgid = 7, .comm = "it");
}

static void end(const char *want)
{
	char text[2048] = "";
	int fd;

	out_footer(&out, 0, 0);
	out_flush(&out);
	out_close(&out);
	fd = open(path, O_RDONLY);
	CHECK(read(fd, text, sizeof(text) - 1) >= 0);
	close(fd);
	if (!CHECK(!strcmp(text, want)))
		printf("# %s", text);
}

#define IT "     7 it       "

/* The kernel delivers it as SIGKILL. */
static void signal_that_kills_has_its_name(void)
{
	begin(NULL);
	sent(7, SIGTERM, SI_TKILL);
	delivered(7, SIGKILL, 0);
	GIVE(sched_out, 7, .state = 0x80);
	ended(7, SIGTERM, true);
	end(IT "PSIG  SIGTERM SIG_DFL code=SI_TKILL\n"
	    IT "CSW   stop kernel \"\"\n"
	    IT "PDTR  killed by SIGTERM\n");
	begin(NULL);
	sent(7, SIGKILL, SI_USER);
	delivered(7, SIGKILL, 0);
	ended(7, SIGKILL, true);
	end(IT "PSIG  SIGKILL SIG_DFL code=SI_USER\n" IT "PDTR  killed by SIGKILL\n");
}

/* Of a process's threads one takes it. */
static void threads_are_killed_once(void)
{
	begin(NULL);
	sent(8, SIGUSR1, SI_USER);
	delivered(7, SIGKILL, 0);
	delivered(9, SIGKILL, 0);
	delivered(8, SIGKILL, 0);
	ended(9, SIGUSR1, false);
	ended(7, SIGUSR1, false);
	ended(8, SIGUSR1, true);
	end(IT "PDTR  killed by SIGUSR1\n" IT "PDTR  killed by SIGUSR1\n"
	    IT "PSIG  SIGUSR1 SIG_DFL code=SI_USER\n" IT "PDTR  killed by SIGUSR1\n");
	/* That one is the first to end. */
	begin(NULL);
	sent(8, SIGUSR1, SI_USER);
	delivered(7, SIGKILL, 0);
	delivered(8, SIGKILL, 0);
	ended(8, SIGUSR1, false);
	ended(7, SIGUSR1, true);
	end(IT "PSIG  SIGUSR1 SIG_DFL code=SI_USER\n" IT "PDTR  killed by SIGUSR1\n"
	    IT "PDTR  killed by SIGUSR1\n");
}

/* What was sent is not recorded, or was sent to one that had ended. */
static void sender_is_not_known(void)
{
	begin(NULL);
	delivered(7, SIGKILL, 0);
	delivered(8, SIGKILL, 0);
	ended(7, SIGHUP, false);
	ended(8, SIGHUP, true);
	end(IT "PDTR  killed by SIGHUP\n"
	    IT "PSIG  SIGHUP SIG_DFL code=?\n" IT "PDTR  killed by SIGHUP\n");
	/* The file ends before they do. */
	begin(NULL);
	sent(7, SIGKILL, SI_USER);
	delivered(7, SIGKILL, 0);
	end(IT "PSIG  SIGKILL SIG_DFL code=SI_USER\n");
}

/* A core is dumped by the one that took it, while the others wait. */
static void core_is_dumped(void)
{
	begin(NULL);
	sent(8, SIGSEGV, SEGV_MAPERR);
	delivered(8, SIGSEGV, SEGV_MAPERR);
	delivered(7, SIGKILL, 0);
	out_tick(&out, now + 2000000000);
	ended(8, SIGSEGV | CORE, false);
	ended(7, SIGSEGV | CORE, true);
	end(IT "PSIG  SIGSEGV SIG_DFL code=SEGV_MAPERR\n"
	    IT "PDTR  killed by SIGSEGV, core dumped\n"
	    IT "PDTR  killed by SIGSEGV, core dumped\n");
}

/* exit_group() and execve() end other threads in the same way; no signal was there. */
static void ended_without_a_signal(void)
{
	begin(NULL);
	delivered(8, SIGKILL, 0);
	ended(8, 3 << 8, false);
	ended(7, 3 << 8, true);
	end(IT "PDTR  exited with 3\n" IT "PDTR  exited with 3\n");
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	RUN(signal_that_kills_has_its_name);
	RUN(threads_are_killed_once);
	RUN(sender_is_not_known);
	RUN(core_is_dumped);
	RUN(ended_without_a_signal);
	unlink(path);
	return tap_done();
}
