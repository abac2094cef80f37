# SPDX-License-Identifier: GPL-2.0-or-later
# What in a kernel log is a failure. Sourced; selftests may source it too.

# shellcheck shell=bash

# The dump of an injected fault has a call trace and none of these. Lines of user
# programs that crashed name the program first and are no kernel fault; nor is the
# kernel's advice on what a processor needs, as in "RETBleed: WARNING: ". An answer of
# the module that does not fit into the kernel's buffer is cut: that is a fault of ours.
WARNING_PATTERNS='(^|\] *)WARNING: |\<BUG: |kernel BUG at |\<Oops|Kernel panic|KASAN:
KFENCE:|UBSAN:|ODEBUG:|INFO: rcu|rcu: INFO: |suspicious RCU|soft lockup
hard LOCKUP|INFO: task .* blocked for more than|INFO: trying to register
possible (circular|recursive|irq lock|deadlock)|inconsistent lock state
bad unlock balance|held lock freed|still has locks held|DEBUG_LOCKS_WARN_ON
scheduling while atomic|sleeping function called
kmemleak: [0-9]+ new suspected|refcount_t: |list_(add|del) corruption
general protection fault, |unable to handle|cut here
truncated extack: ktracer
int3: 0000|leaked percpu|Bad page state|double fault'

# warnings_in LOG: print the lines that are failures; false if there are none.
warnings_in() {
	tr -d '\r' <"$1" | grep -aE "$(tr '\n' '|' <<<"$WARNING_PATTERNS" |
		sed 's/|$//')"
}
