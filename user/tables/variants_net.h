/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variants_net.h - ioctl of sockets, see variants.h
 *
 * An interface is asked for by its name; more of the struct is shown of what
 * goes in, or of what comes out.
 */
#define IF_GET(cmd, l) \
	V(cmd, DEC, STRUCT(arg, W_INOUT, ifreq, LATE, .out = &layout_##l))
#define IF_SET(cmd, l)	V(cmd, DEC, S_IN(arg, l))
/* Its argument is an address, whatever may be there. */
#define CLOSED(cmd)	V(cmd, DEC, ADDR(arg))

#define SOCKET_IOCTLS \
	IF_GET(SIOCGIFFLAGS, ifreq_flags) \
	IF_GET(SIOCGIFADDR, ifreq_addr) \
	IF_GET(SIOCGIFDSTADDR, ifreq_dstaddr) \
	IF_GET(SIOCGIFBRDADDR, ifreq_broadaddr) \
	IF_GET(SIOCGIFNETMASK, ifreq_netmask) \
	IF_GET(SIOCGIFMETRIC, ifreq_metric) \
	IF_GET(SIOCGIFMTU, ifreq_mtu) \
	IF_GET(SIOCGIFHWADDR, ifreq_hwaddr) \
	IF_GET(SIOCGIFINDEX, ifreq_index) \
	IF_GET(SIOCGIFTXQLEN, ifreq_qlen) \
	IF_GET(SIOCGIFMAP, ifreq_map) \
	IF_GET(SIOCGIFSLAVE, ifreq_slave) \
	V(SIOCGIFNAME, DEC, STRUCT(arg, W_INOUT, ifreq_which, LATE, \
				   .out = &layout_ifreq_name)) \
	V(SIOCGIFCONF, DEC, S_INOUT(arg, ifconf, LATE)) \
	IF_SET(SIOCSIFNAME, ifreq_newname) \
	IF_SET(SIOCSIFFLAGS, ifreq_flags) \
	IF_SET(SIOCSIFADDR, ifreq_addr) \
	IF_SET(SIOCSIFDSTADDR, ifreq_dstaddr) \
	IF_SET(SIOCSIFBRDADDR, ifreq_broadaddr) \
	IF_SET(SIOCSIFNETMASK, ifreq_netmask) \
	IF_SET(SIOCSIFMETRIC, ifreq_metric) \
	IF_SET(SIOCSIFMTU, ifreq_mtu) \
	IF_SET(SIOCSIFHWADDR, ifreq_hwaddr) \
	IF_SET(SIOCSIFHWBROADCAST, ifreq_hwaddr) \
	IF_SET(SIOCADDMULTI, ifreq_hwaddr) \
	IF_SET(SIOCDELMULTI, ifreq_hwaddr) \
	IF_SET(SIOCSIFTXQLEN, ifreq_qlen) \
	IF_SET(SIOCSIFMAP, ifreq_map) \
	IF_SET(SIOCSIFSLAVE, ifreq_slave) \
	IF_SET(SIOCBRADDIF, ifreq_port) \
	IF_SET(SIOCBRDELIF, ifreq_port) \
	V(SIOCBRADDBR, DEC, STR(arg)) \
	V(SIOCBRDELBR, DEC, STR(arg)) \
	V(SIOCATMARK, DEC, INT_OUT(arg)) \
	V(SIOCGPGRP, DEC, INT_OUT(arg)) \
	V(FIOGETOWN, DEC, INT_OUT(arg)) \
	V(SIOCOUTQNSD, DEC, INT_OUT(arg)) \
	V(SIOCSPGRP, DEC, INT_IN(arg)) \
	V(FIOSETOWN, DEC, INT_IN(arg)) \
	V(SIOCSIFENCAP, DEC, INT_IN(arg)) \
	V(SIOCGIFENCAP, DEC, INT_OUT(arg)) \
	V(SIOCGSKNS, FD, ADDR(arg)) \
	CLOSED(SIOCGIFMEM) CLOSED(SIOCSIFMEM) \
	CLOSED(SIOCGIFPFLAGS) CLOSED(SIOCSIFPFLAGS) \
	CLOSED(SIOCGIFCOUNT) \
	CLOSED(SIOCGIFBR) CLOSED(SIOCSIFBR) CLOSED(SIOCSIFLINK) \
	CLOSED(SIOCGIFVLAN) CLOSED(SIOCSIFVLAN) CLOSED(SIOCDIFADDR) \
	CLOSED(SIOCETHTOOL) CLOSED(SIOCGMIIPHY) CLOSED(SIOCGMIIREG) \
	CLOSED(SIOCSMIIREG) CLOSED(SIOCWANDEV) CLOSED(SIOCBONDINFOQUERY) \
	CLOSED(SIOCGARP) CLOSED(SIOCSARP) CLOSED(SIOCDARP) \
	CLOSED(SIOCGRARP) CLOSED(SIOCSRARP) CLOSED(SIOCDRARP) \
	CLOSED(SIOCADDRT) CLOSED(SIOCDELRT) CLOSED(SIOCRTMSG) \
	CLOSED(SIOCADDDLCI) CLOSED(SIOCDELDLCI) \
	CLOSED(SIOCSHWTSTAMP) CLOSED(SIOCGHWTSTAMP) \
	CLOSED(SIOCGSTAMP_OLD) CLOSED(SIOCGSTAMPNS_OLD)
