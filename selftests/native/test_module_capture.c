// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The capture engine on random programs, arguments and memory. Every program
 * has been through the check of module/table.c, as in the kernel. Buffers are as
 * long as they say and no longer, so that a sanitizer sees a byte too many.
 *
 * What comes out must parse, whatever memory does meanwhile. If memory holds
 * still, every byte of it must be the caller's, and every flag true.
 */
#include "../../module/table.c"
#include "../../module/capture.c"
#include "fake_memory.h"

#define ROUNDS 60000

long shim_alloc_left = -1;

static struct ktr_table table;
static struct ktr_prog *prog;
static struct ktr_call call;

/* The newest section of each operation, as the walk below has met them. */
static struct {
	const u8 *p;
	u32 len;
} met[KTR_OPS_MAX];

long copy_from_user_nofault(void *dst, const void *src, size_t size)
{
	return mem_read(dst, (unsigned long)src, size);
}

static u16 some_offset(void)
{
	return tap_below(4) ? tap_below(8) * 4 : tap_random();
}

static u32 some_max(void)
{
	switch (tap_below(4)) {
	case 0: return tap_below(KTR_CAP_MAX + 1);
	case 1: return 0;
	default: return tap_below(200);
	}
}

static void some_op(struct ktr_op *op, u32 i)
{
	memset(op, 0, sizeof(*op));
	op->flags = tap_below(KTR_OP_F__ALL + 1);
	op->form = tap_below(__KTR_FORM_LAST);
	op->base_src = tap_below(2) ? KTR_SRC_ARG : tap_below(__KTR_SRC_LAST);
	op->base_ref = tap_below(i > 6 ? i : 6);
	op->base_off = some_offset();
	op->len_src = tap_below(__KTR_SRC_LAST);
	op->len_ref = tap_below(i > 6 ? i : 6);
	op->len_off = some_offset();
	op->elem = tap_below(2) ? tap_below(32) : tap_random();
	op->len = tap_below(3) ? tap_below(200) : tap_random();
	op->max = some_max();
	op->total = some_max();
}

/* One row, of operations that are accepted. */
static bool some_program(u8 abi)
{
	struct {
		struct ktr_row row;
		struct ktr_op op[KTR_OPS_MAX];
	} wire = { .row = { .nr = 1, .abi = abi, .nargs = tap_below(7),
			    .fd_arg = 255 } };
	u32 want = 1 + tap_below(KTR_OPS_MAX), tries;
	struct netlink_ext_ack ack;

	while (wire.row.nops < want) {
		for (tries = 0; tries < 100; tries++) {
			some_op(&wire.op[wire.row.nops], wire.row.nops);
			if (!check_op(wire.op, wire.row.nops))
				break;
		}
		wire.row.nops++;
	}
	if (!CHECK_EQ(ktr_table_add(&table, &wire, sizeof(wire.row) +
				    wire.row.nops * sizeof(*wire.op), &ack), 0))
		return false;
	prog = table.prog[abi][1];
	return prog;
}

static void some_call(u8 abi)
{
	u32 size = tap_below(3) ? 16 + tap_below(600) : 8 + tap_below(20000);
	int i;

	memset(&call, 0, sizeof(call));
	memset(met, 0, sizeof(met));
	call.ev.abi = abi;
	call.sp = tap_below(2) ? MEM_BASE + tap_below(MEM_SIZE) : 0;
	for (i = 0; i < 6; i++)
		call.args[i] = tap_below(3) ? some_address() : tap_below(300);
	call.buf = malloc(sizeof(*call.buf) + size);
	call.buf->size = size;
	call.buf->len = 0;
}

static s64 some_result(void)
{
	switch (tap_below(4)) {
	case 0: return -1 - (s64)tap_below(4095);
	case 1: return tap_random();
	default: return tap_below(300);
	}
}

static void run_program(void)
{
	mem.at_exit = false;
	ktr_capture_entry(prog, &call, ktr_read_current, NULL);
	mem.at_exit = true;
	call.ev.ret = some_result();
	ktr_capture_exit(prog, &call);
}

/* What the program asked for, from what it got before: the test's own reading
 * of the rules in uapi/ktracer.h.
 */
static bool met_word(u8 ref, u16 off, u32 size, u64 *value)
{
	*value = 0;
	if (!met[ref].p || off + size > met[ref].len)
		return false;
	memcpy(value, met[ref].p + off, size);
	return true;
}

static bool wanted_base(const struct ktr_op *op, u64 *base)
{
	u32 ws = call.ev.abi == KTR_ABI_COMPAT ? 4 : 8;

	switch (op->base_src) {
	case KTR_SRC_ARG:
		*base = call.args[op->base_ref];
		return true;
	case KTR_SRC_STACK:
		*base = call.sp + op->base_off;
		return call.sp != 0;
	}
	return met_word(op->base_ref, op->base_off, ws, base);
}

static bool wanted_length(const struct ktr_op *op, u64 *len)
{
	u32 ws = call.ev.abi == KTR_ABI_COMPAT ? 4 : 8;

	switch (op->len_src) {
	case KTR_SRC_CONST:
		*len = op->len;
		return true;
	case KTR_SRC_ARG:
		*len = call.args[op->len_ref];
		return true;
	case KTR_SRC_RET:
		*len = call.ev.ret < 0 && call.ev.ret > -4096 ? 0 : call.ev.ret;
		return true;
	case KTR_SRC_WORD:
		return met_word(op->len_ref, op->len_off, ws, len);
	}
	return met_word(op->len_ref, op->len_off, 4, len);
}

/* n bytes at p are those at addr, and all of those could be read. */
static void check_bytes(const u8 *p, u64 addr, u32 n, bool exit)
{
	u32 i;

	for (i = 0; i < n; i++) {
		if (!CHECK(mem_readable(addr + i, exit)) ||
		    !CHECK_EQ(p[i], mem_at(addr + i)))
			return;
	}
}

/* A string: flags say why it ends where it ends. */
static void check_str(const u8 *p, u32 len, u32 flags, u64 addr, bool exit)
{
	check_bytes(p, addr, len, exit);
	CHECK(!memchr(p, 0, len));
	if (flags & KTR_CAP_F_UNREADABLE)
		CHECK(!mem_readable(addr + len, exit));
	else if (!(flags & KTR_CAP_F_CUT))
		CHECK(mem_readable(addr + len, exit) && !mem_at(addr + len));
}

static void check_block(const struct ktr_cap *cap, const struct ktr_op *op,
			u64 base, u64 len, bool exit)
{
	u64 all = len > op->max ? (u64)op->max + 1 : len * (op->elem ?: 1);

	check_bytes((const u8 *)(cap + 1), base, cap->len, exit);
	if (cap->flags & KTR_CAP_F_UNREADABLE)
		CHECK(!mem_readable(base + cap->len, exit));
	else if (!(cap->flags & KTR_CAP_F_CUT))
		CHECK_EQ(cap->len, all);
	if (!(cap->flags & KTR_CAP_F_CUT))
		CHECK(all <= op->max);
}

static void check_element(const struct ktr_op *op, const struct ktr_elem *e,
			  u64 base, u32 i, bool exit)
{
	u32 ws = call.ev.abi == KTR_ABI_COMPAT ? 4 : 8, n;
	u64 word[2] = {};

	n = op->form == KTR_FORM_STRV ? 1 : 2;
	for (; n--;) {
		u64 at = base + ((u64)i * (op->form == KTR_FORM_STRV ? 1 : 2) +
				 n) * ws;

		if (!CHECK(mem_readable(at, exit) &&
			   mem_readable(at + ws - 1, exit)))
			return;
		memcpy(&word[n], mem.byte + at - MEM_BASE, ws);
	}
	CHECK_EQ(e->addr, word[0]);
	CHECK_EQ(e->size, word[1]);
	if (op->form == KTR_FORM_STRV)
		check_str((const u8 *)(e + 1), e->len, e->flags, e->addr, exit);
	else
		check_bytes((const u8 *)(e + 1), e->addr, e->len, exit);
}

/* The vector's elements lie inside their section and keep to their limits. */
static void check_vector(const struct ktr_cap *cap, const struct ktr_op *op,
			 u64 base, bool still)
{
	const u8 *p = (const u8 *)(cap + 1);
	u32 at = 0, n = 0, bytes = 0;

	while (at < cap->len) {
		const struct ktr_elem *e = (const void *)(p + at);

		if (!CHECK(cap->len - at >= sizeof(*e)) ||
		    !CHECK(e->len <= cap->len - at - sizeof(*e)))
			return;
		CHECK(e->len <= op->max);
		CHECK(!(e->flags & ~(KTR_CAP_F_CUT | KTR_CAP_F_UNREADABLE)));
		if (still)
			check_element(op, e, base, n,
				      cap->flags & KTR_CAP_F_EXIT);
		bytes += e->len;
		at = (at + sizeof(*e) + e->len + 7) & ~7u;
		n++;
	}
	CHECK(at - cap->len < 8);
	CHECK(n <= cap->count);
	CHECK(bytes <= (op->total ?: op->max));
	CHECK(op->form != KTR_FORM_IOV || cap->count <= 1024);
}

static void check_section(const struct ktr_cap *cap, bool still)
{
	const struct ktr_op *op = &prog->op[cap->op];
	bool exit = cap->flags & KTR_CAP_F_EXIT;
	u64 base = 0, len = 0;

	CHECK(!(cap->flags & KTR_CAP_F_LATE) || exit);
	CHECK(exit || !(op->flags & KTR_OP_F_EXIT));
	CHECK(!(op->flags & KTR_OP_F_EXIT && cap->flags & KTR_CAP_F_LATE));
	if (still) {
		CHECK(wanted_base(op, &base));
		CHECK(wanted_length(op, &len));
		CHECK_EQ(!base, !!(cap->flags & KTR_CAP_F_NULL));
	}
	if (cap->flags & KTR_CAP_F_NULL) {
		CHECK_EQ(cap->len, 0);
	} else if (op->form == KTR_FORM_STRV || op->form == KTR_FORM_IOV) {
		check_vector(cap, op, base, still);
	} else {
		CHECK(cap->len <= op->max);
		if (still && op->form == KTR_FORM_STR)
			check_str((const u8 *)(cap + 1), cap->len, cap->flags,
				  base, exit);
		else if (still)
			check_block(cap, op, base, len, exit);
		else if (op->form == KTR_FORM_STR)
			CHECK(!memchr(cap + 1, 0, cap->len));
	}
}

static u32 check_sections(bool still)
{
	const u8 *data = call.buf->data;
	u32 at = 0, n;

	CHECK(call.buf->len <= call.buf->size);
	CHECK_EQ(call.buf->len & 7, 0);
	for (n = 0; n < call.ev.ncaps; n++) {
		const struct ktr_cap *cap = (const void *)(data + at);

		if (!CHECK(call.buf->len - at >= sizeof(*cap)) ||
		    !CHECK(cap->op < prog->nops) ||
		    !CHECK(cap->len <= call.buf->len - at - sizeof(*cap)))
			break;
		check_section(cap, still);
		met[cap->op].p = (const u8 *)(cap + 1);
		met[cap->op].len = cap->len;
		at += (sizeof(*cap) + cap->len + 7) & ~7u;
	}
	CHECK_EQ(at, call.buf->len);
	return n;
}

static void rounds(bool restless)
{
	u64 sections = 0, bytes = 0;
	u32 round;

	mem.restless = restless;
	for (round = 0; round < ROUNDS && !tap.complaints; round++) {
		u8 abi = tap_below(2);

		if (!(round % 50))
			mem_fill();
		if (!some_program(abi))
			continue;
		some_call(abi);
		run_program();
		sections += check_sections(!restless);
		bytes += call.buf->len;
		free(call.buf);
		if (tap.complaints)
			printf("# round %u\n", round);
	}
	printf("# %llu sections, %llu bytes\n", sections, bytes);
	CHECK(sections > ROUNDS);
	CHECK(bytes > ROUNDS * 20);
	kfree(table.prog[0][1]);
	kfree(table.prog[1][1]);
	memset(&table, 0, sizeof(table));
}

static void memory_holds_still(void)
{
	rounds(false);
}

static void memory_changes(void)
{
	rounds(true);
}

/* A path as openat has it, in a page that the kernel touches first. */
static void late_string(void)
{
	struct {
		struct ktr_row row;
		struct ktr_op op[1];
	} wire = { { .nr = 1, .nargs = 4, .nops = 1, .fd_arg = 0 },
		   { { .form = KTR_FORM_STR, .base_src = KTR_SRC_ARG,
		       .base_ref = 1, .max = 64 } } };
	struct netlink_ext_ack ack;
	const struct ktr_cap *cap;

	mem_fill();
	mem.restless = false;
	mem.state[3] = PAGE_LATE;
	strcpy((char *)mem.byte + 3 * 4096 + 100, "/etc/passwd");
	CHECK_EQ(ktr_table_add(&table, &wire, sizeof(wire), &ack), 0);
	prog = table.prog[0][1];
	some_call(KTR_ABI_NATIVE);
	free(call.buf);
	call.buf = malloc(sizeof(*call.buf) + 512);
	*call.buf = (struct ktr_capbuf){ .size = 512 };
	call.args[1] = MEM_BASE + 3 * 4096 + 100;
	mem.at_exit = false;
	ktr_capture_entry(prog, &call, ktr_read_current, NULL);
	cap = (const void *)call.buf->data;
	CHECK_EQ(cap->flags, KTR_CAP_F_UNREADABLE);
	CHECK_EQ(cap->len, 0);
	mem.at_exit = true;
	call.ev.ret = 3;
	ktr_capture_exit(prog, &call);
	CHECK_EQ(call.ev.ncaps, 2);
	CHECK_EQ(cap[1].flags, KTR_CAP_F_EXIT | KTR_CAP_F_LATE);
	CHECK_EQ(cap[1].len, 11);
	CHECK(!memcmp(&cap[2], "/etc/passwd", 11));
	free(call.buf);
	kfree(prog);
	memset(&table, 0, sizeof(table));
}

int main(void)
{
	RUN(memory_holds_still);
	RUN(memory_changes);
	RUN(late_string);
	return tap_done();
}
