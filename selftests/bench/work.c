// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The traced side of the benches: work as programs do it, and what it cost.
 *
 *	work opens N		open, fstat and close a file, N times
 *	work blocks N		read and write a block of 4 KiB, N times
 *	work spawn N		fork and exec true, N times
 *	work threads N		two threads, each N times a write of 64 bytes
 *	work run COMMAND...
 *
 * Prints nanoseconds of the whole, by the CPU time of all its processes and by
 * the wall clock. Under the emulator's instruction clock both are instructions.
 */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long count;
static char **command;

static long long of_timeval(struct timeval tv)
{
	return tv.tv_sec * 1000000000LL + tv.tv_usec * 1000LL;
}

static long long used(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return of_timeval(ru.ru_utime) + of_timeval(ru.ru_stime);
}

static long long cpu_time(void)
{
	return used(RUSAGE_SELF) + used(RUSAGE_CHILDREN);
}

static long long wall_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void opens(void)
{
	struct stat st;
	long i;
	int fd;

	for (i = 0; i < count; i++) {
		fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st))
			err(1, "/etc/passwd");
		close(fd);
	}
}

static void blocks(void)
{
	char name[] = "/tmp/work.XXXXXX", block[4096] = "block";
	int fd = mkstemp(name);
	long i;

	if (fd < 0)
		err(1, "%s", name);
	unlink(name);
	for (i = 0; i < count; i++)
		if (pwrite(fd, block, sizeof(block), 0) != sizeof(block) ||
		    pread(fd, block, sizeof(block), 0) != sizeof(block))
			err(1, "%s", name);
	close(fd);
}

static void run(char **argv)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		execvp(argv[0], argv);
		err(127, "%s", argv[0]);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "%s failed", argv[0]);
}

static void spawn(void)
{
	char *true_argv[] = { "/bin/true", NULL };
	long i;

	for (i = 0; i < count; i++)
		run(true_argv);
}

static void *write_all(void *unused)
{
	static const char text[64] = "text";
	int fd = open("/dev/null", O_WRONLY);
	long i;

	for (i = 0; i < count; i++)
		if (write(fd, text, sizeof(text)) != sizeof(text))
			err(1, "/dev/null");
	close(fd);
	return unused;
}

static void threads(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, write_all, NULL))
		errx(1, "no thread");
	write_all(NULL);
	pthread_join(thread, NULL);
}

static void run_command(void)
{
	run(command);
}

static const struct {
	const char *name;
	void (*work)(void);
} works[] = {
	{ "opens", opens },
	{ "blocks", blocks },
	{ "spawn", spawn },
	{ "threads", threads },
	{ "run", run_command },
};

int main(int argc, char **argv)
{
	long long cpu, wall;
	size_t i;

	for (i = 0; argc > 2 && i < sizeof(works) / sizeof(works[0]); i++) {
		if (strcmp(argv[1], works[i].name))
			continue;
		command = argv + 2;
		count = atol(argv[2]);
		cpu = cpu_time();
		wall = wall_time();
		works[i].work();
		wall = wall_time() - wall;
		fprintf(stderr, "%lld %lld\n", cpu_time() - cpu, wall);
		return 0;
	}
	fprintf(stderr, "usage: work opens|blocks|spawn|threads N, or: work run COMMAND...\n");
	return 2;
}
