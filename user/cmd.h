/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands: one table drives dispatch, usage and completion. */
#ifndef KTR_CMD_H
#define KTR_CMD_H

#include <stdarg.h>

#include "fault.h"
#include "opts.h"
#include "out.h"
#include "procs.h"

struct command {
	const char *name;
	/* Return: the exit status. */
	int (*run)(const struct command *cmd, struct opts *o);
	unsigned int classes;	/* of options */
	int min, max;		/* arguments; max -1: any number */
	const char *args;
	const char *help;
};

extern const struct command commands[];	/* ends with a NULL name */

/* `ktrctl: ...` in one line on standard error. */
void cmd_message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Print the fault. Return: its exit status. */
int cmd_fail(const struct fault *f);
int cmd_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* `ktrctl: N records, lost N`, with -v a line per thread. */
void cmd_counts(const struct procs *ps, uint64_t records, uint64_t lost,
		bool threads);

/* Say it if the output is not whole, but that who reads has enough. Return: ST_LOST. */
int cmd_output(struct out *out);

int cmd_trace(const struct command *cmd, struct opts *o);
int cmd_record(const struct command *cmd, struct opts *o);
int cmd_report(const struct command *cmd, struct opts *o);
int cmd_summary(const struct command *cmd, struct opts *o);
int cmd_hist(const struct command *cmd, struct opts *o);
int cmd_read(const struct command *cmd, struct opts *o);
int cmd_add_func(const struct command *cmd, struct opts *o);
int cmd_add_syscall(const struct command *cmd, struct opts *o);
int cmd_add_signal(const struct command *cmd, struct opts *o);
int cmd_add_event(const struct command *cmd, struct opts *o);
int cmd_list(const struct command *cmd, struct opts *o);
int cmd_status(const struct command *cmd, struct opts *o);
int cmd_start(const struct command *cmd, struct opts *o);
int cmd_clear(const struct command *cmd, struct opts *o);
int cmd_funcs(const struct command *cmd, struct opts *o);
int cmd_syscalls(const struct command *cmd, struct opts *o);
int cmd_events(const struct command *cmd, struct opts *o);
int cmd_check(const struct command *cmd, struct opts *o);
int cmd_mark(const struct command *cmd, struct opts *o);
/* Called as kdump, with its options. */
int cmd_kdump(int argc, char **argv);
/* Called as ktrace, with its options. */
int cmd_ktrace(int argc, char **argv);
int cmd_help(const struct command *cmd, struct opts *o);

/* argv[0] decides whether this is strace. Return: the exit status. */
int cmd_main(int argc, char **argv);

#endif
