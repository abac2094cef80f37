// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of strace's -e and of our lists, into sets. */
#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmt_signal.h"
#include "select.h"
#include "sys.h"

#define REPEATS_MAX 8
#define ABIS ((1u << KTR_ABI_NATIVE) | (1u << KTR_ABI_COMPAT))

static void set_bit(struct sysset *s, unsigned int abi, int nr)
{
	if (nr >= 0 && nr < KTR_SYSCALLS_MAX)
		s->bits[abi][nr / 64] |= 1ULL << (nr % 64);
}

void sysset_all(struct sysset *s)
{
	memset(s->bits, 0xff, sizeof(s->bits));
	s->others = true;
}

bool sysset_has(const struct sysset *s, unsigned int abi, unsigned int nr)
{
	return abi < __KTR_ABI_LAST && nr < KTR_SYSCALLS_MAX &&
	       s->bits[abi][nr / 64] & 1ULL << (nr % 64);
}

bool sysset_empty(const struct sysset *s)
{
	const uint64_t *w = &s->bits[0][0];
	size_t i;

	for (i = 0; i < sizeof(s->bits) / sizeof(*w); i++)
		if (w[i])
			return false;
	return !s->others;
}

static void invert(struct sysset *s)
{
	uint64_t *w = &s->bits[0][0];
	size_t i;

	for (i = 0; i < sizeof(s->bits) / sizeof(*w); i++)
		w[i] = ~w[i];
	s->others = !s->others;
}

typedef bool (*call_fn)(const void *arg, unsigned int abi, int nr);

/* All calls that have a name and fulfil fn. */
static bool add_matching(struct sysset *s, unsigned int abis, call_fn fn,
			 const void *arg)
{
	bool any = false;
	unsigned int abi;
	int nr;

	for (abi = 0; abi < __KTR_ABI_LAST; abi++)
		for (nr = 0; abis & 1u << abi && nr < sys_limit(abi); nr++)
			if (sys_lookup(abi, nr) && fn(arg, abi, nr)) {
				set_bit(s, abi, nr);
				any = true;
			}
	return any;
}

static bool in_class(const void *arg, unsigned int abi, int nr)
{
	return sys_classes(sys_lookup(abi, nr)) & *(const uint64_t *)arg;
}

static bool name_matches(const void *arg, unsigned int abi, int nr)
{
	char tmp[32];

	return !regexec(arg, sys_name(abi, nr, tmp), 0, NULL, 0);
}

/*
 * Each repetition may double what the C library compiles: a few are plenty
 * for names of syscalls, and a line of plus signs must not hang us.
 */
static bool is_cheap(const char *pattern)
{
	unsigned int n = 0;

	for (; *pattern; pattern++) {
		if (*pattern == '{')
			return false;
		n += strchr("+*?", *pattern) != NULL;
	}
	return n <= REPEATS_MAX;
}

static int add_regex(struct sysset *s, unsigned int abis, const char *pattern,
		     struct fault *f)
{
	char text[128];
	regex_t re;
	int err;

	if (!is_cheap(pattern))
		return fault_set(f, ST_USAGE, "trace=/%s: at most %d of + * ? and no {} in a pattern",
				 pattern, REPEATS_MAX);
	err = regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB);
	if (err) {
		regerror(err, &re, text, sizeof(text));
		return fault_set(f, ST_USAGE, "trace=/%s: %s", pattern, text);
	}
	/* No match is no fault: strace's rule. */
	add_matching(s, abis, name_matches, &re);
	regfree(&re);
	return 0;
}

static bool add_name(struct sysset *s, unsigned int abis, const char *name)
{
	bool any = false;
	unsigned int abi;
	char *end;
	long nr;

	if (isdigit((unsigned char)*name)) {
		nr = strtol(name, &end, 0);
		if (*end || nr >= KTR_SYSCALLS_MAX)
			return false;
		for (abi = 0; abi < __KTR_ABI_LAST; abi++)
			if (abis & 1u << abi)
				set_bit(s, abi, nr);
		return true;
	}
	for (abi = 0; abi < __KTR_ABI_LAST; abi++) {
		if (!(abis & 1u << abi))
			continue;
		nr = sys_number(abi, name);
		if (nr < 0 || nr >= KTR_SYSCALLS_MAX)
			continue;
		set_bit(s, abi, nr);
		any = true;
	}
	return any;
}

/* Classes had no % once, and strace still takes those. */
static bool add_class(struct sysset *s, unsigned int abis, const char *name)
{
	static const char *const old[] = {
		"file", "process", "network", "signal", "ipc", "desc", "memory",
	};
	uint64_t bit;
	size_t i;

	if (*name != '%') {
		for (i = 0; i < sizeof(old) / sizeof(old[0]); i++)
			if (!strcmp(old[i], name))
				break;
		if (i == sizeof(old) / sizeof(old[0]))
			return false;
	}
	bit = sys_class_bit(name + (*name == '%'));
	if (!bit)
		return false;
	add_matching(s, abis, in_class, &bit);
	return true;
}

/* A trailing @64 or @32 says which ABI is meant. */
static unsigned int cut_abi(char *word)
{
	char *at = strrchr(word, '@');

	if (at && !strcmp(at, "@64")) {
		*at = '\0';
		return 1u << KTR_ABI_NATIVE;
	}
	if (at && !strcmp(at, "@32")) {
		*at = '\0';
		return 1u << KTR_ABI_COMPAT;
	}
	return ABIS;
}

static int add_word(struct sysset *s, char *word, struct fault *f)
{
	bool maybe = *word == '?';
	unsigned int abis;

	while (*word == '?')
		word++;
	abis = cut_abi(word);
	if (*word == '/')
		return add_regex(s, abis, word + 1, f);
	if (!strcmp(word, "all")) {
		sysset_all(s);
		return 0;
	}
	if (!strcmp(word, "none"))
		return 0;
	if (add_class(s, abis, word) || add_name(s, abis, word) || maybe)
		return 0;
	if (!*word)
		return fault_set(f, ST_USAGE, "trace=: the name of a syscall is missing");
	return fault_set(f, ST_USAGE, "invalid system call '%s': `ktrctl syscalls` shows those there are",
			 word);
}

int sysset_parse(struct sysset *s, const char *set, struct fault *f)
{
	bool inverted = *set == '!';
	char *copy, *rest, *word;
	int err = 0;

	memset(s, 0, sizeof(*s));
	copy = strdup(set + inverted);
	if (!copy)
		return fault_set(f, ST_USAGE, "out of memory");
	rest = copy;
	while (!err && (word = strsep(&rest, ",")))
		err = add_word(s, word, f);
	free(copy);
	if (!err && inverted)
		invert(s);
	return err;
}

int sigset_parse(uint64_t *mask, const char *set, struct fault *f)
{
	bool inverted = *set == '!';
	char *copy = strdup(set + inverted), *rest = copy, *word;
	int sig, err = 0;

	*mask = 0;
	if (!copy)
		return fault_set(f, ST_USAGE, "out of memory");
	while (!err && (word = strsep(&rest, ", \t\n"))) {
		if (!*word || !strcmp(word, "none"))
			continue;
		sig = sig_number(word);
		if (!strcmp(word, "all"))
			*mask = ~0ULL;
		else if (sig > 0 && sig <= 64)
			*mask |= 1ULL << (sig - 1);
		else
			err = fault_set(f, ST_USAGE, "invalid signal '%s': use names such as SIGUSR1, or numbers from 1 to 64",
					word);
	}
	free(copy);
	if (inverted)
		*mask = ~*mask;
	return err;
}

int status_parse(unsigned int *status, const char *set, struct fault *f)
{
	static const struct {
		const char *name;
		unsigned int bits;
	} names[] = {
		{ "successful", STATUS_SUCCESSFUL },
		{ "failed", STATUS_FAILED },
		{ "unfinished", STATUS_UNFINISHED },
		{ "unavailable", 0 }, { "detached", 0 },
		{ "all", STATUS_ALL }, { "none", 0 },
	};
	const size_t n = sizeof(names) / sizeof(names[0]);
	bool inverted = *set == '!';
	char *copy = strdup(set + inverted), *rest = copy, *word;
	int err = 0;
	size_t i;

	*status = 0;
	if (!copy)
		return fault_set(f, ST_USAGE, "out of memory");
	while (!err && (word = strsep(&rest, ","))) {
		for (i = 0; i < n && strcmp(names[i].name, word); i++)
			;
		if (i < n)
			*status |= names[i].bits;
		else
			err = fault_set(f, ST_USAGE, "invalid status '%s': use successful, failed, unfinished",
					word);
	}
	free(copy);
	if (inverted)
		*status ^= STATUS_ALL;
	return err;
}

bool pidlist_has(const struct pidlist *l, uint32_t pid)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->pid[i] == pid)
			return true;
	return false;
}

static int pidlist_add(struct pidlist *l, uint32_t pid, struct fault *f)
{
	uint32_t *p;

	if (pidlist_has(l, pid))
		return 0;
	p = realloc(l->pid, (l->n + 1) * sizeof(*p));
	if (!p)
		return fault_set(f, ST_USAGE, "out of memory");
	l->pid = p;
	p[l->n++] = pid;
	return 0;
}

int pidlist_parse(struct pidlist *l, const char *text, struct fault *f)
{
	static const char sep[] = ", \t\n";
	unsigned long pid;
	size_t before = l->n;
	char *end;
	int err = 0;

	while (!err && *(text += strspn(text, sep))) {
		pid = strtoul(text, &end, 10);
		if (!isdigit((unsigned char)*text) ||
		    (*end && !strchr(sep, *end)) || !pid || pid > INT32_MAX)
			return fault_set(f, ST_USAGE, "invalid process id '%.*s': use numbers, separated by commas or blanks",
					 (int)strcspn(text, sep), text);
		err = pidlist_add(l, pid, f);
		text = end;
	}
	if (!err && !before && !l->n)
		err = fault_set(f, ST_USAGE, "no process id given: is the process still there?");
	return err;
}

int size_parse(uint64_t *bytes, const char *text, struct fault *f)
{
	static const char letters[] = "KMGT";
	unsigned long long v;
	const char *letter;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 10);
	letter = *end ? strchr(letters, toupper((unsigned char)*end)) : NULL;
	if (letter && *letter) {
		unsigned int shift = 10 * (letter - letters + 1);

		if (v > UINT64_MAX >> shift)
			errno = ERANGE;
		v <<= shift;
		end++;
		if (!strcmp(end, "iB") || !strcmp(end, "B"))
			end += strlen(end);
	}
	if (errno || !isdigit((unsigned char)*text) || *end || !v)
		return fault_set(f, ST_USAGE, "invalid size '%s': use a number with K, M or G, such as 64K",
				 text);
	*bytes = v;
	return 0;
}

int time_parse(uint64_t *ns, const char *text, struct fault *f)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 },
		{ "ns", 1 }, { "m", 60e9 }, { "h", 3600e9 },
	};
	char *end;
	double v = strtod(text, &end);
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, end))
			break;
	if (end == text || i == sizeof(units) / sizeof(units[0]) ||
	    !(v > 0 && v * units[i].ns < 9e18))
		return fault_set(f, ST_USAGE, "invalid time '%s': use a number with ms, s, m or h, such as 2s",
				 text);
	*ns = v * units[i].ns;
	return 0;
}
