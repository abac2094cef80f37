#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Births, deaths and changes of tasks, as ktrctl shows them.

set -u
. lib/tap.sh
. lib/tool.sh

# Case D-01.
exit_is_shown() {
	run 3 ktrctl trace -o "$T/text" -- sh -c 'exit 3'
	[ "$(tail -n 2 "$T/text" | tr -s ' ')" = \
		"$(printf 'exit_group(3) = ?\n+++ exited with 3 +++')" ] ||
		fail "the end is" "$(tail -n 3 "$T/text")"
	run 3 ktrctl trace --json -o "$T/json" -- sh -c 'exit 3'
	events "$T/json" -- \
		'len(calls("exit_group")) == 1' \
		'calls("exit_group")[0].ret is None' \
		'[int(e.code, 16) for e in kind("exit")] == [0x300]'
}

# Case D-03.
exec_by_a_thread() {
	local leader thread goes_on
	run 0 ktrctl trace -f -o "$T/text" -- "$HERE/act_tasks" exec
	leader=$(head -n 1 "$T/out")
	thread=$(sed -n 's/^\([0-9]*\) .*execve("\/bin\/true".*/\1/p' "$T/text")
	[ "$thread" != "$leader" ] || fail "the leader made the call"
	# Which CPU is first, the one that ends the pause or the one that waits?
	goes_on="(unfinished|pid changed to $leader)"
	in_order "$T/text" \
		"^$leader +pause\(" \
		"^$thread +execve\(\"/bin/true\", \[\"true\"\], 0x.* <$goes_on \.\.\.>" \
		"^$leader +\+\+\+ superseded by execve in pid $thread \+\+\+" \
		"^$leader +<\.\.\. execve resumed>\) += 0" \
		"^$leader +exit_group\(0\) += \?" \
		"^$leader +\+\+\+ exited with 0 \+\+\+"
	has "$T/text" "^$leader +\+\+\+ exited with 0 \+\+\+" 1
	has "$T/text" "^$leader +(pause\(|<\.\.\. pause resumed>)\) += \?$" 1
	run 0 ktrctl trace -ff -o "$T/apart" -- "$HERE/act_tasks" exec
	has "$T/apart.$(head -n 1 "$T/out")" '^\+\+\+ exited with 0 \+\+\+$' 1
	run 0 ktrctl trace -f --json -o "$T/json" -- "$HERE/act_tasks" exec
	leader=$(head -n 1 "$T/out")
	events "$T/json" leader="$leader" -- \
		'[c.ret for c in calls("execve")] == [0, 0]' \
		'[e.tid for e in kind("exec")] == [leader, leader]' \
		'kind("exec")[1].old_tid not in (leader, 0)'
}

# Case D-06. What children wrote is the oracle.
children_in_a_burst() {
	local n
	n=$(scaled 1000 100)
	run 0 ktrctl trace -f --buffer 16M --json -o "$T/json" \
		-e trace=getpid,write,exit_group -- "$HERE/act_tasks" children "$n"
	[ "$(wc -l <"$T/out")" = "$n" ] || fail "the program made other children"
	python3 - "$T/json" "$T/out" <<-'EOT' || exit 1
		import sys
		sys.path.insert(0, "lib")
		import events
		born, first, bad, root = {}, {}, [], None
		for e in events.read(open(sys.argv[1], "rb")):
		    if e.event == "task":
		        root = root or e.tid
		    elif e.event == "task_new" and e.followed == 1:
		        born[e.child] = e
		    elif e.event == "syscall" and e.tid not in first:
		        first[e.tid] = e
		        if e.tid not in born and e.tid != root:
		            bad.append("%d comes before its birth" % e.tid)
		for pid in map(int, open(sys.argv[2])):
		    call = first.get(pid)
		    if pid not in born:
		        bad.append("%d has no birth" % pid)
		    elif not call:
		        bad.append("%d has no calls" % pid)
		    elif call.name != "getpid" or call.ret != pid:
		        bad.append("the first call of %d is %r" % (pid, call))
		    elif call.start < born[pid].time:
		        bad.append("the first call of %d begins before its birth" % pid)
		print("\n".join(bad[:10]), "%d children" % (len(born)))
		sys.exit(bool(bad))
	EOT
	tail -n 1 "$T/json" >"$T/last"
	has "$T/last" '"lost":0,'
}

# Case D-08.
births_of_all_kinds() {
	run 0 ktrctl trace -f -o "$T/text" -- "$HERE/act_tasks" births
	has "$T/text" '(fork|vfork|clone3|clone)(\(| resumed>).* = [0-9]+$' 4
	has "$T/text" ' getppid\(\) += [0-9]+$' 4
	python3 - "$T/text" <<-'EOT' || exit 1
		import re, sys
		begun, bad = {}, []
		for line in open(sys.argv[1]):
		    m = re.match(r"(\d+) +(?:<\.\.\. (\w+) resumed>)?(.*)", line)
		    pid, name, rest = m.groups()
		    if name and begun.pop(pid, None) != name:
		        bad.append("resumed without a start: " + line)
		    if rest.endswith("<unfinished ...>"):
		        begun[pid] = rest.split("(")[0]
		print("".join(bad))
		sys.exit(bool(bad))
	EOT
	run 0 ktrctl trace -f --json -o "$T/json" -- "$HERE/act_tasks" births
	events "$T/json" -- \
		'[e.child for e in kind("task_new")] ==
		 [c.ret for c in calls() if c.name in
		  ("fork", "vfork", "clone", "clone3") and c.ret and c.ret > 0]' \
		'all(c.tid == c.tgid or c.name not in ("fork", "vfork") for c in calls())' \
		'all(min(c.time for c in E if c.tid == e.child) >= e.time
		 for e in kind("task_new"))' \
		'len(kind("task_new")) == 4' \
		'all(next(c for c in E if c.tid == e.child).event == "task"
		 for e in kind("task_new"))' \
		'all(next(c for c in kind("task") if c.tid == e.child).ppid in
		 (e.tid, kind("task")[0].ppid) for e in kind("task_new"))'
}

# Case A-08.
many_children_leave_nothing_behind() {
	local n before after
	n=$(scaled 20000)
	before=$(grep -E '^ktr' /proc/slabinfo | awk '{ print $1, $2 }')
	run 0 ktrctl trace -f --json -e trace=execve -o "$T/json" -- sh -c "
		i=0; while [ \$i -lt $n ]; do /bin/true; i=\$((i + 1)); done
		/bin/echo last"
	events "$T/json" n="$n" -- \
		'len(kind("task_new")) == n + 1' \
		'all(e.followed == 1 for e in kind("task_new"))' \
		'calls("execve")[-1].args.argv == ["/bin/echo", "last"]' \
		'len(kind("target_end")) == n + 2' \
		'tail.lost == 0'
	after=$(ktrctl status --json | python3 -c '
import json, sys; print(len(json.load(sys.stdin)["sessions"]))')
	[ "$after" = 0 ] || fail "$after sessions are left" "$before"
}

# Case A-08: forks that fail for want of room are not the tracer's affair.
fork_bomb_under_a_limit() {
	cat >"$T/bomb" <<-'EOT'
		ulimit -u 60
		b() { b | b & }
		b 2>/dev/null
		exec sleep 1
	EOT
	chmod 755 "$T" "$TOP"
	run 0 ktrctl trace -f --for 3s -e trace=execve -o "$T/text" \
		-- setpriv --reuid 1000 --regid 1000 --clear-groups bash "$T/bomb"
	pkill -KILL -u 1000
	wait_for 200 gone_all_of_user || fail "the bomb goes on"
	run 0 ktrctl trace -f -e trace=execve -o "$T/after" -- sh -c '/bin/echo last; :'
	has "$T/after" 'execve\("/bin/echo", \["/bin/echo", "last"\]'
}

gone_all_of_user() {
	! pkill -KILL -u 1000
}

tool_case "exit_group and the exit status (D-01)" exit_is_shown
tool_case "execve of a thread (D-03)" exec_by_a_thread
tool_case "children in a burst (D-06)" children_in_a_burst
tool_case "fork, vfork, threads, clone3 (D-08)" births_of_all_kinds
tool_case "many children, one after the other (A-08)" \
	many_children_leave_nothing_behind
tool_case "a fork bomb under a limit (A-08)" fork_bomb_under_a_limit
tool_done
