// SPDX-License-Identifier: GPL-2.0-or-later
/* act_chain, built without frame pointers. */
#define WITHOUT_POINTERS
#include "act_chain.c"
