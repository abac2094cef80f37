/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaching probes to tracepoints, by name, while some session needs them.
 * A probe is named ktr_probe_<tracepoint>; one that is missing does not link.
 */
#ifndef _KTR_PROBES_H
#define _KTR_PROBES_H

#include <linux/types.h>

/* Looks the tracepoints up. -ENOENT, named in the log, if the kernel lacks one. */
int ktr_probes_init(void);
/* All that were detached before, or wait for it to see a stream's change, are done with it. */
void ktr_probes_wait(void);
/* All users have put. Waits until no probe can run. */
void ktr_probes_exit(void);

/* What one session has attached; its caller serializes. */
struct ktr_probes {
	u64 kinds;
	u64 missed;		/* with kinds that it had before */
	u64 missed_before;	/* by the hooks of kinds, when it got them */
};

/*
 * All in process context; serialized inside. Attach what any session needs to
 * follow its targets, then what @kinds need beside it: new ones first.
 */
int ktr_probes_begin(struct ktr_probes *p);
int ktr_probes_change(struct ktr_probes *p, u64 kinds);
void ktr_probes_end(struct ktr_probes *p);
/* Calls of hooked functions, by any task, that there was no room to hook. */
u64 ktr_probes_missed(const struct ktr_probes *p);
/* Kinds whose probes are attached now. */
u64 ktr_probes_attached(void);
/* Kinds that this module can record. */
u64 ktr_probes_kinds(void);
/* Kinds that are always recorded while a session runs. */
u64 ktr_probes_control_kinds(void);

#endif
