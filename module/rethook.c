// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kallsyms.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "rethook.h"

#ifdef KTR_FPROBE_ON_RETHOOK
static const char *const refused[] = {
	/* From a breakpoint, from ftrace and from a jump: all the way to kretprobe's handler. */
	"do_int3", "kprobe_int3_handler", "kprobe_ftrace_handler", "optimized_callback",
	"opt_pre_handler", "aggr_pre_handler", "pre_handler_kretprobe",
	/* What rethook calls each time that a function returns, under CONFIG_PROVE_RCU. */
	"rcu_read_lock_any_held", "rcu_lockdep_current_cpu_online",
};

/* Compilers append to names what begins with a dot. */
static bool is_refused(const char *name)
{
	size_t i, len = strcspn(name, ".");

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		if (strlen(refused[i]) == len && !memcmp(name, refused[i], len))
			return true;
	return false;
}

u32 ktr_rethook_pick(unsigned long *addr, u32 n)
{
	char name[KSYM_SYMBOL_LEN];
	u32 i, k = 0;

	for (i = 0; i < n; i++) {
		sprint_symbol_no_offset(name, addr[i]);
		if (!is_refused(name))
			addr[k++] = addr[i];
		cond_resched();
	}
	return k;
}
#endif
