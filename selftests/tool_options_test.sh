#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ktrctl called as strace: all of its options, and what they print.

set -u
. lib/tap.sh
. lib/tool.sh

ln -sf "$(command -v ktrctl)" "$TOP/strace"
OURS=$TOP/strace

# The same command under both, the lines without addresses and times compared.
same() {
	local file want=0 status=0
	strace -o "$T/theirs" "$@" >/dev/null 2>&1 </dev/null || want=$?
	"$OURS" -o "$T/ours" "$@" >/dev/null 2>"$T/err" </dev/null || status=$?
	[ "$status" = "$want" ] ||
		fail "status $status, not $want: $*" "$(cat "$T/err")"
	for file in "$T/theirs" "$T/ours"; do
		sed -Ei 's/0x[0-9a-f]{5,}/ADDR/g; s/st_ino=[0-9]+/INO/
			s/_=[^"]*/_=/; s/(= )[0-9]{3,}$/\1N/
			s/(_tid=\[)[0-9]+/\1N/g' "$file"
	done
	diff "$T/theirs" "$T/ours" || fail "differs from strace: $*"
}

# The same again, with all digits taken for equal.
same_form() {
	local file
	strace -o "$T/theirs" "$@" >/dev/null 2>&1 </dev/null
	"$OURS" -o "$T/ours" "$@" >/dev/null 2>"$T/err" </dev/null ||
		fail "status $?: $*" "$(cat "$T/err")"
	for file in "$T/theirs" "$T/ours"; do
		sed -Ei 's/0x[0-9a-f]+/ADDR/g; s/\[[0-9a-f]{16}\]/IP/
			s/ +([0-9])/ \1/g; s/[0-9]/N/g; s/^N+\./N./' "$file"
	done
	diff "$T/theirs" "$T/ours" || fail "differs from strace: $*"
}

every_option() {
	strace --help >"$T/help"
	python3 lib/options.py "$T/help" "$OURS" || exit 1
}

# What strace says when it refuses is how our message begins. More of these are in
# native/test_options.c.
same_words() {
	local words
	strace "$@" >/dev/null 2>"$T/theirs" </dev/null &&
		fail "strace does not refuse: $*"
	run 2 "$OURS" "$@"
	words=$(sed -n '1s/^[^ ]*strace: //p' "$T/theirs")
	[[ $(cat "$T/err") == "ktrctl: $words"* ]] ||
		fail "strace says '$words'" "$(cat "$T/err")"
}

messages() {
	same_words
	same_words -c
	same_words -D
	same_words -D -p 1
	same_words -DDDD true
	same_words -u nosuchuser true
	same_words -u '' true
	same_words -o /no/such/file true
	same_words -o '' true
	same_words /no/such/program
	same_words nosuchprogram
	same_words -p 0
	same_words -p 1,x
}

# i386: calls that socketcall and ipc stand for are chosen by their own names.
inner_calls() {
	local set
	"$OURS" -o "$T/ours" ./sd_calls32 >/dev/null 2>&1
	grep -q '^socket(' "$T/ours" || skip "no calls of i386 here"
	for set in socket socket,bind %net %desc /^sock /^sem %ipc \
		'!socket,/time,getrusage' '!%net,/time,getrusage'; do
		same -e trace="$set" -e signal=none ./sd_calls32
	done
}

times() {
	local option
	same_form -n -e trace=openat,close,exit_group true
	same -n -e trace=none true
	for option in -t -tt -ttt -r -rt -T -rtT \
		--absolute-timestamps=unix,ns --absolute-timestamps=ms \
		--absolute-timestamps=format:time,precision:us \
		--relative-timestamps=ms --syscall-times=ns -a60; do
		same_form $option -e trace=openat,close true
	done
	# Where nothing is random, addresses are the same.
	strace -i -o "$T/theirs" -e trace=openat,close setarch -R /bin/true
	run 0 "$OURS" -i -o "$T/ours" -e trace=openat,close setarch -R /bin/true
	diff <(tail -n 5 "$T/theirs") <(tail -n 5 "$T/ours") || fail "-i"
	run 2 "$OURS" -t --absolute-timestamps=unix true
	says 'cannot be provided simultaneously'
	run 2 "$OURS" --syscall-times=m true
	says "invalid --syscall-times argument: 'm'"
}

raw_and_whole() {
	local option
	same -e raw=all -e trace=openat,close,read,mmap true
	same -e raw=openat,close -e trace=openat,close,mmap true
	same -e abbrev=none -e trace=newfstatat,execve env -i /bin/true
	same -e abbrev=!newfstatat -e trace=newfstatat,prlimit64 true
	same -v -e trace=newfstatat,prlimit64 true
	same -v -e trace=execve env -i /bin/echo $(seq 100)
	same -e trace=execve env -i /bin/echo $(seq 100)
	for option in -v -a40; do
		same $option -e trace=poll,writev python3 -c 'import os, select as s
p, null = s.poll(), os.open("/dev/null", os.O_WRONLY)
for fd in range(10, 44): p.register(os.dup2(null, fd), s.POLLOUT)
p.poll(0)
os.writev(null, [b"%d" % i for i in range(50)])'
	done
	same -e verbose=none -e trace=newfstatat,execve,prlimit64,read true
	same -X raw -e trace=openat,mmap true
	same -X verbose -e trace=openat,mmap true
}

strings() {
	local option
	for option in -x -xx --strings-in-hex --strings-in-hex=non-ascii \
		--strings-in-hex=non-ascii-chars -s4; do
		same $option -e trace=write printf 'a\001\377b\n'
	done
	same -s 1000000 -e trace=write head -c 60000 /bin/sh
}

quiet() {
	run 3 "$OURS" -f sh -c 'true & wait; exit 3'
	has "$T/err" 'Process [0-9]+ attached$' 1
	run 3 "$OURS" -f -q sh -c 'true & wait; exit 3'
	lacks "$T/err" 'attached$'
	has "$T/err" '^\+\+\+ exited with 3 \+\+\+$' 1
	run 3 "$OURS" -f -qq sh -c 'true & wait; exit 3'
	lacks "$T/err" 'attached$|exited'
	run 137 "$OURS" -qqq sh -c 'kill -KILL $$'
	has "$T/err" '^\+\+\+ killed by SIGKILL \+\+\+$' 1
	run 3 "$OURS" -f --quiet=!exit sh -c 'true & wait; exit 3'
	lacks "$T/err" 'attached$'
	has "$T/err" '^\+\+\+ exited with 3 \+\+\+$' 1
	run 0 "$OURS" -v true
	lacks "$T/err" '^ktrctl: '
	run 0 "$OURS" -v -o "$T/trace" true
	[ ! -s "$T/err" ] || fail "-v says something" "$(cat "$T/err")"
	run 2 "$OURS" -e silent=nothing true
	says "invalid quiet 'nothing'"
}

# -E and -u: what the command is given.
the_command() {
	HOME=/x run 0 "$OURS" -o /dev/null -E A=b -E HOME env
	has "$T/out" '^A=b$' 1
	lacks "$T/out" '^HOME='
	run 0 "$OURS" -o /dev/null -u nobody id -un
	has "$T/out" '^nobody$' 1
	run 2 "$OURS" -u nosuchuser true
	says "Cannot find user 'nosuchuser'"
}

# The command is the process that was started, and nobody's parent but his own.
daemons() {
	local how pid
	for how in -D -DD --daemonize=session; do
		rm -f "$T/trace"
		"$OURS" $how -o "$T/trace" -e trace=exit_group \
			sh -c 'echo $$ $PPID; ps -o pid= --ppid $$; exit 7' \
			>"$T/out" 2>"$T/err" &
		pid=$!
		wait $pid
		[ $? = 7 ] || fail "$how: the status is not the command's" "$(cat "$T/err")"
		has "$T/out" "^$pid $BASHPID\$" 1
		await 'exited with 7' "$T/trace"
	done
	run 2 "$OURS" -D -p 1
	says 'must be specified with -D/--daemonize'
}

interruptible() {
	local tracer how
	# With -o and a command it is as if -I 3 were given.
	for how in '-I 3' ''; do
		: >"$T/trace"
		# shellcheck disable=SC2086
		"$OURS" $how -o "$T/trace" sleep 100 &
		tracer=$!
		await 'clock_nanosleep' "$T/trace"
		kill -TERM $tracer
		sleep 0.3
		kill -0 $tracer || fail "$how: SIGTERM ended it"
		pkill -KILL -P $tracer sleep
		wait $tracer
		has "$T/trace" 'killed by SIGKILL' 1
	done
	run 2 "$OURS" -I 5 true
	says "invalid -I argument: '5'"
}

# ends_by SIGNAL FILE REGEX OPTION...: once a line of FILE matches.
ends_by() {
	local sig=$1 file=$2 regex=$3 status=0
	shift 3
	: >"$T/trace"
	: >"$T/err"
	"$OURS" "$@" 2>"$T/err" &
	await "$regex" "$file"
	kill "-$sig" $!
	wait $! || status=$?
	[ "$status" = $((128 + $(kill -l "$sig"))) ] ||
		fail "status $status after $sig: $*" "$(cat "$T/err")"
}

# As strace: by a signal both end, without a command we alone.
ended_by_signals() {
	local sig pid
	# In the background commands do not hear SIGINT.
	ends_by TERM "$T/err" 'clock_nanosleep' sleep 1000
	wait_for 20 nobody_sleeps 1000 || fail "the command is left"
	sleep 2000 &
	pid=$!
	for sig in INT TERM; do
		ends_by $sig "$T/err" 'nanosleep' -p $pid
		has "$T/err" ' <detached \.\.\.>$' 1
		ends_by $sig "$T/err" 'attached' -o "$T/trace" -p $pid
		ends_by $sig "$T/err" 'attached' -c -p $pid
		kill -0 $pid || fail "$sig: the process is gone"
	done
	: >"$T/trace"
	"$OURS" -I 2 -o "$T/trace" sleep 3000 &
	await 'clock_nanosleep' "$T/trace"
	kill -TERM $!
	wait $!
	[ $? = 143 ] || fail "-I 2: the status is not 143"
}

nobody_sleeps() {
	! pgrep -xf "sleep $1" >/dev/null
}

help_and_version() {
	run 0 "$OURS" -V
	has "$T/out" '^ktrctl [0-9]' 1
	run 0 "$OURS" -f --version
	run 0 "$OURS" -h
	has "$T/out" '--summary-only' 1
	run 2 "$OURS"
	says '-p PID'
}

# -b execve: who runs another program is let go, and counts no more.
let_go() {
	local file set
	for set in '-e trace=execve' '-e trace=close,exit_group' \
		'-f -e trace=execve' '-c -S name -U name,calls' \
		'-C -S name -U name,calls -e trace=execve,close'; do
		# shellcheck disable=SC2086 # options
		strace -b execve $set sh -c 'exec true' 2>"$T/theirs"
		# shellcheck disable=SC2086
		run 0 "$OURS" -b execve $set sh -c 'exec true'
		cp "$T/err" "$T/ours"
		for file in "$T/theirs" "$T/ours"; do
			sed -Ei 's/0x[0-9a-f]{5,}/ADDR/g; s/(strace|ktrctl): Process [0-9]+/PID/' "$file"
		done
		diff "$T/theirs" "$T/ours" || fail "differs from strace: $set"
	done
}

# Who waits for us sees what he would see of the command.
ends_like_the_command() {
	local sig
	for sig in 9 15 34; do
		run 0 python3 -c 'import subprocess as s, sys; print(s.run(sys.argv[1:]).returncode)' \
			"$OURS" -o "$T/trace" sh -c "kill -$sig \$\$"
		has "$T/out" "^-$sig\$" 1
	done
}

# In strace's lines they hang on chance: it asks for them now and then.
names_of_processes() {
	run 0 "$OURS" -f -Y -o "$T/ours" sh -c 'kill -0 $$; exec true'
	has "$T/ours" '^[0-9]+<strace> execve\(.* = 0$' 1
	has "$T/ours" '^([0-9]+)<sh> kill\(\1<sh>, 0\) += 0$' 1
	has "$T/ours" '^[0-9]+<sh> execve\(.* = 0$' 1
	has "$T/ours" '^[0-9]+<true> \+\+\+ exited with 0 \+\+\+$' 1
	run 0 ktrctl record -f -o "$T/file" -- \
		sh -c '(kill -0 $$; exit 3); kill -0 1; exit 0'
	run 0 ktrctl report -f -Y -o "$T/text" "$T/file"
	has "$T/text" '^[0-9]+<sh> (clone\(|<\.\.\. clone resumed>).* = [0-9]+<sh>$' 1
	has "$T/text" '--- SIGCHLD .*, si_pid=[0-9]+<sh>, ' 1
	has "$T/text" '^[0-9]+<sh> kill\(1, 0\) += 0$' 1
	run 0 ktrctl report -Y --always-show-pid "$T/file"
	lacks "$T/out" '^[^[]'
	has "$T/out" '^\[pid +[0-9]+<sh>\] \+\+\+ exited with 3 \+\+\+$' 1
	run 0 ktrctl report -f --decode-pids=none -o "$T/text" "$T/file"
	lacks "$T/text" '[0-9]<sh>'
}

tool_case "every option of strace is taken, or refused by name" every_option
tool_case "what is refused, in strace's words" messages
tool_case "calls inside calls" inner_calls
tool_case "times" times
tool_case "raw, whole and unread" raw_and_whole
tool_case "strings" strings
tool_case "names of processes (-Y)" names_of_processes
tool_case "lines that are left out" quiet
tool_case "environment and user of the command" the_command
tool_case "the tracer as a grandchild" daemons
tool_case "signals that do not end it" interruptible
tool_case "signals that end it" ended_by_signals
tool_case "let go at an execve (-b)" let_go
tool_case "killed as the command was" ends_like_the_command
tool_case "help and version" help_and_version
tool_done
