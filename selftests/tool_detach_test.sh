#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record --detach: the module writes the file when the tracer has gone.

set -u
. lib/tap.sh
. lib/tool.sh

finished() {
	ktrctl report "$1" >"$T/report" 2>"$T/report.err" &&
		[ ! -s "$T/report.err" ] && grep -q "$2" "$T/report"
}

nobody() {
	[ -z "$(ktrctl list)" ]
}

command_goes_on() {
	mkfifo "$T/fifo"
	run 0 ktrctl record --detach job -f -o "$T/file" -- sh -c \
		'read x <"$0"; cat /etc/hostname >/dev/null; exit 5' "$T/fifo"
	says 'session job writes .*/file: `ktrctl clear -s job` ends it'
	ktrctl list >"$T/list"
	has "$T/list" '^job +running .* bytes written to ".*", process [0-9]+$'
	echo >"$T/fifo"
	wait_for 200 finished "$T/file" '+++ exited with 5 +++' ||
		fail "not finished" "$(tail -n 3 "$T/report" "$T/report.err")"
	in_order "$T/report" '^execve\(' '^(\[pid +[0-9]+\] )?openat\(.*/fifo' \
		'openat\(AT_FDCWD, "/etc/hostname", O_RDONLY\)'
	wait_for 200 nobody || fail "the session is still there"
}

running_process() {
	local pid
	sleep 1000 &
	pid=$!
	run 0 ktrctl record --detach here -o "$T/file" -p $pid
	run 2 ktrctl record --detach here -o "$T/other" -p $pid
	says 'here: .*a session of that name exists'
	[ ! -e "$T/other" ] || fail "a file was made in vain"
	run 0 ktrctl clear -s here
	wait_for 200 finished "$T/file" 'nanosleep(.*<detached \.\.\.>' ||
		fail "$(cat "$T/report" "$T/report.err")"
	kill -0 $pid || fail "it was harmed"
}

# Whoever empties the file has all of its beginning again, not the header alone.
cut_to_nothing() {
	local pid
	sh -c 'while :; do kill -0 $$; sleep 0.1; done' &
	pid=$!
	run 0 ktrctl record --detach cut -o "$T/file" -p $pid
	await 'ktrctl' "$T/file"
	: >"$T/file"
	await 'ktrctl' "$T/file"
	run 0 ktrctl clear -s cut
	run 0 ktrctl report --json "$T/file"
	has "$T/out" '"event":"header".*"command":' 1
}

full_disk() {
	local pid
	mkdir "$T/small"
	mount -t tmpfs -o size=64k none "$T/small" || skip "no mount"
	sh -c 'while :; do kill -0 $$; done' &
	pid=$!
	run 0 ktrctl record --detach full -o "$T/small/file" -p $pid
	wait_for 60 stopped || fail "$(ktrctl list)"
	run 2 ktrctl start -s full
	says 'full: .*its file cannot be written any more: end it'
	stopped || fail "$(ktrctl list)"
	kill $pid
	run 0 ktrctl report "$T/small/file"
	has "$T/out" '^--- lost [0-9]+ records that the file had no room for, [0-9.]+ to [0-9.]+ ---$' 1
	has "$T/out" '^kill\([0-9]+, 0\) += 0$'
	# The reason outlives the session, which holds nothing any more.
	wait_for 60 remains || fail "$(ktrctl list)"
	wait_for 200 umount "$T/small"
	run 0 ktrctl list --json
	has "$T/out" '"name":"full","state":"ended".*"write_error":28,"write_missing":[1-9][0-9]*,"file":"/[^"]*/file"'
	run 0 ktrctl status
	has "$T/out" '^full +ended '
	run 0 ktrctl stop --all
	run 2 ktrctl start -s full
	run 0 ktrctl clear -s full
	nobody || fail "$(ktrctl list)"
	run 2 ktrctl clear -s full
}

stopped() {
	ktrctl list | grep -qE \
		'^full +stopped .*, could not write "/.*/file": No space left on device, [0-9]+ records are missing there, process [0-9]+$'
}

remains() {
	ktrctl list | grep -qE '^full +ended +could not write "/.*/file": No space left on device, [0-9]+ records are missing there$'
}

bad_use() {
	run 2 ktrctl record --detach x -- true
	says '-o FILE is missing'
	run 2 ktrctl record --detach x -o "$T/f" --for 2s -- true
	says 'leave --detach out'
	run 2 ktrctl record --detach x -o "$T/f" --mode overwrite -- true
	says 'overwrite has no meaning'
	run 2 ktrctl record --detach a/b -o "$T/f" -- true
	says "no '/'"
	ktrctl record --detach x -o /dev/null -- touch "$T/ran" 2>"$T/err"
	says '/dev/null: .*not a regular file'
	[ ! -e "$T/ran" ] || fail "the command ran"
	nobody || fail "a session was left behind"
}

tool_case "a command goes on" command_goes_on
tool_case "a running process" running_process
tool_case "a file that is cut" cut_to_nothing
tool_case "a disk that is full" full_disk
tool_case "bad use" bad_use
tool_done
