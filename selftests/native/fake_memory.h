/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A caller's memory for the capture engine: a few pages, some of which cannot be
 * read until the kernel has touched them, some never. It may change at every
 * look.
 */
#ifndef NATIVE_FAKE_MEMORY_H
#define NATIVE_FAKE_MEMORY_H

#include <string.h>
#include <linux/kernel.h>

#include "tap.h"

#define MEM_BASE	0x10000u
#define MEM_PAGES	12
#define MEM_SIZE	(MEM_PAGES * 4096u)

enum page_state {
	PAGE_THERE,
	PAGE_LATE,		/* readable at exit */
	PAGE_NEVER,
};

static struct {
	unsigned char byte[MEM_SIZE];
	unsigned char state[MEM_PAGES];
	bool at_exit;
	bool restless;		/* another thread writes, maps and unmaps */
} mem;

static inline u64 some_address(void)
{
	switch (tap_below(12)) {
	case 0: return 0;
	case 1: return tap_random();
	case 2: return ~0ULL - tap_below(64);
	case 3: return MEM_BASE + MEM_SIZE - tap_below(64);
	case 4: return MEM_BASE + tap_below(MEM_PAGES) * 4096 - tap_below(40);
	default: return MEM_BASE + tap_below(MEM_SIZE);
	}
}

/* Words that lead somewhere, short numbers, text: what programs look at. */
static inline u64 some_word(void)
{
	switch (tap_below(6)) {
	case 0:
		return 0;
	case 1:
		return tap_below(64);
	case 2:
		return tap_random();
	case 3:
		return 0x6161616161616161u;
	default:
		return some_address();
	}
}

static inline void mem_fill(void)
{
	u32 at, size;
	u64 word;

	for (at = 0; at < MEM_SIZE; at += size) {
		size = tap_below(2) ? 8 : 4;
		word = some_word();
		if (at + size > MEM_SIZE)
			size = MEM_SIZE - at;
		memcpy(mem.byte + at, &word, size);
	}
	for (at = 0; at < MEM_PAGES; at++)
		mem.state[at] = tap_below(3) ? PAGE_THERE :
				1 + tap_below(2);
}

static inline bool mem_readable(u64 addr, bool at_exit)
{
	u8 state;

	if (addr < MEM_BASE || addr >= MEM_BASE + MEM_SIZE)
		return false;
	state = mem.state[(addr - MEM_BASE) / 4096];
	return state == PAGE_THERE || (state == PAGE_LATE && at_exit);
}

static inline unsigned char mem_at(u64 addr)
{
	return mem.byte[addr - MEM_BASE];
}

static inline void mem_disturb(void)
{
	u32 n = tap_below(64);

	while (n--)
		mem.byte[tap_below(MEM_SIZE)] = tap_below(3) ? 0 : tap_random();
	mem.state[tap_below(MEM_PAGES)] = tap_below(3);
}

/*
 * All or nothing, as the kernel's copy is for its callers; what it leaves in a
 * destination after a failure is anything.
 */
static inline int mem_read(void *dst, u64 addr, u32 len)
{
	u64 i;

	if (mem.restless && !tap_below(4))
		mem_disturb();
	for (i = 0; i < len; i++) {
		if (!mem_readable(addr + i, mem.at_exit)) {
			memset(dst, 0xa5, len);
			return -EFAULT;
		}
		((unsigned char *)dst)[i] = mem_at(addr + i);
	}
	return 0;
}

#endif
