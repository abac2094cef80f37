#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of kernel modules that come and go while sessions want them. The module is
# our own (vm/guest/visitor.c): the debug kernel has none that can be loaded.

set -u
. lib/tap.sh
. lib/tool.sh

TRACING=/sys/kernel/tracing
LIST=$TRACING/available_filter_functions
VISITOR=/usr/lib/ktracer/visitor.ko

# What graphs leave out of the kernel, so that they soon begin.
FEW='[a-rt-uw-zA-Z_]*'
ktrctl add-func --graph do_sys_poll --graph-exclude '*' >/dev/null 2>&1
[ $? = 4 ] && GRAPHS= || GRAPHS=yes
ktrctl clear --all >/dev/null 2>&1

# all_hooked: names of the functions of visitor that ftrace calls somebody for.
all_hooked() {
	awk '/\[visitor\]/ { print $1 }' "$TRACING/enabled_functions" | sort
}

# counts SESSION...: functions that each has.
counts() {
	local s
	for s; do
		ktrctl status --json -s "$s" | python3 -c '
import json, sys
print(json.load(sys.stdin)["sessions"][0]["functions"])'
	done | paste -sd ' '
}

# those of visitor, once it is loaded
in_list() {
	grep -c '\[visitor\]$' "$LIST"
}

load() {
	insmod "$VISITOR" || fail "visitor does not load"
}

unload() {
	rmmod visitor || fail "visitor does not go"
}

need_visitor() {
	rmmod visitor 2>"$T/err"
	load
	N=$(in_list)
	unload
	[ "$N" -gt 3 ] || fail "$N functions of visitor can be traced"
}

# What a module has goes with it, and is there again when the module is.
comes_and_goes() {
	need_visitor
	load
	run 0 ktrctl add-func vfs_open,:mod:visitor
	run 0 ktrctl add-func --ret visitor:visitor_step,vfs_open -s returns
	run 0 ktrctl add-func 'visitor_s*,*:visitor_get*' -s unnamed
	[ "$(counts default returns)" = "$((N + 1)) 2" ] || fail "there: $(ktrctl list)"
	[ "$(counts unnamed)" -gt 1 ] || fail "there: $(ktrctl list)"
	unload
	[ "$(counts default returns unnamed)" = "1 1 0" ] || fail "gone: $(ktrctl list)"
	load
	[ "$(counts default returns unnamed)" = "$((N + 1)) 2 0" ] || fail "back: $(ktrctl list)"
	run 0 ktrctl clear -s default
	[ "$(all_hooked)" = visitor_step ] || fail "hooked: $(all_hooked)"
	run 0 ktrctl clear --all
	[ -z "$(all_hooked)" ] || fail "left: $(all_hooked)"
	unload
}

# A module that was never loaded is waited for, and said to be.
waits() {
	need_visitor
	run 0 ktrctl add-func :mod:visitor
	says 'visitor is not loaded: its functions are added when it is'
	run 0 ktrctl add-func visitor:visitor_step,:mod:nosuch_mod -s two
	says 'visitor and nosuch_mod are not loaded: their functions are added when they are'
	run 0 ktrctl add-func ':mod:visitor,!visitor_get_*,!visitor_step' -s less
	run 0 ktrctl add-func :mod:visitor
	[ "$(counts default two less)" = "0 0 0" ] || fail "before: $(ktrctl list)"
	ktrctl list >"$T/list"
	has "$T/list" '^default .* modules visitor, ' 1
	has "$T/list" '^two .* modules visitor,nosuch_mod, ' 1
	ktrctl status --json -s less | python3 -c '
import json, sys
s = json.load(sys.stdin)["sessions"][0]
want = ["*", "!visitor_get_*", "!visitor_step", "!visitor_step.*"]
assert s["modules"] == [{"module": "visitor", "wanted": "entries", "functions": want}], s' ||
		fail "not told"
	load
	[ "$(counts default two)" = "$N 1" ] || fail "came: $(ktrctl list)"
	[ "$(counts less)" = $((N - $(grep -cE '^visitor_(get_.*|step) \[visitor\]$' "$LIST"))) ] ||
		fail "came: $(ktrctl list)"
	awk '/\[visitor\]$/ { print $1 }' "$LIST" | sort >"$T/want"
	all_hooked >"$T/have"
	diff "$T/want" "$T/have" || fail "not all is hooked"
	unload
}

# add-func that fails leaves nothing that waits behind.
nothing_half_done() {
	need_visitor
	run 0 ktrctl add-func vfs_open
	run 2 ktrctl add-func :mod:visitor,no_such_function
	says 'no function no_such_function here'
	run 2 ktrctl add-func --graph :mod:visitor,no_such_function
	says 'no function no_such_function here'
	[ -n "$GRAPHS" ] || run 4 ktrctl add-func --graph :mod:visitor
	ktrctl list >"$T/list"
	lacks "$T/list" visitor
	load
	[ -z "$(all_hooked)" ] || fail "hooked: $(all_hooked)"
	unload
}

taken_away() {
	need_visitor
	run 0 ktrctl add-func :mod:visitor,vfs_open
	run 0 ktrctl del-func visitor:visitor_step
	says 'session default waits for this module no more|functions? taken'
	load
	[ "$(counts default)" = "$N" ] || fail "less one: $(ktrctl list)"
	all_hooked >"$T/have"
	lacks "$T/have" '^visitor_step$'
	run 0 ktrctl add-func --ret visitor:visitor_step
	unload
	load
	ktrctl list >"$T/list"
	ktrctl status --json >"$T/json"
	has "$T/json" '"functions_returning":1[,}]'
	run 0 ktrctl del-func :mod:visitor
	[ "$(counts default)" = 1 ] || fail "taken away: $(ktrctl list)"
	unload
	run 2 ktrctl del-func :mod:visitor
	says 'none of them is traced by this session'
	run 0 ktrctl add-func :mod:visitor,:mod:nosuch_mod
	run 0 ktrctl del-func '*'
	load
	[ -z "$(all_hooked)" ] || fail "hooked: $(all_hooked)"
	ktrctl list >"$T/list"
	lacks "$T/list" modules
	unload
}

# A module that comes and works; and goes, and does it again: ftrace waits only once.
ONCE="insmod $VISITOR; cat /sys/module/visitor/parameters/steps"
AGAIN="echo :mod:visitor >>$TRACING/instances/ktr-modules/set_ftrace_filter"
TWICE="$ONCE; rmmod visitor; $AGAIN; $ONCE; rmmod visitor"

# theirs_of COMMAND...: lines of what ftrace's own :mod: sees of it.
theirs_of() {
	local mine=$TRACING/instances/ktr-modules
	mkdir "$mine" || fail "no instance"
	echo 8192 >"$mine/buffer_size_kb"
	# An empty filter would mean every function.
	echo kernel_halt >"$mine/set_ftrace_filter"
	echo ':mod:visitor' >>"$mine/set_ftrace_filter" || fail "ftrace does not wait"
	echo 1 >"$mine/options/function-fork"
	echo function >"$mine/current_tracer"
	(
		echo "$BASHPID" >"$mine/set_ftrace_pid"
		exec "$@"
	) >"$T/out" 2>"$T/err" || fail "status $?: $*" "$(cat "$T/err")"
	echo 0 >"$mine/tracing_on"
	sed -nE 's/^.*\[[0-9]+\].*: ([^ ]+) (\[visitor\] )?<-.*/\1/p' "$mine/trace" >"$T/theirs"
	echo nop >"$mine/current_tracer"
	rmdir "$mine"
	[ "$(wc -l <"$T/theirs")" -gt 4 ] || fail "ftrace saw little" "$(cat "$T/theirs")"
}

# ours_in FILE: the functions of its lines, all with their names.
ours_in() {
	sed -nE 's/^(\[pid +[0-9]+\] +|[0-9]+ +)?([^ ()]+)( \[visitor\])?\(\) <- .*/\2/p' "$1" >"$T/ours"
	lacks "$T/ours" '^0x'
}

as_many() {
	ours_in "$1"
	[ "$(wc -l <"$T/ours")" = "$(wc -l <"$T/theirs")" ] ||
		fail "not as many as ftrace saw" "$(cat "$T/theirs")" ours: "$(cat "$T/ours")"
	has "$T/ours" '^(visitor_begin|init_module)$' 2
	has "$T/ours" '^visitor_get_two$'
}

# While it is still there ftrace knows the names.
as_ftrace_live() {
	need_visitor
	theirs_of ktrctl trace -f -e trace=none --func :mod:visitor -o "$T/text" -- sh -c "$ONCE"
	unload
	ours_in "$T/text"
	sort "$T/theirs" | uniq -c >"$T/want"
	sort "$T/ours" | uniq -c >"$T/have"
	diff "$T/want" "$T/have" >"$T/diff" || fail "not as ftrace" "$(cat "$T/diff")"
	theirs_of ktrctl trace -f -e trace=none --func :mod:visitor -o "$T/text" -- sh -c "$TWICE"
	as_many "$T/text"
}

as_ftrace_recorded() {
	need_visitor
	theirs_of ktrctl record -f -e trace=none --func :mod:visitor -o "$T/file" -- sh -c "$TWICE"
	ktrctl report "$T/file" >"$T/text" || fail "no report"
	as_many "$T/text"
	ktrctl report --json "$T/file" >"$T/json" || fail "no report"
	events "$T/json" -- \
		'sum(1 for e in kind("module") if e.what_name == "came" and e.name == "visitor" and e.hooked > 2 and e.failed == 0) == 2' \
		'sum(1 for e in kind("module") if e.what_name == "went" and e.hooked > 2) == 2' \
		'all("[visitor]" in str(e.ip) or "visitor" in str(e.ip) for e in kind("function"))'
	ktrctl report --format ftrace "$T/file" >"$T/ftrace" || fail "no report"
	has "$T/ftrace" ': visitor_[a-z0-9_]+( \[visitor\])? <-'
	ln -s "$(command -v ktrctl)" "$T/kdump"
	"$T/kdump" -f "$T/file" >"$T/lines" 2>"$T/err" || fail "no kdump: $(cat "$T/err")"
	has "$T/lines" 'FUNC +.*visitor_'
	lacks "$T/lines" ' EVNT .*module'
}

as_ftrace_detached() {
	need_visitor
	theirs_of sh -c 'ktrctl record -f -e trace=none --func :mod:visitor --detach away -o "$0" -- sh -c "$1"
		while ktrctl status -s away; do sleep 0.1; done' "$T/file" "$TWICE"
	ktrctl report "$T/file" >"$T/text" || fail "no report"
	as_many "$T/text"
}

# A flight recorder that is read when the module has gone.
read_afterwards() {
	need_visitor
	run 0 ktrctl add-func :mod:visitor --ret --pid $BASHPID -f
	sh -c "$TWICE" >/dev/null 2>&1
	ktrctl read >"$T/text" 2>"$T/err" || fail "no read"
	has "$T/text" 'visitor_get_two.* = '
	lacks "$T/text" '(^|\] )0xffffffffc'
	[ "$(counts default)" = 0 ] || fail "left: $(ktrctl list)"
}

many_times() {
	local i n
	need_visitor
	n=$(scaled 200 5)
	run 0 ktrctl add-func :mod:visitor,vfs_open --pid $BASHPID -f
	run 0 ktrctl add-func --ret :mod:visitor --pid $BASHPID -f -s returns
	for ((i = 0; i < n; i++)); do
		load
		unload
		[ $((i % 5)) != 4 ] || { ktrctl add-func :mod:visitor -s "s$i" && ktrctl clear -s "s$i"; } 2>/dev/null
	done
	[ "$(counts default returns)" = "1 0" ] || fail "left: $(ktrctl list)"
}

# A session that begins, ends and changes while its module comes and goes.
at_the_same_time() {
	local pid i
	need_visitor
	(while :; do insmod "$VISITOR"; rmmod visitor; done 2>/dev/null) &
	pid=$!
	for ((i = 0; i < $(scaled 100 5); i++)); do
		ktrctl add-func :mod:visitor -s one
		ktrctl add-func --ret visitor:visitor_step -s two
		ktrctl del-func :mod:visitor -s one
		ktrctl clear -s one
		ktrctl clear -s two
	done 2>"$T/err"
	kill "$pid"
	wait "$pid" 2>/dev/null
	rmmod visitor 2>/dev/null
	[ -z "$(all_hooked)" ] || fail "left: $(all_hooked)"
	lacks "$T/err" 'memory|Bad message'
}

need_graphs() {
	[ -n "$GRAPHS" ] || skip "this kernel has no graphs"
	BEFORE=$(hooked)
	small_graph
}

# How many functions are hooked for a graph that begins with opening files: SMALL.
small_graph() {
	run 0 ktrctl trace -e trace=none --graph do_sys_openat2 --graph-exclude '[a-rt-zA-Z_]*' \
		-o "$T/small" -- cat $TRACING/enabled_functions
	has "$T/small" 'do_sys_openat2\(\)'
	SMALL=$(wc -l <"$T/out")
}

# hooked: how many functions ftrace calls somebody for.
hooked() {
	wc -l <"$TRACING/enabled_functions"
}

# That nothing stays hooked, and that a later graph hooks what it needs and no more.
graphs_are_over() {
	local small=$SMALL
	[ "$(hooked)" = "$BEFORE" ] || fail "$(hooked) functions are hooked, not $BEFORE"
	small_graph
	[ "$SMALL" = "$small" ] || fail "$SMALL functions are hooked for a small graph, not $small"
	[ "$(hooked)" = "$BEFORE" ] || fail "$(hooked) functions are left, not $BEFORE"
}

# Graphs that have a module below them when it goes and comes.
graph_over_it() {
	need_visitor
	need_graphs
	load
	run 0 ktrctl add-func --graph do_init_module,:mod:visitor --graph-exclude "$FEW" \
		--pid $BASHPID -f
	unload
	[ "$(counts default)" = 1 ] || fail "gone: $(ktrctl list)"
	load
	cat /sys/module/visitor/parameters/steps >/dev/null
	unload
	ktrctl read >"$T/text" 2>"$T/err" || fail "no read"
	has "$T/text" 'do_init_module'
	has "$T/text" ' visitor_get( \[visitor\])?\(\) \{'
	run 0 ktrctl clear
	graphs_are_over
}

# A graph that begins in a module which comes later, and again.
graph_that_waits() {
	need_visitor
	need_graphs
	run 0 ktrctl record -f -e trace=none --graph :mod:visitor --graph-exclude "$FEW" \
		--depth 3 -o "$T/file" -- sh -c "$ONCE; rmmod visitor; $ONCE; rmmod visitor"
	has "$T/err" 'visitor is not loaded: its functions are added when it is' 1
	run 0 ktrctl report --json -o "$T/json" "$T/file"
	events "$T/json" -- \
		'sum(1 for e in kind("graph") if e.depth == 0 and e.ip["sym"].split()[0] in ("visitor_begin", "init_module")) == 2' \
		'sum(1 for e in kind("graph") if e.depth == 0 and e.ip["sym"].split()[0] == "visitor_get") == 2' \
		'sum(1 for e in kind("graph") if e.depth == 0 and e.ip["sym"].split()[0] == "visitor_step") == 2' \
		'sum(1 for e in kind("graph") if e.depth == 2 and e.ip["sym"].split()[0] == "visitor_get_one") == 2' \
		'sum(1 for e in kind("graph") if e.depth == 1 and e.ip["sym"].split()[0] == "sysfs_emit") == 2' \
		'max(e.depth for e in kind("graph")) == 2'
	graphs_are_over
}

graph_waits_no_more() {
	local some
	need_visitor
	need_graphs
	run 0 ktrctl add-func --graph :mod:visitor --graph-exclude "$FEW" --pid $BASHPID -f
	says 'visitor is not loaded'
	some=$(hooked)
	[ "$some" -gt $((BEFORE + 100)) ] || fail "$some functions are hooked"
	ktrctl status --json >"$T/json"
	has "$T/json" '"wanted":"graphs"'
	has "$T/json" '"wanted":"below"'
	load
	[ "$(counts default)" = "$N" ] || fail "came: $(ktrctl list)"
	run 0 ktrctl add-func --graph :mod:visitor --graph-exclude "$FEW"
	says 'has these functions already'
	unload
	[ "$(counts default)" = 0 ] || fail "went: $(ktrctl list)"
	[ "$(hooked)" = "$some" ] || fail "$(hooked) functions are hooked, not $some"
	run 0 ktrctl del-func :mod:visitor
	says 'session default waits for this module no more'
	[ "$(hooked)" = "$BEFORE" ] || fail "$(hooked) functions are hooked, not $BEFORE"
	load
	[ -z "$(all_hooked)" ] || fail "hooked: $(all_hooked)"
	unload
	run 0 ktrctl clear
	graphs_are_over
}

limits() {
	local i all=:mod:never_1
	for ((i = 2; i <= 64; i++)); do
		all+=,:mod:never_$i
	done
	run 2 ktrctl add-func "$all,:mod:never_65"
	says 'at most 64 modules'
	[ -z "$(ktrctl list)" ] || fail "a session came of it: $(ktrctl list)"
	run 0 ktrctl add-func "$all"
	run 2 ktrctl add-func :mod:never_65
	says 'at most 64 modules'
	run 0 ktrctl del-func :mod:never_3
	says 'session default waits for this module no more'
	run 0 ktrctl add-func :mod:never_65
	for ((i = 1; i < 16; i++)); do
		ktrctl add-func "never_1:f$i" 2>>"$T/all" || fail "command $i"
	done
	run 2 ktrctl add-func never_1:f16
	says 'by at most 16 commands'
}

plain_user() {
	local i
	for i in 1 2 3; do
		run 5 setpriv --reuid 1000 --regid 1000 --clear-groups ktrctl add-func ":mod:never_$i"
		says 'not permitted'
	done
	[ -z "$(ktrctl list)" ] || fail "a session came of it: $(ktrctl list)"
}

tool_case "a module that comes and goes" comes_and_goes
tool_case "one that is not loaded is waited for" waits
tool_case "nothing is half done" nothing_half_done
tool_case "what is waited for is taken away" taken_away
tool_case "as ftrace, live" as_ftrace_live
tool_case "as ftrace, recorded" as_ftrace_recorded
tool_case "as ftrace, by a detached session" as_ftrace_detached
tool_case "read when it has gone" read_afterwards
tool_case "many times" many_times
tool_case "at the same time" at_the_same_time
tool_case "a graph over it" graph_over_it
tool_case "a graph that waits for it" graph_that_waits
tool_case "a graph that waits no more" graph_waits_no_more
tool_case "limits" limits
tool_case "a plain user" plain_user
tool_done
