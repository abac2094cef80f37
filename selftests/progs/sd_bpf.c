// SPDX-License-Identifier: GPL-2.0-or-later
/* bpf: every command that strace knows, what they point to, sizes of all kinds. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COMMANDS 38

static union bpf_attr attr;
static unsigned char numbers[256];
static unsigned char zeroes[300];
static char text[8192];

static uint64_t at(const void *p)
{
	return (uintptr_t)p;
}

/* The attributes are zero again afterwards. */
static int bpf(unsigned int cmd, unsigned int size)
{
	int ret = syscall(SYS_bpf, cmd, &attr, size);

	memset(&attr, 0, sizeof(attr));
	return ret;
}

/* Nothing that the kernel would do. */
static void sizes(void)
{
	for (unsigned int cmd = 1; cmd < COMMANDS; cmd++) {
		for (unsigned int i = 0; i < 36; i++)
			memcpy(numbers + i * 4, &(uint32_t){ 0x41 + i }, 4);
		syscall(SYS_bpf, cmd, numbers, 144);
		for (unsigned int size = 12; size < 76; size += 8)
			syscall(SYS_bpf, cmd, numbers, size);
		memset(numbers, 0, sizeof(numbers));
		syscall(SYS_bpf, cmd, numbers, 0);
		syscall(SYS_bpf, cmd, zeroes, 300);
		syscall(SYS_bpf, cmd, numbers, 5000);
		syscall(SYS_bpf, cmd, 8, 16);
		if (cmd == BPF_ENABLE_STATS || cmd == BPF_PROG_GET_NEXT_ID ||
		    cmd == BPF_MAP_GET_NEXT_ID || cmd == BPF_BTF_GET_NEXT_ID)
			continue;	/* they succeed, also for so few */
		for (unsigned int size = 4; size < 76; size += 8)
			syscall(SYS_bpf, cmd, numbers, size);
	}
	for (unsigned int size = 74; size < 144; size += 4)
		syscall(SYS_bpf, BPF_PROG_LOAD, numbers, size);
}

static int load(unsigned int type, const char *license, char *log,
		unsigned int log_size)
{
	struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	attr.prog_type = type;
	attr.insns = at(code);
	attr.insn_cnt = 2;
	attr.license = at(license);
	attr.log_level = log_size != 0;
	attr.log_size = log_size;
	attr.log_buf = at(log);
	strcpy(attr.prog_name, "returns_one");
	attr.kern_version = 0x060c03;
	return bpf(BPF_PROG_LOAD, 120);
}

static int programs(void)
{
	int fd;

	strcpy(text, "as it was before");
	fd = load(BPF_PROG_TYPE_SOCKET_FILTER, "GPL", text, 4096);
	load(BPF_PROG_TYPE_SOCKET_FILTER, "GPL", text, 12);
	load(BPF_PROG_TYPE_SOCKET_FILTER, "a license with more than 32 letters", text, 0);
	load(BPF_PROG_TYPE_SOCKET_FILTER, (char *)8, NULL, 0);
	load(BPF_PROG_TYPE_SOCKET_FILTER, "GPL", (char *)8, 100);
	attr.test.prog_fd = fd;
	attr.test.data_size_in = 20;
	attr.test.data_in = at(text);
	attr.test.repeat = 1;
	bpf(BPF_PROG_TEST_RUN, 80);
	attr.info.bpf_fd = fd;
	attr.info.info_len = 300;
	memset(text, 0, sizeof(text));
	attr.info.info = at(text);
	bpf(BPF_OBJ_GET_INFO_BY_FD, 16);
	bpf(BPF_PROG_GET_NEXT_ID, 12);
	bpf(BPF_PROG_GET_NEXT_ID, 8);
	attr.start_id = ~0u - 1;
	bpf(BPF_PROG_GET_NEXT_ID, 12);
	return fd;
}

static void tracepoints(void)
{
	int fd = load(BPF_PROG_TYPE_RAW_TRACEPOINT, "GPL", NULL, 0), tp;

	attr.raw_tracepoint.name = at("sys_enter");
	attr.raw_tracepoint.prog_fd = fd;
	tp = bpf(BPF_RAW_TRACEPOINT_OPEN, 16);
	attr.raw_tracepoint.name = at("a name that is longer than 32 letters");
	bpf(BPF_RAW_TRACEPOINT_OPEN, 12);
	attr.raw_tracepoint.name = 8;
	bpf(BPF_RAW_TRACEPOINT_OPEN, 16);
	for (unsigned int room = 64; room; room = room == 64 ? 4 : 0) {
		attr.task_fd_query.pid = getpid();
		attr.task_fd_query.fd = tp;
		attr.task_fd_query.buf_len = room;
		attr.task_fd_query.buf = at(text);
		bpf(BPF_TASK_FD_QUERY, 48);
	}
	close(tp);
	close(fd);
}

static void maps(void)
{
	uint32_t key = 1;
	uint64_t value = 2;
	int fd;

	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = sizeof(key);
	attr.value_size = sizeof(value);
	attr.max_entries = 4;
	strcpy(attr.map_name, "numbers");
	fd = bpf(BPF_MAP_CREATE, 72);
	for (unsigned int cmd = BPF_MAP_LOOKUP_ELEM; cmd < BPF_PROG_LOAD; cmd++) {
		attr.map_fd = fd;
		attr.key = at(&key);
		attr.value = at(&value);
		bpf(cmd, 32);
	}
	attr.info.bpf_fd = fd;
	attr.info.info_len = 80;
	attr.info.info = at(text);
	bpf(BPF_OBJ_GET_INFO_BY_FD, 16);
	attr.batch.map_fd = fd;
	attr.batch.count = 2;
	attr.batch.keys = at(text);
	attr.batch.values = at(text + 100);
	attr.batch.out_batch = at(text + 200);
	bpf(BPF_MAP_LOOKUP_BATCH, 56);
	attr.map_fd = fd;
	bpf(BPF_MAP_FREEZE, 4);
	close(fd);
}

static void names(void)
{
	static char path[5000];

	attr.pathname = at("/no/such\npath");
	bpf(BPF_OBJ_PIN, 16);
	memset(path, 'p', sizeof(path) - 1);
	attr.pathname = at(path);
	bpf(BPF_OBJ_GET, 8);
	attr.pathname = 8;
	bpf(BPF_OBJ_GET, 12);
	attr.btf = at("abcdefghi");
	attr.btf_size = 10;
	bpf(BPF_BTF_LOAD, 32);
	attr.btf = 8;
	attr.btf_size = 10;
	bpf(BPF_BTF_LOAD, 32);
	attr.btf = at("abcdefghi");
	bpf(BPF_BTF_LOAD, 12);
}

static void links(int fd)
{
	for (unsigned int type = 0; type < 46; type++) {
		attr.link_create.prog_fd = fd;
		attr.link_create.attach_type = type;
		bpf(BPF_LINK_CREATE, 48);
	}
	attr.link_create.attach_type = BPF_PERF_EVENT;
	attr.link_create.perf_event.bpf_cookie = 0x10;
	bpf(BPF_LINK_CREATE, 32);
	attr.link_update.link_fd = -1;
	attr.link_update.flags = BPF_F_REPLACE;
	attr.link_update.old_prog_fd = fd;
	bpf(BPF_LINK_UPDATE, 16);
	attr.query.target_fd = -1;
	attr.query.prog_ids = at(text);
	attr.query.prog_cnt = 3;
	bpf(BPF_PROG_QUERY, 32);
	attr.query.target_fd = -1;
	attr.query.prog_ids = at(text);
	bpf(BPF_PROG_QUERY, 32);
}

/* Fewer, as many and more than there are, and room for none. */
static void queries(void)
{
	int cgroup = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY);
	int fds[] = { load(BPF_PROG_TYPE_CGROUP_SKB, "GPL", NULL, 0),
		      load(BPF_PROG_TYPE_CGROUP_SKB, "GPL", NULL, 0) };
	uint32_t ids[4] = { 0 };

	for (unsigned int i = 0; i < 2; i++) {
		attr.target_fd = cgroup;
		attr.attach_bpf_fd = fds[i];
		attr.attach_flags = BPF_F_ALLOW_MULTI;
		bpf(BPF_PROG_ATTACH, 20);
	}
	for (unsigned int i = 0; i < 6; i++) {
		attr.query.target_fd = cgroup;
		attr.query.attach_type = i == 4 ? BPF_CGROUP_INET_EGRESS : 0;
		attr.query.prog_ids = i == 5 ? 8 : i ? at(ids) : 0;
		attr.query.prog_cnt = i < 4 ? i : 4;
		bpf(BPF_PROG_QUERY, 32);
	}
	for (unsigned int i = 0; i < 2; i++) {
		attr.target_fd = cgroup;
		attr.attach_bpf_fd = fds[i];
		bpf(BPF_PROG_DETACH, 20);
		close(fds[i]);
	}
	close(cgroup);
}

/* Each constant and each flag in turn. */
static void constants(void)
{
	for (unsigned int i = 0; i < 9; i++) {
		attr.flags = 1 << i;
		bpf(BPF_MAP_UPDATE_ELEM, 32);
		attr.flags = 1 << i;
		bpf(BPF_MAP_LOOKUP_ELEM, 32);
		attr.batch.elem_flags = 1 << i;
		bpf(BPF_MAP_DELETE_BATCH, 56);
		attr.test.flags = 1 << i;
		bpf(BPF_PROG_TEST_RUN, 80);
		attr.task_fd_query.fd_type = i;
		bpf(BPF_TASK_FD_QUERY, 48);
	}
	for (unsigned int i = 0; i < 32; i++) {
		attr.map_flags = 1u << i;
		bpf(BPF_MAP_CREATE, 20);
		attr.file_flags = 1u << i;
		bpf(BPF_OBJ_GET, 16);
		attr.prog_flags = 1u << i;
		bpf(BPF_PROG_LOAD, 72);
		attr.attach_flags = 1u << i;
		bpf(BPF_PROG_ATTACH, 16);
		attr.query.query_flags = 1u << i;
		attr.query.target_fd = -1;
		bpf(BPF_PROG_QUERY, 32);
		attr.attach_type = i;
		attr.target_fd = -1;
		bpf(BPF_PROG_DETACH, 20);
	}
}

int main(void)
{
	int fd;

	sizes();
	fd = programs();
	tracepoints();
	maps();
	names();
	links(fd);
	queries();
	constants();
	return 0;
}
