// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Predicates: what module/filter.c makes of them is run by a small interpreter
 * here and held against a direct evaluation. The interpreter is strict: it knows
 * only what such a program may do, so anything else fails.
 */
#include "../../module/filter.c"
#include "tap.h"

#define FIELDS __KTR_FIELD_LAST
#define ROUNDS 20000

long shim_alloc_left = -1;
int shim_jit_error;

static bool bad_program;

static u64 alu(u8 op, u64 a, u64 b)
{
	switch (op) {
	case BPF_MOV: return b;
	case BPF_OR: return a | b;
	case BPF_AND: return a & b;
	case BPF_XOR: return a ^ b;
	case BPF_LSH: return a << (b & 63);
	case BPF_RSH: return a >> (b & 63);
	case BPF_ADD: return a + b;
	case BPF_SUB: return a - b;
	}
	bad_program = true;
	return 0;
}

static bool jumps(u8 op, s64 a, s64 b)
{
	switch (op) {
	case BPF_JA: return true;
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JSLT: return a < b;
	case BPF_JSLE: return a <= b;
	case BPF_JSGT: return a > b;
	case BPF_JSGE: return a >= b;
	case BPF_JSET: return a & b;
	}
	bad_program = true;
	return false;
}

static u64 load(const struct bpf_insn *i, const u64 *reg, const void *ctx)
{
	u64 value = 0;

	if (i->code != (BPF_LDX | BPF_DW | BPF_MEM) ||
	    reg[i->src_reg] != (u64)(unsigned long)ctx || i->off & 7 ||
	    i->off < 0 || i->off + 8u > sizeof(struct ktr_filter_ctx)) {
		bad_program = true;
		return 0;
	}
	memcpy(&value, (const char *)ctx + i->off, 8);
	return value;
}

/* Bounded by the length of the longest program: jumps only go forward. */
unsigned int bpf_dispatcher_nop_func(const void *ctx,
				     const struct bpf_insn *insn, void *unused)
{
	u64 reg[11] = { [1] = (unsigned long)ctx }, operand;
	const struct bpf_insn *i = insn;

	for (;; i++) {
		operand = BPF_SRC(i->code) == BPF_X ? reg[i->src_reg] :
						      (u64)(s64)i->imm;
		switch (BPF_CLASS(i->code)) {
		case BPF_LD:
			reg[i->dst_reg] = (u32)i[0].imm | (u64)i[1].imm << 32;
			i++;
			break;
		case BPF_LDX:
			reg[i->dst_reg] = load(i, reg, ctx);
			break;
		case BPF_ALU64:
			reg[i->dst_reg] = alu(BPF_OP(i->code),
					      reg[i->dst_reg], operand);
			break;
		case BPF_JMP:
			if (BPF_OP(i->code) == BPF_EXIT)
				return reg[0];
			if (i->off < 0)
				bad_program = true;
			if (jumps(BPF_OP(i->code), reg[i->dst_reg], operand))
				i += i->off;
			break;
		default:
			bad_program = true;
		}
		if (bad_program)
			return 2;
	}
}

static bool compare(const struct ktr_pred *p, const struct ktr_filter_ctx *ctx)
{
	s64 a = ctx->field[p->field];

	switch (p->op) {
	case KTR_PRED_EQ: return a == p->value;
	case KTR_PRED_NE: return a != p->value;
	case KTR_PRED_LT: return a < p->value;
	case KTR_PRED_LE: return a <= p->value;
	case KTR_PRED_GT: return a > p->value;
	case KTR_PRED_GE: return a >= p->value;
	}
	return a & p->value;
}

static bool evaluate(const struct ktr_pred *p, u32 n,
		     const struct ktr_filter_ctx *ctx)
{
	bool stack[32];
	u32 depth = 0;

	for (; n; n--, p++) {
		if (p->op < KTR_PRED_AND) {
			stack[depth++] = compare(p, ctx);
		} else if (p->op == KTR_PRED_NOT) {
			stack[depth - 1] = !stack[depth - 1];
		} else {
			depth--;
			if (p->op == KTR_PRED_AND)
				stack[depth - 1] &= stack[depth];
			else
				stack[depth - 1] |= stack[depth];
		}
	}
	return stack[0];
}

/* Near each other, so that equality and the edges come up. */
static s64 some_value(void)
{
	static const s64 values[] = {
		0, 1, -1, 2, -2, 4095, -4095, -4096, 1LL << 31, -(1LL << 31),
		1LL << 32, (1LL << 32) - 1, -(1LL << 32), 0x7fffffffffffffff,
		-0x7fffffffffffffff - 1, 0x5555555555555555,
	};

	return values[tap_below(sizeof(values) / sizeof(*values))];
}

/* A valid predicate of about n elements. */
static u32 some_preds(struct ktr_pred *p, u32 n)
{
	u32 i = 0, depth = 0;

	memset(p, 0, KTR_PREDS_MAX * sizeof(*p));
	while (i < n || depth > 1) {
		bool compare = depth < 32 && i < n && tap_below(2);

		if (!depth || compare) {
			p[i].op = tap_below(KTR_PRED_AND);
			p[i].field = tap_below(FIELDS);
			p[i].value = some_value();
			depth++;
		} else if (depth > 1 && (i >= n || tap_below(3))) {
			p[i].op = tap_below(2) ? KTR_PRED_AND : KTR_PRED_OR;
			depth--;
		} else {
			p[i].op = KTR_PRED_NOT;
		}
		i++;
	}
	return i;
}

static void same_answers(void)
{
	struct ktr_pred p[KTR_PREDS_MAX];
	struct netlink_ext_ack ack = {};
	u64 yes = 0, no = 0;
	u32 round, k, i, n;

	for (round = 0; round < ROUNDS; round++) {
		struct ktr_filter *f;

		n = some_preds(p, 1 + tap_below(tap_below(10) ? 8 : 200));
		f = ktr_filter_new(p, n, &ack);
		if (IS_ERR(f)) {
			printf("# %s\n", ack.text);
			CHECK(!"a valid predicate was refused");
			return;
		}
		CHECK(f->prog->len <= n * INSNS_PER_PRED + 4);
		for (k = 0; k < 8; k++) {
			struct ktr_filter_ctx ctx;
			bool want, got;

			for (i = 0; i < FIELDS; i++)
				ctx.field[i] = some_value();
			want = evaluate(p, n, &ctx);
			got = ktr_filter_run(f, &ctx);
			CHECK_EQ(got, want);
			yes += got;
			no += !got;
		}
		CHECK(!bad_program);
		ktr_filter_free(f);
	}
	CHECK(yes > ROUNDS / 2 && no > ROUNDS / 2);
}

static void deepest(void)
{
	struct ktr_pred p[KTR_PREDS_MAX] = {};
	struct netlink_ext_ack ack = {};
	struct ktr_filter *f;
	int i, depth;

	for (depth = 32; depth <= 33; depth++) {
		for (i = 0; i < depth; i++)
			p[i] = (struct ktr_pred){ .op = KTR_PRED_NE };
		for (; i < 2 * depth - 1; i++)
			p[i] = (struct ktr_pred){ .op = KTR_PRED_OR };
		f = ktr_filter_new(p, 2 * depth - 1, &ack);
		CHECK_EQ(IS_ERR(f), depth > 32);
		if (!IS_ERR(f))
			ktr_filter_free(f);
	}
}

/* Which of them need the call's end is what the begun record depends on. */
static void at_exit(void)
{
	struct netlink_ext_ack ack = {};
	int field;

	for (field = 0; field < FIELDS; field++) {
		struct ktr_pred p[] = {
			{ .op = KTR_PRED_EQ, .field = KTR_FIELD_NR },
			{ .op = KTR_PRED_EQ, .field = field },
			{ .op = KTR_PRED_AND },
		};
		struct ktr_filter *f = ktr_filter_new(p, 3, &ack);

		REQUIRE(!IS_ERR(f));
		CHECK_EQ(f->at_exit, field == KTR_FIELD_RET ||
			 field == KTR_FIELD_ERRNO || field == KTR_FIELD_DUR);
		ktr_filter_free(f);
	}
}

static void hostile(void)
{
	struct ktr_pred p[KTR_PREDS_MAX];
	struct netlink_ext_ack ack;
	u32 round, n, accepted = 0, i;

	for (round = 0; round < ROUNDS; round++) {
		struct ktr_filter_ctx ctx = {};
		struct ktr_filter *f;

		n = some_preds(p, 1 + tap_below(10));
		for (i = 0; i < sizeof(*p) * n; i++)
			if (!tap_below(60))
				((u8 *)p)[i] ^= 1 << tap_below(8);
		ack.text[0] = 0;
		f = ktr_filter_new(p, n, &ack);
		CHECK(!IS_ERR(f) || (PTR_ERR(f) == -EINVAL && ack.text[0]));
		if (IS_ERR(f))
			continue;
		accepted++;
		ktr_filter_run(f, &ctx);
		CHECK(!bad_program);
		ktr_filter_free(f);
	}
	CHECK(accepted > ROUNDS / 100 && accepted < ROUNDS);
}

static void refused(void)
{
	static const struct {
		u32 n;
		struct ktr_pred p[3];
	} rows[] = {
		{ 0, { { 0 } } },
		{ 1, { { .op = __KTR_PRED_LAST } } },
		{ 1, { { .op = KTR_PRED_EQ, .field = __KTR_FIELD_LAST } } },
		{ 1, { { .op = KTR_PRED_EQ, .reserved = 1 } } },
		{ 1, { { .op = KTR_PRED_NOT } } },
		{ 2, { { .op = KTR_PRED_EQ }, { .op = KTR_PRED_AND } } },
		{ 2, { { .op = KTR_PRED_EQ }, { .op = KTR_PRED_EQ } } },
		{ 2, { { .op = KTR_PRED_EQ }, { .op = KTR_PRED_NOT, .field = 1 } } },
		{ 2, { { .op = KTR_PRED_EQ }, { .op = KTR_PRED_NOT, .value = 1 } } },
	};
	struct netlink_ext_ack ack;
	struct ktr_filter *f;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ack.text[0] = 0;
		f = ktr_filter_new(rows[i].p, rows[i].n, &ack);
		CHECK_EQ(IS_ERR(f) ? PTR_ERR(f) : 0, -EINVAL);
		CHECK(ack.text[0]);
	}
}

static void out_of_memory(void)
{
	struct ktr_pred p[] = { { .op = KTR_PRED_EQ } };
	struct netlink_ext_ack ack;
	struct ktr_filter *f;
	int left;

	for (left = 0; left < 3; left++) {
		shim_alloc_left = left;
		f = ktr_filter_new(p, 1, &ack);
		CHECK_EQ(PTR_ERR(f), -ENOMEM);
	}
	shim_alloc_left = -1;
	shim_jit_error = -EINVAL;
	f = ktr_filter_new(p, 1, &ack);
	CHECK_EQ(PTR_ERR(f), -EOPNOTSUPP);
	shim_jit_error = 0;
}

int main(void)
{
	RUN(same_answers);
	RUN(deepest);
	RUN(at_exit);
	RUN(hostile);
	RUN(refused);
	RUN(out_of_memory);
	return tap_done();
}
