#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf, strace and bpftrace beside ktrctl: both count every call, whoever was
# there first, and the slow way is for targets alone again when they have gone.

set -u
. lib/tap.sh
. lib/tool.sh
N=$(scaled 20000 500)
ENTER=raw_syscalls:sys_enter
GETPPID=110

# waiting NAME: a process that does N calls when told, in the file T/NAME.pid.
waiting() {
	mkfifo "$T/$1.go"
	bash -c 'read -r x <"$0"; exec "$@"' "$T/$1.go" \
		"$HERE/act_load" needles "$N" &
	eval "$1=$!"
	wait_for 200 sleeps $! || fail "it does not wait"
}

state_is() {
	ktrctl status | grep -q "^syscall tracing slows down: $1"
}

has_target() {
	ktrctl status --json | grep -q '"targets":1'
}

# Ours, of the process OURS.
we_come() {
	ktrctl record -e trace=getppid -o "$T/t.ktr" -p "$OURS" \
		2>"$T/ktrctl" &
	KTRCTL=$!
	wait_for 200 has_target || fail "no target" "$(cat "$T/ktrctl")"
}

# The whole work: of the process ALIEN, that he traces, and of ours.
both_work() {
	echo >"$T/OURS.go"
	echo >"$T/ALIEN.go"
	wait "$KTRCTL" || fail "ktrctl failed" "$(cat "$T/ktrctl")"
	ktrctl report "$T/t.ktr" >"$T/ours" 2>"$T/err"
	has "$T/ours" '^getppid\(\)' "$N"
	wait "$ALIEN" || fail "the work failed"
}

# perf with -D -1 counts when it is told to, and says when it does.
perf_comes() {
	mkfifo "$T/ctl" "$T/ack"
	exec 8<>"$T/ctl" 9<>"$T/ack"
	perf "$1" -D -1 --control "fifo:$T/ctl,$T/ack" "${@:2}" >"$T/perf" 2>&1 &
	ALIEN_TRACER=$!
	echo enable >&8
	read -t 60 -r -u 9 _ || fail "perf did not start" "$(cat "$T/perf")"
}

perf_stat_comes() {
	perf_comes stat -x , -o "$T/counts" -e $ENTER \
		--filter "id == $GETPPID" -p "$ALIEN"
}

perf_stat_counts() {
	wait "$ALIEN_TRACER"
	COUNT=$(awk -F, '/sys_enter/ { print $1 }' "$T/counts")
}

perf_record_comes() {
	perf_comes record -a -m 4096 -o "$T/perf.data" -e $ENTER \
		--filter "id == $GETPPID && common_pid == $ALIEN"
}

perf_record_counts() {
	kill -INT "$ALIEN_TRACER"
	wait "$ALIEN_TRACER"
	COUNT=$(perf script -i "$T/perf.data" 2>/dev/null | grep -c sys_enter)
}

strace_comes() {
	taskset -c 0 strace -qq -e trace=getppid -o "$T/strace" -p "$ALIEN" &
	ALIEN_TRACER=$!
	wait_for 60 grep -q '^TracerPid:.*[1-9]' "/proc/$ALIEN/status" ||
		fail "strace did not start"
}

strace_counts() {
	wait "$ALIEN_TRACER"
	COUNT=$(grep -c '^getppid' "$T/strace")
}

hangs_there() {
	bpftool perf show | grep -q "pid $ALIEN_TRACER .*sys_enter"
}

bpftrace_comes() {
	bpftrace -e "tracepoint:$ENTER /pid == $ALIEN && args->id == $GETPPID/
		{ @calls = count() }" >"$T/bpftrace" 2>&1 &
	ALIEN_TRACER=$!
	wait_for 200 hangs_there ||
		fail "bpftrace did not start" "$(cat "$T/bpftrace")"
}

bpftrace_counts() {
	kill -INT "$ALIEN_TRACER"
	wait "$ALIEN_TRACER"
	COUNT=$(awk '/^@calls/ { print $2 }' "$T/bpftrace")
}

needs() {
	command -v "$1" >/dev/null || skip "there is no $1"
	case $1 in
	bpftrace)
		command -v bpftool >/dev/null || skip "there is no bpftool"
		[ -e /sys/kernel/btf/vmlinux ] || skip "the kernel has no BTF"
		;;
	esac
}

# count_is: what he saw of the other process.
count_is() {
	[ "${COUNT:-none}" = "$1" ] ||
		fail "he counted ${COUNT:-none}, not $1" \
			"$(cat "$T"/{perf,counts,bpftrace} 2>/dev/null | tail -n 20)"
}

# beside TOOL TRACER: TRACER_comes and so on; FIRST came first.
beside() {
	needs "$1"
	waiting OURS
	waiting ALIEN
	if [ "$FIRST" = ktrctl ]; then
		we_come
		state_is "targets alone" || fail "$(ktrctl status)"
		"$2_comes"
	else
		"$2_comes"
		we_come
	fi
	[ "$2" = strace ] || state_is "all threads (another tracer" ||
		fail "$(ktrctl status)"
	both_work
	"$2_counts"
	count_is "$N"
	back_to_normal
}

# A second session, without him.
back_to_normal() {
	sleep 1000 &
	ktrctl record -e trace=getppid -o "$T/u.ktr" -p $! 2>"$T/second" &
	wait_for 200 has_target || fail "no target" "$(cat "$T/second")"
	wait_for 200 state_is "targets alone" || fail "$(ktrctl status)"
	ktrctl status --json >"$T/json"
	has "$T/json" '"narrow":"on"' 1
}

perf_stat() { beside perf perf_stat; }
perf_record() { beside perf perf_record; }
by_strace() { beside strace strace; }
by_bpftrace() { beside bpftrace bpftrace; }

for FIRST in ktrctl other; do
	tool_case "perf stat -p, $FIRST first" perf_stat
	tool_case "perf record -a, $FIRST first" perf_record
	tool_case "strace, $FIRST first" by_strace
	tool_case "bpftrace, $FIRST first" by_bpftrace
done
tool_done
