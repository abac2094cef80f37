// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls in known numbers.
 *
 *	act_sums family		10 open here, 100 read with 5 errors in one
 *				child, 1000 write in another; prints the three
 *				process ids
 *	act_sums stats N	N good stat, 3 ENOENT, 2 EACCES, as nobody
 *	act_sums getppid N	N getppid
 *	act_sums alarm		a deadly signal in pause
 *	act_sums poll N		N polls of no descriptor
 *	act_sums forever	getppid until killed
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int reads(void)
{
	int fd = open("/dev/zero", O_RDONLY), i;
	char c;

	for (i = 0; i < 95; i++)
		syscall(SYS_read, fd, &c, 1);
	for (i = 0; i < 5; i++)
		syscall(SYS_read, -1, &c, 1);
	return 0;
}

static int writes(void)
{
	int fd = open("/dev/null", O_WRONLY), i;

	for (i = 0; i < 1000; i++)
		syscall(SYS_write, fd, "x", 1);
	return 0;
}

static pid_t child(int (*fn)(void))
{
	pid_t pid = fork();

	if (!pid)
		_exit(fn());
	return pid;
}

static int family(void)
{
	pid_t reader, writer;
	int i;

	for (i = 0; i < 10; i++)
		syscall(SYS_open, "/dev/null", O_RDONLY);
	reader = child(reads);
	waitpid(reader, NULL, 0);
	writer = child(writes);
	waitpid(writer, NULL, 0);
	dprintf(1, "%d %d %d\n", getpid(), reader, writer);
	return 0;
}

static int stats(long n)
{
	char dir[] = "/tmp/act_sums.XXXXXX";
	struct stat st;
	long i;

	if (!mkdtemp(dir) || chmod(dir, 0) || setuid(65534))
		return 1;
	for (i = 0; i < n; i++)
		syscall(SYS_stat, "/dev/null", &st);
	for (i = 0; i < 3; i++)
		syscall(SYS_stat, "/no/such/file", &st);
	for (i = 0; i < 2; i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/x", dir);
		syscall(SYS_stat, path, &st);
	}
	return 0;
}

static int calls(long n)
{
	while (n--)
		syscall(SYS_getppid);
	return 0;
}

static int polls(long n)
{
	while (n--)
		syscall(SYS_poll, NULL, 0, 0);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : -1;

	if (!strcmp(what, "family"))
		return family();
	if (!strcmp(what, "alarm"))
		return alarm(1) || pause();
	if (!strcmp(what, "forever"))
		return calls(LONG_MAX);
	if (!strcmp(what, "stats") && n >= 0)
		return stats(n);
	if (!strcmp(what, "getppid") && n >= 0)
		return calls(n);
	if (!strcmp(what, "poll") && n >= 0)
		return polls(n);
	fprintf(stderr, "usage: act_sums family|alarm|forever|stats N|getppid N|poll N\n");
	return 2;
}
