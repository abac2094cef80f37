// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For virtual machines without KVM only: survive a race of QEMU's.
 *
 * To rewrite an instruction while others may run it, the kernel puts a breakpoint
 * on it, then takes that away and has every CPU synchronize. QEMU throws away what
 * it has translated just before a store, not with it: another CPU that translates
 * in between keeps the breakpoint, for good. The kernel does not know it any more
 * and dies, in the word of a switch that is rewritten often and run often.
 *
 * On a processor a breakpoint that is not in memory can only be one that was
 * taken away a moment ago, and running the instruction again is right. Here that
 * alone would meet the same translation, so the byte is written once more, as it
 * is: what was translated of it is thrown away.
 */
#include <linux/atomic.h>
#include <linux/kdebug.h>
#include <linux/module.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>
#include <asm/text-patching.h>

static atomic_t seen;

static int seen_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", atomic_read(&seen));
}

static const struct kernel_param_ops seen_ops = { .get = seen_get };
module_param_cb(seen, &seen_ops, NULL, 0444);
MODULE_PARM_DESC(seen, "breakpoints that were not in memory");

/* The kernel's own function for this insists on write protection. */
static __always_inline void put_cr0(unsigned long cr0)
{
	asm volatile("mov %0, %%cr0" : : "r"(cr0) : "memory");
}

static void write_again(u8 *byte)
{
	unsigned long cr0 = read_cr0();

	put_cr0(cr0 & ~X86_CR0_WP);
	asm volatile("lock orb $0, %0" : "+m"(*byte));
	put_cr0(cr0);
}

/* In the context of the breakpoint: interrupts are off, any CPU. */
static int died(struct notifier_block *self, unsigned long why, void *data)
{
	struct die_args *args = data;
	u8 *byte;

	if (why != DIE_INT3 || user_mode(args->regs))
		return NOTIFY_DONE;
	byte = (u8 *)args->regs->ip - INT3_INSN_SIZE;
	if (READ_ONCE(*byte) == INT3_INSN_OPCODE)
		return NOTIFY_DONE;
	write_again(byte);
	args->regs->ip -= INT3_INSN_SIZE;
	atomic_inc(&seen);
	return NOTIFY_STOP;
}

static struct notifier_block on_death = { .notifier_call = died, .priority = INT_MAX };

static int __init begin(void)
{
	return register_die_notifier(&on_death);
}

static void __exit end(void)
{
	unregister_die_notifier(&on_death);
}

module_init(begin);
module_exit(end);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Survive breakpoints that QEMU keeps after the kernel has removed them");
