/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is told by functions of the kernel that are hooked, and not by
 * tracepoints. Callers serialize; no callback can run when an unhook returns.
 */
#ifndef _KTR_HOOKED_H
#define _KTR_HOOKED_H

#include "hook.h"

/* Path lookups, by the kernel's own copy of the name. */
int ktr_namei_hook(void);
void ktr_namei_unhook(void);
/* Mappings with code. */
int ktr_mapped_hook(void);
void ktr_mapped_unhook(void);

extern struct ktr_hook ktr_hook_fault;		/* page faults */
extern struct ktr_hook ktr_hook_sysctl;		/* files below /proc/sys */
extern struct ktr_hook ktr_hook_cap_fail;	/* capabilities that a task has not */
extern struct ktr_hook ktr_hook_denied;		/* calls that are refused */

#endif
