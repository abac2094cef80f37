/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_TYPES_H
#define SHIM_LINUX_TYPES_H

#include_next <linux/types.h>
#include <linux/compiler.h>

#endif
