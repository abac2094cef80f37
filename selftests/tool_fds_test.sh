#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What descriptors refer to: -y, -yy, -e decode-fds=.

set -u
. lib/tap.sh
. lib/tool.sh

# as_strace OPTION...: the same lines.
as_strace() {
	mkdir "$T/a" "$T/b"
	run 0 strace -o "$T/strace" "$@" "$HERE/sd_fds" "$T/a"
	run 0 ktrctl trace -o "$T/ktrctl" "$@" -- "$HERE/sd_fds" "$T/b"
	sed -i "s,$T/[ab]\>,DIR,g" "$T/strace" "$T/ktrctl"
	python3 "$HERE/lib/fds_diff.py" "$T/strace" "$T/ktrctl" || exit 1
}

# Case L-07.
in_detail() {
	as_strace -yy
}

paths() {
	as_strace -y
}

some_kinds() {
	as_strace -e decode-fds=dev,socket
}

# A file keeps what was known when it was written; JSON has all of it.
from_a_file() {
	mkdir "$T/d"
	run 0 ktrctl record -y -o "$T/file" -- "$HERE/sd_fds" "$T/d"
	run 0 ktrctl report -yy -o "$T/text" "$T/file"
	has "$T/text" 'fcntl\([0-9]+</dev/null<char 1:3>>, F_GETFD\)'
	has "$T/text" 'fcntl\(50<.*/renamed>, F_GETFD\)' 2
	run 0 ktrctl report --json -o "$T/json" "$T/file"
	events "$T/json" -- \
		'[f.kind for c in calls("read") for f in (c.fds or [])
		  if f.fd == 77] == ["closed"]' \
		'{f.proto for c in calls("listen") for f in c.fds} ==
		 {"TCP", "TCPv6", "UNIX-STREAM"}' \
		'any(f.deleted for c in calls("fcntl") for f in c.fds)'
	run 0 ktrctl record -o "$T/plain" -- "$HERE/sd_fds" "$T/d"
	run 0 ktrctl report -yy -o "$T/text" "$T/plain"
	lacks "$T/text" '^fcntl\([0-9]+<'
}

# Case L-05: a relative name stands beside its folder, as strace shows both.
relative_names() {
	local tool
	mkdir "$T/d" "$T/gone" "$T/d/sub" "$T/d/bound"
	mount --bind "$T/d/sub" "$T/d/bound" || fail "no bind mount"
	echo one >"$T/d/conf"
	cat >"$T/program" <<-'EOT'
		import os, sys
		def look(name, **how):
		    try:
		        os.close(os.open(name, os.O_RDONLY, **how))
		    except OSError:
		        pass
		top, tool = sys.argv[1:]
		os.chdir(top + "/d")
		look("conf")
		look("missing")
		fd = os.open("sub", os.O_RDONLY)
		look("y", dir_fd=fd)
		look("z", dir_fd=os.open("bound", os.O_RDONLY))
		gone = top + "/gone/" + tool
		os.mkdir(gone)
		os.chdir(gone)
		os.rmdir(gone)
		look("unlinked")
		os.chdir(top + "/d")
		os.chroot(".")
		look("conf")
		look("/conf")
	EOT
	run 0 strace -y -e trace=openat -o "$T/strace" python3 -S "$T/program" "$T" one
	run 0 ktrctl trace -y -e trace=openat -o "$T/ktrctl" -- \
		python3 -S "$T/program" "$T" two
	umount "$T/d/bound"
	# In another root strace has names from outside, ktrctl the process's own.
	for tool in strace ktrctl; do
		sed -n '/"conf"/,$p;/"unlinked"/q' "$T/$tool" |
			sed 's,/gone/...,/gone/N,' >"$T/$tool.end"
	done
	diff "$T/strace.end" "$T/ktrctl.end" || exit 1
	has "$T/ktrctl.end" "AT_FDCWD<$T/d>, \"(conf|missing|sub|bound)\"" 4
	has "$T/ktrctl.end" "openat\([0-9]+<$T/d/sub>, \"y\"" 1
	has "$T/ktrctl.end" "openat\([0-9]+<$T/d/bound>, \"z\"" 1
	has "$T/ktrctl.end" 'deleted' 1
	has "$T/ktrctl" 'openat\(AT_FDCWD</>, "/?conf", .*\) += [0-9]+</conf>$' 2
}

refused() {
	run 2 ktrctl trace -e decode-fds=path,foo true
	says "invalid decode-fds 'foo'"
}

tool_case "every kind, -yy as strace (L-07)" in_detail
tool_case "every kind, -y as strace" paths
tool_case "decode-fds=dev,socket as strace" some_kinds
tool_case "relative names with their folder (L-05)" relative_names
tool_case "names from a file, JSON" from_a_file
tool_case "an unknown kind is refused" refused
tool_done
