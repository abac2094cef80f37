/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What FreeBSD calls the wait message: here the function that waits. */
#ifndef KTR_WAITS_H
#define KTR_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "ksyms.h"

/* In a stack of the kernel, innermost first; 0: none is known. */
uint64_t waits_at(struct ksyms *syms, const unsigned char *stack, size_t len);
/* Its name, "" if there is none. */
const char *waits_name(struct ksyms *syms, uint64_t at);

#endif
