/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sys.h - the table of syscalls: names, numbers, classes, capture programs */
#ifndef KTR_SYS_H
#define KTR_SYS_H

#include <stdbool.h>
#include <stdint.h>
#include "iolimit.h"
#include "ktracer.h"

struct sys_desc;

/* Calls of x32 are of the native ABI, their numbers those of its table with a bit. */
#define SYS_X32_BIT	0x40000000

static inline bool sys_is_x32(unsigned int abi, int nr)
{
	return abi == KTR_ABI_NATIVE && nr >= 0 && nr & SYS_X32_BIT;
}

/* A row of the table; NULL: no row for this number. abi: enum ktr_abi. */
const struct sys_desc *sys_lookup(unsigned int abi, int nr);

/* "getppid"; for an unknown number "syscall_0x270f", written to tmp. */
const char *sys_name(unsigned int abi, int nr, char tmp[32]);

/* -1: the ABI has no such call. Also takes "syscall_0x270f" and "0x270f". */
int sys_number(unsigned int abi, const char *name);

/* Numbers of the ABI that have a name are below this. */
int sys_limit(unsigned int abi);

/* Arguments of the call in words; 6 for an unknown number. */
unsigned int sys_nargs(unsigned int abi, int nr);

/* Classes as strace's -e trace=%file: one bit each. 0: no such class, or none. */
uint64_t sys_classes(const struct sys_desc *desc);
uint64_t sys_class_bit(const char *name);
const char *sys_class_name(unsigned int i);	/* NULL: no more */

/*
 * Calls of i386 that stand for others, socketcall and ipc. The key of one of
 * these is below SYS_INNER_MAX, 0: none that is known.
 */
#define SYS_WRAPPERS	2
#define SYS_INNER_MAX	32
int sys_wrapper(unsigned int abi, int nr);	/* -1: it is none */
int sys_wrapper_number(unsigned int wrapper);
unsigned int sys_inner_key(unsigned int wrapper, uint64_t arg0);
/* Its name, and the classes it is in; NULL: no such call. */
const char *sys_inner(unsigned int wrapper, unsigned int key, uint64_t *classes);

/* What a program captures beyond the row's own; NULL: nothing. */
struct sys_more {
	bool fds;			/* what descriptors refer to (-y) */
	const struct io_limits *io;	/* bytes of I/O; NULL: as datasize */
};

/*
 * Row and capture program for the kernel; returns the number of operations,
 * -EINVAL if the number cannot have a row. strsize: what -s says. datasize:
 * bytes of buffers to keep although they are not printed (record, dumps);
 * the environment's strings are captured only if it is more than strsize (-v).
 */
int sys_program(unsigned int abi, int nr, unsigned int strsize,
		unsigned int datasize, const struct sys_more *more,
		struct ktr_row *row,
		struct ktr_op ops[KTR_OPS_MAX]);

#endif
