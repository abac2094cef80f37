// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "ending.h"

static const int sigs[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
#define NSIGS (sizeof(sigs) / sizeof(sigs[0]))

void ending_hold(sigset_t *old)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < NSIGS; i++)
		sigaddset(&set, sigs[i]);
	sigprocmask(SIG_BLOCK, &set, old);
}

void ending_release(const sigset_t *old)
{
	sigprocmask(SIG_SETMASK, old, NULL);
}

int ending_signal(void)
{
	sigset_t pending;
	size_t i;

	if (sigpending(&pending))
		return 0;
	for (i = 0; i < NSIGS; i++)
		if (sigismember(&pending, sigs[i]) == 1)
			return sigs[i];
	return 0;
}

int ending_fault(const char *what, struct fault *f)
{
	int sig = ending_signal();

	return sig ? fault_set(f, 128 + sig, "%s: interrupted: nothing was changed", what) : 0;
}
