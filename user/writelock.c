// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "writelock.h"

#define LOOK_MS 10
#define LOOKS 100

int writelock_take(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (!fcntl(fd, F_OFD_SETLK, &whole) || (errno != EAGAIN && errno != EACCES))
		return 0;
	return writelock_held(fd) ? -EAGAIN : -EDEADLK;
}

bool writelock_held(int fd)
{
	/* What is in the way of reading: locks for writing alone. */
	struct flock other = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	return !fcntl(fd, F_OFD_GETLK, &other) && other.l_type != F_UNLCK;
}

bool writelock_held_on(int fd)
{
	int i;

	for (i = 0; i < LOOKS && writelock_held(fd); i++)
		poll(NULL, 0, LOOK_MS);
	return i == LOOKS;
}
