// SPDX-License-Identifier: GPL-2.0-or-later
/* What strace's options of view take as values. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "opts_table.h"

struct word {
	const char *name;
	unsigned int value;
};

/* Return: false if it is none of them. */
static bool word_find(const struct word *words, size_t n, const char *name,
		      unsigned int *value)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(words[i].name, name)) {
			*value = words[i].value;
			return true;
		}
	return false;
}

#define FIND(words, name, value) \
	word_find(words, sizeof(words) / sizeof((words)[0]), name, value)

static const struct word precisions[] = {
	{ "s", 0 }, { "ms", 3 }, { "us", 6 }, { "ns", 9 },
};

static int invalid(const char *option, const char *arg, const char *use,
		   struct fault *f)
{
	return fault_set(f, ST_USAGE, "invalid %s argument: '%s': use %s",
			 option, arg, use);
}

int set_stamp(struct opts *o, const char *arg, struct fault *f)
{
	(void)arg;
	(void)f;
	o->nstamp++;
	o->out.stamp = o->nstamp > 2 ? STAMP_UNIX : STAMP_TIME;
	o->out.stamp_digits = o->nstamp > 1 ? 6 : 0;
	return 0;
}

static bool stamp_word(struct opts *o, const char *word)
{
	static const struct word forms[] = {
		{ "none", STAMP_NONE }, { "time", STAMP_TIME },
		{ "unix", STAMP_UNIX },
	};
	unsigned int v;

	if (strncmp(word, "precision:", 10) &&
	    FIND(forms, word + (strncmp(word, "format:", 7) ? 0 : 7), &v)) {
		o->out.stamp = v;
		return true;
	}
	if (!strncmp(word, "format:", 7) ||
	    !FIND(precisions, word + (strncmp(word, "precision:", 10) ? 0 : 10),
		  &v))
		return false;
	o->out.stamp_digits = v;
	return true;
}

int set_stamp_form(struct opts *o, const char *arg, struct fault *f)
{
	char *copy = strdup(arg ? arg : "time"), *rest = copy, *word;
	int err = 0;

	if (!copy)
		return fault_set(f, ST_USAGE, "out of memory");
	o->long_stamp = true;
	o->out.stamp = STAMP_TIME;
	o->out.stamp_digits = 0;
	while (!err && (word = strsep(&rest, ",")))
		if (*word && !stamp_word(o, word))
			err = invalid(o->spelled, arg,
				      "none, time or unix, and s, ms, us or ns", f);
	free(copy);
	return err;
}

static int set_precision(const struct opts *o, const char *arg, bool *on,
			 unsigned int *digits, struct fault *f)
{
	*on = true;
	*digits = 6;
	if (!arg || FIND(precisions, arg, digits))
		return 0;
	return invalid(o->spelled, arg, "s, ms, us or ns", f);
}

int set_relative(struct opts *o, const char *arg, struct fault *f)
{
	return set_precision(o, arg, &o->out.relative,
			     &o->out.relative_digits, f);
}

int set_duration(struct opts *o, const char *arg, struct fault *f)
{
	return set_precision(o, arg, &o->out.duration,
			     &o->out.duration_digits, f);
}

int set_hex(struct opts *o, const char *arg, struct fault *f)
{
	(void)arg;
	(void)f;
	o->short_hex = true;
	if (o->view.hexstr < VIEW_HEX_ALL)
		o->view.hexstr++;
	return 0;
}

int set_hex_form(struct opts *o, const char *arg, struct fault *f)
{
	static const struct word forms[] = {
		{ "none", VIEW_HEX_NONE }, { "all", VIEW_HEX_ALL },
		{ "non-ascii", VIEW_HEX_ODD },
		{ "non-ascii-chars", VIEW_HEX_CHARS },
	};
	unsigned int v;

	o->long_hex = true;
	if (!FIND(forms, arg ? arg : "all", &v))
		return invalid(o->spelled, arg,
			       "all, non-ascii or non-ascii-chars", f);
	o->view.hexstr = v;
	return 0;
}

int set_xlat(struct opts *o, const char *arg, struct fault *f)
{
	static const struct word forms[] = {
		{ "raw", VIEW_RAW }, { "abbrev", VIEW_ABBREV },
		{ "verbose", VIEW_VERBOSE },
	};
	unsigned int v;

	if (!FIND(forms, arg, &v))
		return invalid(o->spelled, arg, "raw, abbrev or verbose", f);
	o->view.xlat = v;
	return 0;
}

/* -q, -qq, -qqq */
int set_quiet(struct opts *o, const char *arg, struct fault *f)
{
	static const unsigned int levels[] = {
		QUIET_ATTACH | QUIET_PERSONALITY,
		QUIET_ATTACH | QUIET_PERSONALITY | QUIET_EXIT,
		QUIET_ALL,
	};

	(void)arg;
	(void)f;
	o->out.quiet = levels[o->nquiet];
	if (o->nquiet < sizeof(levels) / sizeof(levels[0]) - 1)
		o->nquiet++;
	return 0;
}

int set_quiet_list(struct opts *o, const char *arg, struct fault *f)
{
	static const struct word words[] = {
		{ "attach", QUIET_ATTACH }, { "exit", QUIET_EXIT },
		{ "path-resolution", QUIET_PATH },
		{ "path-resolve", QUIET_PATH }, { "path", QUIET_PATH },
		{ "personality", QUIET_PERSONALITY },
		{ "thread-execve", QUIET_THREAD_EXECVE },
		{ "thread_execve", QUIET_THREAD_EXECVE },
		{ "superseded", QUIET_THREAD_EXECVE },
		{ "all", QUIET_ALL }, { "none", 0 },
	};
	bool inverted = arg && *arg == '!';
	char *copy = strdup(arg ? arg + inverted : "attach,personality");
	char *rest = copy, *word;
	unsigned int v, all = 0;
	int err = 0;

	o->long_quiet = true;
	if (!copy)
		return fault_set(f, ST_USAGE, "out of memory");
	while (!err && (word = strsep(&rest, ","))) {
		if (!*word && rest)
			continue;
		if (arg && set_misplaces(arg, word))
			err = fault_set(f, ST_USAGE, "invalid quiet '%s': it stands alone", word);
		else if (FIND(words, word, &v))
			all |= v;
		else
			err = fault_set(f, ST_USAGE, "invalid quiet '%s': use attach, exit, path-resolution, personality, thread-execve or all",
					word);
	}
	free(copy);
	o->out.quiet = inverted ? QUIET_ALL & ~all : all;
	return err;
}

int set_raw(struct opts *o, const char *arg, struct fault *f)
{
	o->view.raw = &o->raw;
	return sysset_parse(&o->raw, arg, f);
}

/* What of calls not in the set is to be printed whole has to be recorded whole. */
int set_abbrev(struct opts *o, const char *arg, struct fault *f)
{
	struct sysset all;

	sysset_all(&all);
	o->view.abbrev = &o->abbrev;
	if (sysset_parse(&o->abbrev, arg, f))
		return -EINVAL;
	o->view.verbose = memcmp(&o->abbrev, &all, sizeof(all));
	return 0;
}

int set_verbose(struct opts *o, const char *arg, struct fault *f)
{
	o->view.structs = &o->structs;
	return sysset_parse(&o->structs, arg, f);
}

static int tampering(const char *option, struct fault *f)
{
	return fault_set(f, ST_USAGE, "%s: ktrctl never changes what the traced program does: use strace for fault injection",
			 option);
}

int set_inject(struct opts *o, const char *arg, struct fault *f)
{
	(void)o;
	(void)arg;
	return tampering("inject", f);
}

int set_fault(struct opts *o, const char *arg, struct fault *f)
{
	(void)o;
	(void)arg;
	return tampering("fault", f);
}

int set_kvm(struct opts *o, const char *arg, struct fault *f)
{
	(void)o;
	(void)arg;
	return fault_set(f, ST_USAGE, "kvm: exit reasons of virtual CPUs are not recorded: leave it out");
}

/* Of strace's words for process ids: which ones a list has, as bits. */
static int pid_words(const char *list, unsigned int *found, struct fault *f)
{
	static const char *const words[] = { "none", "comm", "pidns", "all" };
	const char *p = list + (*list == '!');
	unsigned int i;
	size_t n;

	for (*found = 0;; p += n + 1) {
		n = strcspn(p, ",");
		for (i = 0; i < 4; i++)
			if (strlen(words[i]) == n && !memcmp(words[i], p, n))
				break;
		if (i == 4)
			return fault_set(f, ST_USAGE, "invalid decode-pids '%.*s': use comm or none",
					 (int)n, p);
		*found |= i;
		if (!p[n])
			break;
	}
	if (*list == '!')
		*found ^= 3;
	return 0;
}

int set_decode_pids(struct opts *o, const char *arg, struct fault *f)
{
	unsigned int found;
	int err = pid_words(arg, &found, f);

	if (err)
		return err;
	if (found & 2)
		return fault_set(f, ST_USAGE, "decode-pids=%s: numbers in other namespaces are not shown: use comm",
				 arg);
	o->view.comms = found;
	return 0;
}
