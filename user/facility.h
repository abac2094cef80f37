/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ktrace(): trace points of processes, into a file that the module writes. The
 * traces of one file are one session, which is known by the file.
 */
#ifndef KTR_FACILITY_H
#define KTR_FACILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "ktracer_facility.h"

/* As ktrace() has it: @file may be NULL for KTROP_CLEAR; @pid: a group if negative. */
struct facility_ask {
	const char *file;
	int ops, points, pid;
	bool from_exec;		/* KTROP_SET: records begin with its next execve */
	bool empty;		/* the same: what the file holds goes, once there is room for a trace */
	bool of_file;		/* told: the error is one of writing the file */
	unsigned int left_out;	/* told: processes of those meant that he may not trace */
	uint32_t points_out;	/* told: of points those that are not for plain users */
};

/* Return: 0 or -errno. */
int facility_apply(struct facility_ask *ask);

/*
 * Whether KTROP_SET would find processes that may be traced; pid 0: whether anything could
 * be. Nothing is done.
 */
int facility_try(const struct facility_ask *ask);

/* Letters of ktrace -t as trace points; 0: *bad is none. */
uint32_t facility_letters(const char *letters, char *bad);
/*
 * The letters of these points, of those that stand in @letters (and not for "+" as a
 * whole); @to has room for as many.
 */
void facility_named(const char *letters, uint32_t points, char *to);
/* What ktrace(1) traces unless it is told. */
#define FACILITY_DEFAULT (KTRFAC_ALL & ~(KTRFAC_CSW | KTRFAC_CAPFAIL | \
					 KTRFAC_FAULT | KTRFAC_FAULTEND))

#endif
