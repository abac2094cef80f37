/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ifname.h - names of this machine's network interfaces */
#ifndef KTR_IFNAME_H
#define KTR_IFNAME_H

/* NULL: there is none. The name stays valid until the next call. */
const char *ifname_of(unsigned int index);

#endif
