#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The bench's part in the virtual machine, with the module loaded. Under the
# instruction clock (vm/run --icount) a nanosecond is an instruction.
#
#	guest.sh [brief]	brief: not what other tracers cost the traced
#
# Prints lines of
#	cost NAME CALL OWN WALL		instructions per call: of the calling
#					thread, and with all that ran meanwhile
#	bytes NAME CALL BYTES		per call, in the tracer's file
#	lost NAME CALL N		records that the tracer says it lost
#	memory NAME KIB			anonymous memory of the tracer
# Everything is measured twice.

set -u -o pipefail
here=$(dirname "$0")
TRACEFS=/sys/kernel/tracing
NARROW=/sys/module/ktracer/parameters/narrow
LOOP=$here/loop
OUT=$(mktemp -d)
FILE=$OUT/file
# Of calls. The reader may be a quarter of a ring behind when a loop ends: the
# long loop makes that one part in forty.
LONG=1000000
SHORT=100000
FEW=5000
ROUNDS=20000
export LC_ALL=C

die() {
	echo "bench: $*" >&2
	tail -n 20 "$OUT"/log* >&2
	exit 1
}

# cost NAME CALL N COMMAND...: COMMAND runs the loop that is appended to it.
cost() {
	local name=$1 call=$2 n=$3
	shift 3
	for _ in 1 2; do
		rm -f "$FILE"
		"$@" "$LOOP" "$call" "$n" >"$OUT/loop" 2>"$OUT/log" ||
			die "'$* loop $call $n' failed"
		awk -v name="$name" -v call="$call" \
			'NF { print "cost", name, call, $1, $2 }' "$OUT/loop"
	done
}

# bytes NAME CALL N: in the last file, without what a file of no calls has.
bytes() {
	local name=$1 call=$2 n=$3 size
	shift 3
	size=$(stat -c %s "$FILE")
	rm -f "$FILE"
	"$@" "$LOOP" "$call" 0 >/dev/null 2>"$OUT/log" ||
		die "'$* loop $call 0' failed"
	echo "bytes $name $call $(((size - $(stat -c %s "$FILE")) / n))"
	rm -f "$FILE"
}

# recorded NAME CALL N COMMAND...: cost, size of the file, losses of ktrctl.
recorded() {
	local lost
	cost "$@"
	lost=$(sed -n 's/.* records, lost \([0-9]*\).*/\1/p' "$OUT/log")
	bytes "$@"
	echo "lost $1 $2 ${lost:-0}"
}

wait_for_target() {
	local i
	for ((i = 0; i < 1000; i++)); do
		! ktrctl status --json | grep -q '"targets":1' || return 0
		sleep 0.02
	done
	die "the tracer of another process did not start"
}

# beside NAME CALL OPTION...: an untraced loop while ktrctl records another
# process.
beside() {
	local name=$1 call=$2 other tracer
	shift 2
	sleep 100000 &
	other=$!
	ktrctl record "$@" -o "$OUT/other" -p $other 2>"$OUT/log.other" &
	tracer=$!
	wait_for_target
	cost "$name" "$call" $SHORT env
	kill $tracer $other
	wait $tracer $other 2>/dev/null
}

memory() {
	local text="grep RssAnon: /proc/\$PPID/status"
	ktrctl record -e trace=getppid -o "$FILE" -- \
		sh -c "$LOOP getppid $SHORT >/dev/null; $text" 2>"$OUT/log" |
		awk '{ print "memory ktrctl-record", $2 }'
	rm -f "$FILE"
}

# Not every kernel has.
has_graphs() {
	ktrctl trace -e trace=none --graph do_sys_poll -o /dev/null -- true 2>"$OUT/log"
}

with_ktracer() {
	cost untraced getppid $SHORT env
	cost untraced poll $SHORT env
	beside other getppid -e trace=getppid
	echo 0 >$NARROW
	beside wide getppid -e trace=getppid
	echo 1 >$NARROW
	beside other poll -e trace=none --func do_sys_poll
	recorded ktrctl-record getppid $LONG \
		ktrctl record -e trace=getppid -o "$FILE" --
	recorded ktrctl-func poll $LONG \
		ktrctl record -e trace=none --func do_sys_poll -o "$FILE" --
	beside other-ret poll -e trace=none --func do_sys_poll --ret
	recorded ktrctl-ret poll $LONG ktrctl record -e trace=none \
		--func do_sys_poll --ret -o "$FILE" --
	recorded ktrctl-ret-only poll $LONG ktrctl record -e trace=none \
		--func do_sys_poll --ret=only -o "$FILE" --
	cost ktrctl-count poll $SHORT \
		ktrctl summary --func do_sys_poll -o /dev/null --
	cost ktrctl-sum poll $SHORT \
		ktrctl summary --func do_sys_poll --ret -o /dev/null --
	cost ktrctl-hist poll $SHORT ktrctl hist do_sys_poll -o /dev/null --
	! has_graphs || recorded ktrctl-graph poll $SHORT ktrctl record --buffer 64M \
		-e trace=none --graph do_sys_poll -o "$FILE" --
	recorded ktrctl-record poll $SHORT \
		ktrctl record -e trace=poll -o "$FILE" --
	cost ktrctl-trace getppid $SHORT \
		ktrctl trace -e trace=getppid -o /dev/null --
	cost ktrctl-summary getppid $SHORT \
		ktrctl summary -e trace=getppid -o /dev/null --
	memory
}

# What stacks cost: a getppid() below eight frames.
stacks() {
	cost untraced deep $SHORT env
	recorded no-stack deep $SHORT ktrctl record -e trace=getppid -o "$FILE" --
	recorded kernel-stack deep $SHORT \
		ktrctl record -e trace=getppid --kstack -o "$FILE" --
	recorded user-stack deep $SHORT \
		ktrctl record -e trace=getppid -k -o "$FILE" --
	# There is one CPU: who writes the file comes late.
	recorded dwarf-stack deep $SHORT ktrctl record --buffer 64M \
		-e trace=getppid --stack-traces=dwarf -o "$FILE" --
}

# facility WORK OPTION...: a round of the work, untraced and with these records.
facility() {
	local work=$1
	shift
	cost untraced "$work" $ROUNDS env
	recorded facility "$work" $ROUNDS \
		ktrctl record "$@" -o "$FILE" --
}

# What the facilities of ktrace() cost, see Documentation/ktrace-mapping.rst.
facilities() {
	facility access -e trace=none --event namei
	ROUNDS=800 facility write -e trace=write --write=all -s 4096
	facility kill -e trace=none --signal=all
	facility switch -e trace=none --event sched
	facility fork -f -e trace=none
	facility fault -e trace=none --event fault
	facility sysctl -e trace=none --event sysctl
	facility chroot -e trace=none --event cap_fail
	facility seccomp -e trace=none --event denied
}

# In tracefs, without anybody who reads; the loop's process alone.
with_ftrace() {
	cost ftrace getppid $SHORT sh -c 'cd "$0" || exit
		echo $$ >set_event_pid
		echo 1 >events/raw_syscalls/enable
		exec "$@"' $TRACEFS
	echo 0 >$TRACEFS/events/raw_syscalls/enable
	echo >$TRACEFS/set_event_pid
	function_tracer ftrace-func function
	function_tracer ftrace-graph function_graph
	graph_below
	echo 'r:ktr_bench do_sys_poll $retval' >$TRACEFS/kprobe_events
	cost kretprobe poll $SHORT sh -c 'cd "$0" || exit
		echo $$ >set_event_pid
		echo 1 >events/kprobes/ktr_bench/enable
		exec "$@"' $TRACEFS
	echo 0 >$TRACEFS/events/kprobes/ktr_bench/enable
	echo >$TRACEFS/kprobe_events
	echo >$TRACEFS/set_event_pid
}

# function_tracer NAME TRACER: of do_sys_poll alone.
function_tracer() {
	TRACER=$2 cost "$1" poll $SHORT sh -c 'cd "$0" || exit
		echo $$ >set_ftrace_pid
		echo do_sys_poll >set_ftrace_filter
		echo "$TRACER" >current_tracer
		exec "$@"' $TRACEFS
	echo nop >$TRACEFS/current_tracer
	echo >$TRACEFS/set_ftrace_filter
	echo >$TRACEFS/set_ftrace_pid
}

# do_sys_poll and all that it calls.
graph_below() {
	cost ftrace-graph-below poll $SHORT sh -c 'cd "$0" || exit
		echo $$ >set_ftrace_pid
		echo do_sys_poll >set_graph_function
		echo function_graph >current_tracer
		exec "$@"' $TRACEFS
	echo nop >$TRACEFS/current_tracer
	echo >$TRACEFS/set_graph_function
	echo >$TRACEFS/set_ftrace_pid
}

# in_bpftrace NAME PROGRAM: which runs the loop as its process "cpid".
in_bpftrace() {
	PROGRAM=$2 cost "$1" poll $SHORT \
		sh -c 'exec bpftrace -o /dev/null -e "$PROGRAM" -c "$*"' sh
}

# Calls counted, and their times in a histogram, by probes of both kinds.
with_bpftrace() {
	in_bpftrace bpftrace-count '
		kprobe:do_sys_poll /pid == cpid/ { @ = count(); }'
	in_bpftrace bpftrace-hist '
		kprobe:do_sys_poll /pid == cpid/ { @begun[tid] = nsecs; }
		kretprobe:do_sys_poll /@begun[tid]/ {
			@ = hist(nsecs - @begun[tid]);
			delete(@begun[tid]);
		}'
	in_bpftrace bpftrace-fexit '
		kfunc:do_sys_poll /pid == cpid/ { @begun[tid] = nsecs; }
		kretfunc:do_sys_poll /@begun[tid]/ {
			@ = hist(nsecs - @begun[tid]);
			delete(@begun[tid]);
		}'
}

# cost and size of the file of a tracer that is not ours
stored() {
	cost "$@"
	bytes "$@"
}

with_others() {
	stored trace-cmd getppid $SHORT \
		trace-cmd record --compression none -e raw_syscalls -F -o "$FILE"
	stored trace-cmd poll $SHORT trace-cmd record --compression none \
		-p function -l do_sys_poll -F -o "$FILE"
	stored perf-record getppid $SHORT \
		perf record -q -e 'raw_syscalls:sys_*' -o "$FILE"
	cost perf-trace getppid $((SHORT / 4)) perf trace -o /dev/null
	cost strace getppid $FEW strace -o /dev/null
	cost strace poll $FEW strace -o /dev/null
}

# until COMMAND...: it succeeds, or the bench ends.
until_it() {
	local i
	for ((i = 0; i < 3000; i++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.02
	done
	die "in vain: $*"
}

# What a tracer hangs on a tracepoint is there, and he waits.
counts_events() {
	bpftool perf show pid "$1" | grep -q sys_enter ||
		find "/proc/$1/fd" -lname '*perf_event*' | grep -q .
}

is_ready() {
	counts_events "$1" && grep -q '^State:.S' "/proc/$1/status"
}

# past NAME COMMAND...: an untraced loop while the COMMAND traces the process
# OTHER.
past() {
	local name=$1 tracer
	shift
	"$@" >"$OUT/log.other" 2>&1 &
	tracer=$!
	until_it is_ready $tracer
	cost "$name" getppid $SHORT env
	kill -INT $tracer
	wait $tracer
}

# The same as "beside", for tracers that are not ours.
with_others_beside() {
	sleep 100000 &
	OTHER=$!
	echo $OTHER >$TRACEFS/set_event_pid
	echo 1 >$TRACEFS/events/raw_syscalls/enable
	cost other-ftrace getppid $SHORT env
	echo 0 >$TRACEFS/events/raw_syscalls/enable
	echo >$TRACEFS/set_event_pid
	past other-perf perf record -q -e 'raw_syscalls:sys_*' -o "$OUT/other" \
		-p $OTHER
	past other-bpftrace bpftrace -e "
		tracepoint:raw_syscalls:sys_enter /pid == $OTHER/ { @in++ }
		tracepoint:raw_syscalls:sys_exit /pid == $OTHER/ { @out++ }"
	kill $OTHER
	wait $OTHER 2>/dev/null
}

[ -d $TRACEFS ] || die "there is no $TRACEFS"
[ "${1:-}" != brief ] || LONG=$((2 * SHORT))
with_ktracer
[ "${1:-}" = brief ] || stacks
[ "${1:-}" = brief ] || facilities
rmmod ktracer || die "the module cannot be taken out"
cost unloaded getppid $SHORT env
with_others_beside
[ "${1:-}" != brief ] || exit 0
with_ftrace
with_bpftrace
with_others
