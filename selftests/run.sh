#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Run tests on this machine, as root, with the module loaded; print TAP.
#
# After each test the kernel log is searched: a warning there fails the test.
# On a kernel with kmemleak the last points are its scan. The module is taken
# out and put back twice at the end. Exit status: 0 all passed, 1 a failure, 4
# nothing was run.

set -u -o pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
KMEMLEAK=/sys/kernel/debug/kmemleak
MODULE=${KTR_MODULE:-/lib/ktracer/ktracer.ko}
# A kernel with all its checks switched on runs syscalls 30 times slower.
DEBUG_FACTOR=4
# The limits in "settings" are for a twentieth of the full size.
FULL_FACTOR=10
# What a test that was told to end may take to do it.
GRACE=20

cd "$HERE" || exit 1
# shellcheck source=/dev/null
. lib/log.sh
# shellcheck source=/dev/null
. <(grep -E '^timeout[A-Za-z0-9_]*=[0-9]+$' settings)

usage() {
	cat <<-EOT
		usage: run.sh [--list] all | SUITE... | TEST...
		suites: $(suites | tr '\n' ' ')
	EOT
}

rows() {
	sed -e 's/#.*//' -e '/^[[:space:]]*$/d' suites
}

suites() {
	rows | awk '{ for (i = 2; i <= NF; i++) print $i }' | sort -u
}

every_test() {
	local file
	rows | awk '{ print $1 }'
	for file in *_test *_test.sh; do
		[ ! -x "$file" ] || echo "${file%.sh}"
	done
}

# select_tests WORD...: names of tests in the order of the file "suites".
select_tests() {
	local word known
	known=$(every_test | awk '!seen[$0]++')
	for word; do
		if [ "$word" = all ]; then
			echo "$known"
		elif grep -qxF -- "$word" <<<"$known"; then
			echo "$word"
		elif suites | grep -qxF -- "$word"; then
			rows | awk -v suite="$word" '{
				for (i = 2; i <= NF; i++)
					if ($i == suite) print $1 }'
		else
			echo "run.sh: there is no suite or test '$word'" >&2
			return 1
		fi
	done
}

is_small() {
	awk -v scale="${KTR_SCALE:-0.05}" 'BEGIN { exit scale > 0.1 }'
}

limit_of() {
	local name=timeout_$1 limit
	limit=${!name:-${timeout:-300}}
	[ ! -e "$KMEMLEAK" ] || limit=$((limit * DEBUG_FACTOR))
	is_small || limit=$((limit * FULL_FACTOR))
	echo "$limit"
}

pass() {
	NUMBER=$((NUMBER + 1))
	echo "ok $NUMBER $*"
}

fail() {
	NUMBER=$((NUMBER + 1))
	STATUS=1
	echo "not ok $NUMBER $*"
}

mark() {
	MARK="ktracer-selftest: $* $$.$NUMBER"
	echo "$MARK" >/dev/kmsg
}

# The log since the mark; all there is if the mark has been pushed out.
log_since_mark() {
	dmesg | awk -v mark="$MARK" '
		index($0, mark) { n = 0; next }
		{ line[n++] = $0 }
		END { for (i = 0; i < n; i++) print line[i] }'
}

# log_is_clean NAME: false after telling of a failure.
log_is_clean() {
	log_since_mark >"$TMP/log"
	warnings_in "$TMP/log" >"$TMP/warnings" || return 0
	sed 's/^/# /' "$TMP/log" | tail -n 200
	fail "$1: kernel log: $(head -n 1 "$TMP/warnings")"
	return 1
}

# What the test's own points do not say. $1: test, $2: exit status.
judge() {
	local test=$1 status=$2 SEEN=0 FAILED=0 SKIPPED=0 PLANNED=0
	local ALL_SKIPPED=0
	# shellcheck source=/dev/null
	. "$TMP/counts"
	NUMBER=$((NUMBER + SEEN))
	[ "$FAILED" = 0 ] || STATUS=1
	log_is_clean "$test" || return
	case $status in
	124 | 137) fail "$test: no end within $(limit_of "$test") s" ;;
	4)
		if [ "$SEEN" = 0 ]; then
			pass "$test # SKIP it says it cannot run here"
		else
			pass "$test"
		fi
		;;
	*)
		if [ "$SEEN" = 0 ] && [ "$ALL_SKIPPED" = 0 ]; then
			fail "$test: printed no result, exit status $status"
		elif [ "$SEEN" != "$PLANNED" ]; then
			fail "$test: $SEEN results of $PLANNED, exit status $status"
		elif [ "$status" != 0 ] && [ "$FAILED" = 0 ]; then
			fail "$test: exit status $status"
		else
			pass "$test"
		fi
		;;
	esac
}

run_test() {
	local test=$1 file=$1 status start=$SECONDS
	[ -x "$file" ] || file=$1.sh
	if [ ! -x "$file" ]; then
		fail "$test: was not built"
		return
	fi
	mark "begin $test"
	echo "# $test"
	timeout -k "$GRACE" "$(limit_of "$test")" "./$file" 2>&1 </dev/null |
		awk -v first=$((NUMBER + 1)) -v test="${test%_test}" \
			-v counts="$TMP/counts" -f lib/flatten.awk
	status=${PIPESTATUS[0]}
	judge "$test" "$status"
	echo "# $test took $((SECONDS - start)) s"
}

# What it reports once need not be a leak: a pointer may have been in a register
# only. What it reports after a second scan is. It leaves objects alone that are
# younger than five seconds.
check_leaks() {
	echo "# looking for leaked memory"
	echo scan >"$KMEMLEAK"
	sleep 6
	echo scan >"$KMEMLEAK"
	echo scan >"$KMEMLEAK"
	cat "$KMEMLEAK" >"$TMP/leaks"
	if [ -s "$TMP/leaks" ]; then
		head -n 100 "$TMP/leaks" | sed 's/^/# /'
		fail "kmemleak: $(grep -c '^unreferenced' "$TMP/leaks") leaks"
	else
		pass "kmemleak"
	fi
}

module_is_loaded() {
	grep -q '^ktracer ' /proc/modules
}

# cycle_module N
cycle_module() {
	local name="module out and in again, $1"
	mark "$name"
	if ! rmmod ktracer; then
		fail "$name: rmmod"
	elif ! insmod "$MODULE"; then
		fail "$name: insmod"
	elif log_is_clean "$name"; then
		pass "$name"
	fi
}

# In a virtual machine: its emulator's fault, and survived.
tell_stale_breakpoints() {
	local seen=/sys/module/stale_breakpoint/parameters/seen
	[ ! -e "$seen" ] || [ "$(cat "$seen")" = 0 ] ||
		echo "# breakpoints that were not in memory: $(cat "$seen")"
}

finish() {
	if module_is_loaded && [ -e "$MODULE" ]; then
		cycle_module 1
		cycle_module 2
	fi
	[ ! -e "$KMEMLEAK" ] || check_leaks
	tell_stale_breakpoints
	echo "1..$NUMBER"
}

main() {
	local tests test LIST=''
	NUMBER=0 STATUS=0
	case ${1:-} in
	"" | -h | --help) usage && exit 0 ;;
	--list)
		shift
		[ $# -gt 0 ] || set -- all
		LIST=yes
		;;
	esac
	tests=$(select_tests "$@") || exit 2
	tests=$(awk 'NF && !seen[$0]++' <<<"$tests")
	[ -n "$tests" ] || exit 4
	[ -z "$LIST" ] || exec echo "$tests"
	TMP=$(mktemp -d)
	trap 'rm -rf "$TMP"' EXIT
	[ ! -e "$KMEMLEAK" ] || echo clear >"$KMEMLEAK"
	echo "TAP version 13"
	for test in $tests; do
		run_test "$test"
	done
	finish
	return "$STATUS"
}

main "$@"
