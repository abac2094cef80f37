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
	unsigned int left_out;	/* told: processes of those meant that he may not trace */
};

/* Return: 0 or -errno. */
int facility_apply(struct facility_ask *ask);

/* Letters of ktrace -t as trace points; 0: one of them is none. */
uint32_t facility_letters(const char *letters);
/* What ktrace(1) traces unless it is told. */
#define FACILITY_DEFAULT (KTRFAC_ALL & ~(KTRFAC_CSW | KTRFAC_CAPFAIL | \
					 KTRFAC_FAULT | KTRFAC_FAULTEND))

#endif
