/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Predicates on syscall records, from the user's words to what the kernel
 * takes: struct ktr_pred in postfix order.
 *
 *	or    := and { "||" and }
 *	and   := unary { "&&" unary }
 *	unary := "!" unary | cmp | "(" or ")"
 *	cmp   := field [ op value ]		a field alone: it is not 0
 *	field := nr abi ret errno dur fd tid arg0 .. arg5 name
 *	op    := == != < <= > >= &		&: has any of these bits
 *	value := [-] number [ns us ms s] | errno or syscall name
 */
#ifndef KTR_FILTER_H
#define KTR_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "ktracer.h"

struct filter {
	struct ktr_pred p[KTR_PREDS_MAX];
	unsigned int n;		/* 0: everything passes */
};

/* Add a condition that has to hold too. */
int filter_add(struct filter *fl, const char *expr, struct fault *f);
/* The same for a list of errno names, "!" in front: none of them. */
int filter_add_errno(struct filter *fl, const char *list, struct fault *f);
/* The call failed, or did not. */
int filter_add_failed(struct filter *fl, bool failed, struct fault *f);

/* The call has to do with one of the session's paths. */
int filter_add_paths(struct filter *fl, struct fault *f);

/* What the kernel would say, for records from a file. */
bool filter_pass(const struct filter *fl,
		 const int64_t fields[__KTR_FIELD_LAST]);
/* What the kernel would refuse: an unbalanced list. */
bool filter_valid(const struct filter *fl);

#endif
