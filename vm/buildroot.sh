# SPDX-License-Identifier: GPL-2.0-or-later
# The folder with the compiler of a Debian release, in which kernels and modules
# of that release are built, whatever the machine itself runs: the headers of a
# new kernel need a newer libc than an older release has.
# Sourced after vm/debian.sh.

# shellcheck shell=bash
BUILD_PACKAGES="gcc make libc6-dev libelf-dev bc flex bison dwarves kmod cpio
	perl-base python3-minimal sparse bash dash coreutils diffutils findutils grep
	gzip hostname mawk sed tar xz-utils zstd"

buildroot() {
	echo "$CACHE/buildroot-$1-$(echo $BUILD_PACKAGES | digest)"
}

fill_buildroot() {
	# shellcheck disable=SC2086
	install_closure "$1" $BUILD_PACKAGES "$2"
	ln -sf mawk "$2/usr/bin/awk"
	mkdir -p "$2"/{dev,proc,tmp}
}

need_buildroot() {
	make_once "$(buildroot "$1")" fill_buildroot "$1"
}

# in_buildroot RELEASE COMMAND...: the checkout and the cache keep their paths.
in_buildroot() {
	local root user=()
	root=$(buildroot "$1")
	shift
	[ "$(id -u)" = 0 ] || user=(--map-root-user)
	mkdir -p "$root$TOP" "$root$CACHE"
	# shellcheck disable=SC2016
	unshare "${user[@]}" --mount sh -c '
		root=$1 top=$2 cache=$3
		shift 3
		mount --rbind /dev "$root/dev" &&
		mount --rbind /proc "$root/proc" &&
		mount --bind "$cache" "$root$cache" &&
		mount --bind "$top" "$root$top" || exit 1
		exec chroot "$root" /usr/bin/env -i HOME=/ LC_ALL=C \
			PATH=/usr/sbin:/usr/bin "$@"
	' in_buildroot "$root" "$TOP" "$CACHE" "$@"
}
