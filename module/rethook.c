// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kallsyms.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "rethook.h"

#ifdef KTR_FPROBE_ON_RETHOOK
/* From a breakpoint, from ftrace and from a jump: all the way to kretprobe's handler. */
static const char *const surrounding[] = {
	"do_int3", "kprobe_int3_handler", "kprobe_ftrace_handler", "optimized_callback",
	"opt_pre_handler", "aggr_pre_handler", "pre_handler_kretprobe",
};

/* What rethook calls each time that a function returns, under CONFIG_PROVE_RCU. */
static const char *const inside[] = { "rcu_read_lock_any_held" };

/* Compilers append to names what begins with a dot. */
static bool is_among(const char *name, const char *const *list, size_t n)
{
	size_t i, len = strcspn(name, ".");

	for (i = 0; i < n; i++)
		if (strlen(list[i]) == len && !memcmp(name, list[i], len))
			return true;
	return false;
}

u32 ktr_rethook_pick(unsigned long *addr, u32 n)
{
	char name[KSYM_SYMBOL_LEN];
	u32 i, k = 0;

	for (i = 0; i < n; i++) {
		sprint_symbol_no_offset(name, addr[i]);
		if (!is_among(name, surrounding, ARRAY_SIZE(surrounding)) &&
		    !is_among(name, inside, ARRAY_SIZE(inside)))
			addr[k++] = addr[i];
		cond_resched();
	}
	return k;
}
#endif
