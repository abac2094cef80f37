# SPDX-License-Identifier: GPL-2.0-or-later
# Where each kernel comes from and what its folder in the cache holds:
#
#   vmlinuz                 the image
#   release                 its uname -r
#   lib/modules/RELEASE     its modules, and modules.squashfs made of them
#   boot-modules            those needed to reach the root file system, in order
#   kbuild                  the folder for make -C inside the build root
#
# Sourced after vm/buildroot.sh.

# shellcheck shell=bash
KERNELS="6.1 6.12 latest debug"
# And `newest`, the newest there is, which nobody promises to support.
SOURCE_SERIES=6.12
# What /init of the virtual machine needs, built in or as modules.
BOOT_MODULES="virtio_pci virtio_blk virtio_console squashfs overlay"

# kernel_release_of KERNEL: the Debian release that packages it.
kernel_release_of() {
	case $1 in
	6.1 | 6.12 | debug) echo bookworm ;;
	latest | newest) echo trixie ;;
	*) die "no kernel '$1': it is one of $KERNELS" ;;
	esac
}

kernel_dir() {
	case $1 in
	debug) echo "$CACHE/kernel-debug-$(debug_digest)" ;;
	latest) echo "$CACHE/kernel-$(newest_series)" ;;
	newest) echo "$CACHE/kernel-$(newest_packaged)" ;;
	*) echo "$CACHE/kernel-$1" ;;
	esac
}

need_kernel() {
	local release
	release=$(kernel_release_of "$1")
	need_buildroot "$release"
	case $1 in
	debug) make_once "$(kernel_dir debug)" fill_debug_kernel ;;
	latest) make_once "$(kernel_dir latest)" fill_kernel "$release" \
		"$(newest_series)" ;;
	newest) make_once "$(kernel_dir newest)" fill_kernel "$release" \
		"$(newest_packaged)" ;;
	*) make_once "$(kernel_dir "$1")" fill_kernel "$release" "$1" ;;
	esac
}

# cloud_regex SERIES: the names of its image packages.
cloud_regex() {
	case $1 in
	6.1) echo 'linux-image-6\.1\.0-[0-9]+-cloud-amd64' ;;
	*) echo "linux-image-${1//./\\.}\\.[0-9.]+\\+deb1[0-9.]+-cloud-amd64" ;;
	esac
}

# The newest series of all, for a look at what is coming. Asking takes a second,
# so the answer is kept until the index is read again.
newest_packaged() {
	local kept=$CACHE/apt-trixie/newest
	need_index trixie
	if [ ! "$kept" -nt "$CACHE/apt-trixie/updated" ]; then
		newest_package trixie "$(cloud_regex '[0-9]+.[0-9]+')" |
			sed -E 's/linux-image-([0-9]+\.[0-9]+)\..*/\1/' >"$kept.$$"
		mv "$kept.$$" "$kept"
	fi
	cat "$kept"
}

# Backports keep one series only: when the mirror has moved on, what it has is
# nearer to the series wanted than nothing.
find_image() {
	local release=$1 series=$2 image
	image=$(newest_package "$release" "$(cloud_regex "$series")")
	if [ -z "$image" ] && [ "$release" = trixie ]; then
		say "Debian has no kernel $series any more, taking" \
			"$(newest_packaged)"
		image=$(newest_package trixie "$(cloud_regex "$(newest_packaged)")")
	fi
	[ -n "$image" ] || die "the package index of $release has no kernel $series"
	echo "$image"
}

# dependencies RELEASE PACKAGE REGEX: those whose name matches, also of those.
dependencies() {
	release_apt "$1" apt-cache depends --recurse --important "$2" |
		sed -nE "s/^ *(Pre)?Depends: ($3)\$/\\2/p" | sort -u
}

fill_kernel() {
	local release=$1 series=$2 dir=$3 image version parts
	image=$(find_image "$release" "$series")
	version=${image#linux-image-}
	parts=$(dependencies "$release" "$image" "linux-[a-z]+-${version//+/\\+}")
	# shellcheck disable=SC2086
	install_only "$release" "$image" $parts "$dir/unpacked"
	keep_kernel "$dir" "$version"
	add_headers "$release" "$version"
	echo "/usr/src/linux-headers-$version" >"$dir/kbuild"
}

# The image is in /boot or, split from its modules, beside them.
keep_kernel() {
	local dir=$1 version=$2 from=$1/unpacked
	mkdir -p "$dir/lib/modules"
	mv "$from/usr/lib/modules/$version" "$dir/lib/modules/"
	if [ -e "$from/boot/vmlinuz-$version" ]; then
		mv "$from/boot/vmlinuz-$version" "$dir/vmlinuz"
	else
		mv "$dir/lib/modules/$version/vmlinuz" "$dir/vmlinuz"
	fi
	rm -rf "$from"
	finish_kernel "$dir" "$version"
}

finish_kernel() {
	local dir=$1 version=$2
	echo "$version" >"$dir/release"
	depmod -b "$dir" "$version"
	list_boot_modules "$dir" "$version" >"$dir/boot-modules"
	mksquashfs "$dir/lib/modules/$version" "$dir/modules.squashfs" -quiet \
		-no-progress -all-root -noI -noD -noF -noX >/dev/null
}

# Paths below lib/modules/RELEASE, each after those that it depends on.
list_boot_modules() {
	local dir=$1 version=$2 module
	for module in $BOOT_MODULES; do
		modprobe -d "$dir" -S "$version" --show-depends "$module" ||
			die "kernel $version has no $module"
	done | sed -n "s|^insmod $dir/lib/modules/$version/||p" |
		sed 's/ *$//' | awk '!seen[$0]++'
}

# Headers go into the build root, since their files name absolute paths.
add_headers() {
	local release=$1 headers=linux-headers-$2 parts
	parts=$(dependencies "$release" "$headers" \
		'linux-(headers|kbuild)-[0-9][^ ]*')
	# shellcheck disable=SC2086
	with_lock headers install_only "$release" "$headers" $parts \
		"$(buildroot "$release")"
}

# The source serves the debug kernel, and tests and checks use files of it.
source_dir() {
	echo "$CACHE/source-$SOURCE_SERIES"
}

need_source() {
	make_once "$(source_dir)" fill_source
}

fill_source() {
	install_only bookworm "linux-source-$SOURCE_SERIES" "$1.deb"
	tar -x -C "$1" --strip-components=1 \
		-f "$1.deb/usr/src/linux-source-$SOURCE_SERIES.tar.xz"
	rm -rf "$1.deb"
}

debug_digest() {
	digest <"$TOP/vm/debug.config"
}

# The objects stay outside the new folder, so that a build that was interrupted
# goes on where it was.
fill_debug_kernel() {
	local dir=$1 out version
	out=$CACHE/build-debug-$(debug_digest)
	need_source
	mkdir -p "$out" "$dir/lib/modules"
	say "building the debug kernel, log in $out/log"
	build_debug_kernel "$out" >"$out/log" 2>&1 || {
		tail -n 40 "$out/log" >&2
		die "the debug kernel does not build, see $out/log"
	}
	version=$(cat "$out/include/config/kernel.release")
	mkdir -p "$dir/lib/modules/$version"
	cp "$out/modules.builtin" "$out/modules.builtin.modinfo" \
		"$out/modules.order" "$dir/lib/modules/$version/"
	cp "$out/arch/x86/boot/bzImage" "$dir/vmlinuz"
	echo "$out" >"$dir/kbuild"
	finish_kernel "$dir" "$version"
	drop_objects "$out"
}

# Modules are built with what is left: headers, scripts, symbols and vmlinux.
drop_objects() {
	find "$1" \( -path "$1/scripts" -o -path "$1/tools" \) -prune -o \
		-name '*.[oa]' -exec rm {} +
}

build_debug_kernel() {
	local out=$1
	kernel_make "$out" KCONFIG_ALLCONFIG="$TOP/vm/debug.config" \
		allnoconfig &&
		check_debug_config "$out/.config" &&
		kernel_make "$out" -j"$(nproc)" bzImage modules
}

kernel_make() {
	local out=$1
	shift
	in_buildroot bookworm nice -n 19 make -C "$(source_dir)" \
		O="$out" ARCH=x86 KBUILD_BUILD_TIMESTAMP=@0 "$@"
}

# A line that Kconfig drops, for want of another, would go unnoticed for ever.
check_debug_config() {
	local lost
	lost=$(grep -E '^(# )?CONFIG_[A-Z0-9_]+(=| is not)' \
		"$TOP/vm/debug.config" | grep -vxFf "$1") || return 0
	echo "vm/debug.config has lines that the kernel did not take:"
	echo "$lost"
	return 1
}
