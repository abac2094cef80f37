/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the opts*.c files only: what an option is. */
#ifndef KTR_OPTS_TABLE_H
#define KTR_OPTS_TABLE_H

#include "opts.h"

#define OC_TRACE (OC_STRACE | OC_VIEW)
#define OPTS_MAX 160

typedef int (*set_fn)(struct opts *o, const char *arg, struct fault *f);

struct opt {
	char c;			/* 0: long only */
	const char *name;	/* NULL: short only */
	const char *arg;	/* NULL: takes none; [X]: may be left out */
	unsigned int classes;
	set_fn set;
	size_t flag;		/* without set: the bool it makes true */
	const char *help;	/* NULL: not told of */
};

/* Of opts_view.c. */
int set_stamp(struct opts *o, const char *arg, struct fault *f);
int set_stamp_form(struct opts *o, const char *arg, struct fault *f);
int set_relative(struct opts *o, const char *arg, struct fault *f);
int set_duration(struct opts *o, const char *arg, struct fault *f);
int set_hex(struct opts *o, const char *arg, struct fault *f);
int set_hex_form(struct opts *o, const char *arg, struct fault *f);
int set_decode_pids(struct opts *o, const char *arg, struct fault *f);
int set_xlat(struct opts *o, const char *arg, struct fault *f);
int set_quiet(struct opts *o, const char *arg, struct fault *f);
int set_quiet_list(struct opts *o, const char *arg, struct fault *f);
int set_raw(struct opts *o, const char *arg, struct fault *f);
int set_abbrev(struct opts *o, const char *arg, struct fault *f);
int set_verbose(struct opts *o, const char *arg, struct fault *f);
int set_inject(struct opts *o, const char *arg, struct fault *f);
int set_fault(struct opts *o, const char *arg, struct fault *f);
int set_kvm(struct opts *o, const char *arg, struct fault *f);

/* Of opts_stack.c. */
int set_ustack(struct opts *o, const char *arg, struct fault *f);
int set_kstack(struct opts *o, const char *arg, struct fault *f);

extern const struct opt opts_table[];
extern const size_t opts_table_n;

#endif
