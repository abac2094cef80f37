// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ktr_tracefs.h"

#define TRACEFS	"/sys/kernel/tracing"

static int put(const char *path, const char *text, int flag)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flag);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int ktr_put(const char *path, const char *text)
{
	return put(path, text, O_TRUNC);
}

static int put_in(const struct ktr_instance *t, const char *file, const char *text, int flag)
{
	char path[192];

	snprintf(path, sizeof(path), "%s/%s", t->dir, file);
	return put(path, text, flag);
}

int ktr_instance_write(const struct ktr_instance *t, const char *file,
		       const char *text)
{
	return put_in(t, file, text, O_TRUNC);
}

int ktr_instance_append(const struct ktr_instance *t, const char *file,
			const char *text)
{
	return put_in(t, file, text, O_APPEND);
}

int ktr_instance_open(struct ktr_instance *t, const char *name)
{
	snprintf(t->dir, sizeof(t->dir), TRACEFS "/instances/%s", name);
	/* A test that was killed may have left it. */
	rmdir(t->dir);
	if (!mkdir(t->dir, 0700))
		return 0;
	t->dir[0] = 0;
	return -errno;
}

void ktr_instance_close(struct ktr_instance *t)
{
	if (!t->dir[0])
		return;
	ktr_instance_write(t, "events/enable", "0");
	ktr_instance_write(t, "current_tracer", "nop");
	rmdir(t->dir);
	t->dir[0] = 0;
}

/* "     comm-TID     [CPU] .....  TIME: what": a name may have dashes in it. */
static void take_line(char *line, ktr_line_fn fn, void *arg)
{
	char *cpu = strstr(line, " ["), *p, *what;

	if (line[0] == '#' || !cpu)
		return;
	for (p = cpu; p > line && isspace((unsigned char)p[-1]); p--)
		;
	while (p > line && isdigit((unsigned char)p[-1]))
		p--;
	what = strstr(cpu, ": ");
	if (what)
		fn(arg, atoi(p), what + 2);
}

int ktr_instance_each(const struct ktr_instance *t, ktr_line_fn fn, void *arg)
{
	char path[192], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/trace", t->dir);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f))
		take_line(line, fn, arg);
	fclose(f);
	return 0;
}

int ktr_event_id(const char *event)
{
	char path[192], text[32] = "";
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), TRACEFS "/events/%s/id", event);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n > 0 ? atoi(text) : -EIO;
}

/*
 * By version of the kernel; compilers append to the name. Without the end of
 * line an unknown name would be no error.
 */
static const char *const slow_ways[] = {
	"trace_syscall_enter*\n", "syscall_trace_enter*\n",
	"syscall_enter_from_user_mode_work\n",
};

int ktr_watch_open(struct ktr_watch *w)
{
	int ret = ktr_instance_open(&w->t, "ktr_watch"), i;

	if (ret)
		return ret;
	ret = -ENOENT;
	for (i = 0; ret && i < sizeof(slow_ways) / sizeof(*slow_ways); i++)
		ret = ktr_instance_write(&w->t, "set_ftrace_filter",
					 slow_ways[i]);
	if (!ret)
		ret = ktr_instance_write(&w->t, "tracing_on", "0");
	if (!ret)
		ret = ktr_instance_write(&w->t, "current_tracer", "function");
	if (ret)
		ktr_watch_close(w);
	return ret == -EINVAL ? -ENOENT : ret;
}

void ktr_watch_close(struct ktr_watch *w)
{
	ktr_instance_close(&w->t);
}

int ktr_watch_begin(struct ktr_watch *w)
{
	return ktr_instance_write(&w->t, "trace", "") ?:
	       ktr_instance_write(&w->t, "tracing_on", "1");
}

int ktr_watch_end(struct ktr_watch *w)
{
	return ktr_instance_write(&w->t, "tracing_on", "0");
}

struct tally {
	const pid_t *tid;
	int n;
	long in, out;
};

static void tally(void *arg, pid_t tid, const char *what)
{
	struct tally *t = arg;
	int i;

	for (i = 0; i < t->n; i++)
		if (t->tid[i] == tid)
			break;
	if (i < t->n)
		t->in++;
	else
		t->out++;
}

long ktr_watch_hits(struct ktr_watch *w, pid_t tid)
{
	struct tally t = { .tid = &tid, .n = 1 };

	return ktr_instance_each(&w->t, tally, &t) ?: t.in;
}

long ktr_watch_others(struct ktr_watch *w, const pid_t *except, int n)
{
	struct tally t = { .tid = except, .n = n };

	return ktr_instance_each(&w->t, tally, &t) ?: t.out;
}
