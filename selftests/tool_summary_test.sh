#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Summaries: strace's table, counts that are exact, by process, from files.

set -u
. lib/tap.sh
. lib/tool.sh

sums() {
	python3 lib/sums.py "$@" || exit 1
}

# Programs whose calls do not hang on chance.
PROGRAMS=(
	'true'
	'ls -lR /etc'
	'cat /etc/passwd /no/such/file'
	'sh -c "echo a; true; exit 3"'
	'gzip -c /etc/services'
	'find /etc -name *.conf'
	'awk "BEGIN { for (i = 0; i < 9; i++) print i }"'
)

# Case: the issue's "strace -c and ktrctl summary agree".
as_strace_counts() {
	local program bad=0
	for program in "${PROGRAMS[@]}" "$HERE/act_calls denied" \
		"$HERE/act_calls i386" "$HERE/act_calls restart" \
		"$HERE/act_sums family" "$HERE/act_sums alarm"; do
		set -f
		# shellcheck disable=SC2086
		eval "set -- $program"
		set +f
		strace -f -c -o "$T/strace" "$@" >/dev/null 2>&1 </dev/null
		ktrctl trace -f -c -o "$T/ours" -- "$@" >/dev/null 2>&1 </dev/null
		python3 lib/sums.py strace "$T/strace" "$T/ours" >"$T/diff" ||
			{ echo "$program:"; cat "$T/diff"; bad=1; }
	done
	[ "$bad" = 0 ] || exit 1
}

# Widths and titles of every column.
as_strace_prints() {
	local columns
	for columns in time-percent,total-time,avg-time,calls,errors,name \
		name,calls,errors,max-time min-time,longest calls; do
		strace -c -w -U "$columns" -o "$T/strace" true
		run 0 ktrctl trace -c -w -U "$columns" -o "$T/ours" -- true
		sed -E 's/[0-9]/N/g; s/ +N/ N/g' "$T/strace" | sed -n '1,2p;$p' \
			>"$T/one"
		sed -E 's/[0-9]/N/g; s/ +N/ N/g' "$T/ours" | sed -n '1,2p;$p' \
			>"$T/two"
		sed -Ei 's/N+/N/g' "$T/one" "$T/two"
		diff "$T/one" "$T/two" || fail "$columns"
	done
	strace -c -S name -U name,calls -o "$T/strace" ls / >"$T/ls"
	run 0 ktrctl trace -c -S name -U name,calls -o "$T/ours" -- ls /
	diff "$T/strace" "$T/ours" || fail "sorted by name"
	strace -c -S calls -U calls,name -o "$T/strace" ls / >"$T/ls"
	run 0 ktrctl trace -c -S calls -U calls,name -o "$T/ours" -- ls /
	diff "$T/strace" "$T/ours" || fail "sorted by calls"
	run 0 ktrctl summary -S name -U name,calls -o "$T/ours" -- ls /
	has "$T/ours" '^syscall +calls$' 1
	run 0 ktrctl trace -c -e trace=none -o "$T/ours" -- true
	[ ! -s "$T/ours" ] || fail "a table of nothing"
}

# Counted in the kernel and written as records in one run.
as_the_trace_says() {
	local by
	for by in call pid tid; do
		run 0 ktrctl trace -f -C --by $by --json -o "$T/json" -- \
			sh -c "$HERE/act_sums family; sleep 0.1; cat /no/file; exit 0"
		sums trace "$T/json"
	done
	run 0 ktrctl trace -C -o "$T/text" -- "$HERE/act_sums" getppid 7
	has "$T/text" '^getppid\(\) ' 7
	has "$T/text" ' 7 +getppid$' 1
}

# family FILE PIDS: what the program did, from JSON rows.
family() {
	python3 - "$1" $2 <<-'EOT' || exit 1
		import sys
		sys.path.insert(0, "lib")
		import sums
		pids = [int(p) for p in sys.argv[2:]]
		got = {(e.tgid, e.name): e for e in sums.rows(sys.argv[1]).values()}
		for pid, name, calls, errors in zip(
		        pids, ("open", "read", "write"), (10, 100, 1000), (0, 5, 0)):
		    e = got[pid, name]
		    assert (e.calls, e.errors) == (calls, errors), e
		    assert 0 < e.dur_min <= e.dur / e.calls <= e.dur_max, e
		    assert 0 < e.cpu_time <= e.dur, e
		    assert e.comm == "act_sums", e
	EOT
}

# Case L-09.
by_process() {
	run 0 ktrctl summary -f --by pid --json -o "$T/json" -- \
		"$HERE/act_sums" family
	family "$T/json" "$(cat "$T/out")"
	run 0 ktrctl record -f -o "$T/t.ktr" -- "$HERE/act_sums" family
	cp "$T/out" "$T/pids"
	run 0 ktrctl summary --by pid --json "$T/t.ktr"
	cp "$T/out" "$T/saved"
	family "$T/saved" "$(cat "$T/pids")"
	run 0 ktrctl report -C --by pid --json "$T/t.ktr"
	sums trace "$T/out"
	sums files "$T/saved" "$T/out"
	run 0 ktrctl summary --by tid "$T/t.ktr"
	has "$T/out" '^thread [0-9]+ of process [0-9]+ \(act_sums\):$' 3
	has "$T/out" ' 1000 +write$' 1
	run 0 ktrctl summary "$T/t.ktr"
	has "$T/out" '^% time +seconds cpu seconds shortest  usecs/call  longest +calls +errors syscall$' 1
	has "$T/out" ' (9[5-9]|10[0-9]) +5 read$' 1
	has "$T/out" ' total$' 1
}

# Case C-06.
calls_without_a_name() {
	run 0 ktrctl trace -c -o "$T/text" -- "$HERE/act_calls" new
	has "$T/text" ' 1 +1 syscall_0x309$' 1
	run 0 ktrctl record -o "$T/t.ktr" -- "$HERE/act_calls" new
	run 0 ktrctl summary "$T/t.ktr"
	has "$T/out" ' 1 +1 syscall_0x309$' 1
}

# No ring is too small for counting.
nothing_is_lost() {
	local n
	n=$(scaled 1000000)
	run 0 ktrctl trace -c --buffer 4K -o "$T/text" -- \
		"$HERE/act_sums" getppid "$n"
	has "$T/text" " $n +getppid\$" 1
	lacks "$T/err" 'lost'
}

running_process_until_interrupted() {
	local busy tracer
	"$HERE/act_sums" forever &
	busy=$!
	ktrctl trace -c -o "$T/text" -p $busy 2>"$T/err" &
	tracer=$!
	await 'attached' "$T/err"
	sleep 0.3
	kill -INT $tracer
	wait $tracer
	[ $? = 130 ] || fail "it was not interrupted" "$(cat "$T/err")"
	has "$T/text" ' [1-9][0-9]+ +getppid$' 1
	kill -0 $busy || fail "the program is gone"
}

histograms() {
	run 0 ktrctl hist getppid -o "$T/text" -- "$HERE/act_sums" getppid 500
	has "$T/text" '^getppid: 500 calls$' 1
	in_order "$T/text" '^getppid: 500 calls$' '^ at least      calls$' \
		'^ +[0-9]+ [num]?s +[0-9]+ \|\*'
	awk '/\|/ { n += $3 } END { exit n != 500 }' "$T/text" ||
		fail "its buckets are not 500" "$(cat "$T/text")"
	run 0 ktrctl summary --hist --json -e trace=getppid -o "$T/json" -- \
		"$HERE/act_sums" getppid 500
	events "$T/json" -- \
		'[sum(n for _, n in e.hist) for e in kind("syscall_summary")] == [500]'
	run 2 ktrctl hist no_such_call -- true
	says "no function no_such_call here"
	run 2 ktrctl hist getppid,vfs_read -- true
	says 'hist: getppid is a call, and vfs_read is none: name calls or functions'
}

# The counts up to now; the last table is the whole.
from_time_to_time() {
	run 0 ktrctl hist do_sys_poll -f --interval 300ms -o "$T/text" -- \
		python3 -c 'import select
for i in range(4): select.poll().poll(250)'
	has "$T/text" '^after [0-9]+\.[0-9]{3} s:$'
	[ "$(grep -E '^do_sys_poll: [0-9] calls$' "$T/text" | uniq | wc -l)" -gt 1 ] ||
		fail "the counts do not grow" "$(cat "$T/text")"
	[ "$(grep '^do_sys_poll: ' "$T/text" | tail -n 1)" = "do_sys_poll: 4 calls" ] ||
		fail "the last is not the whole" "$(cat "$T/text")"
	run 0 ktrctl summary --interval 300ms --json -e trace=clock_nanosleep -o "$T/json" -- \
		python3 -c 'import time
for i in range(4): time.sleep(0.25)'
	events "$T/json" -- \
		'[e.after > 0 for e in kind("counts")][:2] == [True] * 2' \
		'[e.calls for e in kind("syscall_summary")] == sorted(e.calls for e in kind("syscall_summary"))' \
		'kind("syscall_summary")[-1].calls == 4'
	run 2 ktrctl trace --interval 1 -- true
	says '--interval: it shows what the kernel counts'
	run 2 ktrctl trace -c --interval 1 --limit 5 -- true
	run 0 ktrctl record -o "$T/file" -- true
	run 2 ktrctl summary --interval 1 "$T/file"
	says 'not of a file'
}

# Of functions: counts alone, or with times; by process; in a file; a histogram.
functions() {
	local n
	n=$(scaled 20000)
	run 0 ktrctl summary --func do_sys_poll,do_pipe2 -o "$T/text" -- \
		"$HERE/act_sums" poll "$n"
	has "$T/text" "^ *$n do_sys_poll$" 1
	has "$T/text" 'seconds' 0
	has "$T/text" 'poll$' 1
	run 0 ktrctl summary --func do_sys_poll --ret --by pid --json -e trace=poll \
		-o "$T/json" -- "$HERE/act_sums" poll "$n"
	events "$T/json" -- \
		"[e.calls for e in kind('function_summary')] == [$n]" \
		"[e.calls for e in kind('syscall_summary')] == [$n]" \
		'[e.tgid for e in kind("function_summary")] == [e.tgid for e in kind("syscall_summary")]' \
		'[e.name for e in kind("function_summary")] == ["do_sys_poll"]' \
		'kind("function_summary")[0].dur < kind("syscall_summary")[0].dur'
	run 0 ktrctl record -e trace=none --func do_sys_poll,do_pipe2 --ret \
		-o "$T/file" -- "$HERE/act_sums" poll 50
	run 0 ktrctl summary --json "$T/file"
	events "$T/out" -- \
		'[(e.name, e.calls) for e in kind("function_summary")] == [("do_sys_poll", 50)]'
	run 0 ktrctl hist do_sys_poll -o "$T/hist" -- "$HERE/act_sums" poll "$n"
	has "$T/hist" "^do_sys_poll: $n calls$" 1
	awk -v n="$n" '/\|/ { sum += $3 } END { exit sum != n }' "$T/hist" ||
		fail "its buckets are not $n" "$(cat "$T/hist")"
	run 2 ktrctl hist --func do_sys_poll do_sys_poll -- true
	says 'the function stands in the place of SET'
}

# It never returns: that is told.
functions_that_do_not_return() {
	run 0 ktrctl summary --func do_exit,do_sys_poll --ret -o "$T/text" -- \
		"$HERE/act_sums" poll 5
	has "$T/text" ' 5 do_sys_poll$' 1
	has "$T/text" 'do_exit' 0
	says 'calls of functions that were not seen to return, and are not counted: 1$'
	# Those that wait when the time is over, and return later.
	run 0 ktrctl hist hrtimer_nanosleep --for 1s -- sleep 3
	has "$T/err" 'calls of functions that were not seen to return, and are not counted: 1$' 1
}

# Words of strace where users may look for them.
wrong_use() {
	run 2 ktrctl trace -c -S foo -- true
	says "invalid sortby: 'foo'"
	run 2 ktrctl trace -c -U foo -- true
	says "unknown column name: 'foo'"
	run 2 ktrctl trace -c -U calls,calls -- true
	says "column has been provided more than once: 'calls'"
	run 2 ktrctl trace -c -O x -- true
	says "invalid -O argument: 'x'"
	run 2 ktrctl trace -c -C -- true
	says '-c/--summary-only and -C/--summary are mutually exclusive'
	run 2 ktrctl trace -c -ff -o "$T/x" -- true
	says '-ff/--output-separately are mutually exclusive'
	run 2 ktrctl summary --by color -- true
	says '--by color: use call, pid or tid'
}

tool_case "calls and errors are strace's" as_strace_counts
tool_case "the table is strace's" as_strace_prints
tool_case "sums are those of the trace" as_the_trace_says
tool_case "by process, from a file too (L-09)" by_process
tool_case "calls that have no name (C-06)" calls_without_a_name
tool_case "nothing is lost" nothing_is_lost
tool_case "a running process, until interrupted" running_process_until_interrupted
tool_case "histograms" histograms
tool_case "functions" functions
tool_case "functions that do not return" functions_that_do_not_return
tool_case "from time to time" from_time_to_time
tool_case "wrong use" wrong_use
tool_done
