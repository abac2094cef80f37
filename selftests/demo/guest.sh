#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The demo's part in the virtual machine, where the module is not loaded yet.
# Every command is shown before its output; whatever is not as it should be ends
# the demo with status 1.

set -u -o pipefail
here=$(dirname "$0")
KO=/lib/ktracer/ktracer.ko
CALLS=/^exec,/fork$,wait4,exit_group,openat,read,write,dup2,kill
OUT=$(mktemp)
WAIT=300	# tenths of a second, for the emulated machine

die() {
	echo "demo: $*" >&2
	exit 1
}

# show STATUS COMMAND...: as one would see it on a terminal; $OUT keeps it.
show() {
	local wanted=$1 status
	shift
	echo "# $*"
	"$@" 2>&1 | tee "$OUT"
	status=${PIPESTATUS[0]}
	[ "$status" = "$wanted" ] ||
		die "'$1 ${2:-}' ended with status $status instead of $wanted"
}

# expect REGEX...: lines that the command before must have printed.
expect() {
	local regex
	for regex; do
		grep -qE -- "$regex" "$OUT" ||
			die "there is no line like '$regex' above"
	done
}

recorded() {
	ktrctl status --json | sed 's/.*"recorded":\([0-9]*\),"unread".*/\1/'
}

wait_for_records() {
	local i
	for ((i = 0; i < WAIT; i++)); do
		[ "$(recorded)" -lt "$1" ] || return 0
		sleep 0.1
	done
	die "$(recorded) records after $((WAIT / 10)) s instead of $1"
}

trace_a_program() {
	show 0 insmod "$KO"
	show 0 cat "$here/visit.sh"
	show 3 ktrctl trace -f -E LC_ALL=C -e "trace=$CALLS" -- "$here/visit.sh"
	# A call that blocks stands on two lines, so look for halves.
	expect '^execve\("[^"]*/visit.sh", ' 'fork\(' \
		'\[pid +[0-9]+\] execve\("/usr/bin/grep", ' \
		'^openat\(AT_FDCWD, "/tmp/count", O_WRONLY\|O_CREAT\|O_TRUNC, 0666' \
		'"root:x:0:0:' 'write\(1, "visit: ' \
		'"/no/such/file", O_RDONLY' ' = -1 ENOENT \(No such file' \
		'^--- SIGUSR1 \{si_signo=SIGUSR1, si_code=SI_USER' \
		'^--- SIGCHLD \{.*si_status=1' '\] \+\+\+ exited with 1 \+\+\+$' \
		'^\+\+\+ exited with 3 \+\+\+$'
	show 0 rmmod ktracer
}

trace_a_function() {
	local pid
	echo "# $here/poller &"
	"$here/poller" &
	pid=$!
	show 0 insmod "$KO"
	show 0 ktrctl add-func do_sys_poll --pid "$pid"
	wait_for_records 12
	show 0 ktrctl list
	show 0 ktrctl read -r
	expect ' do_sys_poll\(\) <- __x64_sys_poll' '[0-9]+ records, lost 0$'
	kill "$pid"
}

trace_a_program
echo
trace_a_function
