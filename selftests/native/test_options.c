// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Command lines that strace takes, and those that it refuses: ktrctl takes and
 * refuses the same, and begins with strace's words. With another version of
 * strace than 6.1, or none, the cases are skipped. What is found out later, with
 * the module there, is in tool_options_test.sh.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd.h"
#include "sys.h"
#include "tap.h"
#include "decode/strace.h"

#define NAME "strace: "

struct row {
	const char *line;
	const char *why;	/* it differs; NULL: it is the same */
};

#define SAME(line) { line, NULL }
#define DIFFERS(line, why) { line, why }

static const struct row start_up[] = {
	SAME("-E A=b true"), SAME("-E A true"), SAME("-E '' true"), SAME("--env=A=b true"),
	SAME("-p 0"), SAME("-p x"), SAME("-p -1"), SAME("-p 1,x"), SAME("--attach=x"),
	SAME("-b open true"), SAME("-b '' true"), SAME("--detach-on=open true"),
	SAME("-b execve true"), SAME("-D -p 1"), SAME("--daemonize=bad true"),
	SAME("--daemonize= true"), SAME("-f true"), SAME("-F true"),
	SAME("-I 0 true"), SAME("-I 5 true"), SAME("-I x true"),
	SAME("--interruptible=9 true"), SAME("-I waiting true"), SAME("-I 4 true"),
};

static const struct row filtering[] = {
	SAME("-e trace=bad true"), SAME("-e trace=?bad true"), SAME("-e trace= true"),
	SAME("-e trace=, true"), SAME("-e trace=open, true"), SAME("-e '' true"),
	SAME("-e bad true"), SAME("-e bad=x true"), SAME("-e = true"),
	SAME("-e trace=%bad true"), SAME("-e trace=-1 true"), SAME("-e creds true"),
	SAME("-e trace=5000 true"), SAME("-e net true"), SAME("-e stat true"),
	SAME("-e trace=1000 true"), SAME("-e trace=999@32 true"), SAME("-e trace=0x10 true"),
	SAME("-e trace=?999 true"), SAME("-e trace=010 true"), SAME("-e trace=400 true"),
	SAME("-e trace=all,none true"), SAME("-e trace=none,read true"),
	SAME("-e trace=all,read true"), SAME("-e 'trace=?none,read' true"),
	SAME("-e 'trace=!none,read' true"), SAME("-e abbrev=none,all true"),
	SAME("-e trace=%file,%process,%network,%net,%signal,%ipc,%desc true"),
	SAME("-e trace=%memory,%creds,%stat,%lstat,%fstat,%%stat,%statfs true"),
	SAME("-e trace=%fstatfs,%%statfs,%clock,%" "pure true"),
	SAME("-e file true"), SAME("-e desc true"), SAME("-e trace=memory true"),
	SAME("-e trace=open@x32 true"), SAME("-e trace=open@16 true"),
	SAME("-e nosuch@x32 true"), SAME("-e trace=socketcall@64 true"),
	SAME("-e socket@32 true"), SAME("-e all@64 true"), SAME("-e '!open' true"),
	SAME("-e 'trace=!open,close' true"), SAME("-e 'trace=open,!close' true"),
	SAME("-e trace=/[ true"), SAME("-e trace=/nosuch true"),
	SAME("-e trace=/^open true"), SAME("-e 'trace=?/nosuch' true"),
	SAME("-e trace=none true"), SAME("-e 'trace=!all' true"),
	SAME("-e t=open true"), SAME("--trace=bad true"), SAME("--trace"),
	SAME("-e signal=BAD true"), SAME("-e signal=999 true"),
	SAME("-e signal=99 true"), SAME("-e signal=255,INT true"), SAME("-e signal=256 true"),
	SAME("-e signal=none,INT true"), SAME("-e signal=all,INT true"),
	SAME("-e status=all,none true"), SAME("-e status=none,failed true"),
	SAME("-e quiet=all,none true"), SAME("-e quiet=none,exit true"),
	SAME("-e decode-fds=all,none true"), SAME("-e decode-fds=none,path true"),
	SAME("-e signal=0 true"), SAME("-e signal=io true"), SAME("-e signal= true"),
	SAME("-e 'signal=!SIGIO' true"), SAME("-e signals=HUP true"),
	SAME("-e s=none true"), SAME("-e signal=SIGRT_1 true"), SAME("--signal=bad true"),
	SAME("-e status=bad true"), SAME("-e status= true"), SAME("-e status=none true"),
	SAME("-e 'status=!failed' true"), SAME("-e status=detached true"),
	SAME("-e status=unavailable,unfinished true"), SAME("-e status=failed, true"),
	SAME("--status=bad true"), SAME("-z -Z true"), SAME("-P /etc -P /usr true"),
	DIFFERS("-P '' true", "it stands for nothing"), SAME("-P"),
};

static const struct row format[] = {
	SAME("-s x true"), SAME("-s -1 true"), SAME("-s 99999999999 true"),
	SAME("-s 0 true"), SAME("-s 65537 true"), SAME("-s 1000000 true"),
	SAME("-s 1073741824 true"), SAME("-s"), SAME("--string-limit=x true"),
	SAME("-a x true"), SAME("-a -1 true"), SAME("-a 100000 true"),
	SAME("--columns=x true"), SAME("-X bad true"), SAME("-X '' true"),
	SAME("--const-print-style=bad true"), SAME("-X raw true"),
	SAME("-e abbrev=bad true"), SAME("-e raw=bad true"), SAME("-e raw= true"),
	SAME("-e verbose=bad true"), SAME("-e x=read -e v=none -e a=none true"),
	SAME("-e read=bad true"), SAME("-e read=-1 true"), SAME("-e read=1,2,x true"),
	SAME("-e read=99999999999 true"), SAME("-e read=,1 true"),
	SAME("-e read= true"), SAME("-e 'write=!none' true"), SAME("-e reads=1 true"),
	SAME("-e r=1 -e writes=2 -e w=all true"), SAME("--read=bad true"),
	SAME("-e quiet=bad true"), SAME("-e quiet=,exit true"),
	SAME("-e quiet=none true"), SAME("-e 'quiet=!all' true"),
	SAME("-e silence=superseded -e silent=attach -e q=exit true"),
	SAME("--quiet=bad true"), SAME("-qqqq true"), SAME("-q -e quiet=exit true"),
	SAME("-q --silent=exit true"), SAME("-e decode-fds=bad true"),
	SAME("-e decode-fd=path true"), SAME("--decode-fds= true"),
	SAME("-e 'decode-fds=!path' true"), SAME("-yyy true"),
	SAME("-y --decode-fds true"), SAME("-y -e decode-fds=dev true"),
	SAME("-t --absolute-timestamps true"), SAME("-tttt true"),
	SAME("--timestamps=unix,ns true"), SAME("--absolute-timestamps=bad true"),
	SAME("--absolute-timestamps= true"), SAME("--absolute-timestamps=none true"),
	SAME("--relative-timestamps=bad true"), SAME("--relative-timestamps= true"),
	SAME("-r --relative-timestamps=ns true"), SAME("--syscall-times=bad true"),
	SAME("-x --strings-in-hex true"), SAME("-xxx true"),
	SAME("--strings-in-hex=bad true"), SAME("--strings-in-hex=none true"),
	SAME("-o '' true"), SAME("-o '|cat' -ff true"), SAME("-n -i -v -T true"),
	SAME("--no-abbrev=1 true"),
	SAME("-k true"), SAME("--stack-traces -T true"),
	SAME("-Y true"), SAME("-e decode-pids=comm true"), SAME("--decode-pids=!pidns true"),
	SAME("--decode-pids=bad,comm true"), SAME("-e decode-pid=none true"),
	DIFFERS("--decode-pids=pidns true", "numbers in other namespaces are not shown"),
	DIFFERS("--pidns-translation true", "the same"),
	DIFFERS("-d true", "there is nothing to debug"),
	DIFFERS("-e kvm=vcpu true", "it is not recorded"),
};

static const struct row statistics[] = {
	SAME("-c -C true"), SAME("-c -ff true"), SAME("-C -ff true"),
	SAME("-ff -c -o /dev/null true"), SAME("-w true"), SAME("-U calls true"),
	SAME("-S bad true"), SAME("-S '' -c true"), SAME("-S total -c true"),
	SAME("-S count -c true"), SAME("-S none -c true"), SAME("-S syscall -c true"),
	SAME("-S max_time -c true"), SAME("--summary-sort-by=bad true"),
	SAME("-S time_total -c true"), SAME("-S shortest -c true"),
	SAME("-U bad true"), SAME("-U '' -c true"), SAME("-U name,total-time -c true"),
	SAME("-U time,min,max -c true"), SAME("--summary-columns=bad true"),
	DIFFERS("-U calls,calls -c true", "what is left of the list is not told"),
	SAME("-O x true"), SAME("-O 1m true"), SAME("-O -1 true"), SAME("-O 1.5ms true"),
	SAME("-O 1.5 true"), SAME("--summary-syscall-overhead=bad true"),
};

static const struct row others[] = {
	SAME("-N true"), SAME("--nosuch true"), SAME("-- true"), SAME("true -f"),
	DIFFERS("--inject=getpid:error=EPERM true", "nothing is changed"),
	DIFFERS("--fault=getpid true", "nothing is changed"),
	SAME("--seccomp-bpf -f true"), SAME("--tips=none true"),
	DIFFERS("--out=/dev/null true", "the words of libc differ"),
};

static char calls[256];		/* the program */

/* What it says when it refuses; "" if it does not. */
static void ask_strace(const char *line, char *says, size_t size)
{
	char command[512];
	FILE *p;
	int status;

	snprintf(command, sizeof(command),
		 "strace %s 2>&1 >/dev/null </dev/null | sed -n 's/^" NAME "//p'; exit ${PIPESTATUS[0]}",
		 line);
	setenv("LINE", command, 1);
	p = popen("exec bash -c \"$LINE\"", "r");
	says[0] = 0;
	if (!p)
		return;
	if (!fgets(says, size, p))
		says[0] = 0;
	while (fgets(command, sizeof(command), p))
		;
	status = pclose(p);
	says[strcspn(says, "\n")] = 0;
	if (!status)		/* a warning, if anything */
		says[0] = 0;
}

static unsigned int trace_classes(void)
{
	const struct command *c = commands;

	while (strcmp(c->name, "trace"))
		c++;
	return c->classes;
}

static void ask_ours(const char *line, char *says, size_t size)
{
	char words[512], *argv[16] = { "trace" }, *rest = words, *w;
	struct fault f = { 0 };
	struct opts o;
	int argc = 1;

	snprintf(words, sizeof(words), "%s", line);
	while (argc < 15 && (w = strsep(&rest, " "))) {
		if (*w == '\'') {
			w[strlen(w) - 1] = 0;
			w++;
		}
		argv[argc++] = w;
	}
	argv[argc] = NULL;
	opts_init(&o);
	says[0] = 0;
	if (opts_parse(&o, trace_classes(), argc, argv, &f))
		snprintf(says, size, "%s", f.text);
	else if (!o.argc && !o.sel.pids.n)
		snprintf(says, size, "must have PROG [ARGS] or -p PID");
	else if (o.ndaemon && !o.argc)
		snprintf(says, size, "PROG [ARGS] must be specified with -D/--daemonize");
	opts_free(&o);
}

static void compare(const struct row *rows, size_t n)
{
	char theirs[512], ours[512];
	bool same;

	if (!have_strace())
		return;
	for (size_t i = 0; i < n; i++) {
		ask_strace(rows[i].line, theirs, sizeof(theirs));
		ask_ours(rows[i].line, ours, sizeof(ours));
		same = !*theirs ? !*ours :
				  !strncmp(ours, theirs, strlen(theirs));
		if (same == !rows[i].why)
			continue;
		CHECK(same == !rows[i].why);
		printf("# %s: strace says '%s', we '%s'%s\n", rows[i].line,
		       theirs, ours, same ? ", which is the same" : "");
	}
}

#define COMPARE(rows) compare(rows, sizeof(rows) / sizeof((rows)[0]))

static void of_start_up(void)
{
	COMPARE(start_up);
}

static void of_filtering(void)
{
	COMPARE(filtering);
}

static void of_format(void)
{
	COMPARE(format);
}

static void of_statistics(void)
{
	COMPARE(statistics);
}

static void of_the_rest(void)
{
	COMPARE(others);
}

/* Names in what strace prints of all calls of an ABI, made by decode/calls.c. */
static void list_calls(struct sysset *set, const char *class, unsigned int abi)
{
	static const char *const ranges[][2] = {
		{ "0 174", "0 221" }, { "175 334", "224 250" },
		{ "424 450", "252 284" }, { "", "286 386" },
		{ "", "393 414" }, { "", "416 450" },
	};
	char command[512], name[64], open;
	size_t i;
	FILE *p;
	int nr;

	memset(set, 0, sizeof(*set));
	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (!*ranges[i][abi])
			continue;
		snprintf(command, sizeof(command),
			 "strace -o '|cat' -e signal=none -e trace=%s -e 'inject=!execve,exit_group,exit,seccomp:retval=0' %s %u %s 1 1 2>/dev/null",
			 class, calls, abi, ranges[i][abi]);
		p = popen(command, "r");
		while (p && fgets(command, sizeof(command), p)) {
			if (sscanf(command, "%63[a-z0-9_]%c", name, &open) != 2 ||
			    open != '(')
				continue;
			nr = sys_number(abi, name);
			if (nr >= 0)
				set->bits[abi][nr / 64] |= 1ULL << (nr % 64);
		}
		if (p)
			pclose(p);
	}
}

/* Of the calls that strace knows, each class has the same. */
static void compare_classes(unsigned int abi)
{
	struct sysset known, theirs, ours;
	struct fault f;
	char tmp[32], class[32];
	unsigned int n = 0;

	list_calls(&known, "all", abi);
	for (unsigned int i = 0; sys_class_name(i); i++) {
		snprintf(class, sizeof(class), "%%%s", sys_class_name(i));
		REQUIRE(!sysset_parse(&ours, class, &f));
		list_calls(&theirs, class, abi);
		for (int nr = 0; nr < sys_limit(abi); nr++) {
			/* Numbers that were never used are in no class here. */
			if (!sysset_has(&known, abi, nr) ||
			    sys_wrapper(abi, nr) >= 0 ||
			    !strcmp(sys_name(abi, nr, tmp), "break"))
				continue;
			n++;
			if (sysset_has(&ours, abi, nr) ==
			    sysset_has(&theirs, abi, nr))
				continue;
			CHECK(false);
			printf("# %s is in %s here or there alone\n",
			       sys_name(abi, nr, tmp), class);
		}
	}
	CHECK(n > 3000);
}

static void of_classes(void)
{
	char command[512];

	if (!have_strace())
		return;
	compare_classes(KTR_ABI_NATIVE);
	/* Not every machine's kernel takes calls of i386. */
	snprintf(command, sizeof(command), "%s 1 20 20 1 1", calls);
	if (!system(command))
		compare_classes(KTR_ABI_COMPAT);
}

int main(int argc, char **argv)
{
	char *slash = strrchr(argv[0], '/');

	snprintf(calls, sizeof(calls), "%.*s/calls",
		 slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
	RUN(of_start_up);
	RUN(of_filtering);
	RUN(of_format);
	RUN(of_statistics);
	RUN(of_the_rest);
	RUN(of_classes);
	return tap_done();
}
