// SPDX-License-Identifier: GPL-2.0-or-later
/* mask.c - what differs between two runs of a tracer is taken out of its lines */
#include <ctype.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits that no two runs share, and what differs for all lines of a kind. */
static const struct {
	const char *before;	/* the number stands behind this */
} chance[] = {
	{ "si_utime=" }, { "si_stime=" }, { "tv_sec=" }, { "tv_nsec=" },
	{ "tv_usec=" }, { "tms_utime=" }, { "tms_stime=" },
	{ "tms_cutime=" }, { "tms_cstime=" }, { "htons(" },
};

/* Dates, and clock ticks in seconds: they are of times that are masked. */
static void mask_dates(char *s)
{
	while ((s = strstr(s, " /* "))) {
		char *end = strstr(s, " */");

		if (!end)
			return;
		if (isdigit((unsigned char)s[4]) &&
		    (s[8] == '-' || end[-1] == 's'))
			memmove(s, end + 3, strlen(end + 3) + 1);
		else
			s += 4;
	}
}

/*
 * Of these only the name is compared. What rt_sigreturn returns depends on where
 * the signal came.
 */
static const char *const noise[] = {
	"getrandom(", "sysinfo(", "statfs(", "fstatfs(", "statfs64(",
	"fstatfs64(", "times(", "time(",
	"getppid(", "rt_sigreturn(",
};

/* Of children that end together only one is told of: which one is chance. */
static void mask_child(char *s)
{
	static const char child[] = "--- SIGCHLD {si_signo=SIGCHLD, ";
	char *at = strstr(s, "si_pid=P");

	if (!at || strncmp(s, child, strlen(child)))
		return;
	at += strlen("si_pid=P");
	memmove(at, at + strspn(at, "0123456789"),
		strlen(at + strspn(at, "0123456789")) + 1);
}

static void mask_noise(char *s)
{
	mask_child(s);
	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++)
		if (!strncmp(s, noise[i], strlen(noise[i])))
			s[strlen(noise[i])] = 0;
}

static char *mask_numbers(char *s)
{
	for (size_t i = 0; i < sizeof(chance) / sizeof(chance[0]); i++) {
		char *at = s;

		while ((at = strstr(at, chance[i].before))) {
			char *end;

			at += strlen(chance[i].before);
			end = at + strspn(at, "0123456789");
			memmove(at, end, strlen(end) + 1);
		}
	}
	mask_dates(s);
	return s;
}

/* Where pids stand: behind these words, and as results of these calls. */
static const char *const before_pid[] = {
	"si_pid=", "wait4(", "kill(", "rt_sigqueueinfo(", "process_vm_readv(", "process_vm_writev(", "parent_tid=[", "setpgid(", "/proc/",
};

static const char *const gives_pid[] = {
	"clone", "vfork(", "wait4(", "getpid(", "gettid(", "set_tid_address(",
	"getpgrp(",
};

static bool pid_may_be(const char *line, size_t at)
{
	for (size_t i = 0; i < sizeof(before_pid) / sizeof(before_pid[0]); i++) {
		size_t n = strlen(before_pid[i]);

		if (at >= n && !strncmp(line + at - n, before_pid[i], n))
			return true;
	}
	if (at < 3 || strncmp(line + at - 3, " = ", 3))
		return false;
	for (size_t i = 0; i < sizeof(gives_pid) / sizeof(gives_pid[0]); i++)
		if (!strncmp(line, gives_pid[i], strlen(gives_pid[i])))
			return true;
	return false;
}

/* A process of this run becomes its place in the order. */
static char *mask_pids(const char *line, const int *pids, unsigned int n)
{
	char *out = malloc(strlen(line) * 2 + 1), *o = out;
	const char *s = line;

	while (*s) {
		size_t len = strspn(s, "0123456789");
		unsigned int i = n;

		if (len && pid_may_be(line, s - line))
			for (i = 0; i < n; i++)
				if (atoi(s) == pids[i])
					break;
		if (i < n)
			o += sprintf(o, "P%u", i);
		else
			o = mempcpy(o, s, len ? len : 1);
		s += len ? len : 1;
	}
	*o = 0;
	return out;
}

/* The column of the result, and where the environment lies, is not compared. */
static void mask_layout(char *s)
{
	char *at = strstr(s, "  "), *env = at ? strstr(at, " = ") : NULL;

	if (env)
		memmove(at, env, strlen(env) + 1);
	at = strncmp(s, "execve(", 7) ? NULL : strstr(s, "], 0x");
	env = at ? strstr(at, " /*") : NULL;
	if (env)
		memmove(at + 3, env, strlen(env) + 1);
}

/* What ours adds to strace's text, and what only a pretended result has. */
static void strip(char *s, const char *what)
{
	char *at;

	while ((at = strstr(s, what)))
		memmove(at, at + strlen(what), strlen(at + strlen(what)) + 1);
}

/* A quoted name of n characters, in hex or not. */
static void unquote(char name[IF_NAMESIZE], const char *s, size_t n)
{
	unsigned int len = 0, c;

	for (size_t i = 0; i < n && len < IF_NAMESIZE - 1; i++) {
		c = (unsigned char)s[i];
		if (n - i >= 4 && sscanf(s + i, "\\x%2x", &c) == 1)
			i += 3;
		name[len++] = c;
	}
	name[len] = 0;
}

/*
 * strace looks up names of interfaces, and shows them in a comment if the number
 * is shown too; ours are the numbers there were.
 */
static char *mask_names(const char *line)
{
	static const char call[] = "if_nametoindex(\"";
	char *out = malloc(strlen(line) + 1), *o = out, name[IF_NAMESIZE];
	const char *at;

	while ((at = strstr(line, call))) {
		size_t n = strcspn(at + strlen(call), "\"");

		unquote(name, at + strlen(call), n);
		o = mempcpy(o, line, at - line);
		line = at + strlen(call) + n + 2;
		if (o - out >= 4 && !memcmp(o - 4, " /* ", 4)) {
			o -= 4;
			line += strlen(" */");
			continue;
		}
		o += sprintf(o, "%u", if_nametoindex(name));
	}
	strcpy(o, line);
	return out;
}
