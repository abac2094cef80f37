#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of the README and the examples of the manual pages, as printed. At
# small scale those that take long are left out.

set -u
. lib/tap.sh
. lib/tool.sh

# Those that wait, need a server or start python.
SLOW='--for |-p [0-9]|--pid [1-9][0-9]|python3'

example() {
	mkdir "$T/bin"
	ln -s "$(command -v ktrctl)" "$T/bin/kdump"
	ln -s "$(command -v ktrctl)" "$T/bin/ktrace"
	cd "$T" || fail "no folder"
	PATH=$T/bin:$PATH python3 "$HERE/lib/examples.py" "$HERE/$PAGE" "$NUMBER" ||
		exit 1
}

examples_of() {
	local text
	PAGE=$1 NUMBER=0
	while read -r text; do
		[[ $SCALE != 1 && $text =~ $SLOW ]] ||
			tool_case "${PAGE##*/}: ${text:0:70}" example
		NUMBER=$((NUMBER + 1))
	done < <(python3 lib/examples.py "$PAGE")
	[ "$NUMBER" -gt 0 ] || tool_case "$PAGE has examples" false
}

for page in pages/README.md pages/*.1; do
	examples_of "$page"
done
tool_done
