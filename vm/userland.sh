# SPDX-License-Identifier: GPL-2.0-or-later
# What the virtual machine holds besides the kernel: the image of a small Debian
# with the tracers that tests compare with, and process 1.
# Sourced after vm/buildroot.sh.

# shellcheck shell=bash
USERLAND_PACKAGES="base-files base-passwd bash bsdutils coreutils dash debianutils
	diffutils file findutils gawk grep gzip hostname iproute2 kmod less
	libc-bin login lsof mount ncurses-base ncurses-bin
	passwd perl-base procps psmisc python3 sed socat sysvinit-utils tar
	util-linux util-linux-extra xz-utils
	binutils bpftool bpftrace gdb linux-perf ltrace strace trace-cmd
	libasan8 libubsan1 libbpf1 libdw1 libelf1 libjson-c5 libnl-3-200
	libnl-genl-3-200 libseccomp2 libtraceevent1"

userland_dir() {
	echo "$CACHE/userland-$({
		echo $USERLAND_PACKAGES
		cat "$TOP/vm/userland.sh"
	} | digest)"
}

need_userland() {
	make_once "$(userland_dir)" fill_userland
}

fill_userland() {
	local root=$1/root
	# shellcheck disable=SC2086
	install_closure bookworm $USERLAND_PACKAGES "$root"
	configure_userland "$root"
	rm -rf "$root"/usr/share/{doc,locale,man,info,lintian,bash-completion}
	mksquashfs "$root" "$1/userland.squashfs" -quiet -no-progress -all-root \
		-noI -noD -noF -noX >/dev/null
	rm -rf "$root"
}

# What the packages' own scripts would have done, as far as it is missed here.
configure_userland() {
	local root=$1
	mkdir -p "$root"/{dev,proc,sys,run,tmp,root,home/user,opt,mnt,lib/ktracer,lib/modules}
	ln -sf gawk "$root/usr/bin/awk"
	ln -sf which.debianutils "$root/usr/bin/which"
	ln -sfn ../proc/self/mounts "$root/etc/mtab"
	write_accounts "$root"
	write_pam "$root"
	echo 'ktracer' >"$root/etc/hostname"
	echo '127.0.0.1 localhost ktracer' >"$root/etc/hosts"
	echo "PS1='\\h:\\w\\\$ '" >"$root/root/.profile"
	ldconfig -r "$root"
}

write_accounts() {
	local etc=$1/etc master=$1/usr/share/base-passwd
	cp "$master/passwd.master" "$etc/passwd"
	cp "$master/group.master" "$etc/group"
	sed -i 's/:\*:/:x:/' "$etc/passwd" "$etc/group"
	sed -i 's|^\(root:.*:\)[^:]*$|\1/bin/bash|' "$etc/passwd"
	echo 'user:x:1000:1000:user:/home/user:/bin/bash' >>"$etc/passwd"
	echo 'user:x:1000:' >>"$etc/group"
	sed 's/:.*/:*:19000:0:99999:7:::/' "$etc/passwd" >"$etc/shadow"
}

# Nobody has a password: root may become anyone, and nobody else may.
write_pam() {
	local kind
	mkdir -p "$1/etc/pam.d"
	for kind in auth account password session; do
		echo "$kind required pam_permit.so" >"$1/etc/pam.d/common-$kind"
	done
	cp "$1/etc/pam.d/common-session" \
		"$1/etc/pam.d/common-session-noninteractive"
	cat >"$1/etc/pam.d/su" <<-EOT
		auth sufficient pam_rootok.so
		auth required pam_deny.so
		account required pam_permit.so
		session required pam_permit.so
	EOT
	cp "$1/etc/pam.d/su" "$1/etc/pam.d/su-l"
}

guest_dir() {
	echo "$CACHE/guest-$(cat "$TOP"/vm/guest/* | digest)"
}

need_guest() {
	need_buildroot bookworm
	make_once "$(guest_dir)" fill_guest
}

fill_guest() {
	in_buildroot bookworm gcc -Wall -Wextra -O2 -static -o "$1/init" \
		"$TOP/vm/guest/init.c" "$TOP/vm/guest/agent.c"
}
