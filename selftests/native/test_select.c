// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of -e, -p and their like. */
#include <signal.h>
#include <string.h>

#include "events.h"
#include "select.h"
#include "sys.h"
#include "tap.h"

static struct fault f;

static bool has(const struct sysset *s, unsigned int abi, const char *name)
{
	int nr = sys_number(abi, name);

	return nr >= 0 && sysset_has(s, abi, nr);
}

static void names(void)
{
	struct sysset s;

	CHECK_EQ(sysset_parse(&s, "openat,close", &f), 0);
	CHECK(has(&s, KTR_ABI_NATIVE, "openat") && has(&s, KTR_ABI_NATIVE, "close"));
	CHECK(has(&s, KTR_ABI_COMPAT, "openat"));
	CHECK(!has(&s, KTR_ABI_NATIVE, "read") && !s.others);
	CHECK_EQ(sysset_parse(&s, "openat@64", &f), 0);
	CHECK(has(&s, KTR_ABI_NATIVE, "openat") && !has(&s, KTR_ABI_COMPAT, "openat"));
	CHECK_EQ(sysset_parse(&s, "openat@32", &f), 0);
	CHECK(!has(&s, KTR_ABI_NATIVE, "openat") && has(&s, KTR_ABI_COMPAT, "openat"));
	/* A call of one ABI alone. */
	CHECK_EQ(sysset_parse(&s, "waitpid", &f), 0);
	CHECK(has(&s, KTR_ABI_COMPAT, "waitpid"));
	/* A number without a call, between those of calls. */
	CHECK_EQ(sysset_parse(&s, "400@64", &f), 0);
	CHECK(sysset_has(&s, KTR_ABI_NATIVE, 400));
}

static void all_none_not(void)
{
	struct sysset s;

	CHECK_EQ(sysset_parse(&s, "all", &f), 0);
	CHECK(s.others && has(&s, KTR_ABI_NATIVE, "read"));
	CHECK_EQ(sysset_parse(&s, "none", &f), 0);
	CHECK(sysset_empty(&s));
	CHECK_EQ(sysset_parse(&s, "!read", &f), 0);
	CHECK(s.others && !has(&s, KTR_ABI_NATIVE, "read") &&
	      has(&s, KTR_ABI_NATIVE, "write"));
	CHECK_EQ(sysset_parse(&s, "!all", &f), 0);
	CHECK(sysset_empty(&s));
	CHECK(!sysset_has(&s, 7, 0) && !sysset_has(&s, 0, 5000));
}

static void classes_and_patterns(void)
{
	struct sysset s;

	CHECK_EQ(sysset_parse(&s, "%file", &f), 0);
	CHECK(has(&s, KTR_ABI_NATIVE, "openat") && !has(&s, KTR_ABI_NATIVE, "read"));
	CHECK_EQ(sysset_parse(&s, "file", &f), 0);
	CHECK(has(&s, KTR_ABI_NATIVE, "openat"));
	CHECK_EQ(sysset_parse(&s, "/^open", &f), 0);
	CHECK(has(&s, KTR_ABI_NATIVE, "openat") && has(&s, KTR_ABI_NATIVE, "open") &&
	      !has(&s, KTR_ABI_NATIVE, "mq_open"));
	CHECK_EQ(sysset_parse(&s, "?nosuchcall,read", &f), 0);
	CHECK(has(&s, KTR_ABI_NATIVE, "read"));
}

static bool has_inner(const struct sysset *s, const char *wrapper, int arg0)
{
	return sysset_has_call(s, KTR_ABI_COMPAT,
			       sys_number(KTR_ABI_COMPAT, wrapper), arg0);
}

/* Calls of i386 that stand for others; and a name is no other's number. */
static void inner_calls(void)
{
	struct sysset s;

	CHECK_EQ(sysset_parse(&s, "socket,semget", &f), 0);
	CHECK(has_inner(&s, "socketcall", 1) && !has_inner(&s, "socketcall", 2));
	CHECK(!has_inner(&s, "socketcall", 77));
	CHECK(has_inner(&s, "ipc", 2) && !has_inner(&s, "ipc", 1));
	CHECK(has(&s, KTR_ABI_COMPAT, "socket") &&
	      !has(&s, KTR_ABI_NATIVE, "getuid"));
	CHECK_EQ(sysset_parse(&s, "!socket", &f), 0);
	CHECK(!has_inner(&s, "socketcall", 1) && has_inner(&s, "socketcall", 2) &&
	      has_inner(&s, "socketcall", 77));
	CHECK_EQ(sysset_parse(&s, "/^msg", &f), 0);
	CHECK(has_inner(&s, "ipc", 1 << 16 | 12) && !has_inner(&s, "ipc", 2));
	CHECK_EQ(sysset_parse(&s, "socketcall", &f), 0);
	CHECK(has_inner(&s, "socketcall", 1) && has_inner(&s, "socketcall", 77));
	CHECK(sysset_is_plain(&s));
	CHECK_EQ(sysset_parse(&s, "%net", &f), 0);
	CHECK(has_inner(&s, "socketcall", 18) && !has(&s, KTR_ABI_COMPAT, "ipc"));
	CHECK_EQ(sysset_parse(&s, "socket@64", &f), 0);
	CHECK(!has(&s, KTR_ABI_COMPAT, "socketcall"));
	CHECK_EQ(sysset_parse(&s, "read,,write,", &f), 0);
	CHECK_EQ(sysset_parse(&s, "all@32", &f), 0);
	CHECK(!has(&s, KTR_ABI_NATIVE, "read") && has(&s, KTR_ABI_COMPAT, "read"));
	CHECK_EQ(sysset_parse(&s, "open@x32", &f), 0);
	CHECK(!has(&s, KTR_ABI_NATIVE, "open"));
}

static void bad_names(void)
{
	static const char *const bad[] = {
		"nosuchcall", "%nosuchclass", "", ",", "/(", "5000", "12x",
		"1000", "999@32", "0x10",
		"/nosuchcall", "read@16", "nosuchcall@x32", "socketcall@64",
		"-1", "/a+++++++++", "/a{3}",
	};
	struct sysset s;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		f.status = 0;
		if (!CHECK(sysset_parse(&s, bad[i], &f)))
			printf("# %s was taken\n", bad[i]);
		CHECK_EQ(f.status, ST_USAGE);
	}
	sysset_parse(&s, "read,nosuchcall", &f);
	CHECK(strstr(f.text, "nosuchcall"));
}

static void signals(void)
{
	uint64_t m;

	CHECK_EQ(sigset_parse(&m, "SIGUSR1,INT", &f), 0);
	CHECK_EQ(m, 1ULL << (SIGUSR1 - 1) | 1ULL << (SIGINT - 1));
	CHECK_EQ(sigset_parse(&m, "none", &f), 0);
	CHECK_EQ(m, 0);
	CHECK_EQ(sigset_parse(&m, "all", &f), 0);
	CHECK(m == ~0ULL);
	CHECK_EQ(sigset_parse(&m, "!SIGCHLD", &f), 0);
	CHECK(m == ~(1ULL << (SIGCHLD - 1)));
	CHECK(sigset_parse(&m, "SIGNOSUCH", &f));
	CHECK(strstr(f.text, "SIGNOSUCH"));
	/* As strace: numbers that no signal has, as far as its set goes. */
	CHECK_EQ(sigset_parse(&m, "65,255", &f), 0);
	CHECK_EQ(m, 0);
	CHECK(sigset_parse(&m, "256", &f));
}

static void states(void)
{
	unsigned int s;

	CHECK_EQ(status_parse(&s, "failed,unfinished", &f), 0);
	CHECK_EQ(s, STATUS_FAILED | STATUS_UNFINISHED);
	CHECK_EQ(status_parse(&s, "!failed", &f), 0);
	CHECK_EQ(s, STATUS_SUCCESSFUL | STATUS_UNFINISHED);
	CHECK(status_parse(&s, "nosuch", &f));
}

static void pids(void)
{
	struct pidlist l = { 0 };

	/* As pidof and a shell's command substitution deliver them. */
	CHECK_EQ(pidlist_parse(&l, "12 34,56\n78\t12\n", &f), 0);
	CHECK_EQ(l.n, 4);
	CHECK(pidlist_has(&l, 78) && !pidlist_has(&l, 7));
	CHECK_EQ(pidlist_parse(&l, "90", &f), 0);
	CHECK_EQ(l.n, 5);
	CHECK(pidlist_parse(&l, "12a", &f));
	CHECK(strstr(f.text, "12a"));
	CHECK(pidlist_parse(&l, "-3", &f));
	CHECK(pidlist_parse(&l, "0", &f));
	CHECK(pidlist_parse(&l, "99999999999", &f));
	free(l.pid);
	memset(&l, 0, sizeof(l));
	/* pidof found nothing */
	CHECK(pidlist_parse(&l, "", &f));
	CHECK_EQ(l.n, 0);
}

static void sizes_and_times(void)
{
	uint64_t v;

	CHECK(!size_parse(&v, "--buffer", "64K", &f) && v == 65536);
	CHECK(!size_parse(&v, "--buffer", "4MiB", &f) && v == 4 << 20);
	CHECK(!size_parse(&v, "--buffer", "1g", &f) && v == 1 << 30);
	CHECK(!size_parse(&v, "--buffer", "4096", &f) && v == 4096);
	CHECK(size_parse(&v, "--buffer", "0", &f) && size_parse(&v, "--buffer", "K", &f) &&
	      size_parse(&v, "--buffer", "4X", &f) && size_parse(&v, "--buffer", "", &f) &&
	      size_parse(&v, "--buffer", "-4K", &f) &&
	      size_parse(&v, "--buffer", "99999999999999T", &f));
	CHECK(strstr(f.text, "--buffer") != NULL);
	CHECK(!time_parse(&v, "--for", "2s", &f) && v == 2000000000);
	CHECK(!time_parse(&v, "--for", "500ms", &f) && v == 500000000);
	CHECK(!time_parse(&v, "--for", "1.5", &f) && v == 1500000000);
	CHECK(!time_parse(&v, "--for", "1m", &f) && v == 60000000000);
	CHECK(time_parse(&v, "--for", "0", &f) && time_parse(&v, "--for", "-1", &f) &&
	      time_parse(&v, "--for", "1x", &f) && time_parse(&v, "--for", "", &f) &&
	      strstr(f.text, "--for") && strstr(f.text, "of seconds") &&
	      time_parse(&v, "--for", "nan", &f) && time_parse(&v, "--for", "1e300", &f));
}

static void kinds(void)
{
	const char *bad;
	uint64_t m;
	size_t n;

	CHECK_EQ(ev_parse_mask("sched exit,wakeup", &m, &bad, &n), 0);
	CHECK(m == (1ULL << KTR_KIND_sched_out | 1ULL << KTR_KIND_sched_in |
		    1ULL << KTR_KIND_wakeup | 1ULL << KTR_KIND_exit));
	/* A group's name wins: both records of a call. */
	CHECK_EQ(ev_parse_mask("syscall", &m, &bad, &n), 0);
	CHECK(m == (1ULL << KTR_KIND_syscall | 1ULL << KTR_KIND_syscall_begun));
	CHECK(ev_parse_mask("exit,nosuch,x", &m, &bad, &n));
	CHECK(n == 6 && !memcmp(bad, "nosuch", 6));
}

static void session_events(void)
{
	struct select s;

	select_init(&s);
	CHECK(select_events(&s) & 1ULL << KTR_KIND_syscall);
	CHECK(select_events(&s) & 1ULL << KTR_KIND_signal_generate);
	CHECK(!(select_events(&s) & 1ULL << KTR_KIND_function));
	CHECK(!(select_events(&s) & 1ULL << KTR_KIND_sched_out));
	sysset_parse(&s.calls, "none", &f);
	CHECK(!(select_events(&s) & 1ULL << KTR_KIND_syscall));
	CHECK(select_events(&s) & 1ULL << KTR_KIND_exit);
	select_free(&s);
}

int main(void)
{
	RUN(names);
	RUN(all_none_not);
	RUN(classes_and_patterns);
	RUN(inner_calls);
	RUN(bad_names);
	RUN(signals);
	RUN(states);
	RUN(pids);
	RUN(sizes_and_times);
	RUN(kinds);
	RUN(session_events);
	return tap_done();
}
