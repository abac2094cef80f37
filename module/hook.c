// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of the kernel that are hooked by themselves, at entry and return.
 *
 * The callbacks run wherever the function is called, for all tasks: they turn
 * those away that are no targets before anything is kept of the call.
 */
#include <linux/build_bug.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "hook.h"

/* Calls of targets that may be inside at a time. */
#define INSIDE 1024

#ifdef KTR_RETURNS_BY_FPROBE
#include <linux/fprobe.h>

struct backend {
	struct fprobe fp;
	struct ktr_hook *hook;
};

static int entered(struct fprobe *fp, unsigned long ip, unsigned long parent,
		   KTR_FPROBE_REGS *regs, void *data)
{
	struct ktr_hook *h = container_of(fp, struct backend, fp)->hook;

	guard(preempt_notrace)();
	return !h->entered(regs, data);
}

static void left(struct fprobe *fp, unsigned long ip, unsigned long parent,
		 KTR_FPROBE_REGS *regs, void *data)
{
	struct ktr_hook *h = container_of(fp, struct backend, fp)->hook;

	guard(preempt_notrace)();
	h->left(ktr_fprobe_value(regs), data);
}

static unsigned long missed(const struct backend *b)
{
	return READ_ONCE(b->fp.nmissed);
}

static int begin(struct backend *b)
{
	b->fp.entry_handler = entered;
	b->fp.exit_handler = left;
	b->fp.entry_data_size = b->hook->data_size;
	ktr_fprobe_set_room(&b->fp, INSIDE);
	return register_fprobe(&b->fp, b->hook->name, NULL);
}

static void end(struct backend *b)
{
	/* Waits for entries; returns run with preemption off. */
	unregister_fprobe(&b->fp);
	synchronize_rcu();
}
#else
#include <linux/kprobes.h>

struct backend {
	struct kretprobe rp;
	struct ktr_hook *hook;
};

static int entered(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct backend *b = container_of(get_kretprobe(ri), struct backend, rp);

	return !b->hook->entered(regs, ri->data);
}
NOKPROBE_SYMBOL(entered);

static int left(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	if (rp)
		container_of(rp, struct backend, rp)->hook->left(regs_return_value(regs),
								 ri->data);
	return 0;
}
NOKPROBE_SYMBOL(left);

static unsigned long missed(const struct backend *b)
{
	return READ_ONCE(b->rp.nmissed);
}

static int begin(struct backend *b)
{
	b->rp.kp.symbol_name = b->hook->name;
	b->rp.entry_handler = entered;
	b->rp.handler = left;
	b->rp.data_size = b->hook->data_size;
	b->rp.maxactive = INSIDE;
	return register_kretprobe(&b->rp);
}

static void end(struct backend *b)
{
	/* Waits for a grace period; later returns find it gone. */
	unregister_kretprobe(&b->rp);
}
#endif

int ktr_hook_add(struct ktr_hook *h)
{
	struct backend *b;
	int ret;

	if (WARN_ON_ONCE(h->data_size > KTR_HOOK_DATA_MAX))
		return -EINVAL;
	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	b->hook = h;
	ret = begin(b);
	if (!ret) {
		h->backend = b;
		return 0;
	}
	kfree(b);
	if (ret == -ENOMEM)
		return ret;
	pr_err_once("cannot hook %s (%d)\n", h->name, ret);
	return -EOPNOTSUPP;
}

void ktr_hook_remove(struct ktr_hook *h)
{
	struct backend *b = h->backend;

	if (!b)
		return;
	end(b);
	h->missed += missed(b);
	h->backend = NULL;
	kfree(b);
}

u64 ktr_hook_missed(const struct ktr_hook *h)
{
	return h->missed + (h->backend ? missed(h->backend) : 0);
}
