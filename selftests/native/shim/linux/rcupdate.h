/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_RCUPDATE_H
#define SHIM_LINUX_RCUPDATE_H

#include <linux/kernel.h>

#endif
