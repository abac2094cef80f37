/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_ERR_H
#define SHIM_LINUX_ERR_H

#include <linux/kernel.h>

#define ERR_PTR(err)	((void *)(long)(err))
#define PTR_ERR(p)	((long)(p))
#define IS_ERR(p)	((unsigned long)(p) >= (unsigned long)-MAX_ERRNO)

#endif
