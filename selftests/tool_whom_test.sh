#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Many processes by one option: --pgid, --uid, --cgroup, --all.

set -u
. lib/tap.sh
. lib/tool.sh

CGROUP=/sys/fs/cgroup/ktr-tool-whom

# caller COMMAND...: waits for a line of the pipe, then lets a child make calls. PID is
# its, whoever it is by then.
caller() {
	mkfifo -m 666 "$T/go"
	chmod 711 "$TOP"
	chmod 777 "$T"
	"$@" sh -c "echo \$\$ >$T/pid; read x <$T/go; $HERE/act_load needles 3; exit 0" &
	await '^[0-9]' "$T/pid"
	PID=$(cat "$T/pid")
}

go() {
	echo >"$T/go"
	wait "$PID" 2>/dev/null || true
}

by_pgid() {
	caller setsid -w
	tracer -o "$T/text" -e trace=getppid --pgid "$PID"
	go
	wait "$TRACER" || fail "status $?" "$(cat "$T/err")"
	has "$T/err" "^ktrctl: Process group $PID attached$"
	has "$T/text" '^[0-9]+ +getppid\(\) += ' 3
}

by_uid() {
	caller setpriv --reuid 4711 --clear-groups
	tracer -o "$T/text" -e trace=getppid --uid 4711
	go
	wait "$TRACER" || fail "status $?" "$(cat "$T/err")"
	has "$T/err" '^ktrctl: User 4711 attached$'
	has "$T/text" '^[0-9]+ +getppid\(\) += ' 3
}

by_cgroup() {
	mkdir "$CGROUP" || fail "no cgroup"
	caller sh -c "echo \$\$ >$CGROUP/cgroup.procs; exec \"\$@\"" --
	tracer -o "$T/text" -e trace=getppid --cgroup "${CGROUP##*/}"
	go
	wait "$TRACER" || fail "status $?" "$(cat "$T/err")"
	rmdir "$CGROUP"
	has "$T/text" '^[0-9]+ +getppid\(\) += ' 3
}

# container NAME CALLS: in a cgroup and a pid namespace of its own; waits for a line.
# OUTER is the number of its first process here.
container() {
	mkdir "$CGROUP-$1" || fail "no cgroup"
	mkfifo "$T/$1"
	sh -c "echo \$\$ >$CGROUP-$1/cgroup.procs
		exec unshare -pf sh -c 'echo is \$\$ >$T/$1.in
			read x <$T/$1; $HERE/act_load needles $2; exit 0'" &
	await '^is 1$' "$T/$1.in"
	OUTER=$(pgrep -P $!)
}

# Case K-09. Of two containers one, as it is at the attach: what it starts is traced, also
# when it has been taken out; what is put into it is not.
by_container() {
	local this other
	container other 4
	other=$OUTER
	container this 3
	this=$OUTER
	caller env
	tracer --json -o "$T/json" -e trace=getppid --cgroup "${CGROUP##*/}-this"
	echo "$PID" >"$CGROUP-this/cgroup.procs"
	echo "$this" >/sys/fs/cgroup/cgroup.procs
	go
	echo >"$T/other"
	echo >"$T/this"
	wait
	rmdir "$CGROUP-this" "$CGROUP-other"
	events "$T/json" this="$this" other="$other" pid="$PID" -- \
		'len(calls("getppid")) == 3' \
		'(this, 1) in [(e.tid, e.inner_tid) for e in kind("task")]' \
		'not [e for e in E if e.tid in (other, pid)]'
}

# A named session takes them and lets them go.
of_a_session() {
	caller setpriv --reuid 4711 --clear-groups
	run 0 ktrctl add-syscall getppid --uid 4711 -s whom
	run 0 ktrctl status -s whom
	run 0 ktrctl add-syscall getpgid --uid 4711 -s whom
	go
	run 0 ktrctl read -s whom -o "$T/text"
	has "$T/text" '^[0-9]+ +getppid\(\) += ' 3
	run 2 ktrctl del-syscall getppid --uid 4711 -s whom
	run 0 ktrctl clear -s whom
}

# rests OPTION...: two seconds of a machine that does nothing, but for the kernel's
# own work and a process that ends. Case H-10: were what ktrctl and the module do to
# write it down in it, there would be no end.
rests() {
	mkfifo "$T/end"
	sh -c "read x <$T/end; exit 41" &
	tracer -o "$T/text" --for 2s "$@"
	echo >"$T/end"
	wait "$TRACER" || fail "status $?" "$(cat "$T/err")"
	has "$T/text" '^[0-9]+ +exit_group\(41\)' 1
	[ "$(wc -l <"$T/text")" -lt 500 ] || fail "too much" "$(head -n 20 "$T/text")"
}

all_come_to_rest() {
	rests --all --event sched
	has "$T/err" '^ktrctl: All tasks attached$'
}

all_of_root_come_to_rest() {
	rests --uid root
	has "$T/err" '^ktrctl: User root attached$'
}

nobody_there() {
	run 2 ktrctl trace --uid 4712
	has "$T/err" '^ktrctl: user 4712: no such process$'
	run 2 ktrctl trace --uid no-such-user
	has "$T/err" '^ktrctl: --uid no-such-user: no such user$'
	run 2 ktrctl trace --cgroup no-such-cgroup
	has "$T/err" '^ktrctl: --cgroup no-such-cgroup: No such file or directory: give the directory of a cgroup'
	run 2 ktrctl trace --cgroup /tmp
	has "$T/err" '^ktrctl: cgroup /tmp: not an open directory of a cgroup'
	run 2 ktrctl trace --pgid 0
	has "$T/err" '^ktrctl: --pgid 0: use the number of a process group'
	run 2 ktrctl trace --all -- true
	has "$T/err" 'give a command, or all tasks: not both'
}

not_for_plain_users() {
	local option
	for option in --all '--uid 4711' '--cgroup /sys/fs/cgroup'; do
		# shellcheck disable=SC2086
		run 5 setpriv --reuid 4711 --clear-groups ktrctl trace $option
		has "$T/err" 'not permitted: without privilege processes are traced one by one'
	done
}

# Case D-10. Inside and outside it is the same process, whatever its number.
in_a_container() {
	local outer
	mkfifo "$T/go"
	: >"$T/inside"
	unshare -pf --mount-proc sh -c "
		ktrctl trace -f --json -o $T/inside -p 1 --limit 1000000 2>$T/err.in &
		read x <$T/go; $HERE/act_load needles 3; kill -INT \$!; wait" &
	await 'attached' "$T/err.in"
	outer=$(pgrep -P $!)
	tracer -f --json -o "$T/outside" -p "$outer"
	echo >"$T/go"
	wait "$TRACER" || fail "status $?" "$(cat "$T/err")"
	wait
	has "$T/err.in" 'Process 1 attached'
	has "$T/err" "Process $outer attached"
	for side in inside outside; do
		events "$T/$side" outer="$outer" -- \
			'(outer, 1) in [(e.tid, e.inner_tid) for e in kind("task")]' \
			'not [e for e in E if e.tid == 1]' \
			'len([c for c in calls("getppid") if c.comm == "act_load"]) == 3'
	done
}

# Case K-07: a shell's child's child, which nobody is the parent of any more.
whole_subtree() {
	printf 'sh %s/b\nexit 0\n' "$T" >"$T/a"
	printf '(setsid sh %s/c &)\nexit 0\n' "$T" >"$T/b"
	cat >"$T/c" <<-EOT
		until ! [ -e /proc/\$A ] || grep -q '^State:.[ZX]' /proc/\$A/status; do
			sleep 0.05
		done
		$HERE/act_load needles 3
		exit 0
	EOT
	"$HERE/act_load" needles 1000 &
	run 0 ktrctl trace -f --json -e trace=getppid,execve -o "$T/json" -- \
		sh -c "export A=\$\$; exec sh $T/a"
	events "$T/json" -- \
		'len([c for c in calls("getppid") if c.comm == "act_load"]) == 3' \
		'[c.args.filename.split("/")[-1] for c in calls("execve")
		  if "act_load" in c.args.filename] == ["act_load"]'
}

# Case K-05: threads and children that are there already, each once.
existing_children() {
	local status
	cat >"$T/program" <<-'EOT'
		import os, threading
		r, w = os.pipe()
		top = os.getpid()
		for i in range(3):
		    if not os.fork():
		        break
		for i in range(2):
		    threading.Thread(target=threading.Event().wait, daemon=True).start()
		if os.getpid() == top:
		    for i in range(3):
		        os.read(r, 1)
		    print("ready", flush=True)
		else:
		    os.write(w, b"x")
		threading.Event().wait()
	EOT
	python3 -S "$T/program" >"$T/said" &
	PID=$!
	await ready "$T/said"
	tracer -f --descend --json -o "$T/json" -p "$PID"
	kill -INT "$TRACER"
	status=0
	wait "$TRACER" || status=$?
	pkill -KILL -f "python3 -S $T/program"
	[ "$status" = 130 ] || fail "status $status" "$(cat "$T/err")"
	events "$T/json" -- 'len(kind("task")) == 12' \
		'len({e.tid for e in kind("task")}) == 12' \
		'len({e.tgid for e in kind("task")}) == 4'
}

tool_case "a process in a container (D-10)" in_a_container
tool_case "a whole subtree (K-07)" whole_subtree
tool_case "children that are there already (K-05)" existing_children
tool_case "a process group (--pgid)" by_pgid
tool_case "a user (--uid)" by_uid
tool_case "a cgroup (--cgroup)" by_cgroup
tool_case "a container by its cgroup (K-09)" by_container
tool_case "a user, in a named session" of_a_session
tool_case "all tasks come to rest (H-10)" all_come_to_rest
tool_case "all tasks of root come to rest (H-10)" all_of_root_come_to_rest
tool_case "nobody there" nobody_there
tool_case "not for plain users" not_for_plain_users
tool_done
