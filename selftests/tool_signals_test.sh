#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Signals and the calls they break off, as ktrctl shows them.

set -u
. lib/tap.sh
. lib/tool.sh

SIGNALS=signal_generate,signal_deliver

# Case L-12: only the receiver is traced.
who_sent_it() {
	local victim tracer
	ktrctl trace --json --event "$SIGNALS" -o "$T/json" -- \
		"$HERE/act_signals" victim >"$T/said" &
	tracer=$!
	await ready "$T/said"
	victim=$(pgrep -P "$tracer" -f 'act_signals victim')
	kill -TERM "$victim"
	"$HERE/act_signals" queue "$victim" 42
	await both "$T/said"
	su user -c "kill -KILL $victim" 2>/dev/null && fail "anyone may kill"
	kill -KILL "$victim"
	wait "$tracer"
	events "$T/json" victim="$victim" shell="$$" -- \
		'{e.tid for e in kind("signal_generate")} == {int(victim)}' \
		'[e.info.si_code for e in kind("signal_deliver")
		  if e.signame == "SIGALRM"] == ["SI_KERNEL"]' \
		'[e.info.si_code for e in kind("signal_deliver")
		  if e.signame == "SIGUSR2"] == ["SI_TKILL"]' \
		'[e.info.si_addr for e in kind("signal_deliver")
		  if e.signame == "SIGSEGV"] == ["0x8"]' \
		'[e.sender for e in kind("signal_generate")
		  if e.signame in ("SIGUSR2", "SIGPIPE", "SIGWINCH")] ==
		 3 * [int(victim)]' \
		'[(e.sender_tgid != int(victim), e.sender_uid, e.info.si_code)
		  for e in kind("signal_generate") if e.signame == "SIGTERM"] ==
		 [(True, 0, "SI_USER")]' \
		'[(e.info.si_int, e.sender_comm)
		  for e in kind("signal_generate") if e.signame == "SIGUSR1"] ==
		 [(42, "act_signals")]' \
		'[e.info.si_int for e in kind("signal_deliver")
		  if e.signame == "SIGUSR1"] == [42]' \
		'[e.sender_tgid != int(victim) for e in kind("signal_generate")
		  if e.signame == "SIGKILL"] == [True]' \
		'not [e for e in kind("signal_deliver")
		      if e.signame == "SIGWINCH"]'
}

# Case E-06. What the program saw of the clock holds what is recorded, both ways: no
# delay of an emulated CPU matters, and no time is in two calls. The kernel wakes the
# sleeper before it tells of the signal, which is handled only afterwards.
signals_during_sleep() {
	local at
	run 0 ktrctl trace --json --event "$SIGNALS" -o "$T/json" -- \
		"$HERE/act_signals" sleep
	read -ra at <"$T/out"
	events "$T/json" a="${at[0]}" b="${at[1]}" c="${at[2]}" d="${at[3]}" -- \
		'[s.errno for s in calls("clock_nanosleep")] ==
		 2 * ["ERESTART_RESTARTBLOCK"]' \
		'[s.ret for s in calls("restart_syscall")] == [0]' \
		'len(calls("rt_sigreturn")) == 1' \
		'[(e.signame, e.info.si_code) for e in kind("signal_deliver")
		  if e.signame == "SIGALRM"] == [("SIGALRM", "SI_KERNEL")]' \
		'[e.sender == e.tid for e in kind("signal_generate")
		  if e.signame in ("SIGSTOP", "SIGCONT")] == [False, False]' \
		'(lambda sleep, alarm, back: a < sleep.start < alarm.time and
		  a + 50e6 <= alarm.time and sleep.start + sleep.dur <= back.start and
		  back.start + back.dur <= b)(calls("clock_nanosleep")[0],
		  [e for e in kind("signal_generate") if e.signame == "SIGALRM"][0],
		  calls("rt_sigreturn")[0])' \
		'(lambda sleep, rest, stop, cont: c <= sleep.start < stop.time <=
		  rest.start and sleep.start + sleep.dur <= rest.start and
		  stop.time + 50e6 <= cont.time <= rest.start and
		  rest.start + rest.dur <= d and
		  sleep.start + 2e9 <= rest.start + rest.dur)(
		  calls("clock_nanosleep")[1], calls("restart_syscall")[0],
		  *[e for e in kind("signal_generate")
		    if e.signame in ("SIGSTOP", "SIGCONT")])'
	run 0 ktrctl trace -o "$T/text" -- "$HERE/act_signals" sleep
	in_order "$T/text" '^clock_nanosleep\(.* = \? ERESTART_RESTARTBLOCK' \
		'^--- SIGALRM .*si_code=SI_KERNEL' '^rt_sigreturn' \
		'^clock_nanosleep\(.* = \? ERESTART_RESTARTBLOCK' '^--- SIGSTOP .*si_pid=' \
		'^restart_syscall\(<\.\.\. resuming interrupted clock_nanosleep \.\.\.>\) = 0'
}

# Case D-14.
vfork_stops_the_parent() {
	local tracer program status
	run 0 ktrctl trace -f -o "$T/text" -- "$HERE/act_signals" vfork 3
	# A parent that gets no CPU until its child has gone on does not sleep.
	has "$T/text" '^[0-9]+ +vfork\(( <unfinished \.\.\.>|\) += [0-9]+)$' 3
	has "$T/text" '^[0-9]+ +execve\("/bin/true", \["true"\], ' 3
	has "$T/text" '^[0-9]+ +(<\.\.\. vfork resumed>|vfork\()\) += [0-9]+$' 3
	in_order "$T/text" 'vfork\( <unfinished' 'execve\("/bin/true"' \
		'vfork resumed'
	"$HERE/act_signals" vfork "$(scaled 2000 200)" &
	program=$!
	ktrctl trace -f -o "$T/attached" -p "$program" 2>"$T/err" &
	tracer=$!
	await 'vfork' "$T/attached"
	kill -INT "$tracer"
	wait_for 60 gone "$tracer" || fail "ktrctl did not stop at once"
	status=0
	wait "$program" || status=$?
	[ "$status" = 0 ] || fail "the program ended with $status"
}

# What is sent to a process that is being killed never gets there.
signals_for_the_dying() {
	cat >"$T/program" <<-'EOT'
		import os, signal
		pid = os.fork()
		if not pid:
		    while True:
		        signal.pause()
		for sig in signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGWINCH:
		    os.kill(pid, sig)
		os.waitpid(pid, 0)
	EOT
	run 0 ktrctl trace -f -o "$T/text" -- python3 -S "$T/program"
	has "$T/text" ' kill\([0-9]+, SIG(KILL|TERM|WINCH)\) += 0$' 4
	lacks "$T/text" '--- SIG(KILL|TERM|WINCH)'
	has "$T/text" '\+\+\+ killed by SIGKILL \+\+\+$' 1
}

# As strace -n, which sees all calls, whatever it shows.
numbers_of_calls_not_traced() {
	run 143 ktrctl trace -n -e trace=none -o "$T/text" -- sh -c \
		'trap : USR1; kill -USR1 $$; kill -TERM $$'
	has "$T/text" '^\[  62\] --- SIGUSR1 \{' 1
	has "$T/text" '^\[  62\] --- SIGTERM \{' 1
	has "$T/text" '^\[  62\] \+\+\+ killed by SIGTERM' 1
	# Of a fault the last one traced.
	run 139 ktrctl trace -n -e trace=execve -o "$T/text" -- python3 -S -c \
		'import ctypes; ctypes.string_at(8)'
	has "$T/text" '^\[  59\] --- SIGSEGV \{' 1
}

stopped_by_the_terminal() {
	set -m
	# shellcheck disable=SC2016
	ktrctl trace -o "$T/text" -- sh -c 'kill -TSTP $$; exit 3' &
	set +m
	await '^--- stopped by SIGTSTP ---$' "$T/text"
	pkill -CONT -P $!
	wait $!
	has "$T/text" '^--- SIGTSTP \{' 1
	in_order "$T/text" '^--- stopped by SIGTSTP ---$' '^--- SIGCONT ' 'exited with 3'
	# Without a shell that could let it go on it is not stopped.
	# shellcheck disable=SC2016
	run 3 setsid -w ktrctl trace -o "$T/text" -- sh -c 'kill -TSTP $$; exit 3'
	has "$T/text" '^--- SIGTSTP \{' 1
	lacks "$T/text" 'stopped by'
}

tool_case "who sent it (L-12)" who_sent_it
tool_case "numbers of calls not traced" numbers_of_calls_not_traced
tool_case "stopped by the terminal" stopped_by_the_terminal
tool_case "signals for the dying" signals_for_the_dying
tool_case "signals during sleep (E-06)" signals_during_sleep
tool_case "vfork stops the parent (D-14)" vfork_stops_the_parent
tool_done
