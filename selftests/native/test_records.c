// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of a trace file as libktrace gives them: signals, births, ends, calls. */
#include <ktracer/ktrace.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "capfile.h"
#include "give.h"
#include "tap.h"

static char path[] = "/tmp/test_records.XXXXXX";
static unsigned char bytes[8 << 20] __attribute__((aligned(8)));
static size_t len;
static uint64_t now;

static void give(unsigned int kind, uint32_t tid, const void *payload, size_t n)
{
	struct ktr_rec *rec = (void *)(bytes + len);

	memset(rec, 0, sizeof(*rec) + n);
	*rec = (struct ktr_rec){ .len8 = (sizeof(*rec) + n) / 8, .tid = tid,
				 .time = now += 1000, .kind = kind };
	memcpy(rec + 1, payload, n);
	len += rec->len8 * 8;
}

static void delivered(uint32_t tid, int sig, uint64_t handler)
{
	GIVE(signal_deliver, tid, .sig = sig, .code = SI_TKILL, .handler = handler,
	     .blocked = 2);
}

static void begin(void)
{
	uint32_t tid;

	len = now = 0;
	for (tid = 7; tid < 10; tid++)
		GIVE(task, tid, .tgid = 7, .comm = "it");
}

static void put(char *text, const struct ktr_header *h, const void *p)
{
	const struct ktr_proc_ctor *ctor = p;
	const struct ktr_proc_dtor *dtor = p;
	const struct ktr_syscall *call = p;
	const struct ktr_sysret *ret = p;
	const struct ktr_psig *sig = p;

	text += sprintf(text, "%d %ld %s ", h->ktr_pid, h->ktr_tid, h->ktr_comm);
	switch (h->ktr_type) {
	case KTR_PSIG:
		sprintf(text, "PSIG %d %d %lx %lx\n", sig->signo, sig->code, sig->action,
			sig->mask);
		break;
	case KTR_PROCCTOR:
		sprintf(text, "PCTR %d %d %lx %d\n", ctor->child, ctor->parent, ctor->flags,
			ctor->abi);
		break;
	case KTR_PROCDTOR:
		sprintf(text, "PDTR %x\n", dtor->status);
		break;
	case KTR_SYSCALL:
		sprintf(text, "CALL %d %d\n", call->ktr_code, call->ktr_abi);
		break;
	case KTR_SYSRET:
		sprintf(text, "RET %d %ld\n", ret->ktr_code, ret->ktr_retval);
		break;
	case KTR_NAMEI:
		sprintf(text, "NAMI %.*s\n", h->ktr_len, (const char *)p);
		break;
	default:
		sprintf(text, "%d\n", h->ktr_type);
	}
}

static struct ktr_file *save(void)
{
	struct ktr_file_footer foot = { 0 };
	struct cap_writer w;
	struct fault f;

	CHECK_EQ(cap_create(&w, path, false, &f), 0);
	CHECK_EQ(cap_put(&w, KTR_FILE_DATA, 0, 0, 0, bytes, len), 0);
	CHECK_EQ(cap_put(&w, KTR_FILE_FOOTER, 0, 0, 0, &foot, sizeof(foot)), 0);
	CHECK_EQ(cap_finish(&w), 0);
	return ktr_open(path);
}

static void end(const char *want)
{
	char text[4096] = "";
	struct ktr_file *file = save();
	struct ktr_header h;
	const void *record;
	int more;

	REQUIRE(file);
	while ((more = ktr_read(file, &h, &record)) > 0)
		put(text + strlen(text), &h, record);
	CHECK_EQ(more, 0);
	ktr_close(file);
	if (!CHECK(!strcmp(text, want)))
		printf("# %s", text);
}

/* The kernel delivers it as SIGKILL, and without what was sent. */
static void signal_that_kills_has_its_number(void)
{
	begin();
	sent(7, SIGTERM, SI_QUEUE);
	delivered(7, SIGKILL, 0);
	ended(7, SIGTERM, true);
	end("7 7 it PSIG 15 -1 0 2\n7 7 it PDTR f\n");
	begin();
	sent(7, SIGKILL, SI_USER);
	delivered(7, SIGKILL, 0);
	ended(7, SIGKILL, true);
	end("7 7 it PSIG 9 0 0 2\n7 7 it PDTR 9\n");
	/* Nobody says who sent it. */
	begin();
	delivered(7, SIGKILL, 0);
	ended(7, SIGHUP, true);
	end("7 7 it PSIG 1 0 0 2\n7 7 it PDTR 1\n");
}

static void threads_are_killed_once(void)
{
	begin();
	sent(8, SIGUSR1, SI_QUEUE);
	delivered(7, SIGKILL, 0);
	delivered(9, SIGKILL, 0);
	delivered(8, SIGKILL, 0);
	ended(9, SIGUSR1, false);
	ended(7, SIGUSR1, false);
	ended(8, SIGUSR1, true);
	end("7 9 it PDTR a\n7 7 it PDTR a\n7 8 it PSIG 10 -1 0 2\n7 8 it PDTR a\n");
	/* Dumps a core: that one has it by its number, the others wait. */
	begin();
	sent(8, SIGSEGV, SEGV_MAPERR);
	delivered(8, SIGSEGV, 0);
	delivered(7, SIGKILL, 0);
	ended(8, SIGSEGV | 0x80, false);
	ended(7, SIGSEGV | 0x80, true);
	end("7 8 it PSIG 11 -6 0 2\n7 8 it PDTR 8b\n7 7 it PDTR 8b\n");
}

/* exit_group() and execve() end other threads by SIGKILL, too. */
static void ended_without_a_signal(void)
{
	begin();
	delivered(8, SIGKILL, 0);
	ended(8, 3 << 8, false);
	ended(7, 3 << 8, true);
	end("7 8 it PDTR 300\n7 7 it PDTR 300\n");
}

/* The trace, or the file, ends before the process does. */
static void ended_before_the_end(void)
{
	begin();
	sent(7, SIGKILL, SI_QUEUE);
	delivered(7, SIGKILL, 0);
	GIVE(target_end, 7, .reason = KTR_END_DETACH, .tgid = 7);
	end("7 7 it PSIG 9 -1 0 2\n");
	begin();
	sent(7, SIGKILL, SI_QUEUE);
	delivered(7, SIGKILL, 0);
	end("7 7 it PSIG 9 -1 0 2\n");
}

/* A file may tell of calls that no dying thread can make, however many. */
static void many_wait(void)
{
	struct ktr_file *file;
	struct ktr_header h;
	const void *record;
	int i, n = 0;

	begin();
	delivered(7, SIGKILL, 0);
	for (i = 0; i < 50000; i++)
		GIVE(syscall, 7, .nr = 39, .ret = 7);
	ended(7, SIGKILL, true);
	file = save();
	REQUIRE(file);
	while (ktr_read(file, &h, &record) > 0)
		n++;
	CHECK_EQ(n, 2 * 50000 + 2);
	ktr_close(file);
}

static void others_are_as_they_came(void)
{
	struct {
		struct ktr_ev_namei ev;
		char name[8];
	} lookup = { .ev.nr = 39, .name = "name" };

	begin();
	sent(7, SIGUSR1, SI_USER);
	delivered(7, SIGUSR1, 0x4000);
	end("7 7 it PSIG 10 -6 4000 2\n");
	/* Sent while a call is under way whose lookup is told behind its beginning. */
	begin();
	GIVE(change, 0, .what = KTR_CHANGE_START,
	     .value = 1ULL << KTR_KIND_syscall | 1ULL << KTR_KIND_namei);
	give(KTR_KIND_namei, 7, &lookup, sizeof(lookup));
	sent(7, SIGUSR1, SI_USER);
	GIVE(syscall, 7, .nr = 39, .start = now - 1500, .ret = 7);
	delivered(7, SIGUSR1, 1);
	end("7 7 it CALL 39 0\n7 7 it NAMI name\n7 7 it RET 39 7\n7 7 it PSIG 10 -6 1 2\n");
}

/* Modules of older files wrote shorter births, without the child's ABI. */
static void births(void)
{
	struct ktr_ev_task_new ev = { .child = 10, .child_tgid = 10, .parent_tgid = 7,
				      .clone_flags = 0x11, .followed = 1, .comm = "child" };

	begin();
	give(KTR_KIND_task_new, 7, &ev, offsetof(struct ktr_ev_task_new, flags));
	GIVE(exit, 10, .code = 0);
	ev.child = ev.child_tgid = 11;
	give(KTR_KIND_task_new, 7, &ev, sizeof(ev));
	ev.flags = KTR_TASK_F_COMPAT;
	give(KTR_KIND_task_new, 7, &ev, sizeof(ev));
	ev.flags |= KTR_TASK_F_X32;
	give(KTR_KIND_task_new, 7, &ev, sizeof(ev));
	end("7 7 it PCTR 10 7 11 -1\n10 10 child PDTR 0\n"
	    "7 7 it PCTR 11 7 11 0\n7 7 it PCTR 11 7 11 1\n7 7 it PCTR 11 7 11 2\n");
}

static void calls_of_each_abi(void)
{
	begin();
	GIVE(syscall, 7, .nr = 39 | 0x40000000, .ret = 7);
	GIVE(syscall, 7, .nr = 20, .abi = KTR_ABI_COMPAT, .ret = 7);
	GIVE(syscall, 7, .nr = 39, .ret = 7);
	end("7 7 it CALL 39 2\n7 7 it RET 39 7\n7 7 it CALL 20 1\n7 7 it RET 20 7\n"
	    "7 7 it CALL 39 0\n7 7 it RET 39 7\n");
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	RUN(signal_that_kills_has_its_number);
	RUN(threads_are_killed_once);
	RUN(ended_without_a_signal);
	RUN(ended_before_the_end);
	RUN(many_wait);
	RUN(others_are_as_they_came);
	RUN(births);
	RUN(calls_of_each_abi);
	unlink(path);
	return tap_done();
}
