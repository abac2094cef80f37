/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What trace and record have in common: the command or the processes. */
#ifndef KTR_TRACEE_H
#define KTR_TRACEE_H

#include "cmd.h"
#include "run.h"
#include "setup.h"

/* A command or -p, just one. Return: 0 or the exit status. */
int tracee_check(const struct command *cmd, const struct opts *o);
/* Find and start the command, held; take over signals. */
int tracee_prepare(struct run *run, struct opts *o, struct fault *f);
/* Make, map and fill the session; it is stopped. */
int tracee_session(struct run *run, struct opts *o, unsigned int datasize,
		   struct ksyms *ks, struct fnsigs *sigs, struct ctl_session *s, struct fault *f);
/* Start it, attach, let the command go. */
int tracee_attach(struct run *run, struct opts *o, unsigned int kind,
		  struct fault *f);
/* Say which limit ended it, if one did, before the command's end is waited for. */
void tracee_limit(struct run *run);
/* Say how many calls of functions were not hooked, if any. */
void tracee_missed(const struct run *run);
/* Wait for the command, and say it if it could not be executed. */
void tracee_end(struct run *run);
/* The exit status, once all is over. */
int tracee_status(const struct run *run, const struct opts *o, uint64_t lost);

#endif
