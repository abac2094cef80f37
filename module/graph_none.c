// SPDX-License-Identifier: GPL-2.0-only
/* No graphs: where returns are kretprobes', one for each function would be too many. */
#include <linux/errno.h>
#include "functions.h"

#if !defined(KTR_GRAPH_BY_HANDLER) && !defined(KTR_GRAPH_BY_FPROBES)
int ktr_graph_hook(struct ktr_graph *g)
{
	return -EOPNOTSUPP;
}

int ktr_graph_hook_more(struct ktr_graph *g, unsigned long *addr, u32 n)
{
	return -EOPNOTSUPP;
}

int ktr_graph_hook_less(struct ktr_graph *g, unsigned long *addr, u32 n)
{
	return -EOPNOTSUPP;
}

u64 ktr_graph_hook_missed(const struct ktr_graph *g)
{
	return 0;
}

void ktr_graph_unhook(struct ktr_graph *g)
{
}
#endif
