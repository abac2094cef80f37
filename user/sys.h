/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sys.h - the table of syscalls: names, numbers, classes, capture programs */
#ifndef KTR_SYS_H
#define KTR_SYS_H

#include <stdint.h>
#include "ktracer.h"

struct sys_desc;

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
 * Row and capture program for the kernel; returns the number of operations,
 * -EINVAL if the number cannot have a row. strsize: what -s says. datasize:
 * bytes of buffers to keep although they are not printed (record, dumps);
 * the environment's strings are captured only if it is more than strsize (-v).
 */
int sys_program(unsigned int abi, int nr, unsigned int strsize,
		unsigned int datasize, struct ktr_row *row,
		struct ktr_op ops[KTR_OPS_MAX]);

#endif
