/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of kernel modules that are taken out leave all sessions. */
#ifndef _KTR_UNLOADED_H
#define _KTR_UNLOADED_H

int ktr_unloaded_init(void);
/* The callback does not run when it returns. */
void ktr_unloaded_exit(void);

#endif
