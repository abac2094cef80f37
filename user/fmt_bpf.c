// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_bpf.c - classic BPF programs, instruction by instruction */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include "consts.h"
#include "fmt.h"

static const char *const classes[] = {
	"BPF_LD", "BPF_LDX", "BPF_ST", "BPF_STX", "BPF_ALU", "BPF_JMP",
	"BPF_RET", "BPF_MISC",
};

static const char *const sizes[] = { "BPF_W", "BPF_H", "BPF_B" };
static const char *const modes[] = {
	"BPF_IMM", "BPF_ABS", "BPF_IND", "BPF_MEM", "BPF_LEN", "BPF_MSH",
};

static const char *const alu_ops[] = {
	"BPF_ADD", "BPF_SUB", "BPF_MUL", "BPF_DIV", "BPF_OR", "BPF_AND",
	"BPF_LSH", "BPF_RSH", "BPF_NEG", "BPF_MOD", "BPF_XOR",
};

static const char *const jumps[] = {
	"BPF_JA", "BPF_JEQ", "BPF_JGT", "BPF_JGE", "BPF_JSET",
};

static const char *const returns[] = { "BPF_K", "BPF_X", "BPF_A" };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* "|NAME", or the bits as they are. */
static void put_part(struct buf *b, const char *const *names, size_t n,
		     unsigned int v, unsigned int shift)
{
	if (v >> shift < n)
		buf_printf(b, "|%s", names[v >> shift]);
	else
		buf_printf(b, "|%#x", v);
}

static void put_code_names(struct buf *b, unsigned int code)
{
	buf_puts(b, classes[BPF_CLASS(code)]);
	switch (BPF_CLASS(code)) {
	case BPF_LD:
	case BPF_LDX:
		put_part(b, sizes, COUNT(sizes), BPF_SIZE(code), 3);
		put_part(b, modes, COUNT(modes), BPF_MODE(code), 5);
		break;
	case BPF_ALU:
	case BPF_JMP:
		buf_puts(b, BPF_SRC(code) ? "|BPF_X" : "|BPF_K");
		if (BPF_CLASS(code) == BPF_ALU)
			put_part(b, alu_ops, COUNT(alu_ops), BPF_OP(code), 4);
		else
			put_part(b, jumps, COUNT(jumps), BPF_OP(code), 4);
		break;
	case BPF_RET:
		put_part(b, returns, COUNT(returns), BPF_RVAL(code), 3);
		break;
	case BPF_MISC:
		buf_puts(b, BPF_MISCOP(code) == BPF_TXA ? "|BPF_TXA" :
			    "|BPF_TAX");
		break;
	}
}

static void put_code(struct fmt *f, unsigned int code)
{
	if (f->v->xlat != VIEW_ABBREV)
		buf_hex(f->b, code);
	if (f->v->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " /* ");
	if (f->v->xlat != VIEW_RAW)
		put_code_names(f->b, code);
	if (f->v->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " */");
}

/* What a filter of seccomp answers. */
static void put_action(struct fmt *f, uint32_t k)
{
	uint32_t data = k & SECCOMP_RET_DATA;

	fmt_xlat_enum(f->b, f->v, &xlat_seccomp_actions,
		      k & SECCOMP_RET_ACTION_FULL);
	if (!data)
		return;
	buf_putc(f->b, '|');
	buf_hex(f->b, data);
}

static void put_insn(struct fmt *f, const struct sock_filter *i)
{
	size_t from = fmt_text_begin(f);
	bool jump = i->jt || i->jf;

	buf_puts(f->b, jump ? "BPF_JUMP(" : "BPF_STMT(");
	put_code(f, i->code);
	buf_puts(f->b, ", ");
	if (BPF_CLASS(i->code) == BPF_RET)
		put_action(f, i->k);
	else
		buf_hex(f->b, i->k);
	if (jump) {
		buf_puts(f->b, ", ");
		buf_hex(f->b, i->jt);
		buf_puts(f->b, ", ");
		buf_hex(f->b, i->jf);
	}
	buf_putc(f->b, ')');
	fmt_text_end(f, from);
}

static void put_code_list(struct fmt *f, const struct mem *m, unsigned int len)
{
	struct sock_filter insn;
	unsigned int i;

	fmt_open(f, '[');
	for (i = 0; i < len && (i + 1) * sizeof(insn) <= m->len; i++) {
		memcpy(&insn, m->p + i * sizeof(insn), sizeof(insn));
		fmt_sep(f);
		put_insn(f, &insn);
	}
	if (i < len)
		fmt_more(f);
	fmt_close(f, ']');
}

/* struct sock_fprog: its instructions only where much is to be shown. */
void fmt_fprog(struct fmt *f, unsigned int reg, const unsigned char *p)
{
	struct mem code = fmt_mem(f, reg, ROLE_NAME, false);
	unsigned int word = f->abi == KTR_ABI_COMPAT ? 4 : 8;
	unsigned int len = fmt_load(p, 2);

	fmt_open(f, '{');
	fmt_name(f, "len");
	fmt_udec(f, len);
	fmt_name(f, "filter");
	if (f->v->verbose && code.len >= sizeof(struct sock_filter))
		put_code_list(f, &code, len);
	else
		fmt_addr(f, fmt_load(p + word, word));
	fmt_close(f, '}');
}
