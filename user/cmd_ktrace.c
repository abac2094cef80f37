// SPDX-License-Identifier: GPL-2.0-or-later
/* Called as ktrace: FreeBSD's ktrace(1). */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "facility.h"
#include "writelock.h"

#define USAGE "use ktrace [-acCdi] [-f FILE] [-g PGRP | -p PID | COMMAND...] [-t LETTERS]"

#define LETTERS "c f i n p s t u w y +"

struct ktrace_opts {
	const char *file;
	bool append, clear, clear_all, descend, inherit;
	int pid;		/* negative: a process group; 0: none is given */
	const char *letters;	/* of -t; NULL without it */
	uint32_t points;
	bool made;		/* there was no such file before */
};

static int take_id(struct ktrace_opts *k, int option, const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (!*text || *end || n < 1 || n > INT32_MAX)
		return cmd_usage("ktrace: -%c %s is no process", option, text);
	if (k->pid)
		return cmd_usage("ktrace: one of -g and -p, once");
	k->pid = option == 'g' ? -(int)n : (int)n;
	return ST_OK;
}

static int take_letters(struct ktrace_opts *k, const char *letters)
{
	char bad;

	if (!*letters)
		return cmd_usage("ktrace: -t '': the letters are " LETTERS);
	k->letters = letters;
	k->points = facility_letters(letters, &bad);
	if (k->points)
		return ST_OK;
	return cmd_usage("ktrace: -t '%s': there is no '%c': the letters are " LETTERS, letters,
			 bad);
}

static int take(struct ktrace_opts *k, int option)
{
	switch (option) {
	case 'a':
		k->append = true;
		return ST_OK;
	case 'c':
		k->clear = true;
		return ST_OK;
	case 'C':
		k->clear_all = true;
		return ST_OK;
	case 'd':
		k->descend = true;
		return ST_OK;
	case 'i':
		k->inherit = true;
		return ST_OK;
	case 'f':
		k->file = optarg;
		return *optarg ? ST_OK : cmd_usage("ktrace: -f: the file has no name: " USAGE);
	case 'g':
	case 'p':
		return take_id(k, option, optarg);
	case 't':
		return take_letters(k, optarg);
	case ':':
		return cmd_usage("ktrace: -%c needs an argument: " USAGE, optopt);
	default:
		return cmd_usage("ktrace: unknown option -%c: " USAGE, optopt);
	}
}

/* Whom an error is about, with what is to stand behind; "": what is asked for. */
static const char *whom(const struct ktrace_opts *k, char text[40])
{
	*text = '\0';
	if (k->pid)
		snprintf(text, 40, "%s %d: ", k->pid < 0 ? "process group" : "process",
			 abs(k->pid));
	return text;
}

static int fail(const struct ktrace_opts *k, int err)
{
	char who[40];

	switch (err) {
	case -ENOSYS:
		cmd_message("the module is not loaded: modprobe ktracer (`ktrctl check` says more)");
		return ST_ABSENT;
	case -EPERM:
		cmd_message("ktrace: %snot permitted: what is not yours, set-id programs, page faults, sysctls and refusals are root's (or of one with CAP_PERFMON)",
			    whom(k, who));
		return ST_DENIED;
	case -EBUSY:
		return cmd_usage("ktrace: %s is written by another trace: choose another file",
				 k->file);
	case -EDQUOT:
	case -EUSERS:
		return cmd_usage("ktrace: you have as many traces, or as much memory for them, as you may: `ktrace -C` ends them");
	case -ENOMEM:
		return cmd_usage("ktrace: there is no memory for one more trace: `ktrace -C` ends yours");
	case -ESRCH:
		return cmd_usage("ktrace: %sno such process", whom(k, who));
	case -EUCLEAN:
		return cmd_usage("ktrace: %s is not empty and no trace file of this version: nothing can be appended to it: choose another file",
				 k->file);
	}
	return cmd_usage("ktrace: %s: %s", k->file, strerror(-err));
}

/* What is not for plain users, if they have asked for it by its letter. */
static void say_left_out(const struct ktrace_opts *k, const struct facility_ask *ask)
{
	char named[sizeof(LETTERS)] = "";

	if (k->letters && strlen(k->letters) < sizeof(named))
		facility_named(k->letters, ask->points_out, named);
	if (*named)
		cmd_message("ktrace: -t %s is left out: page faults (f), refusals (p) and sysctls (y) are root's (or of one with CAP_PERFMON)",
			    named);
	if (ask->left_out)
		cmd_message("ktrace: %u %s left out: not yours, or of a set-id program",
			    ask->left_out, ask->left_out == 1 ? "process is" : "processes are");
}

static int apply(const struct ktrace_opts *k, int ops, uint32_t points, int pid)
{
	struct facility_ask ask = {
		.file = k->file, .ops = ops | (k->descend ? KTRFLAG_DESCEND : 0),
		.points = points, .pid = pid, .from_exec = pid == getpid(),
		.empty = ops == KTROP_SET && !k->append,
	};
	int err = facility_apply(&ask);

	/* We have opened it just before. */
	if (err == -EACCES && ops == KTROP_SET)
		return cmd_usage("ktrace: cannot write %s: the module writes where files are kept, not on procfs, sysfs and their kind, and for a user not on FUSE or a mount of his: choose another file",
				 k->file);
	if (err && ask.of_file)
		return cmd_usage("ktrace: %s: %s", k->file, strerror(-err));
	if (err)
		return fail(k, err);
	say_left_out(k, &ask);
	return ST_OK;
}

/* A file that was made for a trace that is not set yet. */
static const char *volatile unused;

static void remove_unused(int sig)
{
	if (unused)
		unlink(unused);
	/* Not by SA_RESETHAND: a second one could then end us before this is done. */
	signal(sig, SIG_DFL);
	raise(sig);	/* comes when this is left */
}

/* What would end us between making it and knowing that waits; what is ignored does not end us. */
static int make_guarded(const char *path)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction act = { .sa_handler = remove_unused }, was;
	sigset_t set, before;
	int fd, error;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		sigaddset(&set, ends[i]);
		if (!sigaction(ends[i], NULL, &was) && was.sa_handler == SIG_DFL)
			sigaction(ends[i], &act, NULL);
	}
	sigprocmask(SIG_BLOCK, &set, &before);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	error = errno;
	if (fd >= 0)
		unused = path;
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return fd;
}

/*
 * The file is made, or will be emptied; who may read it is its owner alone. What the module
 * still writes there would be without a beginning: traces into it end first.
 */
static int make_file(struct ktrace_opts *k)
{
	struct facility_ask clear = { .file = k->file, .ops = KTROP_CLEARFILE };
	struct stat st = { 0 };
	int fd, err;

	/* A link is refused by open(). */
	if (!lstat(k->file, &st) && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return cmd_usage("ktrace: cannot write %s: it is no regular file", k->file);
	/* Another user's goes on; his file is not emptied. */
	if (!k->append && facility_apply(&clear) == -EBUSY)
		return fail(k, -EBUSY);
	fd = make_guarded(k->file);
	k->made = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(k->file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return cmd_usage("ktrace: cannot write %s: %s", k->file,
				 errno == ELOOP && S_ISLNK(st.st_mode) ?
				 "it is a symbolic link: name the file itself" :
				 strerror(errno));
	err = !k->append && writelock_held_on(fd) ? -EBUSY : 0;
	close(fd);
	return err ? fail(k, err) : ST_OK;
}

/* Before the file is made. */
static int look(const struct ktrace_opts *k)
{
	struct facility_ask ask = {
		.ops = KTROP_SET | (k->descend ? KTRFLAG_DESCEND : 0), .pid = k->pid,
	};
	int err = facility_try(&ask);

	return err ? fail(k, err) : ST_OK;
}

static int set(struct ktrace_opts *k, char **command)
{
	uint32_t points = k->points | (k->inherit ? KTRFAC_INHERIT : 0);
	int status = look(k);

	if (status)
		return status;
	status = make_file(k);
	if (!status)
		status = apply(k, KTROP_SET, points, *command ? getpid() : k->pid);
	/* Nothing of use stands in it. */
	if (status && k->made)
		unlink(k->file);
	if (status || !*command) {
		unused = NULL;
		return status;
	}
	/* A command's trace begins with the command: until then the file is of no use. */
	execvp(*command, command);
	return cmd_usage("ktrace: cannot run %s: %s", *command, strerror(errno));
}

static int run(struct ktrace_opts *k, char **command)
{
	if (k->clear_all) {
		if (*command || k->pid || k->clear)
			return cmd_usage("ktrace: -C ends all traces: " USAGE);
		k->descend = true;
		return apply(k, KTROP_CLEAR, KTRFAC_ALL | KTRFAC_INHERIT, 1);
	}
	if (k->clear) {
		if (*command)
			return cmd_usage("ktrace: -c and a command: " USAGE);
		if (!k->pid)
			return apply(k, KTROP_CLEARFILE, 0, 0);
		return apply(k, KTROP_CLEAR, k->letters ? k->points : KTRFAC_ALL | KTRFAC_INHERIT,
			     k->pid);
	}
	if (!*command == !k->pid)
		return cmd_usage("ktrace: what? " USAGE);
	return set(k, command);
}

int cmd_ktrace(int argc, char **argv)
{
	struct ktrace_opts k = { .file = "ktrace.out", .points = FACILITY_DEFAULT };
	int option, status = ST_OK;

	opterr = 0;
	while (!status && (option = getopt(argc, argv, "+:aCcdif:g:p:t:")) != -1)
		status = take(&k, option);
	return status ?: run(&k, argv + optind);
}
