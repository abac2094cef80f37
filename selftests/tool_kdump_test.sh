#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Capture files in the form of kdump, by its name and with its options.

set -u
. lib/tap.sh
. lib/tool.sh

# A program of known deeds is recorded into ktrace.out.
record() {
	cd "$T" || exit 1
	ln -s "$(command -v ktrctl)" kdump
	run "$1" ktrctl record -f -s 4096 --event sched,marker -o ktrace.out \
		-- sh -c "${@:2}"
}

# Lines of the header "pid comm", and the word.
line() {
	printf '^ *[0-9]+ %-8s %-4s  %s' "$1" "$2" "$3"
}

calls_and_results() {
	record 3 'cat /etc/hostname >/dev/null; cat /no/such/file; exit 3'
	run 0 ./kdump
	# One that has to wait is told when it begins, under the old name.
	in_order "$T/out" ' CALL  execve\(0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+\)$' \
		' NAMI  "/usr/bin/sh"$' "$(line sh RET 'execve 0$')" \
		"$(line cat CALL 'openat\(AT_FDCWD,0x[0-9a-f]+,0(x0)?<O_RDONLY>\)$')" \
		"$(line cat NAMI '"/etc/hostname"$')" "$(line cat RET 'openat 3$')" \
		"$(line cat STRU 'struct stat \{st_mode=S_IFREG\|0644, ')" \
		"$(line cat NAMI '"/no/such/file"$')" \
		"$(line cat RET 'openat -1 errno 2 No such file or directory$')" \
		"$(line sh CALL 'exit_group\(0x3\)$')" \
		"$(line sh PDTR 'exited with 3$')"
	lacks "$T/out" 'RET   exit_group'
	run 0 ./kdump -dn
	has "$T/out" 'openat\(-100,[0-9]+,0\)$'
	has "$T/out" 'RET   openat -1 errno 2$'
	run 0 ./kdump -SA
	has "$T/out" 'CALL  \[x86-64\] openat\[257\]\('
}

data() {
	record 0 'printf "one\ntwo\t\1\200end" >"$0/x"; exec sort "$0/x"' "$T"
	run 0 ./kdump -t i
	in_order "$T/out" "$(line sh GIO 'fd 1 wrote 13 bytes$')" \
		'^       "one$' $'^\ttwo\t\\\\\\^A\\\\M\\^@end"$' \
		"$(line sort GIO 'fd [0-9] read 13 bytes$')"
	lacks "$T/out" 'CALL|RET|NAMI|CSW'
	run 0 ./kdump -t i -m 3
	has "$T/out" '^       "one"\.\.\.$'
	run 0 ./kdump -t i -s
	has "$T/out" "$(line sort GIO 'fd [0-9] read 13 bytes$')"
	lacks "$T/out" 'one|"'
}

signals_switches_markers() {
	record 137 'trap : USR1; kill -USR1 $$; sleep 0.05
		ktrctl mark "a mark"; kill -9 $$'
	run 0 ./kdump
	has "$T/out" "$(line sh PSIG 'SIGUSR1 caught handler=0x[0-9a-f]+ mask=0x0 code=SI_USER$')" 1
	has "$T/out" "$(line sh PSIG 'SIGKILL SIG_DFL code=SI_USER$')" 1
	has "$T/out" "$(line ktrctl USER '6 "a mark"$')" 1
	in_order "$T/out" "$(line sleep CALL 'clock_nanosleep\(')" \
		"$(line sleep CSW 'stop kernel "do_nanosleep"$')" \
		"$(line sleep CSW 'resume kernel "do_nanosleep"$')" \
		"$(line sleep RET 'clock_nanosleep 0$')" \
		"$(line sleep PDTR 'exited with 0$')" "$(line sleep CSW 'stop kernel ""$')"
	has "$T/out" "$(line sh PDTR 'killed by SIGKILL$')" 1
	run 0 ./kdump -t +
	lacks "$T/out" 'CSW'
	has "$T/out" 'PSIG'
}

# Who is put off inside a call has begun it: with two for one CPU. A thread's time
# never runs backward.
preempted_inside_calls() {
	record 0 'for i in 1 2; do
			taskset -c 0 dd if=/dev/zero of=/dev/null bs=16M count=20 2>/dev/null &
		done; wait'
	run 0 ./kdump -R -t cw
	in_order "$T/out" "$(timed dd CALL 'read\(')" "$(timed dd CSW 'stop user ""$')" \
		"$(timed dd CSW 'resume user ""$')" "$(timed dd RET 'read 16777216')"
	run 0 ./kdump -T -t cw
	awk '$3 < last[$1] { print "backward:", $0; bad = 1 } { last[$1] = $3 } END { exit bad }' \
		"$T/out" || fail "time runs backward" "$(head -n 100 "$T/out")"
}

timed() {
	printf '^ *[0-9]+ %-8s +-?[0-9.]+ %-4s  %s' "$1" "$2" "$3"
}

# The beginning of a program of Python: its second thread waits.
TWO_THREADS='import os, signal, sys, threading
here = threading.Event()
def wait():
    here.set()
    signal.pause()
threading.Thread(target=wait).start()
here.wait()'

# The library tells of this signal alone, or of none.
library_tells() {
	[ -x "$HERE/ktrace_user" ] || return 0
	run 0 "$HERE/ktrace_user" read ktrace.out
	has "$T/out" ' PSIG ' $#
	[ $# = 0 ] || has "$T/out" " PSIG $1\$" 1
}

# The kernel calls SIGKILL whatever ends a process: the line has the real one, once.
deaths() {
	record 143 'kill -TERM $$'
	run 0 ./kdump
	has "$T/out" ' PSIG ' 1
	has "$T/out" "$(line sh PSIG 'SIGTERM SIG_DFL code=SI_USER$')" 1
	has "$T/out" "$(line sh PDTR 'killed by SIGTERM$')" 1
	library_tells 15
	for sig in USR1 SEGV; do
		rm ktrace.out
		ktrctl record -f -o ktrace.out -- sh -c 'ulimit -c unlimited
			exec python3 -c "$@"' sh "$TWO_THREADS
os.kill(os.getpid(), signal.Signals['SIG' + sys.argv[1]])
signal.pause()" "$sig" 2>"$T/err"
		run 0 ./kdump
		has "$T/out" " PSIG  " 1
		has "$T/out" "$(line python3 PSIG "SIG$sig SIG_DFL code=SI_USER$")" 1
		has "$T/out" "$(line python3 PDTR "killed by SIG$sig(, core dumped)?$")" 2
		library_tells "$(kill -l $sig)"
	done
	# Threads that end with their process were sent no signal.
	rm ktrace.out
	ktrctl record -f -o ktrace.out -- python3 -c "$TWO_THREADS
os._exit(3)" 2>"$T/err"
	run 0 ./kdump
	lacks "$T/out" ' PSIG '
	has "$T/out" ' PDTR  exited with 3$' 2
	library_tells
}

whose_and_when() {
	record 0 'cat /dev/null; true'
	run 0 ./kdump -H
	has "$T/out" '^ *([0-9]+) +\1 cat      CALL  '
	parent=$(awk '{ print $1; exit }' <(./kdump))
	child=$(awk '$2 == "cat" { print $1; exit }' <(./kdump))
	run 0 ./kdump -p "$child"
	has "$T/out" "^ *$child cat"
	lacks "$T/out" "^ *$parent "
	run 0 ./kdump -c
	has "$T/out" '^ *[0-9]+ cat +[0-9]+ CALL  '
	lacks "$T/out" '^ *[0-9]+ [^ ]+ +[A-Z]'
	run 0 ./kdump -E
	head -n 1 "$T/out" >"$T/first"
	has "$T/first" '^ *[0-9]+ [^ ]+ +0\.000000000 '
	run 0 ./kdump -T
	has "$T/out" "^ *[0-9]+ sh +$(date +%s | cut -c1-7)[0-9]{3}\.[0-9]{9} CALL"
	run 0 ./kdump -R
	has "$T/out" '^ *[0-9]+ cat +0\.[0-9]{9} RET '
}

# A name of the program's own making stays in its line.
hostile_names() {
	cp /usr/bin/true "$T/$(printf 'a\nb)')"
	record 0 '"$0/a
b)"' "$T"
	run 0 ./kdump -t c
	has "$T/out" '^ *[0-9]+ a\\nb\)'
	lacks "$T/out" '^b\)'
}

growing() {
	mkfifo "$T/fifo"
	record 0 'true'
	ktrctl record -f -o "$T/live" -- sh -c 'read x <"$0"; cat /etc/hostname' \
		"$T/fifo" >/dev/null 2>&1 &
	wait_for 200 test -s "$T/live" || fail "no file"
	./kdump -l -f "$T/live" >"$T/out" 2>&1 &
	await 'NAMI  ".*/fifo"' "$T/out"
	lacks "$T/out" 'hostname'
	echo >"$T/fifo"
	await 'NAMI  "/etc/hostname"' "$T/out"
}

# As tail -f does with a file that has become shorter.
growing_and_cut() {
	record 0 'cat /etc/hostname'
	mv ktrace.out whole
	cp whole live
	./kdump -l -f live >"$T/out" 2>"$T/err" &
	READER=$!
	await 'NAMI  "/etc/hostname"' "$T/out"
	: >live
	await 'was cut' "$T/err"
	says 'live was cut: what comes is printed as a new file'
	cat whole >>live
	wait_for 60 has_lines 2 'NAMI  "/etc/hostname"' || fail "$(cat "$T/out")"
	# In the midst of its header: that is no loss of what was printed.
	head -c 20 whole >live
	wait_for 60 has_cuts 2 || fail "$(cat "$T/err")"
	wait_for 60 has_read 20 || fail "not read"
	: >live
	cat whole >>live
	wait_for 60 has_lines 3 'NAMI  "/etc/hostname"' || fail "$(cat "$T/out")"
	has_cuts 2 || fail "$(cat "$T/err")"
	lacks "$T/out" 'damaged'
	run 2 ./kdump -l -f "$T"
	says 'Is a directory'
}

has_lines() {
	[ "$(grep -cE -- "$2" "$T/out")" = "$1" ]
}

# Nobody misses what he has not read.
has_read() {
	grep -qE "^pos:[[:space:]]+$1$" /proc/$READER/fdinfo/*
}

has_cuts() {
	[ "$(grep -c 'was cut' "$T/err")" = "$1" ]
}

bad_use() {
	cd "$T" || exit 1
	ln -s "$(command -v ktrctl)" kdump
	run 2 ./kdump
	says 'cannot read ktrace.out: No such file'
	run 2 ./kdump -x
	says 'unknown option -x'
	run 2 ./kdump -f
	says '-f needs an argument: use kdump '
	run 2 ./kdump -p me
	says '-p me is no number'
	run 2 ./kdump -p 0
	says '-p 0 is no process'
	run 2 ./kdump -t cq
	says '-t cq: the letters are'
	run 2 ./kdump file
	says "unexpected argument 'file'"
	echo none >file
	run 3 ./kdump -f file
	says 'file is no capture file'
	: >file
	run 3 ./kdump -f file
	says 'file is empty: nothing was recorded'
}

# What is taken, what a message names and what the page describes are the same.
options_are_described() {
	local letter taken named page=$HERE/pages/ktrctl-kdump.1
	cd "$T" || exit 1
	ln -s "$(command -v ktrctl)" kdump
	run 2 ./kdump -x
	named=$(sed -n 's/.*use kdump \[-\([A-Za-z]*\)\].*/\1/p' "$T/err")fmpt
	has "$page" "^\.Op Fl ${named%fmpt}\$" 1
	for letter in {a..z} {A..Z}; do
		./kdump "-$letter" 1 >/dev/null 2>"$T/err"
		grep -q 'unknown option' "$T/err" && continue
		taken+=$letter
		has "$page" "^\.It Fl (. , )*$letter( |\$)" 1
	done
	[ "$(fold -w1 <<<"$taken" | sort)" = "$(fold -w1 <<<"$named" | sort)" ] ||
		fail "taken $taken, named $named"
}

tool_case "calls, paths, structs and results" calls_and_results
tool_case "bytes of input and output" data
tool_case "signals, switches, markers" signals_switches_markers
tool_case "switches inside calls" preempted_inside_calls
tool_case "signals that end a process" deaths
tool_case "processes and times" whose_and_when
tool_case "hostile names" hostile_names
tool_case "a file that grows" growing
tool_case "a file that grows, and is cut" growing_and_cut
tool_case "options and their page" options_are_described
tool_case "bad use" bad_use
tool_done
