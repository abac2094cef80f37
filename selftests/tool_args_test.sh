#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Arguments and results of kernel functions, as users see them.

set -u
. lib/tap.sh
. lib/tool.sh

# opener: the function that opens a file by a struct filename.
opener() {
	ktrctl funcs do_filp_open 2>/dev/null || ktrctl funcs do_file_open
}

trace() {
	run 0 ktrctl trace -e trace=none -o "$T/text" "$@"
}

need_btf() {
	[ -e /sys/kernel/btf/vmlinux ] || skip "the kernel has no BTF"
}

# Names, integers with their width and sign, pointers, text of the caller and of
# the kernel, a struct file by its name. Half of case C-08.
arguments() {
	need_btf
	trace -s 64 --args --func "do_sys_poll,vfs_read,do_sys_openat2,$(opener)" -- \
		python3 -c '
import select
p = select.poll(); p.register(0); p.poll(7)
open("/etc/hostname").read()
try: open("/no/such")
except OSError: pass'
	has "$T/text" '^do_sys_poll\(ufds=0x[0-9a-f]+, nfds=1, end_time=0x[0-9a-f]+\) <- ' 1
	has "$T/text" '^vfs_read\(file=<hostname>, buf=0x[0-9a-f]+, count=[0-9]+, pos=(NULL|0x[0-9a-f]+)\) <- '
	has "$T/text" '^do_sys_openat2\(dfd=-100, filename="/etc/hostname", how=0x[0-9a-f]+\) <- ' 1
	has "$T/text" "^$(opener)\\(dfd=-100, pathname=\"/etc/hostname\", op=0x" 1
}

results() {
	need_btf
	run 1 ktrctl trace -e trace=none -o "$T/text" --ret \
		--func "vfs_read,fput,$(opener)" -- cat /etc/hostname /no/such
	has "$T/text" '^vfs_read\(\) = [0-9]+ <'
	has "$T/text" "^$(opener)\\(\\) = 0xffff[0-9a-f]+ <"
	has "$T/text" "^$(opener)\\(\\) = ERR_PTR\\(-ENOENT\\) <" 1
	has "$T/text" '^fput\(\) <[0-9]'
}

# The other half of case C-08.
wrappers() {
	trace --args --func __x64_sys_openat,__x64_sys_getpriority -- \
		python3 -c 'import os
os.getpriority(0, 0)
open("/etc/hostname")'
	has "$T/text" '^__x64_sys_openat\((dirfd|dfd|a0)=-100, [a-z0-9]+="/etc/hostname", ' 1
	has "$T/text" '^__x64_sys_getpriority\([^,]*, [^,]*\) <- ' 1
}

expressions() {
	need_btf
	trace --func vfs_read,do_sys_poll \
		--args='vfs_read(file->f_path.dentry->d_name, count, *file, file->f_op)' \
		--args='do_sys_poll(*ufds, ufds->events)' -- python3 -c '
import select
p = select.poll(); p.register(0, 1); p.poll(7)
open("/etc/hostname").read()'
	has "$T/text" '^vfs_read\(file->f_path.dentry->d_name="hostname", count=[0-9]+, \*file=\{.*f_flags=0x[0-9a-f]+.*\}, file->f_op=0xffff[0-9a-f]+\) <- '
	has "$T/text" '^do_sys_poll\(\*ufds=\{fd=0, events=1, revents=0\}, ufds->events=1\) <- ' 1
}

sockets() {
	need_btf
	ip link set lo up 2>/dev/null
	trace --args --ret --func tcp_sendmsg -- python3 -c '
import socket
s = socket.socket(); s.bind(("127.0.0.1", 8081)); s.listen()
c = socket.create_connection(("127.0.0.1", 8081)); c.send(b"hello")'
	has "$T/text" '^tcp_sendmsg\(sk=\{AF_INET, 127.0.0.1:[0-9]+->127.0.0.1:8081\}, msg=0xffff[0-9a-f]+, size=5\) <- ' 1
	has "$T/text" '^tcp_sendmsg\(\) = 5 <' 1
}

json() {
	need_btf
	trace --json --args --ret --func "vfs_read,fput,do_sys_openat2" -- cat /etc/hostname
	python3 - "$T/text" <<-'EOT' || exit 1
		import json, sys
		events = [json.loads(line) for line in open(sys.argv[1])]
		entered = [e for e in events if e["event"] == "function"]
		left = [e for e in events if e["event"] == "function_return"]
		reads = [e["args"] for e in entered if e["ip"]["sym"] == "vfs_read"]
		assert any(a["file"] == "hostname" and a["count"] > 0 and
		       a["buf"].startswith("0x") for a in reads), reads
		opens = [e["args"]["filename"] for e in entered if e["ip"]["sym"] == "do_sys_openat2"]
		assert "/etc/hostname" in opens, opens
		for e in left:
		    assert ("result" in e) == (e["ip"]["sym"] != "fput"), e
	EOT
}

# The same lines from a file, and from a session that another process made.
elsewhere() {
	need_btf
	local want='^([^ ]+ +|\[pid +[0-9]+\] )?do_sys_openat2\(dfd=-100, filename="/etc/hostname", how=0x'
	run 0 ktrctl record -e trace=none --args --ret --func do_sys_openat2 -o "$T/cap" \
		-- cat /etc/hostname
	run 0 ktrctl report -o "$T/text" "$T/cap"
	has "$T/text" "$want" 1
	has "$T/text" '^do_sys_openat2\(\) = [0-9]+ <'
	cat >"$T/go" </dev/null
	sh -c 'while [ -e "$0" ]; do sleep 0.1; done; exec cat /etc/hostname' "$T/go" \
		>/dev/null &
	run 0 ktrctl add-func do_sys_openat2 --args --pid $!
	rm "$T/go"
	wait $!
	run 0 ktrctl read -o "$T/text"
	has "$T/text" "$want" 1
}

refusals() {
	run 2 ktrctl trace --func vfs_read --args=vfs_read -- true
	says 'is not FUNC\(ARG'
	run 2 ktrctl trace --func vfs_read --args='vfs_write(buf)' -- true
	says 'vfs_write is not among the functions'
	need_btf
	run 2 ktrctl trace --func vfs_read --args='vfs_read(nosuch)' -- true
	says "vfs_read: 'nosuch': vfs_read has no argument nosuch: it has file, buf, count, pos$"
	run 2 ktrctl add-func vfs_read --args='vfs_read(file->)'
	says "'file->': the name of a member is missing"
	run 2 ktrctl add-func vfs_read --args='vfs_read(file->f_path..mnt)'
	says "'file->f_path..mnt': the name of a member is missing"
	wrong_steps
	[ -z "$(ktrctl list)" ] || fail "a session came of it: $(ktrctl list)"
}

# The step that is wrong, and what was meant, or what there is.
wrong_steps() {
	local expr why
	while IFS='|' read -r expr why; do
		run 2 ktrctl add-func vfs_read --args="vfs_read(count, $expr)"
		says "vfs_read: '[^']+': $why$"
	done <<-'EOT'
		coumt|vfs_read has no argument coumt: did you mean count\?
		file->nosuch|struct file has no member nosuch
		file->f_inod|struct file has no member f_inod: did you mean f_inode\?
		file->f_path.x->y|struct path has no member x: it has mnt, dentry
		count->x|count is no pointer: \* and -> need one
		*count|count is no pointer: \* and -> need one
		file.f_op|file is a pointer: its members are behind ->
		file->f_path.mnt.x|file->f_path.mnt is a pointer: its members are behind ->
		file->f_flags.x|file->f_flags is no struct in memory: \. needs one
		buf->x|buf points to no struct whose members are known
		buf[0]|only an argument's name, ->MEMBER and .MEMBER .* are taken
		**file|only an argument's name, .* and one \* in front are taken
		file->f_flags & 1|only an argument's name, .* are taken
	EOT
}

# Blanks mean nothing; bytes are text where they were asked for by name.
spelling() {
	need_btf
	trace --func vfs_read,do_sys_poll \
		--args=' vfs_read ( file -> f_path . dentry->d_name.name ,count, * file ) , raw' -- \
		cat /etc/hostname
	has "$T/text" '^vfs_read\(file->f_path.dentry->d_name.name="hostname", count=[0-9]+, \*file=\{.*\}\) <- '
	run 2 ktrctl trace --func vfs_read --args='raw vfs_read(count), x' -- true
	says 'is not FUNC\(ARG'
}

# What the compiler made of a function takes who knows what.
unknown() {
	trace --func link_path_walk --args -- cat /etc/hostname
	if grep -q '^link_path_walk\.' "$T/text"; then
		says "the kernel's BTF does not tell the arguments"
		has "$T/text" '^link_path_walk\.[a-z0-9.]+\(\) <- '
		trace --func link_path_walk --args=raw -- cat /etc/hostname
		has "$T/text" '^link_path_walk\.[a-z0-9.]+\(rdi=0x[0-9a-f]+, rsi=.*, r9=[0-9a-fx]+\) <- '
	fi
}

tool_case "names, types and texts of arguments (C-08)" arguments
tool_case "results by their types" results
tool_case "entries of system calls show their arguments (C-08)" wrappers
tool_case "expressions: members behind pointers, structs" expressions
tool_case "blanks mean nothing, bytes are text" spelling
tool_case "sockets are what they connect" sockets
tool_case "json has the same" json
tool_case "a file and a named session know the types" elsewhere
tool_case "what cannot be shown is refused" refusals
tool_case "unknown types show nothing, or registers" unknown
tool_done
