// SPDX-License-Identifier: GPL-2.0-or-later
/* summary and hist: trace or report with counts in the place of lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static int counted(const struct command *cmd, struct opts *o)
{
	o->out.sum.only = true;
	o->out.sum.wall = true;
	sum_cols_default(&o->out.sum, true);
	/* "--" tells a command from a file. */
	if (o->argc == 1 && !o->dashes && !select_running(&o->sel))
		return cmd_report(cmd, o);
	if (o->argc && !o->dashes)
		return cmd_usage("%s: put -- in front of the command, or give one FILE",
				 cmd->name);
	return cmd_trace(cmd, o);
}

/* Where functions are named, calls count only if they are named too. */
static int functions_alone(struct opts *o, struct fault *f)
{
	if (!o->sel.nfuncs || o->sel.calls_given)
		return 0;
	return sysset_parse(&o->sel.calls, "none", f);
}

int cmd_summary(const struct command *cmd, struct opts *o)
{
	struct fault f;

	if (functions_alone(o, &f))
		return cmd_fail(&f);
	return counted(cmd, o);
}

/* Of a list that has both, neither reading is what was meant. */
static int refuse_mixed(const char *list, struct fault *f)
{
	char *copy = strdup(list), *rest = copy, *word, *call = NULL, *other = NULL;
	struct sysset set;
	int err = 0;

	while (copy && (word = strsep(&rest, ",")))
		if (*word)
			*(sysset_parse(&set, word, f) ? &other : &call) = word;
	if (call && other)
		err = fault_set(f, ST_USAGE, "hist: %s is a call, and %s is none: name calls or functions",
				call, other);
	free(copy);
	return err;
}

/* A name of a call stands for that; what is no call is a function. */
static int choose(struct opts *o, const char *pattern, struct fault *f)
{
	if (!sysset_parse(&o->sel.calls, pattern, f)) {
		o->sel.calls_given = true;
		return 0;
	}
	if (refuse_mixed(pattern, f))
		return -EINVAL;
	o->sel.funcs = malloc(sizeof(*o->sel.funcs));
	if (!o->sel.funcs)
		return fault_set(f, ST_USAGE, "out of memory");
	o->sel.funcs[0] = pattern;
	o->sel.nfuncs = 1;
	o->sel.fn.ret = FUNC_RETURNS_ONLY;
	return functions_alone(o, f);
}

/* What stands behind the pattern is as if it were a command line of its own. */
int cmd_hist(const struct command *cmd, struct opts *o)
{
	const char *pattern = o->argv[0];
	struct fault f;

	if (o->sel.nfuncs)
		return cmd_usage("hist: the function stands in the place of SET: `ktrctl hist %s`, or summary --func PATTERN --ret --hist",
				 o->sel.funcs[0]);
	if (choose(o, pattern, &f))
		return cmd_fail(&f);
	if (opts_parse(o, cmd->classes, o->argc, o->argv, &f))
		return cmd_fail(&f);
	o->out.sum.hist = true;
	return counted(cmd, o);
}
