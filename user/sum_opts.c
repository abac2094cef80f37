// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of -S, -U and --by. */
#include <stdlib.h>
#include <string.h>

#include "tally.h"

/* In columns "time" is the share, in the order it is the total. */
static const struct {
	const char *name;
	unsigned int col;
} words[] = {
	{ "time", COL_PERCENT }, { "time-percent", COL_PERCENT },
	{ "time_percent", COL_PERCENT },
	{ "total-time", COL_TOTAL }, { "total_time", COL_TOTAL },
	{ "time-total", COL_TOTAL }, { "time_total", COL_TOTAL },
	{ "min-time", COL_MIN }, { "min_time", COL_MIN },
	{ "time-min", COL_MIN }, { "time_min", COL_MIN },
	{ "shortest", COL_MIN },
	{ "max-time", COL_MAX }, { "max_time", COL_MAX },
	{ "time-max", COL_MAX }, { "time_max", COL_MAX },
	{ "longest", COL_MAX },
	{ "avg-time", COL_AVG }, { "avg_time", COL_AVG },
	{ "time-avg", COL_AVG }, { "time_avg", COL_AVG },
	{ "calls", COL_CALLS }, { "count", COL_CALLS },
	{ "errors", COL_ERRORS }, { "error", COL_ERRORS },
	{ "name", COL_NAME }, { "syscall", COL_NAME },
	{ "syscall-name", COL_NAME }, { "syscall_name", COL_NAME },
	{ "cpu-time", COL_CPU },
};

static unsigned int col_of(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].name, word))
			return words[i].col;
	return COL_LAST;
}

int sum_sort_parse(struct sum_opts *o, const char *key, struct fault *f)
{
	o->sort = col_of(key);
	if (o->sort != COL_LAST || !strcmp(key, "nothing") ||
	    !strcmp(key, "none"))
		return 0;
	return fault_set(f, ST_USAGE, "invalid sortby: '%s': use time, min-time, max-time, avg-time, calls, errors, name or nothing",
			 key);
}

static bool has(const struct sum_opts *o, unsigned int col)
{
	return memchr(o->cols, col, o->ncols);
}

static int add_col(struct sum_opts *o, const char *word, struct fault *f)
{
	unsigned int col = col_of(word);

	if (col == COL_LAST)
		return fault_set(f, ST_USAGE, "unknown column name: '%s': use time-percent, total-time, min-time, max-time, avg-time, calls, errors, name or cpu-time",
				 word);
	if (has(o, col))
		return fault_set(f, ST_USAGE, "call summary column has been provided more than once: '%s': leave one out",
				 word);
	o->cols[o->ncols++] = col;
	return 0;
}

int sum_cols_parse(struct sum_opts *o, const char *list, struct fault *f)
{
	char *copy = strdup(list), *rest = copy, *word;
	int err = 0;

	if (!copy)
		return fault_set(f, ST_USAGE, "out of memory");
	o->ncols = 0;
	while (!err && (word = strsep(&rest, ",")))
		err = add_col(o, word, f);
	free(copy);
	if (!err && !has(o, COL_NAME))
		o->cols[o->ncols++] = COL_NAME;
	return err;
}

int sum_by_parse(struct sum_opts *o, const char *key, struct fault *f)
{
	static const char *const names[] = { "call", "pid", "tid" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], key)) {
			o->by = i;
			return 0;
		}
	return fault_set(f, ST_USAGE, "--by %s: use call, pid or tid", key);
}

void sum_cols_default(struct sum_opts *o, bool ours)
{
	static const unsigned char strace[] = {
		COL_PERCENT, COL_TOTAL, COL_AVG, COL_CALLS, COL_ERRORS, COL_NAME
	}, both[] = {
		COL_PERCENT, COL_TOTAL, COL_CPU, COL_MIN, COL_AVG, COL_MAX,
		COL_CALLS, COL_ERRORS, COL_NAME
	};

	if (o->ncols)
		return;
	o->ncols = ours ? sizeof(both) : sizeof(strace);
	memcpy(o->cols, ours ? both : strace, o->ncols);
}
