/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who made a process. */
#ifndef KTR_PARENT_H
#define KTR_PARENT_H

#include <stdbool.h>
#include <stdint.h>

/* The parent of process @pid as /proc has it; 0: none, or there is no such process. */
uint32_t parent_of(uint32_t pid);
/* Whether it has ended, and its parent does not know yet. */
bool is_zombie(uint32_t pid);

#endif
