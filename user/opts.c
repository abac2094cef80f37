// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of options, and what each does. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "fdset.h"
#include "opts_table.h"
#include "setup.h"

/* Both are 0: strace's, not ours yet. */
#define MISSING NULL, 0
#define FLAG(member) NULL, offsetof(struct opts, member)
/* A file's head with the functions of a pattern may be some ten thousand bytes. */
#define MAX_SIZE_LEAST 65536

static int number(const char *what, const char *arg, unsigned long min,
		  unsigned long max, unsigned int *out, struct fault *f)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(arg, &end, 10);
	if (errno || end == arg || *end || *arg == '-' || v < min || v > max)
		return fault_set(f, ST_USAGE, "invalid %s argument: '%s': use %lu to %lu",
				 what, arg, min, max);
	*out = v;
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

/* strace's -y and -yy */
static int set_fds(struct opts *o, const char *arg, struct fault *f)
{
	(void)arg;
	(void)f;
	o->short_fds = true;
	o->view.decode_fds = o->view.decode_fds ? VIEW_FD_ALL : VIEW_FD_PATH;
	return 0;
}

static int set_decode_fds(struct opts *o, const char *arg, struct fault *f)
{
	o->long_fds = true;
	return fdkinds_parse(&o->view.decode_fds, arg ? arg : "path", f);
}

static int set_dump_read(struct opts *o, const char *arg, struct fault *f)
{
	return fdset_parse(&o->view.dump_read, arg, f);
}

static int set_dump_write(struct opts *o, const char *arg, struct fault *f)
{
	return fdset_parse(&o->view.dump_write, arg, f);
}

static int set_io_limit(struct opts *o, const char *arg, struct fault *f)
{
	return io_limits_parse(&o->view.io, arg, f);
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
		{ "silent", set_quiet_list }, { "silence", set_quiet_list },
		{ "raw", set_raw }, { "x", set_raw },
		{ "verbose", set_verbose }, { "v", set_verbose },
		{ "read", set_dump_read }, { "reads", set_dump_read },
		{ "r", set_dump_read }, { "write", set_dump_write },
		{ "writes", set_dump_write }, { "w", set_dump_write }, { "fault", set_fault },
		{ "inject", set_inject }, { "kvm", set_kvm }, { "decode-fds", set_decode_fds },
		{ "decode-fd", set_decode_fds }, { "decode-pids", set_decode_pids },
		{ "decode-pid", set_decode_pids },
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
		return fault_set(f, ST_USAGE, "Syscall '%s' for -b isn't supported: use execve",
				 arg);
	o->sel.detach_on_exec = true;
	return 0;
}

static int append(const char ***list, size_t *n, const char *arg, struct fault *f)
{
	const char **p = realloc(*list, (*n + 1) * sizeof(*p));

	if (!p)
		return fault_set(f, ST_USAGE, "out of memory");
	*list = p;
	p[(*n)++] = arg;
	return 0;
}

static int set_func(struct opts *o, const char *arg, struct fault *f)
{
	return append(&o->sel.funcs, &o->sel.nfuncs, arg, f);
}

static int set_graph(struct opts *o, const char *arg, struct fault *f)
{
	return append(&o->sel.graphs, &o->sel.ngraphs, arg, f);
}

static int set_exclude(struct opts *o, const char *arg, struct fault *f)
{
	if (strchr(arg, '!'))
		return fault_set(f, ST_USAGE, "--graph-exclude %s: it takes away itself: leave out the '!'",
				 arg);
	return append(&o->sel.fn.exclude, &o->sel.fn.nexclude, arg, f);
}

static int set_depth(struct opts *o, const char *arg, struct fault *f)
{
	return number(o->spelled, arg, 1, 256, &o->sel.fn.depth, f);
}

static int set_ret(struct opts *o, const char *arg, struct fault *f)
{
	if (arg && strcmp(arg, "only"))
		return fault_set(f, ST_USAGE, "--ret=%s: use --ret, or --ret=only for returns without entries",
				 arg);
	o->sel.fn.ret = arg ? FUNC_RETURNS_ONLY : FUNC_RETURNS;
	return 0;
}

static int set_args(struct opts *o, const char *arg, struct fault *f)
{
	struct args_wanted *a = &o->sel.fn.args;

	a->args = true;
	if (!arg)
		return 0;
	if (args_check(arg, &a->raw, f))
		return -EINVAL;
	return append(&a->specs, &a->nspecs, arg, f);
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

static int set_path(struct opts *o, const char *arg, struct fault *f)
{
	int err = o->sel.paths.n ? 0 : filter_add_paths(&o->sel.filter, f);

	return err ?: pathlist_add(&o->sel.paths, arg, f);
}

static int set_errno(struct opts *o, const char *arg, struct fault *f)
{
	return filter_add_errno(&o->sel.filter, arg, f);
}

static int set_pid(struct opts *o, const char *arg, struct fault *f)
{
	return pidlist_parse(&o->sel.pids, arg, f);
}

/* Many at once: and what they make, each line with whose it is. */
static void follow_whom(struct opts *o)
{
	o->sel.follow = true;
	o->out.follow = true;
}

static int set_pgid(struct opts *o, const char *arg, struct fault *f)
{
	follow_whom(o);
	return whom_group(&o->sel.whom, arg, f);
}

static int set_uid(struct opts *o, const char *arg, struct fault *f)
{
	follow_whom(o);
	return whom_user(&o->sel.whom, arg, f);
}

static int set_cgroup(struct opts *o, const char *arg, struct fault *f)
{
	follow_whom(o);
	return whom_cgroup(&o->sel.whom, arg, f);
}

static int set_all(struct opts *o, const char *arg, struct fault *f)
{
	(void)arg;
	follow_whom(o);
	return whom_all(&o->sel.whom, f);
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
	int err = size_parse(&o->sel.buffer, o->spelled, arg, f);

	if (!err &&
	    (o->sel.buffer < KTR_BUF_MIN || o->sel.buffer > KTR_BUF_MAX))
		err = fault_set(f, ST_USAGE, "invalid --buffer argument: '%s': use 4K to 1G for each CPU",
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
	return time_parse(&o->sel.for_ns, o->spelled, arg, f);
}

static int set_interval(struct opts *o, const char *arg, struct fault *f)
{
	return time_parse(&o->out.sum.interval_ns, o->spelled, arg, f);
}

static int set_limit(struct opts *o, const char *arg, struct fault *f)
{
	unsigned int n;
	int err = number(o->spelled, arg, 1, 4000000000, &n, f);

	if (!err)
		o->sel.limit = n;
	return err;
}

static int set_max_size(struct opts *o, const char *arg, struct fault *f)
{
	int err = size_parse(&o->sel.max_size, o->spelled, arg, f);

	if (!err && o->sel.max_size < MAX_SIZE_LEAST)
		err = fault_set(f, ST_USAGE, "--max-size %s: use 64K or more", arg);
	return err;
}

static int set_file(struct opts *o, const char *arg, struct fault *f)
{
	if (!*arg)
		return fault_set(f, ST_USAGE, "Can't fopen '': No such file or directory: -o needs a name");
	o->out.file = arg;
	return 0;
}

#define STRSIZE_MAX (UINT32_MAX / 4)	/* strace's */

static int set_strsize(struct opts *o, const char *arg, struct fault *f)
{
	int err = number(o->spelled, arg, 0, STRSIZE_MAX, &o->view.strsize, f);

	/* strace's users say -s 99999 and mean all. */
	if (!err && o->view.strsize > KTR_CAP_MAX / 2)
		o->view.strsize = KTR_CAP_MAX / 2;
	return err;
}

static int set_column(struct opts *o, const char *arg, struct fault *f)
{
	return number(o->spelled, arg, 0, INT32_MAX, &o->view.col, f);
}

static int set_format(struct opts *o, const char *arg, struct fault *f)
{
	if (strcmp(arg, "json") && strcmp(arg, "strace") && strcmp(arg, "kdump") &&
	    strcmp(arg, "folded") && strcmp(arg, "ftrace"))
		return fault_set(f, ST_USAGE, "--format %s is not there: use strace, kdump, ftrace, folded or json",
				 arg);
	o->out.folded = !strcmp(arg, "folded");
	o->out.as_ftrace = !strcmp(arg, "ftrace");
	o->out.as_kdump = !strcmp(arg, "kdump");
	o->out.json = !strcmp(arg, "json");
	return 0;
}

static int set_session(struct opts *o, const char *arg, struct fault *f)
{
	const char *p;

	if (!*arg || strlen(arg) >= KTR_NAME_MAX)
		return fault_set(f, ST_USAGE, "-s: a session's name has 1 to %d bytes",
				 KTR_NAME_MAX - 1);
	if (*arg == '#')
		return fault_set(f, ST_USAGE, "-s: a session's name does not begin with '#', which stands for a number");
	for (p = arg; *p; p++)
		if (*p == '/' || (unsigned char)*p < ' ' || *p == 127)
			return fault_set(f, ST_USAGE, "-s: a session's name has no '/' and no control characters");
	o->session = arg;
	return 0;
}

static int set_detach(struct opts *o, const char *arg, struct fault *f)
{
	const char *was = o->session;
	int err = set_session(o, arg, f);

	o->detach = o->session;
	o->session = was;
	return err;
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

static int set_user(struct opts *o, const char *arg, struct fault *f)
{
	(void)f;
	o->user = arg;
	return 0;
}

static int set_daemon(struct opts *o, const char *arg, struct fault *f)
{
	(void)arg;
	if (++o->ndaemon > 3)
		return fault_set(f, ST_USAGE, "Too many -D's (%u), maximum supported -D count is 3",
				 o->ndaemon);
	return 0;
}

static int set_daemon_form(struct opts *o, const char *arg, struct fault *f)
{
	static const struct {
		const char *name;
		unsigned int level;
	} forms[] = {
		{ "grandchild", 1 }, { "pgroup", 2 }, { "pgrp", 2 },
		{ "session", 3 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!arg || !strcmp(forms[i].name, arg)) {
			o->ndaemon = forms[i].level;
			return 0;
		}
	return fault_set(f, ST_USAGE, "invalid --daemonize argument: '%s': use grandchild, pgroup or session",
			 arg);
}

static int set_interruptible(struct opts *o, const char *arg, struct fault *f)
{
	static const char *const forms[] = {
		"anywhere", "waiting", "never", "never_tstp",
	};
	unsigned int i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!strcmp(forms[i], arg) ||
		    (arg[0] == (char)('1' + i) && !arg[1])) {
			o->interruptible = i + 1;
			return 0;
		}
	return fault_set(f, ST_USAGE, "invalid %s argument: '%s': use 1 to 4",
			 o->spelled, arg);
}

static int set_sort(struct opts *o, const char *arg, struct fault *f)
{
	return sum_sort_parse(&o->out.sum, arg, f);
}

static int set_columns(struct opts *o, const char *arg, struct fault *f)
{
	return sum_cols_parse(&o->out.sum, arg, f);
}

static int set_by(struct opts *o, const char *arg, struct fault *f)
{
	return sum_by_parse(&o->out.sum, arg, f);
}

static int set_overhead(struct opts *o, const char *arg, struct fault *f)
{
	return usec_parse(&o->out.sum.overhead_ns, o->spelled, arg, f);
}

/* Of two with the same letter the first whose class the command has counts. */
const struct opt opts_table[] = {
	{ 'e', "expr", "EXPR", OC_SELECT, set_expr, 0, "trace=SET, signal=SET or status=SET, as strace's" },
	{ 0, "trace", "SET", OC_SELECT, set_trace, 0, "syscalls: names, %class, /regex, ! in front: all but" },
	{ 0, "signal", "SET", OC_SELECT, set_signal, 0, "signals, by name or number" },
	{ 0, "status", "SET", OC_SELECT, set_status, 0, "calls that ended so: successful, failed, unfinished" },
	{ 'z', "successful-only", NULL, OC_SELECT, set_successful, 0, "calls that returned without an error" },
	{ 'Z', "failed-only", NULL, OC_SELECT, set_failed, 0, "calls that returned an error" },
	{ 0, "func", "PATTERN", OC_SELECT, set_func, 0, "kernel functions, a glob, module:glob" },
	{ 0, "graph", "PATTERN", OC_SELECT, set_graph, 0, "kernel functions and all that they call, nested" },
	{ 0, "graph", NULL, OC_FUNC, FLAG(sel.fn.graph), "and all that they call, nested" },
	{ 0, "depth", "N", OC_SELECT | OC_FUNC, set_depth, 0, "of a graph no more than N calls below each other" },
	{ 0, "graph-exclude", "PATTERN", OC_SELECT | OC_FUNC, set_exclude, 0, "functions to be left out of graphs" },
	{ 0, "args", "[=FUNC(ARG,...)]", OC_SELECT | OC_FUNC, set_args, 0, "arguments of functions; of FUNC these, ARG->MEMBER too" },
	{ 0, "ret", "[=only]", OC_SELECT | OC_FUNC, set_ret, 0, "returns of functions too: result, duration; =only: no entries" },
	{ 'k', NULL, NULL, OC_SELECT | OC_MAKE, set_ustack, 0, "with each event the program's stack, by its frame pointers" },
	{ 0, "stack-traces", "[=N|dwarf]", OC_SELECT | OC_MAKE, set_ustack, 0, "the same, N frames at most (32); or by the unwind tables of its files" },
	{ 0, "kstack", "[=N]", OC_SELECT | OC_MAKE, set_kstack, 0, "with each event the kernel's stack, N frames at most (32)" },
	{ 0, "event", "KINDS", OC_SELECT, set_event, 0, "these kinds or groups too, see `ktrctl events`" },
	{ 0, "filter", "EXPR", OC_SELECT | OC_MAKE | OC_FILTER, set_filter, 0, "calls for which this holds, such as 'ret < 0 && dur > 1ms'" },
	{ 0, "errno", "SET", OC_SELECT | OC_MAKE | OC_FILTER, set_errno, 0, "calls that failed with one of these errors" },
	{ 'P', "trace-path", "PATH", OC_BUFFER, set_path, 0, "calls that have to do with PATH; with / at the end: with all below it" },
	{ 'p', "attach", "PIDS", OC_ATTACH, set_pid, 0, "running processes: numbers with commas or blanks" },
	{ 0, "pid", "PIDS", OC_ATTACH | OC_PID, set_pid, 0, "running processes: numbers with commas or blanks" },
	{ 'f', "follow-forks", NULL, OC_STRACE | OC_PID, set_follow, 0, "children and threads too; twice, with -o: a file for each" },
	{ 'F', NULL, NULL, OC_STRACE, set_follow, 0, "the same" },
	{ 0, "output-separately", NULL, OC_STRACE, FLAG(out.separate), "a file for each thread: FILE.TID" },
	{ 'b', "detach-on", "execve", OC_STRACE, set_detach_on, 0, "let go of a process that runs another program" },
	{ 0, "descend", NULL, OC_ATTACH | OC_PID, FLAG(sel.descend), "children that are there already too" },
	{ 0, "pgid", "PGID", OC_PID, set_pgid, 0, "all processes of a group, and those they make" },
	{ 0, "uid", "USER", OC_PID, set_uid, 0, "all processes of a user, by name or number, and those they make" },
	{ 0, "cgroup", "DIR", OC_PID, set_cgroup, 0, "all processes in a cgroup or below it, and those they make" },
	{ 0, "all", NULL, OC_PID, set_all, 0, "all tasks there are, and those they make" },
	{ 0, "self", NULL, OC_ATTACH, FLAG(sel.self), "ktrctl's own calls too, if it is among the processes" },
	{ 0, "buffer", "SIZE", OC_BUFFER | OC_MAKE, set_buffer, 0, "size of one CPU's ring (4M)" },
	{ 0, "big", NULL, OC_BUFFER | OC_MAKE, FLAG(sel.big), "let all rings together pass the module's limit" },
	{ 0, "mode", "MODE", OC_BUFFER | OC_MAKE, set_mode, 0, "discard: keep the oldest; overwrite: keep the newest" },
	{ 0, "for", "TIME", OC_LIMITS, set_for, 0, "end after this time: 500ms, 2s, 5m; a number alone is of seconds" },
	{ 0, "limit", "N", OC_LIMITS, set_limit, 0, "end after this many events" },
	{ 0, "max-size", "SIZE", OC_RECORD, set_max_size, 0, "end before the file is larger than this" },
	{ 0, "fail-on-loss", NULL, OC_LIMITS, FLAG(sel.fail_on_loss), "exit status 1 if anything was lost" },
	{ 'E', "env", "VAR[=VAL]", OC_CHILD, set_env, 0, "set or unset a variable for the command" },
	{ 'u', "user", "NAME", OC_CHILD, set_user, 0, "run the command as this user" },
	{ 'D', NULL, NULL, OC_CHILD, set_daemon, 0, "trace from a grandchild; twice: in a process group, three times: a session of its own" },
	{ 0, "daemonize", "[=HOW]", OC_CHILD, set_daemon_form, 0, "grandchild, pgroup or session" },
	{ 'I', "interruptible", "N", OC_STRACE, set_interruptible, 0, "3, 4: signals do not end the trace" },
	{ 'h', "help", NULL, OC_STRACE, FLAG(help), NULL },
	{ 'V', "version", NULL, OC_STRACE, FLAG(version), NULL },
	{ 0, "detach", "NAME", OC_RECORD, set_detach, 0, "let the module write the file, in a session of this name, and go" },
	{ 'o', "output", "FILE", OC_OUT, set_file, 0, "write to FILE; '|cmd': to a command" },
	{ 'A', "output-append-mode", NULL, OC_OUT, FLAG(out.append), "append to FILE" },
	{ 't', NULL, NULL, OC_VIEW, set_stamp, 0, "time of day; twice: with microseconds; three times: seconds since 1970" },
	{ 0, "absolute-timestamps", "[=FORM]", OC_VIEW, set_stamp_form, 0, "none, time or unix, and s, ms, us or ns" },
	{ 0, "timestamps", "[=FORM]", OC_VIEW, set_stamp_form, 0, NULL },
	{ 'r', NULL, NULL, OC_VIEW, set_relative, 0, "time since the line before" },
	{ 0, "relative-timestamps", "[=UNIT]", OC_VIEW, set_relative, 0, "the same in s, ms, us or ns" },
	{ 'T', NULL, NULL, OC_VIEW, set_duration, 0, "time spent in the call" },
	{ 0, "syscall-times", "[=UNIT]", OC_VIEW, set_duration, 0, "the same in s, ms, us or ns" },
	{ 0, "always-show-pid", NULL, OC_VIEW, FLAG(out.show_pid), "whose line it is, also of one process alone" },
	{ 'n', "syscall-number", NULL, OC_VIEW, FLAG(out.number), "numbers of the calls" },
	{ 'i', "instruction-pointer", NULL, OC_TRACE, FLAG(view.ip), "where the call was made; to be given to record too" },
	{ 's', NULL, "N", OC_STRACE, set_strsize, 0, "bytes of a string to show (32)" },
	{ 0, "string-limit", "N", OC_VIEW, set_strsize, 0, "the same" },
	{ 0, "string-limit", "N", OC_MAKE, set_strsize, 0, "bytes of a string to record (32)" },
	{ 'v', "no-abbrev", NULL, OC_VIEW | OC_RECORD, FLAG(view.verbose), "structs, lists, arguments, environment whole; at the end counts of threads" },
	{ 'x', NULL, NULL, OC_VIEW, set_hex, 0, "strings with odd bytes in hex; twice: all" },
	{ 0, "strings-in-hex", "[=WHICH]", OC_VIEW, set_hex_form, 0, "all, non-ascii or non-ascii-chars" },
	{ 'X', "const-print-style", "STYLE", OC_VIEW, set_xlat, 0, "flags as raw numbers, abbrev (names) or verbose (both)" },
	{ 'y', NULL, NULL, OC_TRACE | OC_PID, set_fds, 0, "what descriptors refer to; twice: sockets, devices, pidfds in detail" },
	{ 0, "decode-fds", "[=SET]", OC_TRACE | OC_PID, set_decode_fds, 0, "path, socket, dev, pidfd, all or none of that" },
	{ 'Y', NULL, NULL, OC_VIEW, FLAG(view.comms), "names of processes behind their numbers" },
	{ 0, "decode-pids", "SET", OC_VIEW, set_decode_pids, 0, "comm: the same; none" },
	{ 0, "read", "SET", OC_TRACE, set_dump_read, 0, "below a call, all that it read from these descriptors" },
	{ 0, "write", "SET", OC_TRACE, set_dump_write, 0, "all that it wrote to these" },
	{ 0, "io-limit", "LIMITS", OC_BUFFER | OC_PID, set_io_limit, 0, "bytes of I/O to keep: N, file=N, socket=N, netlink=N, pipe=N, char=N, other=N" },
	{ 'a', "columns", "N", OC_VIEW, set_column, 0, "column of the results (40)" },
	{ 'q', NULL, NULL, OC_VIEW | OC_RECORD, set_quiet, 0, "no lines on attaching; twice: nor on exits; three times: none of the kind" },
	{ 0, "quiet", "[=SET]", OC_VIEW | OC_RECORD, set_quiet_list, 0, "attach, exit, path-resolution, personality, thread-execve or all: none of these lines" },
	{ 0, "silent", "[=SET]", OC_VIEW | OC_RECORD, set_quiet_list, 0, "the same" },
	{ 0, "silence", "[=SET]", OC_VIEW | OC_RECORD, set_quiet_list, 0, NULL },
	{ 0, "raw", "SET", OC_VIEW, set_raw, 0, "arguments of these calls as numbers" },
	{ 0, "abbrev", "SET", OC_VIEW, set_abbrev, 0, "structs and lists of these calls shortened (all)" },
	{ 0, "verbose", "SET", OC_VIEW, set_verbose, 0, "structs of these calls, not their addresses (all)" },
	{ 0, "json", NULL, OC_VIEW | OC_JSON, FLAG(out.json), "one JSON object per line" },
	{ 0, "format", "FORM", OC_VIEW, set_format, 0, "strace, kdump, ftrace (functions), folded (stacks and how often) or json" },
	{ 's', "session", "NAME", OC_SESSION, set_session, 0, "the session (default)" },
	{ 0, "mine", NULL, OC_SESSIONS, FLAG(mine), "all sessions of this user" },
	{ 0, "all", NULL, OC_SESSIONS, FLAG(all), "all sessions" },
	{ 'f', "follow", NULL, OC_TAIL, FLAG(tail), "keep on as events come" },
	{ 0, "seccomp-bpf", NULL, OC_STRACE, FLAG(ignored), "without effect: calls not selected cost nothing here" },
	{ 0, "tips", "[=FORM]", OC_STRACE, FLAG(ignored), NULL },
	{ 0, "inject", "SET", OC_STRACE, set_inject, 0, NULL },
	{ 0, "fault", "SET", OC_STRACE, set_fault, 0, NULL },
	{ 0, "kvm", "WHAT", OC_STRACE, set_kvm, 0, NULL },

	{ 'c', "summary-only", NULL, OC_SUM, FLAG(out.sum.only), "counts and times per call in the place of lines" },
	{ 'C', "summary", NULL, OC_SUM, FLAG(out.sum.also), "the same behind the lines" },
	{ 'w', "summary-wall-clock", NULL, OC_SUM, FLAG(out.sum.wall), "count wall time, not CPU time" },
	{ 'S', "summary-sort-by", "KEY", OC_SUM, set_sort, 0, "time, min-time, max-time, avg-time, calls, errors, name or nothing" },
	{ 'U', "summary-columns", "LIST", OC_SUM, set_columns, 0, "time-percent, total-time, min-time, max-time, avg-time, calls, errors, name, cpu-time" },
	{ 'O', "summary-syscall-overhead", "TIME", OC_SUM, set_overhead, 0, "take this off each call (microseconds)" },
	{ 0, "by", "KEY", OC_SUM, set_by, 0, "a table for each pid or tid, or one by call" },
	{ 0, "interval", "TIME", OC_SUM, set_interval, 0, "the counts up to now after each such time, too" },
	{ 0, "hist", NULL, OC_SUM, FLAG(out.sum.hist), "histograms of the calls' times too" },

	/* strace's, for which there is nothing here yet. */
	{ 'd', "debug", NULL, OC_TRACE, MISSING, NULL },
	{ 0, "pidns-translation", NULL, OC_TRACE, MISSING, NULL },
};

const size_t opts_table_n = sizeof(opts_table) / sizeof(opts_table[0]);
