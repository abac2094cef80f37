/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel modules that come and go: sessions gain and lose their functions. */
#ifndef _KTR_KMODS_H
#define _KTR_KMODS_H

#include <linux/types.h>

int ktr_kmods_init(void);
/* No callback runs when it returns. */
void ktr_kmods_exit(void);

/*
 * One of @addr is text that is being freed, though ftrace may still know it. Under the
 * session's lock: what is not so yet is swept from it later. 0: none.
 */
u64 ktr_kmods_find_dead(const u64 *addr, u32 n);

#endif
