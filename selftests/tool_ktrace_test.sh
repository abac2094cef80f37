#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ktrace() by libktrace, and ktrctl called as ktrace.

set -u
. lib/tap.sh
. lib/tool.sh

HIM=(setpriv --reuid 1000 --regid 1000 --clear-groups)

# Names to call it by.
begin() {
	cd "$T" || exit 1
	ln -s "$(command -v ktrctl)" ktrace
	ln -s "$(command -v ktrctl)" kdump
}

user() {
	"$HERE/ktrace_user" "$@"
}

nobody() {
	[ -z "$(ktrctl list)" ]
}

tune() {
	echo "$2" >"/proc/sys/kernel/ktrace/$1"
}

the_call() {
	begin
	[ -x "$HERE/ktrace_user" ] || skip "the library was not built"
	run 0 "$HERE/ktrace_user" trace ktrace.out
	pid=$(cat "$T/out")
	run 0 ./kdump
	in_order "$T/out" 'CALL  openat\(AT_FDCWD,' 'NAMI  "/proc/sys/kernel/ostype"$' \
		'RET   openat [0-9]' 'CALL  read\(' 'SCTL  "kernel.ostype" old "Linux\\n"$' \
		'GIO   fd [0-9]+ read 6 bytes$' '^       "Linux$' 'RET   read 6$' \
		'NAMI  "/no/such/file"$' 'RET   newfstatat -1 errno 2 ' \
		'STRU  struct stat \{st_mode=' 'PFLT  0x[0-9a-f]+ VM_PROT_WRITE user$' \
		'PRET  KERN_SUCCESS minor 0\.[0-9]{9}$' 'PSIG  SIGUSR1 caught ' \
		'USER  5 "first"$' "PCTR  child=[0-9]+ parent=$pid" 'PDTR  exited with 7$' \
		'RET   wait4 [0-9]'
	# Two trace points less, all others as before; then nothing at all.
	has "$T/out" 'PSIG  SIGUSR1' 1
	has "$T/out" 'SCTL  "kernel.ostype"' 2
	lacks "$T/out" 'SCTL .*old ""'
	has "$T/out" 'PDTR  exited with 7$' 2
	lacks "$T/out" 'USER .*"second"|"third"'
	nobody || fail "$(ktrctl list)"
}

the_records() {
	begin
	[ -x "$HERE/ktrace_user" ] || skip "the library was not built"
	run 0 "$HERE/ktrace_user" trace ktrace.out
	pid=$(cat "$T/out")
	run 0 "$HERE/ktrace_user" read ktrace.out
	in_order "$T/out" "^$pid $pid ktrace_user $(date +%s | cut -c1-6)[0-9]+ CALL 257 [34]$" \
		' NAMI /proc/sys/kernel/ostype$' ' RET 257 [0-9]+ 0$' ' CALL 0 3$' \
		' SCTL kernel.ostype Linux$' ' GIO [0-9]+ 0 6$' ' RET 0 6 0$' \
		' NAMI /no/such/file$' ' RET 262 -1 2$' ' STRU stat$' ' PFLT$' ' PRET$' \
		' PSIG 10$' ' USER first$' " PCTR [0-9]+ $pid 0\$" ' PDTR$'
}

# One without privilege, from the manual page alone, on a process of his own.
of_a_user() {
	begin
	[ -x "$HERE/ktrace_user" ] || skip "the library was not built"
	chmod 755 "$TOP"
	chmod 777 "$T"
	run 0 "${HIM[@]}" "$HERE/ktrace_user" trace ktrace.out
	pid=$(cat "$T/out")
	[ "$(stat -c %u ktrace.out)" = 1000 ] || fail "the file is not his"
	run 0 "${HIM[@]}" "$HERE/ktrace_user" read ktrace.out
	in_order "$T/out" "^$pid $pid ktrace_user [0-9]+ CALL 257 [34]$" \
		' NAMI /proc/sys/kernel/ostype$' ' GIO [0-9]+ 0 6$' ' RET 0 6 0$' \
		' RET 262 -1 2$' ' STRU stat$' ' PSIG 10$' ' USER first$' \
		" PCTR [0-9]+ $pid 0\$" ' PDTR$' ' NAMI /proc/sys/kernel/ostype$'
	# Of what is root's there is nothing, nor of what was cleared.
	has "$T/out" ' CSW 0 [01] $'
	lacks "$T/out" ' CSW [01] [01] [^ ]'
	lacks "$T/out" ' (SCTL|PFLT|PRET|CAP)| USER second|third'
	has "$T/out" ' PSIG 10$' 1
}

# One file has one trace: of another user's it is refused, until root clears it.
two_users() {
	begin
	chmod 755 "$TOP"
	chmod 777 "$T"
	: >shared
	chmod 666 shared
	"${HIM[@]}" sleep 1000 &
	his=$!
	wait_for 20 is_his $his || fail "it does not run"
	run 0 "${HIM[@]}" ./ktrace -f shared -p $his
	wait_for 20 test -s shared || fail "nothing is written"
	run 2 setpriv --reuid 1001 --regid 1001 --clear-groups ./ktrace -f shared touch ran
	says 'shared is written by another trace'
	[ ! -e ran ] && [ -s shared ] || fail "it was not left alone"
	# His own goes on, with one more process.
	"${HIM[@]}" sleep 1000 &
	his=$!
	wait_for 20 is_his $his || fail "it does not run"
	run 0 "${HIM[@]}" ./ktrace -a -f shared -p $his
	has <(ktrctl list) ' 2 targets .* of user 1000$' 1
	run 0 ./ktrace -c -f shared
	nobody || fail "$(ktrctl list)"
	run 0 ./kdump -f shared
}

is_his() {
	[ "$(stat -c %u "/proc/$1")" = 1000 ]
}

errors() {
	begin
	[ -x "$HERE/ktrace_user" ] || skip "the library was not built"
	run 0 "$HERE/ktrace_user" errors "$T"
	chmod 755 "$TOP" "$T"
	mkdir his
	chmod 777 his
	run 0 "${HIM[@]}" "$HERE/ktrace_user" errors "$T/his"
	nobody || fail "$(ktrctl list)"
}

goes_on() {
	begin
	[ -x "$HERE/ktrace_user" ] || skip "the library was not built"
	mkfifo fifo
	sh -c 'read x <fifo; cat /etc/hostname >/dev/null; exit 5' &
	wait_for 20 sleeps $! || fail "no process"
	: >ktrace.out
	run 0 "$HERE/ktrace_user" leave ktrace.out $!
	echo >fifo
	wait_for 20 nobody || fail "$(ktrctl list)"
	run 0 ./kdump
	has "$T/out" 'PDTR  exited with 5$'
	lacks "$T/out" 'NAMI  "/etc/hostname"'
}

front_end() {
	begin
	run 3 ./ktrace -i sh -c 'cat /etc/hostname; exit 3'
	wait_for 20 nobody || fail "$(ktrctl list)"
	run 0 ./kdump
	in_order "$T/out" 'NAMI  "/usr/bin/sh"$' ' cat +NAMI  "/etc/hostname"$' \
		'PDTR  exited with 0$' 'PDTR  exited with 3$'
	lacks "$T/out" 'PFLT|CSW|CAP '
	run 0 ./ktrace -t f true
	wait_for 20 nobody || fail "$(ktrctl list)"
	run 0 ./kdump
	has "$T/out" 'PFLT'
	lacks "$T/out" 'CALL|hostname'
	run 0 ./ktrace -a -t n cat /etc/hostname
	wait_for 20 nobody || fail "$(ktrctl list)"
	run 0 ./kdump
	in_order "$T/out" 'PFLT' 'NAMI  "/etc/hostname"$'
}

processes_and_groups() {
	begin
	setsid sh -c 'sleep 1000 & sleep 1000 & echo $$ >group; wait' &
	wait_for 20 test -s group || fail "no processes"
	group=$(cat group)
	run 0 ./ktrace -g "$group"
	has <(ktrctl list) ' 3 targets '
	run 0 ./ktrace -c -t s -p "$group"
	has <(ktrctl list) ' 3 targets '
	run 0 ./ktrace -c -p "$group"
	has <(ktrctl list) ' 2 targets '
	run 0 ./ktrace -a -d -p "$group"
	has <(ktrctl list) ' 3 targets '
	run 0 ./ktrace -f other -p "$group"
	has <(ktrctl list) '^ktrace:' 2
	run 0 ./ktrace -c
	has <(ktrctl list) '^ktrace:' 1
	run 0 ./ktrace -C
	wait_for 20 nobody || fail "$(ktrctl list)"
	kill -- "-$group"
}

bad_use() {
	begin
	run 2 ./ktrace
	says 'what\? use ktrace '
	run 2 ./ktrace -x
	says 'unknown option -x'
	run 2 ./ktrace -p
	says '-p needs an argument: use ktrace '
	run 2 ./ktrace -t cq true
	says "-t 'cq': there is no 'q': the letters are"
	run 2 ./ktrace -t '' true
	says "-t '': the letters are"
	run 2 ./ktrace -f '' true
	says '-f: the file has no name: use ktrace '
	run 2 ./ktrace -p me
	says '-p me is no process'
	# A file that is there is left as it is.
	echo kept >file
	run 2 ./ktrace -f file -p 999999
	says 'process 999999: no such process'
	run 2 ./ktrace -f file -g 999999
	says 'process group 999999: no such process'
	has file '^kept$' 1
	mkfifo fifo
	run 2 ./ktrace -f fifo true
	says 'fifo'
	ln -s target link
	run 2 ./ktrace -f link true
	says 'cannot write link: it is a symbolic link'
	[ ! -e target ] || fail "the link was followed"
	nobody || fail "$(ktrctl list)"
}

tunables() {
	begin
	trap 'tune genio_size 131072; tune request_pool 0; end_case' EXIT
	head -c 1000 /dev/zero | tr '\0' z >data
	tune genio_size 10 || fail "no sysctl"
	run 0 ./ktrace -t i dd if=data of=/dev/null bs=1000 status=none
	wait_for 20 nobody || fail "$(ktrctl list)"
	run 0 ./kdump
	has "$T/out" 'GIO   fd [0-9] read 1000 bytes$'
	has "$T/out" '^       "zzzzzzzzzz"\.\.\.$'
	ktrctl status >status
	has status 'genio_size 10, request_pool 0$'
	tune request_pool 20 || fail "no sysctl"
	# While the reader stands still, what is more than these is lost.
	mkfifo go
	sh -c 'read x <go; i=0
		while [ $i -lt 2000 ]; do : <"$0"; i=$((i + 1)); done' data &
	pid=$!
	ktrctl record -o few --event namei -p $pid 2>"$T/err" &
	await 'attached' "$T/err"
	kill -STOP $!
	echo >go
	wait $pid
	kill -CONT $!
	wait $!
	few=$(sed -n 's/.*lost \([0-9]*\).*/\1/p' "$T/err" | tail -n 1)
	[ "$few" -gt 0 ] || fail "nothing was lost" "$(cat "$T/err")"
	! tune request_pool 99999999999 2>/dev/null || fail "too much was taken"
}

tool_case "every trace point, two cleared, the file cleared" the_call
tool_case "records by the library" the_records
tool_case "a user's program" of_a_user
tool_case "two users and a file" two_users
tool_case "errors of the call" errors
tool_case "the trace goes on" goes_on
tool_case "called as ktrace" front_end
tool_case "processes and groups" processes_and_groups
tool_case "bad use" bad_use
tool_case "tunables" tunables
tool_done
