# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of ktrctl called as ktrace and kdump: source it behind lib/tool.sh.

# shellcheck shell=bash
# shellcheck disable=SC2034
HIM=(setpriv --reuid 1000 --regid 1000 --clear-groups)

begin() {
	cd "$T" || exit 1
	ln -s "$(command -v ktrctl)" ktrace
	ln -s "$(command -v ktrctl)" kdump
}

# For him, too.
begin_open() {
	begin
	chmod 755 "$TOP"
	chmod 777 "$T"
}

nobody() {
	[ -z "$(ktrctl list)" ]
}

traced() {
	wait_for 60 nobody || fail "$(ktrctl list)"
	run 0 ./kdump "$@"
}

tune() {
	echo "$2" >"/proc/sys/kernel/ktrace/$1"
}

# A shell that does things when it is told, and tells when it has; PID is its.
doer() {
	mkfifo go done
	chmod 666 go done
	# shellcheck disable=SC2016
	"$@" sh -c 'trap : USR1; while read -r x <go; do eval "$x"; echo >done; done' \
		2>/dev/null &
	PID=$!
	wait_for 60 sleeps "$PID" || fail "it does not wait"
}

do_it() {
	# shellcheck disable=SC2016
	timeout 100 sh -c 'echo "$1" >go' - "$1" && read -t 100 -r _ <>done ||
		fail "it did not do it: $1"
}

runs_as() {
	[ "$(stat -c %u "/proc/$1")" = "$2" ]
}
