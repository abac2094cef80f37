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
struct ABI(bpf_test_run) {
	char at[0];
	uint32_t prog_fd, retval, data_size_in, data_size_out;
	uint64_t data_in, data_out;
	uint32_t repeat, duration, ctx_size_in, ctx_size_out;
	uint64_t ctx_in, ctx_out;
	uint32_t run_flags, cpu, batch_size, pad;
};
struct ABI(bpf_info) {
	char at[0];
	uint32_t bpf_fd, info_len;
	uint64_t info;
};
struct ABI(bpf_query) {
	char at[0];
	uint32_t target_fd, attach_type, query_flags, attach_flags;
	uint64_t prog_ids;
	uint32_t prog_cnt, pad;
};
struct ABI(bpf_raw_tp) {
	char at[0];
	uint64_t name;
	uint32_t prog_fd, pad;
};
struct ABI(bpf_btf) {
	uint64_t btf, btf_log_buf;
	uint32_t btf_size, btf_log_size, btf_log_level, pad;
};
struct ABI(bpf_task_fd) {
	char at[0];
	uint32_t pid, fd, query_flags, buf_len;
	uint64_t buf;
	uint32_t prog_id, fd_type;
	uint64_t probe_offset, probe_addr;
};
struct ABI(bpf_batch) {
	char at[0];
	uint64_t in_batch, out_batch, keys, values;
	uint32_t count, map_fd;
	uint64_t elem_flags, batch_flags;
};
struct ABI(bpf_perf_cookie) { uint64_t bpf_cookie; };
struct ABI(bpf_kprobe_multi) {
	uint32_t flags, cnt;
	uint64_t syms, addrs, cookies;
};
struct ABI(bpf_link) {
	char at[0];
	uint32_t prog_fd, target_fd, attach_type, flags;
	union {
		struct {
			uint64_t iter_info;
			uint32_t iter_info_len;
		};
		struct ABI(bpf_perf_cookie) perf_event;
		struct ABI(bpf_kprobe_multi) kprobe_multi;
	};
};
struct ABI(bpf_link_update) {
	char at[0];
	uint32_t link_fd, new_prog_fd, flags, old_prog_fd;
};
