/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A change of a named session by add-* or del-*: all of it comes about, or nothing. The
 * caller changes one thing that is all or nothing itself; what may be left of the rest
 * is taken back here.
 */
#ifndef KTR_NAMED_H
#define KTR_NAMED_H

#include "ctl.h"
#include "opts.h"
#include "setup.h"

struct named {
	struct ctl *ctl;
	struct ctl_ref ref;
	struct ctl_session s;	/* as it was before */
	struct opts *o;
	bool made;		/* it is ours and new */
	bool changed;		/* named_set() was called */
	bool attached;		/* named_attach() was called for one that is not new */
	struct ctl_target *had;	/* its targets before that */
	size_t nhad;
};

/* Connect and find it, or make it, started. */
int named_open(struct named *n, bool make, struct fault *f);
/* What is to be taken back if more fails than this. what: for the fault. */
int named_set(struct named *n, const struct ctl_set *set, const char *what, struct fault *f);
/* Those that are asked for, if any; one will do. */
int named_attach(struct named *n, setup_said_fn said, struct fault *f);
int named_detach(struct named *n, setup_said_fn said, struct fault *f);
/* What is taken away is so for all targets: are those asked for all there are? */
int named_check_alone(struct named *n, const char *cmd, struct fault *f);
/* failed: as it was before. */
void named_close(struct named *n, bool failed);

#endif
