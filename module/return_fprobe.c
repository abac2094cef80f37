// SPDX-License-Identifier: GPL-2.0-only
/*
 * Returns by fprobe: one registration for all functions of a block.
 *
 * fprobe guards itself against recursion. A call it has no room for is counted
 * by it and gets neither entry nor return.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "rethook.h"
#include "returns.h"

#ifdef KTR_RETURNS_BY_FPROBE
#include <linux/fprobe.h>

struct hook {
	struct fprobe fp;
	struct ktr_return_block *block;
};

static int entered(struct fprobe *fp, unsigned long ip, unsigned long parent,
		   KTR_FPROBE_REGS *regs, void *data)
{
	struct hook *h = container_of(fp, struct hook, fp);

	return !ktr_return_entered(h->block, ip, parent, ktr_fprobe_pt(regs), data);
}

static void left(struct fprobe *fp, unsigned long ip, unsigned long parent,
		 KTR_FPROBE_REGS *regs, void *data)
{
	struct hook *h = container_of(fp, struct hook, fp);

	ktr_return_left(h->block, ip, parent, ktr_fprobe_value(regs), data);
}

/* But for what may not be hooked; -EINVAL: nothing else is there. */
static int register_block(struct fprobe *fp, const struct ktr_return_block *b)
{
	unsigned long *addr;
	int ret = -EINVAL;
	u32 n;

	addr = kvmalloc_array(b->n, sizeof(*addr), GFP_KERNEL_ACCOUNT);
	if (!addr)
		return -ENOMEM;
	memcpy(addr, b->addr, b->n * sizeof(*addr));
	n = ktr_rethook_pick(addr, b->n);
	if (n)
		ret = register_fprobe_ips(fp, addr, n);
	kvfree(addr);
	return ret;
}

int ktr_return_hook(struct ktr_return_block *b)
{
	struct hook *h;
	int ret;

	h = kzalloc(sizeof(*h), GFP_KERNEL_ACCOUNT);
	if (!h)
		return -ENOMEM;
	h->block = b;
	h->fp.entry_handler = entered;
	h->fp.exit_handler = left;
	h->fp.entry_data_size = sizeof(struct ktr_return_data);
	ktr_fprobe_set_room(&h->fp, KTR_RETURNS_INSIDE);
	ret = register_block(&h->fp, b);
	if (ret) {
		kfree(h);
		return ret;
	}
	b->hook = h;
	return 0;
}

u64 ktr_return_hook_missed(const struct ktr_return_block *b)
{
	const struct hook *h = b->hook;

	return READ_ONCE(h->fp.nmissed);
}

void ktr_return_unhook(struct ktr_return_block *b)
{
	struct hook *h = b->hook;

	/*
	 * Waits for entries. Returns run with preemption off, and those that come
	 * later find it gone.
	 */
	unregister_fprobe(&h->fp);
	synchronize_rcu();
	kfree(h);
}
#endif
