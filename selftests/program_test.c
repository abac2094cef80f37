// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Capture programs by chance, on memory by chance: what is captured must be
 * what is there, and no program may break a record.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>
#include "ktr_random.h"
#include "ktr_test.h"

#define PAGES	8
#define AREA	(PAGES * 4096)
#define NR	900		/* no call of any kernel: it does no harm */
#define CALLS	8

/* Shared, so that the test sees what the child's calls saw. */
struct memory {
	__u64 arg[CALLS][6];
	int nr[CALLS];
};

FIXTURE(program) {
	struct ktr_session s;
	struct ktr_child child;
	struct ktr_random rnd;
	struct memory *mem;
	unsigned char *area;	/* with a hole in its middle */
};

static bool is_hole(const unsigned char *area, const void *p)
{
	return (const unsigned char *)p >= area + 4 * 4096 &&
	       (const unsigned char *)p < area + 5 * 4096;
}

FIXTURE_SETUP(program)
{
	KTR_NEED_MODULE();
	ktr_random_init(&self->rnd, ktr_seed());
	TH_LOG("KTR_SEED=%llu", ktr_seed());
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
	self->mem = mmap(NULL, sizeof(*self->mem), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	self->area = mmap(NULL, AREA, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	munmap(self->area + 4 * 4096, 4096);
}

FIXTURE_TEARDOWN(program)
{
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

/* A word that may be a pointer, into the area mostly. */
static __u64 some_word(FIXTURE_DATA(program) *self)
{
	struct ktr_random *r = &self->rnd;

	switch (ktr_random_below(r, 8)) {
	case 0:
		return ktr_random_edge(r);
	case 1:
		return ktr_random_below(r, 300);
	case 2:
		return (unsigned long)self->area + 4096 *
		       (1 + ktr_random_below(r, PAGES)) - ktr_random_below(r, 20);
	}
	return (unsigned long)self->area + ktr_random_below(r, AREA);
}

static void fill_memory(FIXTURE_DATA(program) *self)
{
	int i, k;

	for (i = 0; i < AREA; i += 8) {
		__u64 word = ktr_one_in(&self->rnd, 3) ? some_word(self) :
			     ktr_one_in(&self->rnd, 6) ? 0 :
			     0x4141414141414141ULL;

		if (!is_hole(self->area, self->area + i))
			memcpy(self->area + i, &word, 8);
	}
	for (i = 0; i < CALLS; i++) {
		self->mem->nr[i] = ktr_one_in(&self->rnd, 2) ? NR : SYS_getppid;
		for (k = 0; k < 6; k++)
			self->mem->arg[i][k] = some_word(self);
	}
}

static struct ktr_op random_op(struct ktr_random *r, int i)
{
	struct ktr_op op = {
		.flags = ktr_random_below(r, KTR_OP_F__ALL + 1),
		.form = ktr_random_below(r, __KTR_FORM_LAST),
		.base_ref = ktr_random_below(r, 6),
		.base_off = ktr_random_below(r, 64),
		.len_src = ktr_random_below(r, __KTR_SRC_LAST),
		.len_ref = ktr_random_below(r, 6),
		.len_off = ktr_random_below(r, 64),
		.elem = ktr_one_in(r, 2) ? ktr_random_below(r, 70) : 0,
		.len = ktr_one_in(r, 4) ? ktr_random_edge(r) :
					  ktr_random_below(r, 5000),
		.max = ktr_random_below(r, ktr_one_in(r, 8) ? KTR_CAP_MAX + 1 : 600),
		.total = ktr_one_in(r, 2) ? 0 : ktr_random_below(r, 5000),
	};

	op.base_src = i && ktr_one_in(r, 3) ? KTR_SRC_WORD : KTR_SRC_ARG;
	if (op.base_src == KTR_SRC_WORD)
		op.base_ref = ktr_random_below(r, i);
	if (i && op.len_src >= KTR_SRC_WORD)
		op.len_ref = ktr_random_below(r, i);
	if (op.len_src == KTR_SRC_RET)
		op.flags |= KTR_OP_F_EXIT;
	return op;
}

static int makes_calls(void *arg)
{
	const struct memory *mem = arg;
	int i;

	for (i = 0; i < CALLS; i++)
		syscall(mem->nr[i], mem->arg[i][0], mem->arg[i][1],
			mem->arg[i][2], mem->arg[i][3], mem->arg[i][4],
			mem->arg[i][5]);
	return 0;
}

/* Are @len bytes at @addr of the area what was captured? */
static bool same_bytes(const unsigned char *area, __u64 addr,
		       const unsigned char *bytes, size_t len)
{
	const unsigned char *p = (void *)addr;
	size_t i;

	for (i = 0; i < len; i++) {
		if (p + i < area || p + i >= area + AREA)
			return true;	/* some memory of the child's own */
		if (is_hole(area, p + i) || p[i] != bytes[i])
			return false;
	}
	return true;
}

/* Elements fill their section exactly and are what is in memory. */
static bool good_vector(const unsigned char *area, const struct ktr_op *op,
			const struct ktr_section *sec)
{
	size_t at = 0;

	while (at < sec->head->len) {
		const struct ktr_elem *e = (const void *)(sec->bytes + at);

		if (at + sizeof(*e) > sec->head->len ||
		    at + sizeof(*e) + e->len > sec->head->len ||
		    e->len > op->max)
			return false;
		if (!same_bytes(area, e->addr, (const void *)(e + 1), e->len))
			return false;
		at += sizeof(*e) + e->len;
		if (at < sec->head->len)
			at = (at + 7) & ~7UL;
	}
	return true;
}

/* The heads of what descriptors refer to fit; names and sockets stand between. */
static bool good_fds(const struct ktr_section *sec)
{
	size_t least = sizeof(struct ktr_fd);
	const struct ktr_fd *first = (const void *)sec->bytes;

	if (sec->head->len < sec->head->count * least)
		return false;
	return !sec->head->count || least + first->len <= sec->head->len;
}

static bool good_section(const unsigned char *area, const struct ktr_op *ops,
			 const struct ktr_call_view *v,
			 const struct ktr_section *sec)
{
	const struct ktr_op *op = &ops[sec->head->op];

	if (sec->head->flags & KTR_CAP_F_NULL)
		return !sec->head->len;
	switch (op->form) {
	case KTR_FORM_STRV:
	case KTR_FORM_IOV:
		return good_vector(area, op, sec);
	case KTR_FORM_FD:
		return good_fds(sec);
	case KTR_FORM_IP:
		return sec->head->len == sizeof(__u64);
	case KTR_FORM_LIMIT:
		return false;	/* it makes no section */
	}
	if (sec->head->len > op->max)
		return false;
	if (op->form == KTR_FORM_STR && memchr(sec->bytes, 0, sec->head->len))
		return false;
	return op->base_src != KTR_SRC_ARG ||
	       same_bytes(area, v->args[op->base_ref], sec->bytes,
			  sec->head->len);
}

/* Some program that the module takes, put in force. Return: 0 or -errno. */
static int random_program(FIXTURE_DATA(program) *self, struct ktr_op *ops,
			  long *refused)
{
	int ret, nops, i;

	do {
		struct ktr_rows rows = {};

		nops = 1 + ktr_random_below(&self->rnd, KTR_OPS_MAX);
		for (i = 0; i < nops; i++)
			ops[i] = random_op(&self->rnd, i);
		ktr_rows_add(&rows, KTR_ABI_NATIVE, NR, 6, -1, ops, nops);
		ktr_rows_add(&rows, KTR_ABI_NATIVE, SYS_getppid, 6, -1, ops,
			     nops);
		ret = ktr_session_rows(&self->s, &rows, 0);
		*refused += ret == -EINVAL;
	} while (ret == -EINVAL && self->s.client.text[0]);
	return ret;
}

TEST_F(program, random_programs)
{
	long rounds = ktr_scaled(2000), round, refused = 0, sections = 0;

	for (round = 0; round < rounds; round++) {
		struct ktr_op ops[KTR_OPS_MAX];
		struct ktr_call_view v;
		size_t at = 0;
		int i, k;

		ASSERT_EQ(0, random_program(self, ops, &refused));
		fill_memory(self);
		ASSERT_EQ(0, ktr_child_traced(&self->child, &self->s, 0,
					      makes_calls, self->mem));
		ASSERT_EQ(0, ktr_child_run(&self->child));
		ASSERT_EQ(0, ktr_session_finish(&self->s));
		for (i = 0; i < CALLS; i++) {
			ASSERT_EQ(0, ktr_log_call(&self->s.log, &at, -2, 0, &v));
			ASSERT_EQ(0, memcmp(v.args, self->mem->arg[i], 48));
			for (k = 0; k < v.ncaps; k++, sections++)
				ASSERT_TRUE(good_section(self->area, ops, &v,
							 &v.cap[k]))
					TH_LOG("round %ld call %d section %d",
					       round, i, k);
		}
		ktr_log_clear(&self->s.log);
	}
	TH_LOG("%ld programs ran, %ld were refused, %ld sections", rounds,
	       refused, sections);
	EXPECT_LT(rounds, sections);
}

/* Each rule that a program must keep, broken alone. */
static const struct {
	const char *why;
	struct ktr_op op;
} bad[] = {
	{ "flags", { .flags = KTR_OP_F__ALL + 1 } },
	{ "form", { .form = __KTR_FORM_LAST } },
	{ "base source", { .base_src = KTR_SRC_CONST } },
	{ "base source", { .base_src = KTR_SRC_RET } },
	{ "base argument", { .base_ref = 6 } },
	{ "base of itself", { .base_src = KTR_SRC_WORD } },
	{ "length source", { .len_src = __KTR_SRC_LAST } },
	{ "length argument", { .len_src = KTR_SRC_ARG, .len_ref = 6 } },
	{ "result at entry", { .len_src = KTR_SRC_RET } },
	{ "length of itself", { .len_src = KTR_SRC_WORD } },
	{ "max", { .max = KTR_CAP_MAX + 1 } },
	{ "total", { .total = KTR_CAP_MAX + 1 } },
};

TEST_F(program, broken_rules_are_refused)
{
	struct ktr_op good = { .base_src = KTR_SRC_ARG, .max = 8 };
	struct ktr_rows rows = {};
	int i;

	ktr_rows_add(&rows, KTR_ABI_NATIVE, NR, 6, -1, &good, 1);
	ASSERT_EQ(0, ktr_session_rows(&self->s, &rows, 0));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct ktr_op op = bad[i].op;

		if (!op.base_src && strcmp(bad[i].why, "base source"))
			op.base_src = KTR_SRC_ARG;
		rows.len = 0;
		ktr_rows_add(&rows, KTR_ABI_NATIVE, NR, 6, -1, &op, 1);
		EXPECT_EQ(-EINVAL, ktr_session_rows(&self->s, &rows, 0))
			TH_LOG("%s", bad[i].why);
		EXPECT_NE(NULL, strstr(self->s.client.text, "900"))
			TH_LOG("'%s'", self->s.client.text);
	}
	/* What was in force is so still. */
	EXPECT_EQ(1, ktr_session_u32(&self->s, KTR_A_NSYSCALLS));
}

static int send_rows(struct ktr_session *s, __u8 cmd, const struct ktr_rows *rows,
		     __u32 flags)
{
	struct ktr_msg m;

	ktr_session_msg(s, &m, cmd);
	if (rows)
		ktr_msg_put(&m, KTR_A_ROWS, rows->buf, rows->len);
	ktr_msg_u32(&m, KTR_A_FLAGS, flags);
	return ktr_client_call(&s->client, &m, NULL);
}

TEST_F(program, broken_rows_are_refused)
{
	struct ktr_row row = { .nr = NR, .nargs = 6, .fd_arg = 255 };
	struct ktr_rows rows = { .len = sizeof(row) };

#define REFUSED(change) do {						\
	struct ktr_row one = row;					\
									\
	one.change;							\
	memcpy(rows.buf, &one, sizeof(one));				\
	EXPECT_EQ(-EINVAL, send_rows(&self->s, KTR_CMD_SYSCALL_ADD,	\
				     &rows, KTR_ROWS_F_COMMIT))		\
		TH_LOG("%s", #change);					\
} while (0)
	REFUSED(nr = KTR_SYSCALLS_MAX);
	REFUSED(abi = __KTR_ABI_LAST);
	REFUSED(nargs = 7);
	REFUSED(nops = KTR_OPS_MAX + 1);
	REFUSED(nops = 1);		/* and it is cut off */
	REFUSED(fd_arg = 6);
	REFUSED(reserved = 1);
	rows.len--;
	REFUSED(nr = NR);
	EXPECT_EQ(-EOPNOTSUPP, send_rows(&self->s, KTR_CMD_SYSCALL_ADD, NULL,
					 KTR_ROWS_F__ALL + 1));
	EXPECT_EQ(0, ktr_session_u32(&self->s, KTR_A_NSYSCALLS));
}

static int collect_rows(const struct ktr_answer *part, void *arg)
{
	struct ktr_rows *rows = arg;
	const struct nlattr *attr = part->attr[KTR_A_ROWS];

	if (attr && rows->len + ktr_attr_len(attr) <= sizeof(rows->buf)) {
		memcpy(rows->buf + rows->len, ktr_attr_data(attr),
		       ktr_attr_len(attr));
		rows->len += ktr_attr_len(attr);
	}
	return 0;
}

/* Rows collect unseen until they are put in force, and can be read back. */
TEST_F(program, rows_are_staged)
{
	struct ktr_op op = { .base_src = KTR_SRC_ARG, .max = 8 };
	struct ktr_rows one = {}, two = {}, got = {}, all = {};
	struct ktr_session *s = &self->s;
	struct ktr_msg m;

	ktr_rows_add(&one, KTR_ABI_NATIVE, SYS_getppid, 3, -1, &op, 1);
	ktr_rows_add(&two, KTR_ABI_NATIVE, NR, 2, 0, NULL, 0);
	ASSERT_EQ(0, send_rows(s, KTR_CMD_SYSCALL_ADD, &one, 0));
	EXPECT_EQ(0, ktr_session_u32(s, KTR_A_NSYSCALLS));
	ASSERT_EQ(0, send_rows(s, KTR_CMD_SYSCALL_ADD, &two, KTR_ROWS_F_COMMIT));
	EXPECT_EQ(2, ktr_session_u32(s, KTR_A_NSYSCALLS));
	ktr_session_msg(s, &m, KTR_CMD_SYSCALL_GET);
	ASSERT_EQ(0, ktr_client_dump(&s->client, &m, collect_rows, &got));
	memcpy(all.buf, one.buf, one.len);
	memcpy(all.buf + one.len, two.buf, two.len);
	ASSERT_EQ(one.len + two.len, got.len);
	EXPECT_EQ(0, memcmp(all.buf, got.buf, got.len));
	/* Begin throws an unfinished copy away. */
	ASSERT_EQ(0, send_rows(s, KTR_CMD_SYSCALL_DEL, &two, 0));
	ASSERT_EQ(0, send_rows(s, KTR_CMD_SYSCALL_ADD, NULL,
			       KTR_ROWS_F_BEGIN | KTR_ROWS_F_COMMIT));
	EXPECT_EQ(2, ktr_session_u32(s, KTR_A_NSYSCALLS));
	ASSERT_EQ(0, send_rows(s, KTR_CMD_SYSCALL_DEL, &two, KTR_ROWS_F_COMMIT));
	EXPECT_EQ(1, ktr_session_u32(s, KTR_A_NSYSCALLS));
	ASSERT_EQ(0, send_rows(s, KTR_CMD_SYSCALL_DEL, NULL, KTR_ROWS_F_COMMIT));
	EXPECT_EQ(0, ktr_session_u32(s, KTR_A_NSYSCALLS));
}

TEST_HARNESS_MAIN
