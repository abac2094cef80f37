// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line: strace's spelling, ours, and what is refused. */
#include <string.h>

#include "cmd.h"
#include "tap.h"

#define ARGS_MAX 16

static struct opts o;
static struct fault f;

static unsigned int classes_of(const char *name)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c->classes;
	return 0;
}

/* Parse a line of words separated by blanks. */
static int parse(const char *command, const char *line)
{
	static char text[1024], *argv[ARGS_MAX + 2];	/* o points in here */
	char *rest = text, *word;
	int argc = 0;

	opts_free(&o);
	argv[argc++] = (char *)command;
	strcpy(text, line);
	while (argc <= ARGS_MAX && (word = strsep(&rest, " ")))
		if (*word)
			argv[argc++] = word;
	argv[argc] = NULL;
	memset(&f, 0, sizeof(f));
	return opts_parse(&o, classes_of(command), argc, argv, &f);
}

static bool refused(const char *command, const char *line, const char *word)
{
	if (!parse(command, line))
		return false;
	CHECK_EQ(f.status, ST_USAGE);
	CHECK(!strchr(f.text, '\n'));
	if (!strstr(f.text, word))
		printf("# no \"%s\" in: %s\n", word, f.text);
	return strstr(f.text, word) != NULL;
}

static void strace_spelling(void)
{
	CHECK_EQ(parse("trace", "-f -tt -T -s 100 -o out -e trace=openat,close -e signal=none ls -l"), 0);
	CHECK(o.sel.follow && o.out.stamp == STAMP_TIME && o.out.stamp_digits == 6 &&
	      o.out.duration && o.out.duration_digits == 6);
	CHECK_EQ(o.view.strsize, 100);
	CHECK(!strcmp(o.out.file, "out") && !o.sel.signals && o.sel.calls_given);
	/* The command's own options are its own. */
	CHECK_EQ(o.argc, 2);
	CHECK(!strcmp(o.argv[1], "-l"));
	CHECK_EQ(parse("trace", "-ff -o out -ttt -q -xx -v -a 60 -X raw -- true"), 0);
	CHECK(o.out.separate && o.out.stamp == STAMP_UNIX &&
	      o.out.quiet == (QUIET_ATTACH | QUIET_PERSONALITY));
	CHECK(o.view.hexstr == 2 && o.view.verbose && o.view.col == 60 &&
	      o.view.xlat == VIEW_RAW);
	CHECK(o.argc == 1 && !strcmp(o.argv[0], "true"));
	CHECK_EQ(parse("trace", "--follow-forks --trace=%file --string-limit=7 true"), 0);
	CHECK(o.sel.follow && o.view.strsize == 7);
	CHECK_EQ(parse("trace", "--quiet true"), 0);
	CHECK_EQ(parse("trace", "--seccomp-bpf -f true"), 0);
	CHECK_EQ(parse("trace", "-E A=b -E C true"), 0);
	CHECK_EQ(o.nenv, 2);
	/* -ff without a file is -f, as strace has it. */
	CHECK_EQ(parse("trace", "-ff true"), 0);
	CHECK(o.sel.follow && !o.out.separate);
}

static void ours(void)
{
	CHECK_EQ(parse("trace", "-p 1,2 -p 3 --descend --buffer 64K --mode overwrite"), 0);
	CHECK(o.sel.pids.n == 3 && o.sel.descend && o.sel.buffer == 65536 &&
	      o.sel.mode == KTR_MODE_OVERWRITE);
	CHECK_EQ(parse("trace", "--func do_sys_* --func x --event sched --json --for 2s --limit 5 --fail-on-loss true"), 0);
	CHECK(o.sel.nfuncs == 2 && o.sel.events && o.out.json &&
	      o.sel.for_ns == 2000000000 && o.sel.limit == 5 &&
	      o.sel.fail_on_loss);
	CHECK_EQ(parse("trace", "-z true"), 0);
	CHECK(o.sel.status == STATUS_SUCCESSFUL && o.sel.filter.n == 1);
	CHECK_EQ(parse("trace", "-Z --errno ENOENT,EACCES true"), 0);
	CHECK(o.sel.filter.n == 5 && filter_valid(&o.sel.filter));
	CHECK_EQ(parse("trace", "--format json true"), 0);
	CHECK(o.out.json);
}

/* One letter, two meanings: the command decides. */
static void letters(void)
{
	CHECK_EQ(parse("read", "-f -s mine"), 0);
	CHECK(o.tail && !o.sel.follow && !strcmp(o.session, "mine"));
	CHECK_EQ(parse("trace", "-f -s 5 true"), 0);
	CHECK(!o.tail && o.sel.follow && !o.session && o.view.strsize == 5);
	CHECK_EQ(parse("add-func", "do_sys_poll --pid 77 -s x"), 0);
	CHECK(o.argc == 1 && o.sel.pids.n == 1 && !strcmp(o.session, "x"));
	/* Elsewhere than for a command options may stand behind. */
	CHECK_EQ(parse("report", "file -r"), 0);
	CHECK(o.argc == 1 && o.out.relative);
	CHECK_EQ(parse("stop", "--all"), 0);
	CHECK(o.all);
}

static void refusals(void)
{
	CHECK(refused("trace", "--stack-traces=0 true", "use 1 to 64 frames"));
	CHECK(refused("trace", "--decode-pids=pidns true", "other namespaces"));
	CHECK(refused("trace", "-e decode-pids=!comm true", "other namespaces"));
	CHECK(refused("trace", "--inject=x true", "inject: ktrctl never changes"));
	CHECK(refused("trace", "-e inject=x true", "inject"));
	CHECK(refused("trace", "--nosuch true", "--nosuch"));
	CHECK(refused("trace", "-J true", "invalid option -- 'J'"));
	CHECK(refused("trace", "-s", "option requires an argument -- 's'"));
	CHECK(refused("trace", "-s x true", "invalid -s argument: 'x'"));
	CHECK(refused("trace", "-s -1 true", "invalid -s argument: '-1'"));
	CHECK(refused("trace", "-s 1073741824 true", "invalid -s argument"));
	CHECK(refused("trace", "-e trace=nosuch true", "nosuch"));
	CHECK(refused("trace", "--buffer 1 true", "--buffer"));
	CHECK(refused("trace", "--buffer 2G true", "--buffer"));
	CHECK(refused("trace", "--mode x true", "--mode"));
	CHECK(refused("trace", "--event nosuch true", "nosuch"));
	CHECK(refused("trace", "-X x true", "-X"));
	CHECK(refused("trace", "-b open true", "execve"));
	CHECK(refused("trace", "--format nosuch true", "use strace, kdump, ftrace"));
	CHECK(refused("trace", "--limit 0 true", "--limit argument: '0': use 1 to"));
	CHECK(refused("trace", "--depth 0 true", "--depth argument: '0': use 1 to 256"));
	CHECK(refused("trace", "--for 0 true", "--for argument: '0'"));
	CHECK(refused("trace", "-k=99 true", "one letter takes no '='"));
	CHECK(refused("trace", "-k=8 true", "-k takes no value: write --stack-traces=8"));
	CHECK(refused("trace", "-kdwarf true", "-k takes no value: write --stack-traces=dwarf"));
	CHECK(refused("trace", "-fkdwarf,64 -T true", "write --stack-traces=dwarf,64"));
	CHECK(refused("trace", "-Tms true", "-T takes no value: write --syscall-times=ms"));
	CHECK(refused("trace", "-ysocket true", "-y takes no value: write --decode-fds=socket"));
	CHECK(refused("trace", "-kd true", "option -d/--debug"));
	CHECK(refused("trace", "-yp12x true", "Invalid process id: '12x'"));
	CHECK(refused("trace", "--output-separately true", "-o"));
	CHECK(refused("trace", "-ff -o |cat true", "-ff"));
	CHECK(refused("read", "-p 3", "-- 'p'"));
	CHECK(refused("read", "-s a/b", "-s"));
	CHECK(refused("list", "-f", "-- 'f'"));
}

static void every_command_has_help(void)
{
	const struct command *c;
	struct buf b;

	for (c = commands; c->name; c++) {
		CHECK(c->run && c->help && *c->help && c->args);
		buf_init(&b);
		opts_help(&b, c->classes);
		CHECK(!c->classes || b.len > 0);
		buf_free(&b);
	}
}

struct words {
	unsigned int n;
	bool follow;
};

static void count(void *arg, const char *word)
{
	struct words *w = arg;

	w->n++;
	w->follow |= !strcmp(word, "--follow-forks");
	CHECK(word[0] == '-');
}

static void completion(void)
{
	struct words w = { 0 };

	opts_each(classes_of("trace"), count, &w);
	CHECK(w.n > 30 && w.follow);
}

int main(void)
{
	opts_init(&o);
	RUN(strace_spelling);
	RUN(ours);
	RUN(letters);
	RUN(refusals);
	RUN(every_command_has_help);
	RUN(completion);
	opts_free(&o);
	return tap_done();
}
