// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "stdfds.h"

/* Writing to what was closed fails still. */
void stdfds_hold(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_RDWR : O_RDONLY);
}

int stdfds_flush(void)
{
	bool failed = ferror(stdout);

	if (fflush(stdout))
		return errno;
	if (!failed)
		return 0;
	/* Whether it can be written to at all is still to be known. */
	return write(STDOUT_FILENO, "", 0) < 0 ? errno : -1;
}
