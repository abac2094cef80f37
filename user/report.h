/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A capture file in order of time, to an output. Round by round, so that
 * memory is bounded by what one round holds, not by the file.
 */
#ifndef KTR_REPORT_H
#define KTR_REPORT_H

#include "capfile.h"
#include "merge.h"
#include "out.h"
#include "select.h"

/* Zeroed; then r, out and sel are to be set. */
struct report {
	struct cap_reader r;
	struct merge mg;
	struct out out;
	const struct select *sel;
	uint64_t shown;
	uint64_t records;
	uint64_t lost;
	uint64_t whole;		/* records that there should be; 0: not known */
	uint64_t missing_bytes;	/* of damaged places */
	unsigned int holes;	/* how many those are */
	bool header;
	bool enough;		/* --limit was reached */
};

/* Return: 0, 1 (enough), -errno of the output, -ENOMEM. */
int report_run(struct report *p);
void report_free(struct report *p);

#endif
