// SPDX-License-Identifier: GPL-2.0-only
/*
 * Returns by kretprobes, for kernels without a usable fprobe: one for each
 * function, all of a block registered and unregistered together.
 */
#include <linux/slab.h>
#include "returns.h"

#ifndef KTR_RETURNS_BY_FPROBE
#include <linux/kprobes.h>

/* Calls inside one function; many functions have to share. */
#define INSIDE_MIN 64
#define INSIDE_MAX 1024
#define FUNCTIONS_MAX 512

struct probe {
	struct kretprobe rp;
	struct ktr_return_block *block;
};

struct hook {
	struct kretprobe **list;
	struct probe probe[];
};

static int entered(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct probe *p = container_of(get_kretprobe(ri), struct probe, rp);

	/* The instance learns where it returns to only when this is over. */
	return !ktr_return_entered(p->block, (unsigned long)p->rp.kp.addr,
				   regs_get_kernel_stack_nth(regs, 0), regs, (void *)ri->data);
}
NOKPROBE_SYMBOL(entered);

static int left(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct probe *p = container_of(rp, struct probe, rp);

	if (rp)
		ktr_return_left(p->block, (unsigned long)rp->kp.addr, get_kretprobe_retaddr(ri),
				regs_return_value(regs), (void *)ri->data);
	return 0;
}
NOKPROBE_SYMBOL(left);

static void fill(struct hook *h, struct ktr_return_block *b)
{
	u32 i;

	for (i = 0; i < b->n; i++) {
		struct probe *p = &h->probe[i];

		p->block = b;
		p->rp.kp.addr = (void *)b->addr[i];
		p->rp.entry_handler = entered;
		p->rp.handler = left;
		p->rp.data_size = sizeof(struct ktr_return_data);
		p->rp.maxactive = clamp(32 * INSIDE_MAX / b->n, INSIDE_MIN, INSIDE_MAX);
		h->list[i] = &p->rp;
	}
}

int ktr_return_hook(struct ktr_return_block *b)
{
	struct hook *h;
	int ret = -ENOMEM;

	if (b->n > FUNCTIONS_MAX)
		return -E2BIG;
	h = kvzalloc(struct_size(h, probe, b->n), GFP_KERNEL_ACCOUNT);
	if (!h)
		return -ENOMEM;
	h->list = kvmalloc_array(b->n, sizeof(*h->list), GFP_KERNEL_ACCOUNT);
	if (!h->list)
		goto err_free;
	fill(h, b);
	ret = register_kretprobes(h->list, b->n);
	if (ret)
		goto err_free_list;
	b->hook = h;
	return 0;

err_free_list:
	kvfree(h->list);
err_free:
	kvfree(h);
	return ret;
}

u64 ktr_return_hook_missed(const struct ktr_return_block *b)
{
	const struct hook *h = b->hook;
	u64 missed = 0;
	u32 i;

	for (i = 0; i < b->n; i++)
		missed += READ_ONCE(h->probe[i].rp.nmissed) + READ_ONCE(h->probe[i].rp.kp.nmissed);
	return missed;
}

void ktr_return_unhook(struct ktr_return_block *b)
{
	struct hook *h = b->hook;

	/* Waits for a grace period; later returns find their probe gone. */
	unregister_kretprobes(h->list, b->n);
	kvfree(h->list);
	kvfree(h);
}
#endif
