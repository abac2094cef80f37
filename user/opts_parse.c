// SPDX-License-Identifier: GPL-2.0-or-later
/* From the table of options to getopt, and to help. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opts_table.h"

#define HELP_COL 34
#define NOPTS opts_table_n

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
		if (!(opts_table[i].classes & classes))
			continue;
		if (opts_table[i].c && !has_short(shorts, opts_table[i].c)) {
			*p++ = opts_table[i].c;
			if (opts_table[i].arg)
				*p++ = ':';
			*p = '\0';
		}
		if (!opts_table[i].name)
			continue;
		*longs++ = (struct option){
			.name = opts_table[i].name,
			.has_arg = !opts_table[i].arg ? no_argument :
				   *opts_table[i].arg == '[' ? optional_argument :
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
		return &opts_table[c - 256];
	for (i = 0; i < NOPTS; i++)
		if (opts_table[i].classes & classes && opts_table[i].c == c)
			return &opts_table[i];
	return NULL;
}

/* In getopt's words, as strace has them. */
static int refuse(const char *cmd, int c, char **argv, struct fault *f)
{
	const char *word = argv[optind - 1];
	bool known = optopt && optopt < 256;

	if (c == ':' && known)
		return fault_set(f, ST_USAGE, "option requires an argument -- '%c': see `ktrctl help %s`",
				 optopt, cmd);
	if (c == ':')
		return fault_set(f, ST_USAGE, "option '%s' requires an argument: see `ktrctl help %s`",
				 word, cmd);
	if (known && optopt == '=')
		return fault_set(f, ST_USAGE, "invalid option -- '=': one letter takes no '=', its long form may: see `ktrctl help %s`",
				 cmd);
	if (known)
		return fault_set(f, ST_USAGE, "invalid option -- '%c': see `ktrctl help %s`",
				 optopt, cmd);
	if (optopt)
		return fault_set(f, ST_USAGE, "option '%.*s' doesn't allow an argument: see `ktrctl help %s`",
				 (int)strcspn(word, "="), word, cmd);
	return fault_set(f, ST_USAGE, "unrecognized option '%s': see `ktrctl help %s`",
			 word, cmd);
}

/* Messages name the option as it was spelled. */
static int apply(struct opts *o, const struct opt *opt, int c, const char *arg,
		 struct fault *f)
{
	if (c < 256)
		snprintf(o->spelled, sizeof(o->spelled), "-%c", c);
	else
		snprintf(o->spelled, sizeof(o->spelled), "--%s", opt->name);
	if (opt->set)
		return opt->set(o, arg, f);
	if (opt->flag) {
		*(bool *)((char *)o + opt->flag) = true;
		return 0;
	}
	if (opt->c)
		return fault_set(f, ST_USAGE, "option -%c/--%s of strace is not there yet: leave it out",
				 opt->c, opt->name);
	return fault_set(f, ST_USAGE, "option --%s of strace is not there yet: leave it out",
			 opt->name);
}

static int both_given(const char *one, const char *other, struct fault *f)
{
	return fault_set(f, ST_USAGE, "%s and %s cannot be provided simultaneously: leave one out",
			 one, other);
}

/* Two spellings that contradict each other. */
static int check_spellings(const struct opts *o, struct fault *f)
{
	if (o->nstamp && o->long_stamp)
		return both_given("-t", "--absolute-timestamps", f);
	if (o->nquiet && o->long_quiet)
		return both_given("-q", "-e quiet/--quiet", f);
	if (o->short_hex && o->long_hex)
		return both_given("-x", "--strings-in-hex", f);
	if (o->short_fds && o->long_fds)
		return both_given("-y", "--decode-fds", f);
	return 0;
}

#define SUMMARIES "(-c/--summary-only or -C/--summary)"

static int check_summary(struct opts *o, unsigned int classes, struct fault *f)
{
	const struct sum_opts *sum = &o->out.sum;

	if (sum->only && sum->also)
		return fault_set(f, ST_USAGE, "-c/--summary-only and -C/--summary are mutually exclusive");
	if ((sum->only || sum->also) && (o->out.separate || o->nfollow > 1))
		return fault_set(f, ST_USAGE, SUMMARIES " and -ff/--output-separately are mutually exclusive");
	if (sum->only || sum->also) {
		sum_cols_default(&o->out.sum, false);
		return 0;
	}
	/* What shows no lines is a summary anyway. */
	if (!(classes & OC_STRACE) || !(classes & OC_VIEW))
		return 0;
	if (sum->wall)
		return fault_set(f, ST_USAGE, "-w/--summary-wall-clock must be given with " SUMMARIES);
	if (sum->ncols)
		return fault_set(f, ST_USAGE, "-U/--summary-columns must be given with " SUMMARIES);
	return 0;
}

/* What one option alone cannot know. */
static int check(struct opts *o, unsigned int classes, struct fault *f)
{
	int err = 0;

	/* A dump is of all the bytes, or as many as there can be. */
	if ((fdset_any(&o->view.dump_read) || fdset_any(&o->view.dump_write)) &&
	    o->view.io.all == IO_UNSET)
		o->view.io.all = IO_MAX;
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
	if (o->out.separate && (*o->out.file == '|' || *o->out.file == '!'))
		return fault_set(f, ST_USAGE, "piping the output and -ff/--output-separately are mutually exclusive");
	return check_spellings(o, f) ?: check_summary(o, classes, f);
}

/* Whether the option would take @arg. */
static bool takes(const struct opt *opt, const char *arg)
{
	struct fault f = { 0 };
	struct opts scratch;
	bool ok;

	opts_init(&scratch);
	ok = !opt->set(&scratch, arg, &f);
	opts_free(&scratch);
	return ok;
}

/*
 * A word of letters that is refused, but for which one of them has a long form that takes
 * what stands behind it, such as -kdwarf: what was meant. The row of that form follows
 * the letter's.
 */
static int explain(unsigned int classes, const char *word, int err, struct fault *f)
{
	const struct opt *opt, *form;
	const char *p;

	if (word[0] != '-' || word[1] == '-')
		return err;
	for (p = word + 1; *p && p[1]; p++) {
		opt = find(classes, (unsigned char)*p);
		if (!opt || opt->arg)
			return err;
		form = opt + 1;
		if (opt->name || form == opts_table + NOPTS || form->c || !form->arg ||
		    *form->arg != '[' || !takes(form, p + 1 + (p[1] == '=')))
			continue;
		return fault_set(f, ST_USAGE, "-%c takes no value: write --%s=%s",
				 *p, form->name, p + 1 + (p[1] == '='));
	}
	return err;
}

int opts_parse(struct opts *o, unsigned int classes, int argc, char **argv,
	       struct fault *f)
{
	char shorts[2 * OPTS_MAX + 3];
	struct option longs[OPTS_MAX + 1];
	int c = 0, err = 0;

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
			err = apply(o, find(classes, c), c, optarg, f);
	}
	/* getopt goes on from a word when it has taken the last letter, or a value, of it. */
	if (err && c < 256 && optind < argc)
		err = explain(classes, argv[optind], err, f);
	if (err && c < 256)
		err = explain(classes, argv[optind - 1], err, f);
	if (!err)
		err = check(o, classes, f);
	o->out.mute = ~o->sel.signals;
	o->dashes = optind > 1 && !strcmp(argv[optind - 1], "--");
	o->argc = argc - optind;
	o->argv = argv + optind;
	return err;
}

void opts_help(struct buf *b, unsigned int classes)
{
	size_t i, start;

	for (i = 0; i < NOPTS; i++) {
		const struct opt *t = &opts_table[i];

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
		if (!(opts_table[i].classes & classes) || !opts_table[i].help)
			continue;
		if (opts_table[i].c) {
			snprintf(word, sizeof(word), "-%c", opts_table[i].c);
			fn(arg, word);
		}
		if (opts_table[i].name) {
			snprintf(word, sizeof(word), "--%s", opts_table[i].name);
			fn(arg, word);
		}
	}
}
