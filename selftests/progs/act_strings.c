// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * act_strings DIR: opens by a path on a page that nobody has touched, by a bad
 * address, and by a path that is nearly as long as there can be.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PART 200	/* bytes of a folder's name */
#define LONG 4095

/* The path is in a file's mapping; the kernel is the first to read it. */
static int untouched(const char *dir)
{
	char path[4096];
	char *page;
	int fd;

	snprintf(path, sizeof(path), "%s/text", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	snprintf(path, sizeof(path), "%s/untouched", dir);
	if (fd < 0 || write(fd, path, strlen(path) + 1) < 0)
		return -1;
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return syscall(SYS_open, page, O_RDONLY | O_CREAT, 0600);
}

/* Folders in folders, and in the last one a file: LONG bytes in all. */
static int nested(const char *dir)
{
	char path[LONG + 1], name[PART + 1];
	size_t n = snprintf(path, sizeof(path), "%s", dir);

	memset(name, 'd', PART);
	name[PART] = 0;
	if (chdir(dir))
		return -1;
	while (LONG - n > PART + 20) {
		if (mkdir(name, 0700) || chdir(name))
			return -1;
		n += sprintf(path + n, "/%s", name);
	}
	memset(path + n, 'f', LONG - n);
	path[n] = '/';
	path[LONG] = 0;
	if (close(open(path + n + 1, O_WRONLY | O_CREAT, 0600)))
		return -1;
	return syscall(SYS_open, path, O_RDONLY);
}

int main(int argc, char **argv)
{
	if (argc != 2 || untouched(argv[1]) < 0)
		return 1;
	if (syscall(SYS_open, 8L, O_RDONLY) >= 0 || errno != EFAULT)
		return 2;
	return nested(argv[1]) < 0 ? 3 : 0;
}
