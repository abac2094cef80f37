/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _SHIM_BUILD_BUG_H
#define _SHIM_BUILD_BUG_H

#define BUILD_BUG_ON(condition) _Static_assert(!(condition), #condition)

#endif
