#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What ktrctl says when something is wrong, and its exit status.

set -u
. lib/tap.sh
. lib/tool.sh

MODULE=${KTR_MODULE:-/lib/ktracer/ktracer.ko}

as_user() {
	setpriv --reuid 1000 --regid 1000 --clear-groups "$@"
}

# with_cap CAP COMMAND...: as user, with this capability alone.
with_cap() {
	local cap=$1
	shift
	setpriv --reuid 1000 --regid 1000 --clear-groups --inh-caps "+$cap" \
		--ambient-caps "+$cap" --bounding-set "-all,+$cap" "$@"
}

status_of_the_command() {
	run 0 ktrctl trace -o "$T/text" -- true
	run 1 ktrctl trace -o "$T/text" -- false
	run 77 ktrctl trace -o "$T/text" -- sh -c 'exit 77'
	run 143 ktrctl trace -o "$T/text" -- sh -c 'kill -TERM $$'
	run 137 ktrctl trace -o "$T/text" -- sh -c 'kill -KILL $$'
	run 9 ktrctl record -o "$T/t.ktr" -- sh -c 'exit 9'
	run 138 ktrctl record -o "$T/t.ktr" -- sh -c 'kill -USR1 $$'
	run 0 ktrctl report "$T/t.ktr"
	has "$T/out" '^\+\+\+ killed by SIGUSR1 \+\+\+$' 1
}

# not_executed STATUS WORD: ./file is what cannot be; nothing of ours is in its trace.
not_executed() {
	run "$1" ktrctl trace -f -- ./file
	[ "$(sed 's@, 0x[0-9a-f]* /. [0-9]* vars ./@@; s/ *= / = /' "$T/err")" = "$(cat <<-EOT
		execve("./file", ["./file"]) = -1 $2 ($3)
		exit_group($1) = ?
		+++ exited with $1 +++
		ktrctl: exec: $3: ./file
	EOT
	)" ] || fail "not these lines" "$(cat "$T/err")"
	run "$1" ktrctl trace -f -o "$T/text" -- ./file
	has "$T/err" "^ktrctl: exec: $3: ./file\$" 1
	has "$T/err" '' 1
	has "$T/text" '' 3
	run "$1" ktrctl trace -c -- ./file
	has "$T/err" ' 1 +1 total$' 1
	run "$1" ktrctl record -o "$T/t.ktr" -- ./file
	has "$T/err" "^ktrctl: exec: $3: ./file\$" 1
	run 0 ktrctl report "$T/t.ktr"
	has "$T/out" '' 3
}

cannot_be_executed() {
	cd "$T" || fail "no folder"
	echo echo hi >file
	not_executed 126 EACCES 'Permission denied'
	chmod +x file
	not_executed 126 ENOEXEC 'Exec format error'
	echo '#!/no/such' >file
	not_executed 127 ENOENT 'No such file or directory'
	rm file
	mkdir file
	not_executed 126 EACCES 'Permission denied'
	run 2 ktrctl trace -- ./none
	has "$T/err" "^ktrctl: Can't stat './none': No such file or directory\$" 1
}

wrong_use() {
	run 2 ktrctl
	run 2 ktrctl nonsense
	says "unknown command 'nonsense'"
	run 2 ktrctl trace
	says 'must have PROG .ARGS. or -p PID: '
	run 2 ktrctl trace --nonsense -- true
	says 'nonsense'
	run 2 ktrctl trace -e trace=nonsense -- true
	says 'nonsense'
	run 2 ktrctl trace -e signal=NONSENSE -- true
	says 'NONSENSE'
	run 2 ktrctl trace --uid root -- true
	says 'give a command, or user root: not both'
	run 2 ktrctl trace -p 4194303
	says 'process 4194303: no such process'
	run 2 ktrctl trace -p 12x
	says '12x'
	run 2 ktrctl trace --buffer 1 -- true
	says 'buffer'
	run 2 ktrctl trace --func no_such_function -- true
	says 'no_such_function'
	run 2 ktrctl trace --event nonsense -- true
	says 'nonsense'
	run 2 ktrctl trace -- /no/such/program
	says '/no/such/program'
	run 2 ktrctl record -- true
	says '-o FILE is missing'
	run 2 ktrctl report
	run 2 ktrctl report "$T/none.ktr"
	says 'none.ktr: No such file'
	run 2 ktrctl read -s none
	says 'no session named none'
	run 2 ktrctl trace -o /no/such/dir/file -- touch "$T/touched"
	says '/no/such/dir/file'
	[ ! -e "$T/touched" ] || fail "the command was started"
}

# Case N-01: as a user.
as_a_user() {
	local pid
	chmod 755 "$TOP" "$T"
	# His own.
	run 3 as_user ktrctl trace -e trace=exit_group -- sh -c 'exit 3'
	has "$T/err" '^exit_group\(3\) += \?$' 1
	run 0 as_user ktrctl check
	has "$T/out" '^rights +ok +a plain user' 1
	# What is not, or needs more.
	run 5 as_user ktrctl trace -p 1
	says 'process 1: not permitted: it is not yours'
	run 5 as_user ktrctl trace --func do_sys_poll -- touch "$T/touched"
	says 'not permitted: .*CAP_PERFMON'
	run 5 as_user ktrctl add-func do_sys_poll --pid 1
	says 'not permitted: .*CAP_PERFMON'
	[ ! -e "$T/touched" ] || fail "the command was started"
	# Root's sessions are not there for him, nor his for another.
	run 0 ktrctl add-syscall getppid -s mine --pid 1
	run 0 as_user ktrctl list
	has "$T/out" . 0
	run 2 as_user ktrctl clear -s mine
	says 'no session named mine'
	sleep 1000 &
	pid=$!
	run 5 as_user ktrctl add-syscall getppid -s mine --pid "$pid"
	kill "$pid"
	run 0 as_user ktrctl add-signal TERM -s mine
	run 0 as_user ktrctl list
	has "$T/out" '^mine ' 1
	run 0 as_user ktrctl clear --mine
	run 0 as_user ktrctl list
	has "$T/out" . 0
	run 0 ktrctl clear -s mine
	# Shut out, he is told so.
	echo 0 >/sys/module/ktracer/parameters/users
	run 5 as_user ktrctl trace -- touch "$T/touched"
	says 'not permitted: .*CAP_PERFMON'
	echo 1 >/sys/module/ktracer/parameters/users
	[ ! -e "$T/touched" ] || fail "the command was started"
}

# A set-id program keeps its rights, and that is the end of its trace.
set_id_program() {
	cp "$(command -v id)" "$T/id"
	chmod 4755 "$T/id"
	chmod 755 "$TOP" "$T"
	run 0 as_user ktrctl trace -e trace=execve,write -- "$T/id" -u
	has "$T/out" '^0$' 1
	has "$T/err" '^execve\(.*\) += \?$' 1
	has "$T/err" '^\+\+\+ trace ended: a set-id program' 1
	has "$T/err" '^write' 0
	run 0 as_user ktrctl trace -c -f -e trace=execve,write -- sh -c "$T/id -u; :"
	has "$T/err" '^\[pid +[0-9]+\] \+\+\+ trace ended: a set-id program' 1
	run 0 as_user ktrctl summary --json -f -e trace=execve,write -- sh -c "$T/id -u; :"
	has "$T/err" '^\{"event":"target_end",.*"comm":"id","reason":3,' 1
	has "$T/err" '^\{"event":"summary",.*"threads":\[(\{"tid":[^}]*},?){2}]}$' 1
}

# Case N-01: the smallest set of capabilities, and one that is not enough.
with_one_capability() {
	local cap
	for cap in perfmon sys_admin; do
		with_cap "$cap" true 2>/dev/null || skip "setpriv cannot set $cap"
		run 3 with_cap "$cap" ktrctl trace -e trace=exit_group \
			-- sh -c 'exit 3'
		has "$T/err" '^exit_group\(3\) += \?$' 1
	done
	for cap in net_admin sys_ptrace; do
		run 5 with_cap "$cap" ktrctl trace --func do_sys_poll -- true
		says 'not permitted: .*CAP_PERFMON'
	done
}

# Case N-01. What the message says to do helps. Only a fresh module makes its node
# where one was made by hand.
without_the_device_node() {
	trap 'rm -f /dev/ktracer; rmmod ktracer; insmod "$MODULE"; end_case' EXIT
	rm /dev/ktracer || fail "cannot remove it"
	run 4 ktrctl trace -- touch "$T/touched"
	says '/dev/ktracer is missing, .*: mknod -m 666 /dev/ktracer c 10 [0-9]+$'
	run 4 ktrctl record -o "$T/t.ktr" -- touch "$T/touched"
	says '/dev/ktracer is missing'
	run 4 ktrctl mark text
	says '/dev/ktracer is missing'
	[ ! -e "$T/touched" ] || fail "the command was started"
	run 4 ktrctl check
	has "$T/out" '^module +ok '
	has "$T/out" '^device +missing +/dev/ktracer is missing, .*: mknod '
	sed -n 's/.*: mknod/mknod/p' "$T/out" >"$T/remedy"
	run 0 sh "$T/remedy"
	run 0 ktrctl check
	run 3 ktrctl trace -o "$T/text" -- sh -c 'exit 3'
	has "$T/text" '^exit_group\(3\)'
	run 0 as_user ktrctl mark text
}

# Folders of modules are read-only here: lay others over them.
for_another_kernel() {
	local release
	release=$(uname -r)
	mkdir -p "$T/modules/1.2.3-old/updates/dkms"
	touch "$T/modules/1.2.3-old/updates/dkms/ktracer.ko.xz"
	mount --bind "$T/modules" /lib/modules || fail "cannot mount"
	run 4 ktrctl check
	has "$T/out" "^installed +missing +built for 1\.2\.3-old, running ${release//+/\\+}: "
	mkdir -p "$T/modules/$release/extra"
	touch "$T/modules/$release/extra/ktracer.ko"
	run 4 ktrctl check
	has "$T/out" '^installed +ok +for this kernel: modprobe ktracer'
	umount /lib/modules
}

# Cases H-06 and N-01.
without_the_module() {
	local other
	rmmod ktracer || fail "cannot unload it"
	trap 'umount /lib/modules 2>/dev/null; [ -d /sys/module/ktracer ] || insmod "$MODULE"; end_case' EXIT
	run 4 ktrctl trace -- touch "$T/touched"
	says 'the module is not loaded: '
	[ ! -e "$T/touched" ] || fail "the command was started"
	run 4 ktrctl list
	run 4 ktrctl record -o "$T/t.ktr" -- touch "$T/touched"
	[ ! -e "$T/touched" ] || fail "the command was started"
	run 4 ktrctl mark text
	# What was traced before is kept.
	echo kept >"$T/keep"
	ln -s "$(command -v ktrctl)" "$T/ktrace"
	run 4 "$T/ktrace" -f "$T/keep" touch "$T/touched"
	has "$T/keep" '^kept$' 1
	[ ! -e "$T/touched" ] || fail "the command was started"
	run 4 as_user ktrctl trace -- true
	run 4 ktrctl check
	has "$T/out" '^module +missing +not loaded: modprobe ktracer$'
	has "$T/out" '^installed +missing +no ktracer.ko under /lib/modules'
	for_another_kernel
	for other in /lib/ktracer/ktracer-*.ko; do
		[ "$(modinfo -F vermagic "$other")" != \
			"$(modinfo -F vermagic "$MODULE")" ] || continue
		insmod "$other" 2>"$T/insmod" && fail "a module of another kernel"
		run 4 ktrctl trace -- touch "$T/touched"
		[ ! -e "$T/touched" ] || fail "the command was started"
	done
	insmod "$MODULE" || fail "cannot load it again"
	run 0 ktrctl check
	has "$T/out" '^module +ok '
}

tool_case "the command's exit status" status_of_the_command
tool_case "a command that cannot be executed" cannot_be_executed
tool_case "wrong use" wrong_use
tool_case "as a user (N-01)" as_a_user
tool_case "a set-id program" set_id_program
tool_case "one capability (N-01)" with_one_capability
tool_case "without the device node (N-01)" without_the_device_node
tool_case "without the module (H-06, N-01)" without_the_module
tool_done
