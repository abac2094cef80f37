#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What is lost is told: in place, in the sums, by the exit status.

set -u
. lib/tap.sh
. lib/tool.sh

[ "$(nproc)" -ge 2 ] || TWO_CPUS=missing

# Starts the flood under "$@" and stops ktrctl for a while in the middle.
flood() {
	local tracer n=$1
	shift
	[ -z "${TWO_CPUS:-}" ] || skip "needs two CPUs"
	"$@" -- "$HERE/act_load" flood "$n" >"$T/tids" 2>"$T/err" &
	tracer=$!
	await '^[0-9]' "$T/tids"
	kill -STOP "$tracer"
	wait_for 3 ended_flood
	ktrctl status --json >"$T/status"
	kill -CONT "$tracer"
	STATUS=0
	wait "$tracer" || STATUS=$?
}

ended_flood() {
	! pgrep -x act_load >/dev/null
}

# Case A-01. Per thread, what is there and what is said to be lost is all.
sums_are_exact() {
	local n said statuses
	n=$(scaled 2000000)
	flood "$n" ktrctl record -f -e trace=getppid --buffer 64K \
		--fail-on-loss -o "$T/t.ktr"
	[ "$STATUS" = 1 ] || fail "status $STATUS, not 1" "$(cat "$T/err")"
	has "$T/err" '^ktrctl: [0-9]+ records, lost [1-9][0-9]*, '
	said=$(sed -n 's/\(records, lost [0-9]*\),.*/\1/p' "$T/err")
	has "$T/status" '"lost":[1-9][0-9]*'
	# Not by way of a file: that may be more than the disk of a guest holds.
	cat >"$T/sums.py" <<-'EOT'
		import collections, re, sys
		sys.path.insert(0, "lib")
		import events
		# There are millions of these: they are not taken apart.
		CALL = re.compile(rb'\{"event":"syscall","time":(\d+),"cpu":(\d+),'
		                  rb'[^{}]*"tid":(\d+),[^{}]*"name":"getppid"[^\n]*\}\n')
		tids, n = [int(t) for t in open(sys.argv[1])], int(sys.argv[2])
		seen, lost, gaps, last = collections.Counter(), 0, 0, {}
		life = collections.Counter()
		for line in sys.stdin.buffer:
		    call = CALL.fullmatch(line)
		    if call:
		        time, cpu, tid = (int(g) for g in call.groups())
		        seen[tid] += 1
		        last[cpu] = time
		        continue
		    e, = events.read([line])
		    life[e.event] += e.event in ("task_new", "exit")
		    if e.event == "lost":
		        lost += e.count
		        gaps += 1
		        assert e.first <= e.last <= e.time, e
		        assert e.first >= last.get(e.cpu, 0), (e, last)
		    elif e.event == "syscall":
		        last[e.cpu] = e.time
		threads = {t.tid: t for t in e.threads}
		for tid in tids:
		    t = threads[tid]
		    print(tid, "recorded", seen[tid], "lost", t.syscalls_lost)
		    assert seen[tid] + t.syscalls_lost == n, t
		assert e.lost == lost > 0 and gaps > 0, (e.lost, lost, gaps)
		assert len(threads) == 3, threads
		assert life["task_new"] == 2 and life["exit"] == 3, life
	EOT
	ktrctl report --json --fail-on-loss "$T/t.ktr" 2>"$T/err" |
		python3 "$T/sums.py" "$T/tids" "$n"
	statuses=${PIPESTATUS[*]}
	[ "$statuses" = "1 0" ] || fail "report and sums: $statuses" "$(cat "$T/err")"
	ktrctl report "$T/t.ktr" >"$T/text" 2>"$T/err"
	has "$T/text" '^--- lost [0-9]+ records on CPU [01], [0-9.]+ to [0-9.]+ ---$'
	has "$T/text" '\+\+\+ exited with 0 \+\+\+' 3
	tail -n 1 "$T/err" >"$T/last"
	# They count the same.
	[ "$(cat "$T/last")" = "$said" ] || fail "record: $said" "report: $(cat "$T/last")"
}

# The same, live: -v says the sums per thread.
sums_on_the_terminal() {
	local n tid
	n=$(scaled 1000000)
	flood "$n" ktrctl trace -v -f -e trace=getppid --buffer 64K \
		--fail-on-loss -o "$T/text"
	[ "$STATUS" = 1 ] || fail "status $STATUS, not 1" "$(cat "$T/err")"
	has "$T/text" '^--- lost [0-9]+ records on CPU [01], '
	for tid in $(cat "$T/tids"); do
		awk -v tid="$tid" -v n="$n" '
			$1 == tid && $2 ~ /^getppid/ { seen++ }
			FILENAME ~ /err$/ && $3 == tid {
				sub(/\(/, "", $8); lost = $8 }
			END { print tid, seen, lost; exit seen + lost != n }
		' "$T/text" "$T/err" || fail "does not add up" "$(cat "$T/err")"
	done
}

# A program that fails keeps its own status.
status_of_the_program_wins() {
	local n
	n=$(scaled 200000 50000)
	run 3 ktrctl trace -f -e trace=getppid --buffer 4K --fail-on-loss \
		-o "$T/text" -- sh -c "$HERE/act_load needles $n; exit 3"
	run 0 ktrctl trace -f -e trace=getppid --buffer 4K -o "$T/text" \
		-- "$HERE/act_load" needles "$n"
}

# A ring that holds the run loses nothing.
large_ring_loses_nothing() {
	local n
	n=$(scaled 1000000)
	run 0 ktrctl record --buffer 128M -e trace=getppid --fail-on-loss \
		-o "$T/t.ktr" -- "$HERE/act_load" needles "$n"
	has "$T/err" ' records, lost 0, '
	ktrctl report -e trace=getppid "$T/t.ktr" >"$T/text" 2>"$T/err"
	has "$T/text" '^getppid\(\)' "$n"
}

all_is_read() {
	ktrctl status --json | python3 -c '
import json, sys
sys.exit(any(s["unread"] for s in json.load(sys.stdin)["sessions"]))'
}

# Case A-04: a reader that was stopped goes on, and knows who is who.
stopped_reader_goes_on() {
	local n tracer shell
	n=$(scaled 5000)
	mkfifo "$T/go"
	bash -c "read x <$T/go; i=0
		while [ \$i -lt $n ]; do /bin/true; i=\$((i + 1)); done
		touch $T/done; read x <$T/go; /bin/echo last >$T/echo" &
	shell=$!
	ktrctl trace -f -e trace=execve --json --buffer 64K -o "$T/json" \
		-p "$shell" 2>"$T/err" &
	tracer=$!
	await 'attached' "$T/err"
	kill -STOP "$tracer"
	echo >"$T/go"
	wait_for 2000 test -e "$T/done" || fail "the shell did not end"
	kill -CONT "$tracer"
	wait_for 300 all_is_read || fail "it does not catch up" "$(ktrctl status)"
	echo >"$T/go"
	wait "$shell" || fail "the shell failed"
	wait "$tracer" || fail "ktrctl failed" "$(cat "$T/err")"
	events "$T/json" -- \
		'[(c.args.filename, c.comm) for c in calls("execve")][-1] ==
		 ("/bin/echo", "echo")' \
		'sum(e.count for e in kind("lost")) == tail.lost'
}

tool_case "recorded and lost are all (A-01)" sums_are_exact
tool_case "recorded and lost are all, live (A-01)" sums_on_the_terminal
tool_case "the program's own status wins" status_of_the_program_wins
tool_case "a ring that holds the run" large_ring_loses_nothing
tool_case "a reader that was stopped (A-04)" stopped_reader_goes_on
tool_done
