/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a selection to a session of the module. */
#ifndef KTR_SETUP_H
#define KTR_SETUP_H

#include "ctl.h"
#include "ksyms.h"
#include "select.h"
#include "view.h"

/* The module's answer as a fault; what: the thing that was tried. */
int setup_fault(const struct ctl *ctl, int err, const char *what,
		struct fault *f);
/* Connect and check the version; the faults say whether the module is there. */
int setup_open(struct ctl **ctl, struct fault *f);

/* datasize: bytes of buffers to keep beyond what is shown (record). */
int setup_calls(struct ctl *ctl, struct ctl_ref ref, const struct sysset *set,
		const struct view *view, unsigned int datasize,
		unsigned int flags, struct fault *f);
int setup_calls_del(struct ctl *ctl, struct ctl_ref ref,
		    const struct sysset *set, struct fault *f);
int setup_funcs(struct ctl *ctl, struct ctl_ref ref, struct ksyms *ks,
		const char *pattern, bool add, size_t *n, struct fault *f);

/* All of a new session: calls, functions, events, signals, filter. Stopped. */
int setup_session(struct ctl *ctl, struct ctl_ref ref, const struct select *sel,
		  const struct view *view, unsigned int datasize,
		  struct ksyms *ks, struct fault *f);
int setup_state(struct ctl *ctl, struct ctl_ref ref, unsigned int state,
		struct fault *f);

/* Attach all of the list; one will do. said: f is NULL where it worked. */
typedef void (*setup_said_fn)(void *arg, uint32_t pid, const struct fault *f);
int setup_targets(struct ctl *ctl, struct ctl_ref ref,
		  const struct select *sel, unsigned int kind,
		  unsigned int flags, setup_said_fn said, void *arg,
		  struct fault *f);

/* `2 CPUs x 4 MiB` */
void setup_size(struct buf *b, const struct ctl_session *s);

#endif
