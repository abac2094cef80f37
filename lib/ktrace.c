// SPDX-License-Identifier: GPL-2.0-or-later
/* The two calls, with errors in errno. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "facility.h"
#include "ktrace.h"
#include "ktracer.h"

int ktrace(const char *tracefile, int ops, int trpoints, int pid)
{
	struct facility_ask ask = {
		.file = tracefile, .ops = ops, .points = trpoints, .pid = pid,
	};
	int err = facility_apply(&ask);

	if (!err)
		return 0;
	errno = -err;
	return -1;
}

int utrace(const void *addr, size_t len)
{
	ssize_t done;
	int fd, err;

	if (len > KTR_MARK_MAX) {
		errno = EINVAL;
		return -1;
	}
	fd = open(KTR_DEVICE, O_WRONLY | O_CLOEXEC);
	if (fd < 0) {
		if (errno == ENOENT || errno == ENODEV || errno == ENXIO)
			errno = ENOSYS;
		return -1;
	}
	done = write(fd, addr, len);
	err = errno;
	close(fd);
	errno = err;
	return done < 0 ? -1 : 0;
}
