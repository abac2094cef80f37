#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls by path, and path lookups.

set -u
. lib/tap.sh
. lib/tool.sh

# Case K-03. What was refused has taken no room and is counted.
by_prefix() {
	local n
	n=$(scaled 50000)
	mkdir -p "$T/d/a" "$T/d/b/c" "$T/d/bb"
	run 0 ktrctl trace -v -e trace=openat -P "$T/d/b/" -o "$T/text" -- \
		"$HERE/act_paths" "$T/d" "$n"
	has "$T/text" '^openat\(' 20
	has "$T/text" "^openat\(AT_FDCWD, \"$T/d/b/c/[0-9]+\"" 20
	# Descriptors too: each is closed once.
	run 0 ktrctl trace -e trace=openat,close -P "$T/d/b/" -o "$T/text" -- \
		"$HERE/act_paths" "$T/d" 10
	has "$T/text" '^openat\(' 20
	has "$T/text" '^close\([0-9]+\)' 20
	# With another condition.
	run 0 ktrctl trace -P "$T/d/b/" -P "$T/d/bb/4" --filter 'nr == close' \
		-o "$T/text" -- "$HERE/act_paths" "$T/d" 10
	has "$T/text" '^close\(' 21
	lacks "$T/text" '^openat\('
}

room() {
	local n
	n=$(scaled 50000)
	mkdir -p "$T/d/a" "$T/d/b/c" "$T/d/bb"
	run 0 ktrctl record -P "$T/d/b/" -o "$T/file" -- \
		"$HERE/act_paths" "$T/d" "$n"
	run 0 ktrctl report --json -o "$T/json" "$T/file"
	events "$T/json" -- 'tail.records < 150' 'len(calls("openat")) == 20'
}

# As strace: by the path's text, and by descriptors that refer to it.
exact() {
	seq 9 >"$T/one"
	ln -s one "$T/link"
	cp "$T/one" "$T/one2"
	for name in one link; do
		run 0 strace -o "$T/strace" -P "$T/$name" \
			cat "$T/one" "$T/one2" "$T/link"
		has "$T/err" "Requested path" "$([ $name = link ] && echo 1 || echo 0)"
		cp "$T/err" "$T/theirs"
		run 0 ktrctl trace -o "$T/ktrctl" -P "$T/$name" -- \
			cat "$T/one" "$T/one2" "$T/link"
		has "$T/err" "Requested path" "$([ $name = link ] && echo 1 || echo 0)"
		sed 's/^ktrctl/strace/' "$T/err" >"$T/ours"
		diff "$T/theirs" "$T/ours" || fail "other words than strace's"
		# What was opened by the other name counts here by its result.
		grep -v '^openat\|^mmap' "$T/strace" | sed 's/ \+= / = /' >"$T/a"
		grep -v '^openat\|^mmap' "$T/ktrctl" | sed 's/ \+= / = /' >"$T/b"
		diff "$T/a" "$T/b" || exit 1
		has "$T/ktrctl" '^openat\(.*/(one|link)"' 2
	done
}

# The result of a fcntl() is a descriptor for some commands alone: 0 and 1 are none here.
no_descriptors() {
	run 0 ktrctl trace -y -o "$T/text" -P /dev/null -e trace=fcntl -- python3 -S -c "
import fcntl
f = open('/etc/passwd')
fcntl.fcntl(f, fcntl.F_SETFD, 0); fcntl.fcntl(f, fcntl.F_SETFD, 1)
fcntl.fcntl(f, fcntl.F_GETFD); fcntl.fcntl(0, fcntl.F_SETFD, 1)
fcntl.fcntl(f, fcntl.F_DUPFD, 40)" <>/dev/null >&0
	lacks "$T/text" '/etc/passwd'
	has "$T/text" '^fcntl\(0</dev/null>, F_SETFD, FD_CLOEXEC\)' 1
}

paths_refused() {
	run 2 ktrctl trace -P '' true
	says 'path is empty'
	# shellcheck disable=SC2046
	run 2 ktrctl trace $(for i in $(seq 65); do echo "-P /$i"; done) true
	says 'more than 64 paths'
}

# Case B-10, by the kernel's own copy.
lookups() {
	printf '#!/no/such/interpreter\n' >"$T/script"
	chmod 700 "$T/script"
	run 0 ktrctl trace -f --event namei -o "$T/text" -- \
		sh -c "$T/script; cat /no/such/file; true"
	has "$T/text" '=== namei \{.*"/no/such/interpreter"'
	has "$T/text" '=== namei \{.*"/no/such/file"' 1
	run 0 ktrctl trace -f --json --event namei -o "$T/json" -- \
		sh -c "$T/script; true"
	events "$T/json" -- \
		'any(e.name == "/no/such/interpreter" and e.dirfd == -100 and
		     e.nr == 59 for e in kind("namei"))'
	run 0 ktrctl trace -f -o "$T/text" -- true
	lacks "$T/text" 'namei'
}

# Case B-10, as the calls have it: a line for each attempt, with its path.
failing_execs() {
	mkdir "$T/one" "$T/two"
	printf '#!/no/such/interpreter\n' >"$T/two/script"
	echo text >"$T/two/text"
	chmod 700 "$T/two/script"
	chmod 600 "$T/two/text"
	cat >"$T/program" <<-'EOT'
		import os, sys
		top = sys.argv[1]
		os.environ["PATH"] = "%s/one:%s/two:/no/such" % (top, top)
		for run, path in ((os.execvp, "missing"), (os.execv, top + "/two/text"),
		                  (os.execv, top + "/two/script")):
		    try:
		        run(path, ["name"])
		    except OSError:
		        pass
	EOT
	run 0 ktrctl record -e trace=execve -o "$T/file" -- python3 -S "$T/program" "$T"
	run 0 ktrctl report -o "$T/text" "$T/file"
	has "$T/text" '^execve\(.*\) += -1 ' 5
	in_order "$T/text" \
		"^execve\(\"$T/one/missing\", \[\"name\"\], 0x[0-9a-f]+ /\* .* \*/\) += -1 ENOENT \(" \
		"^execve\(\"$T/two/missing\", .* = -1 ENOENT \(" \
		'^execve\("/no/such/missing", .* = -1 ENOENT \(' \
		"^execve\(\"$T/two/text\", .* = -1 EACCES \(" \
		"^execve\(\"$T/two/script\", .* = -1 ENOENT \("
	run 0 ktrctl report --json -o "$T/json" "$T/file"
	events "$T/json" top="$T" -- \
		'[(c.args.filename, c.errno) for c in calls("execve") if c.ret] ==
		 [(top + "/one/missing", "ENOENT"), (top + "/two/missing", "ENOENT"),
		  ("/no/such/missing", "ENOENT"), (top + "/two/text", "EACCES"),
		  (top + "/two/script", "ENOENT")]' \
		'all(c.args.argv == ["name"] for c in calls("execve") if c.ret)'
}

# Cases B-01, B-04, B-05: what the kernel was the first to read, what nobody can, and
# what is long.
unusual_strings() {
	mkdir "$T/d" "$T/e"
	run 0 ktrctl trace -e trace=open -o "$T/text" -- "$HERE/act_strings" "$T/d"
	has "$T/text" '^open\(' 3
	has "$T/text" "^open\(\"$T/d/untouched\", O_RDONLY\|O_CREAT, 0600\) += [0-9]+\$" 1
	has "$T/text" '^open\(0x8, O_RDONLY\) += -1 EFAULT \(Bad address\)$' 1
	has "$T/text" '^open\("[^"]{4095}", O_RDONLY\) += [0-9]+$' 1
	run 0 ktrctl trace --json -e trace=open -o "$T/json" -- \
		"$HERE/act_strings" "$T/e"
	events "$T/json" path="$T/e/untouched" -- \
		'calls("open")[0].args.filename in (path, {"value": path, "late": True})' \
		'calls("open")[1].args.filename == "0x8"' \
		'calls("open")[1].errno == "EFAULT"' \
		'len(calls("open")[2].args.filename) == 4095'
	rm -rf "$T/d" "$T/e"
}

untouched_pages_of_an_execve() {
	[ -e /sys/kernel/tracing/events/sched/sched_prepare_exec ] ||
		skip "the kernel has no sched_prepare_exec"
	run 0 ktrctl trace -f -o "$T/text" -- "$HERE/act_untouched"
	has "$T/text" '^[0-9]+ +execve\("/bin/sh", \["sh", "-c", ":"\], 0x' 1
	lacks "$T/text" unreadable
}

tool_case "a prefix decides in the kernel (K-03)" by_prefix
tool_case "what is refused takes no room (K-03)" room
tool_case "one path, as strace" exact
tool_case "numbers that are no descriptors" no_descriptors
tool_case "paths that are refused" paths_refused
tool_case "unusual strings (B-01, B-04, B-05)" unusual_strings
tool_case "lookups, interpreters too (B-10)" lookups
tool_case "execs that fail (B-10)" failing_execs
tool_case "untouched pages of an execve" untouched_pages_of_an_execve
tool_done
