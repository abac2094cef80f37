#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bytes that calls transfer: how many are kept, and dumps of them.

set -u
. lib/tap.sh
. lib/tool.sh

# Case I-03: just min(limit, length) bytes, and the length, whatever the limit.
limits() {
	local max=65536
	for limit in 0 32 4096 65535 $max; do
		run 0 ktrctl trace --json --io-limit $limit -e trace=write,writev \
			-o "$T/json" -- "$HERE/act_io" large
		events "$T/json" limit=$limit -- \
			'not kind("lost")' \
			'[len(c.args.buf.value) for c in calls("write")] ==
			 [int(limit)] * 2' \
			'[c.args.buf.len for c in calls("write")] == [1 << 20, 70000]' \
			'[sum(len(e.iov_base.value if isinstance(e.iov_base, dict)
				  else "" if str(e.iov_base)[:2] == "0x"
				  else e.iov_base or "")
			      for e in c.args.vec) for c in calls("writev")] ==
			 [min(int(limit), 51200), min(int(limit), 1024)]' \
			'[c.ret for c in calls("writev")] == [51200, 1024]'
		run 0 ktrctl trace -s $max --io-limit $limit -e trace=write \
			-o "$T/text" -- "$HERE/act_io" large
		has "$T/text" "^write\\(3, \"[a-z]*\"\\.\\.\\., 1048576\\) += 1048576" 1
		awk -F'"' -v n=$limit '/^write/ && length($2) != n { exit 1 }' \
			"$T/text" || fail "text has not $limit bytes"
	done
	run 2 ktrctl trace --io-limit $((max + 1)) true
	says 'io-limit'
	run 2 ktrctl trace --io-limit tape=3 true
	says 'use file, socket'
}

# Case M-05.
by_kind() {
	run 0 ktrctl record --io-limit socket=4096,file=0 -o "$T/file" \
		-- "$HERE/act_io" kinds
	run 0 ktrctl report --json -o "$T/json" "$T/file"
	events "$T/json" -- \
		'[(len(c.args.buf.value), c.args.buf.len)
		  for c in calls("write")] == [(4096, 8192), (0, 8192), (32, 8192)]' \
		'[(len(b.value), b.len)
		  for c in calls("recvfrom") + calls("pread64")
		  for b in [list(c.args.values())[1]] if c.ret == 8192] ==
		 [(4096, 8192), (0, 8192)]'
	run 0 ktrctl trace --io-limit pipe=100,7 -s 200 -e trace=write \
		-o "$T/text" -- "$HERE/act_io" kinds
	has "$T/text" '^write\(3, "[a-z]{7}"\.\.\., 8192\) += 8192' 1
	has "$T/text" '^write\([0-9]+, "[a-z]{100}"\.\.\., 8192\) += 8192' 1
}

# disk_writes DISK FLAG: the writer's own calls have all the bytes, whoever brings them
# to the disk; of the kernel's threads, which are traced too, there is nothing.
disk_writes() {
	tracer --all --json --io-limit 0 -e trace=write,fsync -o "$T/json"
	dd if=/dev/zero of="$1" bs=64k count=32 "$2" status=none || fail "dd $2"
	kill -INT "$TRACER"
	wait "$TRACER"
	events "$T/json" -- 'not kind("lost")' \
		'sum(c.ret for c in calls("write") if c.comm == "dd") == 2 << 20' \
		'{c.comm for c in calls("write") if c.ret >= 65536} == {"dd"}'
}

# Case J-01.
disk() {
	local disk
	modprobe -q loop || skip "no loop devices"
	truncate -s 2M "$T/file"
	disk=$(losetup -f --show "$T/file") || skip "no loop device"
	# shellcheck disable=SC2064
	trap "losetup -d $disk; end_case" EXIT
	disk_writes "$disk" conv=fsync
	events "$T/json" -- '[c.comm for c in calls("fsync")] == ["dd"]'
	disk_writes "$disk" oflag=direct
}

# Case B-07.
lengths() {
	run 0 ktrctl trace -e trace=read,write -o "$T/text" -- \
		"$HERE/act_io" lengths
	has "$T/text" '^write\(1, "AAA", 3\) += 3$' 1
	has "$T/text" '^read\(3, "xyz", 64\) += 3$' 1
	has "$T/text" '^write\(4, "[a-z]+"\.\.\., 100000\) += [0-9]{4,5}$' 1
	lacks "$T/text" 'AAAA|xyzB'
}

# The same lines as strace's.
dumps() {
	run 0 strace -o "$T/strace" "$@" "$HERE/act_io" forms
	run 0 ktrctl trace -o "$T/ktrctl" "$@" -- "$HERE/act_io" forms
	for f in strace ktrctl; do
		awk '/act_io", O_/ || /^socketpair/ { on = 1 } on' "$T/$f" |
			sed 's/0x7f[0-9a-f]*/ADDRESS/g; s/) \+= /) = /' >"$T/$f.cut"
	done
	has "$T/strace.cut" '^ \| 00000 '
	diff "$T/strace.cut" "$T/ktrctl.cut" || exit 1
}

all_dumps() {
	dumps -e read=all -e write=all
}

some_dumps() {
	dumps -e read=4 -e 'write=!3,4'
}

# What is not kept is said.
cut_dump() {
	run 0 ktrctl trace -e write=3 --io-limit 20 -e trace=write -o "$T/text" \
		-- "$HERE/act_io" large
	has "$T/text" '^ \| 00010  71 72 73 74  ' 2
	has "$T/text" '^ \| \.\.\. 1048556 bytes more were not kept$' 1
	run 2 ktrctl trace -e read=x true
	says "invalid descriptor 'x'"
}

tool_case "limits are exact (I-03)" limits
tool_case "limits by the kind of descriptor (M-05)" by_kind
tool_case "writes to a disk (J-01)" disk
tool_case "lengths asked for and returned (B-07)" lengths
tool_case "dumps as strace's" all_dumps
tool_case "dumps of some descriptors" some_dumps
tool_case "a dump that is cut" cut_dump
tool_done
