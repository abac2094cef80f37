#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ktrctl for a user without privilege, on processes of his own.

set -u
. lib/tap.sh
. lib/tool.sh

HIM=(setpriv --reuid 1000 --regid 1000 --clear-groups)

as_user() {
	"${HIM[@]}" "$@"
}

# He has a folder to work in.
for_user() {
	chmod 755 "$TOP" "$T"
	mkdir "$T/his"
	chown 1000:1000 "$T/his"
	cd "$T/his" || fail "cannot enter it"
}

is_his() {
	[ "$(stat -c %u "/proc/$1")" = 1000 ]
}

a_command() {
	for_user
	run 0 as_user ktrctl trace -f -y -e trace=execve,write \
		-- sh -c 'echo one >out; sh -c "echo two >>out"'
	has "$T/err" '^(\[pid +[0-9]+\] )?write\(1<.*/his/out>, "one\\n", 4\) += 4$' 1
	has "$T/err" 'write\(1<.*/his/out>, "two\\n", 4\) += 4$' 1
	has "$T/err" 'execve\(.*\) += 0$' 2
	run 0 as_user ktrctl record -o t.ktr -- true
	run 0 as_user ktrctl report t.ktr
	has "$T/out" '^execve\(.*\) += 0$' 1
	has "$T/out" '^\+\+\+ exited with 0 \+\+\+$' 1
	run 0 as_user ktrctl summary -- sh -c 'echo one >out'
	cat "$T/out" "$T/err" >"$T/all"
	has "$T/all" ' write$' 1
}

running_processes() {
	local pid child group
	for_user
	"${HIM[@]}" sh -c 'while :; do sleep 0.1; done' &
	pid=$!
	wait_for 20 is_his "$pid" || fail "it does not run"
	run 0 as_user ktrctl trace -p "$pid" -f -e trace=execve -e signal=none --limit 6 -o text
	[ "$(grep -c 'execve("[^"]*sleep", ' text)" -ge 1 ] || fail "$(cat text)"
	run 0 as_user ktrctl trace -p "$pid" --descend -f -e trace=execve -e signal=none --limit 6 -o text
	grep -q 'execve' text || fail "$(cat text)"
	# A family with a member that is not his, at its head and below: he is told.
	"${HIM[@]}" setsid -w sh -c 'sleep 1000 & echo $! >child; wait' &
	wait_for 20 test -s child || fail "no child"
	child=$(cat child)
	run 0 as_user ktrctl trace -p $$ --descend -e trace=none --for 1ms
	has "$T/err" "^ktrctl: process $$: [0-9]+ processes are left out: not yours"
	group=$(ps -o pgid= -p "$child")
	run 0 as_user ktrctl trace --pgid "${group// /}" -e trace=none --for 1ms
	lacks "$T/err" 'left out'
	kill -KILL "$child"
	# Another user may not, nor may this one trace root's.
	run 5 setpriv --reuid 1001 --regid 1001 --clear-groups ktrctl trace -p "$pid"
	says "process $pid: not permitted: it is not yours"
	run 5 as_user ktrctl trace -p $$
	says "process $$: not permitted: it is not yours"
}

writer_of_the_module() {
	for_user
	run 0 as_user ktrctl record --detach his -o d.ktr -- sh -c 'sleep 0.2; echo one >out'
	wait_for 60 no_session || fail "the session is still there"
	[ "$(stat -c %u d.ktr)" = 1000 ] || fail "the file is not his"
	# Its end is written a moment after the session has gone.
	wait_for 20 as_user ktrctl report d.ktr >"$T/out" 2>&1 || true
	run 0 as_user ktrctl report d.ktr
	has "$T/out" 'write\(1, "one\\n", 4\) += 4$' 1
}

no_session() {
	[ -z "$(ktrctl list)" ]
}

named_session() {
	local pid
	for_user
	"${HIM[@]}" sleep 1000 &
	pid=$!
	wait_for 20 is_his "$pid" || fail "it does not run"
	run 0 as_user ktrctl add-signal USR1 --pid "$pid" -s his
	# Of the same name, and not the same.
	run 0 ktrctl add-signal USR1 -s his
	run 0 ktrctl list
	has "$T/out" '^his ' 2
	has "$T/out" '^his .* of user 1000$' 1
	run 0 ktrctl clear -s his
	run 0 ktrctl list
	has "$T/out" '^his .* of user 1000$' 1
	run 0 as_user ktrctl status --json
	has "$T/out" '"plain": ?1'
	run 0 as_user ktrctl stop -s his
	run 0 as_user ktrctl start -s his
	kill -USR1 "$pid"
	run 0 as_user ktrctl mark -s his done
	run 0 as_user ktrctl read -s his
	cat "$T/out" "$T/err" >"$T/all"
	has "$T/all" 'SIGUSR1'
	run 0 as_user ktrctl clear --mine
	no_session || fail "it is still there"
}

# As many sessions as he may have find room; others of his choosing may not.
all_his_sessions() {
	local i most
	for_user
	most=$(cat /sys/module/ktracer/parameters/user_sessions)
	for i in $(seq "$most"); do
		run 0 as_user ktrctl add-signal USR1 -s "his$i"
	done
	run 4 as_user ktrctl add-signal USR1 -s more
	says 'as many sessions as plain users may have .*`ktrctl clear -s NAME` ends one'
	run 0 as_user ktrctl clear --mine
	run 2 as_user ktrctl add-signal USR1 -s large --buffer 1G
	says 'more memory than .*smaller'
	no_session || fail "$(ktrctl list)"
}

tool_case "a command and its children" a_command
tool_case "running processes" running_processes
tool_case "the module writes his file" writer_of_the_module
tool_case "a named session" named_session
# With hidepid others' processes are not to be told from those that are not there.
hidden_processes() {
	local pid tool
	for_user
	sleep 1000 &
	pid=$!
	ln -s "$(command -v ktrctl)" ktrace
	for tool in "ktrctl trace -e trace=none" "ktrctl record -o t.ktr" "./ktrace -f k.out"; do
		# shellcheck disable=SC2086
		hidden $tool -p "$pid"
		sed "s/\b$pid\b/PID/g" "$T/err" >"$T/there"
		# shellcheck disable=SC2086
		hidden $tool -p 999999
		sed 's/\b999999\b/PID/g' "$T/err" >"$T/absent"
		cmp -s "$T/there" "$T/absent" || fail "$tool:" "$(cat "$T/there" "$T/absent")"
		has "$T/there" 'no such process'
	done
	# What root traces he finds in no list.
	run 0 ktrctl add-signal USR1 --pid "$pid" -s roots
	run 0 as_user ktrctl list
	lacks "$T/out" '.'
	run 0 as_user ktrctl status
	lacks "$T/out" "$pid|roots"
}

# What he gets to see in a /proc of that kind.
hidden() {
	run 2 unshare -m sh -c 'mount -t proc -o hidepid=2 none /proc && exec "$@"' sh \
		"${HIM[@]}" "$@"
}

tool_case "as many sessions as he may have" all_his_sessions
tool_case "processes that are hidden from him" hidden_processes
tool_done
