/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many processes at once: of a group, a user, a cgroup, or all there are. */
#ifndef KTR_WHOM_H
#define KTR_WHOM_H

#include <stddef.h>
#include <stdint.h>

#include "fault.h"

struct whom {
	unsigned int kind;	/* enum ktr_target_kind */
	uint32_t id;		/* of a cgroup: our descriptor of its directory */
	char *what;		/* for messages */
};

struct whomlist {
	struct whom *v;
	size_t n;
};

/* Each adds what an option's argument names. */
int whom_group(struct whomlist *l, const char *text, struct fault *f);
int whom_user(struct whomlist *l, const char *text, struct fault *f);
/* A directory, or a path below the mounted tree. */
int whom_cgroup(struct whomlist *l, const char *text, struct fault *f);
int whom_all(struct whomlist *l, struct fault *f);
void whom_free(struct whomlist *l);

#endif
