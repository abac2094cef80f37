#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ktrace(2) item by item, as ktrctl called as ktrace and kdump shows it: what
# Documentation/ktrace-mapping.rst promises and no other test has looked at.

set -u
. lib/tap.sh
. lib/tool.sh

HIM=(setpriv --reuid 1000 --regid 1000 --clear-groups)

begin() {
	cd "$T" || exit 1
	ln -s "$(command -v ktrctl)" ktrace
	ln -s "$(command -v ktrctl)" kdump
}

# For him, too.
begin_open() {
	begin
	chmod 755 "$TOP"
	chmod 777 "$T"
}

nobody() {
	[ -z "$(ktrctl list)" ]
}

traced() {
	wait_for 60 nobody || fail "$(ktrctl list)"
	run 0 ./kdump "$@"
}

tune() {
	echo "$2" >"/proc/sys/kernel/ktrace/$1"
}

# A shell that does things when it is told, and tells when it has; PID is its.
doer() {
	mkfifo go done
	chmod 666 go done
	# shellcheck disable=SC2016
	"$@" sh -c 'trap : USR1; while read -r x <go; do eval "$x"; echo >done; done' \
		2>/dev/null &
	PID=$!
	wait_for 60 sleeps "$PID" || fail "it does not wait"
}

do_it() {
	# shellcheck disable=SC2016
	timeout 100 sh -c 'echo "$1" >go' - "$1" && read -t 100 -r _ <>done ||
		fail "it did not do it: $1"
}

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
	local n
	begin
	n=$(scaled 100000 5000)
	trap 'tune request_pool 0; end_case' EXIT
	tune request_pool 20 || fail "no sysctl"
	# shellcheck disable=SC2016
	run 0 ./ktrace -t c "$HERE/act_load" needles "$n"
	traced
	has "$T/out" '^Events dropped: [1-9][0-9]* on CPU [0-9]+$'
	dropped=$(awk '/^Events dropped/ { n += $3 } END { print n }' "$T/out")
	calls=$(grep -c 'RET   getppid' "$T/out")
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
		'GIO   fd 1 wrote 8 bytes$' '^       ""\.\.\.$' '^Events dropped: '
	lacks "$T/out" 'vier'
}

# FILE is refused.
refused() {
	local words=$1
	shift
	run 2 ./ktrace "$@" touch ran
	says "$words"
}

files() {
	local long
	begin_open
	long=$(printf 'n%.0s' {1..300})
	mkfifo fifo
	mkdir dir locked
	ln -s target link
	ln -s loop loop
	echo >file
	refused 'fifo: it is no regular file' -f fifo
	refused 'dir: it is no regular file' -f dir
	refused 'link: Too many levels of symbolic links' -f link
	refused 'loop/file: Too many levels of symbolic links' -f loop/file
	refused 'file/file: Not a directory' -f file/file
	refused "$long: File name too long" -f "$long"
	refused 'none/file: No such file or directory' -f none/file
	refused '/dev/null: it is no regular file' -f /dev/null
	[ ! -e target ] || fail "the link was followed"
	chmod 700 locked
	run 2 "${HIM[@]}" ./ktrace -f locked/file touch ran
	says 'locked/file: Permission denied'
	chmod 600 file
	run 2 "${HIM[@]}" ./ktrace -a -f file touch ran
	says 'file: Permission denied'
	[ ! -e ran ] || fail "the command ran"
	nobody || fail "$(ktrctl list)"
	# Records are appended; without -a the file is emptied first.
	run 0 ./ktrace -f whole -t n cat /etc/hostname
	wait_for 60 nobody || fail "$(ktrctl list)"
	run 0 ./ktrace -f whole -a -t n cat /etc/hosts
	traced -f whole
	in_order "$T/out" '/etc/hostname' '/etc/hosts"'
	run 0 ./ktrace -f whole -t n cat /etc/hosts
	traced -f whole
	lacks "$T/out" '/etc/hostname'
}

# A block of the middle is damaged: said where; what comes behind is printed.
damage() {
	local size
	begin
	run 0 ./ktrace -i -t cn sh -c 'cat /no/first; sleep 0.6; cat /no/middle
		cat /etc/services /etc/hosts; sleep 0.6; cat /no/last; true'
	traced
	in_order "$T/out" '/no/first' '/no/last'
	size=$(stat -c %s ktrace.out)
	printf 'XXXXXXXXXXXXXXXX' | dd of=ktrace.out bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
	run 3 ./kdump
	says 'ktrace.out is damaged at offset [0-9]+'
	in_order "$T/out" '/no/first'
	in_order "$T/out" 'PDTR  exited with 0$'
	[ -x "$HERE/ktrace_user" ] || skip "the library was not built"
	"$HERE/ktrace_user" read ktrace.out >"$T/out"
	has "$T/out" '^read: Structure needs cleaning$' 1
}

# The same that keeps root from writing to what he did not mean keeps a user.
files_of_a_user() {
	local name
	begin_open
	: >roots
	chmod 666 roots
	"${HIM[@]}" sh -c 'mkdir his; ln -s ../roots his/link; mkfifo his/fifo; mkdir his/dir'
	for name in link fifo dir; do
		run 2 "${HIM[@]}" ./ktrace -a -f his/$name touch ran
		says "cannot write his/$name: "
		run 2 "${HIM[@]}" ./ktrace -c -f his/$name
	done
	[ ! -e ran ] || fail "the command ran"
	[ ! -s roots ] || fail "the link was followed"
	nobody || fail "$(ktrctl list)"
}

# Who may only read the file cannot refuse it to who traces into it.
locked_by_a_reader() {
	begin_open
	: >file
	chmod 644 file
	mkfifo held
	chmod 666 held
	"${HIM[@]}" python3 -c 'import fcntl, time
file = open("file")
fcntl.lockf(file, fcntl.LOCK_SH)
open("held", "w").close()
time.sleep(1000)' &
	timeout 100 cat held || fail "no lock"
	run 0 ./ktrace -a -f file -t n cat /etc/hostname
	traced -f file
	has "$T/out" 'NAMI  "/etc/hostname"$'
	run 0 ./ktrace -f file -t n cat /etc/hosts
	traced -f file
	has "$T/out" 'NAMI  "/etc/hosts"$'
	lacks "$T/out" 'hostname'
	run 2 ktrctl record -o file -- true
	says 'a process that reads it has locked it'
}

# Writing fails: that trace ends with its reason, there and in the log; others go on.
# full_disk [COMMAND...]: of one who runs his own by that command
full_disk() {
	local other
	begin_open
	mkdir small
	mount -t tmpfs -o size=64k,mode=1777 none small || skip "no mount"
	doer "$@"
	other=$PID
	wait_for 60 runs_as "$other" "$("$@" id -u)" || fail "it does not run"
	run 0 "$@" ./ktrace -f other -t n -p "$other"
	dmesg | wc -l >lines
	"$@" sh -c 'while :; do kill -0 $$; done' &
	PID=$!
	wait_for 60 runs_as $PID "$("$@" id -u)" || fail "it does not run"
	run 0 "$@" ./ktrace -f small/file -p $PID
	wait_for 200 is_stopped || fail "$(ktrctl list)"
	kill -KILL $PID
	tail -n "+$(($(cat lines) + 1))" <(dmesg) >"$T/log"
	has "$T/log" 'cannot write to its file: error -?28, it is stopped'
	do_it 'true </no/later'
	# Its end does not take the reason away; who clears the file does.
	wait_for 60 remains || fail "$(ktrctl list)"
	run 0 "$@" ./ktrace -c -f small/file
	wait_for 60 eval '! remains' || fail "$(ktrctl list)"
	kill -KILL "$other"
	wait_for 60 nobody || fail "$(ktrctl list)"
	run 0 ./kdump -f other
	has "$T/out" 'NAMI  "/no/later"$' 1
	run 3 ./kdump -f small/file
	has "$T/out" 'RET   kill 0$'
	wait_for 200 umount small
}

full_disk_of_a_user() {
	full_disk "${HIM[@]}"
}

runs_as() {
	[ "$(stat -c %u "/proc/$1")" = "$2" ]
}

is_stopped() {
	ktrctl list | grep -q '^ktrace:.* stopped .*could not write "file": No space left on device'
}

remains() {
	ktrctl list | grep -q '^ktrace:.* ended .*could not write "file": No space left on device'
}

remains_alone() {
	[ "$(ktrctl list | grep -c .)" = 1 ] && remains
}

# All that he has set, and all that there is to tell of it.
clears_what_failed() {
	begin_open
	mkdir small
	mount -t tmpfs -o size=4k,mode=1777 none small || skip "no mount"
	run 0 "${HIM[@]}" ./ktrace -f small/file true
	wait_for 60 remains || fail "$(ktrctl list)"
	run 0 "${HIM[@]}" ./ktrace -C
	nobody || fail "$(ktrctl list)"
	# The next trace into the file takes the place of what failed.
	run 0 "${HIM[@]}" ./ktrace -f small/file true
	wait_for 60 remains || fail "$(ktrctl list)"
	run 0 "${HIM[@]}" ./ktrace -f small/file true
	wait_for 60 remains_alone || fail "$(ktrctl list)"
	# Also while processes of the one that failed are there.
	"${HIM[@]}" sh -c 'while :; do kill -0 $$; done' &
	PID=$!
	wait_for 60 runs_as $PID 1000 || fail "it does not run"
	run 0 "${HIM[@]}" ./ktrace -f small/file -p $PID
	wait_for 200 is_stopped || fail "$(ktrctl list)"
	mount -o remount,size=64m small
	run 0 "${HIM[@]}" ./ktrace -a -f small/file -t n -p $PID
	ktrctl list >"$T/list"
	has "$T/list" '^ktrace:.* running ' 1
	has "$T/list" '' 1
	run 0 "${HIM[@]}" ./ktrace -C
	wait_for 60 nobody || fail "$(ktrctl list)"
	wait_for 200 umount small
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

tool_case "points add up, and one is taken away" points_add_up
tool_case "children, wished for later" inherit_comes_later
tool_case "a group and no other" group_and_no_other
tool_case "structures and arrays" structs
tool_case "transfers" transfers
tool_case "lookups of execve" lookups_of_execve
tool_case "markers" markers
tool_case "sysctls" sysctls
tool_case "capabilities" capabilities
tool_case "births and ends" births_and_ends
tool_case "waiting in a module" waits_in_a_module
tool_case "losses" losses
tool_case "tunables, live" live_tunables
tool_case "files" files
tool_case "files of a user" files_of_a_user
tool_case "a damaged block" damage
tool_case "a file that a reader has locked" locked_by_a_reader
tool_case "a full disk" full_disk
tool_case "a full disk, of a user" full_disk_of_a_user
tool_case "what failed is cleared, or traced again" clears_what_failed
tool_case "an ordinary user" ordinary_user
tool_case "all-clear" all_clear
tool_case "the family of a user" family_of_a_user
tool_case "a set-id program" set_id_program
tool_done
