/* SPDX-License-Identifier: GPL-2.0-only */
/* Predicates, run by the kernel's BPF JIT. */
#ifndef _KTR_FILTER_H
#define _KTR_FILTER_H

#include <linux/filter.h>
#include "../uapi/ktracer.h"

struct ktr_paths;
struct netlink_ext_ack;

/* What a predicate reads; each field is 8 bytes. */
struct ktr_filter_ctx {
	s64 field[__KTR_FIELD_LAST];
};

struct ktr_filter {
	struct bpf_prog *prog;
	bool at_exit;		/* reads something known only when the call is over */
	bool reads_path;
	struct ktr_paths *paths;	/* if it does; owned */
	u32 npreds;
};

/**
 * ktr_filter_new() - compile a predicate
 * @preds: postfix, from the user
 * @n: how many
 * @ack: says what is wrong
 *
 * Return: the filter, ERR_PTR(-EINVAL), -ENOMEM, or -EOPNOTSUPP if this kernel
 * will not compile BPF programs.
 */
struct ktr_filter *ktr_filter_new(const struct ktr_pred *preds, u32 n,
				  struct netlink_ext_ack *ack);
/* After a grace period; NULL is fine. */
void ktr_filter_free(struct ktr_filter *f);

/* Preemption off. */
static inline bool ktr_filter_run(const struct ktr_filter *f,
				  const struct ktr_filter_ctx *ctx)
{
	return bpf_dispatcher_nop_func(ctx, f->prog->insnsi, f->prog->bpf_func);
}

#endif
