/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failures on order: of allocations of any kind, and of copies from and to user
 * memory, that the calling thread makes in the kernel.
 */
#ifndef _KTR_FAULT_H
#define _KTR_FAULT_H

struct ktr_fault {
	int fd;
};

/* For the thread that calls it. 0; -ENOENT: this kernel cannot do it. */
int ktr_fault_open(struct ktr_fault *f);
void ktr_fault_close(struct ktr_fault *f);
/* The @n-th from the next system call on fails, once; 0: none. 0 or -errno. */
int ktr_fault_arm(struct ktr_fault *f, unsigned int n);
/* No more of it. Return: 1 one has failed, 0 it was not reached, -errno. */
int ktr_fault_disarm(struct ktr_fault *f);
/*
 * Count only what the module's function @name asks for, itself or by others; do
 * not count what the kernel's @name asks for. NULL: as it was. 0 or -errno.
 */
int ktr_fault_only(const char *name);
int ktr_fault_spare(const char *name);

#endif
