// SPDX-License-Identifier: GPL-2.0-or-later
/* engine.c - syscall records made in user space */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <time.h>
#include "engine.h"
#include "sys.h"

static size_t min_z(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* As far as it can be read, page by page. */
static size_t peek(struct engine *e, uint64_t addr, void *to, size_t n)
{
	size_t done = 0;

	while (done < n) {
		size_t part = min_z(n - done, 4096 - ((addr + done) & 4095));
		struct iovec local = { (char *)to + done, part };
		struct iovec remote = { (void *)(uintptr_t)(addr + done),
					part };

		if (process_vm_readv(e->pid, &local, 1, &remote, 1, 0) !=
		    (ssize_t)part)
			break;
		done += part;
	}
	return done;
}

static unsigned int word_size(const struct engine *e)
{
	return e->row.abi == KTR_ABI_COMPAT ? 4 : 8;
}

static uint64_t load(const void *p, unsigned int size)
{
	uint64_t v = 0;

	memcpy(&v, p, size);
	return v;
}

/* The word or int at "off" of what operation "ref" fetched. */
static bool fetched(struct engine *e, unsigned int ref, unsigned int off,
		    unsigned int size, uint64_t *v)
{
	const struct ktr_cap *h;

	if (!e->at[ref])
		return false;
	h = (const void *)(e->data + e->at[ref] - 1);
	if (off + size > h->len)
		return false;
	*v = load((const char *)(h + 1) + off, size);
	return true;
}

static bool base_of(struct engine *e, const struct ktr_op *op, uint64_t *v)
{
	if (op->base_src == KTR_SRC_WORD)
		return fetched(e, op->base_ref, op->base_off, word_size(e), v);
	*v = op->base_src == KTR_SRC_STACK ? e->sp + op->base_off :
					     e->args[op->base_ref];
	return true;
}

static bool length_of(struct engine *e, const struct ktr_op *op, uint64_t *v)
{
	switch (op->len_src) {
	case KTR_SRC_CONST:
		*v = op->len;
		return true;
	case KTR_SRC_ARG:
		*v = e->args[op->len_ref];
		return true;
	case KTR_SRC_RET:
		*v = e->ret;
		return e->ret >= 0;
	case KTR_SRC_WORD:
		return fetched(e, op->len_ref, op->len_off, word_size(e), v);
	default:
		return fetched(e, op->len_ref, op->len_off, 4, v);
	}
}

static void get_bytes(struct engine *e, const struct ktr_op *op,
		      struct ktr_cap *h, uint64_t addr, uint64_t n)
{
	size_t want, got;

	n *= op->elem ? op->elem : 1;
	want = min_z(n, op->max);
	got = peek(e, addr, h + 1, want);
	h->len = got;
	if (want < n)
		h->flags |= KTR_CAP_F_CUT;
	if (got < want)
		h->flags |= KTR_CAP_F_UNREADABLE;
}

/* Up to the NUL; the flags say how it ended. */
static size_t get_str(struct engine *e, uint64_t addr, unsigned char *to,
		      size_t max, unsigned int *flags)
{
	size_t got = peek(e, addr, to, max);
	unsigned char *nul = memchr(to, 0, got);

	if (nul)
		return nul - to;
	*flags |= got < max ? KTR_CAP_F_UNREADABLE : KTR_CAP_F_CUT;
	return got;
}

static void get_strv(struct engine *e, const struct ktr_op *op,
		     struct ktr_cap *h, uint64_t addr, uint64_t n)
{
	unsigned int w = word_size(e);
	size_t total = 0;

	for (h->count = 0;; h->count++) {
		struct ktr_elem el = { 0 };
		unsigned char *to = (unsigned char *)(h + 1) + h->len;
		size_t max = min_z(op->max, (op->total ? op->total : op->max) -
					    total);

		if (peek(e, addr + h->count * w, &el.addr, w) < w) {
			h->flags |= KTR_CAP_F_UNREADABLE;
			return;
		}
		if (!el.addr)
			return;
		if (!op->max)
			continue;
		if (h->count >= n) {
			h->flags |= KTR_CAP_F_CUT;
			continue;
		}
		el.len = get_str(e, el.addr, to + sizeof(el), max, &el.flags);
		memcpy(to, &el, sizeof(el));
		total += el.len;
		h->len += sizeof(el) + ((el.len + 7) & ~7u);
	}
}

static void get_iov(struct engine *e, const struct ktr_op *op,
		    struct ktr_cap *h, uint64_t addr, uint64_t n)
{
	unsigned int w = word_size(e);
	size_t total = 0, bound = op->total ? op->total : op->max;
	uint64_t left = op->flags & KTR_OP_F_EXIT &&
			op->len_src == KTR_SRC_ARG ? (uint64_t)e->ret : ~0ull;

	for (h->count = 0; h->count < n && h->count < 1024; h->count++) {
		struct ktr_elem el = { 0 };
		unsigned char *to = (unsigned char *)(h + 1) + h->len;
		unsigned char pair[16];
		size_t want;

		if (peek(e, addr + h->count * 2 * w, pair, 2 * w) < 2 * w) {
			h->flags |= KTR_CAP_F_UNREADABLE;
			return;
		}
		el.addr = load(pair, w);
		el.size = load(pair + w, w);
		want = min_z(min_z(min_z(el.size, left), op->max),
			     bound - total);
		el.len = peek(e, el.addr, to + sizeof(el), want);
		if (el.len < want)
			el.flags |= KTR_CAP_F_UNREADABLE;
		if (want < el.size)
			el.flags |= KTR_CAP_F_CUT;
		if (op->flags & KTR_OP_F_EXIT)
			left -= min_z(left, el.size);
		total += el.len;
		memcpy(to, &el, sizeof(el));
		h->len += sizeof(el) + ((el.len + 7) & ~7u);
	}
}

/* The protocol of a netlink socket by its inode, as /proc has it; -1: none. */
static int netlink_protocol(struct engine *e, int fd)
{
	char path[64], proto[16] = "", line[256];
	unsigned long ino, want = 0;
	int protocol, found = -1;
	struct stat st;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", e->pid, fd);
	if (getxattr(path, "system.sockprotoname", proto, sizeof(proto) - 1) <= 0 ||
	    strcmp(proto, "NETLINK") || stat(path, &st))
		return -1;
	want = st.st_ino;
	snprintf(path, sizeof(path), "/proc/%d/net/netlink", e->pid);
	f = fopen(path, "r");
	while (f && found < 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %d %*s %*s %*s %*s %*s %*s %*s %lu",
			   &protocol, &ino) == 2 && ino == want)
			found = protocol;
	if (f)
		fclose(f);
	return found;
}

/* Only what is flagged so is asked for here. */
static void get_fd(struct engine *e, struct ktr_cap *h, int fd)
{
	struct ktr_fd d = { .fd = fd, .kind = KTR_FD_SOCKET };
	struct ktr_fd_sock s = { .family = AF_NETLINK };

	s.protocol = e->netlink;
	memcpy(h + 1, &d, sizeof(d));
	memcpy((char *)(h + 1) + sizeof(d), &s, sizeof(s));
	h->len = sizeof(d) + sizeof(s);
	h->count = 1;
}

/* How much is kept: netlink's limit, or any other socket's. */
static void find_limit(struct engine *e)
{
	e->netlink = -1;
	e->io_max = UINT32_MAX;
	e->io_total = UINT32_MAX;
	for (unsigned int i = 0; i < e->row.nops; i++) {
		const struct ktr_op *op = &e->op[i];

		if (op->form != KTR_FORM_LIMIT)
			continue;
		if (e->netlink < 0)
			e->netlink = netlink_protocol(e, e->args[op->base_ref]);
		if (op->elem & (e->netlink < 0 ? 1 << KTR_IO_SOCKET :
						 1 << KTR_IO_NETLINK)) {
			e->io_max = op->max;
			e->io_total = op->total ? op->total : op->max;
		}
	}
	for (unsigned int i = 0; i < e->row.nops; i++) {
		struct ktr_op *op = &e->op[i];

		if (!(op->flags & KTR_OP_F_IO))
			continue;
		op->max = min_z(op->max, e->io_max);
		op->total = min_z(op->total ? op->total : op->max, e->io_total);
	}
}

static void run(struct engine *e, unsigned int i)
{
	const struct ktr_op *op = &e->op[i];
	struct ktr_cap *h = (void *)(e->data + e->len);
	uint64_t addr, n = 0;
	unsigned int flags = 0;

	if (op->form == KTR_FORM_LIMIT ||
	    (op->form == KTR_FORM_FD && e->netlink < 0))
		return;
	if (!base_of(e, op, &addr) || !length_of(e, op, &n))
		return;
	if (e->len + sizeof(*h) + KTR_CAP_MAX > sizeof(e->data))
		return;
	memset(h, 0, sizeof(*h));
	h->op = i;
	if (op->flags & KTR_OP_F_EXIT)
		h->flags |= KTR_CAP_F_EXIT;
	if (op->form == KTR_FORM_FD) {
		get_fd(e, h, addr);
	} else if (!addr) {
		h->flags |= KTR_CAP_F_NULL;
	} else if (op->form == KTR_FORM_BYTES) {
		get_bytes(e, op, h, addr, n);
	} else if (op->form == KTR_FORM_STR) {
		h->len = get_str(e, addr, (void *)(h + 1), op->max, &flags);
		h->flags |= flags;
	} else if (op->form == KTR_FORM_STRV) {
		get_strv(e, op, h, addr, n);
	} else {
		get_iov(e, op, h, addr, n);
	}
	e->at[i] = e->len + 1;
	e->len += sizeof(*h) + ((h->len + 7) & ~7u);
	e->ncaps++;
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

void engine_entry(struct engine *e, pid_t pid, unsigned int abi, int nr,
		  const uint64_t args[6], uint64_t sp, unsigned int strsize,
		  unsigned int datasize)
{
	static const struct io_limits io = IO_LIMITS_NONE;
	static const struct sys_more more = { .io = &io };

	e->pid = pid;
	e->sp = sp;
	e->flags = 0;
	e->ncaps = 0;
	e->len = 0;
	e->start = now();
	memset(e->at, 0, sizeof(e->at));
	if (sys_program(abi, nr, strsize, datasize, &more, &e->row, e->op) < 0)
		e->row = (struct ktr_row){ .nr = nr, .abi = abi, .nargs = 6 };
	for (int i = 0; i < 6; i++)
		e->args[i] = abi == KTR_ABI_COMPAT ? (uint32_t)args[i] :
						     args[i];
	find_limit(e);
	for (unsigned int i = 0; i < e->row.nops; i++)
		if (!(e->op[i].flags & KTR_OP_F_EXIT))
			run(e, i);
}

static const struct ktr_rec *finish(struct engine *e, const void *head,
				    size_t n, unsigned int kind)
{
	struct ktr_rec *rec = (void *)e->rec;
	unsigned char *p = e->rec + sizeof(*rec);

	memcpy(p, head, n);
	p += n;
	memcpy(p, e->args, e->row.nargs * 8);
	p += e->row.nargs * 8;
	memcpy(p, e->data, e->len);
	p += e->len;
	*rec = (struct ktr_rec){
		.len8 = (p - e->rec) / 8, .kind = kind, .tid = e->pid,
		.time = now(),
	};
	return rec;
}

const struct ktr_rec *engine_exit(struct engine *e, int64_t ret)
{
	bool error = ret < 0 && ret >= -4095;
	struct ktr_ev_syscall ev;

	e->ret = ret;
	for (unsigned int i = 0; i < e->row.nops; i++)
		if (e->op[i].flags & KTR_OP_F_EXIT &&
		    !(error && e->op[i].flags & KTR_OP_F_IF_OK))
			run(e, i);
	ev = (struct ktr_ev_syscall){
		.nr = e->row.nr, .abi = e->row.abi, .flags = e->flags,
		.nargs = e->row.nargs, .ncaps = e->ncaps, .ret = ret,
		.start = e->start,
	};
	return finish(e, &ev, sizeof(ev), KTR_KIND_syscall);
}

const struct ktr_rec *engine_begun(struct engine *e)
{
	struct ktr_ev_syscall_begun ev = {
		.nr = e->row.nr, .abi = e->row.abi, .flags = e->flags,
		.nargs = e->row.nargs, .ncaps = e->ncaps, .start = e->start,
	};

	return finish(e, &ev, sizeof(ev), KTR_KIND_syscall_begun);
}
