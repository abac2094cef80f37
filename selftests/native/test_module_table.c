// SPDX-License-Identifier: GPL-2.0-or-later
/* The syscall table: rows from the user, good, bad, cut off and mutated. */
#include "../../module/table.c"
#include "tap.h"

#define ROUNDS 30000

long shim_alloc_left = -1;
const struct ktr_prog ktr_prog_other = { .nargs = 6, .fd_arg = 255 };

struct wire {
	struct ktr_row row;
	struct ktr_op op[KTR_OPS_MAX];
};

static const struct ktr_op good_op = {
	.form = KTR_FORM_BYTES, .base_src = KTR_SRC_ARG, .base_ref = 1,
	.len_src = KTR_SRC_ARG, .len_ref = 2, .max = 64,
};

static const struct wire good = {
	.row = { .nr = 1, .nargs = 3, .nops = 1, .fd_arg = 0 },
};

static struct wire good_wire(void)
{
	struct wire w = good;

	w.op[0] = good_op;
	return w;
}

static u32 wire_len(const struct wire *w)
{
	return sizeof(w->row) + w->row.nops * sizeof(w->op[0]);
}

static int add(struct ktr_table *t, const struct wire *w)
{
	struct netlink_ext_ack ack = { "" };
	int err = ktr_table_add(t, w, wire_len(w), &ack);

	CHECK(!err || err == -ENOMEM || ack.text[0]);
	return err;
}

static void added_and_taken_away(void)
{
	struct ktr_table *t = ktr_table_copy(NULL), *copy;
	struct wire w = good_wire();
	struct netlink_ext_ack ack;

	CHECK_EQ(add(t, &w), 0);
	w.row.abi = KTR_ABI_COMPAT;
	w.row.nr = KTR_SYSCALLS_MAX - 1;
	CHECK_EQ(add(t, &w), 0);
	w.row.nargs = 2;		/* again: the newer one counts */
	CHECK_EQ(add(t, &w), 0);
	ktr_table_seal(t, NULL);
	CHECK_EQ(t->nrows, 2);
	CHECK(ktr_table_find(t, KTR_ABI_NATIVE, 1));
	CHECK_EQ(ktr_table_find(t, KTR_ABI_COMPAT, 1023)->nargs, 2);
	CHECK(!ktr_table_find(t, KTR_ABI_NATIVE, 1023));
	CHECK(!ktr_table_find(t, KTR_ABI_NATIVE, -1));
	CHECK(!ktr_table_find(t, KTR_ABI_COMPAT, 0x7fffffff));
	copy = ktr_table_copy(t);
	w.row.nops = 0;
	CHECK_EQ(ktr_table_del(t, &w, sizeof(w.row), &ack), 0);
	ktr_table_seal(t, NULL);
	ktr_table_seal(copy, NULL);
	CHECK_EQ(t->nrows, 1);
	CHECK_EQ(copy->nrows, 2);
	CHECK(t->seq != copy->seq);
	w.row.nops = 1;
	CHECK_EQ(ktr_table_del(t, &w, wire_len(&w), &ack), -EINVAL);
	ktr_table_free(t);
	ktr_table_free(copy);
}

static uint32_t seq_of(const struct ktr_table *t)
{
	return ktr_table_find(t, KTR_ABI_NATIVE, 1)->seq;
}

/* A call under way knows its program by the number, from one table to the next. */
static void programs_that_are_alike(void)
{
	struct ktr_table *first = ktr_table_copy(NULL), *other = ktr_table_copy(NULL);
	struct ktr_table *more = ktr_table_copy(NULL);
	struct wire w = good_wire();

	w.row.nr = 1;
	CHECK_EQ(add(first, &w), 0);
	w.op[0].max += 8;
	w.op[0].total += 8;
	CHECK_EQ(add(more, &w), 0);
	w.op[0].flags ^= KTR_OP_F_EXIT;
	CHECK_EQ(add(other, &w), 0);
	ktr_table_seal(first, NULL);
	ktr_table_seal(more, first);
	ktr_table_seal(other, more);
	CHECK_EQ(seq_of(more), seq_of(first));
	CHECK(seq_of(other) != seq_of(first));
	ktr_table_seal(more, other);
	CHECK(seq_of(more) != seq_of(first));
	CHECK(seq_of(more) != seq_of(other));
	ktr_table_free(first);
	ktr_table_free(more);
	ktr_table_free(other);
}

static void others(void)
{
	struct ktr_table *t = ktr_table_copy(NULL);

	CHECK(!ktr_table_find(t, KTR_ABI_NATIVE, 9999));
	t->others = true;
	CHECK_EQ(ktr_table_find(t, KTR_ABI_NATIVE, 9999)->nargs, 6);
	CHECK(ktr_table_find(t, KTR_ABI_COMPAT, -1));
	ktr_table_free(t);
}

/* Each row is good but for one thing. */
static void bad_rows(void)
{
	struct ktr_table *t = ktr_table_copy(NULL);
	struct wire w;

#define BAD(change) do { \
	w = good_wire(); \
	change; \
	CHECK_EQ(add(t, &w), -EINVAL); \
} while (0)
	BAD(w.row.nr = KTR_SYSCALLS_MAX);
	BAD(w.row.abi = __KTR_ABI_LAST);
	BAD(w.row.nargs = 7);
	BAD(w.row.fd_arg = 6);
	BAD(w.row.reserved = 1);
	BAD(w.op[0].flags = KTR_OP_F__ALL + 1);
	BAD(w.op[0].form = __KTR_FORM_LAST);
	BAD(w.op[0].max = KTR_CAP_MAX + 1);
	BAD(w.op[0].total = KTR_CAP_MAX + 1);
	BAD(w.op[0].base_src = KTR_SRC_CONST);
	BAD(w.op[0].base_src = KTR_SRC_RET);
	BAD(w.op[0].base_src = KTR_SRC_U32);
	BAD(w.op[0].base_src = __KTR_SRC_LAST);
	BAD(w.op[0].base_ref = 6);
	BAD(w.op[0].base_src = KTR_SRC_WORD; w.op[0].base_ref = 0);
	BAD(w.op[0].len_src = __KTR_SRC_LAST);
	BAD(w.op[0].len_ref = 6);
	BAD(w.op[0].len_src = KTR_SRC_RET);
	BAD(w.op[0].len_src = KTR_SRC_WORD; w.op[0].len_ref = 0);
	BAD(w.op[0].len_src = KTR_SRC_U32; w.op[0].len_ref = 200);
#undef BAD
	ktr_table_seal(t, NULL);
	CHECK_EQ(t->nrows, 0);
	ktr_table_free(t);
}

/* What is captured at exit is no base for what is captured at entry. */
static void order_of_operations(void)
{
	struct ktr_table *t = ktr_table_copy(NULL);
	struct wire w = good_wire();

	w.row.nops = 2;
	w.op[1] = (struct ktr_op){ .form = KTR_FORM_STR, .max = 8,
				   .base_src = KTR_SRC_WORD };
	CHECK_EQ(add(t, &w), 0);
	w.op[0].flags = KTR_OP_F_EXIT;
	CHECK_EQ(add(t, &w), -EINVAL);
	w.op[1].flags = KTR_OP_F_EXIT;
	CHECK_EQ(add(t, &w), 0);
	w.op[0].flags = 0;
	CHECK_EQ(add(t, &w), 0);
	w.op[1].base_ref = 1;
	CHECK_EQ(add(t, &w), -EINVAL);
	ktr_table_free(t);
}

/* A copy that ends where the message ends: a byte read too far shows. */
static int add_exactly(struct ktr_table *t, const void *data, u32 len)
{
	struct netlink_ext_ack ack = { "" };
	void *copy = malloc(len ? len : 1);
	int err;

	memcpy(copy, data, len);
	err = ktr_table_add(t, copy, len, &ack);
	free(copy);
	return err;
}

static void cut_off(void)
{
	struct ktr_table *t = ktr_table_copy(NULL);
	struct wire w = good_wire();
	u32 len;

	w.row.nops = 3;
	w.op[2] = w.op[1] = w.op[0];
	for (len = 1; len < wire_len(&w); len++)
		CHECK_EQ(add_exactly(t, &w, len), -EINVAL);
	CHECK_EQ(add_exactly(t, &w, len), 0);
	CHECK_EQ(add_exactly(t, &w, 0), 0);
	ktr_table_free(t);
}

static void mutated(void)
{
	struct ktr_table *t = ktr_table_copy(NULL);
	u32 round, accepted = 0;

	for (round = 0; round < ROUNDS; round++) {
		struct { struct wire w[3]; } m = {};
		u8 *bytes = (u8 *)&m;
		u32 len, i, k;

		for (i = 0, len = 0; i < 3; i++, len += k) {
			struct wire w = good_wire();

			w.row.nr = tap_below(KTR_SYSCALLS_MAX);
			w.row.nops = tap_below(4);
			for (k = 1; k < w.row.nops; k++)
				w.op[k] = good_op;
			k = wire_len(&w);
			memcpy(bytes + len, &w, k);
		}
		for (k = tap_below(4); k; k--)
			bytes[tap_below(len)] = tap_random();
		accepted += !add_exactly(t, bytes, len);
	}
	CHECK(accepted > ROUNDS / 10 && accepted < ROUNDS);
	ktr_table_seal(t, NULL);
	CHECK(t->need >= 64 && t->need < 2 * KTR_CAP_MAX);
	CHECK(t->nrows > 500);
	ktr_table_free(t);
}

/* Every allocation of a copy fails once; nothing is leaked (the sanitizer). */
static void out_of_memory(void)
{
	struct ktr_table *t = ktr_table_copy(NULL), *copy = NULL;
	struct wire w = good_wire();
	long left;

	for (left = 0; left < 10; left++) {
		w.row.nr = left;
		CHECK_EQ(add(t, &w), 0);
	}
	for (left = 0; !copy && left < 100; left++) {
		shim_alloc_left = left;
		copy = ktr_table_copy(t);
	}
	CHECK_EQ(left, 12);
	shim_alloc_left = 0;
	CHECK_EQ(add(t, &w), -ENOMEM);
	shim_alloc_left = -1;
	ktr_table_free(t);
	ktr_table_free(copy);
}

int main(void)
{
	RUN(added_and_taken_away);
	RUN(programs_that_are_alike);
	RUN(others);
	RUN(bad_rows);
	RUN(order_of_operations);
	RUN(cut_off);
	RUN(mutated);
	RUN(out_of_memory);
	return tap_done();
}
