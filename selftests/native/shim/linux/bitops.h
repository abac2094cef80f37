/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _SHIM_BITOPS_H
#define _SHIM_BITOPS_H

#define __ffs(word) __builtin_ctzl(word)

#endif
