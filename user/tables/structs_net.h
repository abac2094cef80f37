/* SPDX-License-Identifier: GPL-2.0-or-later */
/* structs_net.h - layouts: sockets */
/* Sockets; messages are printed by hand, their size is what counts. */
LAYOUT(msghdr)
	F(msghdr, msg_namelen, DEC)
	F(msghdr, msg_flags, FLAGS, T(msg_flags))
LAYOUT_END(msghdr, msghdr)

LAYOUT(mmsghdr)
	F(mmsghdr, msg_len, UDEC)
LAYOUT_END(mmsghdr, mmsghdr)

LAYOUT(sockaddr_in)
	F(sockaddr_in, sa_family, ENUM, T(addrfams))
	F(sockaddr_in, sin_port, PORT)
	F(sockaddr_in, sin_addr, INADDR)
LAYOUT_END(sockaddr_in, sockaddr_in)

LAYOUT(sockaddr_in6)
	F(sockaddr_in6, sa_family, ENUM, T(addrfams))
	F(sockaddr_in6, sin6_port, PORT)
	F(sockaddr_in6, sin6_flowinfo, HTONL)
	F(sockaddr_in6, sin6_addr, IN6ADDR, .flags = FF_BARE)
	F(sockaddr_in6, sin6_scope_id, UDEC)
LAYOUT_END(sockaddr_in6, sockaddr_in6)

/* On a link the scope is an interface. */
LAYOUT(sockaddr_in6_link)
	F(sockaddr_in6, sa_family, ENUM, T(addrfams))
	F(sockaddr_in6, sin6_port, PORT)
	F(sockaddr_in6, sin6_flowinfo, HTONL)
	F(sockaddr_in6, sin6_addr, IN6ADDR, .flags = FF_BARE)
	F(sockaddr_in6, sin6_scope_id, IFINDEX)
LAYOUT_END(sockaddr_in6_link, sockaddr_in6)

LAYOUT(sockaddr_nl)
	F(sockaddr_nl, sa_family, ENUM, T(addrfams))
	F(sockaddr_nl, nl_pad, HEX, .flags = FF_NONZERO)
	F(sockaddr_nl, nl_pid, DEC)
	F(sockaddr_nl, nl_groups, HEX08)
LAYOUT_END(sockaddr_nl, sockaddr_nl)

LAYOUT(linger)
	F(linger, l_onoff, DEC)
	F(linger, l_linger, DEC)
LAYOUT_END(linger, linger)

LAYOUT(ucred)
	F(ucred, pid, DEC)
	F(ucred, uid, UID)
	F(ucred, gid, UID)
LAYOUT_END(ucred, ucred)

LAYOUT(ip_mreq)
	F(ip_mreq, imr_multiaddr, INADDR)
	F(ip_mreq, imr_interface, INADDR)
LAYOUT_END(ip_mreq, ip_mreq)

LAYOUT(ipv6_mreq)
	F(ipv6_mreq, ipv6mr_multiaddr, IN6ADDR, .flags = FF_BARE)
	F(ipv6_mreq, ipv6mr_interface, IFINDEX)
LAYOUT_END(ipv6_mreq, ipv6_mreq)

LAYOUT(group_req)
	F(group_req, gr_interface, IFINDEX)
	F(group_req, gr_group, SOCKADDR)
LAYOUT_END(group_req, group_req)

/* The address, as long as it says, is printed by hand. */
LAYOUT(packet_mreq)
	F(packet_mreq, mr_ifindex, IFINDEX)
	F(packet_mreq, mr_type, ENUM, T(packet_members))
	F(packet_mreq, mr_alen, UDEC)
LAYOUT_END(packet_mreq, packet_mreq)

LAYOUT(tpacket_req)
	F(tpacket_req, tp_block_size, UDEC)
	F(tpacket_req, tp_block_nr, UDEC)
	F(tpacket_req, tp_frame_size, UDEC)
	F(tpacket_req, tp_frame_nr, UDEC)
LAYOUT_END(tpacket_req, tpacket_req)

/* The address is printed by hand too. */
LAYOUT(sockaddr_ll)
	F(sockaddr_ll, sa_family, ENUM, T(addrfams))
	F(sockaddr_ll, sll_protocol, ETHPROTO)
	F(sockaddr_ll, sll_ifindex, IFINDEX)
	F(sockaddr_ll, sll_hatype, ENUM, T(arp_types))
	F(sockaddr_ll, sll_pkttype, ENUM, T(packet_types))
	F(sockaddr_ll, sll_halen, UDEC)
LAYOUT_END(sockaddr_ll, sockaddr_ll)

LAYOUT(cmsghdr)
	F(cmsghdr, cmsg_len, UDEC)
	F(cmsghdr, cmsg_level, ENUM, T(sock_levels))
	F(cmsghdr, cmsg_type, DEC)
LAYOUT_END(cmsghdr, cmsghdr)

/* Interfaces: the name alone is what is asked with. */
LAYOUT(ifreq)
	F(ifreq, ifr_name, CHARS)
LAYOUT_END(ifreq, ifreq)

LAYOUT(ifreq_flags)
	F(ifreq, ifr_name, CHARS)
	FN(ifreq, "ifr_flags", u.ifr_flags, FLAGS, T(if_flags))
LAYOUT_END(ifreq_flags, ifreq)

LAYOUT(ifreq_index)
	F(ifreq, ifr_name, CHARS)
	FN(ifreq, "ifr_ifindex", u.ifr_ifindex, DEC)
LAYOUT_END(ifreq_index, ifreq)

LAYOUT(ifreq_mtu)
	F(ifreq, ifr_name, CHARS)
	FN(ifreq, "ifr_mtu", u.ifr_mtu, DEC)
LAYOUT_END(ifreq_mtu, ifreq)

LAYOUT(ifreq_metric)
	F(ifreq, ifr_name, CHARS)
	FN(ifreq, "ifr_metric", u.ifr_metric, DEC)
LAYOUT_END(ifreq_metric, ifreq)

LAYOUT(ifreq_qlen)
	F(ifreq, ifr_name, CHARS)
	FN(ifreq, "ifr_qlen", u.ifr_qlen, DEC)
LAYOUT_END(ifreq_qlen, ifreq)

LAYOUT(ifreq_addr)
	F(ifreq, ifr_name, CHARS)
	FN(ifreq, "ifr_addr", u.ifr_addr, SOCKADDR)
LAYOUT_END(ifreq_addr, ifreq)

LAYOUT(ifreq_netmask)
	F(ifreq, ifr_name, CHARS)
	FN(ifreq, "ifr_netmask", u.ifr_addr, SOCKADDR)
LAYOUT_END(ifreq_netmask, ifreq)

LAYOUT(ifreq_broadaddr)
	F(ifreq, ifr_name, CHARS)
	FN(ifreq, "ifr_broadaddr", u.ifr_addr, SOCKADDR)
LAYOUT_END(ifreq_broadaddr, ifreq)

LAYOUT(ifreq_dstaddr)
	F(ifreq, ifr_name, CHARS)
	FN(ifreq, "ifr_dstaddr", u.ifr_addr, SOCKADDR)
LAYOUT_END(ifreq_dstaddr, ifreq)

LAYOUT(sockaddr_hw)
	F(sockaddr_hw, sa_family, ENUM, T(arp_types))
	F(sockaddr_hw, sa_data, HWADDR, T(arp_types))
LAYOUT_END(sockaddr_hw, sockaddr_hw)

LAYOUT(ifreq_hwaddr)
	F(ifreq, ifr_name, CHARS)
	FN(ifreq, "ifr_hwaddr", u.ifr_hwaddr, STRUCT, S(sockaddr_hw))
LAYOUT_END(ifreq_hwaddr, ifreq)

LAYOUT(ifmap)
	F(ifmap, mem_start, HEX)
	F(ifmap, mem_end, HEX)
	F(ifmap, base_addr, HEX)
	F(ifmap, irq, HEX)
	F(ifmap, dma, HEX)
	F(ifmap, port, HEX)
LAYOUT_END(ifmap, ifmap)

LAYOUT(ifreq_map)
	F(ifreq, ifr_name, CHARS)
	FN(ifreq, "ifr_map", u.ifr_map, STRUCT, S(ifmap))
LAYOUT_END(ifreq_map, ifreq)

LAYOUT(ifreq_newname)
	F(ifreq, ifr_name, CHARS)
	FN(ifreq, "ifr_newname", u.ifr_newname, CHARS)
LAYOUT_END(ifreq_newname, ifreq)

LAYOUT(ifreq_slave)
	F(ifreq, ifr_name, CHARS)
	FN(ifreq, "ifr_slave", u.ifr_newname, CHARS)
LAYOUT_END(ifreq_slave, ifreq)

/* The name is what is asked for. */
LAYOUT(ifreq_which)
	FN(ifreq, "ifr_ifindex", u.ifr_ifindex, DEC)
LAYOUT_END(ifreq_which, ifreq)

/* An interface as a bridge has it */
LAYOUT(ifreq_port)
	FN(ifreq, "ifr_ifindex", u.ifr_ifindex, UDEC)
LAYOUT_END(ifreq_port, ifreq)

LAYOUT(ifreq_name)
	FN(ifreq, "ifr_ifindex", u.ifr_ifindex, DEC)
	F(ifreq, ifr_name, CHARS)
LAYOUT_END(ifreq_name, ifreq)

/* Printed by hand. */
LAYOUT(ifconf)
	F(ifconf, ifc_len, DEC)
	F(ifconf, ifc_buf, ADDR)
LAYOUT_END(ifconf, ifconf)
