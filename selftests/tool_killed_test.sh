#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who sets a trace is killed, at each moment: it is set then, or nothing is left.

set -u
. lib/tap.sh
. lib/tool.sh
. lib/ktrace.sh

KTRCTL=$(command -v ktrctl)

# A process of him who runs commands by "$@".
victim() {
	"$@" sleep 100000 &
	PID=$!
	wait_for 60 runs_as "$PID" "$("$@" id -u)" || fail "it does not run"
	wait_for 60 sleeps "$PID" || fail "it does not wait"
}

# One trace, which runs and has its process; or none.
is_settled() {
	local list
	list=$(ktrctl list)
	[ -z "$list" ] || [ "$(grep -cE ' running .* 1 targets ' <<<"$list")" = "$(wc -l <<<"$list")" ]
}

# at_each LEAST COMMAND...: killed after its first, second, ... call, up to the LEASTth
# at least. END ends what was set.
at_each() {
	local least=$1 n=0 status set=0
	shift
	while :; do
		status=0
		"${AS[@]}" "$HERE/kill_at" $n "$@" >/dev/null 2>"$T/err" </dev/null || status=$?
		[ $status = 0 ] || [ $status = 9 ] || fail "kill_at: $status" "$(cat "$T/err")"
		wait_for 60 is_settled ||
			fail "killed after $n calls, this is left:" "$(ktrctl list)"
		if ! nobody; then
			set=$((set + 1))
			"${AS[@]}" "${END[@]}" || fail "killed after $n calls: it cannot be ended"
			wait_for 60 nobody ||
				fail "killed after $n calls, this cannot be ended:" "$(ktrctl list)"
		fi
		[ $status = 0 ] || break
		n=$((n + STEP))
	done
	echo "killed at $n moments, $set times it was set"
	[ $n -ge "$least" ] || fail "only $n moments"
	SET=$set
	# He is locked out by nothing.
	run 0 "${AS[@]}" ./ktrace -f after true
	wait_for 60 nobody || fail "$(ktrctl list)"
}

a_process() {
	begin_open
	victim "${AS[@]}"
	at_each 10 "$T/ktrace" -f file -p "$PID"
	[ "$SET" -ge 1 ] || fail "it was never set"
}

a_command() {
	begin_open
	at_each 10 "$T/ktrace" -f file /bin/true
}

the_library() {
	begin_open
	[ -x "$HERE/ktrace_user" ] || skip "the library was not built"
	victim "${AS[@]}"
	"${AS[@]}" touch file
	at_each 10 "$HERE/ktrace_user" leave file "$PID"
	[ "$SET" -ge 1 ] || fail "it was never set"
}

# Its session is bound to it, whatever its child does.
a_tracer() {
	begin_open
	at_each 10 "$KTRCTL" trace -o text /bin/true
	at_each 10 "$KTRCTL" record -o file /bin/true
}

detached() {
	begin_open
	victim "${AS[@]}"
	END=(ktrctl clear -s name)
	at_each 10 "$KTRCTL" record --detach name -o file -p "$PID"
}

is_ended() {
	[ ! -e "/proc/$1" ]
}

is_held() {
	[ "$(state_of "$1")" = T ]
}

# All is cleared while it is being made: nothing is left that moment, and then it is made
# as was asked for.
cleared() {
	local n=0 status
	begin_open
	victim "${AS[@]}"
	while :; do
		status=0
		"${AS[@]}" "$HERE/kill_at" -s $n "$T/ktrace" -f file -p "$PID" \
			>pid 2>"$T/err" </dev/null || status=$?
		[ $status = 0 ] || break
		wait_for 60 is_held "$(cat pid)" || fail "it was not stopped after $n calls"
		run 0 "${AS[@]}" ./ktrace -C
		wait_for 60 nobody || fail "stopped after $n calls, this is left:" "$(ktrctl list)"
		kill -CONT "$(cat pid)"
		wait_for 60 is_ended "$(cat pid)" || fail "stopped after $n calls it hangs"
		[ ! -s "$T/err" ] || fail "stopped after $n calls:" "$(cat "$T/err")"
		run 0 "${AS[@]}" ./ktrace -C
		wait_for 60 nobody || fail "$(ktrctl list)"
		n=$((n + STEP))
	done
	[ $status = 9 ] || fail "kill_at: $status" "$(cat "$T/err")"
	[ $n -ge 10 ] || fail "only $n moments"
}

# Each moment is one of a user; of root only some are, but at full size.
both() {
	END=(./ktrace -C)
	AS=("${HIM[@]}")
	STEP=1
	tool_case "$1, of a user" "$2"
	AS=(env)
	STEP=$((4 - $(scaled 3)))
	tool_case "$1, of root" "$2"
}

both "a process" a_process
both "a command" a_command
both "the library" the_library
both "a tracer" a_tracer
both "a trace that is left alone" detached
# At each moment two times more: slow.
[ "$SCALE" != 1 ] || both "cleared meanwhile" cleared
tool_done
