/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_UIO_H
#define SHIM_LINUX_UIO_H

#include <linux/kernel.h>

#define UIO_MAXIOV 1024

#endif
