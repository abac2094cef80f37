// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "ktr_session.h"
#include "ktr_wait.h"

static void put_setup(struct ktr_msg *m, const struct ktr_setup *setup)
{
	if (setup->mode)
		ktr_msg_u32(m, KTR_A_MODE, setup->mode);
	if (setup->buf_size)
		ktr_msg_u64(m, KTR_A_BUF_SIZE, setup->buf_size);
	if (setup->ctl_size)
		ktr_msg_u64(m, KTR_A_CTL_SIZE, setup->ctl_size);
	if (setup->watermark)
		ktr_msg_u64(m, KTR_A_WATERMARK, setup->watermark);
	if (setup->flush_ms)
		ktr_msg_u32(m, KTR_A_FLUSH_MS, setup->flush_ms);
	if (setup->flags)
		ktr_msg_u32(m, KTR_A_FLAGS, setup->flags);
	if (setup->count)
		ktr_msg_u32(m, KTR_A_SUMMARY, setup->summary);
	if (setup->slots)
		ktr_msg_u32(m, KTR_A_SUM_SLOTS, setup->slots);
}

int ktr_session_new(struct ktr_session *s, const struct ktr_setup *setup)
{
	struct ktr_answer a;
	struct ktr_msg m;
	int ret;

	memset(s, 0, sizeof(*s));
	s->fd = -1;
	ret = ktr_client_open(&s->client);
	if (ret)
		return ret;
	ktr_msg_init(&m, KTR_CMD_SESSION_NEW);
	put_setup(&m, setup);
	if (setup->name) {
		ktr_msg_str(&m, KTR_A_NAME, setup->name);
	} else {
		s->fd = open(KTR_DEVICE, O_RDWR | O_CLOEXEC);
		ktr_msg_u32(&m, KTR_A_FD, s->fd);
	}
	ret = ktr_client_call(&s->client, &m, &a);
	if (ret) {
		ktr_session_close(s);
		return ret;
	}
	s->id = ktr_answer_u32(&a, KTR_A_SESSION);
	s->plain = !ktr_answer_u32(&a, KTR_A_PRIVILEGED);
	return 0;
}

int ktr_session_read(struct ktr_session *s)
{
	struct ktr_bind b = { .size = sizeof(b), .session = s->id };
	struct ktr_answer a;
	int ret;

	if (s->fd < 0) {
		s->fd = open(KTR_DEVICE, O_RDWR | O_CLOEXEC);
		if (s->fd < 0 || ioctl(s->fd, KTR_IOC_BIND, &b))
			return -errno;
	}
	ret = ktr_session_get(s, &a);
	if (ret)
		return ret;
	return ktr_reader_open(&s->reader, s->fd,
			       ktr_answer_u32(&a, KTR_A_NCPUS),
			       ktr_answer_u64(&a, KTR_A_BUF_SIZE),
			       ktr_answer_u64(&a, KTR_A_CTL_SIZE));
}

int ktr_session_open(struct ktr_session *s, const struct ktr_setup *setup)
{
	int ret = ktr_session_new(s, setup);

	if (ret)
		return ret;
	ret = ktr_session_read(s);
	if (ret)
		ktr_session_close(s);
	return ret;
}

void ktr_session_close(struct ktr_session *s)
{
	struct ktr_msg m;

	if (s->reader.map)
		ktr_reader_close(&s->reader);
	if (s->id) {
		ktr_session_msg(s, &m, KTR_CMD_SESSION_DEL);
		ktr_client_call(&s->client, &m, NULL);
	}
	if (s->fd >= 0)
		close(s->fd);
	ktr_client_close(&s->client);
	ktr_log_clear(&s->log);
	s->fd = -1;
	s->id = 0;
}

void ktr_session_msg(const struct ktr_session *s, struct ktr_msg *m, __u8 cmd)
{
	ktr_msg_init(m, cmd);
	ktr_msg_u32(m, KTR_A_SESSION, s->id);
}

static bool is_u32(int attr)
{
	return attr == KTR_A_STATE || attr == KTR_A_DRAIN;
}

int ktr_session_set(struct ktr_session *s, int attr, __u64 val)
{
	struct ktr_msg m;

	ktr_session_msg(s, &m, KTR_CMD_SESSION_SET);
	if (is_u32(attr))
		ktr_msg_u32(&m, attr, val);
	else
		ktr_msg_u64(&m, attr, val);
	return ktr_client_call(&s->client, &m, NULL);
}

int ktr_session_get(struct ktr_session *s, struct ktr_answer *a)
{
	struct ktr_msg m;

	ktr_session_msg(s, &m, KTR_CMD_SESSION_GET);
	return ktr_client_call(&s->client, &m, a);
}

static int look_at_entry(const struct ktr_answer *part, void *arg)
{
	struct ktr_listed *l = arg;
	const char *file = ktr_answer_str(part, KTR_A_FILE_NAME);

	if (l->id && ktr_answer_u32(part, KTR_A_SESSION) != l->id)
		return 0;
	l->n++;
	l->state = ktr_answer_u32(part, KTR_A_STATE);
	l->error = ktr_answer_u32(part, KTR_A_FILE_ERROR);
	l->missing = ktr_answer_u64(part, KTR_A_FILE_MISSING);
	snprintf(l->file, sizeof(l->file), "%s", file ?: "");
	return 0;
}

int ktr_session_listed(struct ktr_client *c, struct ktr_listed *l)
{
	struct ktr_msg m;

	l->n = 0;
	ktr_msg_init(&m, KTR_CMD_SESSION_GET);
	return ktr_client_dump(c, &m, look_at_entry, l);
}

__u32 ktr_session_u32(struct ktr_session *s, int attr)
{
	struct ktr_answer a;

	return ktr_session_get(s, &a) ? ~0U : ktr_answer_u32(&a, attr);
}

__u64 ktr_session_u64(struct ktr_session *s, int attr)
{
	struct ktr_answer a;

	return ktr_session_get(s, &a) ? ~0ULL : ktr_answer_u64(&a, attr);
}

int ktr_session_start(struct ktr_session *s, __u64 events)
{
	struct ktr_msg m;

	ktr_session_msg(s, &m, KTR_CMD_SESSION_SET);
	ktr_msg_u64(&m, KTR_A_EVENTS, events);
	ktr_msg_u32(&m, KTR_A_STATE, KTR_STATE_RUNNING);
	return ktr_client_call(&s->client, &m, NULL);
}

int ktr_session_stop(struct ktr_session *s)
{
	return ktr_session_set(s, KTR_A_STATE, KTR_STATE_STOPPED);
}

static int target(struct ktr_session *s, __u8 cmd, int kind, pid_t id,
		  __u32 flags, int mem)
{
	struct ktr_answer a;
	struct ktr_msg m;
	int ret;

	ktr_session_msg(s, &m, cmd);
	ktr_msg_u32(&m, KTR_A_TARGET_KIND, kind);
	ktr_msg_u32(&m, KTR_A_TARGET_ID, id);
	ktr_msg_u32(&m, KTR_A_FLAGS, flags);
	if (mem >= 0)
		ktr_msg_u32(&m, KTR_A_FD, mem);
	ret = ktr_client_call(&s->client, &m, &a);
	return ret ?: (int)ktr_answer_u32(&a, KTR_A_NTARGETS);
}

int ktr_session_attach_by(struct ktr_session *s, int kind, pid_t id, __u32 flags, int mem)
{
	return target(s, KTR_CMD_TARGET_ADD, kind, id, flags, mem);
}

int ktr_session_attach(struct ktr_session *s, int kind, pid_t id, __u32 flags)
{
	char path[40];
	int mem, ret;

	if (!s->plain)
		return ktr_session_attach_by(s, kind, id, flags, -1);
	snprintf(path, sizeof(path), "/proc/%d/mem", id);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	if (mem < 0)
		return -errno;
	ret = ktr_session_attach_by(s, kind, id, flags, mem);
	close(mem);
	return ret;
}

int ktr_session_detach(struct ktr_session *s, int kind, pid_t id, __u32 flags)
{
	return target(s, KTR_CMD_TARGET_DEL, kind, id, flags, -1);
}

int ktr_session_filter(struct ktr_session *s, const struct ktr_pred *preds,
		       int n)
{
	struct ktr_msg m;

	ktr_session_msg(s, &m, KTR_CMD_SESSION_SET);
	ktr_msg_put(&m, KTR_A_FILTER, preds, n * sizeof(*preds));
	return ktr_client_call(&s->client, &m, NULL);
}

static int change_funcs(struct ktr_session *s, struct ktr_msg *m, const __u64 *addr, size_t n)
{
	if (addr)
		ktr_msg_put(m, KTR_A_ADDRS, addr, n * sizeof(*addr));
	return ktr_client_call(&s->client, m, NULL);
}

int ktr_session_func_add(struct ktr_session *s, const __u64 *addr, size_t n, __u32 flags)
{
	struct ktr_msg m;

	ktr_session_msg(s, &m, KTR_CMD_FUNC_ADD);
	if (flags)
		ktr_msg_u32(&m, KTR_A_FLAGS, flags);
	return change_funcs(s, &m, addr, n);
}

int ktr_session_graph_add(struct ktr_session *s, const __u64 *addr, size_t n, __u32 depth)
{
	struct ktr_msg m;

	ktr_session_msg(s, &m, KTR_CMD_FUNC_ADD);
	ktr_msg_u32(&m, KTR_A_FLAGS, KTR_FUNCS_F_GRAPH);
	ktr_msg_u32(&m, KTR_A_GRAPH_DEPTH, depth);
	return change_funcs(s, &m, addr, n);
}

int ktr_session_func_del(struct ktr_session *s, const __u64 *addr, size_t n)
{
	struct ktr_msg m;

	ktr_session_msg(s, &m, KTR_CMD_FUNC_DEL);
	return change_funcs(s, &m, addr, n);
}

static void add_loss(const struct nlattr *attr, struct ktr_counts *sum)
{
	const char *p = ktr_attr_data(attr);
	size_t len = ktr_attr_len(attr);
	struct ktr_loss_count one;

	for (; len >= sizeof(one); p += sizeof(one), len -= sizeof(one)) {
		memcpy(&one, p, sizeof(one));
		sum->lost += one.count;
		sum->lost_kind[one.kind & 63] += one.count;
		if (one.reason < __KTR_LOSS_LAST)
			sum->lost_why[one.reason] += one.count;
	}
}

static void add_cpu(const struct nlattr *cpu, struct ktr_counts *sum)
{
	const struct nlattr *attr = ktr_attr_data(cpu);
	size_t len = ktr_attr_len(cpu);

	for (; attr; attr = ktr_attr_next(attr, &len)) {
		__u64 val = 0;

		if (ktr_attr_len(attr) == sizeof(val))
			memcpy(&val, ktr_attr_data(attr), sizeof(val));
		switch (attr->nla_type & NLA_TYPE_MASK) {
		case KTR_A_CPU_RECORDED:
			sum->recorded += val;
			break;
		case KTR_A_CPU_BYTES:
			sum->bytes += val;
			break;
		case KTR_A_CPU_UNREAD:
			sum->unread += val;
			break;
		case KTR_A_CPU_EVICTED:
			sum->evicted += val;
			break;
		case KTR_A_LOSS:
			add_loss(attr, sum);
		}
	}
}

static int add_row(const struct ktr_answer *part, void *arg)
{
	const struct nlattr *attr = part->attr[KTR_A_SUM_ROW];
	struct ktr_sums *sums = arg;
	const char *data;
	size_t len;

	if (!attr)
		return 0;
	data = ktr_attr_data(attr);
	len = ktr_attr_len(attr);
	if (sums->n == sizeof(sums->row) / sizeof(sums->row[0]) || len < sizeof(sums->row[0]))
		return -EBADMSG;
	memcpy(&sums->row[sums->n], data, sizeof(sums->row[0]));
	len -= sizeof(sums->row[0]);
	memset(sums->hist[sums->n], 0, sizeof(sums->hist[0]));
	if (len && len != sizeof(sums->hist[0]))
		return -EBADMSG;
	memcpy(sums->hist[sums->n++], data + sizeof(sums->row[0]), len);
	return 0;
}

int ktr_session_sums(struct ktr_session *s, struct ktr_sums *sums)
{
	struct ktr_msg m;

	sums->n = 0;
	ktr_session_msg(s, &m, KTR_CMD_SUMMARY_GET);
	return ktr_client_dump(&s->client, &m, add_row, sums);
}

int ktr_session_counts(struct ktr_session *s, struct ktr_counts *sum)
{
	const struct nlattr *attr;
	struct ktr_answer a;
	size_t len;
	int ret = ktr_session_get(s, &a);

	memset(sum, 0, sizeof(*sum));
	len = a.len;
	for (attr = ret ? NULL : a.first; attr; attr = ktr_attr_next(attr, &len))
		if ((attr->nla_type & NLA_TYPE_MASK) == KTR_A_CPU)
			add_cpu(attr, sum);
	return ret;
}

void ktr_rows_add(struct ktr_rows *rows, int abi, int nr, int nargs, int fd_arg,
		  const struct ktr_op *ops, int nops)
{
	struct ktr_row row = {
		.nr = nr, .abi = abi, .nargs = nargs, .nops = nops,
		.fd_arg = fd_arg < 0 ? 255 : fd_arg,
	};

	if (rows->len + sizeof(row) + nops * sizeof(*ops) > sizeof(rows->buf))
		abort();
	memcpy(rows->buf + rows->len, &row, sizeof(row));
	rows->len += sizeof(row);
	if (nops)
		memcpy(rows->buf + rows->len, ops, nops * sizeof(*ops));
	rows->len += nops * sizeof(*ops);
}

int ktr_session_rows(struct ktr_session *s, const struct ktr_rows *rows,
		     __u32 more_flags)
{
	struct ktr_msg m;

	ktr_session_msg(s, &m, KTR_CMD_SYSCALL_ADD);
	if (rows && rows->len)
		ktr_msg_put(&m, KTR_A_ROWS, rows->buf, rows->len);
	ktr_msg_u32(&m, KTR_A_FLAGS, KTR_ROWS_F_BEGIN | KTR_ROWS_F_EMPTY |
				     KTR_ROWS_F_COMMIT | more_flags);
	return ktr_client_call(&s->client, &m, NULL);
}

int ktr_session_calls(struct ktr_session *s, const int *nrs)
{
	struct ktr_rows rows = {};

	for (; *nrs >= 0; nrs++)
		ktr_rows_add(&rows, KTR_ABI_NATIVE, *nrs, 6, -1, NULL, 0);
	return ktr_session_rows(s, &rows, 0);
}

int ktr_session_all_calls(struct ktr_session *s)
{
	return ktr_session_rows(s, NULL, KTR_ROWS_F_OTHERS);
}

int ktr_session_drain(struct ktr_session *s)
{
	int ret = ktr_reader_round(&s->reader, ktr_log_add, &s->log);

	ktr_log_sort(&s->log);
	return ret;
}

int ktr_session_finish(struct ktr_session *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	__u64 end = ktr_now() + KTR_PATIENCE;
	int ret;

	do {
		if (poll(&p, 1, 1000) < 0 && errno != EINTR)
			return -errno;
		ret = ktr_session_drain(s);
		if (ret || p.revents & POLLHUP)
			return ret;
	} while (ktr_now() < end);
	return -ETIME;
}

int ktr_session_await(struct ktr_session *s, int kind, __u32 tid, size_t n)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	__u64 end = ktr_now() + KTR_PATIENCE;
	int ret;

	do {
		ret = ktr_session_drain(s);
		if (ret || ktr_log_count(&s->log, kind, tid) >= n)
			return ret;
		poll(&p, 1, 100);
	} while (ktr_now() < end);
	return -ETIME;
}
