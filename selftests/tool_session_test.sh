#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Named sessions: add-*, del-*, read, list, status, start, stop, clear, mark; and
# limits.

set -u
. lib/tap.sh
. lib/tool.sh

# one_poller: PID polls for a millisecond, over and over.
one_poller() {
	python3 -c 'import os, select
print(os.getpid(), flush=True)
p = select.poll()
while True: p.poll(20)' >"$T/poller" &
	PID=$!
	await '^[0-9]' "$T/poller"
}

# member SESSION NAME: a number of "status --json".
member() {
	ktrctl status --json -s "$1" | python3 -c '
import json, sys
for s in json.load(sys.stdin)["sessions"]:
    print(json.dumps(s[sys.argv[1]]))' "$2"
}

is() {
	[ "$(member "$1" "$2")" = "$3" ]
}

recorded_more_than() {
	[ "$(member "$1" recorded)" -gt "$2" ]
}

# The shortest use.
function_of_a_running_process() {
	one_poller
	run 0 ktrctl add-func do_sys_poll --pid "$PID"
	says 'do_sys_poll: 1 function added to session default'
	ktrctl read -f >"$T/read" 2>"$T/err" &
	READER=$!
	await '^do_sys_poll\(\) <- ' "$T/read"
	kill -INT "$READER"
	wait "$READER" || fail "read -f failed" "$(cat "$T/err")"
	has "$T/err" '^ktrctl: [0-9]+ records, lost [0-9]+$' 1
	run 0 ktrctl read --json
	events "$T/out" pid="$PID" -- \
		'all(e.tid == pid for e in kind("function"))'
	run 0 ktrctl del-func do_sys_poll
	is default functions 0 || fail "$(ktrctl status)"
	run 0 ktrctl clear
	[ -z "$(ktrctl list)" ] || fail "still there" "$(ktrctl list)"
}

# Whoever is in a call when a session is read is not let go.
a_call_goes_on() {
	"$HERE/act_load" sleeper >"$T/sleeper" &
	await '^[0-9]' "$T/sleeper"
	wait_for 200 sleeps $! || fail "it does not sleep"
	run 0 ktrctl add-syscall epoll_wait --pid $!
	run 0 ktrctl read
	has "$T/out" '^epoll_wait\(3,  <unfinished \.\.\.>$' 1
	lacks "$T/out" 'detached'
}

# Any bytes but a few may be a name; JSON has them all.
name_of_bytes() {
	local name=$'caf\xe9 "\xff'
	run 0 ktrctl add-syscall getppid -s "$name"
	run 0 ktrctl list --json
	python3 - "$T/out" <<-'EOT' || exit 1
		import json, sys
		s, = json.load(open(sys.argv[1], encoding="utf-8"))
		name = bytes.fromhex(s["name"]["hex"])
		print(s["name"])
		sys.exit(name != b'caf\xe9 "\xff')
	EOT
	run 0 ktrctl clear -s "$name"
}

calls_signals_events() {
	one_poller
	run 0 ktrctl add-syscall poll -s mine --pid "$PID"
	run 0 ktrctl add-signal USR1,WINCH -s mine
	run 0 ktrctl add-event sched_out -s mine
	# The second is not among those that were asked for.
	kill -WINCH "$PID"
	kill -CONT "$PID"
	wait_for 200 recorded_more_than mine 20 || fail "$(ktrctl status)"
	run 0 ktrctl read -s mine --json
	events "$T/out" pid="$PID" -- \
		'{c.name for c in calls()} == {"poll"}' \
		'{e.signame for e in kind("signal_generate")} == {"SIGWINCH"}' \
		'len(kind("sched_out")) > 3' \
		'all(e.tid == pid for e in E if e.event in ("syscall", "sched_out"))'
	run 0 ktrctl del-syscall poll -s mine
	run 0 ktrctl del-signal WINCH -s mine
	run 0 ktrctl del-event sched_out -s mine
	is mine syscalls 0 || fail "$(ktrctl status)"
	run 2 ktrctl del-event nonsense -s mine
	says "unknown event 'nonsense'"
	run 0 ktrctl del-event -s mine --pid "$PID"
	is mine targets 0 || fail "$(ktrctl status)"
}

stop_and_start() {
	local n
	one_poller
	run 0 ktrctl add-syscall poll -s s --pid "$PID"
	wait_for 200 recorded_more_than s 20 || fail "$(ktrctl status)"
	run 0 ktrctl stop -s s
	is s state '"stopped"' || fail "$(ktrctl list)"
	run 0 ktrctl read -s s
	n=$(member s recorded)
	# Its calls go on, as the number of its switches shows.
	wait_for 200 switched 20
	[ "$(member s recorded)" = "$n" ] || fail "recorded while stopped"
	run 0 ktrctl start -s s
	is s state '"running"' || fail "$(ktrctl list)"
	wait_for 200 recorded_more_than s $((n + 20)) || fail "$(ktrctl status)"
	run 0 ktrctl add-syscall read -s other --pid "$PID"
	run 0 ktrctl stop --all
	is s state '"stopped"' && is other state '"stopped"' ||
		fail "$(ktrctl list)"
	run 0 ktrctl clear -s s
	run 0 ktrctl clear --mine
	[ -z "$(ktrctl list)" ] || fail "still there" "$(ktrctl list)"
	run 2 ktrctl clear -s s
	says 'no session named s'
	run 2 ktrctl clear -s s --all
	says 'clear: which sessions\? Use one of -s, --mine and --all'
	run 2 ktrctl stop --mine --all
	says 'stop: which sessions\?'
}

# nothing_changed BEFORE: of session s
nothing_changed() {
	[ "$(shape)" = "$1" ] || fail "it was $1" "$(shape)"
}

shape() {
	local name
	for name in targets syscalls functions signals events; do
		member s "$name" | tr '\n' ' '
	done
}

# A command that fails leaves all as it was.
all_or_nothing() {
	local before
	one_poller
	run 2 ktrctl add-syscall poll -s s --pid 4194303
	says 'process 4194303: no such process'
	[ -z "$(ktrctl list)" ] || fail "a session came of it" "$(ktrctl list)"
	run 0 ktrctl add-syscall poll -s s --pid "$PID"
	before=$(shape)
	run 2 ktrctl add-syscall read -s s --pid 4194303
	nothing_changed "$before"
	run 2 ktrctl add-syscall read nonsense -s s --pid $$
	nothing_changed "$before"
	run 2 ktrctl add-event sched -s s --pid 4194303
	nothing_changed "$before"
	run 2 ktrctl add-func no_such_function -s s --pid $$
	nothing_changed "$before"
	run 2 ktrctl add-func do_sys_poll -s s --pid 4194302,4194303
	nothing_changed "$before"
	has "$T/err" '^ktrctl: process 419430[23]: no such process$' 2
	lacks "$T/err" 'added'
	# One will do; the other is told.
	run 0 ktrctl add-func do_sys_poll --ret -s s --pid "4194303,$$"
	has "$T/err" '^ktrctl: process 4194303: no such process$' 1
	has "$T/err" '^ktrctl: do_sys_poll: 1 function added to session s$' 1
	is s targets 2 || fail "$(ktrctl status)"
	before=$(shape)
	run 0 ktrctl add-func do_sys_poll -s s
	says 'do_sys_poll: session s has this function already$'
	run 0 ktrctl add-func do_sys_poll vfs_open -s s
	says '1 of 2 functions added to session s, which has the others$'
}

# The first gap begins with the session, not with the machine.
gaps_of_an_overwritten_ring() {
	"$HERE/act_sums" forever &
	run 0 ktrctl add-syscall getppid -s s --buffer 4K --pid $!
	wait_for 200 overwritten_more_than 500 || fail "$(ktrctl list)"
	run 0 ktrctl list
	has "$T/out" '^s .*lost 0, [1-9][0-9]* overwritten'
	run 0 ktrctl read -s s --json -o "$T/json"
	events "$T/json" -- 'kind("lost")' \
		'min(e.first for e in kind("lost")) >= min(e.time for e in kind("change"))'
}

overwritten_more_than() {
	[ "$(member s evicted)" -gt "$1" ]
}

# What is not there cannot be taken away; what is nothing, not be added.
none_of_them() {
	local before
	run 0 ktrctl add-syscall poll -s s
	run 0 ktrctl add-signal USR1 -s s
	before=$(shape)
	run 2 ktrctl del-syscall openat -s s
	says 'none of them is traced by session s: `ktrctl status -s s` shows what is'
	run 2 ktrctl del-signal USR2 -s s
	says 'none of them'
	run 2 ktrctl del-event sched_out -s s
	says 'none of them'
	run 2 ktrctl add-event '' -s s
	says 'a kind of event is missing'
	run 2 ktrctl add-syscall poll -s '#1'
	says "does not begin with '#'"
	nothing_changed "$before"
}

# What is taken away is so for all.
taken_from_one() {
	local before
	one_poller
	run 0 ktrctl add-syscall poll,read -s s --pid "$PID,$$"
	before=$(shape)
	run 2 ktrctl del-syscall poll -s s --pid "$PID"
	says "session s traces process $$ too, which would lose it as well: leave out --pid"
	run 2 ktrctl del-syscall poll -s s --pid "$PID,4194303"
	says 'process 4194303: not traced by session s'
	nothing_changed "$before"
	run 0 ktrctl del-syscall -s s --pid $$
	is s targets 1 || fail "$(ktrctl status)"
	run 2 ktrctl del-syscall -s s --pid $$
	says "process $$: not traced by session s"
	run 0 ktrctl del-syscall poll,read -s s --pid "$PID"
	is s targets 1 && is s syscalls 0 || fail "$(ktrctl status)"
	run 2 ktrctl del-syscall -s s
	says 'SET is missing, or --pid'
	none_of_them
}

# Rings and filter are the first command's to choose.
what_it_begins_with() {
	one_poller
	run 0 ktrctl add-syscall poll -s s --buffer 60K --mode discard \
		--filter 'ret < 0' --string-limit 100 --pid "$PID"
	is s buf_size 65536 && is s mode '"discard"' && is s filter 1 ||
		fail "$(ktrctl status)"
	run 0 ktrctl add-syscall read -s s --buffer 64K --mode discard
	run 2 ktrctl add-syscall read -s s --buffer 1M
	says '--buffer: session s exists, with other rings: `ktrctl clear -s s` ends it'
	run 2 ktrctl add-syscall read -s s --mode overwrite
	says '--mode: session s exists'
	run 2 ktrctl add-syscall read -s s --errno EPERM
	says 'ktrctl start -s s --filter'
	run 0 ktrctl start -s s --filter 'ret == 0 && dur > 1us'
	is s filter 2 || is s filter 3 || fail "$(ktrctl status)"
	run 0 ktrctl read -s s
	wait_for 200 recorded_more_than s 20 || fail "$(ktrctl status)"
	run 0 ktrctl read -s s --json
	events "$T/out" -- 'len(calls()) > 3' 'all(c.ret == 0 for c in calls())'
}

switched() {
	local now
	now=$(awk '/^voluntary/ { print $2 }' "/proc/$PID/status")
	[ -n "${SWITCHES:-}" ] || SWITCHES=$now
	[ "$now" -gt $((SWITCHES + $1)) ]
}

list_and_status() {
	local command
	one_poller
	run 0 ktrctl list --json
	[ "$(cat "$T/out")" = '[]' ] || fail "$(cat "$T/out")"
	run 0 ktrctl add-syscall poll -s one --pid "$PID"
	run 0 ktrctl add-func vfs_read -s two --pid "$PID"
	run 0 ktrctl list
	has "$T/out" '^(one|two) +running +overwrite +1 targets' 2
	run 0 ktrctl list --json
	python3 -c 'import json, sys
s = {x["name"]: x for x in json.load(open(sys.argv[1]))}
assert set(s) == {"one", "two"}, s
assert s["one"]["syscalls"] >= 1 and s["one"]["functions"] == 0, s
assert s["two"]["functions"] == 1 and s["two"]["mode"] == "overwrite", s
assert s["one"]["owner"] == 0 and s["one"]["targets"] == 1, s
assert s["one"]["buf_size"] == 4 << 20, s' "$T/out" || fail "$(cat "$T/out")"
	run 0 ktrctl status --json
	python3 -c 'import json, sys
s = json.load(open(sys.argv[1]))
used = sum(x["total_bytes"] for x in s["sessions"])
assert s["module"]["used_bytes"] == used, (s["module"], used)
assert used <= s["module"]["max_bytes"]
ram = int(open("/proc/meminfo").readline().split()[1]) << 10
assert s["module"]["max_bytes"] == min(ram // 2, 1 << 30)' "$T/out" || fail "$(cat "$T/out")"
	run 0 ktrctl status
	has "$T/out" '^module .*interface 1'
	run 2 ktrctl status -s three
	says 'no session named three'
	for command in list status 'status --json' check events; do
		# shellcheck disable=SC2086
		run 1 into_full ktrctl $command
		says 'cannot write to standard output: No space left on device'
	done
}

into_full() {
	"$@" >/dev/full
}

marks() {
	one_poller
	run 0 ktrctl add-syscall poll -s m --pid "$PID"
	run 0 ktrctl mark -s m 'first "mark"' with more
	run 0 ktrctl mark -s m "$(printf 'tab\there')"
	run 0 ktrctl read -s m --json
	events "$T/out" -- \
		'[e.text for e in kind("marker")] ==
		 ["first \"mark\" with more", "tab\there"]'
	run 2 ktrctl mark -s nobody text
	says 'no session named nobody'
	run 2 ktrctl mark
	run 0 ktrctl trace -f --json -o "$T/json" -- sh -c 'ktrctl mark inside'
	events "$T/json" -- '[e.text for e in kind("marker")] == ["inside"]'
	lacks "$T/err" .
	# What goes nowhere is told.
	run 0 ktrctl mark alone
	says 'no session traces this process'
	run 0 ktrctl stop -s m
	run 2 ktrctl mark -s m late
	says 'session m is stopped, and takes no mark: `ktrctl start -s m`'
	run 0 ktrctl start -s m
	run 0 ktrctl del-event marker -s m
	run 2 ktrctl mark -s m text
	says 'does not record marks: `ktrctl add-event marker -s m`'
	run 2 ktrctl mark ''
	says 'TEXT is empty'
}

limits() {
	local start took
	"$HERE/act_load" busy >"$T/busy" &
	PID=$!
	await '^[0-9]' "$T/busy"
	run 0 ktrctl trace --limit 7 -e trace=getppid -o "$T/text" -p "$PID"
	has "$T/text" '^getppid\(\)' 7
	start=$(date +%s%N)
	run 0 ktrctl trace --for 1.5s -e trace=close -o "$T/text" -p "$PID"
	took=$((($(date +%s%N) - start) / 1000000))
	[ "$took" -ge 1500 ] || fail "it took only $took ms"
	run 0 ktrctl record --for 500ms -e trace=getppid -o "$T/t.ktr" -p "$PID"
	run 0 ktrctl report --limit 3 "$T/t.ktr"
	has "$T/out" '^getppid\(\)' 3
	[ "$(state_of "$PID")" = R ] || fail "the program ended"
}

one_reader_only() {
	one_poller
	run 0 ktrctl add-syscall poll --pid "$PID"
	ktrctl read -f >"$T/read" 2>"$T/read.err" &
	READER=$!
	await 'poll' "$T/read"
	run 2 ktrctl read
	says 'read'
	kill -KILL "$READER"
	wait "$READER" 2>/dev/null
	run 0 ktrctl read
}

filters() {
	run 2 ktrctl trace --json -o "$T/json" --filter 'ret < 0' \
		-- ls /etc /none
	events "$T/json" -- 'calls()' 'all(c.ret < 0 for c in calls())'
	run 0 ktrctl trace --json -o "$T/json" --errno ENOENT -- ls /etc
	events "$T/json" -- 'calls()' \
		'all(c.errno == "ENOENT" for c in calls())'
	run 0 ktrctl trace --json -o "$T/json" --filter 'dur > 40ms' \
		-- sh -c 'sleep 0.1'
	events "$T/json" -- 'all(c.dur > 40000000 for c in calls())'
	run 2 ktrctl trace --filter 'ret <' -- true
	says 'filter|ret <'
	run 2 ktrctl trace --filter 'nonsense == 1' -- true
	says 'nonsense'
}

tool_case "a call under way when it is read" a_call_goes_on
tool_case "a name that is no text" name_of_bytes
tool_case "a function of a running process" function_of_a_running_process
tool_case "calls, signals, events" calls_signals_events
tool_case "stop and start" stop_and_start
tool_case "all or nothing" all_or_nothing
tool_case "gaps of an overwritten ring" gaps_of_an_overwritten_ring
tool_case "taken from one" taken_from_one
tool_case "what a session begins with" what_it_begins_with
tool_case "list and status" list_and_status
tool_case "marks" marks
tool_case "limits" limits
tool_case "one reader a session" one_reader_only
tool_case "filters" filters
tool_done
