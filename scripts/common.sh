# SPDX-License-Identifier: GPL-2.0-or-later
# What the scripts in scripts/ and vm/ share. Sourced, never run.

# shellcheck shell=bash
shopt -s inherit_errexit
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${HOME:=$(getent passwd "$(id -u)" | cut -d: -f6)}"
CACHE=${KTRACER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ktracer}
ME=${0#"$TOP/"}
# depmod and its kind, which a plain user's path may lack.
PATH=$PATH:/usr/sbin:/sbin

# Modules of vm/guest/, which are for virtual machines only.
GUEST_MODULES="stale_breakpoint visitor"

# Where the one line that names the newest supported series is written.
COMPAT_H=$TOP/module/compat.h

say() {
	echo "$ME: $*" >&2
}

die() {
	say "$*"
	exit 1
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "must be root to run '$1', and there is no sudo"
	fi
}

# with_lock NAME COMMAND...: one process at a time, whoever it belongs to.
with_lock() {
	local name=$1
	shift
	mkdir -p "$CACHE/lock"
	(
		exec 9>"$CACHE/lock/$name"
		if ! flock -n 9; then
			say "waiting for another process that makes $name"
			flock 9
		fi
		"$@"
	)
}

# make_once DIR COMMAND...: COMMAND fills the folder given to it as its last
# argument. DIR appears complete or not at all, and is made once.
make_once() {
	local dir=$1
	shift
	[ -d "$dir" ] || with_lock "$(basename "$dir")" make_locked "$dir" "$@"
}

make_locked() {
	local dir=$1 start=$SECONDS
	shift
	[ ! -d "$dir" ] || return 0
	rm -rf "$dir.new"
	mkdir -p "$dir.new"
	"$@" "$dir.new"
	mv -T "$dir.new" "$dir"
	say "made $(basename "$dir") in $((SECONDS - start)) s"
}

# A short name for a recipe, so that a changed recipe makes a new thing.
digest() {
	sha256sum | cut -c1-10
}

# The series behind the name `latest`.
newest_series() {
	local series=
	if [ -e "$COMPAT_H" ]; then
		series=$(sed -n \
			's/^#define KTR_NEWEST_SERIES "\(.*\)"$/\1/p' "$COMPAT_H")
	fi
	echo "${series:-7.3}"
}
