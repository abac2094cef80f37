// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "ktr_module.h"

const char *ktr_module_path(void)
{
	return getenv("KTR_MODULE") ?: "/lib/ktracer/ktracer.ko";
}

bool ktr_module_loaded(void)
{
	return !access("/sys/module/ktracer/refcnt", F_OK);
}

int ktr_module_load(void)
{
	int fd = open(ktr_module_path(), O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return ret == -EEXIST ? 0 : ret;
}

int ktr_module_unload(void)
{
	return syscall(SYS_delete_module, "ktracer", O_NONBLOCK) ? -errno : 0;
}
