#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Running processes: attaching and detaching disturbs nobody.

set -u
. lib/tap.sh
. lib/tool.sh

# sleeper: PID is one that sleeps in epoll_wait and tells of interruptions.
sleeper() {
	"$HERE/act_load" sleeper >"$T/sleeper" &
	PID=$!
	await '^[0-9]' "$T/sleeper"
	wait_for 200 sleeps "$PID" || fail "it does not sleep"
}

stop_tracer() {
	kill -INT "$TRACER"
	STATUS=0
	wait "$TRACER" || STATUS=$?
}

asleep_in_a_call() {
	sleeper
	tracer -o "$T/text" -p "$PID"
	await 'epoll_wait\(3, ' "$T/text"
	stop_tracer
	[ "$STATUS" = 130 ] || fail "status $STATUS after Ctrl-C"
	has "$T/text" '^epoll_wait\(3,  <detached \.\.\.>$' 1
}

# What it was called with, read when it is attached.
arguments_of_a_call_under_way() {
	python3 -c '
import os, select, sys
poll = select.poll()
poll.register(os.pipe()[0], select.POLLIN)
print(os.getpid(), flush=True)
poll.poll(1000000)' >"$T/sleeper" &
	await '^[0-9]' "$T/sleeper"
	wait_for 200 sleeps $! || fail "it does not sleep"
	tracer -o "$T/text" -p $!
	await '^poll\(\[\{fd=[0-9]+, events=POLLIN\}\], 1, 1000000' "$T/text"
	stop_tracer
	has "$T/text" '^poll\(\[\{fd=[0-9]+, events=POLLIN\}\], 1, 1000000 <detached \.\.\.>$' 1
}

# strace's line, and it stays stopped.
stopped() {
	local sig
	# A terminal's stop does not stop a group that nobody controls.
	set -m
	sleeper
	set +m
	for sig in STOP TSTP; do
		kill -$sig "$PID"
		wait_for 200 is_stopped || fail "it does not stop"
		tracer -o "$T/text" -p "$PID"
		await '^--- stopped by' "$T/text"
		[ "$(state_of "$PID")" = T ] || fail "state $(state_of "$PID")"
		stop_tracer
		has "$T/text" "^--- stopped by SIG$sig ---\$" 1
		kill -CONT "$PID"
		wait_for 200 sleeps "$PID" || fail "it does not go on"
	done
	tracer -o "$T/text" -p "$PID"
	await 'epoll_wait\(3, ' "$T/text"
	stop_tracer
	lacks "$T/text" 'stopped by'
}

is_stopped() {
	[ "$(state_of "$PID")" = T ]
}

# As with strace: it ends with the last of them, and its status is the command's.
beside_a_command() {
	sleeper
	run 7 ktrctl trace -f -o "$T/text" -p "$PID" -- sh -c "kill $PID; exit 7"
	has "$T/err" "Process $PID attached"
	has "$T/text" "^$PID +\\+\\+\\+ killed by SIGTERM" 1
	has "$T/text" '^[0-9]+ +execve\(.*\["sh", "-c", ' 1
	has "$T/text" "^[0-9]+ +kill\($PID, SIGTERM\) += 0\$" 1
	has "$T/text" '^[0-9]+ +\+\+\+ exited with 7 \+\+\+$' 1
	run 7 ktrctl trace -o "$T/text" -p 4194303 -- sh -c 'exit 7'
	has "$T/err" 'process 4194303: no such process' 1
	has "$T/text" '\+\+\+ exited with 7 \+\+\+$' 1
}

# -b execve spares the first program of a command alone.
let_go_at_its_execve() {
	mkfifo "$T/go"
	bash -c "echo \$\$ >$T/pid; read x <$T/go; exec true" &
	await '^[0-9]' "$T/pid"
	tracer -b execve -e trace=execve,exit_group -o "$T/text" -p "$(cat "$T/pid")"
	echo >"$T/go"
	wait "$TRACER" || fail "ktrctl's status" "$(cat "$T/err")"
	has "$T/text" '^execve\(.*\["true"\]' 1
	lacks "$T/text" exit
	has "$T/err" "Process $(cat "$T/pid") detached" 1
}

# Case E-03.
attach_and_detach() {
	local i n before
	n=$(scaled 100 20)
	sleeper
	before=$(grep voluntary "/proc/$PID/status")
	for i in $(seq "$n"); do
		tracer -o "$T/text" -p "$PID"
		[ "$(state_of "$PID")" = S ] || fail "state $(state_of "$PID")"
		stop_tracer
		[ "$STATUS" = 130 ] || fail "round $i: status $STATUS"
	done
	for i in $(seq "$n"); do
		ktrctl add-syscall '%file' --pid "$PID" 2>/dev/null
		ktrctl add-syscall "$([ $((i % 2)) = 0 ] && echo read || echo write)"
		ktrctl del-syscall read 2>/dev/null
		sleeps "$PID" || fail "state $(state_of "$PID")"
	done
	ktrctl clear || fail "no session came of it"
	[ "$(cat "$T/sleeper")" = "$PID" ] || fail "it says" "$(cat "$T/sleeper")"
	[ "$(grep voluntary "/proc/$PID/status")" = "$before" ] ||
		fail "it ran: $before" "$(grep voluntary "/proc/$PID/status")"
}

# Case D-18.
under_strace() {
	local strace pid
	mkfifo "$T/go"
	: >"$T/pid"
	strace -f -o "$T/strace" bash -c \
		"echo \$\$ >$T/pid; read x <$T/go; ls /etc >/dev/null; exit 7" &
	strace=$!
	await '^[0-9]' "$T/pid"
	pid=$(cat "$T/pid")
	tracer -f -o "$T/ktrctl" -p "$pid,$strace"
	wait_for 200 grep -q openat "$T/strace"
	echo >"$T/go"
	wait "$strace"
	[ $? = 7 ] || fail "strace's status"
	wait "$TRACER" || fail "ktrctl's status" "$(cat "$T/err")"
	has "$T/ktrctl" "^$strace +(<\.\.\. )?(ptrace|wait4)"
	has "$T/ktrctl" "^$pid +exit_group\(7"
	has "$T/ktrctl" '^[0-9]+ +execve\("/[a-z/]*bin/ls", \["ls", "/etc"\]'
	has "$T/strace" '^[0-9]+ +execve\("/[a-z/]*bin/ls", \["ls", "/etc"\]'
	has "$T/strace" '\+\+\+ exited with 7 \+\+\+'
}

# Case D-18: the other way round, ktrctl in a traced shell.
ktrctl_under_strace() {
	run 3 strace -f -o "$T/strace" ktrctl trace -o "$T/ktrctl" \
		-- sh -c 'exit 3'
	in_order "$T/ktrctl" '^execve\(.*\["sh", "-c", "exit 3"\]' \
		'^exit_group\(3\) += \?' '^\+\+\+ exited with 3 \+\+\+'
	has "$T/strace" '\+\+\+ exited with 3 \+\+\+' 2
}

# Case D-18.
under_gdb() {
	local gdb
	mkfifo "$T/gdb"
	gdb -q -nx --args "$HERE/act_load" needles 3 <"$T/gdb" >"$T/gdb.out" 2>&1 &
	gdb=$!
	exec 7>"$T/gdb"
	printf 'set confirm off\nbreak main\nrun\ninfo inferiors\n' >&7
	await 'process [0-9]+' "$T/gdb.out"
	tracer -f -o "$T/text" \
		-p "$(sed -n 's/.*process \([0-9]*\).*/\1/p' "$T/gdb.out" | head -n 1)"
	printf 'continue\nquit\n' >&7
	wait "$gdb" || fail "gdb failed" "$(cat "$T/gdb.out")"
	wait "$TRACER" || fail "ktrctl's status" "$(cat "$T/err")"
	exec 7>&-
	has "$T/gdb.out" 'exited normally'
	has "$T/text" ' getppid\(\) += ' 3
	has "$T/text" ' exit_group\(0\) += \?' 1
}

# Case H-10.
own_calls_are_left_out() {
	local shell before
	mkfifo "$T/go"
	: >"$T/tracer"
	bash -c "echo \$\$ >$T/pid
		ktrctl trace -f -o $T/text -p \$\$ 2>$T/err & k=\$!
		echo \$k >$T/tracer
		while read x; do :; done <$T/go; kill -INT \$k; wait" &
	shell=$!
	await '^[0-9]' "$T/tracer"
	await 'attached' "$T/err"
	exec 7>"$T/go"
	await 'openat\(' "$T/text"
	wait_for 200 same_size "$T/text" || fail "the trace grows by itself"
	lacks "$T/text" "^$(cat "$T/tracer") "
	echo >&7
	exec 7>&-
	wait "$shell"
}

# Case H-10: those who want them get them. It is a child of the shell.
own_calls_on_request() {
	bash -c "ktrctl trace -f --descend -o $T/without -p \$\$ --for 1s 2>$T/err
		ktrctl trace -f --descend --self -o $T/with -p \$\$ --limit 50 2>>$T/err &
		echo \$! >$T/tracer; wait" || fail "it failed" "$(cat "$T/err")"
	lacks "$T/without" ' (poll|epoll_wait|write)\('
	has "$T/with" "^$(cat "$T/tracer") +write\("
}

# Nothing was added during a second.
same_size() {
	local before
	before=$(stat -c %s "$1")
	sleep 1
	[ "$(stat -c %s "$1")" = "$before" ]
}

cpu_of() {
	awk '{ sub(/.*\) /, ""); print $12, $13 }' "/proc/$1/stat"
	grep ctxt_switches "/proc/$1/status"
}

idle_costs_nothing() {
	local before
	sleeper
	tracer -f -o "$T/text" -p "$PID"
	await 'epoll_wait' "$T/text"
	wait_for 200 settled || fail "ktrctl does not come to rest"
	before=$(cpu_of "$TRACER")
	sleep 3
	[ "$(cpu_of "$TRACER")" = "$before" ] ||
		fail "it ran while nothing happened: $before" "$(cpu_of "$TRACER")"
	stop_tracer
}

settled() {
	local before
	before=$(cpu_of "$TRACER")
	sleep 0.5
	[ "$(cpu_of "$TRACER")" = "$before" ]
}

# What a turn from one CPU to the other takes, in microseconds. Every step of an
# attach that changes the kernel's text has to reach all CPUs.
turn_us() {
	local start end
	start=$(date +%s%N)
	"$HERE/act_load" pingpong 200
	end=$(date +%s%N)
	echo $(((end - start) / 400000))
}

attach_latency() {
	local turn
	"$HERE/act_load" busy >"$T/busy" &
	PID=$!
	await '^[0-9]' "$T/busy"
	turn=$(turn_us)
	python3 lib/latency.py "$PID" 200 && return
	[ "$turn" -lt 500 ] ||
		skip "this machine is too busy: a turn between CPUs takes $turn us"
	fail "too slow"
}

tool_case "a process asleep in a call" asleep_in_a_call
tool_case "arguments of a call under way" arguments_of_a_call_under_way
tool_case "a process that is stopped" stopped
tool_case "a process beside a command" beside_a_command
tool_case "a process that -b lets go" let_go_at_its_execve
tool_case "attach and detach (E-03)" attach_and_detach
tool_case "a program under strace, and strace (D-18)" under_strace
tool_case "ktrctl under strace (D-18)" ktrctl_under_strace
tool_case "a program under gdb (D-18)" under_gdb
tool_case "ktrctl's own calls (H-10)" own_calls_are_left_out
tool_case "ktrctl's own calls on request (H-10)" own_calls_on_request
tool_case "an idle session costs nothing" idle_costs_nothing
tool_case "attach to first record" attach_latency
tool_done
