#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What tracing costs whole programs: the second part of the bench in the virtual
# machine, with the module loaded. All tracers follow children and write every
# system call to a file.
#
# Prints lines of
#	work TRACER WORK CPU WALL	instructions of the whole work: of its
#					processes, and with all that ran meanwhile
#	lost TRACER WORK N		records that ktrctl says it lost

set -u -o pipefail
here=$(dirname "$0")
TRACEFS=/sys/kernel/tracing
WORK=$here/work
OUT=$(mktemp -d)
TREE=$OUT/tree
WORKS=(tar opens blocks spawn threads)
declare -A COMMAND=(
	[tar]="run tar cf /dev/null $TREE"
	[opens]="opens 5000"
	[blocks]="blocks 5000"
	[spawn]="spawn 100"
	[threads]="threads 5000"
)
export LC_ALL=C

die() {
	echo "bench: $*" >&2
	tail -n 20 "$OUT"/log >&2
	exit 1
}

# A large tree of small files.
make_tree() {
	local dir file
	for dir in {1..40}; do
		mkdir -p "$TREE/$dir"
		for file in {1..100}; do
			echo "$dir/$file" >"$TREE/$dir/$file"
		done
	done
}

# measure TRACER COMMAND...: COMMAND traces each work; the work's own line is the
# one of two numbers.
measure() {
	local tracer=$1 work
	shift
	for work in "${WORKS[@]}"; do
		# shellcheck disable=SC2086
		"$@" "$WORK" ${COMMAND[$work]} >/dev/null 2>"$OUT/log" ||
			die "'$* work ${COMMAND[$work]}' failed"
		awk -v tracer="$tracer" -v work="$work" '
			/^[0-9]+ [0-9]+$/ { print "work", tracer, work, $1, $2 }
			/ records, lost [0-9]/ {
				sub(/.* records, lost /, "")
				print "lost", tracer, work, $1 + 0
			}' "$OUT/log"
		rm -f "$OUT/file" "$OUT/file.dat"
	done
}

with_ftrace() {
	measure ftrace sh -c 'cd "$0" || exit
		echo $$ >set_event_pid
		echo 1 >options/event-fork
		echo 1 >events/raw_syscalls/enable
		exec "$@"' $TRACEFS
	echo 0 >$TRACEFS/events/raw_syscalls/enable
	echo 0 >$TRACEFS/options/event-fork
	echo >$TRACEFS/set_event_pid
}

make_tree
measure warm-up env >/dev/null
measure untraced env
measure ktrctl-record ktrctl record -f -o "$OUT/file" --
measure ktrctl-trace ktrctl trace -f -o "$OUT/file" --
rmmod ktracer || die "the module cannot be taken out"
with_ftrace
measure trace-cmd trace-cmd record --compression none -e raw_syscalls -c -F \
	-o "$OUT/file.dat"
measure perf-trace perf trace -o "$OUT/file"
measure strace strace -f -o "$OUT/file"
