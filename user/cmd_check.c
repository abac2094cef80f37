// SPDX-License-Identifier: GPL-2.0-or-later
/* check: what this machine has, what is missing, how to get it. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd.h"
#include "funcs.h"
#include "reader.h"
#include "setup.h"

static void line(const char *what, bool good, const char *text)
{
	printf("%-10s %-8s %s\n", what, good ? "ok" : "missing", text);
}

/* After an update of the kernel the module is there for another one. */
static void check_installed(const char *release)
{
	char built[96], text[300];
	bool here = false;
	size_t i;
	glob_t g = { 0 };

	built[0] = '\0';
	glob("/lib/modules/*/*/ktracer.ko*", GLOB_APPEND, NULL, &g);
	glob("/lib/modules/*/*/*/ktracer.ko*", GLOB_APPEND, NULL, &g);
	for (i = 0; i < g.gl_pathc; i++) {
		if (sscanf(g.gl_pathv[i], "/lib/modules/%95[^/]", built) == 1 &&
		    !strcmp(built, release))
			here = true;
	}
	globfree(&g);
	if (here)
		snprintf(text, sizeof(text), "for this kernel: modprobe ktracer");
	else if (*built)
		snprintf(text, sizeof(text), "built for %s, running %s: build it again (dkms autoinstall, or make install)",
			 built, release);
	else
		snprintf(text, sizeof(text), "no ktracer.ko under /lib/modules: make install");
	line("installed", here, text);
}

static bool is_loaded(void)
{
	struct ctl *ctl;
	int err = ctl_open(&ctl);

	if (!err)
		ctl_close(ctl);
	return err != -ENOENT;
}

static int check_module(const char *release)
{
	char text[160];
	struct ctl_info info;
	struct ctl *ctl;
	struct fault f;

	if (setup_open(&ctl, &f)) {
		line("module", false, is_loaded() ? f.text : "not loaded: modprobe ktracer");
		if (f.status == ST_ABSENT)
			check_installed(release);
		return f.status;
	}
	if (ctl_info(ctl, &info)) {
		ctl_close(ctl);
		line("module", false, "it does not answer");
		return ST_ABSENT;
	}
	ctl_close(ctl);
	snprintf(text, sizeof(text),
		 "ktracer %s, interface %u, %u CPUs, %llu MiB for rings",
		 info.release, info.version, info.ncpus,
		 (unsigned long long)info.max_bytes >> 20);
	line("module", true, text);
	line("rights", true, info.privileged ?
	     "all: every process, kernel functions, stacks" :
	     "a plain user's: your own processes; no kernel functions or addresses (these need root or CAP_PERFMON)");
	return ST_OK;
}

static int check_device(void)
{
	struct fault f;
	int fd = reader_device(&f);

	if (fd < 0) {
		line("device", false, f.text);
		return f.status;
	}
	close(fd);
	line("device", true, KTR_DEVICE);
	return ST_OK;
}

static int count(void *arg, const char *name, const char *module,
		 uint64_t addr)
{
	(void)addr;
	(void)name;
	(void)module;
	(*(size_t *)arg)++;
	return 0;
}

static int check_functions(void)
{
	char text[80];
	struct fault f;
	size_t n = 0;

	if (funcs_list(false, NULL, count, &n, &f)) {
		line("functions", false, f.text);
		return f.status;
	}
	snprintf(text, sizeof(text), "%zu kernel functions can be traced", n);
	line("functions", n > 0, text);
	return n ? ST_OK : ST_ABSENT;
}

static int check_symbols(void)
{
	struct ksyms ks;
	bool good;

	ksyms_init(&ks);
	good = ksyms_load(&ks);
	ksyms_free(&ks);
	line("symbols", good, good ? "/proc/kallsyms shows addresses" :
	     "/proc/kallsyms hides addresses: run as root, with kernel.kptr_restrict at most 1");
	return good ? ST_OK : ST_DENIED;
}

/* The first thing missing decides; functions are not needed for syscalls. */
int cmd_check(const struct command *cmd, struct opts *o)
{
	struct utsname u;
	int module, device;

	(void)cmd;
	(void)o;
	uname(&u);
	printf("%-10s %-8s %s %s\n", "kernel", "ok", u.release, u.machine);
	module = check_module(u.release);
	device = check_device();
	check_functions();
	check_symbols();
	return module ? module : device;
}
