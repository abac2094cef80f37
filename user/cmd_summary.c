// SPDX-License-Identifier: GPL-2.0-or-later
/* summary: trace or report with counts in the place of lines. */
#include <string.h>

#include "cmd.h"

int cmd_summary(const struct command *cmd, struct opts *o)
{
	o->out.summary = true;
	/* "--" tells a command from a file. */
	if (o->argc == 1 && !o->dashes && !o->sel.pids.n)
		return cmd_report(cmd, o);
	if (o->argc && !o->dashes)
		return cmd_usage("summary: put -- in front of the command, or give one FILE");
	return cmd_trace(cmd, o);
}
