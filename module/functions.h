/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel functions of one session, entered through ftrace. */
#ifndef _KTR_FUNCTIONS_H
#define _KTR_FUNCTIONS_H

#include <linux/ftrace.h>
#include "emit.h"

struct ktr_functions {
	struct ftrace_ops ops;
	struct ktr_stream *stream;
	unsigned long *addr;	/* the session's mutex */
	u32 n;
	bool registered;
};

void ktr_functions_init(struct ktr_functions *f, struct ktr_stream *st);
/* All of @addr or none. -EINVAL: *bad is not traceable; -EEXIST: all are there. */
int ktr_functions_add(struct ktr_functions *f, const u64 *addr, u32 n, u64 *bad);
/* -ENOENT: none of them is there. @addr NULL: all. */
int ktr_functions_del(struct ktr_functions *f, const u64 *addr, u32 n);
/* No callback can run when it returns. */
void ktr_functions_close(struct ktr_functions *f);
#endif
