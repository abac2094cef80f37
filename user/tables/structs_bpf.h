/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * structs_bpf.h - layouts: what bpf takes, by command
 *
 * Members with SINCE(n) are of newer kernels: they are shown if the caller gave
 * more than n bytes. The others are shown whatever he gave, what is missing as
 * zero.
 */
#define SINCE(n)	.since = n
#define BEHIND(what)	.n = BEHIND_##what
#define BPF_LAYOUT_END(name, type)	LAYOUT_END(name, type, .least = 1, .dots = true)
/* One that is a member: {name={..}} */
#define BPF_NESTED(name_, type, first) \
LAYOUT(name_) \
	FN(type, #first, at, STRUCT, S(name_##_in)) \
BPF_LAYOUT_END(name_, type)

LAYOUT(bpf_map_create)
	F(bpf_map_create, map_type, ENUM, T(bpf_map_types))
	F(bpf_map_create, key_size, UDEC)
	F(bpf_map_create, value_size, UDEC)
	F(bpf_map_create, max_entries, UDEC)
	F(bpf_map_create, map_flags, FLAGS, T(bpf_map_flags), SINCE(16))
	F(bpf_map_create, inner_map_fd, FD, SINCE(20))
	F(bpf_map_create, numa_node, UDEC, .bits = BPF_F_NUMA_NODE, SINCE(24))
	F(bpf_map_create, map_name, CHARS, SINCE(28))
	F(bpf_map_create, map_ifindex, UDEC, SINCE(44))
	F(bpf_map_create, btf_fd, FD, SINCE(48))
	F(bpf_map_create, btf_key_type_id, UDEC, SINCE(48))
	F(bpf_map_create, btf_value_type_id, UDEC, SINCE(48))
	F(bpf_map_create, btf_vmlinux_value_type_id, UDEC, SINCE(60))
	F(bpf_map_create, map_extra, UDEC, SINCE(64))
BPF_LAYOUT_END(bpf_map_create, bpf_map_create)

#define BPF_ELEM(name_, ...) \
LAYOUT(name_) \
	F(bpf_elem, map_fd, FD) \
	__VA_ARGS__ \
BPF_LAYOUT_END(name_, bpf_elem)

BPF_ELEM(bpf_map_fd)
BPF_ELEM(bpf_lookup, F(bpf_elem, key, ADDR) F(bpf_elem, value, ADDR)
	 F(bpf_elem, flags, FLAGS, T(bpf_lookup_flags), SINCE(24)))
BPF_ELEM(bpf_update, F(bpf_elem, key, ADDR) F(bpf_elem, value, ADDR)
	 F(bpf_elem, flags, ENUM, T(bpf_update_flags)))
BPF_ELEM(bpf_delete, F(bpf_elem, key, ADDR))
BPF_ELEM(bpf_next_key, F(bpf_elem, key, ADDR)
	 FN(bpf_elem, "next_key", value, ADDR))

LAYOUT(bpf_prog_load)
	F(bpf_prog_load, prog_type, ENUM, T(bpf_prog_types))
	F(bpf_prog_load, insn_cnt, UDEC)
	F(bpf_prog_load, insns, ADDR)
	F(bpf_prog_load, license, BEHIND, BEHIND(LICENSE))
	F(bpf_prog_load, log_level, UDEC, SINCE(24))
	F(bpf_prog_load, log_size, UDEC, SINCE(24))
	F(bpf_prog_load, log_buf, BEHIND, BEHIND(LOG), SINCE(24))
	F(bpf_prog_load, kern_version, KVERSION, SINCE(40))
	F(bpf_prog_load, prog_flags, FLAGS, T(bpf_prog_flags), SINCE(44))
	F(bpf_prog_load, prog_name, CHARS, SINCE(48))
	F(bpf_prog_load, prog_ifindex, UDEC, SINCE(64))
	F(bpf_prog_load, expected_attach_type, ENUM, T(bpf_attach_types),
	  SINCE(68))
	F(bpf_prog_load, prog_btf_fd, FD, SINCE(72))
	F(bpf_prog_load, func_info_rec_size, UDEC, SINCE(72))
	F(bpf_prog_load, func_info, ADDR, SINCE(72))
	F(bpf_prog_load, func_info_cnt, UDEC, SINCE(72))
	F(bpf_prog_load, line_info_rec_size, UDEC, SINCE(72))
	F(bpf_prog_load, line_info, ADDR, SINCE(72))
	F(bpf_prog_load, line_info_cnt, UDEC, SINCE(72))
	F(bpf_prog_load, attach_btf_id, UDEC, SINCE(108))
	F(bpf_prog_load, attach_prog_fd, FD, SINCE(112))
	F(bpf_prog_load, fd_array, ADDR, SINCE(120))
BPF_LAYOUT_END(bpf_prog_load, bpf_prog_load)

LAYOUT(bpf_obj)
	F(bpf_obj, pathname, BEHIND, BEHIND(PATH))
	F(bpf_obj, bpf_fd, FD)
	F(bpf_obj, file_flags, FLAGS, T(bpf_file_flags), SINCE(12))
BPF_LAYOUT_END(bpf_obj, bpf_obj)

LAYOUT(bpf_attach)
	F(bpf_attach, target_fd, FD)
	F(bpf_attach, attach_bpf_fd, FD)
	F(bpf_attach, attach_type, ENUM, T(bpf_attach_types))
	F(bpf_attach, attach_flags, FLAGS, T(bpf_attach_flags))
	F(bpf_attach, replace_bpf_fd, FD, SINCE(16))
BPF_LAYOUT_END(bpf_attach, bpf_attach)

LAYOUT(bpf_detach)
	F(bpf_attach, target_fd, FD)
	F(bpf_attach, attach_type, ENUM, T(bpf_attach_types))
BPF_LAYOUT_END(bpf_detach, bpf_attach)

LAYOUT(bpf_test_run_in)
	F(bpf_test_run, prog_fd, FD)
	F(bpf_test_run, retval, UDEC)
	F(bpf_test_run, data_size_in, UDEC)
	F(bpf_test_run, data_size_out, UDEC)
	F(bpf_test_run, data_in, ADDR)
	F(bpf_test_run, data_out, ADDR)
	F(bpf_test_run, repeat, UDEC)
	F(bpf_test_run, duration, UDEC)
	F(bpf_test_run, ctx_size_in, UDEC, SINCE(40))
	F(bpf_test_run, ctx_size_out, UDEC, SINCE(40))
	F(bpf_test_run, ctx_in, ADDR, SINCE(40))
	F(bpf_test_run, ctx_out, ADDR, SINCE(40))
	FN(bpf_test_run, "flags", run_flags, FLAGS, T(bpf_run_flags), SINCE(64))
	F(bpf_test_run, cpu, UDEC, SINCE(64))
	F(bpf_test_run, batch_size, UDEC, SINCE(72))
BPF_LAYOUT_END(bpf_test_run_in, bpf_test_run)
BPF_NESTED(bpf_test_run, bpf_test_run, test)

#define BPF_START_ID(name_, first, KIND_) \
LAYOUT(name_) \
	FN(bpf_id, first, id, UDEC) \
	F(bpf_id, next_id, KIND_) \
	F(bpf_id, open_flags, FLAGS, T(bpf_file_flags), SINCE(8)) \
BPF_LAYOUT_END(name_, bpf_id)
#define BPF_ID(name_, first) \
LAYOUT(name_) \
	FN(bpf_id, first, id, UDEC) \
BPF_LAYOUT_END(name_, bpf_id)

BPF_START_ID(bpf_start_id, "start_id", CHANGED)
BPF_START_ID(bpf_prog_id, "prog_id", UDEC)
BPF_START_ID(bpf_map_id, "map_id", UDEC)
BPF_ID(bpf_btf_id, "btf_id")
BPF_ID(bpf_link_id, "link_id")

LAYOUT(bpf_info_in)
	F(bpf_info, bpf_fd, FD)
	F(bpf_info, info_len, CHANGED)
	F(bpf_info, info, ADDR)
BPF_LAYOUT_END(bpf_info_in, bpf_info)
BPF_NESTED(bpf_info, bpf_info, info)

LAYOUT(bpf_query_in)
	F(bpf_query, target_fd, FD)
	F(bpf_query, attach_type, ENUM, T(bpf_attach_types))
	F(bpf_query, query_flags, FLAGS, T(bpf_query_flags))
	F(bpf_query, attach_flags, FLAGS, T(bpf_attach_flags))
	F(bpf_query, prog_ids, BEHIND, BEHIND(IDS))
	F(bpf_query, prog_cnt, CHANGED)
BPF_LAYOUT_END(bpf_query_in, bpf_query)
BPF_NESTED(bpf_query, bpf_query, query)

LAYOUT(bpf_raw_tp_in)
	F(bpf_raw_tp, name, BEHIND, BEHIND(NAME))
	F(bpf_raw_tp, prog_fd, FD)
BPF_LAYOUT_END(bpf_raw_tp_in, bpf_raw_tp)
BPF_NESTED(bpf_raw_tp, bpf_raw_tp, raw_tracepoint)

LAYOUT(bpf_btf)
	F(bpf_btf, btf, BEHIND, BEHIND(BTF))
	F(bpf_btf, btf_log_buf, ADDR)
	F(bpf_btf, btf_size, UDEC)
	F(bpf_btf, btf_log_size, UDEC)
	F(bpf_btf, btf_log_level, UDEC)
BPF_LAYOUT_END(bpf_btf, bpf_btf)

LAYOUT(bpf_task_fd_in)
	F(bpf_task_fd, pid, PID)
	F(bpf_task_fd, fd, FD)
	FN(bpf_task_fd, "flags", query_flags, UDEC)
	F(bpf_task_fd, buf_len, CHANGED)
	F(bpf_task_fd, buf, BEHIND, BEHIND(BUF))
	F(bpf_task_fd, prog_id, AFTER, .ekind = K_UDEC)
	F(bpf_task_fd, fd_type, AFTER, T(bpf_fd_types), .ekind = K_ENUM)
	F(bpf_task_fd, probe_offset, AFTER, .ekind = K_HEX)
	F(bpf_task_fd, probe_addr, AFTER, .ekind = K_HEX)
BPF_LAYOUT_END(bpf_task_fd_in, bpf_task_fd)
BPF_NESTED(bpf_task_fd, bpf_task_fd, task_fd_query)

#define BPF_BATCH(name_, first, ...) \
LAYOUT(name_##_in) \
	__VA_ARGS__ \
	F(bpf_batch, count, UDEC) \
	F(bpf_batch, map_fd, FD) \
	F(bpf_batch, elem_flags, FLAGS, T(bpf_lookup_flags)) \
	FN(bpf_batch, "flags", batch_flags, HEX) \
BPF_LAYOUT_END(name_##_in, bpf_batch) \
BPF_NESTED(name_, bpf_batch, batch)

BPF_BATCH(bpf_lookup_batch, in_batch, F(bpf_batch, in_batch, ADDR)
	  F(bpf_batch, out_batch, ADDR) F(bpf_batch, keys, ADDR)
	  F(bpf_batch, values, ADDR))
BPF_BATCH(bpf_update_batch, keys, F(bpf_batch, keys, ADDR)
	  F(bpf_batch, values, ADDR))
BPF_BATCH(bpf_delete_batch, keys, F(bpf_batch, keys, ADDR))

LAYOUT(bpf_perf_cookie)
	F(bpf_perf_cookie, bpf_cookie, HEX)
BPF_LAYOUT_END(bpf_perf_cookie, bpf_perf_cookie)

LAYOUT(bpf_kprobe_multi)
	F(bpf_kprobe_multi, flags, FLAGS, T(bpf_multi_flags))
	F(bpf_kprobe_multi, cnt, UDEC)
	F(bpf_kprobe_multi, syms, ADDR)
	F(bpf_kprobe_multi, addrs, ADDR)
	F(bpf_kprobe_multi, cookies, ADDR)
BPF_LAYOUT_END(bpf_kprobe_multi, bpf_kprobe_multi)

LAYOUT(bpf_link_in)
	F(bpf_link, prog_fd, FD)
	F(bpf_link, target_fd, FD)
	F(bpf_link, attach_type, ENUM, T(bpf_attach_types))
	F(bpf_link, flags, HEX)
	F(bpf_link, iter_info, ADDR, .enum1 = BPF_TRACE_ITER + 1, SINCE(16))
	F(bpf_link, iter_info_len, UDEC, .enum1 = BPF_TRACE_ITER + 1, SINCE(16))
	F(bpf_link, perf_event, STRUCT, S(bpf_perf_cookie),
	  .enum1 = BPF_PERF_EVENT + 1, SINCE(16))
	F(bpf_link, kprobe_multi, STRUCT, S(bpf_kprobe_multi),
	  .enum1 = BPF_TRACE_KPROBE_MULTI + 1, SINCE(16))
BPF_LAYOUT_END(bpf_link_in, bpf_link)
BPF_NESTED(bpf_link, bpf_link, link_create)

LAYOUT(bpf_link_update_in)
	F(bpf_link_update, link_fd, FD)
	F(bpf_link_update, new_prog_fd, FD)
	F(bpf_link_update, flags, FLAGS, T(bpf_attach_flags))
	F(bpf_link_update, old_prog_fd, FD, .bits = BPF_F_REPLACE)
BPF_LAYOUT_END(bpf_link_update_in, bpf_link_update)
BPF_NESTED(bpf_link_update, bpf_link_update, link_update)
