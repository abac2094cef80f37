// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "stdfds.h"

void stdfds_hold(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int stdfds_flush(void)
{
	bool failed = ferror(stdout);

	if (fflush(stdout))
		return errno;
	return failed ? -1 : 0;
}
