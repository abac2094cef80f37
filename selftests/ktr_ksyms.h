/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and addresses of the running kernel. */
#ifndef _KTR_KSYMS_H
#define _KTR_KSYMS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* The function of that name; 0: there is none, or addresses are hidden. */
__u64 ktr_ksym_addr(const char *name);
/* The same in ktracer.ko. */
__u64 ktr_ksym_ours(const char *name);
/* Does @addr lie in a function whose name has @part in it? */
bool ktr_ksym_inside(__u64 addr, const char *part);
/*
 * Entries of functions that ftrace can trace and whose names begin with
 * @prefix and are unique. Return: how many, at most @max.
 */
size_t ktr_ksym_traceable(const char *prefix, __u64 *addr, size_t max);

/* The same, with their names. */
struct ktr_fn {
	__u64 addr;
	char name[120];
};

size_t ktr_ksym_functions(const char *prefix, struct ktr_fn *fn, size_t max);

#endif
