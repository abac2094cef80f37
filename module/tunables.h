/* SPDX-License-Identifier: GPL-2.0-only */
/* The sysctls below kernel.ktrace; they hold for all sessions, at once. */
#ifndef _KTR_TUNABLES_H
#define _KTR_TUNABLES_H

int ktr_tunables_init(void);
void ktr_tunables_exit(void);

#endif
