/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktracer_stack.h - stacks in records, of whatever kind. Part of ktracer.h.
 */
#ifndef _UAPI_KTRACER_STACK_H
#define _UAPI_KTRACER_STACK_H

#include <linux/types.h>

#define KTR_STACK_FRAMES_MAX	64	/* of the kernel, and of the program */
#define KTR_STACK_COPY_MAX	16384

/*
 * KTR_A_STACK of KTR_CMD_SESSION_SET: which records are to have stacks, and how
 * much of them. Kinds of data rings only, but lost. Frames of the kernel are for
 * privileged sessions.
 */
struct ktr_stack_want {
	__u64 kinds;		/* bit k: records of kind k */
	__u16 kernel;		/* frames at most */
	__u16 user;		/* frames at most */
	__u32 copy;		/* bytes of the program's stack at most, a multiple of 8 */
};

/*
 * Records flagged KTR_REC_STACK end with this, and in front of it, behind all that
 * the kind says, there are
 *
 *	kernel	addresses in the kernel, the innermost first: where the event was
 *		made, whoever's the record is
 *	user	addresses in the program, if its task made the event: where it goes on,
 *		then, flagged TOP, the word its stack pointer points to, then those it
 *		returns to, as its frame pointers lead to them
 *	regs	its registers, in the order of DWARF's numbers: 16 and the address
 *	copied	its stack, upwards from its stack pointer
 *
 * each so many words of 8 bytes. The word on top of the stack is an address that the
 * program returns to if the function has no frame (yet): whoever has its unwind
 * tables knows.
 */
struct ktr_stack_end {
	__u16 words;		/* of all, these 8 bytes included */
	__u16 copied;
	__u8 kernel;
	__u8 user;
	__u8 regs;
	__u8 flags;		/* KTR_STACK_F_* */
};

#define KTR_STACK_F_TOP		(1u << 0)	/* the second user address is the top of the stack */
#define KTR_STACK_F_KERNEL_CUT	(1u << 1)	/* there are more than so many frames */
#define KTR_STACK_F_USER_CUT	(1u << 2)
#define KTR_STACK_F_USER_BAD	(1u << 3)	/* the last frame pointer leads nowhere */
#define KTR_STACK_F_COMPAT	(1u << 4)	/* a program of 32 bits */

#endif
