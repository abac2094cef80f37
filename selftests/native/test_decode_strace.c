// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The decoder against strace itself, line by line: real programs, and calls
 * with arguments at random whose results both tracers make up.
 *
 * Our side is decode/trace.c: the capture programs run on a live process, the
 * records go through the formatters. Texts are those of strace 6.1; with another
 * version, or none, the cases are skipped.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "consts.h"
#include "decode/engine.c"
#include "decode/mask.c"
#include "decode/strace.h"
#include "decode/trace.c"
#include "sys_table.h"
#include "tap.h"

#define RUNS 3			/* of strace: what differs between them is chance */
#define LINES 60000
#define WORDS 40

/* The lines of one run, processes in the order of their making. */
struct lines {
	char *line[LINES];
	unsigned int n;
};

static char dir[] = "/tmp/test_decode.XXXXXX";
static char calls[PATH_MAX];
static struct lines ours, theirs[RUNS];
static bool masked;		/* what is chance is not compared */

/* With no new privileges, as the filter of decode/calls.c needs it. */
static int run_strace(char *const argv[])
{
	int status = -1, null;
	pid_t pid = fork();

	if (!pid) {
		null = open("/dev/null", O_RDWR);
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		execvp("strace", argv);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	return status;
}

static void drop(struct lines *l)
{
	for (unsigned int i = 0; i < l->n; i++)
		free(l->line[i]);
	l->n = 0;
}

static void read_file(struct lines *l, const char *path, const int *pids,
		      unsigned int n)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	while (f && l->n < LINES && getline(&line, &room, f) > 0) {
		char *s, *named;

		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "strace: ", 8) || strstr(line, " runs in "))
			continue;
		if (masked && strstr(line, " = ? ERESTART"))
			continue;	/* where a signal comes is chance */
		strip(line, " (INJECTED)");
		strip(line, " /* unreadable */");
		mask_layout(line);
		named = mask_names(line);
		s = masked ? mask_numbers(mask_pids(named, pids, n)) :
			     strdup(named);
		free(named);
		if (masked)
			mask_noise(s);
		l->line[l->n++] = s;
	}
	free(line);
	if (f)
		fclose(f);
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* All files NAME.pid, then they are removed. */
static void collect(struct lines *l, const char *name)
{
	int pids[64];
	unsigned int n = 0;
	DIR *d = opendir(dir);
	char path[PATH_MAX + 64];
	struct dirent *e;

	drop(l);
	while (d && (e = readdir(d)) && n < 64)
		if (!strncmp(e->d_name, name, strlen(name)) &&
		    e->d_name[strlen(name)] == '.')
			pids[n++] = atoi(e->d_name + strlen(name) + 1);
	if (d)
		closedir(d);
	qsort(pids, n, sizeof(pids[0]), by_number);
	for (unsigned int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s.%d", dir, name, pids[i]);
		read_file(l, path, pids, n);
		unlink(path);
	}
}

static bool has(const struct lines *l, const char *s)
{
	for (unsigned int i = 0; i < l->n; i++)
		if (!strcmp(l->line[i], s))
			return true;
	return false;
}

static void complain(const char *who, const char *line)
{
	if (tap.complaints++ < TAP_COMPLAINTS_MAX)
		printf("# only %s: %.300s\n", who, line);
}

/* A line that no strace run has, and one that all have but ours not. */
static void compare(void)
{
	for (unsigned int i = 0; i < ours.n; i++) {
		bool found = false;

		for (int k = 0; k < RUNS; k++)
			found |= has(&theirs[k], ours.line[i]);
		if (!found)
			complain("ours", ours.line[i]);
	}
	for (unsigned int i = 0; i < theirs[0].n; i++) {
		const char *s = theirs[0].line[i];

		if (has(&theirs[1], s) && has(&theirs[2], s) && !has(&ours, s))
			complain("strace's", s);
	}
}

static unsigned int split(char *words, char **argv)
{
	unsigned int n = 0;

	for (char *w = strtok(words, " "); w && n < WORDS - 1;
	     w = strtok(NULL, " "))
		argv[n++] = w;
	argv[n] = NULL;
	return n;
}

/*
 * "options | command": both tracers are given both, and start from the same
 * addresses: the runner switches their randomness off.
 */
static void both(const char *options, char *const command[])
{
	char words[256], prefix[PATH_MAX], *argv[2 * WORDS];
	struct trace how = { .prefix = prefix, .view = VIEW_DEFAULT };
	unsigned int n = 0, at;

	for (int k = 0; k < RUNS; k++) {
		snprintf(words, sizeof(words), "strace -ff %s", options);
		n = split(words, argv);
		snprintf(prefix, sizeof(prefix), "%s/s", dir);
		argv[n++] = "-o";
		argv[n++] = prefix;
		for (at = 0; command[at]; at++)
			argv[n++] = command[at];
		argv[n] = NULL;
		run_strace(argv);
		collect(&theirs[k], "s");
	}
	how.quiet = true;
	how.view.interfaces = true;
	how.view.verbose = strstr(options, "-v");
	how.view.hexstr = strstr(options, "-xx") ? 2 : !!strstr(options, "-x");
	if (strstr(options, "-s"))
		how.view.strsize = atoi(strstr(options, "-s") + 3);
	if (strstr(options, "-X raw"))
		how.view.xlat = VIEW_RAW;
	if (strstr(options, "-X verbose"))
		how.view.xlat = VIEW_VERBOSE;
	snprintf(prefix, sizeof(prefix), "%s/o", dir);
	CHECK_EQ(trace_run(&how, command), 0);
	collect(&ours, "o");
	CHECK(ours.n > 10);
	compare();
}

static void program(const char *options, const char *script)
{
	char *argv[] = { "/bin/sh", "-c", (char *)script, NULL };

	masked = true;
	if (have_strace())
		both(options, argv);
}

static void shell(void)
{
	program("", "ls /etc > /tmp/o; cat /tmp/o | wc -l; kill -USR1 $$");
}

static void files(void)
{
	program("", "d=/tmp/test_decode.d; rm -rf $d; mkdir $d && cd $d && echo one > a && cp a b && mv b c && ln -s a l && ln a h && chmod 600 c && touch -d @1 a c && tar cf t a c && gzip -n t && find . -type f && grep -r one . && rm a c h l && rmdir nothing; cd /; rm -rf $d; umask 27; exit 3");
}

static void text(void)
{
	program("", "sed -n 1p /etc/passwd; awk 'NR==1' /etc/passwd; id; date -d @1; sleep 0.01; kill -0 $$; (:) & wait");
}

static void verbose(void)
{
	program("-v", "stat /etc/passwd; ls -l /etc/apt; id; exec true");
}

static void short_strings(void)
{
	program("-s 7", "cat /etc/passwd; ls /etc; readlink /proc/self/exe");
}

static void all_hex(void)
{
	program("-xx", "cat /etc/passwd; ls /etc/apt");
}

static void raw_numbers(void)
{
	program("-X raw", "ls -l /etc/apt; cat /nothing; sleep 0.01");
}

static void numbers_and_names(void)
{
	program("-X verbose", "ls -l /etc/apt; cat /nothing; sleep 0.01");
}

/* What selftests/progs has for the same comparison in the machine. */
static void own_programs(const char *options)
{
	char script[PATH_MAX * 2], name[PATH_MAX];
	struct dirent *e;
	DIR *d;

	snprintf(name, sizeof(name), "%.*s/progs",
		 (int)(strrchr(calls, '/') - calls), calls);
	d = opendir(name);
	while (d && (e = readdir(d))) {
		unsigned int before = tap.complaints;

		if (e->d_name[0] == '.' || (getenv("KTR_PROG") &&
					    strcmp(getenv("KTR_PROG"), e->d_name)))
			continue;
		snprintf(script, sizeof(script),
			 "p=$(realpath %s/%s); rm -rf %s/d; mkdir %s/d; cd %s/d; exec $p 4",
			 name, e->d_name, dir, dir, dir);
		program(options, script);
		if (tap.complaints > before)
			printf("# %u in %s %s\n", tap.complaints - before,
			       e->d_name, options);
	}
	if (d)
		closedir(d);
	snprintf(script, sizeof(script), "rm -rf %s/d", dir);
	CHECK_EQ(system(script), 0);
}

static void own_plain(void)
{
	own_programs("");
}

static void own_short(void)
{
	own_programs("-s 4");
}

static void own_hex(void)
{
	own_programs("-x");
	own_programs("-xx");
}

static void own_raw(void)
{
	own_programs("-X raw");
}

static void own_both(void)
{
	own_programs("-X verbose");
}

/*
 * Calls, and commands of ioctl, whose texts are not strace's, and why. All
 * others are, to the letter, for any arguments.
 */
static const struct {
	const char *name, *why;
} differ[] = {
#define DIFFERS(call, reason) { call, reason },
#include "decode/differ.h"
};

#define NDIFFER (sizeof(differ) / sizeof(differ[0]))
static unsigned int differed[NDIFFER];

static int exempt(const char *line)
{
	const char *cmd = strncmp(line, "ioctl(", 6) ? NULL : strstr(line, ", ");
	size_t len = strcspn(cmd ? cmd + 2 : line, "(,)");
	const char *strict = getenv("KTR_STRICT");

	if (cmd)
		line = cmd + 2;
	if (strict && strlen(strict) == len && !strncmp(line, strict, len))
		return -1;
	for (unsigned int i = 0; i < NDIFFER; i++)
		if (strlen(differ[i].name) == len &&
		    !strncmp(line, differ[i].name, len))
			return i;
	return -1;
}

/* Line by line: the same calls were made in the same order. */
static void compare_calls(void)
{
	CHECK_EQ(ours.n, theirs[0].n);
	for (unsigned int i = 0; i < ours.n && i < theirs[0].n; i++) {
		const char *a = ours.line[i], *b = theirs[0].line[i];
		int k = exempt(a) >= 0 ? exempt(a) : exempt(b);

		if (!strcmp(a, b))
			continue;
		if (k >= 0) {
			differed[k]++;
			continue;
		}
		complain("ours", a);
		complain("strace's", b);
	}
}

/* Whether this machine's kernel takes calls of i386 at all. */
static bool have_i386(void)
{
	static int have = -1;
	int status = 0;
	pid_t pid;

	if (have >= 0)
		return have;
	pid = fork();
	if (!pid) {
		char *argv[] = { calls, "1", "20", "20", "1", "1", NULL };

		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		execv(calls, argv);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	have = WIFEXITED(status) && !WEXITSTATUS(status);
	if (!have)
		printf("# no i386 here: its calls are not compared\n");
	return have;
}

#define CHOSEN_MAX 2400		/* values of one register */
#define CHOSEN_AT 14		/* where they are among the words below */

/* The register that says what the others mean, and its values. */
struct chosen {
	char *reg;
	const struct xlat *values;
	unsigned int shift, low;
};

/* The keys of a call's rows in variants.h as such values. */
static struct xlat keys_of(unsigned int nr, struct xlat_item *items)
{
	const struct sys_variants *vs = sys_lookup(KTR_ABI_NATIVE, nr)->variants;

	for (unsigned int i = 0; i < vs->n && i < CHOSEN_MAX; i++)
		items[i].value = vs->v[i].key;
	return (struct xlat){ .items = items, .n = vs->n };
}

/* The words of decode/calls.c, behind those of the tracer. */
static void choose(char *argv[], const struct chosen *c)
{
	static char text[CHOSEN_MAX][16];
	unsigned int n = c ? c->values->n : 0;

	if (c)
		argv[CHOSEN_AT] = c->reg;
	CHECK(n < CHOSEN_MAX);
	for (unsigned int i = 0; i < n && i < CHOSEN_MAX; i++) {
		snprintf(text[i], sizeof(text[i]), "%u",
			 (unsigned int)c->values->items[i].value << c->shift | c->low);
		argv[CHOSEN_AT + 1 + i] = text[i];
	}
}

static void pretend(unsigned int abi, unsigned int first, unsigned int last,
		    const char *rounds, int result, const struct chosen *c)
{
	char text[3][16], prefix[PATH_MAX], inject[80];
	struct trace how = {
		.prefix = prefix, .view = VIEW_DEFAULT, .quiet = true,
		.pretend = true, .result = result,
	};
	char *argv[CHOSEN_AT + 2 + CHOSEN_MAX] = {
		"strace", "-ff", "-o", prefix, "-e", "signal=none", "-e",
		inject, calls, text[0], text[1], text[2], (char *)rounds, "1",
	};

	how.view.interfaces = true;
	if (abi && !have_i386())
		return;
	choose(argv, c);
	snprintf(text[0], sizeof(text[0]), "%u", abi);
	snprintf(text[1], sizeof(text[1]), "%u", first);
	snprintf(text[2], sizeof(text[2]), "%u", last);
	snprintf(inject, sizeof(inject),
		 result < 0 ? "inject=!execve,exit_group,exit,seccomp:error=%s" :
			      "inject=!execve,exit_group,exit,seccomp:retval=%s%d",
		 result < 0 ? "ENOENT" : "", result);
	snprintf(prefix, sizeof(prefix), "%s/s", dir);
	run_strace(argv);
	collect(&theirs[0], "s");
	snprintf(prefix, sizeof(prefix), "%s/o", dir);
	CHECK_EQ(trace_run(&how, argv + 8), 0);
	collect(&ours, "o");
	CHECK(ours.n > 30);
	compare_calls();
}

/* Numbers without a call inside these ranges stop strace's injection. */
static void random_calls(int result)
{
	masked = false;
	if (!have_strace())
		return;
	pretend(0, 0, 174, "12", result, NULL);
	pretend(0, 175, 334, "12", result, NULL);
	pretend(0, 424, 450, "12", result, NULL);
	pretend(1, 0, 221, "8", result, NULL);
	pretend(1, 224, 250, "8", result, NULL);
	pretend(1, 252, 284, "8", result, NULL);
	pretend(1, 286, 386, "8", result, NULL);
	pretend(1, 393, 414, "8", result, NULL);
	pretend(1, 416, 450, "8", result, NULL);
}

static void random_calls_fail(void)
{
	random_calls(-ENOENT);
}

static void random_calls_give_0(void)
{
	random_calls(0);
}

static void random_calls_give_3(void)
{
	random_calls(3);
}

/* Calls of which one argument says what the others are. */
static void chosen_calls(int result)
{
	const struct chosen quota = { "0", &xlat_quota_cmds, 8, 2 };
	const struct chosen quota_fd = { "1", &xlat_quota_cmds, 8, 2 };
	static struct xlat_item items[CHOSEN_MAX];
	const struct xlat keys = keys_of(SYS_ioctl, items);
	const struct chosen ioctls = { "1", &keys, 0, 0 };

	masked = false;
	if (!have_strace())
		return;
	pretend(0, 179, 179, "8", result, &quota);
	pretend(0, 443, 443, "8", result, &quota_fd);
	pretend(0, SYS_ioctl, SYS_ioctl, "6", result, &ioctls);
	pretend(1, 131, 131, "8", result, &quota);
	pretend(1, 443, 443, "8", result, &quota_fd);
}

static void chosen_calls_fail(void)
{
	chosen_calls(-ENOENT);
}

static void chosen_calls_give_0(void)
{
	chosen_calls(0);
}

/* A call that is the same now is to be struck from the list. */
static void exceptions_are_needed(void)
{
	if (!have_strace() || !have_i386())
		return;
	for (unsigned int i = 0; i < NDIFFER; i++)
		if (!differed[i])
			complain("in the list, but the same,", differ[i].name);
}

int main(int argc, char **argv)
{
	char *slash = strrchr(argv[0], '/');

	snprintf(calls, sizeof(calls), "%.*s/calls",
		 slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
	if (!mkdtemp(dir)) {
		perror(dir);
		return 1;
	}
	RUN(shell);
	RUN(files);
	RUN(text);
	RUN(verbose);
	RUN(short_strings);
	RUN(all_hex);
	RUN(raw_numbers);
	RUN(numbers_and_names);
	RUN(own_plain);
	RUN(own_short);
	RUN(own_hex);
	RUN(own_raw);
	RUN(own_both);
	RUN(random_calls_fail);
	RUN(random_calls_give_0);
	RUN(random_calls_give_3);
	RUN(chosen_calls_fail);
	RUN(chosen_calls_give_0);
	RUN(exceptions_are_needed);
	rmdir(dir);
	drop(&ours);
	for (int k = 0; k < RUNS; k++)
		drop(&theirs[k]);
	return tap_done();
}
