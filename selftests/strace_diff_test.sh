#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What ktrctl trace prints beside what strace prints, program by program.

set -u
. lib/tap.sh

HERE=$PWD
ONLY=${ONLY:-.}
LINES20='BEGIN { for (i = 0; i < 20; i++) print i }'

# differ NAME [OPTION...] -- CMD [ARG...]
differ() {
	local name=$1
	shift
	[[ $name =~ $ONLY ]] || return 0
	tap_case "$name" python3 lib/strace_diff.py \
		--known strace_diff.known ${KEEP:+--keep "$KEEP/${name// /_}"} \
		--setup "$SETUP" "$@"
}

# At full scale only.
full() {
	[ "${KTR_SCALE:-0.05}" = 1 ] || [ "$ONLY" != . ] || return 0
	differ "$@"
}

# On one kernel only: what is printed hangs on the tool.
once() {
	[[ $(uname -r) != 6.12.* ]] || differ "$@"
}

SETUP='mkdir d d/e; seq 100 >d/one; echo hello >d/e/two; ln -s one d/link'
MAIN='ls /etc > /tmp/o; cat /tmp/o | wc -l; kill -USR1 $$'

differ "main example" -f -- sh -c "$MAIN"
full "main example on a terminal" --stderr -f -- sh -c "$MAIN"

# Programs.
once "files" -f -- sh -c \
	'cp -p d/one a; mv a b; mkdir x; rmdir x; chmod 600 b; rm b'
once "tar" -f -- sh -c 'tar cf t.tar d; tar xf t.tar -C d/e'
once "ls -la" -- ls -la d
full "cat" -- cat d/one d/nothing
full "gzip" -f -- sh -c 'gzip d/one; gzip -d d/one.gz'
full "find" -- find d -name 't*'
full "grep" -- grep -r hello d
full "sed" -- sed -i s/1/2/ d/one
full "awk" -- awk "$LINES20"
once "python3" --mask-reads -- python3 -S -c 'print(open("d/one").read(2))'
full "perl" -- perl -e 'open(F, "d/one"); print scalar <F>'
full "ps" --mask-reads -- ps -o comm= -p 1
full "id" -- id
full "date" -- date +%Y
once "sleep" -- sleep 0.1
full "timeout" -f -- timeout 0.3 sleep 5
# Who waits for whom is different each time.
differ "threads" --drop futex -f -- "$HERE/sd_threads"
differ "sockets" -- "$HERE/sd_sockets"
differ "events" --mask-reads -- "$HERE/sd_events"
differ "signals" -f -- "$HERE/sd_signals"
differ "calls" -- "$HERE/sd_calls"
once "execve of a thread" -f -- "$HERE/act_tasks" exec
once "32-bit calls on a terminal" --stderr -f -- "$HERE/act_calls" i386
full "killed in calls" -f -- "$HERE/sd_killed"
once "unknown numbers" -- "$HERE/act_calls" numbers
full "births" -f -- "$HERE/act_tasks" births
full "restarted read" -f -- "$HERE/act_calls" restart
once "exec failures" -f -- sh -c \
	'./none; ./d; echo "#!/no/such" >s; chmod +x s; ./s; chmod -x s; ./s; :'
full "job control" -f -- bash -mc 'sleep 0.2 & kill -STOP %1; kill -CONT %1
	fg %1; sleep 9 & kill %1; wait %1'

# Options.
once "calls -s 4" -s 4 -- "$HERE/sd_calls"
once "calls -v" -v -- "$HERE/sd_calls"
once "calls -x" -x -s 128 -- "$HERE/sd_calls"
full "calls -xx" -xx -- "$HERE/sd_calls"
once "calls -X raw" -X raw -- "$HERE/sd_calls"
once "calls -X verbose" -X verbose -- "$HERE/sd_calls"
once "calls -z" -z -- "$HERE/sd_calls"
once "calls -Z" -Z -a 60 -- "$HERE/sd_calls"
full "sockets -v" -v -s 128 -- "$HERE/sd_sockets"
full "sockets -X verbose" -X verbose -- "$HERE/sd_sockets"
full "sockets -X raw" -X raw -- "$HERE/sd_sockets"
once "events -X verbose" --mask-reads -X verbose -v -- "$HERE/sd_events"
full "events -X raw" --mask-reads -X raw -- "$HERE/sd_events"
full "signals -X raw" -f -X raw -- "$HERE/sd_signals"
full "main example -v" -f -v -- sh -c "$MAIN"
full "main example -T -ttt" -f -T -ttt -- sh -c "$MAIN"
full "main example -r -n" -f -r -n -- sh -c "$MAIN"
full "one process -T -t -n" -T -t -n -- cat d/one
full "trace=%file" -f -e trace=%file -- sh -c "$MAIN"
full "trace=%process" -f -e trace=%process -- sh -c "$MAIN"
full "trace=!mmap,/^m" -f -e 'trace=!mmap,/^m' -- sh -c "$MAIN"
full "signal=none" -f -e signal=none -- "$HERE/sd_signals"
full "status=failed" -f -e status=failed -- "$HERE/sd_signals"
full "-q -q" --stderr -f -qq -- sh -c "$MAIN"

tap_done
