// SPDX-License-Identifier: GPL-2.0-or-later
/* Arguments of kernel functions: registers, memory behind them, rows that are refused. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "ktr_ksyms.h"
#include "ktr_module.h"
#include "ktr_test.h"

#define NOWHERE ((void *)0xffff800000001000ULL)	/* the kernel's half, never mapped */

/* A row under construction. */
struct row {
	struct ktr_func_row row;
	struct ktr_op op[KTR_OPS_MAX + 1];
	char note[8];
};

FIXTURE(args) {
	struct ktr_session s;
	struct ktr_child child;
	__u64 poll;		/* do_sys_poll */
	__u64 openat;		/* do_sys_openat2 */
};

FIXTURE_SETUP(args)
{
	KTR_NEED_MODULE();
	self->poll = ktr_ksym_addr("do_sys_poll");
	self->openat = ktr_ksym_addr("do_sys_openat2");
	if (!self->poll || !self->openat)
		SKIP(return, "the addresses of /proc/kallsyms are hidden");
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){
		.buf_size = 4 << 20,
	}));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(function) |
				       KTR_BIT(function_return)));
}

FIXTURE_TEARDOWN(args)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	if (self->s.id)
		ktr_session_close(&self->s);
}

static int send_bytes(struct ktr_session *s, const void *p, size_t len)
{
	struct ktr_msg m;

	ktr_session_msg(s, &m, KTR_CMD_FUNC_ROWS_ADD);
	ktr_msg_put(&m, KTR_A_FUNC_ROWS, p, len);
	return ktr_client_call(&s->client, &m, NULL);
}

/* The note stands behind the last operation. */
static int send_row(struct ktr_session *s, const struct row *r)
{
	char buf[sizeof(*r)];
	size_t ops = r->row.nops * sizeof(r->op[0]), n = r->row.note_len;

	memcpy(buf, &r->row, sizeof(r->row));
	memcpy(buf + sizeof(r->row), r->op, ops);
	if (n > sizeof(r->note))
		n = sizeof(r->note);
	memcpy(buf + sizeof(r->row) + ops, r->note, n);
	return send_bytes(s, buf, sizeof(r->row) + ops + n);
}

static struct ktr_op at_arg(unsigned int form, unsigned int arg, int add, unsigned int len)
{
	return (struct ktr_op){
		.form = form, .base_src = KTR_SRC_ARG_AT, .base_ref = arg,
		.len = len, .max = len, .add = add,
	};
}

static const struct ktr_func_tail *tail_of(const struct ktr_rec *rec)
{
	const struct ktr_ev_function *ev = ktr_payload(rec);

	return rec->len8 * 8 > sizeof(*rec) + sizeof(*ev) ? (const void *)(ev + 1) : NULL;
}

static const __u64 *words(const struct ktr_func_tail *t)
{
	return (const __u64 *)(t + 1);
}

/* The section of an operation, NULL: there is none. */
static const struct ktr_cap *section(const struct ktr_func_tail *t, unsigned int op)
{
	const char *p = (const char *)(words(t) + t->nargs);
	unsigned int i;

	for (i = 0; i < t->ncaps; i++) {
		const struct ktr_cap *c = (const void *)p;

		if (c->op == op)
			return c;
		p += sizeof(*c) + (c->len + 7) / 8 * 8;
	}
	return NULL;
}

static int poll_here(void *arg)
{
	struct pollfd p[3] = { { .fd = -1 }, { .fd = -1 }, { .fd = -77 } };

	poll(arg ? arg : p, 3, 0);
	return 0;
}

static int open_path(void *arg)
{
	syscall(SYS_openat, AT_FDCWD, arg, O_RDONLY | O_NOFOLLOW);
	return 0;
}

static int traced(FIXTURE_DATA(args) *self, int (*fn)(void *arg), void *arg)
{
	int ret = ktr_child_traced(&self->child, &self->s, 0, fn, arg);

	if (ret)
		return ret;
	ktr_child_run(&self->child);
	return ktr_session_finish(&self->s);
}

static const struct ktr_func_tail *only_record(FIXTURE_DATA(args) *self)
{
	size_t at = 0;
	const struct ktr_rec *rec = ktr_log_next(&self->s.log, &at, KTR_KIND_function, 0);

	return rec ? tail_of(rec) : NULL;
}

static void check_polled(struct __test_metadata *_metadata, FIXTURE_DATA(args) *self)
{
	const struct ktr_func_tail *t = only_record(self);
	const struct ktr_cap *c;
	struct pollfd p[3];

	ASSERT_NE(NULL, t);
	EXPECT_EQ(2, t->nargs);
	EXPECT_EQ(1, t->ncaps);
	EXPECT_EQ(3, (unsigned int)words(t)[1]);
	c = section(t, 0);
	ASSERT_NE(NULL, c);
	ASSERT_EQ(sizeof(p), c->len);
	memcpy(p, c + 1, sizeof(p));
	EXPECT_EQ(-77, p[2].fd);
}

/* What the function is handed, in registers and in the caller's memory. */
TEST_F(args, registers_and_memory)
{
	struct row r = { .row = { .addr = self->poll, .nargs = 2, .nops = 1 } };

	r.op[0] = at_arg(KTR_FORM_BYTES, 0, 0, sizeof(struct pollfd));
	r.op[0].len_src = KTR_SRC_ARG;
	r.op[0].len_ref = 1;
	r.op[0].elem = sizeof(struct pollfd);
	r.op[0].max = 256;
	ASSERT_EQ(0, send_row(&self->s, &r));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, 0));
	ASSERT_EQ(0, traced(self, poll_here, NULL));
	check_polled(_metadata, self);
}

/* The same where the return is hooked too. */
TEST_F(args, with_returns)
{
	struct row r = { .row = { .addr = self->poll, .nargs = 2, .nops = 1 } };

	r.op[0] = at_arg(KTR_FORM_BYTES, 0, 0, 3 * sizeof(struct pollfd));
	ASSERT_EQ(0, send_row(&self->s, &r));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, KTR_FUNCS_F_RET));
	ASSERT_EQ(0, traced(self, poll_here, NULL));
	check_polled(_metadata, self);
	EXPECT_EQ(1, ktr_log_count(&self->s.log, KTR_KIND_function_return, 0));
}

/* A string of the caller's, a struct of the kernel's, and a word of it as a pointer. */
TEST_F(args, strings_and_chains)
{
	static char path[] = "/ktr-no-such-file";
	struct row r = { .row = { .addr = self->openat, .nargs = 3, .nops = 4 } };
	const struct ktr_func_tail *t;
	const struct ktr_cap *c;
	__u64 flags;

	r.op[0] = at_arg(KTR_FORM_STR, 1, 0, 64);
	r.op[1] = at_arg(KTR_FORM_BYTES, 2, 0, 8);
	r.op[2] = at_arg(KTR_FORM_STR, 1, 5, 4);
	r.op[3] = (struct ktr_op){
		.form = KTR_FORM_BYTES, .base_src = KTR_SRC_WORD_AT, .base_ref = 1,
		.len = 8, .max = 8,
	};
	ASSERT_EQ(0, send_row(&self->s, &r));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->openat, 1, 0));
	ASSERT_EQ(0, traced(self, open_path, path));
	t = only_record(self);
	ASSERT_NE(NULL, t);
	EXPECT_EQ(AT_FDCWD, (int)words(t)[0]);
	c = section(t, 0);
	ASSERT_NE(NULL, c);
	EXPECT_EQ(strlen(path), c->len);
	EXPECT_EQ(0, memcmp(c + 1, path, c->len));
	EXPECT_EQ(0, c->flags);
	c = section(t, 1);
	ASSERT_NE(NULL, c);
	ASSERT_EQ(8, c->len);
	memcpy(&flags, c + 1, 8);
	EXPECT_TRUE(flags & O_NOFOLLOW);
	c = section(t, 2);
	ASSERT_NE(NULL, c);
	EXPECT_EQ(4, c->len);
	EXPECT_EQ(0, memcmp(c + 1, path + 5, 4));
	EXPECT_TRUE(c->flags & KTR_CAP_F_CUT);
	/* Flags lead nowhere. */
	c = section(t, 3);
	ASSERT_NE(NULL, c);
	EXPECT_EQ(0, c->len);
	EXPECT_TRUE(c->flags & KTR_CAP_F_UNREADABLE);
}

static void check_unreadable(struct __test_metadata *_metadata, FIXTURE_DATA(args) *self,
			     void *where)
{
	struct row r = { .row = { .addr = self->poll, .nargs = 1, .nops = 2 } };
	const struct ktr_func_tail *t;
	const struct ktr_cap *c;

	r.op[0] = at_arg(KTR_FORM_BYTES, 0, 0, 64);
	r.op[1] = at_arg(KTR_FORM_STR, 0, 0, 64);
	ASSERT_EQ(0, send_row(&self->s, &r));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, 0));
	ASSERT_EQ(0, traced(self, poll_here, where));
	t = only_record(self);
	ASSERT_NE(NULL, t);
	EXPECT_EQ((uintptr_t)where, words(t)[0]);
	EXPECT_EQ(2, t->ncaps);
	c = section(t, 0);
	ASSERT_NE(NULL, c);
	EXPECT_EQ(0, c->len);
	EXPECT_EQ(KTR_CAP_F_UNREADABLE, c->flags);
	c = section(t, 1);
	ASSERT_NE(NULL, c);
	EXPECT_EQ(KTR_CAP_F_UNREADABLE, c->flags);
}

TEST_F(args, unreadable_of_the_kernel)
{
	check_unreadable(_metadata, self, NOWHERE);
}

TEST_F(args, unreadable_of_the_task)
{
	check_unreadable(_metadata, self, (void *)8);
}

/* A function without a row shows nothing, also beside one that has. */
TEST_F(args, others_show_nothing)
{
	struct row r = { .row = { .addr = self->openat, .nargs = 1 } };

	ASSERT_EQ(0, send_row(&self->s, &r));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, 0));
	ASSERT_EQ(0, traced(self, poll_here, NULL));
	EXPECT_EQ(1, ktr_log_count(&self->s.log, KTR_KIND_function, 0));
	EXPECT_EQ(NULL, only_record(self));
}

/* Taken away with the function. */
TEST_F(args, rows_go_with_functions)
{
	struct row r = { .row = { .addr = self->poll, .nargs = 1 } };

	ASSERT_EQ(0, send_row(&self->s, &r));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, 0));
	ASSERT_EQ(0, ktr_session_func_del(&self->s, &self->poll, 1));
	ASSERT_EQ(0, ktr_session_func_add(&self->s, &self->poll, 1, 0));
	ASSERT_EQ(0, traced(self, poll_here, NULL));
	EXPECT_EQ(1, ktr_log_count(&self->s.log, KTR_KIND_function, 0));
	EXPECT_EQ(NULL, only_record(self));
}

struct seen {
	__u64 addr;
	char note[9];
	unsigned int n;
};

static int see(const struct ktr_answer *part, void *arg)
{
	const struct nlattr *a = part->attr[KTR_A_FUNC_ROWS];
	struct ktr_func_row row;
	struct seen *s = arg;

	if (!a)
		return 0;
	memcpy(&row, ktr_attr_data(a), sizeof(row));
	s->addr = row.addr;
	memcpy(s->note, (const char *)ktr_attr_data(a) + sizeof(row) +
	       row.nops * sizeof(struct ktr_op), row.note_len & 7);
	s->n++;
	return 0;
}

/* What was sent is handed back; a second row takes the place of the first. */
TEST_F(args, rows_are_handed_back)
{
	struct row r = { .row = { .addr = self->poll, .nargs = 1, .note_len = 5 } };
	struct seen seen = { 0 };
	struct ktr_msg m;

	memcpy(r.note, "first", 5);
	ASSERT_EQ(0, send_row(&self->s, &r));
	memcpy(r.note, "other", 5);
	ASSERT_EQ(0, send_row(&self->s, &r));
	ktr_session_msg(&self->s, &m, KTR_CMD_FUNC_ROWS_GET);
	ASSERT_EQ(0, ktr_client_dump(&self->s.client, &m, see, &seen));
	EXPECT_EQ(1, seen.n);
	EXPECT_EQ(self->poll, seen.addr);
	EXPECT_STREQ("other", seen.note);
}

#define REFUSED(...) do {							\
	struct row bad = { .row = { .addr = self->poll, .nops = 1 } };		\
										\
	bad.op[0] = at_arg(KTR_FORM_BYTES, 0, 0, 8);				\
	__VA_ARGS__;								\
	EXPECT_EQ(-EINVAL, send_row(&self->s, &bad)) TH_LOG("%s", #__VA_ARGS__);	\
} while (0)

TEST_F(args, bad_rows_are_refused)
{
	struct ktr_func_row row = { .addr = self->poll };

	REFUSED(bad.row.nargs = 7);
	REFUSED(bad.row.nops = KTR_OPS_MAX + 1);
	REFUSED(bad.row.reserved = 1);
	REFUSED(bad.row.note_len = KTR_FUNC_NOTE_MAX + 1);
	REFUSED(bad.row.note_len = 64);
	REFUSED(bad.op[0].flags = KTR_OP_F_EXIT);
	REFUSED(bad.op[0].form = KTR_FORM_FD);
	REFUSED(bad.op[0].form = KTR_FORM_STRV);
	REFUSED(bad.op[0].form = __KTR_FORM_LAST);
	REFUSED(bad.op[0].base_ref = 6);
	REFUSED(bad.op[0].base_src = KTR_SRC_ARG);
	REFUSED(bad.op[0].base_src = KTR_SRC_STACK);
	REFUSED(bad.op[0].base_src = KTR_SRC_WORD_AT);
	REFUSED(bad.op[0].base_src = __KTR_SRC_LAST);
	REFUSED(bad.op[0].max = 0);
	REFUSED(bad.op[0].max = KTR_FUNC_CAP_MAX + 1);
	REFUSED(bad.op[0].len_src = KTR_SRC_RET);
	REFUSED(bad.op[0].len_src = KTR_SRC_WORD);
	REFUSED(bad.op[0].len_src = KTR_SRC_ARG; bad.op[0].len_ref = 6);
	EXPECT_EQ(-EINVAL, send_bytes(&self->s, &row, sizeof(row) - 1));
	EXPECT_EQ(0, send_bytes(&self->s, &row, sizeof(row)));
}

TEST_HARNESS_MAIN
