/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_BPF_H
#define SHIM_LINUX_BPF_H

#include_next <linux/bpf.h>
#include <linux/filter.h>

#endif
