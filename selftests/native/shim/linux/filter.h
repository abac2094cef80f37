/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF as module/filter.c uses it: how instructions are written, and a program
 * that is "compiled" by being kept; the test interprets it.
 */
#ifndef SHIM_LINUX_FILTER_H
#define SHIM_LINUX_FILTER_H

#include_next <linux/bpf.h>
#include <linux/slab.h>

#define BPF_INSN(c, d, s, o, i) ((struct bpf_insn){ \
	.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define BPF_ALU64_REG(op, d, s)	BPF_INSN(BPF_ALU64 | (op) | BPF_X, d, s, 0, 0)
#define BPF_ALU64_IMM(op, d, i)	BPF_INSN(BPF_ALU64 | (op) | BPF_K, d, 0, 0, i)
#define BPF_MOV64_REG(d, s)	BPF_ALU64_REG(BPF_MOV, d, s)
#define BPF_MOV64_IMM(d, i)	BPF_ALU64_IMM(BPF_MOV, d, i)
#define BPF_LDX_MEM(size, d, s, o) \
	BPF_INSN(BPF_LDX | (size) | BPF_MEM, d, s, o, 0)
#define BPF_JMP_REG(op, d, s, o) BPF_INSN(BPF_JMP | (op) | BPF_X, d, s, o, 0)
#define BPF_JMP_IMM(op, d, i, o) BPF_INSN(BPF_JMP | (op) | BPF_K, d, 0, o, i)
#define BPF_JMP_A(o)		BPF_INSN(BPF_JMP | BPF_JA, 0, 0, o, 0)
#define BPF_EXIT_INSN()		BPF_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* Two instructions: the halves of the constant. */
#define BPF_LD_IMM64(d, i) \
	BPF_INSN(BPF_LD | BPF_DW | BPF_IMM, d, 0, 0, (__u32)(i)), \
	BPF_INSN(0, 0, 0, 0, (__u64)(i) >> 32)

struct bpf_prog {
	u32 len;
	u32 type;
	bool jited;
	void *bpf_func;
	struct bpf_insn insnsi[];
};

static inline size_t bpf_prog_size(u32 n)
{
	return sizeof(struct bpf_prog) + n * sizeof(struct bpf_insn);
}

static inline struct bpf_prog *bpf_prog_alloc(size_t size, int flags)
{
	return kzalloc(size, 0);
}

/* What the JIT answers, for the test to choose. */
extern int shim_jit_error;

static inline struct bpf_prog *bpf_prog_select_runtime(struct bpf_prog *prog,
						       int *err)
{
	*err = shim_jit_error;
	prog->jited = !*err;
	return prog;
}

static inline void bpf_prog_free(struct bpf_prog *prog)
{
	free(prog);
}

/* The test's interpreter. */
unsigned int bpf_dispatcher_nop_func(const void *ctx,
				     const struct bpf_insn *insn, void *unused);

#endif
