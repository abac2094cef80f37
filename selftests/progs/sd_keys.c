// SPDX-License-Identifier: GPL-2.0-or-later
/* keyctl by all its operations, and the ioctls of a perf event. */
#define _GNU_SOURCE
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEYCTL(...) syscall(SYS_keyctl, __VA_ARGS__)

static char room[4096];

static void keys(void)
{
	int dh[] = { 1, KEY_SPEC_PROCESS_KEYRING, 3 };
	struct {
		int key;
		unsigned int in, out, spare[7];
	} op = { KEY_SPEC_SESSION_KEYRING, 0, 20, { 0 } };
	long key;

	KEYCTL(KEYCTL_JOIN_SESSION_KEYRING, NULL);
	key = syscall(SYS_add_key, "user", "k1", "payload", 7,
		      KEY_SPEC_SESSION_KEYRING);
	KEYCTL(KEYCTL_READ, key, room, 3);
	KEYCTL(KEYCTL_READ, key, room, 100);
	KEYCTL(KEYCTL_READ, key, room, 0);
	KEYCTL(KEYCTL_READ, key, NULL, 0);
	memset(room, 0, sizeof(room));
	KEYCTL(KEYCTL_DESCRIBE, key, room, 3);
	KEYCTL(KEYCTL_DESCRIBE, key, room, 100);
	KEYCTL(KEYCTL_GET_SECURITY, key, room, 100);
	KEYCTL(KEYCTL_CAPABILITIES, room, 40);
	KEYCTL(KEYCTL_CAPABILITIES, room, 1);
	KEYCTL(KEYCTL_CAPABILITIES, room, 0);
	KEYCTL(KEYCTL_CAPABILITIES, NULL, 0);
	KEYCTL(KEYCTL_CAPABILITIES, 16, 40);
	KEYCTL(KEYCTL_DH_COMPUTE, dh, room, 10, NULL);
	KEYCTL(KEYCTL_DH_COMPUTE, 16, room, 10, NULL);
	KEYCTL(KEYCTL_PKEY_QUERY, key, 0, "enc=raw", room);
	KEYCTL(KEYCTL_PKEY_QUERY, key, 7, "enc=raw hash=sha256, more than 32 letters", room);
	KEYCTL(KEYCTL_PKEY_VERIFY, 16, "enc=raw", room, room);
	KEYCTL(KEYCTL_PKEY_ENCRYPT, NULL, NULL, NULL, NULL);
	KEYCTL(KEYCTL_PKEY_SIGN, 16, 16, 16, 16);
	KEYCTL(KEYCTL_PKEY_ENCRYPT, &op, "enc=raw", NULL, room);
	KEYCTL(KEYCTL_PKEY_DECRYPT, &op, "enc=raw", NULL, room);
	KEYCTL(KEYCTL_PKEY_VERIFY, &op, "enc=raw", NULL, NULL);
	KEYCTL(KEYCTL_RESTRICT_KEYRING, KEY_SPEC_SESSION_KEYRING, "asymmetric", "a");
	KEYCTL(KEYCTL_UPDATE, key, "pay\0load", 8);
	KEYCTL(KEYCTL_SETPERM, key, 0xc0000001);
	KEYCTL(KEYCTL_REJECT, key, 1, 5, 0);
	KEYCTL(KEYCTL_MOVE, key, -3, -4, 3);
	KEYCTL(99, 1, 2, 3, 4);
}

static void events(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS, .exclude_kernel = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	uint64_t five = 5;

	for (unsigned int i = 0; i < 4; i++) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, i);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, i);
		ioctl(fd, PERF_EVENT_IOC_RESET, 2 * i);
		ioctl(-1, PERF_EVENT_IOC_REFRESH, i - 1);
		ioctl(-1, PERF_EVENT_IOC_SET_OUTPUT, i - 1);
		ioctl(-1, PERF_EVENT_IOC_SET_BPF, i);
		ioctl(-1, PERF_EVENT_IOC_PAUSE_OUTPUT, i);
	}
	ioctl(-1, PERF_EVENT_IOC_PERIOD, &five);
	ioctl(-1, PERF_EVENT_IOC_PERIOD, 16);
	ioctl(-1, PERF_EVENT_IOC_PERIOD, NULL);
	ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "a == 1");
	ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "a filter of more than 32 letters: ip");
	ioctl(fd, PERF_EVENT_IOC_SET_FILTER, 16);
	ioctl(-1, PERF_EVENT_IOC_ID, room);
	close(fd);
}

int main(void)
{
	keys();
	events();
	return 0;
}
