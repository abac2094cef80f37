// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Process 1: from the initial file system to a usable one, the module loaded,
 * the clock checked. The root is an overlay of three layers: what this run
 * brought (/files of the initial file system), the userland (a squashfs image,
 * the first disk) and a tmpfs for what is written.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define OVERLAY_OPTIONS \
	"lowerdir=/files:/userland,upperdir=/upper/data,workdir=/upper/work"

#define STALE_BREAKPOINT "/usr/lib/ktracer/stale_breakpoint.ko"

struct mount_row {
	const char *type;
	const char *target;
	const char *options;
};

static const struct mount_row early_mounts[] = {
	{ "devtmpfs", "/dev", "mode=0755" },
	{ "proc", "/proc", NULL },
	{ "sysfs", "/sys", NULL },
	{ "tmpfs", "/upper", "mode=0755" },
};

/* Below the new root; a kernel may lack one; a test that wants it says so. */
static const struct mount_row late_mounts[] = {
	{ "devpts", "/dev/pts", "gid=5,mode=620,ptmxmode=666" },
	{ "tmpfs", "/dev/shm", "mode=1777" },
	{ "mqueue", "/dev/mqueue", NULL },
	{ "tmpfs", "/run", "mode=0755" },
	{ "debugfs", "/sys/kernel/debug", NULL },
	{ "tracefs", "/sys/kernel/tracing", NULL },
	{ "cgroup2", "/sys/fs/cgroup", NULL },
	{ "bpf", "/sys/fs/bpf", "mode=0700" },
};

static const char *const dev_links[][2] = {
	{ "/proc/self/fd", "/dev/fd" },
	{ "fd/0", "/dev/stdin" },
	{ "fd/1", "/dev/stdout" },
	{ "fd/2", "/dev/stderr" },
};

static const char *const settings[][2] = {
	{ "/proc/sys/kernel/kptr_restrict", "0" },
	{ "/proc/sys/kernel/dmesg_restrict", "0" },
	{ "/proc/sys/kernel/perf_event_paranoid", "-1" },
	{ "/proc/sys/kernel/hostname", "ktracer" },
};

/* Until the port is open the kernel log is the only place to say it. */
static void __attribute__((noreturn)) die_early(const char *what)
{
	fprintf(stderr, "vm/guest: %s: %s\n", what, strerror(errno));
	power_off();
}

void power_off(void)
{
	sync();
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

/* All of a small file but its last newline; NULL if there is none. */
static char *slurp(const char *path)
{
	size_t size = 0, room = 4096;
	char *text = NULL;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	do {
		text = realloc(text, room + 1);
		if (!text)
			die_early("realloc");
		n = read(fd, text + size, room - size);
		size += n > 0 ? n : 0;
		if (size == room)
			room *= 2;
	} while (n > 0);
	close(fd);
	text[size] = '\0';
	if (size && text[size - 1] == '\n')
		text[size - 1] = '\0';
	return text;
}

static void read_config(struct guest_config *config)
{
	char *module = slurp("/vm/module");
	char *terminal = slurp("/vm/terminal");

	memset(config, 0, sizeof(*config));
	config->command = slurp("/vm/command");
	snprintf(config->module, sizeof(config->module), "%s",
		 module ? module : "");
	snprintf(config->terminal, sizeof(config->terminal), "%s",
		 terminal ? terminal : "");
	free(module);
	free(terminal);
}

static int load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return ret;
}

static void load_boot_modules(void)
{
	char *list = slurp("/vm/boot-modules");
	char *path, *rest = list;

	while ((path = strsep(&rest, "\n"))) {
		if (*path && load_module(path))
			die_early(path);
	}
	free(list);
}

static void mount_early(void)
{
	const struct mount_row *row;
	size_t i;

	for (i = 0; i < sizeof(early_mounts) / sizeof(*row); i++) {
		row = &early_mounts[i];
		mkdir(row->target, 0755);
		if (mount(row->type, row->target, row->type, 0, row->options))
			die_early(row->target);
	}
}

/* Drivers find their devices in their own time. */
static void wait_for(const char *path)
{
	int tries;

	for (tries = 0; access(path, F_OK); tries++) {
		if (tries == 3000)
			die_early(path);
		poll(NULL, 0, 10);
	}
}

static void mount_root(void)
{
	mkdir("/userland", 0755);
	mkdir("/root", 0755);
	mkdir("/upper/data", 0755);
	mkdir("/upper/work", 0755);
	mkdir("/files", 0755);
	wait_for("/dev/vda");
	if (mount("/dev/vda", "/userland", "squashfs", MS_RDONLY, NULL))
		die_early("the userland image");
	if (mount("overlay", "/root", "overlay", 0, OVERLAY_OPTIONS))
		die_early("the overlay");
}

static void relocate(const char *from, const char *to)
{
	if (mount(from, to, NULL, MS_MOVE, NULL))
		die_early(to);
}

/* The initial file system is a tmpfs: its part for /tmp becomes /tmp. */
static void enter_root(void)
{
	relocate("/dev", "/root/dev");
	relocate("/proc", "/root/proc");
	relocate("/sys", "/root/sys");
	mkdir("/files/tmp", 0);
	chmod("/files/tmp", 01777);
	if (mount("/files/tmp", "/root/tmp", NULL, MS_BIND, NULL))
		die_early("/tmp");
	if (chdir("/root") || mount(".", "/", NULL, MS_MOVE, NULL) ||
	    chroot(".") || chdir("/"))
		die_early("the new root");
}

static void mount_late(void)
{
	const struct mount_row *row;
	struct utsname name;
	char path[128];
	size_t i;

	for (i = 0; i < sizeof(late_mounts) / sizeof(*row); i++) {
		row = &late_mounts[i];
		mkdir(row->target, 0755);
		mount(row->type, row->target, row->type, 0, row->options);
	}
	uname(&name);
	snprintf(path, sizeof(path), "/lib/modules/%s", name.release);
	mkdir(path, 0755);
	if (mount("/dev/vdb", path, "squashfs", MS_RDONLY, NULL))
		die_early(path);
}

static void write_setting(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		fprintf(stderr, "vm/guest: %s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void bring_up_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
		fprintf(stderr, "vm/guest: lo: %s\n", strerror(errno));
	close(fd);
}

static void set_up(void)
{
	const struct rlimit files = { 1024, 524288 };
	size_t i;

	for (i = 0; i < sizeof(dev_links) / sizeof(*dev_links); i++)
		symlink(dev_links[i][0], dev_links[i][1]);
	for (i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		write_setting(settings[i][0], settings[i][1]);
	bring_up_loopback();
	chown("/home/user", 1000, 1000);
	setrlimit(RLIMIT_NOFILE, &files);
}

/*
 * The kernel takes about a second to measure the counter before it switches to
 * it. Times taken with another clock would be no measurement.
 */
static void check_clock(void)
{
	char *clock = NULL;
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		free(clock);
		clock = slurp("/sys/devices/system/clocksource/clocksource0/"
			      "current_clocksource");
		if (clock && !strcmp(clock, "tsc")) {
			free(clock);
			return;
		}
		poll(NULL, 0, 10);
	}
	agent_fail("the guest's clocksource is %s, not tsc",
		   clock ? clock : "unknown");
}

static void load_wanted(const struct guest_config *config)
{
	int ret;

	/* Not there if nothing was built. */
	ret = load_module(STALE_BREAKPOINT);
	if (ret && ret != -ENOENT)
		agent_fail("cannot load %s: %s", STALE_BREAKPOINT, strerror(-ret));
	if (!*config->module)
		return;
	ret = load_module(config->module);
	if (ret)
		agent_fail("cannot load %s: %s", config->module,
			   strerror(-ret));
}

int main(void)
{
	struct guest_config config;
	int status;

	umask(022);
	mount_early();
	read_config(&config);
	load_boot_modules();
	mount_root();
	enter_root();
	mount_late();
	set_up();
	wait_for(GUEST_PORT);
	agent_open();
	check_clock();
	load_wanted(&config);
	agent_ready();
	status = agent_run(&config);
	/* What it left behind ends before the verdict, so that a fault shows. */
	kill(-1, SIGKILL);
	while (wait(NULL) > 0)
		;
	agent_finish(status);
}
