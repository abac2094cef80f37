/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How near a word is to one that may have been meant. */
#ifndef KTR_NEAR_H
#define KTR_NEAR_H

/* Edits that lead from one name to the other; more than most: most + 1. */
unsigned int near_distance(const char *a, const char *b, unsigned int most);

#endif
