#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Capture files: what they hold, when the writer dies, when they are damaged.

set -u
. lib/tap.sh
. lib/tool.sh

# record OPTION... -- CMD: into $T/t.ktr
record() {
	run 0 ktrctl record -o "$T/t.ktr" "$@"
}

report() {
	run 0 ktrctl report "$@" "$T/t.ktr"
}

# Addresses, times and process ids aside.
masked() {
	sed -E 's/0x[0-9a-f]{6,}/0xA/g; s/getrandom\("[^"]*"/getrandom("R"/
		s/(si_[us]time)=[0-9]+( \/\*[^*]*\*\/)?/\1=N/g' "$1" |
		awk '{ for (i = 1; i <= NF; i++) {
				t = $i; gsub(/[^0-9]/, "", t)
				if (t ~ /^[0-9]{7}$/) {
					if (!(t in pid)) pid[t] = "P" ++n
					gsub(t, pid[t], $i) } }
			print | "sort" }'
}

report_is_what_trace_says() {
	local cmd='ls /etc >/dev/null; cat /etc/hostname | wc -c; exit 4'
	echo 4194304 >/proc/sys/kernel/pid_max
	echo 3200000 >/proc/sys/kernel/ns_last_pid
	run 4 ktrctl trace -f -o "$T/live" -- sh -c "$cmd"
	echo 3300000 >/proc/sys/kernel/ns_last_pid
	run 4 ktrctl record -f -o "$T/t.ktr" -- sh -c "$cmd"
	has "$T/err" '^ktrctl: [0-9]+ CPUs x 4 MiB = [0-9]+ MiB$' 1
	has "$T/err" '^ktrctl: [0-9]+ records, lost 0, [0-9]+ bytes in ' 1
	run 0 ktrctl report -f -o "$T/report" "$T/t.ktr"
	masked "$T/live" | grep -v unfinished | grep -v resumed >"$T/a"
	masked "$T/report" | grep -v unfinished | grep -v resumed >"$T/b"
	[ "$(comm -3 "$T/a" "$T/b" | wc -l)" -lt 20 ] ||
		fail "they differ" "$(diff "$T/a" "$T/b" | head -n 40)"
	# Which calls block, and so are written in two parts, differs.
	for word in 'execve(' 'openat(' 'exit_group(' '+++ exited'; do
		[ "$(grep -cF "$word" "$T/live")" = \
			"$(grep -cF "$word" "$T/report")" ] || fail "$word"
	done
	run 0 ktrctl report --json "$T/t.ktr"
	events "$T/out" -- 'head.meta.kernel' 'head.meta.command[0] == "sh"' \
		'tail.records == len(E)' 'tail.lost == 0'
}

# Case I-01: all that is large at once.
large_program() {
	local n
	n=$(scaled 1000 100)
	cat >"$T/program" <<-'EOT'
		import os, resource, sys, threading
		resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
		for i in range(2000):
		    os.dup(0)
		last = threading.Event()
		threads = [threading.Thread(target=last.wait) for i in range(int(sys.argv[1]))]
		for t in threads:
		    t.start()
		last.set()
		for t in threads:
		    t.join()
	EOT
	BIG=$(head -c 100000 /dev/zero | tr '\0' x) run 0 \
		ktrctl record -f -v -s 65536 --buffer 16M -o "$T/t.ktr" -- \
		python3 -S "$T/program" "$n"
	has "$T/err" 'records, lost 0, '
	report --json
	events "$T/out" n="$n" -- 'tail.records == len(E)' 'tail.lost == 0' \
		'len([e for e in kind("task_new") if e.followed == 1]) == n' \
		'len(kind("target_end")) == n + 1' \
		'len([c for c in calls() if c.name in ("fcntl", "dup") and c.ret > 2]) >= 2000' \
		'[len(str(v)) > 60000 for v in calls("execve")[0].args.envp.value
		  if "BIG=xxx" in str(v)] == [True]'
	report -f -v -s 65536
	has "$T/out" '^execve\(.*"BIG=x{1000}' 1
}

# Another process, without /proc of the first, as another user.
file_speaks_for_itself() {
	record -f --func 'do_sys_poll' -- python3 -c \
		'import select; select.poll().poll(1)'
	chmod 755 "$TOP" "$T"
	chmod 644 "$T/t.ktr"
	run 0 setpriv --reuid 1000 --regid 1000 --clear-groups \
		ktrctl report -f "$T/t.ktr"
	has "$T/out" 'execve\("/[a-z/]*/python3"'
	has "$T/out" 'do_sys_poll'
	has "$T/out" '\+\+\+ exited with 0 \+\+\+'
}

# counted FILE: the one line is true, as report finds.
counted() {
	local said
	has "$T/err" '^ktrctl: .*(records|written)' 1
	said=$(sed -n 's/^ktrctl: \([0-9]* records\), lost [1-9].*/\1/p' "$T/err")
	run 3 ktrctl report "$1"
	has "$T/err" 'is cut at offset'
	run 3 ktrctl report -v "$1"
	has "$T/err" "^ktrctl: $said, lost [0-9]+\$" 1
}

# No room, or none for this user: the command goes on, what is said is so.
full_disk() {
	mkdir "$T/small"
	mount -t tmpfs -o size=64k none "$T/small" || skip "no mount"
	run 1 ktrctl record -o "$T/small/t.ktr" -- "$HERE/act_sums" getppid 5000
	has "$T/err" '65536 bytes in .*: no more could be written: No space left on device$' 1
	counted "$T/small/t.ktr"
	umount "$T/small"
	run 1 sh -c 'ulimit -f 100; exec ktrctl record -o "$0" -- "$1" getppid 5000' \
		"$T/t.ktr" "$HERE/act_sums"
	has "$T/err" ': no more could be written: File too large$' 1
	counted "$T/t.ktr"
	run 3 sh -c 'ulimit -f 100; exec ktrctl record -f -o "$0" -- \
		sh -c "$1 getppid 5000; exit 3"' "$T/t.ktr" "$HERE/act_sums"
	has "$T/err" 'File too large$' 1
	run 1 ktrctl record -o /dev/full -- touch "$T/touched"
	has "$T/err" '^ktrctl: cannot write /dev/full: No space left on device$' 1
	[ ! -e "$T/touched" ] || fail "the command ran"
}

# Two would make one file of which nobody can tell what is whose.
one_recorder_a_file() {
	local size
	"$HERE/act_sums" forever &
	ktrctl record -e trace=none -o "$T/t.ktr" -p $! 2>"$T/first" &
	RECORDER=$!
	await 'CPU' "$T/first"
	wait_for 20 test -s "$T/t.ktr" || fail "it does not record"
	run 2 ktrctl record -o "$T/t.ktr" -- touch "$T/touched"
	says 'another trace is being written there'
	run 2 ktrctl record --detach d -o "$T/t.ktr" -p $$
	says 'another trace is being written there'
	[ ! -e "$T/touched" ] || fail "the command ran"
	run 0 ktrctl list
	lacks "$T/out" '^d '
	has "$T/out" ", being read into \"$T/t.ktr\", process [0-9]+$" 1
	run 0 ktrctl list --json
	has "$T/out" "\"reader\":1,.*\"file\":\"$T/t.ktr\""
	lacks "$T/out" '"written"'
	kill -INT "$RECORDER"
	wait "$RECORDER"
	run 0 ktrctl report "$T/t.ktr"
	run 0 ktrctl record -o "$T/t.ktr" -- true
	# The module holds it too.
	run 0 ktrctl record --detach d -o "$T/d.ktr" -p $$
	run 2 ktrctl record -o "$T/d.ktr" -- true
	says 'another trace is being written there'
	run 0 ktrctl clear -s d
	run 0 ktrctl record -o "$T/d.ktr" -- true
}

# Cut anywhere: the whole part is printed, and the status says so.
cut_file() {
	local size cut lines all
	record -- ls /etc
	report
	all=$(wc -l <"$T/out")
	size=$(stat -c %s "$T/t.ktr")
	for cut in 1 100 $((size / 2)) $((size - 100)); do
		head -c $((size - cut)) "$T/t.ktr" >"$T/cut.ktr"
		run 3 ktrctl report "$T/cut.ktr"
		says 'is cut at offset [0-9]+: the file ends in the middle of a record: its disk was full, .* before that was printed'
		lines=$(wc -l <"$T/out")
		[ "$lines" -le "$all" ] || fail "$lines lines of $all"
		[ "$cut" -gt 100 ] || [ "$lines" -gt $((all / 2)) ] ||
			fail "only $lines lines of $all after a cut of $cut"
	done
	head -c 7 "$T/t.ktr" >"$T/cut.ktr"
	run 3 ktrctl report "$T/cut.ktr"
	says 'cut.ktr is no capture file'
	: >"$T/empty.ktr"
	run 3 ktrctl report "$T/empty.ktr"
	says 'empty.ktr is empty: nothing was recorded'
	echo 'this is no capture file, but a line of text that is long enough' \
		>"$T/text.ktr"
	run 3 ktrctl report "$T/text.ktr"
	says 'text.ktr'
}

# The pause makes two rounds of it; the damage is in the second.
damaged_file() {
	local size
	record -f -- sh -c 'ls /etc; sleep 0.5; ls /etc; ls /etc'
	size=$(stat -c %s "$T/t.ktr")
	printf 'XXXXXXXXXXXXXXXX' | dd of="$T/t.ktr" bs=1 seek=$((size * 3 / 4)) \
		conv=notrunc 2>/dev/null
	run 3 ktrctl report "$T/t.ktr"
	says 'is damaged at offset [0-9]+, [0-9]+ bytes in 1 place are missing'
	has "$T/out" '^([0-9]+ +)?execve\("/[a-z/]*bin/sh"' 1
	in_order "$T/out" 'execve\(' \
		'^--- damaged file: [0-9]+ bytes at offset [0-9]+ are missing here ---$'
	run 3 ktrctl report --json "$T/t.ktr"
	events "$T/out" size="$size" -- 'len(kind("damaged")) == 1' \
		'0 < kind("damaged")[0].bytes < kind("damaged")[0].offset < int(size)'
}

# Case H-13: a file of a newer version is refused.
newer_file() {
	record -- true
	python3 lib/capedit.py version "$T/t.ktr" "$T/newer.ktr"
	run 3 ktrctl report "$T/newer.ktr"
	says 'was recorded by a newer ktrctl'
	[ ! -s "$T/out" ] || fail "it printed" "$(head -n 3 "$T/out")"
	python3 lib/capedit.py wire "$T/t.ktr" "$T/newer.ktr"
	run 3 ktrctl report "$T/newer.ktr"
	says 'was recorded by a newer ktrctl'
	[ ! -s "$T/out" ] || fail "it printed" "$(head -n 3 "$T/out")"
}

# Case H-13: records and blocks that nobody knows are skipped.
unknown_records() {
	record -- true
	report -o "$T/text"
	python3 lib/capedit.py kinds "$T/t.ktr" "$T/kinds.ktr"
	run 0 ktrctl report -o "$T/text2" "$T/kinds.ktr"
	has "$T/text2" '^=== kind_60 \{16 bytes\} ===$' 1
	grep -v kind_60 "$T/text2" | cmp "$T/text" ||
		fail "$(diff "$T/text" "$T/text2")"
	run 0 ktrctl report --json "$T/kinds.ktr"
	events "$T/out" -- '[e.kind for e in kind("unknown")] == [60]' \
		'not kind("rename")'
	python3 lib/capedit.py blocks "$T/t.ktr" "$T/blocks.ktr"
	run 0 ktrctl report -o "$T/text2" "$T/blocks.ktr"
	cmp "$T/text" "$T/text2" || fail "$(diff "$T/text" "$T/text2")"
}

# Case H-13: a tool that is newer than the module, and one that is older.
other_tools() {
	local tool
	for tool in ./ktrctl-newer ./ktrctl-older; do
		[ -x "$tool" ] || skip "$tool was not built: make user first"
		run 4 "$tool" trace -- touch "$T/touched"
		says 'version [0-9]+ .*ktrctl [0-9]+: install both from one release'
		[ ! -e "$T/touched" ] || fail "the command was started"
		run 4 "$tool" list
		run 4 "$tool" record -o "$T/t.ktr" -- touch "$T/touched"
		[ ! -e "$T/touched" ] || fail "the command was started"
	done
}

# Case H-09.
killed_writer() {
	local i n busy tracer lines
	n=$(scaled 100 5)
	"$HERE/act_load" busy >"$T/busy" &
	busy=$!
	await '^[0-9]' "$T/busy"
	for i in $(seq "$n"); do
		rm -f "$T/t.ktr"
		ktrctl record -e trace=getppid -o "$T/t.ktr" -p "$busy" 2>/dev/null &
		tracer=$!
		wait_for 200 larger "$T/t.ktr" 50000 || fail "it records nothing"
		kill -KILL "$tracer"
		wait "$tracer" 2>/dev/null
		ktrctl report "$T/t.ktr" >"$T/out" 2>"$T/err"
		[ $? = 3 ] || [ $? = 0 ] || fail "status of report" "$(cat "$T/err")"
		lines=$(grep -cE '^getppid\(\) += [0-9]+$' "$T/out")
		[ "$lines" -gt 100 ] || fail "$lines lines in the file" \
			"$(head -n 5 "$T/out")" "$(cat "$T/err")"
		wait_for 200 no_sessions || fail "a session is left" \
			"$(ktrctl list)"
	done
	run 0 ktrctl trace --limit 5 -e trace=getppid -o "$T/text" -p "$busy"
	has "$T/text" '^getppid' 5
	[ "$(state_of "$busy")" = R ] || fail "the program is $(state_of "$busy")"
}

larger() {
	[ -e "$1" ] && [ "$(stat -c %s "$1")" -gt "$2" ]
}

no_sessions() {
	[ -z "$(ktrctl list)" ]
}

# Case I-05.
only_what_was_selected() {
	local n
	n=$(scaled 100000)
	record -e trace=openat -- "$HERE/act_load" needles "$n"
	[ "$(stat -c %s "$T/t.ktr")" -lt 65536 ] ||
		fail "the file has $(stat -c %s "$T/t.ktr") bytes"
	report --json
	events "$T/out" -- 'len(calls("openat")) == 5' \
		'len(calls()) == len(calls("openat"))'
	record --filter 'ret == 4 && fd == 99' -- "$HERE/act_load" needles "$n"
	report --json
	events "$T/out" -- 'len(calls()) == 0' 'len(kind("exit")) == 1'
}

# Memory does not grow with the trace.
memory_is_bounded() {
	local n kib
	n=$(scaled 4000000 300000)
	mkfifo "$T/go"
	ktrctl record -f -e trace=getppid,read --buffer 1M -o "$T/t.ktr" -- sh -c \
		"$HERE/act_load needles $n; echo >$T/done; read x <$T/go" 2>"$T/err" &
	wait_for 2000 test -e "$T/done" || fail "the program does not end"
	kib=$(awk '/RssAnon/ { print $2 }' "/proc/$!/status")
	echo >"$T/go"
	wait
	echo "$kib KiB after $(stat -c %s "$T/t.ktr") bytes"
	[ "$(stat -c %s "$T/t.ktr")" -gt 1000000 ] || fail "the file is small"
	[ "$kib" -lt 16384 ] || fail "too much"
}

# Case F-01.
order_of_two_cpus() {
	local n
	n=$(scaled 100000)
	[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
	run 0 ktrctl trace -f --buffer 64M --json -o "$T/live" \
		-e trace=read,write -- "$HERE/act_load" pingpong "$n"
	record -f --buffer 64M -e trace=read,write \
		-- "$HERE/act_load" pingpong "$n"
	run 0 ktrctl report --json -o "$T/report" "$T/t.ktr"
	for file in "$T/live" "$T/report"; do
		python3 - "$file" "$n" <<-'EOT' || exit 1
			import sys
			sys.path.insert(0, "lib")
			import events
			time, turns, wrote, bad = 0, 0, {}, 0
			for e in events.read(open(sys.argv[1], "rb")):
			    if e.time is None:
			        continue
			    bad += e.time < time
			    time = e.time
			    if e.event != "syscall" or e.ret != 1:
			        continue
			    if e.name == "write":
			        wrote[e.tid] = e.start
			        turns += 1
			    else:
			        other = [t for t in wrote if t != e.tid]
			        # Its write may be told after our read: it ends later.
			        bad += bool(other) and e.time < wrote[other[0]]
			print(turns, "turns,", bad, "out of order")
			sys.exit(bad > 0 or turns != 2 * int(sys.argv[2]))
		EOT
	done
	tail -n 1 "$T/live" >"$T/last"
	has "$T/last" '"lost":0,'
}

tool_case "record and report are trace" report_is_what_trace_says
tool_case "a large program (I-01)" large_program
tool_case "a file read by another user" file_speaks_for_itself
tool_case "a disk that is full" full_disk
tool_case "one recorder a file" one_recorder_a_file
tool_case "a file that was cut" cut_file
tool_case "a file that was damaged" damaged_file
tool_case "a file of a newer version (H-13)" newer_file
tool_case "records and blocks nobody knows (H-13)" unknown_records
tool_case "tools of other versions (H-13)" other_tools
tool_case "a writer that was killed (H-09)" killed_writer
tool_case "only what was selected (I-05)" only_what_was_selected
tool_case "memory is bounded" memory_is_bounded
tool_case "order of two CPUs (F-01)" order_of_two_cpus
tool_done
