// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of calls that were written in two records, and when they come. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "out_text.h"
#include "tap.h"

static char path[] = "/tmp/test_text.XXXXXX";
static struct out out;

static void add(unsigned char *to, size_t *n, const void *p, size_t len)
{
	memcpy(to + *n, p, len);
	*n += (len + 7) & ~(size_t)7;
}

/* open(NAME), as it is known when it blocks, or whole. */
static void put(uint32_t tid, uint64_t time, bool begun, unsigned int flags,
		const char *name)
{
	static unsigned char bytes[512] __attribute__((aligned(8)));
	uint64_t args[3] = { 0x1000, O_RDONLY, 0 };
	struct ktr_cap cap = { .flags = flags, .len = name ? strlen(name) : 0 };
	struct ktr_rec *rec = (void *)bytes;
	struct ktr_ev_syscall ev = {
		.nr = SYS_open, .nargs = 3, .ncaps = !!(name || flags),
		.start = 1000, .ret = 3,
	};
	struct ktr_ev_syscall_begun early = {
		.nr = SYS_open, .nargs = 3, .ncaps = !!(name || flags),
		.start = 1000,
	};
	size_t n = sizeof(*rec);

	memset(bytes, 0, sizeof(bytes));
	if (begun)
		add(bytes, &n, &early, sizeof(early));
	else
		add(bytes, &n, &ev, sizeof(ev));
	add(bytes, &n, args, sizeof(args));
	if (name || flags)
		add(bytes, &n, &cap, sizeof(cap));
	if (name)
		add(bytes, &n, name, strlen(name));
	*rec = (struct ktr_rec){
		.len8 = n / 8, .tid = tid, .time = time,
		.kind = begun ? KTR_KIND_syscall_begun : KTR_KIND_syscall,
	};
	out_record(&out, rec, 0);
}

/* execve(NAME, {}, {}) of tid, as it is known when it blocks, or whole. */
static void put_execve(uint32_t tid, uint64_t time, bool begun)
{
	static unsigned char bytes[512] __attribute__((aligned(8)));
	uint64_t args[3] = { 0x1000, 0x2000, 0x3000 };
	struct ktr_cap cap[3] = {
		{ .len = 8 }, { .op = 1 }, { .op = 2, .count = 3 },
	};
	struct ktr_rec *rec = (void *)bytes;
	struct ktr_ev_syscall ev = {
		.nr = SYS_execve, .nargs = 3, .ncaps = 3, .start = 1000,
	};
	struct ktr_ev_syscall_begun early = {
		.nr = SYS_execve, .nargs = 3, .ncaps = 2, .start = 1000,
	};
	size_t n = sizeof(*rec);

	memset(bytes, 0, sizeof(bytes));
	if (begun)
		add(bytes, &n, &early, sizeof(early));
	else
		add(bytes, &n, &ev, sizeof(ev));
	add(bytes, &n, args, sizeof(args));
	add(bytes, &n, &cap[0], sizeof(cap[0]));
	add(bytes, &n, "/bin/cat", 8);
	add(bytes, &n, &cap[1], sizeof(cap[1]));
	if (!begun)
		add(bytes, &n, &cap[2], sizeof(cap[2]));
	*rec = (struct ktr_rec){
		.len8 = n / 8, .tid = tid, .time = time,
		.kind = begun ? KTR_KIND_syscall_begun : KTR_KIND_syscall,
	};
	out_record(&out, rec, 0);
}

/* Thread old gets the number of its leader. */
static void put_exec(uint32_t tid, uint64_t time, uint32_t old)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_exec ev;
	} e = {
		{ .len8 = sizeof(e) / 8, .tid = tid, .time = time,
		  .kind = KTR_KIND_exec },
		{ .old_tid = old, .tgid = tid, .comm = "cat" },
	};

	out_record(&out, &e.rec, 0);
}

static bool begin(void)
{
	static const struct view view = VIEW_DEFAULT;
	struct out_opts opts = { .file = path, .follow = true };
	struct fault f;

	return CHECK_EQ(out_open(&out, &opts, &view, &f), 0);
}

static void end(const char *want)
{
	out_text_is(&out, path, want);
}

static void whole_ones_are_shown_at_once(void)
{
	if (!begin())
		return;
	put(7, 2000, true, 0, "/etc/it");
	put(8, 3000, false, 0, "/etc/other");
	put(7, 4000, false, 0, "/etc/it");
	end("7     open(\"/etc/it\", O_RDONLY <unfinished ...>\n"
	    "8     open(\"/etc/other\", O_RDONLY)      = 3\n"
	    "7     <... open resumed>)               = 3\n");
}

/* The page of the name was not there, or there was no room for it. */
static void poor_ones_wait_for_the_end(void)
{
	static const unsigned int flags[] = { KTR_CAP_F_UNREADABLE, 0 };

	for (int i = 0; i < 2; i++) {
		if (!begin())
			return;
		put(7, 2000, true, flags[i], NULL);
		put(8, 3000, false, 0, "/etc/other");
		out_tick(&out, 3500);
		put(7, 4000, false, 0, "/etc/it");
		end("8     open(\"/etc/other\", O_RDONLY)      = 3\n"
		    "7     open(\"/etc/it\", O_RDONLY)         = 3\n");
	}
}

static void but_not_for_ever(void)
{
	if (!begin())
		return;
	put(7, 2000, true, KTR_CAP_F_UNREADABLE, NULL);
	out_tick(&out, 2000000000);
	put(8, 2100000000, false, 0, "/etc/other");
	put(7, 3000000000, false, 0, "/etc/it");
	end("7     open(0x1000, O_RDONLY <unfinished ...>\n"
	    "8     open(\"/etc/other\", O_RDONLY)      = 3\n"
	    "7     <... open resumed>)               = 3\n");
}

static void nor_are_they_forgotten(void)
{
	if (!begin())
		return;
	put(7, 2000, true, KTR_CAP_F_UNREADABLE, NULL);
	end("7     open(0x1000, O_RDONLY <detached ...>\n");
}

/* A call without arguments. */
static void put_plain(uint32_t tid, uint64_t time, int nr, int64_t ret)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_syscall ev;
	} e = {
		{ .len8 = sizeof(e) / 8, .tid = tid, .time = time,
		  .kind = KTR_KIND_syscall },
		{ .nr = nr, .start = time - 10, .ret = ret },
	};

	out_record(&out, &e.rec, 0);
}

/* restart_syscall goes on with the one that told it to, of the same thread. */
static void a_restart_says_what_goes_on(void)
{
	if (!begin())
		return;
	put_plain(7, 2000, SYS_pause, -516);
	put_plain(8, 3000, SYS_getpid, 8);
	put_plain(7, 4000, SYS_restart_syscall, 0);
	put_plain(7, 5000, SYS_restart_syscall, 0);
	end("7     pause()                           = ? ERESTART_RESTARTBLOCK (Interrupted by signal)\n"
	    "8     getpid()                          = 8\n"
	    "7     restart_syscall(<... resuming interrupted pause ...>) = 0\n"
	    "7     restart_syscall(<... resuming interrupted system call ...>) = 0\n");
}

static const char in_full[] =
	"8     execve(\"/bin/cat\", [], 0x3000 /* 3 vars */ <pid changed to 7 ...>\n"
	"7     +++ superseded by execve in pid 8 +++\n"
	"7     <... execve resumed>)             = 0\n";
static const char cut_short[] =
	"8     execve(\"/bin/cat\", [], 0x3000 <pid changed to 7 ...>\n"
	"7     +++ superseded by execve in pid 8 +++\n";

/* A thread's execve has its end under another number. */
static void an_execve_waits_too(void)
{
	if (!begin())
		return;
	put_execve(8, 2000, true);
	put_exec(7, 3000, 8);
	out_tick(&out, 3500);
	put_execve(7, 4000, false);
	end(in_full);
}

/* As if it had not waited: another line came between. */
static void an_execve_is_cut_where_it_was(void)
{
	if (!begin())
		return;
	put_execve(8, 2000, true);
	put_plain(9, 2500, SYS_getpid, 9);
	put_exec(7, 3000, 8);
	put_execve(7, 4000, false);
	end("9     getpid()                          = 9\n"
	    "8     execve(\"/bin/cat\", [], 0x3000 /* 3 vars */ <unfinished ...>\n"
	    "7     +++ superseded by execve in pid 8 +++\n"
	    "7     <... execve resumed>)             = 0\n");
}

static void but_ends_with_the_rest(void)
{
	if (!begin())
		return;
	put_execve(8, 2000, true);
	put_exec(7, 3000, 8);
	end(cut_short);
}

static void and_not_for_ever(void)
{
	char text[512];

	if (!begin())
		return;
	put_execve(8, 2000, true);
	put_exec(7, 3000, 8);
	out_tick(&out, 2000000000);
	put_execve(7, 3000000000, false);
	snprintf(text, sizeof(text), "%s7     <... execve resumed>)             = 0\n",
		 cut_short);
	end(text);
}

static void put_end(uint32_t tid, uint64_t time, unsigned int flags)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_exit ev;
	} exit = {
		{ .len8 = sizeof(exit) / 8, .tid = tid, .time = time,
		  .kind = KTR_KIND_exit },
		{ .flags = flags },
	};
	struct {
		struct ktr_rec rec;
		struct ktr_ev_target_end ev;
	} gone = {
		{ .len8 = sizeof(gone) / 8, .tid = tid, .time = time + 1,
		  .kind = KTR_KIND_target_end },
		{ .tgid = 7, .reason = KTR_END_EXIT },
	};

	out_record(&out, &exit.rec, 0);
	out_record(&out, &gone.rec, 0);
}

static void put_task(uint32_t tid, uint64_t time)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_task ev;
	} e = {
		{ .len8 = sizeof(e) / 8, .tid = tid, .time = time,
		  .kind = KTR_KIND_task },
		{ .tgid = 7, .comm = "cat" },
	};

	out_record(&out, &e.rec, 0);
}

static void reads(const char *name, const char *want)
{
	char text[1024] = "";
	int fd = open(name, O_RDONLY);

	CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) >= 0);
	close(fd);
	unlink(name);
	if (!CHECK(!strcmp(text, want)))
		printf("# %s: %s", name, text);
}

/* A leader and a thread, each with a file of its own. */
static bool begin_apart(char leader[64], char thread[64])
{
	static const struct view view = VIEW_DEFAULT;
	struct out_opts opts = { .file = path, .follow = true, .separate = true };
	struct fault f;

	snprintf(leader, 64, "%s.7", path);
	snprintf(thread, 64, "%s.8", path);
	if (!CHECK_EQ(out_open(&out, &opts, &view, &f), 0))
		return false;
	put_task(7, 1000);
	put_task(8, 1001);
	put_plain(7, 2000, SYS_getpid, 7);
	return true;
}

static void end_apart(void)
{
	out_footer(&out, 0, 0);
	out_flush(&out);
	out_close(&out);
}

/* The leader has ended before it was replaced: that is no end. */
static void a_leader_that_is_replaced_has_no_end(void)
{
	char leader[64], thread[64];

	if (!begin_apart(leader, thread))
		return;
	put_end(7, 3000, 0);
	put_execve(8, 3500, true);
	put_exec(7, 4000, 8);
	put_execve(7, 5000, false);
	put_end(7, 6000, KTR_EXIT_F_GROUP);
	end_apart();
	reads(leader, "getpid()                                = 7\n"
		      "+++ superseded by execve in pid 8 +++\n"
		      "<... execve resumed>)                   = 0\n"
		      "+++ exited with 0 +++\n");
	reads(thread, "execve(\"/bin/cat\", [], 0x3000 /* 3 vars */ <pid changed to 7 ...>\n");
}

/* The first thread is the last whose end is told, as ptrace does. */
static void a_leader_ends_with_its_last_thread(void)
{
	char leader[64], thread[64];

	if (!begin_apart(leader, thread))
		return;
	put_end(7, 3000, 0);
	put_plain(8, 4000, SYS_getpid, 7);
	put_end(8, 5000, KTR_EXIT_F_GROUP);
	end_apart();
	reads(leader, "getpid()                                = 7\n"
		      "+++ exited with 0 +++\n");
	reads(thread, "getpid()                                = 7\n"
		      "+++ exited with 0 +++\n");
}

/* A call of one argument and another that is 0. */
static void put_of(uint32_t tid, uint64_t time, int nr, uint64_t arg, int64_t ret)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_syscall ev;
		uint64_t args[2];
	} e = {
		{ .len8 = sizeof(e) / 8, .tid = tid, .time = time,
		  .kind = KTR_KIND_syscall },
		{ .nr = nr, .nargs = 2, .start = time - 1, .ret = ret },
		{ arg },
	};

	out_record(&out, &e.rec, 0);
}

static void put_birth(uint32_t tid, uint64_t time, uint32_t child)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_task_new ev;
	} e = {
		{ .len8 = sizeof(e) / 8, .tid = tid, .time = time,
		  .kind = KTR_KIND_task_new },
		{ .child = child, .child_tgid = child, .followed = 1, .comm = "a <b>" },
	};

	out_record(&out, &e.rec, 0);
}

static void put_name(uint32_t tid, uint64_t time, const char *comm)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_rename ev;
	} e = {
		{ .len8 = sizeof(e) / 8, .tid = tid, .time = time,
		  .kind = KTR_KIND_rename },
		{ .comm = "" },
	};

	strcpy(e.ev.comm, comm);
	out_record(&out, &e.rec, 0);
}

/* -Y: of what is traced, as it is called at that time; no others'. */
static void names_stand_behind_numbers(void)
{
	if (!begin())
		return;
	out.view.comms = true;
	out.view.procs = &out.procs;
	put_task(7, 1000);
	put_birth(7, 1500, 12345);
	put_of(7, 2000, SYS_fork, 0, 12345);
	put_of(7, 2100, SYS_kill, 12345, 0);
	put_of(7, 2200, SYS_kill, 55, 0);
	put_name(12345, 2300, "cat");
	put_exec(12345, 2310, 0);
	put_execve(12345, 2400, false);
	put_of(12345, 2500, SYS_getpid, 0, 12345);
	put_end(12345, 2600, KTR_EXIT_F_GROUP);
	put_of(7, 2700, SYS_kill, 12345, 0);
	put_name(7, 2800, "dog");	/* of a call that is not shown */
	put_of(7, 2900, SYS_kill, 7, 0);
	end("7<cat> fork()                           = 12345<a \\74b\\76>\n"
	    "7<cat> kill(12345<a \\74b\\76>, 0)        = 0\n"
	    "7<cat> kill(55, 0)                      = 0\n"
	    "12345<a \\74b\\76> execve(\"/bin/cat\", [], 0x3000 /* 3 vars */) = 0\n"
	    "12345<cat> getpid()                     = 12345<cat>\n"
	    "12345<cat> +++ exited with 0 +++\n"
	    "7<cat> kill(12345<cat>, 0)              = 0\n"
	    "7<dog> kill(7<dog>, 0)                  = 0\n");
}

/* An end of which @len bytes are there. */
static void put_exit(uint32_t tid, uint64_t time, int nr, size_t len)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_exit ev;
	} e = {
		{ .len8 = (sizeof(e.rec) + len) / 8, .tid = tid, .time = time,
		  .kind = KTR_KIND_exit },
		{ .flags = KTR_EXIT_F_GROUP, .nr = nr },
	};

	out_record(&out, &e.rec, 0);
}

/* -n: of the last call, traced or not; if that is unknown, of the last one traced. */
static void an_end_has_the_last_number(void)
{
	const size_t whole = sizeof(struct ktr_ev_exit), older = whole - 8;
	uint32_t tid;

	if (!begin())
		return;
	out.opts.number = true;
	for (tid = 7; tid < 10; tid++)
		put_of(tid, 2000, SYS_getpid, 0, tid);
	put_exit(7, 2100, SYS_exit_group, whole);
	put_exit(8, 2200, -1, whole);
	put_exit(9, 2300, SYS_exit_group, older);
	put_exit(10, 2400, SYS_exit_group, older - 8);	/* too short to tell anything */
	end("7     [  39] getpid()                   = 7\n"
	    "8     [  39] getpid()                   = 8\n"
	    "9     [  39] getpid()                   = 9\n"
	    "7     [ 231] +++ exited with 0 +++\n"
	    "8     [  39] +++ exited with 0 +++\n"
	    "9     [  39] +++ exited with 0 +++\n");
}

/* A SIGCONT behind call nr, which the module knows or does not. */
static void put_signal(uint32_t tid, uint64_t time, int nr)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_signal_deliver ev;
		unsigned char info[48];
	} e = {
		.rec = { .len8 = sizeof(e) / 8, .tid = tid, .time = time,
			 .kind = KTR_KIND_signal_deliver },
		.ev = { .sig = SIGCONT, .flags = (nr + 1u) << KTR_SIG_NR_SHIFT },
	};

	*(int *)e.info = SIGCONT;
	out_record(&out, &e.rec, 0);
}

static void and_so_has_a_signal(void)
{
	if (!begin())
		return;
	out.opts.number = true;
	put_of(7, 2000, SYS_getpid, 0, 7);
	put_signal(7, 2100, SYS_kill);
	put_signal(7, 2200, -1);
	put_of(7, 2300, SYS_getpid, 0, 7);
	end("7     [  39] getpid()                   = 7\n"
	    "7     [  62] --- SIGCONT {si_signo=SIGCONT, si_code=SI_USER, si_pid=0, si_uid=0} ---\n"
	    "7     [  39] --- SIGCONT {si_signo=SIGCONT, si_code=SI_USER, si_pid=0, si_uid=0} ---\n"
	    "7     [  39] getpid()                   = 7\n");
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	RUN(whole_ones_are_shown_at_once);
	RUN(poor_ones_wait_for_the_end);
	RUN(but_not_for_ever);
	RUN(nor_are_they_forgotten);
	RUN(a_restart_says_what_goes_on);
	RUN(an_execve_waits_too);
	RUN(an_execve_is_cut_where_it_was);
	RUN(but_ends_with_the_rest);
	RUN(and_not_for_ever);
	RUN(a_leader_that_is_replaced_has_no_end);
	RUN(a_leader_ends_with_its_last_thread);
	RUN(names_stand_behind_numbers);
	RUN(an_end_has_the_last_number);
	RUN(and_so_has_a_signal);
	unlink(path);
	return tap_done();
}
