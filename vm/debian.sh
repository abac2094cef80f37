# SPDX-License-Identifier: GPL-2.0-or-later
# Debian packages without installing them: a private apt for each release, with
# its own source list and state, that looks at no package of the machine's own.
# Sourced after scripts/common.sh.
#
# A release here is a code name with all its suites. Packages are unpacked into
# folders of the cache; no maintainer script runs, so nobody has to be root.

# shellcheck shell=bash

# The mirrors are those of the machine's own configuration. A new machine may not
# have read their index yet, and then apt does not name them.
mirror_of() {
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' \
		'Created-By: Packages' |
		awk -F'|' -v label="$1" '$1 == "Debian" && $2 == label {
			print $3; exit }'
}

source_list() {
	local release=$1 main security suite
	main=$(mirror_of Debian)
	if [ -z "$main" ]; then
		as_root apt-get -qq update >/dev/null 2>&1 || true
		main=$(mirror_of Debian)
	fi
	security=$(mirror_of Debian-Security)
	[ -n "$main" ] || die "apt knows no Debian mirror: run apt-get update" \
		"as root and look at /etc/apt/sources.list"
	for suite in "$release" "$release-updates" "$release-backports"; do
		echo "deb [$SIGNED_BY] $main $suite main"
	done
	if [ -n "$security" ]; then
		echo "deb [$SIGNED_BY] $security $release-security main"
	fi
}
SIGNED_BY=signed-by=/usr/share/keyrings/debian-archive-keyring.gpg

# Hooks of the machine's apt are for the machine's state, hence the clears.
write_apt_conf() {
	local release=$1 dir=$2
	mkdir -p "$dir"/{lists/partial,archives/partial,etc}
	: >"$dir/status"
	source_list "$release" >"$dir/etc/sources.list"
	cat >"$dir/apt.conf" <<-EOT
		#clear APT::Update;
		#clear DPkg;
		Dir::State "$dir";
		Dir::State::lists "$dir/lists";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir";
		Dir::Cache::archives "$dir/archives";
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
		Dir::Etc::sourcelist "$dir/etc/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		APT::Architecture "amd64";
		APT::Architectures { "amd64"; };
		APT::Sandbox::User "root";
		APT::Install-Recommends "false";
		APT::Default-Release "";
		Acquire::Retries "3";
		Acquire::Languages "none";
	EOT
}

# apt of a release; its index is fetched when first needed.
release_apt() {
	local release=$1 tool=$2
	shift 2
	"$tool" -q -c "$CACHE/apt-$release/apt.conf" "$@"
}

update_index() {
	local release=$1 dir=$CACHE/apt-$1
	write_apt_conf "$release" "$dir"
	release_apt "$release" apt-get update >"$dir/log" 2>&1 || {
		cat "$dir/log" >&2
		die "cannot read the package index of $release"
	}
	touch "$dir/updated"
}

# An index older than a day may name packages that the mirror has dropped.
need_index() {
	local stamp=$CACHE/apt-$1/updated
	if [ -z "$(find "$stamp" -mtime -1 2>/dev/null)" ]; then
		with_lock "apt-$1" update_index "$1"
	fi
}

# newest_package RELEASE REGEX: the name with the highest version number in it,
# of those that can be had (an index also names packages it has not).
newest_package() {
	local names
	need_index "$1"
	names=$(release_apt "$1" apt-cache pkgnames | grep -E "^$2\$") || return 0
	# shellcheck disable=SC2086
	release_apt "$1" apt-cache madison $names | awk '{ print $1 }' |
		sort -uV | tail -n 1
}

# unpack DEB... DIR: into a tree whose /bin, /sbin and /lib are links to usr.
unpack() {
	local dir=${*: -1} deb link
	for link in bin sbin lib lib64; do
		[ -e "$dir/$link" ] || {
			mkdir -p "$dir/usr/$link"
			ln -s "usr/$link" "$dir/$link"
		}
	done
	for deb in "${@:1:$#-1}"; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -x -p -C "$dir" --keep-directory-symlink
	done
}

# fetch_debs RELEASE OUT apt-arguments: download into the folder OUT.
fetch_debs() {
	local release=$1 out=$2
	shift 2
	mkdir -p "$out/partial"
	release_apt "$release" apt-get -y -o Dir::Cache::archives="$out" \
		"$@" >"$out/log" 2>&1 || {
		cat "$out/log" >&2
		die "cannot get the packages above from $release"
	}
}

# install_closure RELEASE PACKAGE[/SUITE]... DIR: with all they depend on.
install_closure() {
	local release=$1 dir=${*: -1}
	need_index "$release"
	fetch_debs "$release" "$dir/debs" --download-only install \
		"${@:2:$#-2}"
	unpack "$dir"/debs/*.deb "$dir"
	rm -rf "$dir/debs"
}

# install_only RELEASE PACKAGE... DIR: these and nothing else.
install_only() {
	local release=$1 dir=${*: -1} debs
	need_index "$release"
	mkdir -p "$dir"
	debs=$(mktemp -d "$dir/debs.XXXXXX")
	(cd "$debs" && release_apt "$release" apt-get download \
		"${@:2:$#-2}" >"$debs/log" 2>&1) || {
		cat "$debs/log" >&2
		die "cannot download ${*:2:$#-2}"
	}
	unpack "$debs"/*.deb "$dir"
	rm -rf "$debs"
}
