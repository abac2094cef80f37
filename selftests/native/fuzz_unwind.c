// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a file's unwind table, registers and a stack may say. The first byte chooses
 * the machine, and whether the rest is a whole file or its table alone.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frames.h"
#include "made_elf.h"

#define TGID	77
#define START	0x56550000
#define WORDS	64
#define HEAD	(2 + (17 + WORDS) * 8)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int whole(const uint8_t *data, size_t size)
{
	int fd = memfd_create("whole", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, data, size) != (ssize_t)size)
		_exit(1);
	return fd;
}

/* Where it goes on, and its stack, are such as have something behind them. */
static void fill(struct stack *s, const uint8_t *data)
{
	*s = (struct stack){ .nregs = 17, .ncopied = data[1] % (WORDS + 1) };
	s->flags = data[0] & 1 ? KTR_STACK_F_COMPAT : 0;
	memcpy(s->regs, data + 2, 17 * 8);
	s->regs[7] = 0x7ffe0000 + s->regs[7] % 16;
	s->regs[16] = START + s->regs[16] % MADE_END;
	s->copied = data + 2 + 17 * 8;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame f[FRAMES_MAX];
	struct spaces ss = {};
	static struct stack s;
	unsigned int n;
	int fd;

	if (size < HEAD)
		return 0;
	fill(&s, data);
	fd = data[0] & 2 ? whole(data + HEAD, size - HEAD) :
			   made_elf(!(data[0] & 1), data + HEAD, size - HEAD);
	made_mapped(&ss, TGID, fd, START);
	n = frames_of(&ss, TGID, &s, f);
	if (!n || n > KTR_STACK_FRAMES_MAX)
		__builtin_trap();
	/* The other way that tables are asked. */
	s.nregs = 0;
	s.nuser = 2;
	s.flags |= KTR_STACK_F_TOP;
	frames_of(&ss, TGID, &s, f);
	spaces_free(&ss);
	close(fd);
	return 0;
}
