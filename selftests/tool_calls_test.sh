#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Syscalls that tracers get wrong, as ktrctl shows them.

set -u
. lib/tap.sh
. lib/tool.sh

both() {
	run "$1" ktrctl trace -f -o "$T/text" -- "${@:2}"
	run "$1" ktrctl trace -f --json -o "$T/json" -- "${@:2}"
}

# Case C-01.
calls_of_the_other_abi() {
	both 0 "$HERE/act_calls" i386
	has "$T/text" '^[0-9]+ +write\(1, "i386 write\\n", 11\) += 11$' 1
	has "$T/text" '^([0-9]+) +getpid\(\) += \1$' 2
	lacks "$T/text" 'stat\(|writev\('
	run 0 ktrctl trace -- "$HERE/act_calls" i386
	in_order "$T/err" '^\[ Process PID=[0-9]+ runs in 32 bit mode\. \]$' \
		'^write\(1, "i386 write' \
		'^\[ Process PID=[0-9]+ runs in 64 bit mode\. \]$' '^getpid'
	events "$T/json" -- \
		'[c.args.buf for c in calls("write") if c.abi == "i386"] ==
		 ["i386 write\n"]' \
		'[c.ret == c.tid for c in calls("getpid") if c.abi == "i386"] ==
		 [True]' \
		'len(calls("getpid")) == 2'
}

# Case C-04.
numbers_outside_the_table() {
	both 0 "$HERE/act_calls" numbers
	has "$T/text" 'syscall_0x[0-9a-f]+\(.*\) += -1 ENOSYS' 4
	has "$T/text" 'syscall_0xffffffffffffffff\(' 1
	has "$T/text" 'syscall_0x270f\(' 1
	has "$T/text" 'syscall_0x7fffffff\(' 1
	has "$T/text" 'syscall_0x40000027\(' 1
	events "$T/json" -- \
		'[c.nr for c in E if c.errno == "ENOSYS"] ==
		 [-1, 9999, 0x7fffffff, 0x40000027]'
	run 0 ktrctl trace -f -o "$T/named" -e trace=getpid,getppid,write \
		-- "$HERE/act_calls" numbers
	lacks "$T/named" 'syscall_'
}

# Case C-06.
calls_newer_than_tables() {
	both 0 "$HERE/act_calls" new
	has "$T/text" 'syscall_0x309\(0x1, 0x2, 0x3, 0x4, 0x5, 0x6\) += -1 ENOSYS' 1
	events "$T/json" -- \
		'[c.nr for c in calls() if c.nr in (425, 451, 453, 777)] ==
		 [425, 451, 453, 777]' \
		'[len(c.args) for c in calls() if c.nr == 777] == [6]'
	run 0 ktrctl summary -f -o "$T/sums" -- "$HERE/act_calls" new
	has "$T/sums" ' 1 +1 syscall_0x309$' 1
}

# Case D-16.
denied_by_seccomp() {
	both 0 "$HERE/act_calls" denied
	has "$T/text" 'mkdir\("/tmp/x", 0700\) += -1 EPERM \(Operation not permitted\)$' 1
	events "$T/json" -- \
		'[(c.args.pathname.value, c.errno) for c in calls("mkdir")] ==
		 [("/tmp/x", "EPERM")]' \
		'not kind("lost")'
}

# Case E-01.
restarted_read() {
	both 0 "$HERE/act_calls" restart
	in_order "$T/text" \
		'read\(3,.*= \? ERESTARTSYS \(To be restarted if SA_RESTART is set\)$|<\.\.\. read resumed>.*= \? ERESTARTSYS \(To be restarted if SA_RESTART is set\)$' \
		'--- SIGALRM \{si_signo=SIGALRM, si_code=SI_KERNEL\} ---$' \
		'rt_sigreturn\(\{mask=\[\]\}\) += ' \
		'read\(3, |read resumed>"x", 1\) += 1$'
	run 0 ktrctl trace -f -Z -o "$T/failed" -- "$HERE/act_calls" restart
	lacks "$T/failed" 'read'
	run 0 ktrctl trace -f --errno ERESTARTSYS,EINTR -o "$T/errno" \
		-- "$HERE/act_calls" restart
	lacks "$T/errno" 'read'
}

# Case A-05.
arguments_on_an_untouched_page() {
	both 0 "$HERE/act_calls" argv
	has "$T/text" 'execve\("/bin/true", (\["true", "unread"\]|0x[0-9a-f]+|.*unreadable).*\) += 0$' 1
	lacks "$T/text" 'execve\("/bin/true", (\[\]|\[""|NULL)'
	events "$T/json" -- \
		'[c.ret for c in calls("execve")] == [0, 0]' \
		'[c.args.filename for c in calls("execve")][1] == "/bin/true"' \
		'calls("execve")[1].args.argv not in ([], None, "0", ["", ""])'
}

# Case J-06: what never enters the kernel is not lost.
calls_of_the_vdso() {
	run 0 ktrctl record -v --fail-on-loss -e trace=clock_gettime -o "$T/cap" -- \
		"$HERE/act_calls" vdso
	run 0 ktrctl report -o "$T/text" "$T/cap"
	has "$T/text" '^clock_gettime\(CLOCK_MONOTONIC_COARSE, \{' 10
}

# The kernel tells which protocol a socket is of, and keeps messages whole.
netlink_messages() {
	both 0 ip link show dev lo
	has "$T/text" 'nlmsg_type=RTM_GETLINK, nlmsg_flags=NLM_F_REQUEST'
	has "$T/text" 'recvmsg\(.*nlmsg_type=RTM_NEWLINK.*\[\{nla_len=7, nla_type=IFLA_IFNAME\}, "lo"\], .*nla_type=IFLA_STATS64\}, \{rx_packets='
	run 0 ktrctl trace --io-limit socket=16 -o "$T/short" -- \
		ip link show dev lo
	has "$T/short" 'nlmsg_type=RTM_GETLINK'
	lacks "$T/short" 'IFLA_IFNAME\}, "lo"'
}

tool_case "32-bit calls of a 64-bit program (C-01)" calls_of_the_other_abi
tool_case "numbers outside the table (C-04)" numbers_outside_the_table
tool_case "calls newer than tables (C-06)" calls_newer_than_tables
tool_case "a call that seccomp denies (D-16)" denied_by_seccomp
tool_case "a read that is restarted (E-01)" restarted_read
tool_case "arguments on an untouched page (A-05)" arguments_on_an_untouched_page
tool_case "calls that never enter the kernel (J-06)" calls_of_the_vdso
tool_case "netlink messages" netlink_messages
tool_done
