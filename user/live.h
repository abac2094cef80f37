/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as they come: rings, merge, output. */
#ifndef KTR_LIVE_H
#define KTR_LIVE_H

#include "merge.h"
#include "out.h"
#include "run.h"

struct live {
	struct run run;
	struct reader rd;
	struct merge mg;
	struct out *out;
	uint64_t shown;
	uint64_t lost;
	uint64_t started, next_show;	/* of --interval; CLOCK_MONOTONIC */
	bool command_runs;	/* its first exec has been seen: -b lets it be */
};

void live_init(struct live *l, struct ctl *ctl, struct ctl_ref ref,
	       const struct select *sel, struct out *out);
/* Targets there are now: of those a first line says whose it is. */
void live_know_targets(struct live *l);
/* Runs to the end; then shown and lost are set. */
int live_run(struct live *l, struct fault *f);
void live_free(struct live *l);

#endif
