#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ktrace(2) item by item, as ktrctl called as ktrace and kdump shows it: what
# Documentation/ktrace-mapping.rst promises and no other test has looked at.

set -u
. lib/tap.sh
. lib/tool.sh
. lib/ktrace.sh

# KTROP_SET: what was before is not in it, and points are added to those there are.
points_add_up() {
	begin
	doer
	do_it 'true </no/before'
	run 0 ./ktrace -t n -p $PID
	do_it 'true </no/first; kill -USR1 $$'
	run 0 ./ktrace -a -t s -p $PID
	do_it 'true </no/second; kill -USR1 $$'
	# One alone is taken away again: the other goes on.
	run 0 ./ktrace -c -t n -p $PID
	do_it 'true </no/third; kill -USR1 $$'
	kill -KILL $PID
	traced
	lacks "$T/out" '/no/(before|third)|CALL|RET '
	in_order "$T/out" 'NAMI  "/no/first"$' 'NAMI  "/no/second"$' 'PSIG  SIGUSR1 caught' \
		'PSIG  SIGUSR1 caught' 'PSIG  SIGKILL SIG_DFL'
	has "$T/out" 'PSIG  SIGUSR1' 2
}

# That children are traced may be wished for later; nothing of before is forgotten.
inherit_comes_later() {
	begin
	doer
	run 0 ./ktrace -t n -p $PID
	do_it 'cat /no/first'
	run 0 ./ktrace -a -i -t s -p $PID
	do_it 'cat /no/second'
	kill -KILL $PID
	traced
	lacks "$T/out" '/no/first'
	in_order "$T/out" 'PCTR  child=' ' cat +NAMI  "/no/second"$' 'PDTR  exited with 1$' \
		' sh +PSIG  SIGKILL'
}

# Of those that are in no group, none.
group_and_no_other() {
	begin
	doer setsid
	run 0 ./ktrace -t n -g $PID
	cat /no/other 2>/dev/null
	do_it 'true </no/member'
	kill -KILL $PID
	traced
	has "$T/out" "^ *$PID sh +NAMI  \"/no/member\"\$" 1
	lacks "$T/out" 'other'
}

structs() {
	begin
	run 0 ./ktrace -t ct "$HERE/act_structs" file
	traced
	in_order "$T/out" \
		'STRU  struct stat \{st_mode=S_IFREG\|0640, st_size=10, \.\.\.\}$' \
		'STRU  struct statx \{stx_mask=.*, stx_mode=S_IFREG\|0640, stx_size=10, \.\.\.\}$' \
		'RET   stat -1 errno 2' \
		'STRU  struct itimerval \{.*it_value=\{tv_sec=1000, tv_usec=7\}\}$' \
		'STRU  struct timespec \{tv_sec=0, tv_nsec=1007\}$' \
		'STRU  struct sigaction \{sa_handler=SIG_IGN, sa_mask=\[USR2\], sa_flags=SA_RESTART\}$' \
		'STRU  struct rlimit \{rlim_cur=77, rlim_max=78\}$' \
		'STRU  struct cpuset \[0\]$' \
		'STRU  struct sockaddr \{sa_family=AF_INET, sin_port=htons\(7\), sin_addr=inet_addr\("127\.0\.0\.1"\)\}$' \
		'STRU  struct pollfd\[2\] \[\{fd=[0-9]+, events=POLLIN\}, \{fd=[0-9]+, events=POLLOUT\}\]$' \
		'STRU  struct epoll_event \{events=EPOLLOUT, data=' \
		'STRU  struct epoll_event\[1\] \[\{events=EPOLLOUT, data=' \
		'STRU  struct iovec\[2\] \[\{iov_base=0x[0-9a-f]+, iov_len=3\}, \{iov_base=0x[0-9a-f]+, iov_len=7\}\]$'
	# Nothing of the call that failed.
	has "$T/out" 'STRU  struct stat ' 1
	[ -x "$HERE/ktrace_user" ] || skip "the library was not built"
	run 0 "$HERE/ktrace_user" read ktrace.out
	in_order "$T/out" ' STRU stat$' ' STRU statx$' ' STRU sockaddr$' ' SARR pollfd 2 of 8$' \
		' SARR epoll_event 1 of 12$' ' SARR iovec 2 of 16$'
}

# What went over, joined, and no more; nothing of what failed.
transfers() {
	begin
	run 0 ./ktrace -t i "$HERE/act_structs" file
	traced
	# Its own, before it becomes the program.
	sed -n '/ act_structs /,$p' "$T/out" >"$T/its" && mv "$T/its" "$T/out"
	in_order "$T/out" 'GIO   fd [0-9]+ wrote 10 bytes$' '^       "0123456789"$' \
		'GIO   fd [0-9]+ wrote 10 bytes$' '^       "abcdefghij"$' \
		'GIO   fd [0-9]+ read 10 bytes$' '^       "abcdefghij"$' \
		'GIO   fd [0-9]+ wrote 7 bytes$' '^       "0123456"$' \
		'GIO   fd [0-9]+ read 7 bytes$' '^       "0123456"$'
	has "$T/out" 'GIO ' 5
	lacks "$T/out" 'never'
}

# Not with what ktrace does before: with its execve, also where there is none at first.
begins_at_execve() {
	begin_open
	mkdir nothing
	chmod 755 nothing
	PATH=$T/nothing:$PATH run 0 ./ktrace cat /etc/hostname
	traced
	grep -E ' (CALL|RET|NAMI|GIO|STRU) ' "$T/out" | head -n 4 >first
	in_order first ' ktrace +CALL  execve\(' 'NAMI  ".*nothing/cat"$' \
		'RET   execve -1 errno 2' ' ktrace +CALL  execve\('
	PATH=$T/nothing:$PATH run 0 "${HIM[@]}" ./ktrace -f his cat /etc/hostname
	traced -f his
	grep -E ' (CALL|RET|GIO|STRU) ' "$T/out" | head -n 3 >first
	in_order first ' ktrace +CALL  execve\(' 'RET   execve -1 errno 2' ' ktrace +CALL  execve\('
	# Where calls are not traced its path is the first.
	run 0 ./ktrace -t n "$HERE/act_structs" file
	traced
	grep -E ' NAMI ' "$T/out" | head -n 1 >first
	has first "NAMI  \"$HERE/act_structs\"$"
	# What it calls itself is not there; that it has ended is.
	run 2 ./ktrace ./nothing/absent
	traced
	has "$T/out" 'RET   execve -1 errno 2'
	has "$T/out" 'PDTR  exited with 2$'
}

# The interpreter of a program, and of a script; then what is read of them.
lookups_of_execve() {
	begin
	printf '#!/bin/cat\nthe text\n' >script
	chmod 755 script
	run 0 ./ktrace -t cn ./script
	traced
	in_order "$T/out" 'CALL  execve' 'NAMI  "\./script"$' 'NAMI  "/bin/cat"$' \
		'NAMI  "/lib64/ld-linux-x86-64\.so\.2"$' 'RET   execve 0$' 'NAMI  ".*libc\.so'
}

# A marker as long as may be, with the thread that made it.
markers() {
	begin
	head -c 2048 /dev/zero | tr '\0' m >mark
	run 0 ./ktrace -t u dd if=mark of=/dev/ktracer bs=2048 status=none
	wait_for 60 nobody || fail "$(ktrctl list)"
	run 0 ./ktrace -a -t u sh -c 'printf "a\001b" >/dev/ktracer'
	traced -H
	has "$T/out" '^ *([0-9]+) +\1 dd +USER  2048 "m{2048}"$' 1
	has "$T/out" '^ *([0-9]+) +\1 sh +USER  3 "a\\\^Ab"$' 1
	cat mark mark >long
	dd if=long of=/dev/ktracer bs=2049 count=1 2>"$T/err" &&
		fail "a marker of 2049 bytes was taken"
	has "$T/err" 'Invalid argument'
}

sysctls() {
	begin
	# shellcheck disable=SC2016
	run 0 ./ktrace -i -t y sh -c 'x=$(cat /proc/sys/kernel/printk_ratelimit)
		echo "$x" >/proc/sys/kernel/printk_ratelimit'
	traced
	in_order "$T/out" ' cat +SCTL  "kernel.printk_ratelimit" old "[0-9]+\\n"$' \
		' sh +SCTL  "kernel.printk_ratelimit" new "[0-9]+\\n"$'
}

# Which one was missing, where; it is told even if another does in its place.
capabilities() {
	begin_open
	echo text >secret
	chmod 600 secret
	run 0 ./ktrace -t cp setpriv --reuid 1000 --clear-groups --inh-caps=+dac_override \
		--ambient-caps=+dac_override cat secret
	has "$T/out" '^text$'
	traced
	in_order "$T/out" 'CALL  openat\(.*' 'CAP   operation requires CAP_DAC_READ_SEARCH in openat$' \
		'RET   openat [0-9]'
	run 1 ./ktrace -t p setpriv --reuid 1000 --clear-groups hostname other
	traced
	has "$T/out" 'CAP   operation requires CAP_SYS_ADMIN in sethostname$'
}

# A birth before all else of the child; an end behind all else.
births_and_ends() {
	begin
	run 0 ./ktrace -i sh -c 'sh -c "cat /no/file; kill -SEGV \$\$"; true'
	traced
	in_order "$T/out" 'PCTR  child=' 'NAMI  "/no/file"$' 'PDTR  exited with 1$' \
		'PDTR  killed by SIGSEGV(, core dumped)?$' 'PDTR  exited with 0$'
	awk '$3 == "PDTR" { ended[$1] = 1; next }
		$1 ~ /^[0-9]+$/ && $1 in ended { print; bad = 1 }
		END { exit bad }' "$T/out" >late || fail "after the end:" "$(cat late)"
	awk '$3 == "PCTR" { sub("child=", "", $4); born[$4] = 1; next }
		$1 ~ /^[0-9]+$/ && NR > 1 && $1 != first && !($1 in born) { print; bad = 1 }
		NR == 1 { first = $1 }
		END { exit bad }' "$T/out" >early || fail "before the birth:" "$(cat early)"
}

# Of whichever ABI: a child has its parent's until it runs another program.
births_of_both_abis() {
	begin
	"$HERE/act_birth32" 2>/dev/null
	[ $? = 3 ] || skip "no 32-bit programs here"
	run 3 ./ktrace -i -t c sh -c '"$0"; exit 3' "$HERE/act_birth32"
	traced
	in_order "$T/out" ' sh +PCTR  child=[0-9]+ parent=[0-9]+ abi=x86-64$' \
		' act_birth32 +PCTR  child=[0-9]+ parent=[0-9]+ abi=i386$' 'PDTR  exited with 4$' \
		'PDTR  exited with 3$'
	has "$T/out" 'PCTR' 2
}

# Where it waits, in a module too.
waits_in_a_module() {
	begin
	[ -e /dev/net/tun ] || modprobe tun 2>/dev/null
	[ -e /dev/net/tun ] || skip "no tun"
	cat >waits.py <<-'EOF'
		import fcntl, os, struct
		fd = os.open("/dev/net/tun", os.O_RDWR)
		fcntl.ioctl(fd, 0x400454ca, struct.pack("16sH22x", b"ktrtest", 0x1001))
		os.read(fd, 2000)
	EOF
	./ktrace -t w python3 waits.py &
	await 'ktrtest' /proc/net/dev
	wait_for 200 sleeps $! || fail "it does not sleep"
	kill -KILL $!
	traced
	has "$T/out" 'CSW   stop kernel "tun_'
	has "$T/out" 'CSW   resume kernel "tun_'
	[ -x "$HERE/ktrace_user" ] || skip "the library was not built"
	run 0 "$HERE/ktrace_user" read ktrace.out
	has "$T/out" ' CSW 1 0 tun_'
	has "$T/out" ' CSW 0 0 tun_'
}

# Losses are told where they were: by the line, and by KTR_DROP in each thread's next.
losses() {
	local n cpus
	begin
	n=$(scaled 100000 5000)
	trap 'tune request_pool 0; end_case' EXIT
	tune request_pool 20 || fail "no sysctl"
	# On each CPU, in front of the thread that writes the file, which goes on
	# when they rest.
	cpus=$(nproc)
	# shellcheck disable=SC2016
	run 0 ./ktrace -i -t c chrt -f 1 sh -c 'cpu=$2
		while [ $cpu -gt 0 ]; do
			cpu=$((cpu - 1))
			taskset -c $cpu sh -c "$3" sh "$1" &
		done
		wait' sh "$n" "$cpus" 'i=$1
		while [ $i -gt 0 ]; do
			kill -0 $$
			i=$((i - 1))
		done
		sleep 0.5
		kill -0 $$'
	n=$(((n + 1) * cpus))
	traced
	has "$T/out" '^Events dropped: [1-9][0-9]* on CPU [0-9]+$'
	dropped=$(awk '/^Events dropped/ { n += $3 } END { print n }' "$T/out")
	calls=$(grep -c 'RET   kill' "$T/out")
	[ "$calls" -lt "$n" ] || fail "nothing was lost"
	[ $((calls + dropped)) -ge "$n" ] || fail "$calls and $dropped lost are not $n"
	[ -x "$HERE/ktrace_user" ] || skip "the library was not built"
	run 0 "$HERE/ktrace_user" read ktrace.out
	has "$T/out" ' DROP (CALL|RET) '
	# Without losses there is none.
	tune request_pool 0
	run 0 ./ktrace -t c true
	traced
	run 0 "$HERE/ktrace_user" read ktrace.out
	lacks "$T/out" 'DROP'
}

# Both tunables act on traces that there are.
live_tunables() {
	begin
	trap 'tune genio_size 131072; tune request_pool 0; end_case' EXIT
	doer
	run 0 ./ktrace -t i -p $PID
	do_it 'echo zwanzig >/dev/null'
	tune genio_size 3 || fail "no sysctl"
	do_it 'echo dreissig >/dev/null'
	tune genio_size 0 || fail "no sysctl"
	do_it 'echo vierzig >/dev/null'
	tune request_pool 1 || fail "no sysctl"
	do_it 'i=0; while [ $i -lt 2000 ]; do echo $i; i=$((i + 1)); done >/dev/null'
	kill -KILL $PID
	traced
	in_order "$T/out" 'GIO   fd 1 wrote 8 bytes$' '^       "zwanzig$' \
		'GIO   fd 1 wrote 9 bytes$' '^       "dre"\.\.\.$' \
		'GIO   fd 1 wrote 8 bytes, not recorded$' '^Events dropped: '
	lacks "$T/out" 'vier'
}

# Points that come while a call waits take nothing of it away, and nothing of the next.
under_way() {
	begin
	mkfifo pipe
	exec 5<>pipe
	cat <pipe >/dev/null &
	PID=$!
	wait_for 60 sleeps $PID || fail "it does not wait"
	run 0 ./ktrace -t ci -p $PID
	# The call that it was in before.
	echo none >&5
	await none ktrace.out
	wait_for 60 sleeps $PID || fail "it does not wait"
	run 0 ./ktrace -a -t t -p $PID
	echo first >&5
	await first ktrace.out
	wait_for 60 sleeps $PID || fail "it does not wait"
	run 0 ./ktrace -a -t tn -p $PID
	echo second >&5
	await second ktrace.out
	kill -KILL $PID
	traced
	# Not what it writes of it.
	has <(grep -A1 'GIO   fd 0 read 5 bytes$' "$T/out") '^       "none$' 1
	has <(grep -A1 'GIO   fd 0 read 6 bytes$' "$T/out") '^       "first$' 1
	has <(grep -A1 'GIO   fd 0 read 7 bytes$' "$T/out") '^       "second$' 1
}

# An ordinary user has his own processes, and no other's.
ordinary_user() {
	begin_open
	run 3 "${HIM[@]}" ./ktrace -i sh -c 'cat /etc/hostname; exit 3'
	traced
	in_order "$T/out" ' sh +CALL  execve' ' cat +NAMI  "/etc/hostname"$' 'PDTR  exited with 0$' \
		'PDTR  exited with 3$'
	[ "$(stat -c %u ktrace.out)" = 1000 ] || fail "the file is not his"
	# What he may not see he is told, if he asks for nothing else.
	run 5 "${HIM[@]}" ./ktrace -f faults -t f true
	says 'not permitted'
	# What is left out of more is told, if he has named it.
	run 0 "${HIM[@]}" ./ktrace -f some -t cfy true
	says 'ktrace: -t fy is left out: page faults'
	run 0 "${HIM[@]}" ./ktrace -f some -t + true
	[ ! -s "$T/err" ] || fail "$(cat "$T/err")"
	doer
	run 5 "${HIM[@]}" ./ktrace -f his -p $PID
	says 'not permitted'
	run 5 "${HIM[@]}" ./ktrace -f his -p 1
	says 'not permitted'
	run 2 "${HIM[@]}" ./ktrace -f his -p 999999
	says 'no such process'
	nobody || fail "$(ktrctl list)"
}

# -C of a user ends his traces alone, root's all there are. Root's trace of his process
# is not his to end.
all_clear() {
	begin_open
	sleep 1000 &
	"${HIM[@]}" sleep 1000 &
	PID=$!
	wait_for 60 runs_as "$PID" 1000 || fail "it does not run"
	run 0 ./ktrace -f roots -p $!
	run 0 ./ktrace -f roots -a -p "$(jobs -p | head -n 1)"
	run 0 "${HIM[@]}" ./ktrace -f his -p $PID
	has <(ktrctl list) '^ktrace:' 2
	run 2 "${HIM[@]}" ./ktrace -c -f roots
	says 'roots: Permission denied'
	run 0 "${HIM[@]}" ./ktrace -c -p "$PID"
	nobody_of_his || fail "$(ktrctl list)"
	run 0 "${HIM[@]}" ./ktrace -f his -p $PID
	run 0 "${HIM[@]}" ./ktrace -C
	nobody_of_his || fail "$(ktrctl list)"
	has <(ktrctl list) '^ktrace:.* 2 targets ' 1
	run 0 "${HIM[@]}" ./ktrace -f his -p $PID
	run 0 ./ktrace -C
	wait_for 60 nobody || fail "$(ktrctl list)"
}

# Whose it is decides about clearing, too, in each form; what is his is cleared.
clears_his_own() {
	local group
	begin_open
	setsid sh -c 'sleep 1000 & echo $$ >group; wait' >/dev/null 2>&1 &
	wait_for 60 test -s group || fail "no group"
	group=$(cat group)
	"${HIM[@]}" sleep 1000 &
	PID=$!
	wait_for 60 runs_as "$PID" 1000 || fail "it does not run"
	for traced in no yes; do
		[ $traced = no ] || run 0 ./ktrace -f roots -g "$group"
		for form in "-p $group" "-g $group" "-t c -p $group" "-d -p $group" "-p 1"; do
			# shellcheck disable=SC2086
			run 5 "${HIM[@]}" ./ktrace -c $form
			says 'process( group)? [0-9]+: not permitted: what is not yours'
		done
	done
	has <(ktrctl list) '^ktrace:.* 2 targets ' 1
	run 2 "${HIM[@]}" ./ktrace -c -p 999999
	says 'no such process'
	run 2 "${HIM[@]}" ./ktrace -c -g 999999
	says 'no such process'
	# His own, traced or not, and whatever is his below one that is not.
	run 0 "${HIM[@]}" ./ktrace -c -p "$PID"
	run 0 "${HIM[@]}" ./ktrace -f his -p "$PID"
	run 0 "${HIM[@]}" ./ktrace -c -d -p 1
	wait_for 60 nobody_of_his || fail "$(ktrctl list)"
	run 0 "${HIM[@]}" ./ktrace -C
	run 0 ./ktrace -c -p "$PID"
	run 0 ./ktrace -c -g "$group"
	wait_for 60 nobody || fail "$(ktrctl list)"
	kill -- "-$group"
}

nobody_of_his() {
	[ -z "$("${HIM[@]}" ktrctl list)" ]
}

# A user's group and descendants, less those that are not his.
family_of_a_user() {
	begin_open
	mkfifo -m 666 go
	cp "$(command -v sleep)" sleeper
	chmod 4755 sleeper
	# shellcheck disable=SC2016
	"${HIM[@]}" setsid -w sh -c 'echo $$ >group; ./sleeper 1000 & sh -c "sleep 1000 & wait" &
		read -r x <go; { true </no/file; } 2>/dev/null; wait' &
	wait_for 60 test -s group || fail "no group"
	group=$(cat group)
	wait_for 60 four_of "$group" || fail "$(ps -e -o pid,pgid,args)"
	run 0 "${HIM[@]}" ./ktrace -t n -g "$group"
	says '1 process is left out: not yours'
	has <(ktrctl list) ' 3 targets .* of user 1000$' 1
	run 0 "${HIM[@]}" ./ktrace -c
	nobody || fail "$(ktrctl list)"
	run 0 "${HIM[@]}" ./ktrace -t n -d -p "$group"
	says '1 process is left out: not yours'
	has <(ktrctl list) ' 3 targets .* of user 1000$' 1
	echo >go
	await "/no/file" ktrace.out
	kill -KILL -- "-$group"
	traced
	has "$T/out" 'NAMI  "/no/file"$' 1
}

four_of() {
	[ "$(pgrep -c -g "$1" 'sleep|sh')" = 4 ]
}

# A set-id program has its rights; that the trace ended is said.
set_id_program() {
	begin_open
	cp "$(command -v id)" id
	chmod 4755 id
	run 0 "${HIM[@]}" ./ktrace ./id -u
	has "$T/out" '^0$' 1
	wait_for 60 nobody || fail "$(ktrctl list)"
	run 0 ./kdump
	has "$T/out" 'CALL  execve'
	lacks "$T/out" 'CALL  (write|getuid|geteuid)'
	run 0 ktrctl report ktrace.out
	has "$T/out" '^\+\+\+ trace ended: a set-id program'
}

tool_case "a call under way when points come" under_way
tool_case "points add up, and one is taken away" points_add_up
tool_case "children, wished for later" inherit_comes_later
tool_case "a group and no other" group_and_no_other
tool_case "structures and arrays" structs
tool_case "transfers" transfers
tool_case "the beginning" begins_at_execve
tool_case "lookups of execve" lookups_of_execve
tool_case "markers" markers
tool_case "sysctls" sysctls
tool_case "capabilities" capabilities
tool_case "births and ends" births_and_ends
tool_case "births of both ABIs" births_of_both_abis
tool_case "waiting in a module" waits_in_a_module
tool_case "losses" losses
tool_case "tunables, live" live_tunables
tool_case "an ordinary user" ordinary_user
tool_case "all-clear" all_clear
tool_case "clearing what is not his" clears_his_own
tool_case "the family of a user" family_of_a_user
tool_case "a set-id program" set_id_program
tool_done
