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
/* All users have put. Waits until no probe can run. */
void ktr_probes_exit(void);

/*
 * Attach what the kinds in @events need; KTR_PROBES_BASE is what any session
 * needs to follow its targets. Process context; serialized inside.
 */
#define KTR_PROBES_BASE 0ULL
int ktr_probes_get(u64 events);
void ktr_probes_put(u64 events);
/* Kinds whose probes are attached now. */
u64 ktr_probes_attached(void);
/* Kinds that this module can record. */
u64 ktr_probes_kinds(void);
/* Kinds that are always recorded while a session runs. */
u64 ktr_probes_control_kinds(void);

#endif
