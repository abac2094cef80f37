// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "stdfds.h"

#define OC_RUN (OC_SELECT | OC_ATTACH | OC_PID | OC_BUFFER | OC_LIMITS | OC_STRACE | \
		OC_CHILD | OC_REST)

#define OC_ADD (OC_PID | OC_SESSION | OC_MAKE)

const struct command commands[] = {
	{ "trace", cmd_trace, OC_RUN | OC_VIEW | OC_OUT | OC_SUM, 0, -1,
	  "[-- CMD [ARG...]]", "run CMD, or take running processes (-p), and print their events" },
	{ "record", cmd_record, OC_RUN | OC_OUT | OC_RECORD, 0, -1,
	  "-o FILE [-- CMD [ARG...]]", "the same into a capture file; nothing is formatted" },
	{ "report", cmd_report, OC_SELECT | OC_ATTACH | OC_LIMITS | OC_STRACE | OC_VIEW | OC_OUT |
	  OC_SUM, 1, 1, "FILE", "print a capture file" },
	{ "summary", cmd_summary, OC_RUN | OC_OUT | OC_JSON | OC_SUM, 0, -1,
	  "FILE | -- CMD [ARG...]", "counts and times per call" },
	{ "hist", cmd_hist, OC_RUN | OC_OUT | OC_JSON | OC_SUM, 1, -1,
	  "SET [FILE | -- CMD [ARG...]]", "the same with histograms of the times of some calls" },
	{ "add-func", cmd_add_func, OC_ADD | OC_FUNC, 1, -1,
	  "PATTERN", "add kernel functions to a session" },
	{ "del-func", cmd_add_func, OC_PID | OC_SESSION, 0, -1,
	  "PATTERN", "take them away" },
	{ "add-syscall", cmd_add_syscall, OC_ADD, 1, -1,
	  "SET", "add syscalls to a session" },
	{ "del-syscall", cmd_add_syscall, OC_PID | OC_SESSION, 0, -1,
	  "SET", "take them away" },
	{ "add-signal", cmd_add_signal, OC_ADD, 1, -1,
	  "SET", "add signals to a session" },
	{ "del-signal", cmd_add_signal, OC_PID | OC_SESSION, 0, -1,
	  "SET", "take them away" },
	{ "add-event", cmd_add_event, OC_ADD, 1, -1,
	  "KIND[,KIND...]", "add kinds of events to a session" },
	{ "del-event", cmd_add_event, OC_PID | OC_SESSION, 0, -1,
	  "KIND[,KIND...]", "take them away" },
	{ "read", cmd_read, OC_SESSION | OC_TAIL | OC_VIEW | OC_OUT | OC_LIMITS | OC_SELECT,
	  0, 0, "", "print what a session holds, and consume it" },
	{ "list", cmd_list, OC_JSON, 0, 0, "", "the sessions there are" },
	{ "status", cmd_status, OC_SESSION | OC_JSON, 0, 0,
	  "", "module and sessions, with all counts" },
	{ "start", cmd_start, OC_SESSION | OC_SESSIONS | OC_FILTER, 0, 0, "", "let sessions record" },
	{ "stop", cmd_start, OC_SESSION | OC_SESSIONS, 0, 0, "", "let them pause" },
	{ "clear", cmd_clear, OC_SESSION | OC_SESSIONS, 0, 0, "", "end sessions" },
	{ "funcs", cmd_funcs, 0, 0, 1, "[PATTERN]", "kernel functions that can be traced here" },
	{ "syscalls", cmd_syscalls, OC_JSON, 0, 1, "[SET]", "syscalls and their classes" },
	{ "events", cmd_events, OC_JSON, 0, 0, "", "kinds of events and their fields" },
	{ "check", cmd_check, 0, 0, 0, "", "what this machine has, what is missing, how to get it" },
	{ "mark", cmd_mark, OC_SESSION, 1, -1, "TEXT", "write a marker into the stream" },
	{ "help", cmd_help, 0, 0, 1, "[COMMAND]", "this, or a command's options" },
	{ NULL, NULL, 0, 0, 0, NULL, NULL }
};

/* In one piece: others may write there, too. */
static void say(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		return;
	fprintf(stderr, "ktrctl: %s\n", text);
	free(text);
}

void cmd_message(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

int cmd_fail(const struct fault *f)
{
	cmd_message("%s", f->text);
	return f->status;
}

int cmd_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	return ST_USAGE;
}

void cmd_counts(const struct procs *ps, uint64_t records, uint64_t lost,
		bool threads)
{
	const struct proc_count *c;
	size_t i;

	for (i = 0; threads && i < ps->ncounts; i++) {
		c = &ps->counts[i];
		cmd_message("thread %u (%s): %llu records, lost %llu (%llu of them syscalls)",
			    c->tid, c->comm, (unsigned long long)c->recorded,
			    (unsigned long long)c->lost,
			    (unsigned long long)c->syscalls_lost);
	}
	cmd_message("%llu records, lost %llu", (unsigned long long)records,
		    (unsigned long long)lost);
}

/* Of the shell: there is no such command, or it cannot be run. */
static bool is_not_run(int status)
{
	return status == 126 || status == 127;
}

static const char *place_of(const struct out_opts *opts)
{
	return opts->file ?: opts->to_stdout ? "standard output" : "standard error";
}

int cmd_output(struct out *out)
{
	int unheard = sink_end_pipe(&out->sink);

	if (is_not_run(unheard)) {
		cmd_message("-o '%s': there is no such command to run: what was to be printed is lost",
			    out->opts.file);
		return ST_LOST;
	}
	if (out->sink.error && !out->error)
		out->error = out->sink.error;
	if (!out->error || out->error == EPIPE)
		return ST_OK;
	cmd_message("cannot write %s: %s: the trace is incomplete", place_of(&out->opts),
		    strerror(out->error));
	return ST_LOST;
}

static const struct command *find(const char *name)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static void list_commands(FILE *to)
{
	const struct command *c;

	fputs("usage: ktrctl COMMAND [OPTION...] [ARGUMENT...]\n\n", to);
	for (c = commands; c->name; c++)
		fprintf(to, "  %-12s %-26s %s\n", c->name, c->args, c->help);
	fputs("\n`ktrctl help COMMAND` lists a command's options.\n", to);
}

static int help_on(const struct command *c)
{
	struct buf b;

	buf_init(&b);
	buf_printf(&b, "usage: ktrctl %s%s %s\n%s\n\n", c->name,
		   c->classes ? " [OPTION...]" : "", c->args, c->help);
	opts_help(&b, c->classes);
	fwrite(b.p, 1, b.len, stdout);
	buf_free(&b);
	return ST_OK;
}

/* The front ends by names of their own take FreeBSD's options, not ours. */
static bool help_on_front_end(const char *name)
{
	if (strcmp(name, "ktrace") && strcmp(name, "kdump"))
		return false;
	printf("%s is a name of ktrctl, with FreeBSD's options: see ktrctl-%s(1)\n", name, name);
	return true;
}

int cmd_help(const struct command *cmd, struct opts *o)
{
	const struct command *c;

	(void)cmd;
	if (o->argc && help_on_front_end(o->argv[0]))
		return ST_OK;
	if (!o->argc) {
		list_commands(stdout);
		return ST_OK;
	}
	c = find(o->argv[0]);
	if (!c)
		return cmd_usage("unknown command '%s': `ktrctl help` lists them",
				 o->argv[0]);
	return help_on(c);
}

static int print_version(void)
{
	printf("ktrctl %s (interface %d)\n", KTRCTL_VERSION, KTR_VERSION);
	return ST_OK;
}

static int dispatch(const struct command *c, int argc, char **argv)
{
	struct fault f;
	struct opts o;
	int status;

	argv[0] = (char *)c->name;	/* what is said names it, also to "strace" */
	opts_init(&o);
	if (opts_parse(&o, c->classes, argc, argv, &f))
		status = cmd_fail(&f);
	else if (o.help)
		status = help_on(c);
	else if (o.version)
		status = print_version();
	else if (o.argc < c->min)
		status = cmd_usage("%s: %s is missing: see `ktrctl help %s`",
				   c->name, c->args, c->name);
	else if (c->max >= 0 && o.argc > c->max)
		status = cmd_usage("%s: unexpected argument '%s': see `ktrctl help %s`",
				   c->name, o.argv[c->max], c->name);
	else
		status = c->run(c, &o);
	opts_free(&o);
	return status;
}

/* Scripts call it by the name of the program whose options they pass. */
static bool is_called(const char *argv0, const char *name)
{
	return !strcmp(basename(argv0), name);
}

static bool is_word(const char *arg, const char *c, const char *name)
{
	return !strcmp(arg, c) || !strcmp(arg, name);
}

static int run(int argc, char **argv)
{
	const struct command *c;

	if (!argc)
		return cmd_usage("no command: `ktrctl help` lists them");
	if (argc == 2 && !strcmp(argv[1], "--help") && help_on_front_end(basename(argv[0])))
		return ST_OK;
	if (is_called(argv[0], "kdump"))
		return cmd_kdump(argc, argv);
	if (is_called(argv[0], "ktrace"))
		return cmd_ktrace(argc, argv);
	if (is_called(argv[0], "strace"))
		return dispatch(find("trace"), argc, argv);
	if (argc < 2) {
		list_commands(stderr);
		return ST_USAGE;
	}
	if (is_word(argv[1], "-V", "--version"))
		return print_version();
	if (is_word(argv[1], "-h", "--help")) {
		list_commands(stdout);
		return ST_OK;
	}
	c = find(argv[1]);
	if (!c)
		return cmd_usage("unknown command '%s': `ktrctl help` lists them",
				 argv[1]);
	if (argc > 2 && is_word(argv[2], "--help", "--help")) {
		argv[2] = argv[1];
		return dispatch(find("help"), 2, argv + 1);
	}
	return dispatch(c, argc - 1, argv + 1);
}

static void do_nothing(int sig)
{
	(void)sig;
}

/*
 * What passes the limit on the size of files is a write that fails, and is told. Commands
 * that are run get it as it was: a handler does not outlive execve().
 */
static void survive_limit(void)
{
	struct sigaction act = { .sa_handler = do_nothing, .sa_flags = SA_RESTART }, was;

	if (!sigaction(SIGXFSZ, NULL, &was) && was.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &act, NULL);
}

/* A pipe whose reader has enough is no fault, as with report. */
int cmd_main(int argc, char **argv)
{
	int status, err;

	survive_limit();
	status = run(argc, argv);
	err = stdfds_flush();
	if (!err || err == EPIPE)
		return status;
	if (err > 0)
		cmd_message("cannot write to standard output: %s", strerror(err));
	else
		cmd_message("cannot write to standard output");
	return status ?: ST_LOST;
}
