#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Graphs of kernel functions, as users see them.

set -u
. lib/tap.sh
. lib/tool.sh

TRACING=/sys/kernel/tracing

# Few functions are soon hooked: below do_sys_poll those that begin with a "p".
FEW='[a-oq-zA-Z_]*'

polls='import os, select, sys
r, w = os.pipe()
p = select.poll(); p.register(r, 1)
for i in range(int(sys.argv[1])): p.poll(1)'

# graph STATUS OPTION...: of three polls, by ktrctl and these options, in $T/text.
graph() {
	local status=$1
	shift
	run "$status" ktrctl "$@" --graph do_sys_poll --graph-exclude "$FEW" -o "$T/text" -- \
		python3 -c "$polls" 3
}

needs_graphs() {
	[ "$GRAPHS" = yes ] || skip "this kernel has no graphs"
}

CPU='^([0-9]+ +)? ?[0-9]+\) '
TOOK='[ +!#*@$] [0-9.]+ us +\|  '

# below NAME: a call one below the first, into which an interrupt may have put something.
below() {
	echo "$CPU.{14}\\|    $1\\(\\)(;| \\{)\$"
}

# Below the line of the call that led there, each of three times.
nested_text() {
	needs_graphs
	graph 0 trace -e trace=poll
	has "$T/text" '^poll\(\[\{fd=[0-9]+, events=POLLIN\}\], 1, 1\) += 0 \(Timeout\)$' 3
	in_order "$T/text" '^poll\(.* = 0' \
		"$CPU {14}\|  do_sys_poll\(\) \{\$" "$(below pipe_poll)" \
		"$(below pipe_poll)" "$(below poll_freewait)" \
		"$CPU$TOOK\}\$" '^poll\(.* = 0' "$CPU {14}\|  do_sys_poll\(\) \{\$" \
		"$CPU$TOOK\}\$" '^poll\(.* = 0' "$CPU {14}\|  do_sys_poll\(\) \{\$" "$CPU$TOOK\}\$"
	has "$T/text" '  do_sys_poll\(\) \{$' 3
	has "$T/text" '\|  \}$' 3
	[ "$(grep -cE '\{( /\*.*)?$' "$T/text")" = "$(grep -c '|  *}$' "$T/text")" ] ||
		fail "braces" "$(cat "$T/text")"
}

# The functions that a kretprobe runs in must not be in a graph of this kernel, or they
# would return to where it was called from.
beside_kretprobes() {
	needs_graphs
	echo 'r:ktr_beside pipe_poll' >>$TRACING/kprobe_events
	echo 1 >$TRACING/events/kprobes/ktr_beside/enable
	run 0 ktrctl trace -e trace=none --graph do_sys_poll \
		--graph-exclude '[b-jl-oq-zA-Z_]*' -o "$T/text" -- python3 -c "$polls" 3
	has "$T/text" '  do_sys_poll\(\) \{$' 3
	in_order "$T/text" "$(below pipe_poll)" "$(below pipe_poll)" "$(below poll_freewait)" \
		"$CPU$TOOK\}\$"
	run 0 ktrctl trace -e trace=none --ret --func pipe_poll \
		--func kprobe_ftrace_handler,aggr_pre_handler,pre_handler_kretprobe \
		-o "$T/text" -- python3 -c "$polls" 3
	has "$T/text" '^pipe_poll\(\) = ' 6
	echo 0 >$TRACING/events/kprobes/ktr_beside/enable
	echo '-:ktr_beside' >>$TRACING/kprobe_events
}

# Without the call's line it stands alone; alone, it is one line.
alone() {
	needs_graphs
	graph 0 trace -e trace=none
	in_order "$T/text" "$CPU {14}\|  do_sys_poll\(\) \{\$" "$(below pipe_poll)" \
		"$CPU$TOOK\}\$"
	graph 0 trace -e trace=none --depth 1
	has "$T/text" "$CPU$TOOK"'do_sys_poll\(\);$' 3
	has "$T/text" 'us +\|' 3
}

left_out() {
	needs_graphs
	graph 0 trace -e trace=poll --graph-exclude pipe_poll,po*wait
	has "$T/text" 'do_sys_poll\(\)' 3
	lacks "$T/text" 'pipe_poll|poll_freewait'
	run 2 ktrctl trace --graph do_sys_poll --graph-exclude '!pipe_poll' -- true
	says '!pipe_poll'
	run 2 ktrctl trace --graph do_sys_poll --graph-exclude 'pipe_poll,no_such_function' -- true
	says 'no function no_such_function here'
	run 2 ktrctl trace --graph do_sys_poll --depth 0 -- true
	says 'use 1 to 256'
	run 2 ktrctl trace -c --graph do_sys_poll -- true
	says 'not counted'
	run 2 ktrctl trace --graph no_such_fn -- true
	says 'no function no_such_fn'
}

# Times of callees are within those of callers.
json() {
	needs_graphs
	graph 0 trace --json -e trace=poll
	events "$T/text" 'first=3' -- \
		'len([e for e in kind("graph") if e.depth == 0]) == 3' \
		'all(e.ip["sym"] == "do_sys_poll" for e in kind("graph") if e.depth == 0)' \
		'all(e.nr == 7 and e.dur == e.time - e.start for e in kind("graph"))' \
		'len([e for e in kind("graph") if e.ip["sym"] == "pipe_poll"]) >= 3' \
		'all(e.dur >= sum(c.dur for c in kind("graph") if c.depth == e.depth + 1 and e.number < c.number <= e.number + e.calls) for e in kind("graph"))' \
		'all(e.calls == sum(1 for c in kind("graph") if e.number < c.number <= e.number + e.calls) for e in kind("graph"))'
}

from_a_file() {
	needs_graphs
	run 0 ktrctl record -e trace=poll --graph do_sys_poll --graph-exclude "$FEW" \
		-o "$T/cap" -- python3 -c "$polls" 3
	run 0 ktrctl report -o "$T/text" "$T/cap"
	in_order "$T/text" '^poll\(.* = 0' "$CPU {14}\|  do_sys_poll\(\) \{\$" \
		"$(below pipe_poll)" "$CPU$TOOK\}\$"
	run 0 ktrctl report --json -o "$T/json" "$T/cap"
	has "$T/json" '"event":"graph".*"sym":"do_sys_poll"' 3
}

# sleeper: PID sleeps inside do_sys_poll until a line comes over descriptor 7.
sleeper() {
	mkfifo "$T/go"
	python3 -c 'import select, sys
p = select.poll(); p.register(0, 1)
while True:
    print("polls", flush=True)
    p.poll(-1)
    if not sys.stdin.buffer.raw.read(1): break' <"$T/go" >"$T/sleeper" &
	PID=$!
	exec 7>"$T/go"
	await polls "$T/sleeper"
	wait_for 200 sleeps "$PID"
}

polls_again() {
	local n
	n=$(grep -c polls "$T/sleeper")
	printf x >&7
	wait_for 200 polled "$n" || fail "it does not go on"
	wait_for 200 sleeps "$PID"
}

polled() {
	[ "$(grep -c polls "$T/sleeper")" -gt "$1" ]
}

named_session() {
	needs_graphs
	sleeper
	run 0 ktrctl add-func do_sys_poll --graph --depth 2 --graph-exclude "$FEW" --pid "$PID"
	says 'do_sys_poll: 1 function added to session default'
	# It was inside when it was attached: that call leaves nothing.
	polls_again
	polls_again
	run 0 ktrctl read -o "$T/text"
	in_order "$T/text" "$CPU {14}\|  do_sys_poll\(\) \{\$" "$(below pipe_poll)" \
		"$CPU$TOOK\}\$"
	has "$T/text" 'do_sys_poll\(\) \{$' 1
	run 0 ktrctl del-func do_sys_poll
	run 0 ktrctl status --json
	has "$T/out" '"graphs":0,"graph_functions":0,"graph_missed":0'
	polls_again
	exec 7>&-
}

# What has returned is told when the trace ends; the task returns through nothing.
asleep_inside() {
	needs_graphs
	sleeper
	ktrctl trace -e trace=poll --graph do_sys_poll --graph-exclude "$FEW" -o "$T/text" \
		-p "$PID" 2>"$T/err" &
	local tracer=$!
	await 'attached' "$T/err"
	polls_again
	await 'do_sys_poll|poll\(' "$T/text"
	kill -INT "$tracer"
	wait "$tracer"
	has "$T/text" "$(below pipe_poll)"
	lacks "$T/text" 'do_sys_poll'
	polls_again
	exec 7>&-
}

some_hooked() {
	ktrctl status --json 2>/dev/null | grep -q '"graph_functions":[1-9][0-9]'
}

# All functions, as long as it takes; it can be interrupted.
interrupted_start() {
	needs_graphs
	ktrctl add-func do_sys_poll --graph 2>"$T/err" &
	local pid=$!
	wait_for 300 some_hooked || fail "it never began"
	kill -INT "$pid"
	wait "$pid"
	[ $? = 130 ] || fail "it was not interrupted" "$(cat "$T/err")"
	ktrctl status --json >"$T/out"
	lacks "$T/out" '"graph_functions":[1-9]'
}

OPENS=300
opens='import os, sys
for i in range(int(sys.argv[1])): os.close(os.open("/etc/passwd", os.O_RDONLY))'

# often FILE: names in a graph that occur at least as often as there were opens.
often() {
	sed -n 's/.*|  *\([a-z_][a-z_0-9.]*\)() *[;{].*/\1/p' "$1" | sort | uniq -c |
		awk -v n="$OPENS" '$1 >= n { print $2 }'
}

# ftrace's own tracer of graphs, and what it says is below do_sys_openat2.
by_ftrace() {
	echo 8192 >"$TRACING/buffer_size_kb"
	echo 'd*' >"$TRACING/set_ftrace_filter"
	echo do_sys_openat2 >"$TRACING/set_graph_function"
	echo function_graph >"$TRACING/current_tracer" || skip "ftrace has no graphs"
	sh -c "echo \$\$ >$TRACING/set_ftrace_pid; exec python3 -c '$opens' $OPENS"
	cp "$TRACING/trace" "$T/theirs"
	echo nop >"$TRACING/current_tracer"
	echo >"$TRACING/set_ftrace_filter"
	echo >"$TRACING/set_graph_function"
	echo >"$TRACING/set_ftrace_pid"
}

# A line of ftrace's graph tracer.
LINE='^(#.*| -{42}|| [0-9]+\) .{14}\|  .*(\(\);|\(\) \{|\})( /\* .* \*/)?| [0-9]+\) +[^ ]+ +=> +[^ ]+ *)$'

as_ftrace() {
	needs_graphs
	by_ftrace
	run 0 ktrctl trace -e trace=none --graph do_sys_openat2 \
		--graph-exclude '[a-ce-zA-Z_]*' --format ftrace -o "$T/text" -- \
		python3 -c "$opens" $OPENS
	head -n 1 "$T/theirs" >"$T/want"
	head -n 1 "$T/text" >"$T/have"
	diff "$T/want" "$T/have" || fail "another beginning"
	# Nothing else, in either of them; ftrace tells of interrupts in lines of their own.
	grep -v '==========' "$T/theirs" | grep -vE "$LINE" >"$T/odd"
	grep -vE "$LINE" "$T/text" >>"$T/odd"
	[ ! -s "$T/odd" ] || fail "no such lines" "$(head -n 20 "$T/odd")"
	often "$T/theirs" >"$T/want"
	often "$T/text" >"$T/have"
	has "$T/want" '^do_(filp|file)_open$' 1
	diff "$T/want" "$T/have" || fail "not as ftrace"
}

# All there is, once: down to the scheduler and back.
everything() {
	needs_graphs
	run 0 ktrctl trace -e trace=poll --graph do_sys_poll -o "$T/text" -- \
		python3 -c "$polls" 3
	in_order "$T/text" '^poll\(.* = 0' "$CPU {14}\|  do_sys_poll\(\) \{\$" \
		"$CPU {14}\|    +schedule_hrtimeout_range\(\) \{\$" \
		"$CPU {14}\|    +schedule\(\) \{\$" "$CPU$TOOK\}\$"
	has "$T/text" '  do_sys_poll\(\) \{$' 3
	has "$T/text" '\|  \}$' 3
	lacks "$T/err" 'missed|lost [1-9]'
}

sends='import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
c = socket.socket(); c.connect(s.getsockname()); a, _ = s.accept()
for i in range(9): c.send(b"x" * 99); a.recv(99)'

# From the sender down to the receiver's waking are more calls than there is room for, where
# ftrace's own graph tracer needs some of it. Those that found none are told.
no_room() {
	needs_graphs
	ip link set lo up
	echo function_graph >"$TRACING/current_tracer" || skip "ftrace has no graphs"
	run 0 ktrctl trace --json -e trace=none --graph __x64_sys_sendto -o "$T/text" -- \
		python3 -c "$sends"
	echo nop >"$TRACING/current_tracer"
	grep -q 'calls in graphs were missed' "$T/err" ||
		events "$T/text" -- 'max(e.depth for e in kind("graph")) >= 45'
	events "$T/text" -- 'sum(1 for e in kind("graph") if e.depth == 0) >= 9'
}

refused() {
	[ "$GRAPHS" = no ] || skip "this kernel has graphs"
	run 4 ktrctl trace --graph do_sys_poll -- true
	says 'do_sys_poll: .*graphs need a kernel'
	run 4 ktrctl add-func --graph do_sys_poll
	says 'do_sys_poll: .*graphs need a kernel'
	[ -z "$(ktrctl list)" ] || fail "a session came of it: $(ktrctl list)"
}

GRAPHS=yes
ktrctl add-func --graph do_sys_poll --graph-exclude '*' >/dev/null 2>&1
[ $? != 4 ] || GRAPHS=no
ktrctl clear --all >/dev/null 2>&1

tool_case "nested below the call" nested_text
tool_case "alone, and no deeper than asked" alone
tool_case "functions that are left out" left_out
tool_case "beside a kretprobe" beside_kretprobes
tool_case "JSON, and times within times" json
tool_case "from a file" from_a_file
tool_case "a named session" named_session
tool_case "tasks that sleep inside at the end" asleep_inside
tool_case "Ctrl-C while it starts" interrupted_start
tool_case "the functions that ftrace sees" as_ftrace
tool_case "all that is below" everything
# All functions hooked twice: slow.
[ "$SCALE" != 1 ] || tool_case "more calls than there is room for" no_room
tool_case "refused where the kernel cannot" refused
tool_done
