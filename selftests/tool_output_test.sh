#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where ktrctl's output goes, and what happens if nobody takes it.

set -u
. lib/tap.sh
. lib/tool.sh

TWO_PROCESSES='/bin/true; exit 3'

# No two lines of different processes in one file, and no ids in them.
a_file_per_process() {
	local file shell=''
	run 3 ktrctl trace -ff -o "$T/t" -- sh -c "$TWO_PROCESSES"
	[ ! -e "$T/t" ] || fail "there is a file for all"
	[ "$(find "$T" -name 't.*' | wc -l)" = 2 ] || fail "$(ls "$T")"
	for file in "$T"/t.*; do
		has "$file" '^\+\+\+ exited with ' 1
		lacks "$file" '^([0-9]+ |\[pid )'
		tail -n 1 "$file" | grep -q '^+++ exited' || fail "$(cat "$file")"
		! grep -q 'exited with 3' "$file" || shell=$file
	done
	[ -n "$shell" ] || fail "no file of the shell"
	[ "$(head -n 1 "$shell" | grep -c '^execve(".*sh", \["sh", ')" = 1 ] ||
		fail "$(head -n 3 "$shell")"
	in_order "$shell" '^(clone|clone3|fork|vfork)\(' '^wait4\(' '^exit_group\(3\)'
	file=$(find "$T" -name 't.*' ! -path "$shell")
	in_order "$file" '^execve\("/bin/true", \["/bin/true"\]' '^exit_group\(0\)'
	# The number in the name is the child's, as its parent knew it.
	has "$shell" "^wait4\(.* = ${file##*.}$"
}

# -A adds, without it a file begins anew.
appended() {
	run 0 ktrctl trace -o "$T/t" -- true
	run 1 ktrctl trace -A -o "$T/t" -- false
	in_order "$T/t" '^execve\(' 'exited with 0' '^execve\(' 'exited with 1'
	run 0 ktrctl trace -o "$T/t" -- true
	has "$T/t" 'exited with' 1
	run 3 ktrctl trace -A -ff -o "$T/f" -- sh -c 'exit 3'
	run 3 ktrctl trace -A -ff -o "$T/f" -- sh -c 'exit 3'
	[ "$(find "$T" -name 'f.*' | wc -l)" = 2 ] || fail "$(ls "$T")"
}

into_a_command() {
	local mark
	for mark in '|' '!'; do
		run 3 ktrctl trace -o "${mark}sed s/^/got:/ >$T/t" -- sh -c 'exit 3'
		in_order "$T/t" '^got:execve\(' '^got:exit_group\(3\)' \
			'^got:\+\+\+ exited with 3'
		lacks "$T/t" '^[^g]'
		# It is through with it by the time ktrctl ends.
		tail -n 1 "$T/t" | grep -q '+++ exited' || fail "$(tail -n 3 "$T/t")"
	done
	run 1 ktrctl trace -o '|/no/such/command 2>/dev/null' -- touch "$T/touched"
	says 'there is no such command to run'
	[ -e "$T/touched" ] || fail "the command was not run"
}

# Case M-07: nobody reads on. The program does not notice, ktrctl does.
broken_pipe() {
	local busy status
	run 0 ktrctl trace -o "|head -n 3 >$T/t" -- "$HERE/act_load" needles 50000
	[ "$(wc -l <"$T/t")" = 3 ] || fail "$(cat "$T/t")"
	[ ! -s "$T/err" ] || fail "it says" "$(cat "$T/err")"
	"$HERE/act_load" busy >"$T/busy" &
	busy=$!
	await '^[0-9]' "$T/busy"
	# It ends by itself: there is no other end to it.
	timeout 60 ktrctl trace --json -e trace=getppid -o - -p "$busy" \
		2>"$T/err" | head -n 5 >"$T/t"
	status=${PIPESTATUS[0]}
	[ "$status" = 0 ] || fail "status $status" "$(cat "$T/err")"
	[ "$(wc -l <"$T/t")" = 5 ] || fail "$(cat "$T/t")"
	lacks "$T/err" 'cannot write|[Ee]rror'
	[ -z "$(ktrctl list)" ] || fail "a session is left" "$(ktrctl list)"
	[ "$(state_of "$busy")" = R ] || fail "the program is $(state_of "$busy")"
}

# Before anything runs.
no_folder() {
	run 2 ktrctl trace -ff -o "$T/none/a" -- touch "$T/touched"
	says "Can't fopen '$T/none/a.PID': No such file or directory"
	: >"$T/plain"
	run 2 ktrctl trace -ff -o "$T/plain/a" -- touch "$T/touched"
	says "Can't fopen '$T/plain/a.PID': Not a directory"
	[ ! -e "$T/touched" ] || fail "the command ran"
}

# A full disk is told, and the command goes on.
no_room() {
	run 1 ktrctl trace -o /dev/full -- touch "$T/touched"
	says 'cannot write /dev/full: No space left on device: the trace is incomplete'
	[ -e "$T/touched" ] || fail "the command did not run on"
}

as_strace() {
	ln -s "$(command -v ktrctl)" "$T/strace"
	run 3 "$T/strace" -f -e trace=exit_group -o "$T/t" sh -c "$TWO_PROCESSES"
	has "$T/t" '^[0-9]+ +exit_group\((0|3)\) += \?$' 2
	run 3 "$T/strace" sh -c 'exit 3'
	in_order "$T/err" '^execve\(' '^\+\+\+ exited with 3 \+\+\+$'
	run 0 "$T/strace" -qq -tt -T -s 5 -e open,openat,write -o "$T/t" \
		sh -c 'echo 0123456789'
	has "$T/t" '^[0-9:]+\.[0-9]{6} write\(1, "01234"\.\.\., 11\) += 11 <[0-9.]+>$' 1
	[ "$(cat "$T/out")" = 0123456789 ] || fail "$(cat "$T/out")"
	run 0 "$T/strace" -V
	has "$T/out" '^ktrctl '
	run 2 "$T/strace"
	run 2 "$T/strace" -p
}

# Case D-13: one line stays one line, and says whose name it was.
hostile_names() {
	local pid begins strange
	run 0 ktrctl trace -f --event rename -o "$T/t" -- "$HERE/act_tasks" names
	pid=$(awk 'NR == 1 { print $1 }' "$T/t")
	lacks "$T/t" $'\x1b'
	# The execve that waits for the disk is cut in two by the renaming in it.
	begins='[a-z_0-9]+\(|<\.\.\. [a-z_0-9]+ resumed>|===|\+\+\+'
	strange=$(grep -vE "^$pid +($begins)" "$T/t")
	[ -z "$strange" ] || fail "strange lines" "$strange"
	in_order "$T/t" 'prctl\(PR_SET_NAME, "a\) b\\n\[pid 1\]"\) += 0$' \
		' getppid\(\) += ' 'prctl\(PR_SET_NAME, "\\33\[2J\\"\\\\,:"\) += 0$' \
		' getppid\(\) += ' 'prctl\(PR_SET_NAME, "\\377\\376\("\) += 0$' \
		' getppid\(\) += ' 'prctl\(PR_SET_NAME, "plain"\) += 0$'
	has "$T/t" 'rename.*"a\) b\\n\[pid 1\]"'
	has "$T/t" 'rename' 5
	run 0 ktrctl trace -f --json -o "$T/json" -- "$HERE/act_tasks" names
	events "$T/json" -- \
		'[c.comm for c in calls("getppid")][:2] ==
		 ["a) b\n[pid 1]", "\x1b[2J\"\\,:"]' \
		'calls("getppid")[2].comm' \
		'calls("getppid")[3].comm == "plain"' \
		'len(kind("rename")) == 5'
}

# sleepers N: PIDS are so many that sleep in epoll_wait.
sleepers() {
	local i
	PIDS=()
	for i in $(seq "$1"); do
		"$HERE/act_load" sleeper >"$T/sleeper$i" &
		PIDS+=($!)
		await '^[0-9]' "$T/sleeper$i"
		wait_for 200 sleeps "${PIDS[-1]}" || fail "it does not sleep"
	done
}

# shows_all ARG...: each of PIDS is traced, once.
shows_all() {
	local pid tracer
	: >"$T/t"
	ktrctl trace -o "$T/t" "$@" 2>"$T/err" &
	tracer=$!
	for pid in "${PIDS[@]}"; do
		await "^$pid +epoll_wait\(3, " "$T/t"
		has "$T/err" "Process $pid attached" 1
	done
	kill -INT "$tracer"
	wait "$tracer"
	[ $? = 130 ] || fail "it was not interrupted" "$(cat "$T/err")"
	has "$T/t" 'epoll_wait' 3
}

lists_of_processes() {
	sleepers 3
	shows_all -p "${PIDS[0]},${PIDS[1]},${PIDS[2]}"
	shows_all -p "${PIDS[0]}" -p "${PIDS[1]},${PIDS[2]}"
	shows_all -p "${PIDS[*]}"
	shows_all -p "$(printf '%s\n' "${PIDS[@]}")"
	# One of them twice is one.
	shows_all -p "${PIDS[0]},${PIDS[1]},${PIDS[2]},${PIDS[0]}"
	run 2 ktrctl trace -p "${PIDS[0]},,x"
	run 2 ktrctl trace -p ""
	run 2 ktrctl trace -p "${PIDS[0]},0"
	# Whose each line is, from the first on.
	tracer -p "${PIDS[0]},${PIDS[1]}"
	await "^\[pid +${PIDS[0]}\] epoll_wait\(3, " "$T/err"
	await "^\[pid +${PIDS[1]}\] epoll_wait\(3, " "$T/err"
	lacks "$T/err" '^epoll_wait'
}

threads_are_told() {
	python3 -c 'import threading, time
for i in range(2): threading.Thread(target=time.sleep, args=(1000,)).start()
print("ready", flush=True)' >"$T/ready" &
	local pid=$!
	await ready "$T/ready"
	tracer -f -o "$T/text" -p $pid
	has "$T/err" "^ktrctl: Process $pid attached with 3 threads$" 1
	tracer -o "$T/text" -p $pid
	has "$T/err" "^ktrctl: Process $pid attached$" 1
}

# said_of COMMAND...: what it says of processes until it is interrupted, into $T/said.
said_of() {
	local tracer status
	rm -f "$T/text"
	: >"$T/err"
	env --default-signal=INT "$@" 2>"$T/err" </dev/null &
	tracer=$!
	# Several sleeps: all that it attaches to is attached.
	wait_for 200 slept "$T/err" "$T/text" || fail "no sleep: $*" "$(cat "$T/err")"
	kill -INT $tracer
	wait $tracer
	status=$?
	[ $status = 130 ] || fail "status $status: $*" "$(cat "$T/err")"
	grep -oE '(strace|ktrctl): Process .*' "$T/err" | sed 's/^[a-z]*//' | sort >"$T/said"
}

slept() {
	[ "$(cat "$@" 2>/dev/null | grep -c 'clock_nanosleep')" -gt 4 ]
}

# Who is attached and who is let go, in strace's words.
comings_and_goings() {
	local options pid thread other
	python3 -c 'import threading, time
def sleep():
    while True: time.sleep(0.02)
for i in range(2): threading.Thread(target=sleep).start()
print("ready", flush=True)
sleep()' >"$T/ready" &
	pid=$!
	await ready "$T/ready"
	python3 -c 'import time
while True: time.sleep(0.02)' &
	other=$!
	while read -r options; do
		# shellcheck disable=SC2086
		said_of strace $options
		mv "$T/said" "$T/theirs"
		# shellcheck disable=SC2086
		said_of ktrctl trace $options
		diff "$T/theirs" "$T/said" || fail "differs from strace: $options"
	done <<-EOT
		-p $pid
		-f -p $pid
		-p $pid -p $other
		-f -p $pid,$other -o $T/text
		-p $pid -o $T/text
		-q -f -p $pid
		-qq -p $pid -o $T/text
		--quiet=exit -p $pid -o $T/text
	EOT
	for options in "-c -f -p $pid" "-c -q -p $pid"; do
		: >"$T/err"
		# shellcheck disable=SC2086
		timeout -s INT 3 ktrctl trace $options 2>"$T/err"
		grep -v '^ktrctl: ' "$T/err" >"$T/table"
		has "$T/table" 'total$' 1
		[[ $options == *-q* ]] ||
			has "$T/err" '^ktrctl: Process [0-9]+ detached$' 3
		[[ $options != *-q* ]] || lacks "$T/err" '^ktrctl:'
	done
	said_of ktrctl trace -f -p $pid
	for thread in "/proc/$pid/task/"*; do
		has "$T/said" "^: Process ${thread##*/} detached$" 1
	done
	# In the line of its call, as with strace.
	: >"$T/err"
	sleep 1000 &
	other=$!
	wait_for 200 sleeps $other
	env --default-signal=INT ktrctl trace -p $other 2>"$T/err" &
	await 'nanosleep' "$T/err"
	kill -INT $!
	wait $!
	in_order "$T/err" "nanosleep\\(.*ktrctl: Process $other detached\$" '^ <detached \.\.\.>$'
}

# Children, while the lines go to a file: said of what was running, not of a command.
children_are_told() {
	local pid
	mkfifo "$T/go"
	sh -c 'read x <"$0"; /bin/true; read x <"$0"' "$T/go" &
	pid=$!
	wait_for 200 sleeps $pid
	tracer -f -o "$T/text" -p $pid
	echo >"$T/go"
	await 'exited with 0' "$T/text"
	has "$T/err" '^ktrctl: Process [0-9]+ attached$' 2
	kill $pid
	wait "$TRACER"
	lacks "$T/err" 'detached'
	run 0 ktrctl trace -f -o "$T/text" -- sh -c '/bin/true; :'
	lacks "$T/err" .
	run 0 strace -f -o "$T/text" -- sh -c '/bin/true; :'
	lacks "$T/err" .
}

tool_case "a file per process (-ff)" a_file_per_process
tool_case "a file per process where there is no folder" no_folder
tool_case "appended (-A)" appended
tool_case "into a command (-o |CMD)" into_a_command
tool_case "nobody reads on (M-07)" broken_pipe
tool_case "no room" no_room
tool_case "called as strace" as_strace
tool_case "hostile names (D-13)" hostile_names
tool_case "lists of processes (-p)" lists_of_processes
tool_case "threads of a process (-f -p)" threads_are_told
tool_case "who comes and goes" comings_and_goings
tool_case "children, with a file" children_are_told
tool_done
