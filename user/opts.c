// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "opts.h"

#define OC_TRACE (OC_STRACE | OC_VIEW)

typedef int (*set_fn)(struct opts *o, const char *arg, struct fault *f);

struct opt {
	char c;			/* 0: long only */
	const char *name;	/* NULL: short only */
	const char *arg;	/* NULL: takes none */
	unsigned int classes;
	set_fn set;
	size_t flag;		/* without set: the bool it makes true */
	const char *help;
};

/* Both are 0: strace's, not ours yet. */
#define MISSING NULL, 0
#define FLAG(member) NULL, offsetof(struct opts, member)

static int number(const char *what, const char *arg, unsigned long max,
		  unsigned int *out, struct fault *f)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(arg, &end, 10);
	if (errno || end == arg || *end || *arg == '-' || v > max)
		return fault_set(f, ST_USAGE, "%s: invalid number '%s': use 0 to %lu",
				 what, arg, max);
	*out = v;
	return 0;
}

static int set_quiet_list(struct opts *o, const char *arg, struct fault *f)
{
	if (strstr(arg, "all"))
		o->out.quiet = 3;
	else if (strstr(arg, "exit"))
		o->out.quiet = 2;
	else if (strstr(arg, "attach") || strstr(arg, "personality"))
		o->out.quiet = 1;
	else if (strcmp(arg, "none"))
		return fault_set(f, ST_USAGE, "-e quiet=%s: use attach, exit or all",
				 arg);
	return 0;
}

static int set_trace(struct opts *o, const char *arg, struct fault *f)
{
	o->sel.calls_given = true;
	return sysset_parse(&o->sel.calls, arg, f);
}

static int set_signal(struct opts *o, const char *arg, struct fault *f)
{
	o->sel.signals_given = true;
	return sigset_parse(&o->sel.signals, arg, f);
}

static int set_status(struct opts *o, const char *arg, struct fault *f)
{
	return status_parse(&o->sel.status, arg, f);
}

static int set_abbrev(struct opts *o, const char *arg, struct fault *f)
{
	if (strcmp(arg, "none") && strcmp(arg, "!all") && strcmp(arg, "all"))
		return fault_set(f, ST_USAGE, "-e abbrev=%s is not there yet: use abbrev=none (or -v) or abbrev=all",
				 arg);
	o->view.verbose = strcmp(arg, "all");
	return 0;
}

/* strace's -e: a qualifier and its set; without one it is trace=. */
static int set_expr(struct opts *o, const char *arg, struct fault *f)
{
	static const struct {
		const char *name;
		set_fn set;
	} quals[] = {
		{ "trace", set_trace }, { "t", set_trace },
		{ "signal", set_signal }, { "signals", set_signal },
		{ "s", set_signal }, { "status", set_status },
		{ "abbrev", set_abbrev }, { "a", set_abbrev },
		{ "quiet", set_quiet_list }, { "q", set_quiet_list },
		{ "raw", NULL }, { "x", NULL }, { "verbose", NULL },
		{ "v", NULL }, { "read", NULL }, { "reads", NULL },
		{ "r", NULL }, { "write", NULL }, { "writes", NULL },
		{ "w", NULL }, { "fault", NULL }, { "inject", NULL },
		{ "kvm", NULL }, { "decode-fds", NULL },
		{ "decode-pids", NULL }, { "namespace", NULL },
	};
	const char *eq = strchr(arg, '=');
	size_t i, n = eq ? (size_t)(eq - arg) : 0;

	for (i = 0; eq && i < sizeof(quals) / sizeof(quals[0]); i++) {
		if (strlen(quals[i].name) != n || memcmp(quals[i].name, arg, n))
			continue;
		if (quals[i].set)
			return quals[i].set(o, eq + 1, f);
		return fault_set(f, ST_USAGE, "-e %s= is not there yet: leave it out",
				 quals[i].name);
	}
	return set_trace(o, arg, f);
}

static int set_successful(struct opts *o, const char *arg, struct fault *f)
{
	(void)arg;
	(void)f;
	o->sel.status = STATUS_SUCCESSFUL;
	return 0;
}

static int set_failed(struct opts *o, const char *arg, struct fault *f)
{
	(void)arg;
	(void)f;
	o->sel.status = STATUS_FAILED;
	return 0;
}

static int set_detach_on(struct opts *o, const char *arg, struct fault *f)
{
	if (strcmp(arg, "execve"))
		return fault_set(f, ST_USAGE, "-b %s: only execve can be given",
				 arg);
	o->sel.detach_on_exec = true;
	return 0;
}

static int set_func(struct opts *o, const char *arg, struct fault *f)
{
	const char **p = realloc(o->sel.funcs,
				 (o->sel.nfuncs + 1) * sizeof(*p));

	if (!p)
		return fault_set(f, ST_USAGE, "out of memory");
	o->sel.funcs = p;
	p[o->sel.nfuncs++] = arg;
	return 0;
}

static int set_event(struct opts *o, const char *arg, struct fault *f)
{
	const char *bad;
	uint64_t mask;
	size_t n;

	if (ev_parse_mask(arg, &mask, &bad, &n))
		return fault_set(f, ST_USAGE, "unknown event '%.*s': `ktrctl events` shows those there are",
				 (int)n, bad);
	o->sel.events |= mask;
	o->out.show |= mask;
	return 0;
}

static int set_filter(struct opts *o, const char *arg, struct fault *f)
{
	return filter_add(&o->sel.filter, arg, f);
}

static int set_errno(struct opts *o, const char *arg, struct fault *f)
{
	return filter_add_errno(&o->sel.filter, arg, f);
}

static int set_pid(struct opts *o, const char *arg, struct fault *f)
{
	return pidlist_parse(&o->sel.pids, arg, f);
}

static int set_follow(struct opts *o, const char *arg, struct fault *f)
{
	(void)arg;
	(void)f;
	o->sel.follow = true;
	o->out.follow = true;
	if (++o->nfollow > 1)
		o->out.separate = true;
	return 0;
}

static int set_buffer(struct opts *o, const char *arg, struct fault *f)
{
	int err = size_parse(&o->sel.buffer, arg, f);

	if (!err &&
	    (o->sel.buffer < KTR_BUF_MIN || o->sel.buffer > KTR_BUF_MAX))
		err = fault_set(f, ST_USAGE, "--buffer %s: use 4K to 1G per CPU",
				arg);
	return err;
}

static int set_mode(struct opts *o, const char *arg, struct fault *f)
{
	if (!strcmp(arg, "discard"))
		o->sel.mode = KTR_MODE_DISCARD;
	else if (!strcmp(arg, "overwrite"))
		o->sel.mode = KTR_MODE_OVERWRITE;
	else
		return fault_set(f, ST_USAGE, "--mode %s: use discard or overwrite",
				 arg);
	return 0;
}

static int set_for(struct opts *o, const char *arg, struct fault *f)
{
	return time_parse(&o->sel.for_ns, arg, f);
}

static int set_limit(struct opts *o, const char *arg, struct fault *f)
{
	unsigned int n;
	int err = number("--limit", arg, 4000000000, &n, f);

	if (!err && !n)
		return fault_set(f, ST_USAGE, "--limit 0 shows nothing: use 1 or more");
	o->sel.limit = n;
	return err;
}

static int set_file(struct opts *o, const char *arg, struct fault *f)
{
	if (!*arg)
		return fault_set(f, ST_USAGE, "-o: the name of a file is missing");
	o->out.file = arg;
	return 0;
}

static int set_stamp(struct opts *o, const char *arg, struct fault *f)
{
	(void)arg;
	(void)f;
	if (o->out.stamp < STAMP_EPOCH)
		o->out.stamp++;
	return 0;
}

static int set_strsize(struct opts *o, const char *arg, struct fault *f)
{
	return number("-s", arg, KTR_CAP_MAX / 2, &o->view.strsize, f);
}

static int set_hex(struct opts *o, const char *arg, struct fault *f)
{
	(void)arg;
	(void)f;
	if (o->view.hexstr < 2)
		o->view.hexstr++;
	return 0;
}

static int set_xlat(struct opts *o, const char *arg, struct fault *f)
{
	if (!strcmp(arg, "raw"))
		o->view.xlat = VIEW_RAW;
	else if (!strcmp(arg, "abbrev"))
		o->view.xlat = VIEW_ABBREV;
	else if (!strcmp(arg, "verbose"))
		o->view.xlat = VIEW_VERBOSE;
	else
		return fault_set(f, ST_USAGE, "-X %s: use raw, abbrev or verbose",
				 arg);
	return 0;
}

static int set_column(struct opts *o, const char *arg, struct fault *f)
{
	return number("-a", arg, 1000, &o->view.col, f);
}

static int set_quiet(struct opts *o, const char *arg, struct fault *f)
{
	if (arg)
		return set_quiet_list(o, arg, f);
	o->out.quiet++;
	return 0;
}

static int set_format(struct opts *o, const char *arg, struct fault *f)
{
	if (strcmp(arg, "json") && strcmp(arg, "strace"))
		return fault_set(f, ST_USAGE, "--format %s is not there: use strace or json",
				 arg);
	o->out.json = !strcmp(arg, "json");
	return 0;
}

static int set_session(struct opts *o, const char *arg, struct fault *f)
{
	const char *p;

	if (!*arg || strlen(arg) >= KTR_NAME_MAX)
		return fault_set(f, ST_USAGE, "-s: a session's name has 1 to %d bytes",
				 KTR_NAME_MAX - 1);
	for (p = arg; *p; p++)
		if (*p == '/' || (unsigned char)*p < ' ' || *p == 127)
			return fault_set(f, ST_USAGE, "-s: a session's name has no '/' and no control characters");
	o->session = arg;
	return 0;
}

static int set_env(struct opts *o, const char *arg, struct fault *f)
{
	const char **p = realloc(o->env, (o->nenv + 1) * sizeof(*p));

	if (!p)
		return fault_set(f, ST_USAGE, "out of memory");
	o->env = p;
	p[o->nenv++] = arg;
	return 0;
}

/* Of two with the same letter the first whose class the command has counts. */
static const struct opt table[] = {
	{ 'e', "expr", "EXPR", OC_SELECT, set_expr, 0, "trace=SET, signal=SET or status=SET, as strace's" },
	{ 0, "trace", "SET", OC_SELECT, set_trace, 0, "syscalls: names, %class, /regex, ! in front: all but" },
	{ 0, "signal", "SET", OC_SELECT, set_signal, 0, "signals, by name or number" },
	{ 0, "status", "SET", OC_SELECT, set_status, 0, "calls that ended so: successful, failed, unfinished" },
	{ 'z', "successful-only", NULL, OC_SELECT, set_successful, 0, "calls that returned without an error" },
	{ 'Z', "failed-only", NULL, OC_SELECT, set_failed, 0, "calls that returned an error" },
	{ 0, "func", "PATTERN", OC_SELECT, set_func, 0, "kernel functions, a glob, module:glob" },
	{ 0, "event", "KINDS", OC_SELECT, set_event, 0, "these kinds or groups too, see `ktrctl events`" },
	{ 0, "filter", "EXPR", OC_SELECT, set_filter, 0, "calls for which this holds, such as 'ret < 0 && dur > 1ms'" },
	{ 0, "errno", "SET", OC_SELECT, set_errno, 0, "calls that failed with one of these errors" },
	{ 'p', "attach", "PIDS", OC_ATTACH, set_pid, 0, "running processes: numbers with commas or blanks" },
	{ 0, "pid", "PIDS", OC_ATTACH | OC_PID, set_pid, 0, "the same" },
	{ 'f', "follow-forks", NULL, OC_STRACE | OC_PID, set_follow, 0, "children and threads too; twice: a file for each" },
	{ 'F', NULL, NULL, OC_STRACE, set_follow, 0, "the same" },
	{ 0, "output-separately", NULL, OC_STRACE, FLAG(out.separate), "a file for each thread: FILE.TID" },
	{ 'b', "detach-on", "execve", OC_STRACE, set_detach_on, 0, "let go of a process that runs another program" },
	{ 0, "descend", NULL, OC_ATTACH | OC_PID, FLAG(sel.descend), "children that are there already too" },
	{ 0, "buffer", "SIZE", OC_BUFFER, set_buffer, 0, "size of one CPU's ring (4M)" },
	{ 0, "big", NULL, OC_BUFFER, FLAG(sel.big), "let all rings together pass the module's limit" },
	{ 0, "mode", "MODE", OC_BUFFER, set_mode, 0, "discard: keep the oldest; overwrite: keep the newest" },
	{ 0, "for", "TIME", OC_LIMITS, set_for, 0, "end after this time, such as 2s" },
	{ 0, "limit", "N", OC_LIMITS, set_limit, 0, "end after this many events" },
	{ 0, "fail-on-loss", NULL, OC_LIMITS, FLAG(sel.fail_on_loss), "exit status 1 if anything was lost" },
	{ 'E', "env", "VAR[=VAL]", OC_CHILD, set_env, 0, "set or unset a variable for the command" },
	{ 'o', "output", "FILE", OC_OUT, set_file, 0, "write to FILE; '|cmd': to a command" },
	{ 'A', "output-append-mode", NULL, OC_OUT, FLAG(out.append), "append to FILE" },
	{ 't', "absolute-timestamps", NULL, OC_VIEW, set_stamp, 0, "time of day; twice: with microseconds; three times: seconds since 1970" },
	{ 'r', "relative-timestamps", NULL, OC_VIEW, FLAG(out.relative), "time since the line before" },
	{ 'T', "syscall-times", NULL, OC_VIEW, FLAG(out.duration), "time spent in the call" },
	{ 'n', "syscall-number", NULL, OC_VIEW, FLAG(out.number), "numbers of the calls" },
	{ 's', NULL, "N", OC_STRACE, set_strsize, 0, "bytes of a string to show (32)" },
	{ 0, "string-limit", "N", OC_VIEW, set_strsize, 0, "the same" },
	{ 'v', "no-abbrev", NULL, OC_VIEW, FLAG(view.verbose), "structs, arguments and environment whole" },
	{ 'x', NULL, NULL, OC_VIEW, set_hex, 0, "odd bytes in hex; twice: all" },
	{ 'X', "const-print-style", "STYLE", OC_VIEW, set_xlat, 0, "flags as raw numbers, abbrev (names) or verbose (both)" },
	{ 'a', "columns", "N", OC_VIEW, set_column, 0, "column of the results (40)" },
	{ 'q', NULL, NULL, OC_VIEW, set_quiet, 0, "no lines on attaching; twice: nor on exits" },
	{ 0, "quiet", "[SET]", OC_VIEW, set_quiet, 0, "attach, exit or all: none of these lines" },
	{ 0, "json", NULL, OC_VIEW | OC_JSON, FLAG(out.json), "one JSON object per line" },
	{ 0, "format", "FORM", OC_VIEW, set_format, 0, "strace or json" },
	{ 's', "session", "NAME", OC_SESSION, set_session, 0, "the session (default)" },
	{ 0, "mine", NULL, OC_SESSIONS, FLAG(mine), "all sessions of this user" },
	{ 0, "all", NULL, OC_SESSIONS, FLAG(all), "all sessions" },
	{ 'f', "follow", NULL, OC_TAIL, FLAG(tail), "keep on as events come" },
	{ 0, "seccomp-bpf", NULL, OC_STRACE, FLAG(ignored), "without effect: calls not selected cost nothing here" },

	{ 'c', "summary-only", NULL, OC_STRACE, FLAG(out.summary), "counts and times per call in the place of lines" },
	{ 'w', "summary-wall-clock", NULL, OC_STRACE, FLAG(ignored), "with -c: without effect, times are always the calls' durations" },

	/* strace's, for which there is nothing here yet. */
	{ 'C', "summary", NULL, OC_TRACE, MISSING, NULL },
	{ 'S', "summary-sort-by", "KEY", OC_TRACE, MISSING, NULL },
	{ 'U', "summary-columns", "COLUMNS", OC_TRACE, MISSING, NULL },
	{ 'O', "summary-syscall-overhead", "TIME", OC_TRACE, MISSING, NULL },
	{ 'd', "debug", NULL, OC_TRACE, MISSING, NULL },
	{ 'D', "daemonize", NULL, OC_TRACE, MISSING, NULL },
	{ 'i', "instruction-pointer", NULL, OC_TRACE, MISSING, NULL },
	{ 'k', "stack-traces", NULL, OC_TRACE, MISSING, NULL },
	{ 'I', "interruptible", "N", OC_STRACE, MISSING, NULL },
	{ 'P', "trace-path", "PATH", OC_STRACE, MISSING, NULL },
	{ 'u', "user", "NAME", OC_STRACE, MISSING, NULL },
	{ 'y', "decode-fds", NULL, OC_TRACE, MISSING, NULL },
	{ 'Y', "decode-pids", NULL, OC_TRACE, MISSING, NULL },
	{ 0, "inject", "SET", OC_STRACE, MISSING, NULL },
	{ 0, "fault", "SET", OC_STRACE, MISSING, NULL },
	{ 0, "raw", "SET", OC_TRACE, MISSING, NULL },
	{ 0, "read", "SET", OC_TRACE, MISSING, NULL },
	{ 0, "write", "SET", OC_TRACE, MISSING, NULL },
	{ 0, "abbrev", "SET", OC_TRACE, MISSING, NULL },
	{ 0, "verbose", "SET", OC_TRACE, MISSING, NULL },
	{ 0, "tips", NULL, OC_TRACE, MISSING, NULL },
};

#define HELP_COL 34
#define NOPTS (sizeof(table) / sizeof(table[0]))

void opts_init(struct opts *o)
{
	static const struct view view = VIEW_DEFAULT;

	memset(o, 0, sizeof(*o));
	select_init(&o->sel);
	o->view = view;
}

void opts_free(struct opts *o)
{
	select_free(&o->sel);
	free(o->env);
	opts_init(o);
}

static bool has_short(const char *list, char c)
{
	return strchr(list, c) != NULL;
}

/* Both spellings in getopt's form; a long option's value is its row + 256. */
static void make_lists(unsigned int classes, char *shorts, struct option *longs)
{
	char *p = shorts;
	size_t i;

	if (classes & OC_REST)
		*p++ = '+';
	*p++ = ':';
	*p = '\0';
	for (i = 0; i < NOPTS; i++) {
		if (!(table[i].classes & classes))
			continue;
		if (table[i].c && !has_short(shorts, table[i].c)) {
			*p++ = table[i].c;
			if (table[i].arg)
				*p++ = ':';
			*p = '\0';
		}
		if (!table[i].name)
			continue;
		*longs++ = (struct option){
			.name = table[i].name,
			.has_arg = !table[i].arg ? no_argument :
				   *table[i].arg == '[' ? optional_argument :
				   required_argument,
			.val = 256 + i,
		};
	}
	memset(longs, 0, sizeof(*longs));
}

static const struct opt *find(unsigned int classes, int c)
{
	size_t i;

	if (c >= 256)
		return &table[c - 256];
	for (i = 0; i < NOPTS; i++)
		if (table[i].classes & classes && table[i].c == c)
			return &table[i];
	return NULL;
}

static int refuse(const char *cmd, int c, char **argv, struct fault *f)
{
	if (c == ':')
		return fault_set(f, ST_USAGE, "option %s needs a value: see `ktrctl help %s`",
				 argv[optind - 1], cmd);
	if (optopt && optopt < 256)
		return fault_set(f, ST_USAGE, "unknown option -%c: see `ktrctl help %s`",
				 optopt, cmd);
	return fault_set(f, ST_USAGE, "unknown option %s: see `ktrctl help %s`",
			 argv[optind - 1], cmd);
}

static int apply(struct opts *o, const struct opt *opt, const char *arg,
		 struct fault *f)
{
	if (opt->set)
		return opt->set(o, arg, f);
	if (opt->flag) {
		*(bool *)((char *)o + opt->flag) = true;
		return 0;
	}
	if (opt->c)
		return fault_set(f, ST_USAGE, "option -%c of strace is not there yet: leave it out",
				 opt->c);
	return fault_set(f, ST_USAGE, "option --%s of strace is not there yet: leave it out",
			 opt->name);
}

/* What one option alone cannot know. */
static int check(struct opts *o, struct fault *f)
{
	int err = 0;

	if (o->sel.status == STATUS_SUCCESSFUL)
		err = filter_add_failed(&o->sel.filter, false, f);
	else if (o->sel.status == STATUS_FAILED)
		err = filter_add_failed(&o->sel.filter, true, f);
	if (err)
		return err;
	if (o->out.separate && !o->out.file) {
		if (o->nfollow < 2)
			return fault_set(f, ST_USAGE, "--output-separately needs -o FILE");
		o->out.separate = false;	/* as strace: -ff is -f then */
	}
	if (o->out.separate && o->out.summary)
		return fault_set(f, ST_USAGE, "-c and -ff: one table for all, leave out one f");
	if (o->out.separate && (*o->out.file == '|' || *o->out.file == '!'))
		return fault_set(f, ST_USAGE, "-ff goes to files: a command cannot take them");
	return 0;
}

int opts_parse(struct opts *o, unsigned int classes, int argc, char **argv,
	       struct fault *f)
{
	char shorts[2 * NOPTS + 3];
	struct option longs[NOPTS + 1];
	int c, err = 0;

	make_lists(classes, shorts, longs);
	optind = 0;
	opterr = 0;
	while (!err) {
		c = getopt_long(argc, argv, shorts, longs, NULL);
		if (c == -1)
			break;
		if (c == '?' || c == ':')
			err = refuse(argv[0], c, argv, f);
		else
			err = apply(o, find(classes, c), optarg, f);
	}
	if (!err)
		err = check(o, f);
	o->dashes = optind > 1 && !strcmp(argv[optind - 1], "--");
	o->argc = argc - optind;
	o->argv = argv + optind;
	return err;
}

void opts_help(struct buf *b, unsigned int classes)
{
	size_t i, start;

	for (i = 0; i < NOPTS; i++) {
		const struct opt *t = &table[i];

		if (!(t->classes & classes) || !t->help)
			continue;
		start = b->len;
		buf_puts(b, "  ");
		if (t->c)
			buf_printf(b, "-%c", t->c);
		if (t->c && t->name)
			buf_puts(b, ", ");
		if (t->name)
			buf_printf(b, "--%s", t->name);
		if (t->arg)
			buf_printf(b, *t->arg == '[' ? "%s" : " %s", t->arg);
		start = b->len - start;
		buf_pad(b, ' ', start < HELP_COL ? HELP_COL - start : 1);
		buf_puts(b, t->help);
		buf_putc(b, '\n');
	}
}

void opts_each(unsigned int classes, void (*fn)(void *arg, const char *word),
	       void *arg)
{
	char word[64];
	size_t i;

	for (i = 0; i < NOPTS; i++) {
		if (!(table[i].classes & classes) || !table[i].help)
			continue;
		if (table[i].c) {
			snprintf(word, sizeof(word), "-%c", table[i].c);
			fn(arg, word);
		}
		if (table[i].name) {
			snprintf(word, sizeof(word), "--%s", table[i].name);
			fn(arg, word);
		}
	}
}
