// SPDX-License-Identifier: GPL-2.0-only
/*
 * A predicate becomes a BPF program that only jumps forward, by one.
 *
 * Results of comparisons are kept as the bits of one register, the newest
 * lowest, so that AND, OR and NOT are plain arithmetic:
 *
 *	r6	results	      r1	context (never changed)
 *	r2, r3	scratch	      r0	answer
 *
 * No verifier looks at it: field numbers and depth are checked here, and the
 * program does nothing but load 8 bytes from the context at such a field.
 */
#include <linux/bpf.h>
#include <linux/err.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include "filter.h"

#define DEPTH_MAX 32
#define INSNS_PER_PRED 8

struct gen {
	struct bpf_insn *insn;
	u32 n;
	u32 depth;
};

static void put(struct gen *g, struct bpf_insn insn)
{
	g->insn[g->n++] = insn;
}

/* BPF's jump for "field op value". */
static u8 jump_of(u16 op)
{
	static const u8 jump[] = {
		[KTR_PRED_EQ] = BPF_JEQ,	[KTR_PRED_NE] = BPF_JNE,
		[KTR_PRED_LT] = BPF_JSLT,	[KTR_PRED_LE] = BPF_JSLE,
		[KTR_PRED_GT] = BPF_JSGT,	[KTR_PRED_GE] = BPF_JSGE,
		[KTR_PRED_BITS] = BPF_JSET,
	};

	return jump[op];
}

static void gen_compare(struct gen *g, const struct ktr_pred *p)
{
	const struct bpf_insn load_value[] = { BPF_LD_IMM64(BPF_REG_3, p->value) };

	put(g, BPF_LDX_MEM(BPF_DW, BPF_REG_2, BPF_REG_1, p->field * 8));
	put(g, load_value[0]);
	put(g, load_value[1]);
	put(g, BPF_ALU64_IMM(BPF_LSH, BPF_REG_6, 1));
	put(g, BPF_ALU64_IMM(BPF_OR, BPF_REG_6, 1));
	put(g, BPF_JMP_REG(jump_of(p->op), BPF_REG_2, BPF_REG_3, 1));
	put(g, BPF_ALU64_IMM(BPF_XOR, BPF_REG_6, 1));
	g->depth++;
}

/* r2: the newer result; the older one is now lowest in r6. */
static void gen_pair(struct gen *g, u16 op)
{
	put(g, BPF_MOV64_REG(BPF_REG_2, BPF_REG_6));
	put(g, BPF_ALU64_IMM(BPF_RSH, BPF_REG_6, 1));
	if (op == KTR_PRED_AND) {
		put(g, BPF_ALU64_IMM(BPF_OR, BPF_REG_2, ~1));
		put(g, BPF_ALU64_REG(BPF_AND, BPF_REG_6, BPF_REG_2));
	} else {
		put(g, BPF_ALU64_IMM(BPF_AND, BPF_REG_2, 1));
		put(g, BPF_ALU64_REG(BPF_OR, BPF_REG_6, BPF_REG_2));
	}
	g->depth--;
}

static const char *gen_pred(struct gen *g, const struct ktr_pred *p)
{
	if (p->reserved)
		return "reserved word is not zero";
	if (p->op < KTR_PRED_AND) {
		if (p->field >= __KTR_FIELD_LAST)
			return "no such field";
		if (g->depth == DEPTH_MAX)
			return "too many results wait";
		gen_compare(g, p);
		return NULL;
	}
	if (p->op >= __KTR_PRED_LAST)
		return "no such operator";
	if (p->field || p->value)
		return "an operator takes no field and no value";
	if (g->depth < (p->op == KTR_PRED_NOT ? 1 : 2))
		return "no result to work on";
	if (p->op == KTR_PRED_NOT)
		put(g, BPF_ALU64_IMM(BPF_XOR, BPF_REG_6, 1));
	else
		gen_pair(g, p->op);
	return NULL;
}

static int generate(struct gen *g, const struct ktr_pred *preds, u32 n,
		    struct netlink_ext_ack *ack)
{
	u32 i;

	put(g, BPF_MOV64_IMM(BPF_REG_6, 0));
	for (i = 0; i < n; i++) {
		const char *why = gen_pred(g, &preds[i]);

		if (why) {
			NL_SET_ERR_MSG_FMT_MOD(ack, "filter, element %u: %s", i, why);
			return -EINVAL;
		}
	}
	if (g->depth != 1) {
		NL_SET_ERR_MSG_FMT_MOD(ack, "filter leaves %u results, not one", g->depth);
		return -EINVAL;
	}
	put(g, BPF_MOV64_REG(BPF_REG_0, BPF_REG_6));
	put(g, BPF_ALU64_IMM(BPF_AND, BPF_REG_0, 1));
	put(g, BPF_EXIT_INSN());
	return 0;
}

static struct bpf_prog *compile(const struct gen *g, struct netlink_ext_ack *ack)
{
	struct bpf_prog *prog = bpf_prog_alloc(bpf_prog_size(g->n), 0);
	int err;

	if (!prog)
		return ERR_PTR(-ENOMEM);
	prog->len = g->n;
	prog->type = BPF_PROG_TYPE_SOCKET_FILTER;
	memcpy(prog->insnsi, g->insn, g->n * sizeof(*g->insn));
	prog = bpf_prog_select_runtime(prog, &err);
	if (!err && prog->jited)
		return prog;
	NL_SET_ERR_MSG_MOD(ack, "this kernel does not compile BPF: see net.core.bpf_jit_enable");
	bpf_prog_free(prog);
	return ERR_PTR(err == -ENOMEM ? -ENOMEM : -EOPNOTSUPP);
}

static bool reads(const struct ktr_pred *preds, u32 n, u16 field)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (preds[i].op < KTR_PRED_AND && preds[i].field == field)
			return true;
	return false;
}

static bool reads_exit(const struct ktr_pred *preds, u32 n)
{
	return reads(preds, n, KTR_FIELD_RET) || reads(preds, n, KTR_FIELD_ERRNO) ||
	       reads(preds, n, KTR_FIELD_DUR);
}

struct ktr_filter *ktr_filter_new(const struct ktr_pred *preds, u32 n,
				  struct netlink_ext_ack *ack)
{
	struct ktr_filter *f;
	struct gen g = {};
	int err;

	f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);
	if (!f)
		return ERR_PTR(-ENOMEM);
	g.insn = kcalloc(n * INSNS_PER_PRED + 4, sizeof(*g.insn), GFP_KERNEL);
	if (!g.insn) {
		err = -ENOMEM;
		goto err_free_filter;
	}
	err = generate(&g, preds, n, ack);
	if (err)
		goto err_free_insns;
	f->prog = compile(&g, ack);
	if (IS_ERR(f->prog)) {
		err = PTR_ERR(f->prog);
		goto err_free_insns;
	}
	f->npreds = n;
	f->at_exit = reads_exit(preds, n);
	f->reads_path = reads(preds, n, KTR_FIELD_PATH);
	kfree(g.insn);
	return f;

err_free_insns:
	kfree(g.insn);
err_free_filter:
	kfree(f);
	return ERR_PTR(err);
}

void ktr_filter_free(struct ktr_filter *f)
{
	if (!f)
		return;
	bpf_prog_free(f->prog);
	kfree(f->paths);
	kfree(f);
}
