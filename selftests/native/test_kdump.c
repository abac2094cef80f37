// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of tasks in kdump's lines: which signal ended them, and that none is left out. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "events.h"
#include "give.h"
#include "out_text.h"
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

static void delivered(uint32_t tid, int sig, int code)
{
	GIVE(signal_deliver, tid, .sig = sig, .code = code);
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
	out_text_is(&out, path, want);
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

/* A trace that ends before its process does, whatever lines are asked for. */
static void ends_are_told(void)
{
	struct kdump_view kv = { 0 };

	CHECK_EQ(kdump_letters("c", &kv.hide), 0);
	begin(&kv);
	GIVE(target_end, 7, .reason = KTR_END_PROGRAM, .tgid = 7);
	GIVE(target_end, 8, .reason = KTR_END_CREDENTIALS, .tgid = 7);
	GIVE(target_end, 9, .reason = KTR_END_DETACH, .tgid = 7);
	end(IT "END   trace ended: a set-id program, or one that may not be read\n"
	    IT "END   trace ended: other ids, or more capabilities\n"
	    IT "END   trace ended: the process was detached\n");
	begin(NULL);
	GIVE(target_end, 7, .reason = KTR_END_SESSION, .tgid = 7);
	GIVE(target_end, 8, .reason = 77, .tgid = 7);
	end(IT "END   trace ended: the session ended\n"
	    IT "END   trace ended: for a reason of a newer module\n");
	/* Of one that has ended there is no more to record. */
	begin(NULL);
	GIVE(exit, 7, .code = 0, .flags = KTR_EXIT_F_GROUP);
	GIVE(target_end, 7, .reason = KTR_END_SESSION, .tgid = 7);
	end(IT "PDTR  exited with 0\n");
}

/* A file may tell of calls that no dying thread can make, however many. */
static void many_wait(void)
{
	char want[] = "CALL  [x86-64] getpid()\n" IT "RET   [x86-64] getpid 7\n";
	struct kdump_view kv = { .abi = true };
	const char *text;
	int i, n = 0;

	begin(&kv);
	delivered(7, SIGKILL, 0);
	for (i = 0; i < 50000; i++)
		GIVE(syscall, 7, .nr = 39, .ret = 7);
	ended(7, SIGKILL, true);
	text = out_text(&out, path);
	for (; (text = strstr(text, want)); text += sizeof(want) - 1)
		n++;
	CHECK(n > 50);
}

/* Nothing that waits for more is left out then. */
static void ends_are_told_last(void)
{
	begin(NULL);
	sent(7, SIGKILL, SI_USER);
	delivered(7, SIGKILL, 0);
	GIVE(target_end, 7, .reason = KTR_END_DETACH, .tgid = 7);
	end(IT "PSIG  SIGKILL SIG_DFL code=SI_USER\n"
	    IT "END   trace ended: the process was detached\n");
}

/* Whose call it was is told by the name that it had then; what is inside stands there. */
static void calls_stand_first(void)
{
	uint64_t start;

	begin(NULL);
	GIVE(change, 0, .what = KTR_CHANGE_START, .value = ~0ULL);
	start = now + 500;
	GIVE(marker, 7, .tgid = 7);
	GIVE(task_new, 7, .child = 10, .parent_tgid = 7, .followed = 1);
	GIVE(exec, 7, .tgid = 7, .comm = "other");
	GIVE(syscall, 7, .nr = SYS_execve, .start = start);
	end(IT "CALL  execve(0,0,0)\n"
	    IT "USER  0 \"\"\n"
	    IT "PCTR  child=10 parent=7 abi=x86-64\n"
	    "     7 other    RET   execve 0\n");
}

/* A child may have run, and have had children, before its parent's call is over. */
static void births_are_told_first(void)
{
	uint64_t start;

	begin(NULL);
	GIVE(change, 0, .what = KTR_CHANGE_START, .value = ~0ULL);
	GIVE(task, 7, .tgid = 7, .comm = "name");
	start = now + 500;
	GIVE(task_new, 7, .child = 10, .child_tgid = 10, .parent_tgid = 7, .followed = 1,
	     .comm = "child");
	GIVE(syscall, 10, .nr = SYS_getuid, .start = now + 500);
	GIVE(task_new, 10, .child = 11, .child_tgid = 11, .parent_tgid = 10, .followed = 1,
	     .comm = "grand");
	GIVE(syscall, 11, .nr = SYS_getgid, .start = now + 500);
	GIVE(exit, 11, .code = 0);
	GIVE(syscall, 10, .nr = SYS_fork, .start = now - 2500, .ret = 11);
	GIVE(syscall, 7, .nr = SYS_fork, .start = start, .ret = 10);
	end("     7 name     CALL  fork()\n"
	    "     7 name     PCTR  child=10 parent=7 abi=x86-64\n"
	    "    10 child    CALL  getuid()\n"
	    "    10 child    RET   getuid 0\n"
	    "    10 child    CALL  fork()\n"
	    "    10 child    PCTR  child=11 parent=10 abi=x86-64\n"
	    "    11 grand    CALL  getgid()\n"
	    "    11 grand    RET   getgid 0\n"
	    "    11 grand    PDTR  exited with 0\n"
	    "    10 child    RET   fork 11/0xb\n"
	    "     7 name     RET   fork 10/0xa\n");
}

/* Nor is anything lost if that call's record never comes. */
static void births_are_not_waited_for(void)
{
	begin(NULL);
	GIVE(change, 0, .what = KTR_CHANGE_START, .value = ~0ULL);
	GIVE(task, 7, .tgid = 7, .comm = "name");
	GIVE(task_new, 7, .child = 10, .child_tgid = 10, .parent_tgid = 7, .followed = 1,
	     .comm = "child");
	GIVE(task_new, 10, .child = 11, .child_tgid = 11, .parent_tgid = 10, .followed = 1,
	     .comm = "grand");
	GIVE(marker, 11, .tgid = 11);
	GIVE(target_end, 10, .tgid = 10);
	end("     7 name     PCTR  child=10 parent=7 abi=x86-64\n"
	    "    10 child    PCTR  child=11 parent=10 abi=x86-64\n"
	    "    11 grand    USER  0 \"\"\n");
}

static void losses_are_told(void)
{
	struct kdump_view kv = { 0 };

	CHECK_EQ(kdump_letters("i", &kv.hide), 0);
	begin(&kv);
	GIVE(lost, 0, .count = 5);
	out_hole(&out, 64, 32);
	end("Events dropped: 5 on CPU 1\nFile damaged: 32 bytes at offset 64\n");
	begin(NULL);
	GIVE(task_new, 7, .child = 10, .parent_tgid = 7, .followed = 2);
	end(IT "PCTR  child=10 parent=7 abi=x86-64 not traced: no memory\n");
	/* The end of a file that has no room for more: what waits for its call stands before it. */
	begin(NULL);
	GIVE(change, 0, .what = KTR_CHANGE_START, .value = ~0ULL);
	GIVE(marker, 7, .tgid = 7);
	GIVE(lost, 0, .count = 5, .reasons = 1 << KTR_LOSS_FILE);
	end(IT "USER  0 \"\"\n" "Events dropped: 5, the file had no room for them\n");
}

/* What cannot be shown as what it is called is shown as it is. */
static void broken_ones_are_shown(void)
{
	begin(NULL);
	GIVE(fault, 7, .address = 0x1000, .access = 9);
	GIVE(fault_end, 7, .address = 0x1000, .result = 9);
	give(KTR_KIND_exit, 7, "\3\0\0\0\0\0\0", 8);
	give(KTR_KIND_syscall, 7, "", 0);
	give(KTR_KIND_marker, 7, "", 0);
	give(63, 7, "", 0);
	end(IT "EVNT  === fault {address=0x1000, access=9, flags=0} ===\n"
	    IT "EVNT  === fault_end {address=0x1000, result=9, flags=0, start=0.000000000} ===\n"
	    IT "EVNT  === exit {code=0x3, flags=0} ===\n"
	    IT "EVNT  === syscall {} ===\n"
	    IT "EVNT  === marker {} ===\n"
	    IT "EVNT  === kind_63 {0 bytes} ===\n");
}

/* A file of an older module, whose births are shorter. */
static void older_births(void)
{
	struct ktr_ev_task_new ev = { .child = 10, .child_tgid = 10, .parent_tgid = 7,
				      .followed = 1, .comm = "child" };

	begin(NULL);
	give(KTR_KIND_task_new, 7, &ev, offsetof(struct ktr_ev_task_new, flags));
	GIVE(exit, 10, .code = 0);
	ev.child = 11;
	ev.flags = KTR_TASK_F_COMPAT;
	give(KTR_KIND_task_new, 7, &ev, sizeof(ev));
	ev.flags |= KTR_TASK_F_X32;
	give(KTR_KIND_task_new, 7, &ev, sizeof(ev));
	end(IT "PCTR  child=10 parent=7\n"
	    "    10 child    PDTR  exited with 0\n"
	    IT "PCTR  child=11 parent=7 abi=i386\n"
	    IT "PCTR  child=11 parent=7 abi=x32\n");
}

static void calls_of_each_abi(void)
{
	struct kdump_view kv = { .abi = true };

	begin(&kv);
	GIVE(syscall, 7, .nr = 39 | 0x40000000, .ret = 7);
	GIVE(syscall, 7, .nr = 20, .abi = KTR_ABI_COMPAT, .ret = 7);
	GIVE(syscall, 7, .nr = 39, .ret = 7);
	end(IT "CALL  [x32] syscall_0x40000027()\n" IT "RET   [x32] syscall_0x40000027 7\n"
	    IT "CALL  [i386] getpid()\n" IT "RET   [i386] getpid 7\n"
	    IT "CALL  [x86-64] getpid()\n" IT "RET   [x86-64] getpid 7\n");
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
	RUN(ends_are_told);
	RUN(ends_are_told_last);
	RUN(many_wait);
	RUN(calls_stand_first);
	RUN(births_are_told_first);
	RUN(births_are_not_waited_for);
	RUN(losses_are_told);
	RUN(broken_ones_are_shown);
	RUN(older_births);
	RUN(calls_of_each_abi);
	unlink(path);
	return tap_done();
}
