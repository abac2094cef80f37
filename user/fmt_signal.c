// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_signal.c - signals and error numbers by name */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "consts.h"
#include "fmt_signal.h"

#define FIRST_RT	32	/* the kernel's, not the C library's */
#define LAST_RT		64
#define MOST		255	/* what strace takes for a number */

const char *sig_name(int sig, char tmp[16])
{
	const char *name = xlat_name(&xlat_signals, sig);

	if (name)
		return name;
	if (sig == FIRST_RT)
		return "SIGRTMIN";
	if (sig > FIRST_RT && sig <= LAST_RT)
		snprintf(tmp, 16, "SIGRT_%d", sig - FIRST_RT);
	else
		snprintf(tmp, 16, "%d", sig);
	return tmp;
}

static int number(const char *s, int max)
{
	char *end;
	long n = strtol(s, &end, 10);

	return end == s || *end || n < 0 || n > max ? -1 : (int)n;
}

int sig_number(const char *name)
{
	char tmp[16];

	if (*name >= '0' && *name <= '9')
		return number(name, MOST);
	if (!strncasecmp(name, "SIG", 3))
		name += 3;
	for (int sig = 1; sig <= LAST_RT; sig++)
		if (!strcasecmp(sig_name(sig, tmp) + 3, name))
			return sig;
	return -1;
}

static const struct {
	int err;
	const char *name;
} restart_codes[] = {
	{ 512, "ERESTARTSYS" },
	{ 513, "ERESTARTNOINTR" },
	{ 514, "ERESTARTNOHAND" },
	{ 515, "ENOIOCTLCMD" },
	{ 516, "ERESTART_RESTARTBLOCK" },
};

#define NCODES (sizeof(restart_codes) / sizeof(restart_codes[0]))

const char *errno_name(int err, char tmp[16])
{
	const char *name = xlat_name(&xlat_errnos, err);

	for (size_t i = 0; !name && i < NCODES; i++)
		if (restart_codes[i].err == err)
			name = restart_codes[i].name;
	if (name)
		return name;
	snprintf(tmp, 16, "%d", err);
	return tmp;
}

int errno_number(const char *name)
{
	uint64_t value;

	if (*name >= '0' && *name <= '9')
		return number(name, 4095);
	if (xlat_value(&xlat_errnos, name, &value))
		return value;
	for (size_t i = 0; i < NCODES; i++)
		if (!strcmp(restart_codes[i].name, name))
			return restart_codes[i].err;
	return -1;
}
