# SPDX-License-Identifier: GPL-2.0-or-later
# What in a kernel log is a failure. Sourced; selftests may source it too.

# shellcheck shell=bash

# The dump of an injected fault has a call trace and none of these. Lines of user
# programs that crashed name the program first and are no kernel fault; nor is the
# kernel's advice on what a processor needs, as in "RETBleed: WARNING: ".
WARNING_PATTERNS='(^|\] *)WARNING: |\<BUG: |kernel BUG at |\<Oops|Kernel panic|KASAN:
KFENCE:|UBSAN:|ODEBUG:|INFO: rcu|rcu: INFO: |suspicious RCU|soft lockup
hard LOCKUP|INFO: task .* blocked for more than|INFO: trying to register
possible (circular|recursive|irq lock|deadlock)|inconsistent lock state
bad unlock balance|held lock freed|still has locks held|DEBUG_LOCKS_WARN_ON
scheduling while atomic|sleeping function called
kmemleak: [0-9]+ new suspected|refcount_t: |list_(add|del) corruption
general protection fault, |unable to handle|cut here
int3: 0000|leaked percpu|Bad page state|double fault'

# warnings_in LOG: print the lines that are failures; false if there are none.
warnings_in() {
	tr -d '\r' <"$1" | grep -aE "$(tr '\n' '|' <<<"$WARNING_PATTERNS" |
		sed 's/|$//')"
}

# stale_code_in LOG: true if what stopped the kernel is QEMU's fault alone: a CPU
# ran a breakpoint that is not in memory any more. While the kernel rewrites an
# instruction it puts a breakpoint (cc) on it, then takes it away and has every CPU
# synchronize. QEMU throws away what it has translated just before the store, not
# with it; another CPU that translates in between keeps the breakpoint. On a real
# processor the kernel would know the breakpoint, or find it in memory.
stale_code_in() {
	warnings_in "$1" | head -n 1 | grep -qaE 'int3: 0000 \[#1\]' || return
	tr -d '\r' <"$1" | awk '
		/int3: 0000 \[#1\]/ { stopped = 1 }
		stopped && match($0, /Code: .* <[0-9a-f][0-9a-f]>/) {
			split(substr($0, 1, RSTART + RLENGTH - 1), word)
			for (n = 1; word[n] !~ /^</; n++)
				;
			found = word[n - 1] != "cc"
			exit
		}
		END { exit !found }'
}
