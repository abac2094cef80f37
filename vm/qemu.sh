# SPDX-License-Identifier: GPL-2.0-or-later
# QEMU 10 or newer. Older ones miscompile: 7.2 once crashed a guest by losing
# the flags around cmpxchg16b. The machine's own is taken if it is new enough,
# else that of Debian's backports, unpacked into the cache with all its libraries.
# Sourced after vm/debian.sh.

# shellcheck shell=bash
QEMU_OLDEST=10
QEMU_PACKAGES="--target-release bookworm-backports qemu-system-x86"

qemu_dir() {
	echo "$CACHE/qemu-$(echo $QEMU_PACKAGES | digest)"
}

own_qemu_is_new() {
	local version
	version=$(qemu-system-x86_64 --version 2>/dev/null |
		sed -nE '1s/.*version ([0-9]+)\..*/\1/p')
	[ "${version:-0}" -ge "$QEMU_OLDEST" ]
}

need_qemu() {
	own_qemu_is_new || make_once "$(qemu_dir)" fill_qemu
}

fill_qemu() {
	# shellcheck disable=SC2086
	install_closure bookworm $QEMU_PACKAGES "$1"
}

# qemu_command: sets QEMU to the words that start it, and what it needs in the
# environment. The dynamic loader of the unpacked libraries is named, so that
# nothing of the machine's is mixed in.
qemu_command() {
	local dir
	if own_qemu_is_new; then
		QEMU=(qemu-system-x86_64)
		return
	fi
	dir=$(qemu_dir)
	export QEMU_MODULE_DIR=$dir/usr/lib/x86_64-linux-gnu/qemu
	QEMU=("$dir/lib64/ld-linux-x86-64.so.2"
		--library-path "$(library_path "$dir")"
		"$dir/usr/bin/qemu-system-x86_64"
		-L "$dir/usr/share/qemu" -L "$dir/usr/share/seabios")
}

library_path() {
	local lib=$1/usr/lib/x86_64-linux-gnu
	echo "$lib:$lib/pulseaudio:$1/usr/lib"
}
