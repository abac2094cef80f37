/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory_bpf.h - what bpf takes, by command; both ABIs lay it out alike */
struct ABI(bpf_map_create) {
	uint32_t map_type, key_size, value_size, max_entries, map_flags,
		 inner_map_fd, numa_node;
	char map_name[16];
	uint32_t map_ifindex, btf_fd, btf_key_type_id, btf_value_type_id,
		 btf_vmlinux_value_type_id;
	uint64_t map_extra;
};
struct ABI(bpf_elem) {
	uint32_t map_fd, pad;
	uint64_t key, value, flags;
};
struct ABI(bpf_prog_load) {
	uint32_t prog_type, insn_cnt;
	uint64_t insns, license;
	uint32_t log_level, log_size;
	uint64_t log_buf;
	uint32_t kern_version, prog_flags;
	char prog_name[16];
	uint32_t prog_ifindex, expected_attach_type, prog_btf_fd,
		 func_info_rec_size;
	uint64_t func_info;
	uint32_t func_info_cnt, line_info_rec_size;
	uint64_t line_info;
	uint32_t line_info_cnt, attach_btf_id, attach_prog_fd, pad;
	uint64_t fd_array;
};
struct ABI(bpf_obj) { uint64_t pathname; uint32_t bpf_fd, file_flags; };
struct ABI(bpf_attach) {
	uint32_t target_fd, attach_bpf_fd, attach_type, attach_flags,
		 replace_bpf_fd;
};
struct ABI(bpf_id) { uint32_t id, next_id, open_flags; };
struct ABI(bpf_info) { uint32_t bpf_fd, info_len; uint64_t info; };
struct ABI(bpf_raw_tp) { uint64_t name; uint32_t prog_fd, pad; };
struct ABI(bpf_btf) {
	uint64_t btf, btf_log_buf;
	uint32_t btf_size, btf_log_size, btf_log_level, pad;
};
struct ABI(bpf_link) { uint32_t prog_fd, target_fd, attach_type, flags; };
