/* SPDX-License-Identifier: GPL-2.0-only */
/* The start of a trace file, to be written again. */
#ifndef _KTR_FILESTART_H
#define _KTR_FILESTART_H

#include <linux/types.h>

struct file;

struct ktr_filestart {
	void *p;
	size_t len;
};

/*
 * What @file begins with, up to its first record; if that cannot be read, or is
 * something else, a header alone. May sleep. Return: 0, -ENOMEM.
 */
int ktr_filestart_read(struct ktr_filestart *s, struct file *file);
void ktr_filestart_free(struct ktr_filestart *s);

#endif
