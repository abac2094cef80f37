/* SPDX-License-Identifier: GPL-2.0-or-later */
/* structs_bpf.h - layouts: what bpf takes, by command */
LAYOUT(bpf_map_create)
	F(bpf_map_create, map_type, ENUM, T(bpf_map_types))
	F(bpf_map_create, key_size, UDEC)
	F(bpf_map_create, value_size, UDEC)
	F(bpf_map_create, max_entries, UDEC)
	F(bpf_map_create, map_flags, FLAGS, T(bpf_map_flags))
	F(bpf_map_create, inner_map_fd, FD)
	F(bpf_map_create, numa_node, UDEC, .bits = BPF_F_NUMA_NODE)
	F(bpf_map_create, map_name, CHARS)
	F(bpf_map_create, map_ifindex, UDEC)
	F(bpf_map_create, btf_fd, FD)
	F(bpf_map_create, btf_key_type_id, UDEC)
	F(bpf_map_create, btf_value_type_id, UDEC)
	F(bpf_map_create, btf_vmlinux_value_type_id, UDEC)
	F(bpf_map_create, map_extra, UDEC)
LAYOUT_END(bpf_map_create, bpf_map_create, .least = 1, .dots = true)

#define BPF_ELEM(name_, ...) \
LAYOUT(name_) \
	F(bpf_elem, map_fd, FD) \
	__VA_ARGS__ \
LAYOUT_END(name_, bpf_elem, .least = 1, .dots = true)

BPF_ELEM(bpf_lookup, F(bpf_elem, key, HEX) F(bpf_elem, value, HEX)
	 F(bpf_elem, flags, FLAGS, T(bpf_lookup_flags)))
BPF_ELEM(bpf_update, F(bpf_elem, key, HEX) F(bpf_elem, value, HEX)
	 F(bpf_elem, flags, FLAGS, T(bpf_update_flags)))

LAYOUT(bpf_delete)
	F(bpf_elem, map_fd, FD)
	F(bpf_elem, key, HEX)
LAYOUT_END(bpf_delete, bpf_elem, .least = 1, .dots = true)

LAYOUT(bpf_next_key)
	F(bpf_elem, map_fd, FD)
	F(bpf_elem, key, HEX)
	FN(bpf_elem, "next_key", value, HEX)
LAYOUT_END(bpf_next_key, bpf_elem, .least = 1, .dots = true)

LAYOUT(bpf_prog_load)
	F(bpf_prog_load, prog_type, ENUM, T(bpf_prog_types))
	F(bpf_prog_load, insn_cnt, UDEC)
	F(bpf_prog_load, insns, ADDR)
	F(bpf_prog_load, license, ADDR)
	F(bpf_prog_load, log_level, UDEC)
	F(bpf_prog_load, log_size, UDEC)
	F(bpf_prog_load, log_buf, ADDR)
	F(bpf_prog_load, kern_version, KVERSION)
	F(bpf_prog_load, prog_flags, FLAGS, T(bpf_prog_flags))
	F(bpf_prog_load, prog_name, CHARS)
	F(bpf_prog_load, prog_ifindex, UDEC)
	F(bpf_prog_load, expected_attach_type, ENUM, T(bpf_attach_types))
	F(bpf_prog_load, prog_btf_fd, FD)
	F(bpf_prog_load, func_info_rec_size, UDEC)
	F(bpf_prog_load, func_info, ADDR)
	F(bpf_prog_load, func_info_cnt, UDEC)
	F(bpf_prog_load, line_info_rec_size, UDEC)
	F(bpf_prog_load, line_info, ADDR)
	F(bpf_prog_load, line_info_cnt, UDEC)
	F(bpf_prog_load, attach_btf_id, UDEC)
	F(bpf_prog_load, attach_prog_fd, FD)
	F(bpf_prog_load, fd_array, ADDR)
LAYOUT_END(bpf_prog_load, bpf_prog_load, .least = 1, .dots = true)

LAYOUT(bpf_obj)
	F(bpf_obj, pathname, ADDR)
	F(bpf_obj, bpf_fd, FD)
	F(bpf_obj, file_flags, FLAGS, T(bpf_file_flags))
LAYOUT_END(bpf_obj, bpf_obj, .least = 1, .dots = true)

LAYOUT(bpf_attach)
	F(bpf_attach, target_fd, FD)
	F(bpf_attach, attach_bpf_fd, FD)
	F(bpf_attach, attach_type, ENUM, T(bpf_attach_types))
	F(bpf_attach, attach_flags, FLAGS, T(bpf_attach_flags))
	F(bpf_attach, replace_bpf_fd, FD)
LAYOUT_END(bpf_attach, bpf_attach, .least = 1, .dots = true)

#define BPF_ID(name_, text) \
LAYOUT(name_) \
	FN(bpf_id, text, id, UDEC) \
	F(bpf_id, next_id, UDEC) \
	F(bpf_id, open_flags, FLAGS, T(bpf_file_flags)) \
LAYOUT_END(name_, bpf_id, .least = 1, .dots = true)

BPF_ID(bpf_start_id, "start_id")
BPF_ID(bpf_prog_id, "prog_id")
BPF_ID(bpf_map_id, "map_id")

LAYOUT(bpf_info_in)
	F(bpf_info, bpf_fd, FD)
	F(bpf_info, info_len, UDEC)
	F(bpf_info, info, ADDR)
LAYOUT_END(bpf_info_in, bpf_info)

LAYOUT(bpf_info)
	FN(bpf_info, "info", bpf_fd, STRUCT, S(bpf_info_in))
LAYOUT_END(bpf_info, bpf_info, .least = 1, .dots = true)

LAYOUT(bpf_raw_tp_in)
	F(bpf_raw_tp, name, ADDR)
	F(bpf_raw_tp, prog_fd, FD)
LAYOUT_END(bpf_raw_tp_in, bpf_raw_tp)

LAYOUT(bpf_raw_tp)
	FN(bpf_raw_tp, "raw_tracepoint", name, STRUCT, S(bpf_raw_tp_in))
LAYOUT_END(bpf_raw_tp, bpf_raw_tp, .least = 1, .dots = true)

LAYOUT(bpf_btf)
	F(bpf_btf, btf, ADDR)
	F(bpf_btf, btf_log_buf, ADDR)
	F(bpf_btf, btf_size, UDEC)
	F(bpf_btf, btf_log_size, UDEC)
	F(bpf_btf, btf_log_level, UDEC)
LAYOUT_END(bpf_btf, bpf_btf, .least = 1, .dots = true)

LAYOUT(bpf_link_in)
	F(bpf_link, prog_fd, FD)
	F(bpf_link, target_fd, FD)
	F(bpf_link, attach_type, ENUM, T(bpf_attach_types))
	F(bpf_link, flags, HEX)
LAYOUT_END(bpf_link_in, bpf_link)

LAYOUT(bpf_link)
	FN(bpf_link, "link_create", prog_fd, STRUCT, S(bpf_link_in))
LAYOUT_END(bpf_link, bpf_link, .least = 1, .dots = true)
