// SPDX-License-Identifier: GPL-2.0-or-later
/* Callers from copies of stacks: of this program's own, and of some that are made up. */
#include <dwarf.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "frames.h"
#include "made_elf.h"
#include "tap.h"
#include "unwind.h"

#define CALLED __attribute__((noinline))
/* Nothing is left to be done by a jump. */
#define STAY() asm volatile("" ::: "memory")

#define TGID	77
#define START	0x500000000000
#define START32	0x56550000
#define SP	0x7ffe0000ULL

/*
 * No large thing is on this program's stack, of which only so much is copied: a compiler
 * may put those of all cases into the frame of main().
 */
static struct frame f[FRAMES_MAX];
static struct stack own;
static unsigned char copy[KTR_STACK_COPY_MAX];

/* What is above the stack pointer, whatever a sanitizer thinks of that. */
static void CALLED look(size_t most)
{
	static const int order[17] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	struct iovec to = { copy, most }, from = { NULL, most };
	ucontext_t uc;
	ssize_t n;
	int i;

	memset(&own, 0, sizeof(own));
	getcontext(&uc);
	own.nregs = 17;
	for (i = 0; i < 17; i++)
		own.regs[i] = uc.uc_mcontext.gregs[order[i]];
	from.iov_base = (void *)(own.regs[7] & ~7ULL);
	do {
		from.iov_len = to.iov_len;
		n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
		to.iov_len -= n < (ssize_t)to.iov_len ? 8 : 0;
	} while (n <= 0 && to.iov_len);
	own.ncopied = n > 0 ? n / 8 : 0;
	own.copied = copy;
}

static void CALLED inner(size_t most)
{
	look(most);
	STAY();
}

static void CALLED middle(size_t most)
{
	inner(most);
	STAY();
}

static void CALLED outer(size_t most)
{
	middle(most);
	STAY();
}

static void know_myself(struct spaces *ss)
{
	struct buf b;

	buf_init(&b);
	spaces_tell(&b, getpid());
	buf_str(&b);
	spaces_take(ss, b.p);
	buf_free(&b);
}

static bool called(const struct frame *one, const char *name)
{
	return one->name && !strcmp(one->name, name);
}

/* Among the first @n; @n: not there. */
static unsigned int place(unsigned int n, const char *name)
{
	unsigned int i;

	for (i = 0; i < n && !called(&f[i], name); i++)
		;
	return i;
}

static void own_stack(void)
{
	struct spaces ss = {};
	unsigned int n, at;
	int i;

	know_myself(&ss);
	/* The second time from what the first has left. */
	for (i = 0; i < 2; i++) {
		outer(sizeof(copy));
		n = frames_of(&ss, getpid(), &own, f);
		at = place(n, "look");
		CHECK_EQ(at, 0);
		CHECK(called(&f[1], "inner") && called(&f[2], "middle") && called(&f[3], "outer"));
		CHECK(place(n, "main") < n);
		CHECK_EQ(own.flags, 0);
	}
	spaces_free(&ss);
}

static void too_short(void)
{
	struct spaces ss = {};
	unsigned int n;

	know_myself(&ss);
	outer(16);
	n = frames_of(&ss, getpid(), &own, f);
	CHECK(n >= 1);
	CHECK_EQ(place(n, "main"), n);
	CHECK_EQ(own.flags, KTR_STACK_F_USER_CUT);
	spaces_free(&ss);
}

/* Of the line that tells where this function lies. */
static bool expect_another(struct spaces *ss)
{
	const struct mapping *m = spaces_find(ss, getpid(), (uintptr_t)own_stack);
	unsigned int dev;
	char *line, *p;
	uint64_t ino;
	struct buf b;
	bool found = false;

	buf_init(&b);
	spaces_tell(&b, getpid());
	buf_str(&b);
	for (p = b.p; m && m->image && !found && (line = strsep(&p, "\n"));) {
		if (!strstr(line, image_path(m->image)) ||
		    sscanf(line, "%*x %*x %*x %*x %x %" SCNx64, &dev, &ino) != 2)
			continue;
		images_expect(&ss->images, image_path(m->image), dev, ino, "00112233");
		found = true;
	}
	buf_free(&b);
	return found;
}

/* What a file says that is another by now is not heard. */
static void another_build(void)
{
	struct spaces ss = {};
	unsigned int n;

	know_myself(&ss);
	outer(sizeof(copy));
	n = frames_of(&ss, getpid(), &own, f);
	CHECK(place(n, "outer") < n);
	REQUIRE(expect_another(&ss));
	n = frames_of(&ss, getpid(), &own, f);
	CHECK(n >= 1 && f[0].replaced);
	CHECK_EQ(place(n, "outer"), n);
	spaces_free(&ss);
}

struct bytes {
	unsigned char p[512];
	size_t n;
};

static void put(struct bytes *b, const void *p, size_t n)
{
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void put_byte(struct bytes *b, unsigned char c)
{
	put(b, &c, 1);
}

static void put_u32(struct bytes *b, uint32_t v)
{
	put(b, &v, 4);
}

/* Its length goes in front of what was put since. */
static void close_entry(struct bytes *b, size_t at)
{
	uint32_t len;

	while ((b->n - at) % 4)
		put_byte(b, DW_CFA_nop);
	len = b->n - at - 4;
	memcpy(b->p + at, &len, 4);
}

/* CFA = sp + a word, the return address there. */
static void put_cie(struct bytes *b, bool wide)
{
	size_t at = b->n;

	put_u32(b, 0);
	put_u32(b, 0);
	put(b, "\1zR", 4);
	put_byte(b, 1);
	put_byte(b, wide ? 0x78 : 0x7c);
	put_byte(b, wide ? 16 : 8);
	put(b, "\1\x1b", 2);
	put_byte(b, DW_CFA_def_cfa);
	put_byte(b, wide ? 7 : 4);
	put_byte(b, wide ? 8 : 4);
	put_byte(b, DW_CFA_offset | (wide ? 16 : 8));
	put_byte(b, 1);
	close_entry(b, at);
}

/* A function from @from to @to, as the file numbers them. */
static void put_fde(struct bytes *b, uint32_t from, uint32_t to, const void *program, size_t n)
{
	size_t at = b->n;

	put_u32(b, 0);
	put_u32(b, b->n);
	put_u32(b, from - (MADE_TABLE + b->n));
	put_u32(b, to - from);
	put_byte(b, 0);
	put(b, program, n);
	close_entry(b, at);
}

/* Two functions: the inner one has a word on the stack, the outer one three. */
static void put_table(struct bytes *b, bool wide)
{
	const unsigned char word = wide ? 8 : 4;
	const unsigned char one[] = { DW_CFA_def_cfa_offset, 2 * word };
	const unsigned char three[] = { DW_CFA_def_cfa_offset, 4 * word };

	put_cie(b, wide);
	put_fde(b, 0x2000, 0x2100, one, sizeof(one));
	put_fde(b, 0x3000, 0x3100, three, sizeof(three));
	put_u32(b, 0);
}

static unsigned int made_up(const struct bytes *table, bool wide, struct stack *s)
{
	uint64_t start = wide ? START : START32, stack[8] = {};
	uint32_t *small = (uint32_t *)stack;
	struct spaces ss = {};
	int fd = made_elf(wide, table->p, table->n);
	unsigned int n;

	made_mapped(&ss, TGID, fd, start);
	start -= MADE_TEXT;
	*s = (struct stack){ .nregs = 17, .ncopied = 8, .copied = (void *)stack };
	s->flags = wide ? 0 : KTR_STACK_F_COMPAT;
	s->regs[7] = SP;
	s->regs[16] = start + 0x2010;
	if (wide) {
		stack[1] = start + 0x3010;
		stack[5] = start + 0x3020;
	} else {
		small[1] = start + 0x3010;
		small[5] = start + 0x3020;
	}
	n = frames_of(&ss, TGID, s, f);
	spaces_free(&ss);
	close(fd);
	return n;
}

static void table_of(bool wide)
{
	uint64_t start = (wide ? START : START32) - MADE_TEXT;
	struct bytes b = {};
	static struct stack s;

	put_table(&b, wide);
	CHECK(made_up(&b, wide, &s) >= 3);
	CHECK_EQ(s.user[0], start + 0x2010);
	CHECK_EQ(s.user[1], start + 0x3010);
	CHECK_EQ(s.user[2], start + 0x3020);
}

static void tables_of_64_bits(void)
{
	table_of(true);
}

static void tables_of_32_bits(void)
{
	table_of(false);
}

/* A table with one function that is as sound as this program: callers are found, or none. */
static bool is_taken(const void *program, size_t n)
{
	struct bytes b = {};
	static struct stack s;

	put_cie(&b, true);
	put_fde(&b, 0x4000, 0x4100, program, n);
	put_fde(&b, 0x2000, 0x2100, "\x0e\x10", 2);
	put_u32(&b, 0);
	return made_up(&b, true, &s) > 1;
}

#define TAKEN(bytes) is_taken(bytes, sizeof(bytes) - 1)

/* One that could cost much, or is not known, and no table of that file is used. */
static void programs_that_are_not_taken(void)
{
	unsigned char deep[100];

	CHECK(TAKEN(""));
	CHECK(TAKEN("\x07\x10"));			/* undefined 16 */
	CHECK(TAKEN("\x0a\x0e\x10\x0b"));		/* remember, restore */
	CHECK(TAKEN("\x0f\x03\x77\x08\x06"));		/* breg7 8, deref */
	CHECK(TAKEN("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"));
	CHECK(!TAKEN("\x07\xff\xff\xff\xff\x07"));	/* a register far away */
	CHECK(!TAKEN("\x05\xff\xff\x7f\x01"));
	CHECK(!TAKEN("\x0f\x03\x2f\xfd\xff"));		/* a loop */
	CHECK(!TAKEN("\x0f\x05\x31\x28\xfc\xff\x31"));
	CHECK(!TAKEN("\x0f\x03\x31\x30\x1b"));		/* division by nothing */
	CHECK(!TAKEN("\x0f\x03\x77"));			/* cut off */
	CHECK(!TAKEN("\x0b"));				/* nothing was remembered */
	CHECK(!TAKEN("\x3f"));				/* not known */
	memset(deep, DW_CFA_remember_state, sizeof(deep));
	CHECK(!is_taken(deep, sizeof(deep)));
}

/* Bytes of a table that are others. */
static void damaged_tables(void)
{
	struct bytes b, whole = {};
	static struct stack s;
	int i, k;

	put_table(&whole, true);
	for (i = 0; i < 3000; i++) {
		b = whole;
		for (k = tap_below(4); k >= 0; k--)
			b.p[tap_below(b.n)] = tap_random();
		CHECK(made_up(&b, true, &s) >= 1);
		CHECK_EQ(s.user[0], START - MADE_TEXT + 0x2010);
	}
}

/* Of processes: each finds what it has mapped itself, also if many take turns. */
static void taking_turns(void)
{
	struct bytes b = {};
	struct spaces ss = {};
	uint64_t stack[8];
	unsigned int i, tgid;
	static struct stack s;
	int fd;

	put_table(&b, true);
	fd = made_elf(true, b.p, b.n);
	for (i = 0; i < 100; i++) {
		tgid = 1 + i % 20;
		if (i < 20)
			made_mapped(&ss, tgid, fd, START + tgid * 0x1000000);
		memset(stack, 0, sizeof(stack));
		s = (struct stack){ .nregs = 17, .ncopied = 8, .copied = (void *)stack };
		s.regs[7] = SP;
		s.regs[16] = START + tgid * 0x1000000 - MADE_TEXT + 0x2010;
		stack[1] = START + tgid * 0x1000000 - MADE_TEXT + 0x3010;
		REQUIRE(frames_of(&ss, tgid, &s, f) >= 2);
		CHECK(f[0].image && f[1].image);
		CHECK_EQ(s.user[1], stack[1]);
	}
	spaces_free(&ss);
	close(fd);
}

/* No table: frame pointers, to the null one. */
static void by_frame_pointers(void)
{
	bool wide;
	int i;

	for (i = 0; i < 4; i++) {
		uint64_t start = START32, stack[8] = {};
		uint32_t *small = (uint32_t *)stack;
		struct spaces ss = {};
			static struct stack s;
		int fd;

		wide = i % 2;
		s = (struct stack){ .nregs = 17, .ncopied = 8, .copied = (void *)stack };
		s.flags = wide ? 0 : KTR_STACK_F_COMPAT;
		fd = made_elf(wide, "\0\0\0\0", 4);
		made_mapped(&ss, TGID, fd, start);
		s.regs[7] = SP;
		s.regs[6] = i < 2 ? SP + 16 : SP + 0x4000000;
		s.regs[16] = start + 16;
		if (wide) {
			stack[2] = SP + 32;
			stack[3] = start + 32;
			stack[5] = start + 48;
		} else {
			small[4] = SP + 32;
			small[5] = start + 32;
			small[9] = start + 48;
		}
		CHECK_EQ(frames_of(&ss, TGID, &s, f), i < 2 ? 3 : 1);
		CHECK_EQ(s.user[1], i < 2 ? start + 32 : 0);
		CHECK_EQ(s.user[2], i < 2 ? start + 48 : 0);
		CHECK_EQ(s.flags & (KTR_STACK_F_USER_BAD | KTR_STACK_F_USER_CUT),
			 i < 2 ? 0 : KTR_STACK_F_USER_BAD);
		spaces_free(&ss);
		close(fd);
	}
}

int main(void)
{
	RUN(own_stack);
	RUN(too_short);
	RUN(another_build);
	RUN(tables_of_64_bits);
	RUN(tables_of_32_bits);
	RUN(by_frame_pointers);
	RUN(programs_that_are_not_taken);
	RUN(damaged_tables);
	RUN(taking_turns);
	return tap_done();
}
