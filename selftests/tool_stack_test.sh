#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of events, as users see them.

set -u
. lib/tap.sh
. lib/tool.sh

# below FILE REGEX: the lines " > ..." behind each line that matches, a stack a line.
below() {
	awk -v want="$2" '
		/^ > / { if (on) printf "%s ", substr($0, 4); next }
		on { print ""; on = 0 }
		$0 ~ want { on = 1 }
		END { if (on) print "" }' "$1"
}

polls='import os, select
p = select.poll(); p.register(0, 1)
for i in range(3): p.poll(0)
os.getppid()'

# The function itself first, then how it was come to; a call is left by its entry code.
kernel() {
	run 0 ktrctl trace -e trace=getppid --func do_sys_poll --kstack -o "$T/text" -- \
		python3 -c "$polls"
	below "$T/text" '^do_sys_poll' >"$T/stacks"
	has "$T/stacks" '^do_sys_poll\+0x[0-9a-f]+ __x64_sys_poll\+0x[0-9a-f]+ (x64_sys_call\+0x[0-9a-f]+ )?do_syscall_64\+0x[0-9a-f]+ entry_SYSCALL_64[a-z_]*\+0x[0-9a-f]+ $' 3
	below "$T/text" '^getppid' >"$T/stacks"
	has "$T/stacks" '^[a-z_]*syscall[a-z_]*\+0x.* do_syscall_64\+0x[0-9a-f]+ entry_SYSCALL_64' 1
	# Before the fields, tracepoints or ftrace: no frame of who makes the records.
	lacks "$T/text" '^ > .*(ktr_|ktracer|__traceiter|ftrace|fprobe|rethook|0xffff)'
}

returns() {
	run 0 ktrctl trace -e trace=none --func do_sys_poll --ret=only --kstack -o "$T/text" -- \
		python3 -c "$polls"
	below "$T/text" '^do_sys_poll' >"$T/stacks"
	has "$T/stacks" '^__x64_sys_poll\+0x[0-9a-f]+ .*do_syscall_64\+0x' 3
	run 0 ktrctl trace -e trace=none --func do_sys_poll --ret --kstack -o "$T/text" -- \
		python3 -c "$polls"
	has "$T/text" '^ > do_sys_poll' 3
	has "$T/text" '^ > __x64_sys_poll' 3
	# What hooks the return takes no room.
	run 0 ktrctl trace -e trace=none --func do_sys_poll --ret=only --kstack=2 -o "$T/text" -- \
		python3 -c "$polls"
	below "$T/text" '^do_sys_poll' >"$T/stacks"
	has "$T/stacks" '^__x64_sys_poll\+0x[0-9a-f]+ [a-z0-9_]+\+0x[0-9a-f]+ \.\.\. $' 3
}

# Names are in the file from early on: for who kills its writer.
killed() {
	mkfifo "$T/go"
	ktrctl record -e trace=none --func vfs_read --kstack -o "$T/cap" -- \
		sh -c "cat /etc/hostname; read -r x <$T/go" >/dev/null 2>"$T/err" &
	local record=$!
	wait_for 200 written "$T/cap" || fail "nothing is written" "$(cat "$T/err")"
	kill -KILL "$record"
	exec 7>"$T/go"
	exec 7>&-
	run 3 ktrctl report -o "$T/text" "$T/cap"
	has "$T/text" '^ > vfs_read\+0x'
	has "$T/text" '^ > do_syscall_64\+0x'
	lacks "$T/text" '^ > 0x'
}

written() {
	ktrctl report "$1" 2>/dev/null | grep -q '^ > do_syscall_64'
}

# They are of a session from its beginning.
of_a_named_session() {
	mkfifo "$T/go"
	sh -c "read -r x <$T/go; exec cat /etc/hostname" >/dev/null &
	local reader=$!
	run 0 ktrctl add-func vfs_read --kstack=3 -k -s stacks --pid "$reader"
	run 2 ktrctl add-func vfs_write --kstack -s stacks
	says 'session stacks exists'
	run 0 ktrctl add-func vfs_write -s stacks
	echo >"$T/go"
	wait "$reader"
	run 0 ktrctl read -s stacks
	below "$T/out" 'vfs_read' >"$T/stacks"
	has "$T/stacks" '^vfs_read\+0x[0-9a-f]+ ([a-z0-9_]+\+0x[0-9a-f]+ ){2}\.\.\. '
	has "$T/stacks" ' /[^ ]*\+0x|\([a-z_]*read[a-z_0-9]*\+0x'
	run 0 ktrctl clear -s stacks
}

# So many frames, and that there are more.
depth() {
	run 0 ktrctl trace -e trace=none --func do_sys_poll --kstack=2 -o "$T/text" -- \
		python3 -c "$polls"
	has "$T/text" '^ > \.\.\.$' 3
	[ "$(grep -c '^ > ' "$T/text")" -le 9 ] || fail "more than asked for"
	run 2 ktrctl trace --kstack=0 -- true
	says 'use 1 to 64 frames'
	run 2 ktrctl trace --kstack=65 -- true
}

# Where it waits and who wakes it; a file has the names.
files() {
	run 0 ktrctl record -e trace=none --event sched_out,wakeup --kstack -o "$T/cap" -- \
		sleep 0.1
	run 0 ktrctl report -o "$T/text" "$T/cap"
	has "$T/text" '^ > (common_nsleep|hrtimer_nanosleep)\+0x'
	has "$T/text" '^ > hrtimer_wakeup\+0x'
}

json() {
	run 0 ktrctl trace --json -e trace=getppid --func do_sys_poll --kstack -o "$T/text" -- \
		python3 -c "$polls"
	python3 - "$T/text" <<-'EOT' || exit 1
		import json, sys
		events = [json.loads(line) for line in open(sys.argv[1])]
		for e in events:
		    has = e["event"] in ("function", "syscall") or e["event"].startswith("signal")
		    assert ("kstack" in e) == has, e
		polls = [e["kstack"] for e in events if e["event"] == "function"]
		assert len(polls) == 3, polls
		for frames in polls:
		    names = [f["sym"].split("+")[0] for f in frames]
		    assert names[:2] == ["do_sys_poll", "__x64_sys_poll"], names
		    assert "do_syscall_64" in names[2:], names
		    assert all(f["addr"].startswith("0xffff") for f in frames), frames
	EOT
}

# chains FILE: the lines that the program's own calls have below them, a stack a line.
chains() {
	below "$1" '^([0-9]+ +|[[]pid +[0-9]+[]] )?getppid'
}

OWN='[^ ]*/act_chain\(inner\+0x[0-9a-f]+\) \[0x[0-9a-f]+\] [^ ]*/act_chain\(middle\+0x[0-9a-f]+\) \[0x[0-9a-f]+\] [^ ]*/act_chain\(outer\+0x[0-9a-f]+\) \[0x[0-9a-f]+\] [^ ]*/act_chain\(main\+0x[0-9a-f]+\) \[0x[0-9a-f]+\] '
LEAF='^[^ ]*/libc[^ ]*\(_*getppid\+0x[0-9a-f]+\) \[0x[0-9a-f]+\] '

# The leaf has no frame, the others have; of the kernel there is nothing.
program() {
	run 0 ktrctl trace -k -e trace=getppid -o "$T/text" -- ./act_chain chain chain
	chains "$T/text" >"$T/stacks"
	has "$T/stacks" "$LEAF$OWN" 2
	lacks "$T/text" '0xffff|do_syscall'
	run 0 ktrctl trace --stack-traces=3 -e trace=getppid -o "$T/text" -- ./act_chain chain
	has "$T/text" '^ > ' 4
	has "$T/text" '^ > \.\.\.$' 1
}

BARE=${OWN//act_chain/act_bare}

# A program without frame pointers, whose files know where its frames are.
tables() {
	run 0 ktrctl trace --stack-traces=dwarf -e trace=getppid -o "$T/text" -- \
		./act_bare chain fork chain
	chains "$T/text" >"$T/stacks"
	has "$T/stacks" "$LEAF$BARE.*/act_bare\\(_start\\+[^ ]* [^ ]* \$"
	lacks "$T/text" '^ > (\?|\.\.\.)'
	run 0 ktrctl record -f --stack-traces=dwarf,4096 -e trace=getppid -o "$T/cap" -- \
		./act_bare chain fork chain
	run 0 ktrctl report -o "$T/text" "$T/cap"
	chains "$T/text" >"$T/stacks"
	has "$T/stacks" "$LEAF$BARE" 2
	run 0 ktrctl report --format folded -o "$T/text" "$T/cap"
	has "$T/text" '^act_bare;_start;([^;]*;)*main;outer;middle;inner;_*getppid [12]$'
	run 0 ktrctl report --json -o "$T/json" "$T/cap"
	has "$T/json" '"ustack":.*"func":"inner".*"func":"middle".*"func":"outer".*"func":"main"' 2
	# Nobody is asked for more than the files have.
	DEBUGINFOD_URLS=http://127.0.0.1:9/ run 0 strace -f -e trace=connect -o "$T/asked" \
		ktrctl report -o "$T/text" "$T/cap"
	lacks "$T/asked" 'sin6?_port'
	chains "$T/text" >"$T/stacks"
	has "$T/stacks" "$LEAF$BARE" 2
	# What was not copied is said to be missing.
	run 0 ktrctl trace --stack-traces=dwarf,16 -e trace=getppid -o "$T/text" -- \
		./act_bare chain
	has "$T/text" '^ > (\?|\.\.\.)'
	lacks "$T/text" '\(main\+'
	run 2 ktrctl trace --stack-traces=dwarf,0 -- true
	says 'dwarf,8 to dwarf,16384 bytes'
	run 2 ktrctl trace --stack-traces=dwarf,20000 -- true
	run 2 ktrctl trace --stack-traces=dwarfs -- true
}

# What its interrupted frames are: the handler's caller is the kernel's doing.
through_a_signal() {
	cat >"$T/handler.py" <<-'EOT'
		import ctypes, signal, os
		libc = ctypes.CDLL(None)
		fn = ctypes.CFUNCTYPE(None, ctypes.c_int)(lambda n: libc.getppid())
		libc.signal(signal.SIGUSR1, fn)
		libc.raise_ = libc["raise"]
		libc.raise_(signal.SIGUSR1)
	EOT
	run 0 ktrctl trace --stack-traces=dwarf,16384 -e trace=getppid -o "$T/text" -- \
		python3 "$T/handler.py"
	below "$T/text" '^getppid' >"$T/stacks"
	has "$T/stacks" '(getppid|ppid)\+.*\((gsignal|raise|pthread_kill|__pthread_kill[a-z_]*)\+'
}

# An i386 program: words of 32 bits, tables of its own.
program32() {
	./act_chain32 || skip "this kernel runs no programs for i386"
	run 0 ktrctl trace -k -e trace=getppid -o "$T/text" -- ./act_chain32
	chains "$T/text" >"$T/stacks"
	has "$T/stacks" '^[^ ]*/act_chain32\(inner\+0x[0-9a-f]+\) [^ ]* [^ ]*/act_chain32\(middle\+[^ ]* [^ ]* [^ ]*/act_chain32\(outer\+[^ ]* [^ ]* [^ ]*/act_chain32\(begin\+' 1
	lacks "$T/text" '^ > \?'
	run 0 ktrctl trace --stack-traces=dwarf -e trace=getppid -o "$T/tables" -- ./act_chain32
	chains "$T/tables" >"$T/stacks"
	has "$T/stacks" '^[^ ]*/act_chain32\(inner\+0x[0-9a-f]+\) [^ ]* [^ ]*/act_chain32\(middle\+[^ ]* [^ ]* [^ ]*/act_chain32\(outer\+[^ ]* [^ ]* [^ ]*/act_chain32\(begin\+' 1
	lacks "$T/tables" '^ > (\?|\.\.\.)'
}

# Frame by frame, with the places in the file.
as_strace() {
	strace -k -e trace=none true 2>/dev/null || skip "this strace has no -k"
	strace -k -e trace=getppid -o "$T/theirs" ./act_chain chain
	run 0 ktrctl trace -k -e trace=getppid -o "$T/ours" ./act_chain chain
	grep -q '^ > ' "$T/theirs" || skip "strace -k prints no stack here"
	grep '^ > ' "$T/theirs" | grep -E '\((inner|middle|outer|main)\+' >"$T/want"
	grep '^ > ' "$T/ours" | grep -E '\((inner|middle|outer|main)\+' >"$T/have"
	[ "$(wc -l <"$T/want")" = 4 ] || fail "strace says" "$(cat "$T/theirs")"
	diff "$T/want" "$T/have" || fail "not as strace"
	[ "$(grep -m 1 -o '\[0x[0-9a-f]*\]' "$T/theirs")" = \
		"$(grep -m 1 -o '\[0x[0-9a-f]*\]' "$T/ours")" ] || fail "another leaf" "$(cat "$T/ours")"
}

# By fork, by exec, by both, and of one that runs before it is traced.
children() {
	run 0 ktrctl trace -f -k -e trace=getppid -o "$T/text" -- \
		sh -c './act_chain chain fork chain; ./act_chain fork fork chain; true'
	chains "$T/text" >"$T/stacks"
	has "$T/stacks" "$LEAF$OWN" 3
	mkfifo "$T/go"
	./act_chain wait chain <"$T/go" &
	exec 7>"$T/go"
	ktrctl trace -k -e trace=getppid -p $! -o "$T/text" 2>"$T/err" &
	await 'attached' "$T/err"
	echo >&7
	wait
	exec 7>&-
	chains "$T/text" >"$T/stacks"
	has "$T/stacks" "$LEAF$OWN" 1
}

# A file knows what was mapped; what lies at that path now may be another file.
file_of_stacks() {
	cp act_chain "$T/act_chain"
	run 0 ktrctl record -f -k -e trace=getppid -o "$T/cap" -- \
		sh -c '"$0" chain; "$0" fork chain; true' "$T/act_chain"
	run 0 ktrctl report -o "$T/text" "$T/cap"
	chains "$T/text" >"$T/stacks"
	has "$T/stacks" "$LEAF$OWN" 2
	cp act_calls "$T/act_chain"
	run 0 ktrctl report -o "$T/text" "$T/cap"
	has "$T/text" '^ > .*/act_chain\(another file by now\) \[0x[0-9a-f]+\]$'
	lacks "$T/text" 'act_chain\([a-z]+\+'
	rm "$T/act_chain"
	run 0 ktrctl report -o "$T/text" "$T/cap"
	has "$T/text" '^ > .*/act_chain\(\) \[0x[0-9a-f]+\]$'
}

program_json() {
	run 0 ktrctl trace --json -k --kstack -e trace=getppid -o "$T/text" -- ./act_chain chain
	python3 - "$T/text" <<-'EOT' || exit 1
		import json, sys
		events = [json.loads(line) for line in open(sys.argv[1])]
		calls = [e for e in events if e["event"] == "syscall"]
		assert len(calls) == 1, calls
		frames = calls[0]["ustack"]
		names = [f["func"] for f in frames[1:5]]
		assert names == ["inner", "middle", "outer", "main"], frames
		assert "libc" in frames[0]["file"] and frames[0]["func"].endswith("getppid"), frames
		for f in frames[1:5]:
		    assert f["file"].endswith("/act_chain") and f["addr"].startswith("0x"), f
		    assert f["into"] > 0 and f["offset"].startswith("0x"), f
		assert any("do_syscall_64" in f["sym"] for f in calls[0]["kstack"])
		assert any(e["event"] == "mapped" and e["path"].endswith("/act_chain") for e in events)
	EOT
}

# Lines for flame graphs: as many as there were events, the outermost first.
folded() {
	run 0 ktrctl record -k --kstack -e trace=getppid --event wakeup,sched_out -o "$T/cap" -- \
		./act_chain chain chain chain
	run 0 ktrctl report --format folded -o "$T/text" "$T/cap"
	has "$T/text" '^act_chain;([^;]*;)*main;outer;middle;inner;_*getppid;entry_SYSCALL[^;]*;do_syscall_64;.* 3$' 1
	lacks "$T/text" '^[^;]*$'
	run 0 ktrctl report --json -o "$T/json" "$T/cap"
	[ "$(grep -c '"kstack"' "$T/json")" = "$(awk '{ n += $NF } END { print n }' "$T/text")" ] ||
		fail "another sum than of events" "$(cat "$T/text")"
	run 0 ktrctl trace -k --format folded -e trace=getppid -o "$T/text" -- ./act_chain chain
	has "$T/text" '^act_chain;([^;]*;)*main;outer;middle;inner;_*getppid 1$' 1
	run 2 ktrctl trace --format folded -- true
	says 'of which stacks'
}

# A user who is not privileged: his own frames, and no address of the kernel.
plain() {
	local him=(setpriv --reuid 1000 --regid 1000 --clear-groups)
	chmod 755 "$TOP" "$T"
	cp act_chain "$T"
	run 0 "${him[@]}" ktrctl trace -k -e trace=getppid -- "$T/act_chain" chain
	chains "$T/err" >"$T/stacks"
	has "$T/stacks" "$LEAF$OWN" 1
	run 5 "${him[@]}" ktrctl trace --kstack -e trace=getppid -- "$T/act_chain" chain
	says "not permitted: .*the kernel's stack needs CAP_SYS_ADMIN or CAP_PERFMON"
	lacks "$T/err" '0xffff'
}

tool_case "the kernel's stack of functions and calls" kernel
tool_case "of functions that return" returns
tool_case "as deep as asked for" depth
tool_case "in the file of a writer that is killed" killed
tool_case "in a named session" of_a_named_session
tool_case "from a file" files
tool_case "json has the frames" json
tool_case "the program's stack by frame pointers (L-13)" program
tool_case "by the files' unwind tables" tables
tool_case "through a signal's frame" through_a_signal
tool_case "of an i386 program" program32
tool_case "as strace -k" as_strace
tool_case "of children, new programs and running ones" children
tool_case "from a file, which knows its files" file_of_stacks
tool_case "json has the program's frames" program_json
tool_case "folded for flame graphs" folded
tool_case "a plain user sees his own, and nothing of the kernel" plain
tool_done
