/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sys_maker.h - a capture program under construction, and words that add to it */
#ifndef KTR_SYS_MAKER_H
#define KTR_SYS_MAKER_H

#include "sys_table.h"

#define PATH_BYTES	4096u	/* a path may be that long */

/* The plan under construction, and what bounds it. */
struct maker {
	struct sys_plan *plan;
	unsigned int abi;
	unsigned int strsize;
	unsigned int datasize;	/* at least strsize */
	bool whole;		/* lists and the environment: -v */
};

unsigned int max_u(unsigned int a, unsigned int b);
unsigned int capped(uint64_t bytes);	/* as many as one call may capture */

/* Elements of a list that are kept. */
unsigned int list_max(const struct maker *m);

/* Bytes of all parts of a vector. */
unsigned int parts_max(const struct maker *m);

/* One more operation: on what register "reg" points to. */
struct ktr_op *add(struct maker *m, unsigned int form, unsigned int reg,
		   unsigned int role, bool out);

/* What word "off" of operation "in" points to. */
struct ktr_op *add_inner(struct maker *m, unsigned int form, unsigned int reg,
			 unsigned int role, bool out, unsigned int in,
			 unsigned int off);

void set_const(struct ktr_op *op, unsigned int bytes);

/* The length is in the register "ref", in the result, or constant. */
void set_len(struct ktr_op *op, const struct sys_arg *a, unsigned int max);

/* sys_parts.c: calls whose structs point to more */
void plan_bpf(struct maker *m, const struct sys_arg *a, unsigned int reg);
void plan_iocbs(struct maker *m, const struct sys_arg *a, unsigned int reg);

#endif
