/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaching: a plain user has to show that he may. */
#ifndef KTR_OWN_H
#define KTR_OWN_H

#include "ctl.h"
#include "fault.h"

/* As ctl_target_add(), with /proc/ID/mem where it is needed; what: for the fault. */
int own_attach(struct ctl *ctl, struct ctl_ref ref, unsigned int kind, uint32_t id,
	       unsigned int flags, const char *what, struct fault *f);
/* The members of a process group, for a plain user's session; those that are his. */
int own_attach_group(struct ctl *ctl, struct ctl_ref ref, uint32_t pgrp, unsigned int flags,
		     struct fault *f);

#endif
