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
#include "../../module/capture_fd.c"
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

/*
 * Of three numbers the first is closed, the second a file, whose name is as long
 * as the number says, the third a socket.
 */
u32 ktr_fdname(int fd, void *dst, u32 max)
{
	u32 kind = fd < 0 ? KTR_FD_FILE : (u32)fd % 3, used;
	struct ktr_fd *e = dst;

	used = sizeof(*e) + (kind == KTR_FD_SOCKET ? sizeof(struct ktr_fd_sock) : 0);
	memset(e, 0, used);
	e->fd = fd;
	e->kind = kind;
	if (!kind)
		return used;
	e->len = (u32)fd % 50;
	if (e->len > max) {
		e->len = 0;
		e->flags = KTR_FD_F_NO_NAME;
	}
	memset((char *)e + used, 'n', e->len);
	return used + e->len;
}

enum ktr_io_kind ktr_fd_io_kind(int fd)
{
	return (u32)fd % __KTR_IO_LAST;
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
	op->flags = tap_below(256) & KTR_OP_F__ALL;
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
	/* Mostly what is not refused at once. */
	if (tap_below(8)) {
		if (op->form != KTR_FORM_STR)
			op->flags &= ~KTR_OP_F_PATH;
		if (op->form != KTR_FORM_BYTES && op->form != KTR_FORM_IOV)
			op->flags &= ~KTR_OP_F_IO;
		if (op->form != KTR_FORM_FD || op->flags & KTR_OP_F_EXIT)
			op->flags &= ~KTR_OP_F_NETLINK;
		if (op->form == KTR_FORM_LIMIT)
			op->flags = 0;
	}
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
	call.ip = 0x55aa00001234;
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
	case KTR_SRC_RET:
		*base = call.ev.ret;
		return true;
	case KTR_SRC_U32:
		*base = op->base_off;
		return met[op->base_ref].p;
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

/* What a limit leaves of an operation's bounds. */
static u32 max_of(const struct ktr_op *op)
{
	return prog->limits && op->flags & KTR_OP_F_IO ?
	       min(op->max, call.io_max) : op->max;
}

static u32 total_of(const struct ktr_op *op)
{
	u32 total = op->total ?: op->max;

	return prog->limits && op->flags & KTR_OP_F_IO ?
	       (min(total, call.io_total) ?: max_of(op)) : total;
}

static void check_block(const struct ktr_cap *cap, const struct ktr_op *op,
			u64 base, u64 len, bool exit)
{
	u64 all = len > max_of(op) ? (u64)max_of(op) + 1 : len * (op->elem ?: 1);

	check_bytes((const u8 *)(cap + 1), base, cap->len, exit);
	if (cap->flags & KTR_CAP_F_UNREADABLE)
		CHECK(!mem_readable(base + cap->len, exit));
	else if (!(cap->flags & KTR_CAP_F_CUT))
		CHECK_EQ(cap->len, all);
	if (!(cap->flags & KTR_CAP_F_CUT))
		CHECK(all <= max_of(op));
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
		memcpy(&word[n], &mem.byte[at - MEM_BASE], ws);
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
		CHECK(e->len <= max_of(op));
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
	CHECK(bytes <= total_of(op));
	CHECK(op->form != KTR_FORM_IOV || cap->count <= 1024);
}

/* Is the number one of those that the operation is about? */
static bool is_asked_for(const struct ktr_op *op, u32 nth, u64 base, s32 fd)
{
	const u8 *p = met[op->base_ref].p;
	u32 i;

	if (op->base_src != KTR_SRC_U32)
		return !nth && fd == (s32)base;
	if (!op->elem)
		return base + fd / 8 < met[op->base_ref].len &&
		       p[base + fd / 8] & 1 << fd % 8;
	for (i = base; i + 4 <= met[op->base_ref].len; i += op->elem)
		if (!memcmp(p + i, &fd, 4))
			return true;
	return false;
}

static void check_fds(const struct ktr_cap *cap, const struct ktr_op *op,
		      u64 base, u64 len)
{
	const u8 *p = (const u8 *)(cap + 1);
	u32 at = 0, n = 0, bytes = 0;

	while (at < cap->len) {
		const struct ktr_fd *e = (const void *)(p + at);

		if (!CHECK(cap->len - at >= sizeof(*e)))
			return;
		at += sizeof(*e);
		if (e->kind == KTR_FD_SOCKET)
			at += sizeof(struct ktr_fd_sock);
		if (!CHECK(at + e->len <= cap->len))
			return;
		CHECK(e->fd >= 0 || e->fd == KTR_FD_CWD);
		CHECK(op->base_src != KTR_SRC_U32 || e->kind != KTR_FD_NONE);
		CHECK(e->len <= op->max);
		CHECK(is_asked_for(op, n, base, e->fd));
		bytes += e->len;
		at = (at + e->len + 7) & ~7u;
		n++;
	}
	CHECK_EQ(n, cap->count);
	CHECK(n <= KTR_FDS_MAX && n <= (op->base_src == KTR_SRC_U32 ? len : 1));
	CHECK(bytes <= (op->total ?: op->max));
}

static void check_section(const struct ktr_cap *cap, bool still)
{
	const struct ktr_op *op = &prog->op[cap->op];
	bool exit = cap->flags & KTR_CAP_F_EXIT;
	u64 base = 0, len = 0;

	if (op->form == KTR_FORM_IP) {
		CHECK(cap->flags & KTR_CAP_F_IP);
		CHECK(cap->len == 8 && !memcmp(cap + 1, &call.ip, 8));
		return;
	}
	CHECK(!(cap->flags & KTR_CAP_F_LATE) || exit);
	CHECK(exit || !(op->flags & KTR_OP_F_EXIT));
	CHECK(!(op->flags & KTR_OP_F_EXIT && cap->flags & KTR_CAP_F_LATE));
	if (still) {
		CHECK(wanted_base(op, &base));
		CHECK(wanted_length(op, &len));
		CHECK_EQ(!base && op->form != KTR_FORM_FD,
			 !!(cap->flags & KTR_CAP_F_NULL));
	}
	if (cap->flags & KTR_CAP_F_NULL) {
		CHECK_EQ(cap->len, 0);
	} else if (op->form == KTR_FORM_FD) {
		/* what a descriptor means is asked at its own moment only */
		CHECK(!(cap->flags & KTR_CAP_F_LATE));
		if (still)
			check_fds(cap, op, base, len);
	} else if (op->form == KTR_FORM_STRV || op->form == KTR_FORM_IOV) {
		check_vector(cap, op, base, still);
	} else {
		CHECK(op->form != KTR_FORM_LIMIT);
		CHECK(cap->len <= max_of(op));
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

/* A call that is seen from outside: its descriptors are not the caller's. */
static int read_other(void *dst, u64 addr, u32 len, void *ctx)
{
	return ktr_read_current(dst, addr, len, ctx);
}

static void descriptors_of_others(void)
{
	struct {
		struct ktr_row row;
		struct ktr_op op[1];
	} wire = { { .nr = 1, .nargs = 4, .nops = 1, .fd_arg = 0 },
		   { { .form = KTR_FORM_FD, .base_src = KTR_SRC_ARG,
		       .max = 64 } } };
	struct netlink_ext_ack ack;

	CHECK_EQ(ktr_table_add(&table, &wire, sizeof(wire), &ack), 0);
	prog = table.prog[0][1];
	some_call(KTR_ABI_NATIVE);
	call.args[0] = 4;
	ktr_capture_entry(prog, &call, read_other, NULL);
	CHECK_EQ(call.ev.ncaps, 0);
	call.retry = ~0;	/* no buffer at entry */
	ktr_capture_exit(prog, &call);
	CHECK_EQ(call.ev.ncaps, 0);
	free(call.buf);
	call.buf = malloc(sizeof(*call.buf) + 512);
	*call.buf = (struct ktr_capbuf){ .size = 512 };
	ktr_capture_entry(prog, &call, ktr_read_current, NULL);
	CHECK_EQ(call.ev.ncaps, 1);
	CHECK_EQ(((const struct ktr_fd *)(call.buf->data + 8))->fd, 4);
	free(call.buf);
	kfree(prog);
	memset(&table, 0, sizeof(table));
}

int main(void)
{
	RUN(descriptors_of_others);
	RUN(memory_holds_still);
	RUN(memory_changes);
	RUN(late_string);
	return tap_done();
}
