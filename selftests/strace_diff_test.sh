#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What ktrctl trace prints beside what strace prints, program by program.

set -u
. lib/tap.sh

# differ NAME [OPTION...] -- CMD [ARG...]
differ() {
	local name=$1
	shift
	tap_case "$name" python3 lib/strace_diff.py \
		--known strace_diff.known "$@"
}

MAIN='ls /etc > /tmp/o; cat /tmp/o | wc -l; kill -USR1 $$'

differ "the main example" -f -- sh -c "$MAIN"
differ "the main example on a terminal" --stderr -f -- sh -c "$MAIN"

tap_done
