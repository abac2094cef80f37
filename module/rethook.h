/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions whose returns fprobe may not take.
 *
 * Before 6.14 the returns that fprobes and kretprobes wait for stand on one list of
 * the task, and have to leave it in the reverse order. A kretprobe puts its own there
 * while the functions that kprobes run in are called: had one of these been entered
 * by a fprobe before, it would find the kretprobe's in its place when it returns, and
 * return to where that one came from. And of a function that is called whenever one
 * returns, the returns would have no end.
 */
#ifndef _KTR_RETHOOK_H
#define _KTR_RETHOOK_H

#include <linux/types.h>

/*
 * Take such functions out of @addr, and keep the order of the others. May sleep.
 *
 * Return: how many are left.
 */
#ifdef KTR_FPROBE_ON_RETHOOK
u32 ktr_rethook_pick(unsigned long *addr, u32 n);
#else
static inline u32 ktr_rethook_pick(unsigned long *addr, u32 n)
{
	return n;
}
#endif

#endif
