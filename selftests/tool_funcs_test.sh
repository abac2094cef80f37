#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of kernel functions: what a pattern means, what is refused and why.

set -u
. lib/tap.sh
. lib/tool.sh

TRACING=/sys/kernel/tracing
LIST=$TRACING/available_filter_functions

ms() {
	echo $(($(date +%s%N) / 1000000))
}

all_hooked() {
	awk '{ print $1 }' "$TRACING/enabled_functions" | sort
}

# hooked: names of the functions that ftrace calls somebody for since the start.
hooked() {
	all_hooked | comm -23 - "$TOP/before"
}

# functions SESSION: how many it has.
functions() {
	ktrctl status --json -s "$1" | python3 -c '
import json, sys
print(json.load(sys.stdin)["sessions"][0]["functions"])'
}

# Case G-01.
compiler_suffixes() {
	run 0 ktrctl add-func link_path_walk,finish_task_switch,do_sys_poll
	says '[0-9]+ functions added to session default: '
	grep -E '^(link_path_walk|finish_task_switch)\.' "$LIST" |
		while read -r name; do
			has "$T/err" " $name at 0x" 1
		done || exit 1
	hooked >"$T/hooked"
	has "$T/hooked" '^link_path_walk(\.|$)'
	has "$T/hooked" '^finish_task_switch(\.|$)'
	has "$T/hooked" '^do_sys_poll$' 1
	run 0 ktrctl trace -e trace=none --func link_path_walk -o "$T/text" \
		-- cat /etc/passwd
	has "$T/text" '^link_path_walk(\.[a-z0-9.]+)?\(\) <- '
	run 0 ktrctl del-func link_path_walk
	hooked >"$T/hooked"
	lacks "$T/hooked" '^link_path_walk'
}

refused() {
	local name=$1
	shift
	run 2 ktrctl add-func "$name"
	says "$*"
	[ -z "$(ktrctl list)" ] || fail "a session came of it: $(ktrctl list)"
}

# Case G-03.
reasons() {
	refused __schedule '__schedule cannot be traced: it is (notrace|noinstr).*did you mean schedule'
	refused rcu_read_lock 'no function rcu_read_lock here: .*inlined.*'
	refused no_such_fn 'no function no_such_fn here: '
	refused kernel_init_freeable 'kernel_init_freeable cannot be traced: it ran at boot'
	refused :mod:no/such ':mod:no/such: no module can have that name'
	refused ":mod:$(printf 'x%.0s' {1..56})" 'no module can have that name'
	refused :mod:printk 'printk is built into the kernel'
	refused 'nothing_like_this_*' 'no traceable function matches nothing_like_this_'
	refused '!tcp_*' "takes away from patterns before it"
	refused 'do_sys_poll,!do_sys_*' 'takes all of it away'
	refused 0x1000 '0x1000 is not the entry of a traceable function'
	refused :: 'no pattern'
	refused '[' "'\[' is no pattern: its \[ has no \]"
	refused 'vfs_*:[!]' 'its \[ has no \]'
	refused 'vfs_[]a]' 'no traceable function matches'
	refused 'vfs_{read,write}' "'vfs_\{read' is no pattern: \{\} is no part of a glob: write each name"
	refused 'vfs_\' 'nothing is behind its'
	refused "$(printf 'x%.0s' {1..5000})" "'x{64}\.\.\.' is no pattern: no name in the kernel is that long"
	run 2 ktrctl funcs :mod:nosuch
	says ':mod:nosuch: module nosuch is not loaded: load it first'
	refused do_sys_poll,__schedule,vfs_open '__schedule cannot be traced'
}

# Case C-08.
hints() {
	refused sys_openat 'no function sys_openat here.*did you mean __x64_sys_openat'
	refused do_sys_opena 'did you mean .*do_sys_openat2'
	refused vfs_opne 'did you mean .*vfs_open'
}

# Of the module that was named alone.
hints_of_module() {
	local name module
	read -r name module < <(sed -nE 's/^([a-z_]{9,}) \[([a-z0-9_]+)\]$/\1 \2/p' "$LIST" |
		grep -v ' ktracer$')
	[ -n "$name" ] || skip "no module has functions"
	refused "${name%?}:mod:$module" "did you mean (.*, )?${name}[,?]"
	refused "vfs_rea:mod:$module" 'no function vfs_rea:mod:.*: `ktrctl funcs GLOB` shows'
	refused vmlinux:vfs_rea 'did you mean .*vfs_read'
}

# Case K-12.
lists_agree() {
	local glob regex
	while read -r glob regex; do
		ktrctl funcs "$glob" >"$T/told" || fail "status $?: $glob"
		sed 's/ 0x[0-9a-f]*$//' "$T/told" >"$T/ours"
		grep -E "^$regex( \[.*)?\$" "$LIST" >"$T/kernels"
		cmp "$T/ours" "$T/kernels" || fail "$(diff "$T/ours" "$T/kernels")"
		[ -s "$T/ours" ] || fail "none: $glob"
	done <<-'EOT'
		vfs_* vfs_[^ ]*
		*_poll [^ ]*_poll
		tcp_v[46]_* tcp_v[46]_[^ ]*
		do_sys_poll do_sys_poll
	EOT
	run 2 ktrctl funcs 'nothing_like_this_*'
}

# The rest of case K-12. All numbers are compared in selftests/native/test_numbers.c.
numbers_of_both() {
	ktrctl syscalls >"$T/text"
	has "$T/text" '^openat +257 +295 ' 1
	has "$T/text" '^arch_prctl +158 +384 ' 1
	has "$T/text" '^socketcall +- +102 ' 1
	has "$T/text" '^semop +65 +- ' 1
	ktrctl syscalls --json >"$T/json"
	python3 - "$T/text" "$T/json" <<-'EOT' || exit 1
		import json, sys
		rows = [line.split() for line in open(sys.argv[1])]
		number = lambda word: None if word == "-" else int(word)
		text = [(r[0], number(r[1]), number(r[2])) for r in rows]
		told = [(c["name"], c["native"], c["compat"]) for c in json.load(open(sys.argv[2]))]
		assert text == told and len(text) > 400, set(text) ^ set(told)
	EOT
}

# Hooked for a pattern: by the kernel's own tracer, and by us.
same_set() {
	echo "$2" >"$1/set_ftrace_filter" || return
	sed -e 's/ .*//' "$1/set_ftrace_filter" |
		grep -v '^__ftrace_invalid_address' | sort >"$T/kernels"
	run 0 ktrctl add-func "$2"
	hooked >"$T/ours"
	ktrctl clear
	cmp -s "$T/ours" "$T/kernels" ||
		fail "$2:" "$(diff "$T/ours" "$T/kernels" | head)"
	[ -s "$T/ours" ] || fail "none: $2"
	has "$T/err" ": $(wc -l <"$T/ours") function"
}

# What exact names mean beyond the kernel's reading is in compiler_suffixes.
PATTERNS=('tcp_*' '*lock*' 'vfs_*' '*_poll' 'do_sys_open*' 'do_sys_poll'
	'__x64_sys_*at' 'ext4_*' 'kmem_cache_*' '*alloc*' 'sched_*' 'a*z*'
	'*_[rw]*_iter' 'ip?_*' 'proc_*show' '*sk_buff*' '*[0-9][0-9]'
	'io_*' 'bpf_*' 'path_*')

sets_agree() {
	local other=$TRACING/instances/ktr-names n i
	n=$(scaled ${#PATTERNS[@]} 4)
	mkdir "$other" || fail "no instance"
	for ((i = 0; i < n; i++)); do
		grep -qE "^${PATTERNS[i]%%[*?[]*}" "$LIST" || continue
		(same_set "$other" "${PATTERNS[i]}") || { rmdir "$other"; exit 1; }
	done
	rmdir "$other"
}

modules_and_negation() {
	local module
	module=$(sed -n 's/.*\[\([a-z0-9_]*\)\]$/\1/p' "$LIST" |
		grep -v ktracer | head -n 1)
	run 0 ktrctl add-func 'vfs_*,!vfs_*read*' '!vfs_open'
	hooked >"$T/hooked"
	has "$T/hooked" '^vfs_write$' 1
	lacks "$T/hooked" 'read|^vfs_open$'
	run 0 ktrctl clear
	run 0 ktrctl add-func vmlinux:vfs_open
	[ "$(functions default)" = 1 ] || fail "$(functions default)"
	run 0 ktrctl clear
	[ -n "$module" ] || skip "no module has functions"
	run 0 ktrctl add-func ":mod:$module"
	[ "$(functions default)" = "$(grep -c "\[$module\]" "$LIST")" ] ||
		fail "$(functions default) functions of $module"
	run 0 ktrctl del-func "$module:*"
	[ "$(functions default)" = 0 ] || fail "$(functions default)"
}

# same_names: two functions of one name, told apart by their addresses.
same_names() {
	local name addr n
	name=$(awk 'NF == 1 && !/\./ && !/^__ftrace/ && seen[$0]++ == 1 && !n++' "$LIST")
	[ -n "$name" ] || skip "all names are different"
	run 0 ktrctl add-func "$name"
	n=$(grep -cxF "$name" "$LIST")
	says "$name: $n functions added to session default: at 0x[0-9a-f]*(, 0x[0-9a-f]*){$((n - 1))}$"
	[ ! -e "${LIST}_addrs" ] || {
		grep -o '0x[0-9a-f]*' "$T/err" | sort >"$T/added"
		run 0 ktrctl funcs "$name"
		sed -n "s/^$name //p" "$T/out" | sort >"$T/told"
		diff "$T/added" "$T/told" || fail "funcs has other addresses"
		run 0 ktrctl funcs vfs_read
		has "$T/out" '^vfs_read$' 1
	}
	run 0 ktrctl trace -e trace=none --func "$name,vfs_read" -o "$T/text" -- true
	says "$name is $n functions: at 0x[0-9a-f]*(, 0x[0-9a-f]*){$((n - 1))}$"
	run 0 ktrctl record -e trace=none --func "$name" -o "$T/file" -- true
	has "$T/err" "^ktrctl: $name is $n functions: at 0x" 1
	run 0 ktrctl del-func "$name"
	run 0 ktrctl add-func "$name"
	addr=$(grep -o '0x[0-9a-f]*' "$T/err" | head -n 1)
	run 0 ktrctl del-func "$addr"
	says ': 1 function taken from'
	[ "$(functions default)" = $(($(grep -cxF "$name" "$LIST") - 1)) ] ||
		fail "$(functions default)"
}

# Case G-05: times as the machine has them; what fails for them alone is said so.
many_at_once() {
	local start add del best=999999 slower i
	for i in 1 2 3; do
		start=$(ms)
		run 0 ktrctl add-func 'tcp_*' --pid $$
		add=$(ms)
		ls / >/dev/null
		run 0 ktrctl del-func 'tcp_*'
		del=$(ms)
		echo "tcp_*: added in $((add - start)) ms, gone in $((del - add)) ms"
		slower=$((add - start > del - add ? add - start : del - add))
		[ "$slower" -ge "$best" ] || best=$slower
	done
	run 0 ktrctl clear
	start=$(ms)
	run 0 ktrctl add-func '*' -s all
	add=$(ms)
	ls / >/dev/null
	run 0 ktrctl clear -s all
	del=$(ms)
	echo "*: added in $((add - start)) ms, gone in $((del - add)) ms"
	[ -z "$(hooked)" ] || fail "left: $(hooked | head)"
	[ "$best" -lt 2000 ] || skip "this machine is too busy: $best ms"
}

# Ctrl-C in the middle of a long start takes back what was done.
interrupted_start() {
	run 0 ktrctl add-func do_sys_poll
	interrupted INT 130 default
	[ "$(functions default)" = 1 ] || fail "left: $(functions default)"
	[ "$(hooked)" = do_sys_poll ] || fail "hooked: $(hooked | head)"
	interrupted TERM 143 new
	[ "$(ktrctl list | wc -l)" = 1 ] || fail "left: $(ktrctl list)"
}

# interrupted SIGNAL STATUS SESSION: all functions for it. The shell starts what runs in
# the background with SIGINT ignored.
interrupted() {
	local pid
	env --default-signal=INT ktrctl add-func '*' -s "$3" 2>"$T/err" &
	pid=$!
	wait_for 200 more_than_one "$3" || fail "it never began"
	kill -"$1" "$pid"
	wait "$pid"
	[ $? = "$2" ] || fail "it was not interrupted" "$(cat "$T/err")"
	says '\*: interrupted: nothing was changed'
}

more_than_one() {
	[ "$(functions "$1")" -gt 1 ]
}

# Case K-12: the second start finds the symbols where the first left them.
exact_name_starts_quickly() {
	local start i best=999999 took
	run 0 ktrctl add-func do_sys_poll
	for i in 1 2 3; do
		run 0 ktrctl clear
		start=$(ms)
		run 0 ktrctl add-func do_sys_poll
		took=$(($(ms) - start))
		[ "$took" -ge "$best" ] || best=$took
	done
	echo "one name: $best ms"
	[ "$best" -lt 500 ] || skip "this machine is too busy: $best ms"
}

# others on|off: ftrace's function tracer, and a kretprobe event.
others() {
	local mine=$TRACING/instances/ktr-beside
	if [ "$1" = on ]; then
		mkdir "$mine"
		echo 8192 >"$mine/buffer_size_kb"
		echo do_sys_poll >"$mine/set_ftrace_filter"
		echo function >"$mine/current_tracer"
		echo 'r:ktr_beside do_sys_poll' >>"$TRACING/kprobe_events"
		echo 1 >"$mine/events/kprobes/ktr_beside/enable"
	else
		echo nop >"$mine/current_tracer"
		echo 0 >"$mine/events/kprobes/ktr_beside/enable"
		rmdir "$mine"
		echo '-:ktr_beside' >>"$TRACING/kprobe_events"
	fi
}

POLLS=1000

# poller: PID polls POLLS times at each line that comes over descriptor 7.
poller() {
	[ -p "$T/go" ] || mkfifo "$T/go"
	python3 -c 'import os, select, sys
print(os.getpid(), flush=True)
p = select.poll()
for line in sys.stdin:
    for i in range(int(sys.argv[1])): p.poll(0)
    print("done", flush=True)' "$POLLS" <"$T/go" >"$T/poller" &
	exec 7>"$T/go"
	await '^[0-9]' "$T/poller"
	PID=$(head -n 1 "$T/poller")
}

# all_saw TURN WHO...: each of ours, ftrace, kretprobe as often as it was called.
all_saw() {
	local turn=$1 trace=$TRACING/instances/ktr-beside/trace who n
	shift
	echo >&7
	wait_for 60 has_lines "$T/poller" $((turn + 1)) || fail "no end"
	for who; do
		case $who in
		ours)
			ktrctl read >"$T/read" 2>/dev/null
			has "$T/read" 'do_sys_poll\(\) <- ' "$POLLS"
			has "$T/read" 'do_sys_poll\(\) = 0 <' "$POLLS"
			continue
			;;
		ftrace) n=$(grep -c -- "-$PID .*: do_sys_poll <-" "$trace") ;;
		kretprobe) n=$(grep -c -- "-$PID .*ktr_beside:" "$trace") ;;
		esac
		[ "$n" = "$POLLS" ] || fail "turn $turn: $who saw $n of $POLLS"
	done
	[ ! -e "$trace" ] || echo >"$trace"
}

has_lines() {
	[ "$(wc -l <"$1")" -ge "$2" ]
}

returns_beside_others() {
	poller
	run 0 ktrctl add-func do_sys_poll --ret --pid "$PID"
	all_saw 1 ours
	others on
	all_saw 2 ours ftrace kretprobe
	run 0 ktrctl clear
	all_saw 3 ftrace kretprobe
	run 0 ktrctl add-func do_sys_poll --ret --pid "$PID"
	all_saw 4 ours ftrace kretprobe
	others off
	all_saw 5 ours
	ktrctl status --json | grep -q '"returns_missed":0' ||
		fail "missed: $(ktrctl list)"
	exec 7>&-
}

# plain FILE: a trace's lines, but for the times and what we do not record.
plain() {
	sed -En 's/^( *[^ ]+-[0-9]+ +\[[0-9]+\] )..(.).. +[0-9]+\.[0-9]{6}: /\1\2 /p' "$1"
}

# Line by line as in the file of ftrace's function tracer.
as_ftrace() {
	local mine=$TRACING/instances/ktr-lines
	poller
	wait_for 60 sleeps "$PID" || fail "it does not wait"
	mkdir "$mine"
	echo 4096 >"$mine/buffer_size_kb"
	echo "$PID" >"$mine/set_ftrace_pid"
	echo '*_sys_poll' >"$mine/set_ftrace_filter"
	echo function >"$mine/current_tracer"
	ktrctl add-func '*_sys_poll' --pid "$PID" 2>"$T/err"
	echo >&7
	wait_for 60 has_lines "$T/poller" 2
	wait_for 60 sleeps "$PID"
	cp "$mine/trace" "$T/theirs"
	echo nop >"$mine/current_tracer"
	rmdir "$mine"
	run 0 ktrctl read --format ftrace -o "$T/ours"
	plain "$T/theirs" >"$T/want"
	plain "$T/ours" >"$T/have"
	has "$T/want" ' do_sys_poll <-__x64_sys_poll$' "$POLLS"
	diff "$T/want" "$T/have" >"$T/diff" || fail "not as ftrace" "$(head -n 20 "$T/diff")"
	head -n 1 "$T/theirs" >"$T/want"
	head -n 1 "$T/ours" >"$T/have"
	diff "$T/want" "$T/have" || fail "another beginning"
	exec 7>&-
}

# What is called on the way into a program and out of it.
LIFE=('__x64_sys_*' begin_new_exec 'exec_*' 'security_*' 'vfs_*' 'mm*' do_exit 'exit_*')

# lived SELECT...: of a command's life, from its execve to its end, we see every call that
# ftrace sees, by name and number.
lived() {
	local mine=$TRACING/instances/ktr-life f pid
	mkdir "$mine" || fail "no instance"
	echo 8192 >"$mine/buffer_size_kb"
	for f in "${LIFE[@]}"; do
		echo "$f" >>"$mine/set_ftrace_filter"
	done
	echo 1 >"$mine/options/function-fork"
	echo function >"$mine/current_tracer"
	(
		echo "$BASHPID" >"$mine/set_ftrace_pid"
		exec ktrctl trace "$@" --func "${LIFE[*]}" -o "$T/text" -- \
			sh -c 'echo $$ >"$0"; exec /bin/cat /etc/passwd' "$T/pid"
	) >"$T/out" 2>"$T/err" || fail "status $?" "$(cat "$T/err")"
	echo 0 >"$mine/tracing_on"
	cp "$mine/trace" "$T/theirs"
	echo nop >"$mine/current_tracer"
	rmdir "$mine"
	pid=$(cat "$T/pid")
	sed -nE "s/^.*-$pid +\\[.*: ([^ ]+) <-.*/\\1/p" "$T/theirs" |
		sed -n '/^__x64_sys_execve$/,$p' | sort | uniq -c >"$T/want"
	sed -nE 's/^([^ ()]+)\(\) <- .*/\1/p' "$T/text" | sort | uniq -c >"$T/have"
	has "$T/want" ' 2 __x64_sys_execve$' 1
	has "$T/want" ' 2 begin_new_exec$' 1
	has "$T/want" ' 1 do_exit$' 1
	diff "$T/want" "$T/have" >"$T/diff" || fail "$*: not as ftrace" "$(cat "$T/diff")"
}

command_from_its_execve() {
	lived -e trace=none
	lived -e trace=execve
}

# What --ret shows, as text and as JSON.
returns_shown() {
	run 0 ktrctl trace --ret --func do_sys_poll -e trace=none -o "$T/text" \
		-- python3 -c 'import select; select.poll().poll(20)'
	has "$T/text" '^do_sys_poll\(\) <- [a-z0-9_]+\+0x' 1
	has "$T/text" '^do_sys_poll\(\) = 0 <0\.[0-9]{6}> <- [a-z0-9_]+\+0x' 1
	run 0 ktrctl trace --json --ret=only --func do_sys_poll -e trace=none \
		-o "$T/json" -- python3 -c 'import select; select.poll().poll(20)'
	events "$T/json" -- \
		'not any(True for e in kind("function"))' \
		'all(e.ret == 0 and e.dur >= 15000000 and e.time - e.start == e.dur for e in kind("function_return"))' \
		'sum(1 for e in kind("function_return")) == 1'
	run 2 ktrctl trace --ret=never --func do_sys_poll -- true
	says 'never'
}

# Case G-10.
interrupts_are_marked() {
	run 0 ktrctl trace -e trace=none --ret --func update_process_times \
		-o "$T/text" -- python3 -c 'for i in range(1000000): pass'
	has "$T/text" '^update_process_times\(\) <- .* \(irq\)$'
	has "$T/text" '^update_process_times\(\) (= .* )?<[0-9.]+> <- .* \(irq\)$'
	lacks "$T/text" '^update_process_times.*[^)]$'
}

all_hooked >"$TOP/before"
tool_case "names with a compiler's suffix (G-01)" compiler_suffixes
tool_case "why a name is refused (G-03)" reasons
tool_case "what may have been meant (C-08)" hints
tool_case "what may have been meant, of one module" hints_of_module
tool_case "the list is the kernel's (K-12)" lists_agree
tool_case "calls with the numbers of both ABIs (K-12)" numbers_of_both
tool_case "sets are the kernel's" sets_agree
tool_case "modules and negation" modules_and_negation
tool_case "functions of one name" same_names
tool_case "many at once (G-05)" many_at_once
tool_case "Ctrl-C while it starts (G-05)" interrupted_start
tool_case "one name starts quickly (K-12)" exact_name_starts_quickly
tool_case "returns as text and JSON" returns_shown
tool_case "in ftrace's lines" as_ftrace
tool_case "a command's functions, from its execve to its end" command_from_its_execve
tool_case "interrupts are marked (G-10)" interrupts_are_marked
tool_case "returns beside ftrace and a kretprobe" returns_beside_others
tool_done
