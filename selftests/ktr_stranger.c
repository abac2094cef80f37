// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "ktr_stranger.h"

static const char *const events[2] = {
	"raw_syscalls/sys_enter", "raw_syscalls/sys_exit",
};

const char *ktr_stranger_name(enum ktr_stranger_kind kind)
{
	static const char *const names[KTR_STRANGERS] = {
		"ftrace", "perf of threads", "perf of CPUs", "BPF",
	};

	return names[kind];
}

/* getppid by the crew, for the kernel's event filters. */
static void put_filter(char *buf, size_t size, const struct ktr_crew *crew)
{
	size_t n = snprintf(buf, size, "id == %d && (", SYS_getppid);
	int i;

	for (i = 0; i < crew->n; i++)
		n += snprintf(buf + n, size - n, "%scommon_pid == %d",
			      i ? " || " : "", crew->tid[i]);
	snprintf(buf + n, size - n, ")");
}

static int ftrace_start(struct ktr_stranger *s, const char *filter)
{
	char path[96];
	int ret, i;

	ret = ktr_instance_open(&s->t, "ktr_stranger");
	ret = ret ?: ktr_instance_write(&s->t, "buffer_size_kb", "8192");
	for (i = 0; !ret && i < 2; i++) {
		snprintf(path, sizeof(path), "events/%s/filter", events[i]);
		ret = ktr_instance_write(&s->t, path, filter);
		snprintf(path, sizeof(path), "events/%s/enable", events[i]);
		ret = ret ?: ktr_instance_write(&s->t, path, "1");
	}
	return ret;
}

static void ftrace_line(void *arg, pid_t tid, const char *what)
{
	long *count = arg;

	count[0] += !strncmp(what, "sys_enter:", 10);
	count[1] += !strncmp(what, "sys_exit:", 9);
}

static int perf_add(struct ktr_stranger *s, pid_t tid, int cpu,
		    const char *filter)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
		.disabled = 1,
	};
	int i, fd, id;

	if (s->nfds == KTR_STRANGER_FDS)
		return -E2BIG;
	for (i = 0; i < 2; i++) {
		id = ktr_event_id(events[i]);
		if (id < 0)
			return id;
		attr.config = id;
		fd = syscall(SYS_perf_event_open, &attr, tid, cpu, -1,
			     PERF_FLAG_FD_CLOEXEC);
		s->fd[i][s->nfds] = fd;
		/* Until the filter is there it would count everybody. */
		if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) ||
		    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			return -errno;
	}
	s->nfds++;
	return 0;
}

static int perf_start(struct ktr_stranger *s, const struct ktr_crew *crew,
		      const char *filter)
{
	int ncpus = sysconf(_SC_NPROCESSORS_ONLN), ret = 0, i;

	if (s->kind == KTR_PERF_TASK)
		for (i = 0; !ret && i < crew->n; i++)
			ret = perf_add(s, crew->tid[i], -1, filter);
	else
		for (i = 0; !ret && i < ncpus; i++)
			ret = perf_add(s, -1, i, filter);
	return ret;
}

static int perf_count(struct ktr_stranger *s, long count[2])
{
	__u64 n;
	int i, k;

	for (k = 0; k < 2; k++) {
		for (i = 0; i < s->nfds; i++) {
			if (read(s->fd[k][i], &n, sizeof(n)) != sizeof(n))
				return -errno;
			count[k] += n;
		}
	}
	return 0;
}

static int bpf(int cmd, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

/* if (the call is getppid && the process is the crew) map[0]++; */
static int bpf_load(int map, pid_t pid)
{
	const struct bpf_insn insns[] = {
		{ BPF_LDX | BPF_MEM | BPF_DW, 2, 1, 8, 0 },
		{ BPF_JMP | BPF_JNE | BPF_K, 2, 0, 12, SYS_getppid },
		{ BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_current_pid_tgid },
		{ BPF_ALU64 | BPF_RSH | BPF_K, 0, 0, 0, 32 },
		{ BPF_JMP | BPF_JNE | BPF_K, 0, 0, 9, pid },
		{ BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0 },
		{ BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4 },
		{ BPF_LD | BPF_IMM | BPF_DW, 1, BPF_PSEUDO_MAP_FD, 0, map },
		{ 0 },
		{ BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem },
		{ BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2, 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1 },
		{ BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, 0, BPF_ADD },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0 },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insns = (unsigned long)insns,
		.insn_cnt = sizeof(insns) / sizeof(*insns),
		.license = (unsigned long)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

static int bpf_start(struct ktr_stranger *s, pid_t pid)
{
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8,
		.max_entries = 1,
	};
	union bpf_attr link = {
		.raw_tracepoint.name = (unsigned long)"sys_enter",
	};

	s->nfds = 3;
	s->fd[0][0] = bpf(BPF_MAP_CREATE, &map);
	if (s->fd[0][0] < 0)
		return s->fd[0][0];
	s->fd[0][1] = bpf_load(s->fd[0][0], pid);
	if (s->fd[0][1] < 0)
		return s->fd[0][1];
	link.raw_tracepoint.prog_fd = s->fd[0][1];
	s->fd[0][2] = bpf(BPF_RAW_TRACEPOINT_OPEN, &link);
	return s->fd[0][2] < 0 ? s->fd[0][2] : 0;
}

/* Runs that BPF left out, since the program was running on that CPU already. */
static long bpf_missed(struct ktr_stranger *s)
{
	struct bpf_prog_info info = {};
	union bpf_attr attr = {
		.info.bpf_fd = s->fd[0][1], .info.info_len = sizeof(info),
		.info.info = (unsigned long)&info,
	};

	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) ? 0 : info.recursion_misses;
}

/* On 7.3 the program can be preempted, and then it misses others' calls. */
static int bpf_count(struct ktr_stranger *s, long want, long count[2])
{
	__u32 key = 0;
	__u64 n = 0;
	union bpf_attr attr = {
		.map_fd = s->fd[0][0],
		.key = (unsigned long)&key, .value = (unsigned long)&n,
	};
	int ret = bpf(BPF_MAP_LOOKUP_ELEM, &attr);

	if ((long)n < want && (long)n + bpf_missed(s) >= want)
		n = want;
	count[0] = count[1] = n;
	return ret;
}

int ktr_stranger_start(struct ktr_stranger *s, enum ktr_stranger_kind kind,
		       const struct ktr_crew *crew)
{
	char filter[512];
	int ret;

	memset(s, 0, sizeof(*s));
	memset(s->fd, -1, sizeof(s->fd));
	s->kind = kind;
	put_filter(filter, sizeof(filter), crew);
	if (kind == KTR_FTRACE)
		ret = ftrace_start(s, filter);
	else if (kind == KTR_BPF)
		ret = bpf_start(s, crew->pid);
	else
		ret = perf_start(s, crew, filter);
	if (ret)
		ktr_stranger_stop(s);
	return ret;
}

int ktr_stranger_count(struct ktr_stranger *s, long want, long count[2])
{
	count[0] = count[1] = 0;
	if (s->kind == KTR_FTRACE)
		return ktr_instance_each(&s->t, ftrace_line, count);
	if (s->kind == KTR_BPF)
		return bpf_count(s, want, count);
	return perf_count(s, count);
}

void ktr_stranger_stop(struct ktr_stranger *s)
{
	int i, k;

	ktr_instance_close(&s->t);
	for (k = 0; k < 2; k++)
		for (i = 0; i < KTR_STRANGER_FDS; i++)
			if (s->fd[k][i] >= 0)
				close(s->fd[k][i]);
	memset(s->fd, -1, sizeof(s->fd));
}
