#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Ends by themselves, sizes of rings, streams to a pipe, what scripts rely on.

set -u
. lib/tap.sh
. lib/tool.sh

# Case M-01. Events exactly, and it says which limit.
limit_of_events() {
	run 0 ktrctl trace --limit 7 -e trace=getppid -o "$T/text" -- \
		"$HERE/act_sums" getppid 500
	has "$T/text" '^getppid' 7
	says 'stopped at the limit of 7 events'
	"$HERE/act_sums" forever &
	run 0 ktrctl record --limit 70 -e trace=getppid -o "$T/t.ktr" -p $!
	has "$T/err" '^ktrctl: stopped at the limit of 70 events$' 1
	run 0 ktrctl report "$T/t.ktr"
	has "$T/out" '^getppid' 70
	kill -0 $! || fail "the program is gone"
}

limit_of_time() {
	local slack
	slack=$(awk -v s="$SCALE" 'BEGIN { print s < 1 ? 500 : 100 }')
	"$HERE/act_sums" forever &
	run 0 ktrctl trace --for 2s --json -e trace=getppid \
		--filter 'dur > 20us' -o "$T/json" -p $!
	has "$T/err" '^ktrctl: stopped after 2 s, as --for says$' 1
	events "$T/json" slack="$slack" -- \
		'abs([e.time for e in kind("change") if e.what == 7][-1] -
		     [e.time for e in kind("change") if e.what == 7][0] -
		     2 * 10 ** 9) < slack * 10 ** 6'
	kill -0 $! || fail "the program is gone"
	# Both: whichever comes first.
	run 0 ktrctl trace --for 60s --limit 3 -e trace=getppid -o "$T/text" -p $!
	has "$T/err" '^ktrctl: stopped at the limit of 3 events$' 1
	run 0 ktrctl trace --for 200ms --limit 3 -e trace=mkdir -o "$T/text" -p $!
	has "$T/err" '^ktrctl: stopped after 0.2 s, as --for says$' 1
}

# The file is not larger, not much smaller, and whole.
limit_of_bytes() {
	local size
	"$HERE/act_sums" forever &
	run 0 ktrctl record --max-size 100K -o "$T/t.ktr" -p $!
	has "$T/err" '^ktrctl: stopped at the limit of 102400 bytes$' 1
	size=$(stat -c %s "$T/t.ktr")
	[ "$size" -le 102400 ] && [ "$size" -gt 90000 ] || fail "$size bytes"
	has "$T/err" "records, lost [0-9]+, $size bytes in " 1
	run 0 ktrctl report --json -o "$T/json" "$T/t.ktr"
	events "$T/json" -- 'tail.records == len(E)' 'len(calls("getppid")) > 1000'
	kill -0 $! || fail "the program is gone"
	# All together: whichever comes first.
	run 0 ktrctl record --max-size 64K --limit 1000000 --for 600s \
		-o "$T/t.ktr" -p $!
	has "$T/err" '^ktrctl: stopped at the limit of 65536 bytes$' 1
	run 0 ktrctl record --max-size 1G --limit 10 --for 600s -o "$T/t.ktr" -p $!
	has "$T/err" '^ktrctl: stopped at the limit of 10 events$' 1
	run 2 ktrctl record --max-size 3 -o "$T/t.ktr" true
	says '--max-size 3: use 64K or more'
	run 2 ktrctl record --max-size 1M --detach x -o "$T/t.ktr" true
	says 'leave --detach out'
}

# The trace ends, the command goes on, and its status is what counts. It ends when
# it is said.
limits_of_commands() {
	local goes_on=': the command goes on untraced' status=0
	: >"$T/err"
	export goes_on T
	run 3 ktrctl trace --limit 1 -o "$T/text" -- \
		sh -c 'until grep -q "$goes_on" "$T/err"; do sleep 0.1; done; exit 3'
	says "at the limit of 1 events$goes_on"
	run 3 ktrctl record --for 100ms -o "$T/t.ktr" -- \
		sh -c 'until grep -q "$goes_on" "$T/err"; do sleep 0.1; done; exit 3'
	has "$T/err" "as --for says$goes_on\$" 1
	# Who does not want to wait sends a signal.
	ktrctl trace --limit 1 -o "$T/text" -- sleep 1000 2>"$T/late" &
	await "$goes_on" "$T/late"
	kill -TERM $!
	wait $! || status=$?
	pkill -xf 'sleep 1000' || fail "the command is gone"
	[ $status = 143 ] || fail "status $status, not 143"
}

quiet_record() {
	"$HERE/act_sums" forever &
	run 0 ktrctl record -q --limit 7 -e trace=getppid -o "$T/t.ktr" -p $!
	has "$T/err" ' records, lost [0-9]+, ' 1
	lacks "$T/err" 'attached|CPUs'
}

# Case M-03. The flood stops its tracer, so that only the ring counts.
sizes_of_rings() {
	local size before=999999999 lost
	for size in 64K 1M 64M; do
		run 0 ktrctl record -f --buffer $size -e trace=getppid \
			-o "$T/t.ktr" -- sh -c "kill -STOP \$PPID
				$HERE/act_sums getppid 40000; kill -CONT \$PPID"
		lost=$(sed -n 's/.*records, lost \([0-9]*\),.*/\1/p' "$T/err")
		[ "$lost" -lt "$before" ] || fail "$size: lost $lost, not below $before"
		before=$lost
	done
	[ "$lost" = 0 ] || fail "64M: lost $lost"
	has "$T/err" '^ktrctl: 2 CPUs x 64 MiB = 128 MiB$' 1
	run 2 ktrctl stop --buffer 1M
	says "unrecognized option '--buffer"
	run 2 ktrctl trace --buffer 3 -- true
	says "invalid --buffer argument: '3': use 4K to 1G for each CPU"
}

# Case M-07. Lines come while the program runs.
stream_in_time() {
	ktrctl trace -f --json -o - -e trace=getppid -- sh -c \
		"for i in 1 2 3 4; do sleep 1; $HERE/act_sums getppid 1; done" |
		python3 -c '
import json, sys, time
late = []
for line in sys.stdin:
    now, e = time.monotonic_ns(), json.loads(line)
    if e["event"] == "syscall" and e["comm"] == "act_sums":
        late.append((now - e["time"]) / 1e9)
print("seconds late:", late)
sys.exit(0 if len(late) == 4 and max(late) < 0.5 else 1)' || exit 1
}

reader_that_goes_away() {
	ktrctl trace --json -o - -e trace=getppid -- \
		"$HERE/act_sums" getppid 20000 2>"$T/err" | head -n 5 >"$T/out"
	[ "${PIPESTATUS[0]}" = 0 ] || fail "status ${PIPESTATUS[0]}" "$(cat "$T/err")"
	[ "$(wc -l <"$T/out")" = 5 ] || fail "not five lines"
	[ ! -s "$T/err" ] || fail "$(cat "$T/err")"
}

# It loses records, and does not hold up the program.
reader_that_is_slow() {
	local n
	n=$(scaled 2000000)
	ktrctl trace -f --json --buffer 64K -o - -e trace=getppid -- \
		sh -c "$HERE/act_sums getppid $n; echo >$T/done" 2>"$T/err" |
		(wait_for 120 test -e "$T/done" && cat) >"$T/json"
	[ -e "$T/done" ] || fail "the program did not end"
	events "$T/json" n="$n" -- 'tail.lost > 0' \
		'sum(e.count for e in kind("lost")) == tail.lost' \
		'len([c for c in calls("getppid") if c.comm == "act_sums"]) +
		 sum(t.syscalls_lost for t in tail.threads
		     if t.comm == "act_sums") == n'
}

# Case K-01.
failures_only() {
	local n
	n=$(scaled 10000)
	set -- -e trace=stat --json -o "$T/json" -- "$HERE/act_sums" stats "$n"
	run 0 ktrctl trace -Z "$@"
	events "$T/json" -- 'len(calls("stat")) == 5' 'tail.records < 40'
	run 0 ktrctl trace --errno EACCES "$@"
	events "$T/json" -- \
		'[c.errno for c in calls("stat")] == ["EACCES"] * 2' \
		'tail.records < 40'
	run 0 ktrctl trace --filter 'errno != ENOENT' "$@"
	events "$T/json" n="$n" -- 'len(calls("stat")) == n + 2'
	run 0 ktrctl trace -z "$@"
	events "$T/json" n="$n" -- 'len(calls("stat")) == n'
	run 0 ktrctl trace -f -Z -c -o "$T/text" -e trace=stat -- \
		"$HERE/act_sums" stats "$n"
	has "$T/text" ' 5 +5 stat$' 1
}

# Case L-01. The same calls in the same order, each object with what it needs.
json_is_the_text() {
	run 0 ktrctl record -o "$T/t.ktr" -- ls -l /
	ktrctl report "$T/t.ktr" 2>"$T/err" | sed -n 's/^\([a-z_0-9]*\)(.*/\1/p' >"$T/text"
	ktrctl report --json "$T/t.ktr" >"$T/json"
	events "$T/json" text="$T/text" -- \
		'[c.name for c in calls()] == open(text).read().split()' \
		'len(calls()) > 40' \
		'all(isinstance(v, int) for c in calls() for v in
		     (c.tid, c.tgid, c.cpu, c.time, c.start, c.dur, c.nr)
		     if c.name != "exit_group")' \
		'all(isinstance(c.ret, int) for c in calls("close") + calls("read"))' \
		'all(c.errno for c in calls("access") if c.ret)' \
		'{"O_RDONLY", "O_CLOEXEC"} == set(calls("openat")[0].args.flags)' \
		'calls("mmap")[0].args.prot == ["PROT_READ", "PROT_WRITE"]'
}

# The same order, with signals, another program and ends between the calls.
json_has_the_order() {
	run 3 ktrctl record -f -o "$T/t.ktr" -- \
		sh -c 'trap : USR1; kill -USR1 $$; /bin/true; kill -USR1 $$; exit 3'
	run 0 ktrctl report -f -o "$T/text" "$T/t.ktr"
	run 0 ktrctl report --json -o "$T/json" "$T/t.ktr"
	python3 - "$T/text" "$T/json" <<-'EOT' || exit 1
		import re, sys
		sys.path.insert(0, "lib")
		import events
		text = []
		for line in open(sys.argv[1]):
		    pid, rest = line.rstrip("\n").split(None, 1)
		    call = re.match(r"(?:<\.\.\. )?(\w+)(?:\(| resumed>)", rest)
		    other = re.match(r"--- (SIGUSR1|SIGCHLD) |\+\+\+ (exited) ", rest)
		    if call and not rest.endswith("<unfinished ...>"):
		        text.append((int(pid), call.group(1)))
		    elif other and other.group(1) != "SIGCHLD":
		        text.append((int(pid), other.group(1) or "exited"))
		names = {"syscall": lambda e: e.name, "exit": lambda e: "exited",
		         "signal_deliver": lambda e: e.signame}
		# One that nobody handles is in the text too, and never delivered.
		json = [(e.tid, names[e.event](e))
		        for e in events.read(open(sys.argv[2], "rb"))
		        if e.event in names and e.signame != "SIGCHLD"]
		kinds = [name for _, name in json]
		print(len(text), len(json), [p for p in zip(text, json) if p[0] != p[1]][:5])
		sys.exit(text != json or kinds.count("SIGUSR1") != 2 or
		         kinds.count("execve") != 2 or kinds.count("exited") != 2)
	EOT
}

# Case L-03.
same_columns() {
	run 0 ktrctl trace -f -o "$T/one" -- true
	run 0 ktrctl trace -f -o "$T/two" -- sh -c '/bin/true; /bin/true'
	columns '([0-9]{5,}|[0-9 ]{5}) ' "$T/one" "$T/two"
	has "$T/two" '[0-9] +execve\(' 3
	run 0 ktrctl trace -f -Y -o "$T/one" -- true
	run 0 ktrctl trace -f -Y -o "$T/two" -- sh -c '/bin/true; /bin/true'
	columns '[0-9]+<(ktrctl|true|sh)> ' "$T/one" "$T/two"
	run 0 ktrctl trace -f --always-show-pid -- true
	mv "$T/err" "$T/one"
	run 0 ktrctl trace -f --always-show-pid -- sh -c '/bin/true; /bin/true'
	grep -v '^ktrctl: Process .* attached$' "$T/err" >"$T/two"
	columns '\[pid +[0-9]+\] ' "$T/one" "$T/two"
}

# columns REGEX FILE...: that, and what happened, in each line of all of them.
columns() {
	local regex=$1 file
	shift
	for file; do
		[ "$(wc -l <"$file")" -gt 10 ] || fail "few lines" "$(cat "$file")"
		lacks "$file" "^($regex)?\$"
		[ "$(grep -cEv "^$regex *([a-z0-9_]+\(|\+\+\+ |--- |<\.\.\. )" "$file")" = 0 ] ||
			fail "other columns: $regex" "$(cat "$file")"
	done
}

# Case F-04. Between two looks at the clock, here and in another time zone.
wall_clock() {
	local zone
	run 0 ktrctl record -e trace=getppid -o "$T/t.ktr" -- python3 -c '
import os, time
a = time.time(); os.getppid(); b = time.time()
print("%.6f %.6f" % (a, b))'
	read -r before after <"$T/out"
	for zone in UTC Asia/Tokyo America/New_York; do
		TZ=$zone ktrctl report --absolute-timestamps=unix,ns "$T/t.ktr" \
			>"$T/text" 2>"$T/err"
		awk -v a="$before" -v b="$after" '/getppid/ { n++
			if ($1 < a - 0.000001 || $1 > b + 0.000001) exit 1 }
			END { exit n != 1 }' "$T/text" ||
			fail "$zone: not between $before and $after" "$(cat "$T/text")"
	done
}

tool_case "a limit of events (M-01)" limit_of_events
tool_case "a limit of time (M-01)" limit_of_time
tool_case "a limit of bytes (M-01)" limit_of_bytes
tool_case "limits of commands" limits_of_commands
tool_case "record without lines on attaching (-q)" quiet_record
tool_case "sizes of rings (M-03)" sizes_of_rings
tool_case "a stream comes in time (M-07)" stream_in_time
tool_case "a reader that goes away (M-07)" reader_that_goes_away
tool_case "a reader that is slow (M-07)" reader_that_is_slow
tool_case "failures only (K-01)" failures_only
tool_case "JSON is the text (L-01)" json_is_the_text
tool_case "JSON has the text's order (L-01)" json_has_the_order
tool_case "the same columns (L-03)" same_columns
tool_case "the wall clock (F-04)" wall_clock
tool_done
