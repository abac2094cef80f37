// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ktr_fault.h"
#include "ktr_ksyms.h"
#include "ktr_tracefs.h"

#define DEBUGFS	"/sys/kernel/debug/"
/* Bytes of code taken for a function's: it and what happens to stand behind. */
#define CODE	0x400

static const char *const makers[] = { "failslab", "fail_page_alloc" };

static int set(const char *maker, const char *knob, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), DEBUGFS "%s/%s", maker, knob);
	return ktr_put(path, text);
}

static int prepare(const char *maker)
{
	/* Those who can wait fail too. 2 dumps the stack of each into the log. */
	return set(maker, "ignore-gfp-wait", "N") ?:
	       set(maker, "verbose", getenv("KTR_FAULT_VERBOSE") ?: "0");
}

int ktr_fault_open(struct ktr_fault *f)
{
	int ret = prepare("failslab") ?: prepare("fail_page_alloc") ?:
		  set("fail_page_alloc", "min-order", "0");

	f->fd = -1;
	if (ret)
		return ret;
	f->fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return f->fd < 0 ? -errno : 0;
}

void ktr_fault_close(struct ktr_fault *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

int ktr_fault_arm(struct ktr_fault *f, unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	return write(f->fd, text, len) == len ? 0 : -errno;
}

/* The one that was armed may hit the look at it, or the taking back. */
int ktr_fault_disarm(struct ktr_fault *f)
{
	char text[16] = "";
	ssize_t got = pread(f->fd, text, sizeof(text) - 1, 0);
	int ret = got < 0 ? -errno : got > 0 && !atoi(text);

	if (ret == -EFAULT || ret == -ENOMEM)
		ret = 0;
	while (ktr_fault_arm(f, 0))
		if (errno != EFAULT && errno != ENOMEM)
			return -errno;
	return ret;
}

/* @what: "require" or "reject", those with a return address in the range. */
static int range(const char *what, __u64 begin, __u64 end)
{
	char knob[2][24], text[2][24];
	int ret = 0, i;

	snprintf(knob[0], sizeof(knob[0]), "%s-start", what);
	snprintf(knob[1], sizeof(knob[1]), "%s-end", what);
	snprintf(text[0], sizeof(text[0]), "%llu", begin);
	snprintf(text[1], sizeof(text[1]), "%llu", end);
	for (i = 0; !ret && i < 4; i++)
		ret = set(makers[i / 2], knob[i % 2], text[i % 2]);
	return ret;
}

int ktr_fault_only(const char *name)
{
	__u64 addr = name ? ktr_ksym_ours(name) : 0;

	if (name && !addr)
		return -ENOENT;
	return range("require", addr, name ? addr + CODE : ~0ULL);
}

int ktr_fault_spare(const char *name)
{
	__u64 addr = name ? ktr_ksym_addr(name) : 0;

	if (name && !addr)
		return -ENOENT;
	return range("reject", addr, name ? addr + CODE : 0);
}
