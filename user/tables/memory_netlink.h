/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory_netlink.h - netlink messages; as for all of memory.h, by ABI */
struct ABI(nlmsghdr) {
	uint32_t nlmsg_len;
	uint16_t nlmsg_type, nlmsg_flags;
	uint32_t nlmsg_seq, nlmsg_pid;
};
struct ABI(ifinfomsg) {
	uint8_t ifi_family, pad;
	uint16_t ifi_type;
	int ifi_index;
	uint32_t ifi_flags, ifi_change;
};
struct ABI(ifaddrmsg) {
	uint8_t ifa_family, ifa_prefixlen, ifa_flags, ifa_scope;
	uint32_t ifa_index;
};
struct ABI(rtmsg) {
	uint8_t rtm_family, rtm_dst_len, rtm_src_len, rtm_tos, rtm_table,
		rtm_protocol, rtm_scope, rtm_type;
	uint32_t rtm_flags;
};
struct ABI(ndmsg) {
	uint8_t ndm_family, pad1;
	uint16_t pad2;
	int ndm_ifindex;
	uint16_t ndm_state;
	uint8_t ndm_flags, ndm_type;
};
struct ABI(fib_rule_hdr) {
	uint8_t family, dst_len, src_len, tos, table, res1, res2, action;
	uint32_t flags;
};
struct ABI(uid_range) { uint32_t start, end; };
struct ABI(port_range) { uint16_t start, end; };
struct ABI(rtgenmsg) { uint8_t rtgen_family; };
struct ABI(tcmsg) {
	uint8_t tcm_family, pad1;
	uint16_t pad2;
	int tcm_ifindex;
	uint32_t tcm_handle, tcm_parent, tcm_info;
};
struct ABI(netconfmsg) { uint8_t ncm_family; };
struct ABI(ifa_cacheinfo) {
	uint32_t ifa_prefered, ifa_valid, cstamp, tstamp;
};
struct ABI(rta_cacheinfo) {
	uint32_t rta_clntref, rta_lastuse;
	int rta_expires;
	uint32_t rta_error, rta_used, rta_id, rta_ts, rta_tsage;
};
struct ABI(nda_cacheinfo) {
	uint32_t ndm_confirmed, ndm_used, ndm_updated, ndm_refcnt;
};
struct ABI(rtnexthop) {
	uint16_t rtnh_len;
	uint8_t rtnh_flags, rtnh_hops;
	int rtnh_ifindex;
};
struct ABI(link_stats) {
	uint32_t rx_packets, tx_packets, rx_bytes, tx_bytes, rx_errors,
		 tx_errors, rx_dropped, tx_dropped, multicast, collisions,
		 rx_length_errors, rx_over_errors, rx_crc_errors,
		 rx_frame_errors, rx_fifo_errors, rx_missed_errors,
		 tx_aborted_errors, tx_carrier_errors, tx_fifo_errors,
		 tx_heartbeat_errors, tx_window_errors, rx_compressed,
		 tx_compressed, rx_nohandler;
};
struct ABI(link_stats64) {
	uint64_t rx_packets, tx_packets, rx_bytes, tx_bytes, rx_errors,
		 tx_errors, rx_dropped, tx_dropped, multicast, collisions,
		 rx_length_errors, rx_over_errors, rx_crc_errors,
		 rx_frame_errors, rx_fifo_errors, rx_missed_errors,
		 tx_aborted_errors, tx_carrier_errors, tx_fifo_errors,
		 tx_heartbeat_errors, tx_window_errors, rx_compressed,
		 tx_compressed, rx_nohandler, rx_otherhost_dropped;
};
struct ABI(link_ifmap) {
	uint64_t mem_start, mem_end, base_addr;
	uint16_t irq;
	uint8_t dma, port;
	uint32_t pad;
};
struct ABI(bridge_id) { uint8_t prio[2], addr[6]; };
struct ABI(inet6_cacheinfo) {
	uint32_t max_reasm_len, tstamp, reachable_time, retrans_time;
};
struct ABI(nfgenmsg) { uint8_t nfgen_family, version; uint16_t res_id; };
struct ABI(uevent_monitor) {
	char prefix[8];
	uint32_t magic, header_size, properties_off, properties_len,
		 filter_subsystem_hash, filter_devtype_hash,
		 filter_tag_bloom_hi, filter_tag_bloom_lo;
};

/* Sockets asked about: who has which, and what of it. */
struct ABI(diag_sockid) {
	uint16_t idiag_sport, idiag_dport;
	uint32_t idiag_src[4], idiag_dst[4];
	uint32_t idiag_if, idiag_cookie[2];
};
struct ABI(inet_diag_req_v2) {
	uint8_t sdiag_family, sdiag_protocol, idiag_ext, pad;
	uint32_t idiag_states;
	struct ABI(diag_sockid) id;
};
struct ABI(inet_diag_req) {
	uint8_t idiag_family, idiag_src_len, idiag_dst_len, idiag_ext;
	struct ABI(diag_sockid) id;
	uint32_t idiag_states, idiag_dbs;
};
struct ABI(inet_diag_msg) {
	uint8_t idiag_family, idiag_state, idiag_timer, idiag_retrans;
	struct ABI(diag_sockid) id;
	uint32_t idiag_expires, idiag_rqueue, idiag_wqueue, idiag_uid,
		 idiag_inode;
};
struct ABI(unix_diag_req) {
	uint8_t sdiag_family, sdiag_protocol;
	uint16_t pad;
	uint32_t udiag_states, udiag_ino, udiag_show, udiag_cookie[2];
};
struct ABI(unix_diag_msg) {
	uint8_t udiag_family, udiag_type, udiag_state, pad;
	uint32_t udiag_ino, udiag_cookie[2];
};
struct ABI(netlink_diag_req) {
	uint8_t sdiag_family, sdiag_protocol;
	uint16_t pad;
	uint32_t ndiag_ino, ndiag_show, ndiag_cookie[2];
};
struct ABI(netlink_diag_msg) {
	uint8_t ndiag_family, ndiag_type, ndiag_protocol, ndiag_state;
	uint32_t ndiag_portid, ndiag_dst_portid, ndiag_dst_group, ndiag_ino,
		 ndiag_cookie[2];
};
struct ABI(packet_diag_req) {
	uint8_t sdiag_family, sdiag_protocol;
	uint16_t pad;
	uint32_t pdiag_ino, pdiag_show, pdiag_cookie[2];
};
struct ABI(packet_diag_msg) {
	uint8_t pdiag_family, pdiag_type;
	uint16_t pdiag_num;
	uint32_t pdiag_ino, pdiag_cookie[2];
};
struct ABI(inet_diag_meminfo) {
	uint32_t idiag_rmem, idiag_wmem, idiag_fmem, idiag_tmem;
};
struct ABI(unix_diag_vfs) { uint32_t udiag_vfs_ino, udiag_vfs_dev; };
struct ABI(unix_diag_rqlen) { uint32_t udiag_rqueue, udiag_wqueue; };
