# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of ktrctl as its users see it: source lib/tap.sh and this. A case is
# a function for tool_case; any helper that finds something wrong ends it.

# shellcheck shell=bash
# shellcheck disable=SC2034
TOP=$(mktemp -d /tmp/ktrctl-test.XXXXXX)
HERE=$PWD
SCALE=${KTR_SCALE:-0.05}
ONLY=${ONLY:-.}
export LC_ALL=C

# tool_case NAME FUNCTION: in a folder of its own; what it leaves running in the
# background is killed.
tool_case() {
	[[ $1 =~ $ONLY ]] || return 0
	tap_case "$1" in_case "$2"
}

in_case() {
	T=$TOP/$1
	mkdir "$T"
	trap end_case EXIT
	"$1"
}

end_case() {
	local pids
	pids=$(jobs -p)
	# shellcheck disable=SC2086
	[ -z "$pids" ] || kill -KILL $pids 2>/dev/null
	wait 2>/dev/null
	ktrctl clear --all 2>/dev/null
	rm -rf "$T"
}

tool_done() {
	rm -rf "$TOP"
	tap_done
}

fail() {
	printf '%s\n' "$*"
	exit 1
}

skip() {
	printf '%s\n' "$*"
	exit 4
}

# scaled N [LEAST]
scaled() {
	awk -v n="$1" -v scale="$SCALE" -v least="${2:-1}" 'BEGIN {
		n = int(n * scale); print n < least ? least : n }'
}

# run STATUS COMMAND...: its output goes to $T/out and $T/err.
run() {
	local want=$1 status=0
	shift
	"$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
	[ "$status" = "$want" ] ||
		fail "status $status, not $want: $*" "$(tail -n 5 "$T/err")"
}

# has FILE REGEX [COUNT]: lines that match, at least one or just so many.
has() {
	local n
	n=$(grep -cE -- "$2" "$1")
	if [ $# = 3 ]; then
		[ "$n" = "$3" ] || fail "$n lines, not $3, match: $2" \
			"$(head -n 40 "$1")"
	else
		[ "$n" -gt 0 ] || fail "no line matches: $2" \
			"$(head -n 40 "$1")"
	fi
}

lacks() {
	has "$1" "$2" 0
}

# in_order FILE REGEX...: lines that match one after the other.
in_order() {
	perl -e '
		my ($file, @patterns) = @ARGV;
		open(my $in, "<", $file) or die "$file: $!\n";
		my @lines = <$in>;
		my $at = 0;
		for my $pattern (@patterns) {
			$at++ while $at < @lines && $lines[$at] !~ /$pattern/;
			next if $at++ < @lines;
			print "not found in this order: $pattern\n", @lines[0 .. ($#lines < 59 ? $#lines : 59)];
			exit 1;
		}' -- "$@" || exit 1
}

# A message: one line on standard error, from ktrctl.
says() {
	has "$T/err" '^' 1
	has "$T/err" "^ktrctl: .*($1)"
}

events() {
	python3 "$HERE/lib/events.py" "$@" || exit 1
}

# await REGEX FILE: until a line matches.
await() {
	wait_for 200 grep -qsE -- "$1" "$2" || fail "never came: $1" "$(tail -n 20 "$2")"
}

# tracer ARG...: ktrctl trace in the background, attached when this returns.
tracer() {
	: >"$T/err"
	ktrctl trace "$@" 2>"$T/err" &
	TRACER=$!
	await 'attached' "$T/err"
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

# state_of PID: the letter in /proc/PID/stat
state_of() {
	sed 's/.*) \(.\) .*/\1/' "/proc/$1/stat"
}

sleeps() {
	[ "$(state_of "$1")" = S ]
}
