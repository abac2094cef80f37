/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An extended ack that keeps the words, so that a test can look at them. */
#ifndef SHIM_LINUX_NETLINK_H
#define SHIM_LINUX_NETLINK_H

#include <stdio.h>
#include <linux/kernel.h>

struct netlink_ext_ack {
	char text[128];
};

#define NL_SET_ERR_MSG_FMT_MOD(ack, ...) \
	snprintf((ack)->text, sizeof((ack)->text), __VA_ARGS__)
#define NL_SET_ERR_MSG_MOD(ack, words) NL_SET_ERR_MSG_FMT_MOD(ack, "%s", words)

#endif
