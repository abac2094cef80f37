#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The files of ktrace: which are refused, locked, damaged, and disks that are full.

set -u
. lib/tap.sh
. lib/tool.sh
. lib/ktrace.sh

# FILE is refused.
refused() {
	local words=$1
	shift
	run 2 ./ktrace "$@" touch ran
	says "$words"
}

files() {
	local long
	begin_open
	long=$(printf 'n%.0s' {1..300})
	mkfifo fifo
	mkdir dir locked
	ln -s target link
	ln -s loop loop
	echo >file
	refused 'fifo: it is no regular file' -f fifo
	refused 'dir: it is no regular file' -f dir
	refused 'link: it is a symbolic link' -f link
	refused 'loop/file: Too many levels of symbolic links' -f loop/file
	refused 'file/file: Not a directory' -f file/file
	refused "$long: File name too long" -f "$long"
	refused 'none/file: No such file or directory' -f none/file
	refused '/dev/null: it is no regular file' -f /dev/null
	[ ! -e target ] || fail "the link was followed"
	chmod 700 locked
	run 2 "${HIM[@]}" ./ktrace -f locked/file touch ran
	says 'locked/file: Permission denied'
	chmod 600 file
	run 2 "${HIM[@]}" ./ktrace -a -f file touch ran
	says 'file: Permission denied'
	[ ! -e ran ] || fail "the command ran"
	nobody || fail "$(ktrctl list)"
	# Records are appended; without -a the file is emptied first.
	run 0 ./ktrace -f whole -t n cat /etc/hostname
	wait_for 60 nobody || fail "$(ktrctl list)"
	run 0 ./ktrace -f whole -a -t n cat /etc/hosts
	traced -f whole
	in_order "$T/out" '/etc/hostname' '/etc/hosts"'
	run 0 ./ktrace -f whole -t n cat /etc/hosts
	traced -f whole
	lacks "$T/out" '/etc/hostname'
}

# A block of the middle is damaged: said where; what comes behind is printed.
damage() {
	local size
	begin
	run 0 ./ktrace -i -t cn sh -c 'cat /no/first; sleep 0.6; cat /no/middle
		cat /etc/services /etc/hosts; sleep 0.6; cat /no/last; true'
	traced
	in_order "$T/out" '/no/first' '/no/last'
	size=$(stat -c %s ktrace.out)
	printf 'XXXXXXXXXXXXXXXX' | dd of=ktrace.out bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
	run 3 ./kdump
	says 'ktrace.out is damaged at offset [0-9]+'
	in_order "$T/out" '/no/first'
	in_order "$T/out" 'PDTR  exited with 0$'
	[ -x "$HERE/ktrace_user" ] || skip "the library was not built"
	"$HERE/ktrace_user" read ktrace.out >"$T/out"
	has "$T/out" '^read: Structure needs cleaning$' 1
}

# Who may not trace keeps what he had.
refused_and_untouched() {
	begin_open
	"${HIM[@]}" sh -c 'echo precious >his'
	run 5 "${HIM[@]}" ./ktrace -f his -p $$
	says "process $$: not permitted"
	run 2 "${HIM[@]}" ./ktrace -f his -p 4194303
	[ "$(cat his)" = precious ] || fail "it was emptied"
	nobody || fail "$(ktrctl list)"
	run 0 "${HIM[@]}" ./ktrace -f his -t n true
	wait_for 60 nobody || fail "$(ktrctl list)"
	[ "$(head -c 6 his)" = KTRCAP ] || fail "it is no trace"
}

# A user's memory is bounded: the more traces he has, the smaller are their rings.
many_of_a_user() {
	local i other
	begin_open
	"${HIM[@]}" sleep 1000 &
	sleeper=$!
	wait_for 60 grep -q '^sleep$' "/proc/$sleeper/comm" || fail "it does not sleep"
	for i in 1 2 3 4; do
		run 0 "${HIM[@]}" ./ktrace -f "trace$i" -p $sleeper
	done
	has <(ktrctl list) ' of user 1000$' 4
	# One too many: the file that it was for stays as it is.
	run 0 "${HIM[@]}" ./ktrace -c -f trace1
	run 0 ./kdump -f trace1
	cp trace1 before
	for i in 5 6 7 8 9 10 11 12; do
		"${HIM[@]}" ./ktrace -f "trace$i" -p $sleeper 2>/dev/null || break
	done
	[ $i -lt 12 ] || fail "$(ktrctl list)"
	# One that there is takes another process.
	"${HIM[@]}" sleep 1000 &
	other=$!
	wait_for 60 grep -q '^sleep$' "/proc/$other/comm" || fail "it does not sleep"
	run 0 "${HIM[@]}" ./ktrace -a -f trace2 -p $other
	has <(ktrctl list) ' 2 targets .*/trace2"' 1
	kill $other
	for i in '-p '$sleeper 'touch ran'; do
		# shellcheck disable=SC2086
		run 2 "${HIM[@]}" ./ktrace -f trace1 $i
		says 'as many traces, or as much memory for them|no memory for one more trace'
	done
	cmp trace1 before || fail "it is another now"
	[ ! -e ran ] || fail "the command ran"
	kill $sleeper
	wait_for 60 nobody || fail "$(ktrctl list)"
	run 0 ./kdump -f trace4
	has "$T/out" 'PDTR +killed by SIGTERM' 1
}

# The same that keeps root from writing to what he did not mean keeps a user.
files_of_a_user() {
	local name
	begin_open
	: >roots
	chmod 666 roots
	"${HIM[@]}" sh -c 'mkdir his; ln -s ../roots his/link; mkfifo his/fifo; mkdir his/dir'
	for name in link fifo dir; do
		run 2 "${HIM[@]}" ./ktrace -a -f his/$name touch ran
		says "cannot write his/$name: "
		run 2 "${HIM[@]}" ./ktrace -c -f his/$name
	done
	[ ! -e ran ] || fail "the command ran"
	[ ! -s roots ] || fail "the link was followed"
	nobody || fail "$(ktrctl list)"
}

# Who may only read the file cannot refuse it to who traces into it.
locked_by_a_reader() {
	begin_open
	: >file
	chmod 644 file
	mkfifo held
	chmod 666 held
	"${HIM[@]}" python3 -c 'import fcntl, time
file = open("file")
fcntl.lockf(file, fcntl.LOCK_SH)
open("held", "w").close()
time.sleep(1000)' &
	timeout 100 cat held || fail "no lock"
	run 0 ./ktrace -a -f file -t n cat /etc/hostname
	traced -f file
	has "$T/out" 'NAMI  "/etc/hostname"$'
	run 0 ./ktrace -f file -t n cat /etc/hosts
	traced -f file
	has "$T/out" 'NAMI  "/etc/hosts"$'
	lacks "$T/out" 'hostname'
	run 2 ktrctl record -o file -- true
	says 'a process that reads it has locked it'
	# Nor does it let two write.
	doer
	run 0 ./ktrace -f file -t n -p $PID
	chmod 666 file
	run 2 "${HIM[@]}" ./ktrace -a -f file true
	says 'file is written by another trace'
	run 0 ./ktrace -c -f file
	run 0 ./kdump -f file
	chmod 644 file
}

# What is written there is an order, or nonsense: not a byte is.
files_of_the_kernel() {
	local file before who
	begin_open
	for file in /proc/sys/kernel/core_pattern /sys/kernel/mm/transparent_hugepage/enabled \
		/sys/module/ktracer/parameters/user_mib /proc/self/oom_score_adj; do
		[ -w "$file" ] || continue
		before=$(cat "$file")
		for who in '' -a; do
			# shellcheck disable=SC2086
			run 2 ./ktrace $who -f "$file" touch ran
			says "cannot write $file: the module writes where files are kept, .*: choose"
		done
		[ "$(cat "$file")" = "$before" ] || fail "$file: $(cat "$file")"
		run 2 ktrctl record --detach it -o "$file" -- true
		says 'keeps no data'
		[ "$(cat "$file")" = "$before" ] || fail "$file: $(cat "$file")"
	done
	[ ! -e ran ] || fail "the command ran"
	nobody || fail "$(ktrctl list)"
}

# Records behind something else could not be read.
appends_to_traces_alone() {
	begin_open
	echo 'some text, longer than the header of a trace file would be: 64 bytes' >text
	echo short >short
	run 0 ./ktrace -f trace -t n cat /etc/hostname
	wait_for 60 nobody || fail "$(ktrctl list)"
	cp trace newer
	printf '\377' | dd of=newer bs=1 seek=12 conv=notrunc 2>/dev/null
	for file in text short newer; do
		cp $file before
		run 2 ./ktrace -a -f $file touch ran
		says "$file is not empty and no trace file .*: choose another"
		cmp $file before || fail "$file was changed"
	done
	[ ! -e ran ] || fail "the command ran"
	nobody || fail "$(ktrctl list)"
	# What is empty or absent is fine, and so is a trace, also one that was cut.
	: >empty
	run 0 ./ktrace -a -f empty -t n cat /etc/hosts
	traced -f empty
	has "$T/out" 'NAMI  "/etc/hosts"$'
	run 0 ./ktrace -a -f absent -t n cat /etc/hosts
	traced -f absent
	truncate -s -13 trace
	run 0 ./ktrace -a -f trace -t n cat /etc/hosts
	wait_for 60 nobody || fail "$(ktrctl list)"
	run 3 ./kdump -f trace
	in_order "$T/out" 'NAMI  "/etc/hostname"$' 'NAMI  "/etc/hosts"$'
	# Who may write it, and not read, is believed.
	chmod 222 text
	run 0 "${HIM[@]}" ./ktrace -a -f text true
	wait_for 60 nobody || fail "$(ktrctl list)"
}

# A block that was cut says how much is to come: what is appended is not taken for it.
appended_to_a_cut() {
	local part calls
	begin_open
	# shellcheck disable=SC2016
	run 0 ./ktrace -f whole sh -c 'i=0
		while [ $i -lt 300 ]; do kill -0 $$; i=$((i + 1)); done'
	traced -f whole
	for part in 10 40 70 99; do
		head -c $(($(stat -c %s whole) * part / 100)) whole >torn
		run 3 ./kdump -f torn
		calls=$(grep -c 'CALL  kill(' "$T/out")
		run 0 ./ktrace -a -f torn -t n cat /etc/hosts
		wait_for 60 nobody || fail "$(ktrctl list)"
		run 3 ./kdump -f torn
		says 'torn is damaged at offset [0-9]+, [0-9]+ bytes in [12] place'
		has "$T/out" 'CALL  kill\(' "$calls"
		has "$T/out" 'NAMI  "/etc/hosts"$'
	done
	[ "$calls" -gt 200 ] || fail "only $calls calls"
}

# It is refused soon, however long a session takes to come and go.
written_by_another() {
	local start
	begin_open
	doer
	run 0 ./ktrace -f file -t n -p $PID
	chmod 666 file
	start=$SECONDS
	run 2 "${HIM[@]}" ./ktrace -a -f file true
	says 'file is written by another trace'
	echo "refused after $((SECONDS - start)) s"
	[ $((SECONDS - start)) -lt 15 ] || fail "that took long"
	run 2 "${HIM[@]}" ./ktrace -f file true
	says 'file is written by another trace'
	# Nor can he end it: it is no success that it goes on.
	run 2 "${HIM[@]}" ./ktrace -c -f file
	says 'file is written by another trace'
	has <(ktrctl list) '^ktrace:.* 1 targets ' 1
	run 0 ./ktrace -c -f file
	nobody || fail "$(ktrctl list)"
}

# Writing fails: that trace ends with its reason, there and in the log; others go on.
# full_disk [COMMAND...]: of one who runs his own by that command
full_disk() {
	local other missing follower
	begin_open
	mkdir small
	mount -t tmpfs -o size=64k,mode=1777 none small || skip "no mount"
	doer "$@"
	other=$PID
	wait_for 60 runs_as "$other" "$("$@" id -u)" || fail "it does not run"
	run 0 "$@" ./ktrace -f other -t n -p "$other"
	dmesg | wc -l >lines
	"$@" sh -c 'while :; do kill -0 $$; done' &
	PID=$!
	wait_for 60 runs_as $PID "$("$@" id -u)" || fail "it does not run"
	run 0 "$@" ./ktrace -f small/file -p $PID
	./kdump -l -f small/file >followed 2>followed.err &
	follower=$!
	wait_for 200 is_stopped || fail "$(ktrctl list)"
	# Nobody writes it any more, though its process goes on.
	run 0 ./kdump -f small/file
	missing=$(sed -n 's/^Events dropped: \([0-9]*\), the file had no room for them$/\1/p' "$T/out")
	[ "$missing" -gt 0 ] || fail "$(tail -3 "$T/out")"
	has <(ktrctl list) "No space left on device, $missing records are missing there"
	# Who follows the file sees its end, too.
	await "^Events dropped: $missing, the file had no room" followed
	kill $follower
	[ ! -s followed.err ] || fail "$(cat followed.err)"
	cmp "$T/out" followed || fail "kdump -l printed something else"
	kill -KILL $PID
	tail -n "+$(($(cat lines) + 1))" <(dmesg) >"$T/log"
	has "$T/log" "cannot write to its file: -ENOSPC, it is stopped; $missing records are missing there"
	do_it 'true </no/later'
	# Its end does not take the reason away; who clears the file does.
	wait_for 60 remains || fail "$(ktrctl list)"
	run 0 "$@" ./ktrace -c -f small/file
	wait_for 60 eval '! remains' || fail "$(ktrctl list)"
	kill -KILL "$other"
	wait_for 60 nobody || fail "$(ktrctl list)"
	run 0 ./kdump -f other
	has "$T/out" 'NAMI  "/no/later"$' 1
	run 0 ./kdump -f small/file
	has "$T/out" 'RET   kill 0$'
	# There is no room for one more trace: what is there stays as it is.
	cp small/file before
	run 2 "$@" ./ktrace -a -f small/file touch ran
	says 'small/file: No space left on device'
	[ ! -e ran ] || fail "the command ran"
	cmp small/file before || fail "it is another now"
	wait_for 200 umount small
}

# By a key, say: what was made for it goes with it.
interrupted() {
	local i
	begin_open
	for i in 2 3 4 5 6 7 8 9 10 11 12 13 14 16 18 20 24 28; do
		for sig in INT TERM; do
			"${HIM[@]}" timeout -s $sig "$(printf '0.%03d' $((i * 10)))" \
				./ktrace -f file sleep 0.01
			[ ! -e file ] || [ -s file ] || fail "after ${i}0 ms by SIG$sig an empty file is left"
			rm -f file
		done
	done
	wait_for 60 nobody || fail "$(ktrctl list)"
}

# The limit is used, and who sees the file sees that it is not all: what is there and what
# is missing are as much as a file without limit has.
limit_on_files() {
	local all some missing
	begin_open
	# shellcheck disable=SC2016
	echo 'i=0; while [ $i -lt 1000 ]; do kill -0 $$; i=$((i + 1)); done' >script
	run 0 "${HIM[@]}" ./ktrace -f all -t c sh script
	traced -f all
	all=$(grep -cE ' (CALL|RET)  ' "$T/out")
	[ "$all" -gt 2000 ] || fail "$all calls and returns"
	# shellcheck disable=SC2016
	run 0 "${HIM[@]}" bash -c 'ulimit -f 16; exec ./ktrace -f limited -t c sh script'
	wait_for 60 eval 'ktrctl list | grep -q "limited.: File too large"' || fail "$(ktrctl list)"
	run 0 ./kdump -f limited
	some=$(grep -cE ' (CALL|RET)  ' "$T/out")
	missing=$(sed -n 's/^Events dropped: \([0-9]*\), the file had no room for them$/\1/p' "$T/out")
	echo "$all in all: $some, and $missing are missing"
	[ "$some" -gt 100 ] || fail "$some calls and returns"
	[ "$missing" -gt 0 ] || fail "$(tail -3 "$T/out")"
	[ "$(stat -c %s limited)" -gt 15000 ] || fail "$(ls -l limited)"
	[ "$(stat -c %s limited)" -le 16384 ] || fail "$(ls -l limited)"
	run 0 "${HIM[@]}" ./ktrace -C
	nobody || fail "$(ktrctl list)"
	# With no room for anything nobody is killed by a signal, and no file is left.
	for some in 1 100 1000; do
		# The message goes to a pipe: a file would be limited, too.
		# shellcheck disable=SC2016
		run 2 "${HIM[@]}" bash -o pipefail -c 'prlimit --fsize=$0 "$@" 2>&1 | cat >&2' \
			$some ./ktrace -f tiny touch ran
		says 'tiny: File too large'
	done
	[ ! -e ran ] || fail "the command ran"
	[ ! -e tiny ] || fail "$(ls -l tiny)"
}

full_disk_of_a_user() {
	full_disk "${HIM[@]}"
}

is_stopped() {
	ktrctl list | grep -q '^ktrace:.* stopped .*could not write "/.*/small/file": No space left on device'
}

remains() {
	ktrctl list | grep -q '^ktrace:.* ended .*could not write "/.*/small/file": No space left on device'
}

remains_alone() {
	[ "$(ktrctl list | grep -c .)" = 1 ] && remains
}

# All that he has set, and all that there is to tell of it.
clears_what_failed() {
	begin_open
	mkdir small
	mount -t tmpfs -o size=4k,mode=1777 none small || skip "no mount"
	run 0 "${HIM[@]}" ./ktrace -f small/file true
	wait_for 60 remains || fail "$(ktrctl list)"
	run 0 "${HIM[@]}" ./ktrace -C
	nobody || fail "$(ktrctl list)"
	# The next trace into the file takes the place of what failed.
	run 0 "${HIM[@]}" ./ktrace -f small/file true
	wait_for 60 remains || fail "$(ktrctl list)"
	run 0 "${HIM[@]}" ./ktrace -f small/file true
	wait_for 60 remains_alone || fail "$(ktrctl list)"
	# Also while processes of the one that failed are there.
	"${HIM[@]}" sh -c 'while :; do kill -0 $$; done' &
	PID=$!
	wait_for 60 runs_as $PID 1000 || fail "it does not run"
	run 0 "${HIM[@]}" ./ktrace -f small/file -p $PID
	wait_for 200 is_stopped || fail "$(ktrctl list)"
	mount -o remount,size=64m small
	run 0 "${HIM[@]}" ./ktrace -a -f small/file -t n -p $PID
	ktrctl list >"$T/list"
	has "$T/list" '^ktrace:.* running ' 1
	has "$T/list" '' 1
	run 0 "${HIM[@]}" ./ktrace -C
	wait_for 60 nobody || fail "$(ktrctl list)"
	wait_for 200 umount small
}

# Somebody empties it, or cuts it: it is begun anew, and what comes can be read.
cut_under_way() {
	begin
	doer
	run 0 ./ktrace -f file -t cn -p $PID
	do_it 'true </no/early'
	wait_for 60 eval './kdump -f file 2>err | grep -q /no/early' || fail "$(cat err)"
	: >file
	do_it 'true </no/middle'
	wait_for 60 test -s file || fail "nothing is written"
	# Of one that is still written, too.
	wait_for 60 eval './kdump -f file 2>err | grep -q /no/middle' || fail "$(cat err)"
	has err 'file is still being written' 1
	do_it 'true </no/late'
	run 0 ./ktrace -c -f file
	run 0 ./kdump -f file -T
	has "$T/out" '^ *[0-9]+ sh +[0-9]+\.[0-9]+ NAMI  "/no/middle"$' 1
	has "$T/out" 'NAMI  "/no/late"$' 1
	lacks "$T/out" '/no/early'
	# The clock is there: the times are today's.
	[ "$(awk '/late/ { print int($3 / 86400) }' "$T/out" | head -1)" = \
		"$(($(date +%s) / 86400))" ] || fail "times: $(head -3 "$T/out")"
	[ ! -x "$HERE/ktrace_user" ] || has <("$HERE/ktrace_user" read file) '/no/late'
}

# Whose records they are stands in front of them: a file that ends early has the names.
names_in_front() {
	begin
	run 0 ./ktrace -t c ls /
	wait_for 60 nobody || fail "$(ktrctl list)"
	head -c 2500 ktrace.out >short
	run 3 ./kdump -f short
	has "$T/out" '^ *[0-9]+ (ktrace|ls) +CALL  '
	lacks "$T/out" '^ *[0-9]+ +(CALL|RET) '
}

# What somebody writes into it is a hole, and what comes behind can be read.
written_by_others() {
	begin
	doer
	run 0 ./ktrace -f file -t n -p $PID
	do_it 'true </no/early'
	wait_for 60 eval './kdump -f file 2>err | grep -q /no/early' || fail "$(cat err)"
	echo hello >>file
	do_it 'true </no/late'
	run 0 ./ktrace -c -f file
	run 3 ./kdump -f file
	has "$T/out" 'File damaged: 8 bytes at offset' 1
	in_order "$T/out" 'NAMI  "/no/early"$' 'File damaged' 'NAMI  "/no/late"$'
}

# Its processes, and its file under the name that it has now.
listed() {
	begin
	doer
	run 0 ./ktrace -f file -t n -p $PID
	run 0 ktrctl list
	has "$T/out" "bytes written to \"$T/file\", process $PID\$" 1
	mv file other
	run 0 ktrctl list --json
	has "$T/out" "\"pids\":\[$PID\].*\"file\":\"$T/other\"" 1
	rm other
	run 0 ktrctl list
	has "$T/out" "written to \"$T/other \(deleted\)\"" 1
	# Who ends it sees nothing of it any more.
	run 0 ./ktrace -c -p $PID
	nobody || fail "$(ktrctl list)"
	run 0 ./ktrace -f file -t n -p $PID
	run 0 ./ktrace -C
	nobody || fail "$(ktrctl list)"
}

# A disk without room for the start: no file is left that was not there.
no_room_for_the_start() {
	begin
	mkdir small
	mount -t tmpfs -o size=4k none small || skip "no mount"
	head -c 4096 /dev/zero >small/all
	run 2 ./ktrace -f small/file touch ran
	says 'small/file: No space left on device'
	[ ! -e small/file ] || fail "$(ls -l small)"
	: >small/was
	run 2 ./ktrace -f small/was touch ran
	[ -e small/was ] || fail "it is gone"
	[ ! -e ran ] || fail "the command ran"
	nobody || fail "$(ktrctl list)"
	wait_for 200 umount small
}

tool_case "a file that is cut while it is written" cut_under_way
tool_case "a file that others write into" written_by_others
tool_case "names come first" names_in_front
tool_case "the list has files and processes" listed
tool_case "no room for the start" no_room_for_the_start
tool_case "files" files
tool_case "a file that is kept" refused_and_untouched
tool_case "a trace behind one that was cut" appended_to_a_cut
tool_case "many traces of a user" many_of_a_user
tool_case "files of a user" files_of_a_user
tool_case "a damaged block" damage
tool_case "a file that a reader has locked" locked_by_a_reader
tool_case "files of the kernel" files_of_the_kernel
tool_case "what is appended to" appends_to_traces_alone
tool_case "a file that another's trace writes" written_by_another
tool_case "a full disk" full_disk
tool_case "a full disk, of a user" full_disk_of_a_user
tool_case "a limit on the size of files" limit_on_files
tool_case "one that is interrupted" interrupted
tool_case "what failed is cleared, or traced again" clears_what_failed
tool_done
