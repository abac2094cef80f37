// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls.c - makes calls with arguments at random, the same each time
 *
 *   calls ABI FIRST LAST ROUNDS SEED [REGISTER VALUE...]
 *
 * With values one register has each of these in turn, and in every other round
 * those behind it point to memory.
 * For tracers that let no call through but pretend a result; one that slips
 * through meets a filter that refuses it. No library: it makes no other calls
 * than these, and its memory lies where it was linked, low enough for i386
 * calls. Built with -static -nostdlib -fno-pie.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>

#define NR_exit_group	231
#define NR_seccomp	317
#define BUFFERS		8
#define BUFFER		4096

static unsigned char memory[BUFFERS + 1][BUFFER]
	__attribute__((aligned(BUFFER)));
static uint64_t state;

static uint64_t call64(uint64_t nr, const uint64_t a[6])
{
	register uint64_t r10 __asm__("r10") = a[3];
	register uint64_t r8 __asm__("r8") = a[4];
	register uint64_t r9 __asm__("r9") = a[5];
	uint64_t ret;

	__asm__ volatile("syscall" : "=a"(ret)
			 : "a"(nr), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10),
			   "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

static uint64_t call32(uint64_t nr, const uint64_t a[6])
{
	uint64_t ret;

	__asm__ volatile("push %%rbp\n\tmov %[a5], %%ebp\n\tint $0x80\n\t"
			 "pop %%rbp"
			 : "=a"(ret)
			 : "a"(nr), "b"(a[0]), "c"(a[1]), "d"(a[2]),
			   "S"(a[3]), "D"(a[4]), [a5] "r"((uint32_t)a[5])
			 : "r8", "r9", "r10", "r11", "memory");
	return ret;
}

/* From here on only exit_group takes place: the arguments are anything. */
static int refuse_all(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4),	/* the architecture */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),	/* the number */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NR_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 38),
	};
	static struct sock_fprog prog = { 6, code };
	uint64_t a[6] = { SECCOMP_SET_MODE_FILTER, 0, (uintptr_t)&prog };

	return call64(NR_seccomp, a) != 0;
}

static uint32_t random32(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return state >> 32;
}

static uint64_t pointer(void)
{
	return (uintptr_t)memory[random32() % BUFFERS];
}

/* Small numbers, single bits, pointers, and what is none of these. */
static uint64_t value(int wide)
{
	static const uint64_t odd[] = {
		-1ull, -100ull, 0x7fffffff, 0x80000000, 0xffffffff, 4096, 128,
		64, 65536, 8,
	};
	uint32_t r = random32();

	switch (r % 8) {
	case 0:
	case 1:
		return r / 8 % 8;
	case 2:
		return r / 8 % 64;
	case 3:
		return 1ull << (r / 8 % 32);
	case 4:
		return odd[r / 8 % (sizeof(odd) / sizeof(odd[0]))];
	case 5:
		return random32() & random32();
	default:
		return wide ? pointer() : r / 8 % 300;
	}
}

/* Words that could be anything: numbers, pointers, text. */
static void fill(void)
{
	for (unsigned int b = 0; b < BUFFERS; b++) {
		uint32_t *p = (uint32_t *)memory[b];
		unsigned int how = random32() % 4;

		for (unsigned int i = 0; i < BUFFER / 8; i++) {
			if (how == 0)
				p[i] = random32() & 0x7f7f7f7f;
			else if (how == 1)
				p[i] = value(0);
			else
				p[i] = i & 1 && random32() % 4 ? 0 : value(1);
		}
		if (how == 0 && random32() % 2)
			memory[b][random32() % 64] = 0;
	}
}

static unsigned long number(const char *s)
{
	unsigned long n = 0;

	while (*s >= '0' && *s <= '9')
		n = n * 10 + (*s++ - '0');
	return n;
}

static int skipped(unsigned long abi, unsigned long nr)
{
	/* exit, exit_group, exec, sigreturn; seccomp, which is not pretended */
	static const unsigned short native[] = { 15, 59, 60, 231, 317, 322 };
	static const unsigned short compat[] = { 1, 11, 119, 173, 252, 354,
						 358 };

	for (unsigned int i = 0; !abi && i < sizeof(native) / 2; i++)
		if (native[i] == nr)
			return 1;
	for (unsigned int i = 0; abi && i < sizeof(compat) / 2; i++)
		if (compat[i] == nr)
			return 1;
	return 0;
}

static uint64_t word_of(unsigned long abi)
{
	return abi ? (uint32_t)value(1) : value(1);
}

static void make_call(unsigned long abi, unsigned long nr, unsigned long reg,
		      const char *given, int pointers)
{
	uint64_t a[6];

	fill();
	for (int k = 0; k < 6; k++)
		a[k] = word_of(abi);
	if (given)
		a[reg] = number(given);
	for (int k = reg + 1; given && pointers && k < 6; k++)
		a[k] = pointer();
	if (abi)
		call32(nr, a);
	else
		call64(nr, a);
}

static void __attribute__((used)) run(long argc, char **argv)
{
	unsigned long abi = argc > 5 ? number(argv[1]) : 0;
	unsigned long first = number(argv[2]), last = number(argv[3]);
	unsigned long rounds = number(argv[4]);
	unsigned long reg = argc > 6 ? number(argv[6]) : 0;
	uint64_t a[6] = { 0 };

	a[0] = 3;
	if (refuse_all())
		for (;;)
			call64(NR_exit_group, a);
	for (unsigned long nr = first; nr <= last; nr++) {
		if (skipped(abi, nr))
			continue;
		state = number(argv[5]) * 1000003 + nr;
		for (long v = 7; v < argc || v == 7; v++)
			for (unsigned long i = 0; i < rounds; i++)
				make_call(abi, nr, reg, v < argc ? argv[v] : 0, i & 1);
	}
	a[0] = 0;
	for (;;)
		call64(NR_exit_group, a);
}

__asm__(".globl _start\n_start:\n\tmov (%rsp), %rdi\n\tlea 8(%rsp), %rsi\n\t"
	"and $-16, %rsp\n\tcall run\n");
