# SPDX-License-Identifier: GPL-2.0-or-later
# TAP for tests that are scripts: source this, call tap_case for each, then
# tap_done. A case is a function; it fails by its status and skips with 4.

# shellcheck shell=bash
TAP_NUMBER=0
TAP_STATUS=0

# tap_case NAME COMMAND...: runs it in a subshell, its output becomes comments.
tap_case() {
	local name=$1 out status=0
	shift
	TAP_NUMBER=$((TAP_NUMBER + 1))
	out=$("$@" 2>&1) || status=$?
	[ -z "$out" ] || printf '%s\n' "$out" | sed 's/^/# /'
	case $status in
	0) echo "ok $TAP_NUMBER $name" ;;
	4) echo "ok $TAP_NUMBER $name # SKIP $(printf '%s' "$out" | tail -n 1)" ;;
	*)
		echo "not ok $TAP_NUMBER $name # status $status"
		TAP_STATUS=1
		;;
	esac
}

# wait_for SECONDS COMMAND...: until it succeeds, or fail. A machine that was held up is
# late by one look at its clock: a look per second is taken in any case.
wait_for() {
	local least=$1 looks=0 end=$((SECONDS + $1))
	shift
	until "$@"; do
		looks=$((looks + 1))
		[ "$SECONDS" -lt "$end" ] || [ "$looks" -lt "$least" ] || return 1
		sleep 0.05
	done
}

tap_done() {
	echo "1..$TAP_NUMBER"
	exit "$TAP_STATUS"
}
