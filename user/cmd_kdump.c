// SPDX-License-Identifier: GPL-2.0-or-later
/* Called as kdump: a capture file with the options of FreeBSD's kdump(1). */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "kdump.h"

#define USAGE "use kdump [-AcdEHlnRrSsT] [-f FILE] [-m BYTES] [-p PID] [-t LETTERS]"

static int number_of(char option, const char *text, uint32_t *value)
{
	unsigned long n;
	char *end;

	n = strtoul(text, &end, 10);
	if (!*text || *end || *text == '-' || n > UINT32_MAX)
		return cmd_usage("kdump: -%c %s is no number", option, text);
	*value = n;
	return 0;
}

/* Options that are switched on. Names of users (-r) are not looked up. */
static bool take_switch(struct opts *o, int option)
{
	static bool ignored;
	struct kdump_view *kv = &o->out.kdump;
	const struct {
		char letter;
		bool *on;
	} switches[] = {
		{ 'A', &kv->abi }, { 'c', &kv->cpus }, { 'd', &kv->decimal }, { 'E', &kv->elapsed },
		{ 'H', &kv->threads }, { 'l', &o->tail }, { 'n', &kv->plain },
		{ 'R', &o->out.relative }, { 'r', &ignored },
		{ 'S', &kv->numbers }, { 's', &kv->no_data },
	};
	size_t i;

	for (i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		if (switches[i].letter != option)
			continue;
		*switches[i].on = true;
		return true;
	}
	return false;
}

static int take(struct opts *o, int option, char **file)
{
	struct kdump_view *kv = &o->out.kdump;

	if (take_switch(o, option))
		return 0;
	switch (option) {
	case 'T':
		o->out.stamp = STAMP_UNIX;
		return 0;
	case 'f':
		*file = optarg;
		return 0;
	case 'm':
		return number_of('m', optarg, &kv->max_data);
	case 'p':
		if (number_of('p', optarg, &kv->pid))
			return ST_USAGE;
		/* It would stand for all of them. */
		return kv->pid ? 0 : cmd_usage("kdump: -p 0 is no process");
	case 't':
		if (!kdump_letters(optarg, &kv->hide))
			return 0;
		return cmd_usage("kdump: -t %s: the letters are c f i k n o p s t u w x X y +",
				 optarg);
	case ':':
		return cmd_usage("kdump: -%c needs an argument: " USAGE, optopt);
	default:
		return cmd_usage("kdump: unknown option -%c: " USAGE, optopt);
	}
}

int cmd_kdump(int argc, char **argv)
{
	char *file = "ktrace.out";
	int option, status = ST_OK;
	struct opts o;

	opts_init(&o);
	o.out.as_kdump = true;
	opterr = 0;
	while (!status && (option = getopt(argc, argv, ":AcdEHlnRrSsTf:m:p:t:")) != -1)
		status = take(&o, option, &file);
	if (!status && optind < argc)
		status = cmd_usage("kdump: unexpected argument '%s': " USAGE, argv[optind]);
	if (!status) {
		o.argc = 1;
		o.argv = &file;
		status = cmd_report(NULL, &o);
	}
	opts_free(&o);
	return status;
}
