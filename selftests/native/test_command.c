// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What needs no module: where a command's text goes, and its exit status when it
 * cannot go there.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capfile.h"
#include "cmd.h"
#include "stdfds.h"
#include "tap.h"

#define ARGS_MAX 8

struct result {
	int status;
	char err[600];		/* what was said on standard error */
};

static char path[64];

/* to: of standard output; NULL: it is closed, as standard input is. */
static void child(const char *to, int err, char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	if (to && dup2(open(to, O_WRONLY), STDOUT_FILENO) < 0)
		_exit(99);
	dup2(err, STDERR_FILENO);
	stdfds_hold();
	_exit(cmd_main(argc, argv));
}

static struct result run(const char *to, ...)
{
	char *argv[ARGS_MAX + 1] = { (char *)"ktrctl" };
	struct result r = { .status = -1 };
	int p[2], wstatus, i = 0;
	ssize_t n, len = 0;
	va_list ap;
	pid_t pid;

	va_start(ap, to);
	do {
		argv[++i] = va_arg(ap, char *);
	} while (argv[i] && i < ARGS_MAX);
	va_end(ap);
	fflush(stdout);
	if (pipe(p))
		return r;
	pid = fork();
	if (!pid)
		child(to, p[1], argv);
	close(p[1]);
	while ((n = read(p[0], r.err + len, sizeof(r.err) - 1 - len)) > 0)
		len += n;
	close(p[0]);
	if (waitpid(pid, &wstatus, 0) == pid && WIFEXITED(wstatus))
		r.status = WEXITSTATUS(wstatus);
	return r;
}

static bool is_line(const char *text)
{
	const char *end = strchr(text, '\n');

	return end && !end[1];
}

static void a_full_disk(void)
{
	static const char *const commands[] = { "help", "syscalls", "events", "-V" };
	struct result r;
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		r = run("/dev/full", commands[i], NULL);
		CHECK_EQ(r.status, ST_LOST);
		CHECK(is_line(r.err));
		CHECK(strstr(r.err, "ktrctl: cannot write to standard output"));
		r = run("/dev/null", commands[i], NULL);
		CHECK_EQ(r.status, ST_OK);
		CHECK(!*r.err);
	}
	/* What went wrong before says more. */
	r = run("/dev/full", "nonsense", NULL);
	CHECK_EQ(r.status, ST_USAGE);
	CHECK(is_line(r.err));
}

/* One that is whole, and empty. */
static bool make_file(void)
{
	struct ktr_file_footer foot = { 0 };
	struct cap_writer w;
	struct fault f;

	return !cap_create(&w, path, false, &f) &&
	       !cap_put(&w, KTR_FILE_FOOTER, 0, 0, 0, &foot, sizeof(foot)) && !cap_finish(&w);
}

/* A file that is opened later must not get the text. */
static void closed_descriptors(void)
{
	struct result r = run(NULL, "syscalls", NULL);
	struct stat before, after;

	CHECK_EQ(r.status, ST_LOST);
	CHECK(is_line(r.err));
	CHECK(strstr(r.err, "ktrctl: cannot write to standard output: Bad file descriptor"));
	REQUIRE(make_file());
	REQUIRE(!stat(path, &before));
	r = run(NULL, "report", path, NULL);
	CHECK_EQ(r.status, ST_OK);
	REQUIRE(!stat(path, &after));
	CHECK_EQ(before.st_size, after.st_size);
}

static void empty_and_long_marks(void)
{
	static char text[KTR_MARK_MAX + 2];
	struct result r = run("/dev/null", "mark", "", NULL);

	CHECK_EQ(r.status, ST_USAGE);
	CHECK(strstr(r.err, "mark: TEXT is empty"));
	memset(text, 'x', KTR_MARK_MAX + 1);
	r = run("/dev/null", "mark", text, NULL);
	CHECK_EQ(r.status, ST_USAGE);
	CHECK(strstr(r.err, "mark: too long"));
}

static void a_pipe_without_a_command(void)
{
	struct result r;

	REQUIRE(make_file());
	r = run("/dev/null", "report", "-o", "|/nonexistent/command 2>/dev/null", path, NULL);
	CHECK_EQ(r.status, ST_LOST);
	CHECK(is_line(r.err));
	CHECK(strstr(r.err, "there is no such command to run"));
	r = run("/dev/null", "report", "-o", "|cat", path, NULL);
	CHECK_EQ(r.status, ST_OK);
	CHECK(!*r.err);
}

int main(void)
{
	sprintf(path, "/tmp/test_command.%d", getpid());
	RUN(a_full_disk);
	RUN(closed_descriptors);
	RUN(empty_and_long_marks);
	RUN(a_pipe_without_a_command);
	unlink(path);
	return tap_done();
}
