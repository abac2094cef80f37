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
#include "sys_table.h"

#define REPEATS_MAX 8
#define ABIS ((1u << KTR_ABI_NATIVE) | (1u << KTR_ABI_COMPAT))

static void set_bit(struct sysset *s, unsigned int abi, int nr)
{
	int w = sys_wrapper(abi, nr);

	if (w >= 0)
		s->inner[w] = ~0u;
	if (nr >= 0 && nr < KTR_SYSCALLS_MAX)
		s->bits[abi][nr / 64] |= 1ULL << (nr % 64);
}

void sysset_all(struct sysset *s)
{
	memset(s->bits, 0xff, sizeof(s->bits));
	memset(s->inner, 0xff, sizeof(s->inner));
	s->others = true;
}

bool sysset_has(const struct sysset *s, unsigned int abi, unsigned int nr)
{
	return abi < __KTR_ABI_LAST && nr < KTR_SYSCALLS_MAX &&
	       s->bits[abi][nr / 64] & 1ULL << (nr % 64);
}

bool sysset_has_call(const struct sysset *s, unsigned int abi, unsigned int nr,
		     uint64_t arg0)
{
	int w = sys_wrapper(abi, nr);

	return sysset_has(s, abi, nr) &&
	       (w < 0 || s->inner[w] & 1u << sys_inner_key(w, arg0));
}

bool sysset_is_plain(const struct sysset *s)
{
	unsigned int w;

	for (w = 0; w < SYS_WRAPPERS; w++)
		if (s->inner[w] && ~s->inner[w])
			return false;
	return true;
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
	for (i = 0; i < SYS_WRAPPERS; i++)
		s->inner[i] = ~s->inner[i];
	s->others = !s->others;
}

/* A call that stands for others is recorded if any of them is wanted. */
static void settle(struct sysset *s)
{
	unsigned int w, nr;
	uint64_t *word;

	for (w = 0; w < SYS_WRAPPERS; w++) {
		nr = sys_wrapper_number(w);
		word = &s->bits[KTR_ABI_COMPAT][nr / 64];
		*word &= ~(1ULL << (nr % 64));
		if (s->inner[w])
			*word |= 1ULL << (nr % 64);
	}
}

typedef bool (*call_fn)(const void *arg, const char *name, uint64_t classes);

/* The same for those that are called through another. */
static bool add_inner(struct sysset *s, unsigned int abis, call_fn fn,
		      const void *arg)
{
	unsigned int w, key;
	const char *name;
	uint64_t classes;
	bool any = false;

	if (!(abis & 1u << KTR_ABI_COMPAT))
		return false;
	for (w = 0; w < SYS_WRAPPERS; w++)
		for (key = 0; key < SYS_INNER_MAX; key++) {
			name = sys_inner(w, key, &classes);
			if (!name || !fn(arg, name, classes))
				continue;
			s->inner[w] |= 1u << key;
			any = true;
		}
	return any;
}

/*
 * All calls that have a name and fulfil fn. Of one that stands for others that is
 * what it is when none of them is meant.
 */
static bool add_matching(struct sysset *s, unsigned int abis, call_fn fn,
			 const void *arg)
{
	const struct sys_desc *d;
	bool any = false;
	unsigned int abi;
	int nr, w;

	for (abi = 0; abi < __KTR_ABI_LAST; abi++)
		for (nr = 0; abis & 1u << abi && nr < sys_limit(abi); nr++) {
			d = sys_lookup(abi, nr);
			if (!d || !fn(arg, d->name, d->classes))
				continue;
			w = sys_wrapper(abi, nr);
			if (w >= 0)
				s->inner[w] |= 1;
			else
				set_bit(s, abi, nr);
			any = true;
		}
	return add_inner(s, abis, fn, arg) || any;
}

static bool in_class(const void *arg, const char *name, uint64_t classes)
{
	(void)name;
	return classes & *(const uint64_t *)arg;
}

static bool name_matches(const void *arg, const char *name, uint64_t classes)
{
	(void)classes;
	return !regexec(arg, name, 0, NULL, 0);
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

/* Return: whether any matches; -EINVAL and the fault. */
static int add_regex(struct sysset *s, unsigned int abis, const char *pattern,
		     struct fault *f)
{
	char text[128];
	bool any;
	regex_t re;
	int err;

	if (!is_cheap(pattern))
		return fault_set(f, ST_USAGE, "trace=/%s: at most %d of + * ? and no {} in a pattern",
				 pattern, REPEATS_MAX);
	err = regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB);
	if (err) {
		regerror(err, &re, text, sizeof(text));
		return fault_set(f, ST_USAGE, "regcomp: %s: %s", pattern, text);
	}
	any = add_matching(s, abis, name_matches, &re);
	regfree(&re);
	return any;
}

/* Numbers between those of two calls may be calls that we do not know. */
static bool add_number(struct sysset *s, unsigned int abis, const char *digits)
{
	unsigned int abi;
	bool any = false;
	char *end;
	long nr = strtol(digits, &end, 10);

	if (*end)
		return false;
	for (abi = 0; abi < __KTR_ABI_LAST; abi++) {
		if (!(abis & 1u << abi) || nr >= sys_limit(abi))
			continue;
		set_bit(s, abi, nr);
		any = true;
	}
	return any;
}

static bool is_name(const void *arg, const char *name, uint64_t classes)
{
	(void)classes;
	return !strcmp(arg, name);
}

static bool add_name(struct sysset *s, unsigned int abis, const char *name)
{
	unsigned int abi;
	bool any = false;
	int nr;

	if (isdigit((unsigned char)*name))
		return add_number(s, abis, name);
	for (abi = 0; abi < __KTR_ABI_LAST; abi++) {
		if (!(abis & 1u << abi))
			continue;
		nr = sys_number(abi, name);
		if (nr < 0 || nr >= KTR_SYSCALLS_MAX)
			continue;
		set_bit(s, abi, nr);
		any = true;
	}
	return add_inner(s, abis, is_name, name) || any;
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

/* What stands behind the last "@" says which ABI is meant, and is cut off. */
static int cut_abi(char *word, unsigned int *abis, struct fault *f)
{
	char *at = strrchr(word, '@');

	*abis = ABIS;
	if (!at)
		return 0;
	if (!strcmp(at, "@64"))
		*abis = 1u << KTR_ABI_NATIVE;
	else if (!strcmp(at, "@32"))
		*abis = 1u << KTR_ABI_COMPAT;
	else if (!strcmp(at, "@x32"))
		*abis = 0;
	else
		return fault_set(f, ST_USAGE, "incorrect personality designator '%s' in qualification '%s': use 64 or 32",
				 at + 1, word);
	*at = '\0';
	return 0;
}

static bool add_all(struct sysset *s, unsigned int abis)
{
	if (abis & 1u << KTR_ABI_NATIVE)
		memset(s->bits[KTR_ABI_NATIVE], 0xff,
		       sizeof(s->bits[KTR_ABI_NATIVE]));
	if (abis & 1u << KTR_ABI_COMPAT) {
		memset(s->bits[KTR_ABI_COMPAT], 0xff,
		       sizeof(s->bits[KTR_ABI_COMPAT]));
		memset(s->inner, 0xff, sizeof(s->inner));
	}
	s->others = true;
	return true;
}

/* Return: whether it means anything; -EINVAL and the fault. */
static int add_plain(struct sysset *s, unsigned int abis, const char *word,
		     struct fault *f)
{
	if (*word == '/')
		return add_regex(s, abis, word + 1, f);
	if (!strcmp(word, "all"))
		return add_all(s, abis);
	return add_class(s, abis, word) || add_name(s, abis, word);
}

static int add_word(struct sysset *s, const char *given, struct fault *f)
{
	const size_t marks = strspn(given, "?");
	char *word = strdup(given + marks);
	struct sysset x32 = { 0 };	/* of which nothing is recorded */
	unsigned int abis;
	int got;

	if (!word)
		return fault_set(f, ST_USAGE, "out of memory");
	got = cut_abi(word, &abis, f);
	if (!got)
		got = add_plain(abis ? s : &x32, abis ?: ABIS, word, f);
	free(word);
	if (!got && !marks)
		got = fault_set(f, ST_USAGE, "invalid system call '%s': `ktrctl syscalls` shows those there are",
				given);
	return got < 0 ? got : 0;
}

bool set_misplaces(const char *set, const char *word)
{
	return strpbrk(set, ", \t\n") &&
	       (!strcmp(word, "none") || !strcmp(word, "all"));
}

/* Commas between which there is nothing do not matter, if there is a name. */
int sysset_parse(struct sysset *s, const char *set, struct fault *f)
{
	bool inverted = *set == '!';
	char *copy, *rest, *word;
	bool any = false;
	int err = 0;

	memset(s, 0, sizeof(*s));
	copy = strdup(set + inverted);
	if (!copy)
		return fault_set(f, ST_USAGE, "out of memory");
	rest = copy;
	while (!err && (word = strsep(&rest, ","))) {
		if (!*word)
			continue;
		any = true;
		if (strcmp(word, "none"))
			err = add_word(s, word, f);
		else if (set_misplaces(set, word))
			err = fault_set(f, ST_USAGE, "invalid system call 'none': it stands alone");
	}
	free(copy);
	if (!err && !any)
		err = fault_set(f, ST_USAGE, "invalid system call '%s': the name is missing",
				set + inverted);
	if (!err && inverted)
		invert(s);
	settle(s);
	return err;
}

int sigset_parse(uint64_t *mask, const char *set, struct fault *f)
{
	bool inverted = *set == '!';
	char *copy = strdup(set + inverted), *rest = copy, *word;
	bool any = false;
	int sig, err = 0;

	*mask = 0;
	if (!copy)
		return fault_set(f, ST_USAGE, "out of memory");
	while (!err && (word = strsep(&rest, ", \t\n"))) {
		if (!*word)
			continue;
		any = true;
		sig = sig_number(word);
		if (set_misplaces(set, word))
			err = fault_set(f, ST_USAGE, "invalid signal '%s': it stands alone", word);
		else if (!strcmp(word, "all"))
			*mask = ~0ULL;
		else if (sig > 0 && sig <= 64)
			*mask |= 1ULL << (sig - 1);
		else if (sig < 0 && strcmp(word, "none"))
			err = fault_set(f, ST_USAGE, "invalid signal '%s': use names such as SIGUSR1, or numbers from 1 to 64",
					word);
	}
	free(copy);
	if (!err && !any)
		err = fault_set(f, ST_USAGE, "invalid signal '%s': the name is missing",
				set + inverted);
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
		if (!*word && (rest || *status))
			continue;
		for (i = 0; i < n && strcmp(names[i].name, word); i++)
			;
		if (set_misplaces(set, word))
			err = fault_set(f, ST_USAGE, "invalid status '%s': it stands alone", word);
		else if (i < n)
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
			return fault_set(f, ST_USAGE, "Invalid process id: '%.*s': use numbers from 1 to 2147483647, separated by commas or blanks",
					 (int)strcspn(text, sep), text);
		err = pidlist_add(l, pid, f);
		text = end;
	}
	if (!err && !before && !l->n)
		err = fault_set(f, ST_USAGE, "no process id given: is the process still there?");
	return err;
}

int size_parse(uint64_t *bytes, const char *what, const char *text, struct fault *f)
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
		return fault_set(f, ST_USAGE, "invalid %s argument: '%s': use a number with K, M or G, such as 64K",
				 what, text);
	*bytes = v;
	return 0;
}

static const struct time_unit {
	const char *name;
	double ns;
} units[] = {
	{ "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 },
	{ "m", 60e9 }, { "h", 3600e9 },
};

#define STRACE_UNITS 4		/* the first ones */

/* A number and its unit; bare: nanoseconds of one without. Negative: neither. */
static double time_of(const char *text, double bare, size_t nunits)
{
	char *end;
	double v = strtod(text, &end);
	size_t i;

	if (end == text || !(v >= 0))
		return -1;
	if (!*end)
		return v * bare;
	for (i = 0; i < nunits; i++)
		if (!strcmp(units[i].name, end))
			return v * units[i].ns;
	return -1;
}

int time_parse(uint64_t *ns, const char *what, const char *text,
	       struct fault *f)
{
	double v = time_of(text, 1e9, sizeof(units) / sizeof(units[0]));

	if (!(v > 0 && v < 9e18))
		return fault_set(f, ST_USAGE, "invalid %s argument: '%s': use a time above 0, such as 500ms, 2s or 5m; a number alone is of seconds",
				 what, text);
	*ns = v;
	return 0;
}

int usec_parse(uint64_t *ns, const char *what, const char *text,
	       struct fault *f)
{
	double v = time_of(text, 1e3, STRACE_UNITS);

	if (!(v >= 0 && v < 9e18))
		return fault_set(f, ST_USAGE, "invalid %s argument: '%s': use a number with s, ms, us or ns",
				 what, text);
	*ns = v;
	return 0;
}
